/** An own sign-in page, passwords that the application keeps and a company's provider on one server: each with each other. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { ExistingPeople } from "../../../packages/server/src/configured-people.ts";
import type { CompanyProvider } from "../../../packages/server/src/owners/identities/company-provider.ts";
import { addCompany, addMember, type TestCompany } from "../../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, formTo, linksOf, postForm, signIn } from "../../support/http-browser.ts";
import { anAccept, PAGE, pressOwnPage, signInAtPage, type WithPage } from "../../support/own-sign-in-page.ts";
import {
  addCompanyProvider,
  aSubject,
  ForgingProvider,
  isSignedIn,
  pressProvider,
  startServerForProviders,
  typeWorkAddress,
} from "../../support/sign-in-providers.ts";
import { PASSWORD, type TestServer } from "../../support/test-server.ts";

const CHANGE = "https://acme.test/password";

/** The application's people, by id. */
const table = new Map<string, { username: string; email: string; disabled?: boolean }>();
let asked = 0;
const people: ExistingPeople = {
  find: (login) => {
    asked += 1;
    const found = [...table].find(([, { username, email }]) => username === login || email === login);
    return found === undefined ? null : { id: found[0], emailVerified: true, ...found[1] };
  },
  verifyPassword: (_, password) => password === PASSWORD,
  claims: (id) => table.get(id) ?? null,
  passwords: "keep",
  application: { name: "Acme app", changePassword: CHANGE },
};
const externalSignIn = { url: PAGE, name: "Acme page", clients: ["acme"], emailDomains: ["acme.test"] };

let made = 0;
function aUser(domain = "acme.test") {
  made += 1;
  const id = `id-${made}`;
  const user = { username: `user${made}`, email: `user${made}@${domain}`, disabled: false };
  table.set(id, user);
  return { id, ...user };
}

let there: ForgingProvider;
beforeAll(async () => {
  there = await ForgingProvider.start();
});
afterAll(() => there.stop());
beforeEach(() => {
  asked = 0;
});

/** A company with its provider switched on. */
async function companyAt(server: TestServer, domain: string) {
  const company = await addCompany(server);
  const provider = await addCompanyProvider(server, company, there.issuer, { domains: [domain] });
  return { company, provider };
}

describe("the own page instead of the sign-in page, and the application keeps the passwords", () => {
  let at: WithPage;
  beforeAll(async () => {
    const server = await startServerForProviders({ config: { people, externalSignIn } });
    at = { server, backEnd: await server.addClient({ clientId: "acme" }) };
  });
  afterAll(() => at.server.stop());

  test("the application's password → signs in nobody, by page or password grant, and the application isn't asked", async () => {
    const { server } = at;
    const user = aUser();
    const agent = new Agent(server.issuer);
    const login = await agent.get("/login");
    expect(login.text).not.toContain('type="password"');
    const csrf = login.forms[0]?.fields.get("csrf") ?? "";
    await agent.post("/login", { csrf, username: user.username, password: PASSWORD });
    const legacy = await server.addClient({ grantTypes: ["password"], responseTypes: [] });
    const grant = { grant_type: "password", username: user.username, password: PASSWORD, scope: "read" };
    expect((await postForm(server, "/token", legacy, grant)).body.error).toBe("invalid_grant");
    expect([await isSignedIn(agent), asked]).toEqual([false, 0]);
  });

  test("the page signs the person in → consent and their pages, none of which speaks of a password", async () => {
    const { server } = at;
    const app = await server.addClient();
    const agent = new Agent(server.issuer);
    const fields = anAccept(server);
    consentForm(await signInAtPage(at, agent, await agent.get(authorizeUrl(server, app)), fields));
    const security = await agent.get("/account/security");
    expect(security.text).toContain("Acme page");
    expect(linksOf(security)).not.toContain(CHANGE);
    server.tick(11 * 60_000);
    const confirm = await agent.follow(await agent.get("/account/profile/export"));
    expect(confirm.text).not.toContain('type="password"');
    const now = { ...fields, auth_time: String(Math.floor(server.now() / 1000)) };
    expect((await signInAtPage(at, agent, await pressOwnPage(agent, confirm), now)).status).toBe(200);
    expect((await agent.get("/account/profile/export")).status).toBe(200);
  });
});

describe("the own page instead of the sign-in page, and a company has a provider", () => {
  let at: WithPage;
  let company: TestCompany;
  let provider: CompanyProvider;
  beforeAll(async () => {
    const server = await startServerForProviders({ config: { externalSignIn } });
    at = { server, backEnd: await server.addClient({ clientId: "acme" }) };
    ({ company, provider } = await companyAt(server, "corp.test"));
  });
  afterAll(() => at.server.stop());

  test("the company's address → leads to the page alone; its button, pressed all the same → not to the provider", async () => {
    const agent = new Agent(at.server.issuer);
    const page = await agent.follow(await agent.get(`/company/${company.slug}/sign-in`));
    expect(page.text).not.toContain(provider.id);
    const csrf = (await agent.get("/login")).forms[0]?.fields.get("csrf") ?? "";
    const pressed = await agent.post("/login/provider", { csrf, provider: provider.id });
    expect([pressed.status, pressed.location?.href.startsWith(there.issuer) ?? false]).toEqual([400, false]);
    await signInAtPage(at, agent, await agent.get("/login"));
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("a member who signs in at the page → acts for the company, and can't connect its provider", async () => {
    const { server } = at;
    const agent = new Agent(server.issuer);
    const fields = anAccept(server);
    await signInAtPage(at, agent, await agent.get("/login"), fields);
    const person = await server.assent.storage.people.findByName({ name: fields["preferred_username"] ?? "" });
    if (person === undefined) throw new Error("no account");
    await addMember(server, company, person);
    expect((await agent.get(`/company/${company.slug}`)).status).toBe(200);
    const security = await agent.get("/account/security");
    expect(security.text).not.toContain(provider.id);
    const csrf = security.forms.find(({ fields: own }) => own.has("csrf"))?.fields.get("csrf") ?? "";
    const forced = await agent.post("/account/security/connect/begin", { csrf, provider: provider.id });
    expect(forced.location?.searchParams.get("done")).toBe("account-closed");
  });
});

describe("the application keeps the passwords, and a company has a provider", () => {
  let server: TestServer;
  let company: TestCompany;
  let provider: CompanyProvider;
  beforeAll(async () => {
    server = await startServerForProviders({ config: { people } });
    ({ company, provider } = await companyAt(server, "corp.test"));
  });
  afterAll(() => server.stop());

  const here = async (name: string) => {
    const person = await server.assent.storage.people.findByName({ name });
    if (person === undefined) throw new Error(`no account of ${name}`);
    return person;
  };

  test("a work address without a password → the company; with one → the application", async () => {
    const user = aUser("corp.test");
    const agent = new Agent(server.issuer);
    const begun = await typeWorkAddress(agent, user.email);
    expect([begun.location?.href.startsWith(there.issuer), asked]).toEqual([true, 0]);
    await signIn(agent, user.email);
    expect([await isSignedIn(agent), asked > 0]).toEqual([true, true]);
  });

  test("the application's person has the work address → the company doesn't get the account; its person connects it", async () => {
    const user = aUser("corp.test");
    const owner = new Agent(server.issuer);
    await signIn(owner, user.username);
    const claims = { ...aSubject(), email: user.email };
    const agent = new Agent(server.issuer);
    const refused = await agent.follow(
      await agent.get(there.callback(await typeWorkAddress(agent, user.email), {}, claims)),
    );
    expect([refused.status, await isSignedIn(agent)]).toEqual([403, false]);
    await addMember(server, company, await here(user.username));
    const begun = await pressProvider(owner, await owner.get("/account/security"), provider);
    const question = await owner.follow(await owner.get(there.callback(begun, {}, claims)));
    await owner.submit(formTo(question, "/account/security/connect"));
    await agent.follow(await agent.get(there.callback(await typeWorkAddress(agent, user.email), {}, claims)));
    expect((await agent.get("/account/profile")).text).toContain(user.username);
    const security = await agent.get("/account/security");
    expect([linksOf(security).includes(CHANGE), security.text.includes(provider.name)]).toEqual([true, true]);
    // Gone in the application: the company doesn't keep the account open.
    const known = table.get(user.id);
    if (known !== undefined) known.disabled = true;
    const late = new Agent(server.issuer);
    const gone = await late.follow(await late.get(there.callback(await typeWorkAddress(late, user.email), {}, claims)));
    expect([gone.status, await isSignedIn(late)]).toEqual([403, false]);
  });

  test("a new colleague at the company → an account without a password, of which the application is never asked", async () => {
    const claims = { ...aSubject(), email: `new${made}@corp.test` };
    const agent = new Agent(server.issuer);
    await agent.follow(await agent.get(there.callback(await typeWorkAddress(agent, claims.email), {}, claims)));
    expect(await isSignedIn(agent)).toBe(true);
    expect((await agent.get(`/company/${company.slug}`)).status).toBe(200);
    expect((await here(claims.email)).passwordHash).toBeNull();
  });
});
