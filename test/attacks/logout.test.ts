/** Sign-out for apps: forged hints, wrong addresses, requests of other sites (OpenID Connect RP-Initiated Logout §§2, 6). */

import { decodeJwt, SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  postForm,
  redeem,
  signIn,
} from "../support/http-browser.ts";
import { aLogoutReceiver } from "../support/logout-receiver.ts";
import { withAssertion } from "../support/signing-clients.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const BYE = "https://app.test/bye";

let server: TestServer;
let app: TestClient;

beforeAll(async () => {
  server = await startServer();
  app = await server.addClient({
    scopes: ["openid", "read"],
    postLogoutRedirectUris: [BYE, `${BYE}?from=assent`],
  });
});
afterAll(() => server.stop());

async function signedIn() {
  const agent = new Agent(server.issuer);
  const person = await server.addPerson();
  const callback = await authorize(agent, authorizeUrl(server, app, { scope: "openid read" }), person.username);
  const { body } = await redeem(server, app, callback);
  return { agent, person, idToken: String(body["id_token"]), access: body.access_token ?? "" };
}

const logoutUrl = (fields: Record<string, string>) => `/logout?${new URLSearchParams(fields)}`;
const isSignedIn = async (agent: Agent) => (await agent.get("/account/apps")).status === 200;
const asks = (page: Page) => page.forms.some(({ action }) => action === "/logout/confirm");

function confirmForm(page: Page) {
  const form = page.forms.find(({ action }) => action === "/logout/confirm");
  if (form === undefined) throw new Error(`no question: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

describe("post_logout_redirect_uri", () => {
  test.each([
    `${BYE}/`,
    `${BYE}?x=1`,
    "https://app.test/BYE",
    "https://evil.test/bye",
    "https://app.test@evil.test/bye",
    String.raw`https:/\evil.test`,
    `${BYE}#f`,
    "https://app.test:8443/bye",
    "http://app.test/bye",
    "//app.test/bye",
    "https://app.test/cb",
  ])("LO-01 %s with a genuine hint → signed out, a page of ours, no redirect", async (uri) => {
    const { agent, idToken } = await signedIn();
    const page = await agent.get(logoutUrl({ id_token_hint: idToken, post_logout_redirect_uri: uri, state: "s" }));
    expect([page.status, page.location]).toEqual([200, undefined]);
    expect(page.text).not.toContain("evil.test");
    expect(await isSignedIn(agent)).toBe(false);
  });

  test("LO-01 that of another client, also after a yes → no redirect", async () => {
    const other = await server.addClient({ scopes: ["openid"], postLogoutRedirectUris: ["https://other.test/bye"] });
    const fields = { post_logout_redirect_uri: "https://other.test/bye" };
    const { agent, idToken } = await signedIn();
    const question = await agent.get(logoutUrl({ ...fields, id_token_hint: idToken, client_id: other.clientId }));
    expect(asks(question)).toBe(true);
    expect(question.text).not.toContain("other.test");
    const page = await agent.submit(confirmForm(question), { ...fields, client_id: app.clientId });
    expect([page.status, page.location]).toEqual([200, undefined]);
  });

  test("LO-08 state with every kind of character → appended as it was, to a URI with a query", async () => {
    const state = "a b+c%20&d=e#f/é\u{1f600}\"<'\\?";
    const { agent, idToken } = await signedIn();
    const fields = { id_token_hint: idToken, post_logout_redirect_uri: `${BYE}?from=assent`, state };
    const { location } = await agent.get(logoutUrl(fields));
    expect(location?.href.startsWith(`${BYE}?from=assent&state=`)).toBe(true);
    expect(location?.searchParams.get("state")).toBe(state);
  });

  test.each(["state", "id_token_hint", "post_logout_redirect_uri", "client_id"])(
    "LO-08 %s twice → a page with status 400, and nobody is signed out",
    async (name) => {
      const { agent, idToken } = await signedIn();
      const fields = { id_token_hint: idToken, post_logout_redirect_uri: BYE, state: "s", client_id: app.clientId };
      const page = await agent.get(`${logoutUrl(fields)}&${name}=twice`);
      expect([page.status, page.location]).toEqual([400, undefined]);
      expect(await isSignedIn(agent)).toBe(true);
    },
  );
});

describe("the hint", () => {
  test("LO-05 of another person → not signed out without a yes, and nothing says who is signed in", async () => {
    const other = await signedIn();
    const { agent, person } = await signedIn();
    const url = logoutUrl({ id_token_hint: other.idToken, post_logout_redirect_uri: BYE });
    const question = await agent.get(url);
    expect([question.status, asks(question)]).toEqual([200, true]);
    for (const { username, email, personId } of [person, other.person])
      for (const fact of [username, email, personId]) expect(question.text).not.toContain(fact);
    expect(await isSignedIn(agent)).toBe(true);
    const done = await agent.submit(confirmForm(question), { sign_out: "sign_out" });
    expect(done.location?.href).toBe(BYE);
    expect(await isSignedIn(agent)).toBe(false);
    expect(await isSignedIn(other.agent)).toBe(true);
  });

  test("LO-06 an access token, unsigned, HS256, another issuer's, altered, or too long → none: the person is asked", async () => {
    const { agent, idToken, access } = await signedIn();
    const [header = "", payload = "", signature = ""] = idToken.split(".");
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    const claims = decodeJwt(idToken);
    const elsewhere = await startServer();
    const foreign = await elsewhere.addClient({ clientId: app.clientId, scopes: ["openid"] });
    const there = await elsewhere.addPerson();
    const callback = await authorize(
      new Agent(elsewhere.issuer),
      authorizeUrl(elsewhere, foreign, { scope: "openid" }),
      there.username,
    );
    const { body } = await redeem(elsewhere, foreign, callback);
    await elsewhere.stop();
    const forged = [
      access,
      `${encoded({ alg: "none", typ: "JWT" })}.${payload}.`,
      await new SignJWT(claims)
        .setProtectedHeader({ alg: "HS256", typ: "JWT" })
        .sign(Buffer.from(app.secret.padEnd(32))),
      `${header}.${encoded({ ...claims, exp: 9_999_999_999 })}.${signature}`,
      String(body["id_token"]),
      "x",
      `${idToken}.x`,
      `${idToken}${"A".repeat(8192 - idToken.length)}`,
      "A".repeat(9000),
    ];
    for (const hint of forged) {
      const page = await agent.get(logoutUrl({ id_token_hint: hint, post_logout_redirect_uri: BYE }));
      expect([page.status, asks(page)]).toEqual([200, true]);
    }
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("LO-06 one megabyte → refused, and nobody is signed out", async () => {
    const { agent } = await signedIn();
    const page = await agent.post("/logout", { id_token_hint: "A".repeat(1_048_576) }).catch(() => undefined);
    expect([413, undefined]).toContain(page?.status);
    expect(await isSignedIn(agent)).toBe(true);
  });
});

describe("requests that no person made", () => {
  test("LO-07 an image, a frame, a script or a prefetch, even with the person's own hint → the session lives", async () => {
    const { agent, idToken } = await signedIn();
    const url = logoutUrl({ id_token_hint: idToken, post_logout_redirect_uri: BYE });
    for (const dest of ["image", "iframe", "empty", "script"])
      expect(asks(await agent.get(url, { "sec-fetch-dest": dest, "sec-fetch-site": "same-site" }))).toBe(true);
    expect(asks(await agent.get(url, { "sec-fetch-dest": "document", "sec-purpose": "prefetch" }))).toBe(true);
    expect((await agent.request("HEAD", url)).status).toBe(200);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("LO-07 a link or form of another site, without a hint or with another person's expired one → the session lives", async () => {
    const other = await signedIn();
    const { agent } = await signedIn();
    server.tick(2 * 3_600_000);
    const headers = { "sec-fetch-site": "cross-site", "sec-fetch-dest": "document", origin: "https://evil.test" };
    for (const fields of [{}, { id_token_hint: other.idToken }, { client_id: app.clientId }]) {
      expect(asks(await agent.get(logoutUrl(fields), headers))).toBe(true);
      expect(asks(await agent.follow(await agent.post("/logout", fields, headers)))).toBe(true);
    }
    const confirmed = await agent.post("/logout/confirm", { sign_out: "sign_out" }, headers);
    expect(confirmed.status).toBe(403);
    expect((await agent.post("/logout/confirm", { sign_out: "sign_out" })).status).toBe(403);
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("LO-20 a question of an earlier session → 403, and the later session lives; when nobody is signed in → a page", async () => {
    const { agent } = await signedIn();
    const fields = { client_id: app.clientId, post_logout_redirect_uri: BYE };
    const form = confirmForm(await agent.get(logoutUrl(fields)));
    await agent.submit(confirmForm(await agent.get("/logout")), { sign_out: "sign_out" });
    const late = await agent.submit(form, { sign_out: "sign_out" });
    expect([late.status, late.location]).toEqual([200, undefined]);
    await signIn(agent, (await server.addPerson()).username);
    expect((await agent.submit(form, { sign_out: "sign_out" })).status).toBe(403);
    expect(await isSignedIn(agent)).toBe(true);
  });
});

test.each([
  [
    "the client was deleted",
    (client: TestClient) => server.assent.storage.clients.delete({ ...client, now: server.now() }),
  ],
  [
    "its URI was removed",
    async ({ clientId }: TestClient) => {
      const found = await server.assent.storage.clients.get({ clientId });
      if (found === undefined) throw new Error("no client");
      const client = { ...found.record, postLogoutRedirectUris: [] };
      await server.assent.storage.clients.put({ client, expect: found.version });
    },
  ],
])("LO-20 %s while the question was open → signed out, a page of ours, no redirect", async (_, change) => {
  const client = await server.addClient({ scopes: ["openid"], postLogoutRedirectUris: [BYE] });
  const { agent } = await signedIn();
  const fields = { client_id: client.clientId, post_logout_redirect_uri: BYE };
  const form = confirmForm(await agent.get(logoutUrl(fields)));
  await change(client);
  // The caches compare versions with the database at most every 500 ms.
  await settle();
  const page = await agent.submit(form, { sign_out: "sign_out" });
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(await isSignedIn(agent)).toBe(false);
});

test("LO-22 the consent page of before, and the old cookie, after sign-out → the sign-in page, no code", async () => {
  const { agent, idToken } = await signedIn();
  const cookie = agent.cookies.get("assent_session") ?? "";
  const consent = await agent.get(authorizeUrl(server, app, { scope: "openid read", prompt: "consent" }));
  const form = consentForm(consent);
  await agent.get(logoutUrl({ id_token_hint: idToken }));
  const late = await agent.submit(form, { decision: "allow" });
  expect(late.location?.searchParams.get("code") ?? null).toBeNull();
  expect((await agent.follow(late)).text).toContain('name="password"');
  agent.cookies.set("assent_session", cookie);
  expect(await isSignedIn(agent)).toBe(false);
});

test("LO-21 markup in every parameter → text or nothing", async () => {
  const { agent } = await signedIn();
  const markup = `"><script>alert(1)</script><img src=x onerror=alert(1)>'`;
  const names = ["id_token_hint", "client_id", "logout_hint", "post_logout_redirect_uri", "state", "ui_locales"];
  const fields = Object.fromEntries(names.map((name) => [name, markup]));
  const pages = [
    await agent.get(logoutUrl(fields)),
    await agent.get(logoutUrl({ ...fields, client_id: app.clientId, post_logout_redirect_uri: BYE })),
    await new Agent(server.issuer).get(logoutUrl(fields)),
  ];
  for (const page of pages) {
    expect(page.status).toBe(200);
    expect(page.text).not.toMatch(/<script>|<img src=x/);
  }
});

test("LO-10 a logout token as id_token_hint, access token or client assertion → refused", async () => {
  const receiver = await aLogoutReceiver();
  const local = await startServer({ fetchFromLoopback: true });
  const told = await local.addClient({ scopes: ["openid"], backchannelLogoutUri: receiver.uri });
  const agent = new Agent(local.issuer);
  const { username } = await local.addPerson();
  await redeem(local, told, await authorize(agent, authorizeUrl(local, told, { scope: "openid" }), username));
  await agent.submit(confirmForm(await agent.get("/logout")), { sign_out: "sign_out" });
  const [token = ""] = await receiver.until(1);
  await signIn(agent, username);
  expect(asks(await agent.get(logoutUrl({ id_token_hint: token })))).toBe(true);
  expect(await isSignedIn(agent)).toBe(true);
  const used = await fetch(`${local.issuer}/userinfo`, { headers: { authorization: `Bearer ${token}` } });
  expect(used.status).toBe(401);
  const asserted = await withAssertion(local, token, { client_id: told.clientId });
  expect([asserted.status, asserted.body.error]).toEqual([401, "invalid_client"]);
  const bearer = await postForm(local, "/token", told, {
    grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer",
    assertion: token,
  });
  expect(bearer.status).toBe(400);
  receiver.stop();
  await local.stop();
});
