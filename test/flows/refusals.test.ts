/**
 * An operator finds each refusal by the number that the client and the person got, with its cause and the command that
 * mends it. Strangers learn nothing from the number.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminContext, adminOf } from "../../packages/server/src/admin/context.ts";
import { explained, refusalOf } from "../../packages/server/src/admin/refusals/index.ts";
import { explainedConditions } from "../../packages/server/src/admin/refusals/remedies.ts";
import { basic } from "../support/back-channel.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  postForm,
  redeem,
  signIn,
  type TokenAnswer,
} from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let admin: AdminContext;
beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({
    redirectUris: ["https://app.test/cb"],
    grantTypes: ["authorization_code", "refresh_token", "password"],
  });
  admin = adminOf(server.assent.storage, server.issuer, server.now);
});
afterAll(() => server.stop());

/** The stored refusal. It is written a moment after the answer. */
async function stored(requestId: string | null | undefined) {
  await expect.poll(() => server.assent.storage.refusals.get({ requestId: requestId ?? "" })).toBeDefined();
  return explained(await refusalOf(requestId ?? "", admin));
}

const numberIn = (uri: unknown) => new URL(String(uri)).searchParams.get("id");
const askToken = (form: Readonly<Record<string, string>>, of: TestClient = client) =>
  postForm(server, "/token", of, form);
const open = (parameters: Readonly<Record<string, string | undefined>>, of = client) =>
  new Agent(server.issuer).get(authorizeUrl(server, of, parameters));

/** Checks that header and `error_uri` have the same number, and returns it. */
function numberOf({ headers, body }: TokenAnswer): string {
  const number = headers.get("x-request-id") ?? "";
  expect(numberIn(body["error_uri"])).toBe(number);
  return number;
}

describe("what a stranger learns", () => {
  test("EV-11 unknown client and wrong secret → the same answer but for a random number of equal length", async () => {
    const wrong = await askToken({ grant_type: "client_credentials" }, { ...client, secret: "cs_wrong" });
    const unknown = await askToken({ grant_type: "client_credentials" }, { ...client, clientId: "nobody" });
    const numbers = [wrong, unknown].map(numberOf);
    for (const number of numbers) expect(number).toMatch(/^[A-Za-z0-9_-]{16}$/);
    expect(numbers[0]?.slice(0, 8)).not.toBe(numbers[1]?.slice(0, 8));
    const bare = ({ body }: TokenAnswer) => JSON.stringify(body).replace(/\?id=[\w-]{16}/, "");
    expect(bare(wrong)).toBe(bare(unknown));
  });

  test("EV-11 the page at error_uri → the same for a real, an invented and a hostile number", async () => {
    const { body } = await askToken({ grant_type: "client_credentials" }, { ...client, secret: "cs_wrong" });
    const page = async (uri: string) => (await fetch(uri)).text();
    const real = await page(String(body["error_uri"]));
    for (const id of ["", "x".repeat(16), encodeURIComponent('"><script>alert(1)</script>')]) {
      expect(await page(`${server.issuer}/errors/invalid_client?id=${id}`)).toBe(real);
    }
    expect(real).not.toContain("client_secret_wrong");
  });

  test("LG-01 secrets in a refused request → not stored", async () => {
    const canary = "hunter2hunter2";
    const answers = [
      await askToken({ grant_type: "client_credentials" }, { ...client, secret: canary }),
      await askToken({ grant_type: "authorization_code", code: canary, redirect_uri: `https://app.test/?k=${canary}` }),
      await askToken({ grant_type: "password", username: "nobody", password: canary, scope: "read" }),
      await askToken({ grant_type: canary }, { ...client, clientId: `cs_${canary}` }),
    ];
    for (const answer of answers) expect(JSON.stringify(await stored(numberOf(answer)))).not.toContain(canary);
  });
});

describe("the token endpoint", () => {
  const code = { grant_type: "authorization_code", redirect_uri: "https://app.test/cb" };
  test.each<[string, () => Promise<TokenAnswer>, string]>([
    ["no client", async () => bareToken({ grant_type: "client_credentials" }), "client_id_missing"],
    ["a wrong secret", () => askToken(code, { ...client, secret: "cs_wrong" }), "client_secret_wrong"],
    ["an unknown client", () => askToken(code, { ...client, clientId: "nobody" }), "client_unknown"],
    ["another grant type", () => askToken({ grant_type: "client_credentials" }), "grant_type_not_registered"],
    ["a grant type of nobody", () => askToken({ grant_type: "magic" }), "unsupported_grant_type"],
    ["an unknown code", () => askToken({ ...code, code: "ac_x", code_verifier: "x".repeat(43) }), "code_unknown"],
    ["no redirect_uri", () => askToken({ grant_type: "authorization_code", code: "x" }), "redirect_uri_missing"],
    [
      "an unknown refresh token",
      () => askToken({ grant_type: "refresh_token", refresh_token: "rt_x" }),
      "refresh_token_unknown",
    ],
  ])("%s → the exact condition by its number, the client, and what to do", async (_, ask, condition) => {
    const refusal = await stored(numberOf(await ask()));
    expect(refusal).toMatchObject({ condition, path: "/token", method: "POST", address: "127.0.0.1" });
    expect(refusal.explanation.length).toBeGreaterThan(40);
    expect(refusal.section).toMatch(/RFC|OpenID/);
  });

  async function bareToken(form: Readonly<Record<string, string>>): Promise<TokenAnswer> {
    const answer = await fetch(`${server.issuer}/token`, { method: "POST", body: new URLSearchParams(form) });
    return { status: answer.status, headers: answer.headers, body: await answer.json() } as TokenAnswer;
  }

  test("a code twice → replayed, with the usual cause", async () => {
    const { username } = await server.addPerson();
    const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client), username);
    await redeem(server, client, callback);
    const refusal = await stored(numberOf(await redeem(server, client, callback)));
    expect(refusal).toMatchObject({ condition: "code_replayed", told: "invalid_grant", clientId: client.clientId });
    expect(refusal.explanation).toContain("StrictMode");
  });

  test("a grant type that is not registered → the command has the client, but not the value, which a stranger may have chosen", async () => {
    const answer = await askToken({ grant_type: "client_credentials" });
    expect((await stored(numberOf(answer))).commands).toEqual([
      `assent client update ${client.clientId} --add-grant-type GRANT_TYPE`,
    ]);
  });
});

describe("the authorization endpoint", () => {
  const onPage = ({ text, headers }: Page) => {
    const number = headers.get("x-request-id") ?? "";
    expect(text).toContain(number);
    return number;
  };

  test("a redirect URI with a slash too many → what came, what is registered, and the command without the URI, which a stranger may have chosen", async () => {
    const refusal = await stored(onPage(await open({ redirect_uri: "https://app.test/cb/" })));
    expect(refusal).toMatchObject({
      ...{ condition: "redirect_uri_mismatch", clientId: client.clientId },
      ...{ received: "https://app.test/cb/", registered: ["https://app.test/cb"] },
      commands: [`assent client update ${client.clientId} --add-redirect-uri URI`],
    });
    expect(refusal.explanation).toContain("Check first that the address belongs to the app");
    expect(refusal.explanation).toContain("The request had redirect_uri: https://app.test/cb/.");
    expect(refusal.explanation).toContain("Registered: https://app.test/cb.");
  });

  test.each([
    ["a query, which could hold a secret", "https://app.test/cb?key=1"],
    ["words of a shell", "https://app.test/$(reboot)'; reboot #"],
    ["an option", "--verified"],
    ["the address of somebody else", "https://thief.test/cb"],
  ])("%s in the redirect URI → no command has it", async (_, received) => {
    const { commands } = await stored(onPage(await open({ redirect_uri: received })));
    expect(commands).toEqual([`assent client update ${client.clientId} --add-redirect-uri URI`]);
  });

  test("no redirect URI → says that it is missing, and no command registers one", async () => {
    const refusal = await stored(onPage(await open({ redirect_uri: undefined })));
    expect(refusal.explanation).toContain("The request has no redirect_uri,");
    expect(refusal.commands).toEqual([`assent client show ${client.clientId}`]);
  });

  test("a scope that a service has not → the command adds a scope of its own; an owner's app → one to ask for", async () => {
    const service = await server.addClient({ grantTypes: ["client_credentials"], scopes: [], ownScopes: ["read"] });
    const asked = await askToken({ grant_type: "client_credentials", scope: "write" }, service);
    expect((await stored(numberOf(asked))).commands).toContain(
      `assent client update ${service.clientId} --add-own-scope SCOPE`,
    );
    const { location } = await open({ scope: "nothing" });
    expect((await stored(numberIn(location?.searchParams.get("error_uri")))).commands).toContain(
      `assent client update ${client.clientId} --add-scope SCOPE`,
    );
  });

  test("another method of authentication → what came, and what is registered", async () => {
    const signs = await server.addClient({ authMethod: "private_key_jwt", grantTypes: ["client_credentials"] });
    const asked = await askToken({ grant_type: "client_credentials" }, { ...signs, secret: "cs_x" });
    expect(await stored(numberOf(asked))).toMatchObject({
      condition: "client_method_not_registered",
      detail: "the request has a secret, and the client is registered for private_key_jwt",
    });
  });

  test("the number of a request never begins with a dash, which a command would take for an option", async () => {
    const numbers = await Promise.all(
      Array.from({ length: 300 }, async () => (await fetch(`${server.issuer}/jwks`)).headers.get("x-request-id")),
    );
    expect(numbers.filter((one) => one?.startsWith("-"))).toEqual([]);
  });

  test("a client that is no ID → the command has a word in its place", async () => {
    const refusal = await stored(onPage(await open({}, { ...client, clientId: "x; reboot" })));
    expect(refusal.condition).toBe("authorization_client_unknown");
    expect(refusal.commands).toContain("assent client show CLIENT_ID");
  });

  test.each([
    ["an unknown scope", { scope: "nothing" }, "scope_not_allowed"],
    ["no scope", { scope: undefined }, "scope_missing"],
    ["prompt=none without a session", { prompt: "none" }, "login_required"],
    ["an unknown prompt", { prompt: "nobody" }, "prompt_invalid"],
  ])("%s → the number travels in error_uri, and no command has the value", async (_, parameters, condition) => {
    const { location } = await open(parameters);
    const refusal = await stored(numberIn(location?.searchParams.get("error_uri")));
    expect(refusal.commands.join()).not.toMatch(/nothing|nobody/);
    expect(refusal).toMatchObject({ condition, clientId: client.clientId });
  });

  test("the owner says no → the number says so", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, username, await agent.get(authorizeUrl(server, client)));
    const { location } = await agent.submit(consentForm(page), { decision: "deny" });
    const refusal = await stored(numberIn(location?.searchParams.get("error_uri")));
    expect(refusal).toMatchObject({ condition: "access_denied", clientId: client.clientId });
    expect(JSON.stringify(refusal)).not.toContain(username);
  });

  test("an error that waits behind a page → the number of that page", async () => {
    const unseen = await server.addClient({ reviewed: false });
    const agent = new Agent(server.issuer);
    const page = await agent.get(authorizeUrl(server, unseen, { scope: "nothing" }));
    const form = page.forms.find(({ action }) => action === "/authorize/error");
    if (form === undefined) throw new Error("no error waits");
    const { location } = await agent.submit(form);
    expect(numberIn(location?.searchParams.get("error_uri"))).toBe(onPage(page));
    expect((await stored(onPage(page))).condition).toBe("scope_not_allowed");
  });

  test("a page of a request that nobody began here → found by the number on it", async () => {
    const page = await new Agent(server.issuer).get("/consent?request=x");
    expect((await stored(onPage(page))).condition).toBe("interaction_unknown");
  });
});

test("EV-12 a flood from one network → a part is stored", async () => {
  const { length: before } = await storedOf("parameter_repeated");
  const authorization = basic(client.clientId, client.secret);
  const headers = { authorization, "content-type": "application/x-www-form-urlencoded" };
  const flood = Array.from({ length: 400 }, () =>
    fetch(`${server.issuer}/token`, { method: "POST", headers, body: "scope=a&scope=b" }).then((answer) =>
      answer.text(),
    ),
  );
  await Promise.all(flood);
  await expect.poll(async () => (await storedOf("parameter_repeated")).length).toBeGreaterThan(before);
  expect((await storedOf("parameter_repeated")).length - before).toBeLessThanOrEqual(60);
});

function storedOf(condition: string) {
  return server.assent.storage.refusals.list({ clientId: null, condition, before: null, limit: 1000 });
}

test("the commonest refusals → each has an explanation of its own", () => {
  expect(explainedConditions().length).toBeGreaterThanOrEqual(60);
});
