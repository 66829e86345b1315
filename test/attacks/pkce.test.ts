/** Attacks on PKCE at the token endpoint (RFC 7636 §§4.5, 4.6; RFC 9700 §4.8). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, codeOf, expectRefusal, type Owner, post, provenCode } from "../support/back-channel.ts";
import { pkce, redeem } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let pub: TestClient;
let conf: TestClient;
let other: TestClient;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  pub = await server.addClient({ type: "public" });
  conf = await server.addClient();
  other = await server.addClient();
  owner = await anOwner(server);
});
afterAll(() => server.stop());

const good = pkce();
const S256 = { code_challenge: good.challenge, code_challenge_method: "S256" };

describe.each(["public", "confidential"] as const)("the token request of a %s client", (type) => {
  const client = () => (type === "public" ? pub : conf);
  const code = () => codeOf(server, client(), owner, { ask: S256 });

  test("the right verifier → tokens", async () => {
    expect((await redeem(server, client(), await code(), { code_verifier: good.verifier })).status).toBe(200);
  });

  test.each([
    ["PK-07 no verifier", undefined],
    ["PK-08 an empty verifier", ""],
    ["PK-09 a wrong verifier", pkce().verifier],
    ["PK-09 a verifier of 42 characters", "A".repeat(42)],
    ["PK-09 a verifier of 129 characters", "A".repeat(129)],
    ["PK-09 a verifier with a slash", `${good.verifier.slice(1)}/`],
    ["PK-09 a verifier that is not ASCII", `${good.verifier}é`],
    ["PK-09 the verifier and a space", `${good.verifier} `],
    ["PK-09 the verifier in upper case", good.verifier.toUpperCase()],
    ["PK-12 the challenge as the verifier", good.challenge],
    ["PK-12 what no well-formed verifier makes", "malformed"],
  ])("%s → invalid_grant, and the right one afterwards, too", async (_, verifier) => {
    const it = await code();
    expectRefusal(await redeem(server, client(), it, { code_verifier: verifier }), "invalid_grant");
    expectRefusal(await redeem(server, client(), it, { code_verifier: good.verifier }), "invalid_grant");
  });

  test("PK-14 two verifiers → invalid_request, the code untouched", async () => {
    const it = await code();
    const fields = { code_verifier: good.verifier, redirect_uri: "https://app.test/cb", code: it };
    const form = new URLSearchParams({ grant_type: "authorization_code", client_id: client().clientId, ...fields });
    if (type === "confidential") form.append("client_secret", client().secret);
    expectRefusal(await post(server, "/token", `${form}&code_verifier=${"B".repeat(43)}`), "invalid_request");
    expectRefusal(await post(server, "/token", `code_verifier=${"B".repeat(43)}&${form}`), "invalid_request");
    expect((await post(server, "/token", `${form}`)).status).toBe(200);
  });
});

describe("the downgrade", () => {
  test("a verifier for a code without a challenge → invalid_request, the code burned", async () => {
    const code = await codeOf(server, conf, owner);
    expectRefusal(await redeem(server, conf, code, { code_verifier: good.verifier }), "invalid_request");
    expectRefusal(await redeem(server, conf, code), "invalid_grant");
  });

  test("an operator's exception for plain → the verifier itself redeems, its hash does not", async () => {
    const plain = await server.addClient({ type: "public", allowPlainPkce: true });
    const ask = { code_challenge: good.verifier, code_challenge_method: "plain" };
    const first = await codeOf(server, plain, owner, { ask });
    expect((await redeem(server, plain, first, { code_verifier: good.verifier })).status).toBe(200);
    const second = await codeOf(server, plain, owner, { ask: { ...ask, code_challenge: good.challenge } });
    expectRefusal(await redeem(server, plain, second, { code_verifier: good.verifier }), "invalid_grant");
  });
});

test("PK-18 a public client's code and verifier, by another client → invalid_grant, the code untouched", async () => {
  const proven = await provenCode(server, pub, owner);
  expectRefusal(await redeem(server, other, proven.code, proven), "invalid_grant");
  const anotherPublic = await server.addClient({ type: "public" });
  expectRefusal(await redeem(server, anotherPublic, proven.code, proven), "invalid_grant");
  expect((await redeem(server, pub, proven.code, proven)).status).toBe(200);
});
