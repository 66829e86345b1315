/** Sign-in at oidc-provider, the certified provider for Node: its own pages, tokens and errors. */

import { randomBytes } from "node:crypto";
import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignInProvider } from "../../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../../support/http-browser.ts";
import { type OidcProvider, startOidcProvider } from "../../support/oidc-provider.ts";
import { addProvider, isSignedIn, pressProvider, startServerForProviders } from "../../support/sign-in-providers.ts";
import type { TestServer } from "../../support/test-server.ts";

let server: TestServer;
let there: OidcProvider;

beforeAll(async () => {
  [server, there] = await Promise.all([startServerForProviders(), startOidcProvider()]);
});
afterAll(() => Promise.all([server.stop(), there.stop()]));

type Method = "client_secret_basic" | "client_secret_post";

/** This server as a client there. */
async function aProvider(changes: Partial<SignInProvider> = {}, at = there, method: Method = "client_secret_basic") {
  const clientSecret = randomBytes(16).toString("hex");
  const provider = await addProvider(server, at.issuer, { clientSecret, ...changes });
  at.register({
    client_id: provider.clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: method,
    redirect_uris: [`${server.issuer}/login/provider/${provider.id}/callback`],
  });
  return provider;
}

let accounts = 0;
function anAccount(): string {
  accounts += 1;
  return `person${accounts}`;
}

/** Signs in there by the button of this page. Returns the page after it. */
async function through(provider: SignInProvider, account: string, agent = new Agent(server.issuer), from?: Page) {
  const begun = await pressProvider(agent, from ?? (await agent.get("/login")), provider);
  const callback = await there.passes(there.agent(), begun, account);
  return { agent, begun, callback, page: await agent.follow(await agent.get(callback.href)) };
}

test("UP-01 the button → its pages with PKCE, back to the app's consent, tokens that name the way", async () => {
  const provider = await aProvider();
  const app = await server.addClient({ scopes: ["openid", "read"] });
  const agent = new Agent(server.issuer);
  const asked = await agent.follow(await agent.get(authorizeUrl(server, app, { scope: "openid read" })));
  const { page, begun, callback } = await through(provider, anAccount(), agent, asked);
  expect(begun.location?.searchParams.get("code_challenge_method")).toBe("S256");
  expect(callback.searchParams.get("iss")).toBe(there.issuer);
  const answered = await agent.submit(consentForm(page), { decision: "allow" });
  const { body } = await redeem(server, app, answered.location ?? "");
  expect(decodeJwt(String(body["id_token"]))).toMatchObject({ acr: "1fa", amr: ["fed"] });
});

test.each(["client_secret_basic", "client_secret_post"] as const)("registered with %s → signed in", async (method) => {
  const { agent } = await through(await aProvider({}, there, method), anAccount());
  expect(await isSignedIn(agent)).toBe(true);
});

test("UP-12 the same account again → the same person; another one → another", async () => {
  const provider = await aProvider();
  const [one, other] = [anAccount(), anAccount()];
  await through(provider, one);
  await through(provider, one);
  await through(provider, other);
  const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 9, after: null });
  expect(links.map(({ subject }) => subject).sort()).toEqual([one, other].sort());
  expect(new Set(links.map(({ ownerId }) => ownerId)).size).toBe(2);
});

test("an address of its domain without a password → its page with the address; signed in", async () => {
  await aProvider({ emailDomains: ["work.test"], trustEmail: true });
  const agent = new Agent(server.issuer);
  const [form] = (await agent.get("/login")).forms;
  if (form === undefined) throw new Error("no sign-in form");
  const begun = await agent.submit(form, { username: "ada@work.test", password: "" });
  expect(begun.location?.searchParams.get("login_hint")).toBe("ada@work.test");
  const callback = await there.passes(there.agent(), begun, "ada@work.test");
  await agent.follow(await agent.get(callback.href));
  expect(await isSignedIn(agent)).toBe(true);
  const person = await server.assent.storage.people.findByName({ name: "ada@work.test" });
  expect(person?.emailVerifiedAt).toBeTypeOf("number");
});

test("an app wants a fresh sign-in of somebody who is signed in there → its page asks again", async () => {
  const provider = await aProvider();
  const app = await server.addClient();
  const account = anAccount();
  const [agent, atProvider] = [new Agent(server.issuer), there.agent()];
  const first = await pressProvider(agent, await agent.get("/login"), provider);
  await agent.follow(await agent.get((await there.passes(atProvider, first, account)).href));
  const confirm = await agent.follow(await agent.get(authorizeUrl(server, app, { prompt: "login" })));
  const begun = await pressProvider(agent, confirm, provider);
  expect(begun.location?.searchParams.get("prompt")).toContain("login");
  const asked = await atProvider.follow(await atProvider.get(begun.location?.href ?? ""));
  expect(asked.forms[0]?.fields.has("password")).toBe(true);
  const callback = await there.passes(atProvider, begun, account);
  consentForm(await agent.follow(await agent.get(callback.href)));
});

test("an app lets people choose an account, which it doesn't know → it asks for a sign-in instead", async () => {
  const provider = await aProvider();
  const app = await server.addClient();
  const agent = new Agent(server.issuer);
  const asked = await agent.follow(await agent.get(authorizeUrl(server, app, { prompt: "select_account" })));
  const begun = await pressProvider(agent, asked, provider);
  expect(begun.location?.searchParams.get("prompt")).toBe("select_account");
  const refused = await there.passes(there.agent(), begun, "nobody");
  expect(refused.searchParams.get("error")).toBe("invalid_request");
  const again = await agent.get(refused.href);
  expect(again.location?.searchParams.get("prompt")).toBe("login");
  const callback = await there.passes(there.agent(), again, anAccount());
  consentForm(await agent.follow(await agent.get(callback.href)));
});

test("a person connects an account there → the question, although it knows no choice of accounts", async () => {
  const provider = await aProvider();
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const begun = await pressProvider(agent, await agent.get("/account/security"), provider);
  const again = await agent.get((await there.passes(there.agent(), begun, "nobody")).href);
  const callback = await there.passes(there.agent(), again, anAccount());
  const question = await agent.follow(await agent.get(callback.href));
  expect(question.text).toContain("Connect this account?");
});

describe("refused there", () => {
  test("the person cancels → the sign-in page says so, nobody is signed in", async () => {
    const provider = await aProvider();
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    const atProvider = there.agent();
    const page = await atProvider.follow(await atProvider.get(begun.location?.href ?? ""));
    const abort = /href="([^"]*\/abort)"/.exec(page.text)?.[1] ?? "";
    const back = await atProvider.follow(await atProvider.get(abort));
    expect(back.location?.searchParams.get("error")).toBe("access_denied");
    const shown = await agent.follow(await agent.get(back.location?.href ?? ""));
    expect(shown.forms.some(({ fields }) => fields.has("password"))).toBe(true);
    expect(await isSignedIn(agent)).toBe(false);
  });
});

test("it is away → 503 that keeps the app's request, a password works meanwhile", async () => {
  const other = await startOidcProvider();
  const provider = await aProvider({}, other);
  await other.stop();
  const app = await server.addClient();
  const agent = new Agent(server.issuer);
  const asked = await agent.follow(await agent.get(authorizeUrl(server, app)));
  const page = await pressProvider(agent, asked, provider);
  expect([page.status, page.text]).toEqual([503, expect.stringContaining("isn’t answering at the moment")]);
  const { username } = await server.addPerson();
  consentForm(await signIn(agent, username, page));
});
