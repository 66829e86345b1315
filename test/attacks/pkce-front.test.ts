/** Attacks on PKCE at the authorization endpoint (RFC 7636 §§4.2–4.4, RFC 9700 §2.1.1). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectGoesOn, expectRedirectError } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, pkce, redeem } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
/** A server whose operator requires PKCE of every client. */
let strict: TestServer;
let clients: Record<"public" | "native" | "confidential" | "bound" | "plain", TestClient>;

beforeAll(async () => {
  [server, strict] = await Promise.all([startServer(), startServer({ config: { requirePkce: true } })]);
  clients = {
    public: await server.addClient({ type: "public" }),
    native: await server.addClient({ type: "public", redirectUris: ["https://app.test/cb", "com.example.app:/cb"] }),
    confidential: await server.addClient(),
    bound: await server.addClient({ requirePkce: true }),
    plain: await server.addClient({ type: "public", allowPlainPkce: true }),
  };
});
afterAll(async () => {
  await server.stop();
  await strict.stop();
});

const { challenge } = pkce();
type Kind = keyof typeof clients;
const ask = (kind: Kind, fields: Record<string, string | undefined>) =>
  new Agent(server.issuer).get(authorizeUrl(server, clients[kind], fields));
const S256 = { code_challenge: challenge, code_challenge_method: "S256" };

describe("no challenge", () => {
  test.each<Kind>(["public", "native", "bound", "plain"])("PK-01 a %s client → invalid_request", async (kind) => {
    expectRedirectError(await ask(kind, {}), server, "invalid_request");
    expectRedirectError(await ask(kind, { code_challenge: "" }), server, "invalid_request");
    expectRedirectError(await ask(kind, { code_challenge_method: "S256" }), server, "invalid_request");
    expectGoesOn(await ask(kind, S256));
  });

  test("PK-02 a confidential client where the operator requires it of all → invalid_request", async () => {
    const client = await strict.addClient();
    const agent = new Agent(strict.issuer);
    expectRedirectError(await agent.get(authorizeUrl(strict, client)), strict, "invalid_request");
    expectGoesOn(await agent.get(authorizeUrl(strict, client, S256)));
  });

  test("a confidential client where nobody requires it → goes on; a method without challenge is a mistake", async () => {
    expectGoesOn(await ask("confidential", {}));
    expectRedirectError(await ask("confidential", { code_challenge_method: "S256" }), server, "invalid_request");
  });
});

describe("a method that isn't S256", () => {
  test.each<Kind>(["public", "confidential", "bound"])("PK-03 plain, a %s client → invalid_request", async (kind) => {
    const fields = { code_challenge: challenge, code_challenge_method: "plain" };
    expectRedirectError(await ask(kind, fields), server, "invalid_request");
  });

  test.each<Kind>(["public", "confidential", "bound"])(
    "PK-04 none named, a %s client → invalid_request",
    async (kind) => {
      expectRedirectError(await ask(kind, { code_challenge: challenge }), server, "invalid_request");
    },
  );

  test.each(["s256", "S512", "S256 ", " S256", "", "S256,plain", "none", "__proto__", "toString"])(
    "PK-05 %j → invalid_request, also where plain is allowed",
    async (code_challenge_method) => {
      const fields = { code_challenge: challenge, code_challenge_method };
      expectRedirectError(await ask("public", fields), server, "invalid_request");
      if (code_challenge_method !== "") expectRedirectError(await ask("plain", fields), server, "invalid_request");
    },
  );

  test.each([
    ["S256", "plain"],
    ["plain", "S256"],
  ])("PK-05 twice (%s, %s) → invalid_request", async (...methods) => {
    const query = methods.map((method) => `&code_challenge_method=${method}`).join("");
    const url = authorizeUrl(server, clients.plain, { code_challenge: challenge }) + query;
    expectRedirectError(await new Agent(server.issuer).get(url), server, "invalid_request");
  });

  test("plain, where the operator allows it for the client → goes on", async () => {
    expectGoesOn(await ask("plain", { code_challenge: "v".repeat(43), code_challenge_method: "plain" }));
    expectGoesOn(await ask("plain", { code_challenge: "v".repeat(43) }));
  });
});

describe("PK-06 a challenge that no SHA-256 makes", () => {
  const body = challenge.slice(0, 42);
  test.each([
    ["42 characters", body],
    ["44 characters", `${challenge}A`],
    ["129 characters", "A".repeat(129)],
    ["padded", `${challenge}=`],
    ["=", `${body}=`],
    ["+", `${body}+`],
    ["/", `${body}/`],
    ["UTF-8", `${body}é`],
    ["a blank", `${body} `],
    ["a line feed behind it", `${challenge}\n`],
    ["NUL", `${body}\0`],
    ["hex", "a".repeat(64)],
  ])("%s → invalid_request", async (_, code_challenge) => {
    for (const kind of ["public", "confidential"] as const) {
      const page = await ask(kind, { code_challenge, code_challenge_method: "S256" });
      expectRedirectError(page, server, "invalid_request");
    }
  });

  test.each(["v".repeat(42), "v".repeat(129), `${"v".repeat(42)}+`])(
    "plain, where allowed: %j is no verifier → invalid_request",
    async (code_challenge) => {
      expectRedirectError(
        await ask("plain", { code_challenge, code_challenge_method: "plain" }),
        server,
        "invalid_request",
      );
    },
  );
});

test("PK-12 the challenge in the place of the verifier → invalid_grant, burned; the verifier → tokens", async () => {
  const { username } = await server.addPerson();
  const own = pkce();
  const url = authorizeUrl(server, clients.public, { code_challenge: own.challenge, code_challenge_method: "S256" });
  const stolen = await authorize(new Agent(server.issuer), url, username);
  for (const code_verifier of [own.challenge, own.verifier]) {
    const refused = await redeem(server, clients.public, stolen, { code_verifier });
    expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
  }
  const fair = await authorize(new Agent(server.issuer), url, username);
  expect((await redeem(server, clients.public, fair, { code_verifier: own.verifier })).status).toBe(200);
});

test("PK-19 the metadata → S256 and nothing else", async () => {
  const response = await fetch(`${server.issuer}/.well-known/oauth-authorization-server`);
  expect(await response.json()).toMatchObject({ code_challenge_methods_supported: ["S256"] });
});

describe("PK-17 one challenge in several authorizations of a client", () => {
  let person: string;
  beforeAll(async () => {
    person = (await server.addPerson()).username;
  });
  const reused = (client: TestClient) =>
    server.log
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ event, client_id }) => event === "pkce_challenge_reused" && client_id === client.clientId);
  const issue = async (client: TestClient, fields: Record<string, string | undefined>, username = person) => {
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client, fields), username);
    expect(callback.searchParams.has("code")).toBe(true);
  };

  test("in the third one of other states → logged, once; the request goes on", async () => {
    const client = await server.addClient({ type: "public" });
    for (const state of ["a", "b"]) await issue(client, { ...S256, state });
    expect(reused(client)).toEqual([]);
    for (const state of ["c", "d", "e"]) await issue(client, { ...S256, state });
    expect(reused(client)).toHaveLength(1);
    expect(JSON.stringify(reused(client))).not.toContain(challenge);
  });

  test("of three owners, without a state → logged", async () => {
    const client = await server.addClient({ type: "public" });
    for (let at = 0; at < 3; at += 1) {
      expect(reused(client)).toEqual([]);
      await issue(client, { ...S256, state: undefined }, (await server.addPerson()).username);
    }
    expect(reused(client)).toHaveLength(1);
  });

  test("the same request loaded again, a challenge each, another client's challenge → not logged", async () => {
    const [reloading, fresh] = [await server.addClient(), await server.addClient()];
    for (let at = 0; at < 4; at += 1) await issue(reloading, S256);
    for (const state of ["a", "b", "c"]) {
      await issue(fresh, { code_challenge: pkce().challenge, code_challenge_method: "S256", state });
      await issue(fresh, { state });
    }
    for (const state of ["a", "b"]) await issue(fresh, { ...S256, state });
    expect([...reused(reloading), ...reused(fresh)]).toEqual([]);
  });
});
