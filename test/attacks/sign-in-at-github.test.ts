/** GitHub: OAuth without ID tokens. Its API says who somebody is, and which of their addresses is theirs. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { ForgingGitHub, type GitHubAccount } from "../support/forging-github.ts";
import { Agent, authorizeUrl, consentForm, redeem } from "../support/http-browser.ts";
import { addProvider, isSignedIn, pressProvider, startServerForProviders } from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let github: ForgingGitHub;
let provider: SignInProvider;
beforeAll(async () => {
  [server, github] = await Promise.all([startServerForProviders(), ForgingGitHub.start()]);
  provider = await addProvider(server, github.issuer, github.settings());
});
afterAll(() => Promise.all([server.stop(), github.stop()]));

let accounts = 7_000_000;
function anAccount(changes: Readonly<Record<string, unknown>> = {}, emails?: unknown): GitHubAccount {
  accounts += 1;
  const user = { id: accounts, login: `octo${accounts}`, name: "Mona Lisa", email: null, ...changes };
  return { user, emails: emails ?? [{ email: `octo${accounts}@example.com`, primary: true, verified: true }] };
}

async function enters(account: GitHubAccount, at = provider) {
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), at);
  const page = await agent.get(github.callback(begun, account));
  return { agent, begun, page, signedIn: await isSignedIn(agent) };
}
const linkOf = async (id: unknown, at = provider) =>
  (await server.assent.storage.subjectLinks.list({ issuerId: at.id, limit: 999, after: null })).find(
    ({ subject }) => subject === String(id),
  );
const idOf = ({ user }: GitHubAccount) => (user as { id: number }).id;

test("UP-01 the button → GitHub with PKCE, back to the consent, tokens that name the way; the number is the subject", async () => {
  const app = await server.addClient({ scopes: ["openid", "read"] });
  const agent = new Agent(server.issuer);
  const account = anAccount();
  const asked = await agent.follow(await agent.get(authorizeUrl(server, app, { scope: "openid read" })));
  const begun = await pressProvider(agent, asked, provider);
  const parameters = Object.fromEntries(begun.location?.searchParams ?? []);
  expect(parameters).toMatchObject({ code_challenge_method: "S256", scope: "read:user user:email" });
  expect(parameters).not.toHaveProperty("nonce");
  const consent = await agent.follow(await agent.get(github.callback(begun, account)));
  const answered = await agent.submit(consentForm(consent), { decision: "allow" });
  const { body } = await redeem(server, app, answered.location ?? new URL(server.issuer));
  const [, payload = ""] = String(body["id_token"]).split(".");
  expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toMatchObject({ acr: "1fa", amr: ["fed"] });
  expect(await linkOf(idOf(account))).toBeDefined();
});

describe("UP-12 who somebody is", () => {
  test("the same number with another login and address → the same person; the login of somebody else → another", async () => {
    const first = anAccount({ login: "renamed-later" });
    await enters(first);
    const person = (await linkOf(idOf(first)))?.ownerId;
    await enters({ ...first, user: { ...(first.user as object), login: "a-new-login", email: "new@example.com" } });
    expect((await linkOf(idOf(first)))?.ownerId).toBe(person);
    const other = anAccount({ login: "renamed-later" });
    await enters(other);
    expect((await linkOf(idOf(other)))?.ownerId).not.toBe(person);
  });

  test.each([
    ["no id", { id: undefined }],
    ["an id of null", { id: null }],
    ["an id that JavaScript rounds", { id: 2 ** 53 }],
    ["a fraction", { id: 7.5 }],
    ["zero", { id: 0 }],
    ["an object", { id: { toString: "7" } }],
    ["a list", { id: [7] }],
    ["an empty text", { id: "" }],
  ])("%s → 400, nobody is signed in", async (_, changes) => {
    const { page, signedIn } = await enters(anAccount(changes));
    expect([page.status, signedIn]).toEqual([400, false]);
  });

  test.each([
    ["a list", []],
    ["null", null],
    ["a text", "octocat"],
  ])("the API answers with %s → 400", async (_, user) => {
    expect((await enters({ user })).page.status).toBe(400);
  });

  test("the API refuses the token → 400; claims of an ID token in the API's answer → believed in nothing", async () => {
    expect((await enters({ ...anAccount(), status: 403 })).page.status).toBe(400);
    const at = await addProvider(server, github.issuer, { ...github.settings(), mfaAcr: ["mfa"], mfaAmr: ["mfa"] });
    const app = await server.addClient({ scopes: ["openid"] });
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app, { scope: "openid", prompt: "login" });
    const begun = await pressProvider(agent, await agent.follow(await agent.get(url)), at);
    const account = anAccount({ auth_time: Math.floor(Date.now() / 1000), acr: "mfa", amr: ["mfa"] });
    const page = await agent.get(github.callback(begun, account));
    expect([page.status, await isSignedIn(agent)]).toEqual([403, false]);
  });
});

describe("UP-17 which address is theirs", () => {
  const personOf = async (account: GitHubAccount, at: SignInProvider) => {
    const link = await linkOf(idOf(account), at);
    return link && server.assent.storage.people.get({ partition: link.partition, personId: link.ownerId });
  };

  test("limited to a domain: the primary verified address counts; unverified, secondary or public ones don't", async () => {
    const at = await addProvider(server, github.issuer, { ...github.settings(), emailDomains: ["corp.test"] });
    const address = (changes: object) => ({ email: "a@corp.test", primary: true, verified: true, ...changes });
    for (const emails of [
      [],
      {},
      null,
      [address({ verified: false })],
      [address({ verified: "true" })],
      [address({ primary: false })],
      [address({ email: "a@evil.test" }), address({ primary: false })],
      [address({ email: ["a@corp.test"] })],
      [null, "a@corp.test", address({ primary: "yes" })],
    ]) {
      const { page, signedIn } = await enters(anAccount({ email: "a@corp.test", email_verified: true }, emails), at);
      expect([[400, 403].includes(page.status), signedIn], JSON.stringify(emails)).toEqual([true, false]);
    }
    expect((await enters(anAccount({}, [address({})]), at)).signedIn).toBe(true);
  });

  test("a person of the same address here → not found by it, as GitHub doesn't manage it", async () => {
    const here = await server.addPerson({ email: "mine@corp.test", emailVerifiedAt: 1 });
    const account = anAccount({}, [{ email: "mine@corp.test", primary: true, verified: true }]);
    await enters(account);
    const person = await personOf(account, provider);
    expect(person?.personId).not.toBe(here.personId);
    expect(person).toMatchObject({ name: "Mona Lisa", emailVerifiedAt: null, operator: [] });
  });
});

describe("UP-20 a code of somebody else, or a second time", () => {
  test("mallory's code in alice's callback → 400: the code belongs to another challenge", async () => {
    const [mallory, alice] = [new Agent(server.issuer), new Agent(server.issuer)];
    const begunThere = await pressProvider(mallory, await mallory.get("/login"), provider);
    const begunHere = await pressProvider(alice, await alice.get("/login"), provider);
    const stolen = new URL(github.callback(begunThere, anAccount())).searchParams.get("code") ?? "";
    const url = new URL(github.callback(begunHere, anAccount()));
    url.searchParams.set("code", stolen);
    expect([(await alice.get(url.href)).status, await isSignedIn(alice)]).toEqual([400, false]);
  });

  test("the callback twice → the code is sent once; without a state → not at all", async () => {
    const agent = new Agent(server.issuer);
    const begun = await pressProvider(agent, await agent.get("/login"), provider);
    const callback = github.callback(begun, anAccount());
    const before = github.codes.length;
    expect((await new Agent(server.issuer).get(callback.replace(/&state=.*/, ""))).status).toBe(400);
    await agent.get(callback);
    await agent.get(callback);
    expect(github.codes.length).toBe(before + 1);
  });
});

test("“Switch account” → GitHub is asked to let the person choose, with the hint by its own name", async () => {
  const agent = new Agent(server.issuer);
  const app = await server.addClient();
  const url = authorizeUrl(server, app, { prompt: "select_account", login_hint: "octocat" });
  const begun = await pressProvider(agent, await agent.follow(await agent.get(url)), provider);
  expect(Object.fromEntries(begun.location?.searchParams ?? [])).toMatchObject({
    ...{ prompt: "select_account", login: "octocat" },
  });
});

test("GitHub's back-channel logout, which doesn't exist → 400", async () => {
  const response = await fetch(`${server.issuer}/login/provider/${provider.id}/backchannel-logout`, {
    method: "POST",
    body: new URLSearchParams({ logout_token: "eyJhbGciOiJub25lIn0.e30." }),
  });
  expect(response.status).toBe(400);
});
