/** Attacks on PKCE (RFC 7636; RFC 9700 §4.8). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, codeOf, expectRefusal, type Owner, post, provenCode } from "../support/back-channel.ts";
import { Agent, authorizeUrl, pkce, redeem } from "../support/browser-like.ts";
import { startServer, type TestClient, type TestServer } from "../support/server.ts";

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

/** The error by redirect: state and issuer beside it, no code. */
async function expectRedirected(client: TestClient, ask: Record<string, string | undefined>, at = server) {
  const page = await new Agent(at.issuer).get(authorizeUrl(at, client, ask));
  expect(page.status).toBe(302);
  expect(page.location?.origin).toBe("https://app.test");
  const { searchParams } = page.location ?? new URL("about:blank");
  expect(Object.fromEntries(searchParams)).toEqual({
    error: "invalid_request",
    error_description: expect.any(String),
    error_uri: expect.stringMatching(/\/errors\/code_challenge_/),
    state: "a state",
    iss: at.issuer,
  });
}

describe("the authorization request", () => {
  const challenge = good.challenge;
  test.each<[string, Record<string, string | undefined>]>([
    ["PK-01 no code_challenge", {}],
    ["PK-01 an empty code_challenge", { code_challenge: "", code_challenge_method: "S256" }],
    ["PK-01 a method without a challenge", { code_challenge_method: "S256" }],
    ["PK-03 method plain", { code_challenge: good.verifier, code_challenge_method: "plain" }],
    ["PK-04 no method, which means plain", { code_challenge: challenge }],
    ["PK-05 method s256", { ...S256, code_challenge_method: "s256" }],
    ["PK-05 method S512", { ...S256, code_challenge_method: "S512" }],
    ["PK-05 method with a space behind it", { ...S256, code_challenge_method: "S256 " }],
    ["PK-05 an empty method", { ...S256, code_challenge_method: "" }],
    ["PK-06 42 characters", { ...S256, code_challenge: challenge.slice(1) }],
    ["PK-06 44 characters", { ...S256, code_challenge: `${challenge}A` }],
    ["PK-06 129 characters", { ...S256, code_challenge: "A".repeat(129) }],
    ["PK-06 padding", { ...S256, code_challenge: `${challenge.slice(1)}=` }],
    ["PK-06 a plus sign", { ...S256, code_challenge: `${challenge.slice(1)}+` }],
    ["PK-06 a slash", { ...S256, code_challenge: `${challenge.slice(1)}/` }],
    ["PK-06 not ASCII", { ...S256, code_challenge: `${challenge.slice(1)}é` }],
  ])("%s → invalid_request by redirect", (_, ask) => expectRedirected(pub, ask));

  test("PK-01 PK-06 a public client with a challenge of 43 characters → a code", async () => {
    expect((await codeOf(server, pub, owner, { ask: S256 })).startsWith("ac_")).toBe(true);
  });

  test("PK-02 a confidential client that must, or a server where all must → invalid_request by redirect", async () => {
    await expectRedirected(await server.addClient({ requirePkce: true }), {});
    const strict = await startServer({ config: { requirePkce: true } });
    try {
      await expectRedirected(await strict.addClient(), {}, strict);
    } finally {
      await strict.stop();
    }
  });

  test("PK-02 a confidential client that need not → a code without a challenge", async () => {
    const code = await codeOf(server, conf, owner);
    expect((await redeem(server, conf, code)).status).toBe(200);
  });

  test("PK-19 metadata → S256 alone", async () => {
    const metadata = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({ code_challenge_methods_supported: ["S256"] });
  });
});

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
