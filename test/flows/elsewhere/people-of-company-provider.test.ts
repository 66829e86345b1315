/** People who sign in at a company's own provider, which is another Assent: what they can do, and how it ends. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CompanyProvider } from "../../../packages/server/src/owners/identities/company-provider.ts";
import type { Person } from "../../../packages/server/src/owners/person.ts";
import { AUTHENTICATOR, appOf, formWith } from "../../support/authenticator-app.ts";
import { addCompany, claimsOf, decide, type TestCompany } from "../../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, formTo, type Page, redeem, signIn } from "../../support/http-browser.ts";
import { aLogoutReceiver, type LogoutReceiver } from "../../support/logout-receiver.ts";
import {
  addCompanyProvider,
  isSignedIn,
  pressProvider,
  startServerForProviders,
  typeWorkAddress,
} from "../../support/sign-in-providers.ts";
import type { TestClient, TestServer } from "../../support/test-server.ts";

const DOMAIN = "acme.test";
let there: TestServer;
let here: TestServer;
let company: TestCompany;
let provider: CompanyProvider;
let directory: TestClient;
let receiver: LogoutReceiver;

beforeAll(async () => {
  [there, here, receiver] = await Promise.all([
    startServerForProviders(),
    startServerForProviders({ config: { companies: "anyone" } }),
    aLogoutReceiver(),
  ]);
  [company, directory] = await Promise.all([addCompany(here), here.addClient()]);
  const id = "company-provider-0000000";
  const at = `${here.issuer}/login/provider/${id}`;
  const { clientId, secret: clientSecret } = await there.addClient({
    redirectUris: [`${at}/callback`],
    scopes: ["openid", "profile", "email"],
    backchannelLogoutUri: `${at}/backchannel-logout`,
  });
  const told = { whenDisabled: "pause", changeClients: [directory.clientId] } as const;
  const settings = { id, clientId, clientSecret, domains: [DOMAIN], ...told };
  provider = await addCompanyProvider(here, company, there.issuer, settings);
});
afterAll(() => Promise.all([there.stop(), here.stop(), receiver.stop()]));

let people = 0;
/** Somebody whom the company's system knows. */
function colleague(): Promise<Person> {
  people += 1;
  return there.addPerson({ email: `colleague${people}@${DOMAIN}`, emailVerifiedAt: 1 });
}

/** Signs in there, and comes back. Returns the page here where it ends. */
async function through(agent: Agent, begun: Page, person: Person, atThere = new Agent(there.issuer)): Promise<Page> {
  let asked = await atThere.follow(await atThere.get(begun.location?.href ?? ""));
  if (asked.forms.some(({ fields }) => fields.has("password"))) asked = await signIn(atThere, person.username, asked);
  if (asked.location === undefined) asked = await atThere.submit(consentForm(asked), { decision: "allow" });
  return agent.follow(await agent.get(asked.location?.href ?? ""));
}

/** A colleague who has signed in here, with the app's request or what else waits at that address. */
async function arrived(from?: string) {
  const person = await colleague();
  const [agent, atThere] = [new Agent(here.issuer), new Agent(there.issuer)];
  const shown = from === undefined ? undefined : await agent.follow(await agent.get(from));
  const begun = await typeWorkAddress(agent, person.email, shown);
  const page = await through(agent, begun, person, atThere);
  const local = await here.assent.storage.people.findByName({ name: person.email });
  if (local === undefined) throw new Error(`no account: ${page.status} ${page.text.slice(0, 300)}`);
  return { person, local, agent, atThere, page };
}

async function signOut(agent: Agent): Promise<void> {
  const [form] = (await agent.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  await agent.submit(form, { sign_out: "sign_out" });
}

/** A member with an account from before, who connects the company's provider. */
async function connected() {
  const [person, { member }] = [await colleague(), company];
  const local = await here.addPerson();
  const { partition, companyId } = company;
  await here.assent.storage.members.add({
    ...{ partition, companyId, person: local, role: "member", addedBy: "operator", link: member.personId },
    now: here.now(),
  });
  const agent = new Agent(here.issuer);
  await signIn(agent, local.username);
  const begun = await pressProvider(agent, await agent.get("/account/security"), provider);
  const question = await through(agent, begun, person);
  await agent.follow(await agent.submit(formTo(question, "/account/security/connect")));
  return { person, local, agent };
}

describe("what they can do", () => {
  test("consent in their own name and in the company's → tokens that say where they signed in", async () => {
    const app = await here.addClient({ scopes: ["openid", "read"] });
    await decide(here, company, app, { scopes: ["openid", "read"] });
    const url = () => authorizeUrl(here, app, { scope: "openid read", prompt: "consent" });
    const { agent, local, page } = await arrived(url());
    const tokens = async (asked: Page, owner: string) => {
      const answer = await agent.submit(consentForm(asked), { decision: "allow", owner });
      // The page showed what they gave for themselves, so it comes again for the company.
      const callback =
        answer.location === undefined ? await agent.submit(consentForm(answer), { decision: "allow", owner }) : answer;
      return (await redeem(here, app, callback.location ?? "")).body;
    };
    const own = await tokens(page, local.personId);
    expect(decodeJwt(String(own.id_token))).toMatchObject({ sub: local.personId, amr: ["fed"], acr: "1fa" });
    const theirs = await tokens(await agent.follow(await agent.get(url())), company.companyId);
    expect(claimsOf(theirs.access_token)).toMatchObject({ sub: company.companyId });
  });

  test("step-up → an authenticator app here, because the provider's second factor doesn't count", async () => {
    await here.addScope({ name: "pay", description: "Pay", resource: "https://api.test", acr: "mfa" });
    const app = await here.addClient({ scopes: ["pay"] });
    const { agent, page } = await arrived(authorizeUrl(here, app, { scope: "pay" }));
    expect(page.text).toContain(AUTHENTICATOR);
    const setUp = await agent.get(AUTHENTICATOR);
    await agent.submit(formWith(setUp, "code"), { code: appOf(setUp, here).code() });
    const consent = await agent.follow(await agent.get(authorizeUrl(here, app, { scope: "pay" })));
    const callback = await agent.submit(consentForm(consent), { decision: "allow" });
    const { access_token } = (await redeem(here, app, callback.location ?? "")).body;
    expect(claimsOf(access_token)).toMatchObject({ acr: "mfa" });
  });

  test("eleven minutes later, they confirm who they are → at the company's provider, without a password", async () => {
    const { agent, person, atThere } = await arrived();
    here.tick(11 * 60_000);
    there.tick(11 * 60_000);
    const confirm = await agent.follow(await agent.get("/account/profile/export"));
    expect(confirm.text).not.toContain('type="password"');
    const begun = await pressProvider(agent, confirm, provider);
    expect(begun.location?.searchParams.get("prompt")).toBe("login");
    await through(agent, begun, person, atThere);
    expect((await agent.get("/account/profile/export")).status).toBe(200);
  });
});

describe("an invitation of the company", () => {
  async function invitation(addressee: string): Promise<string> {
    const agent = new Agent(here.issuer);
    await signIn(agent, company.admin.username);
    const members = await agent.get(`/company/${company.slug}/members`);
    const invited = await agent.submit(formTo(members, "/members/invite"), { addressee, role: "admin" });
    const link = /\/invitation\?token=[\w.-]+/.exec(invited.text)?.[0];
    if (link === undefined) throw new Error(`no invitation: ${invited.status}`);
    return link;
  }

  test("somebody new → the button of the company's provider; signed in there, they accept it and are an admin", async () => {
    const person = await colleague();
    const link = await invitation(person.email);
    const agent = new Agent(here.issuer);
    const page = await agent.follow(await agent.get(link));
    expect(page.text).toContain(provider.name);
    const back = await through(agent, await pressProvider(agent, page, provider), person);
    const joined = await agent.follow(await agent.submit(formTo(back, "/invitation")));
    expect(joined.status).toBe(200);
    expect((await agent.get(`/company/${company.slug}/members`)).status).toBe(200);
  });

  test("of another company → no such button", async () => {
    const other = await addCompany(here);
    const agent = new Agent(here.issuer);
    await signIn(agent, other.admin.username);
    const members = await agent.get(`/company/${other.slug}/members`);
    const fields = { addressee: `new@${DOMAIN}`, role: "member" };
    const invited = await agent.submit(formTo(members, "/members/invite"), fields);
    const link = /\/invitation\?token=[\w.-]+/.exec(invited.text)?.[0] ?? "";
    const stranger = new Agent(here.issuer);
    expect((await stranger.follow(await stranger.get(link))).text).not.toContain(provider.id);
  });
});

describe("members who sign in there", () => {
  async function asAdmin(): Promise<Agent> {
    const admin = new Agent(here.issuer);
    await signIn(admin, company.admin.username);
    return admin;
  }
  const removalOf = ({ personId }: Person) => `/company/${company.slug}/members/remove?person_id=${personId}`;
  const isMember = async ({ personId }: Person) => {
    const { partition, companyId } = company;
    const asked = { partition, companyId, personId, clientId: null };
    return (await here.assent.storage.members.findActing(asked)) !== undefined;
  };

  test("removed by an admin → the pages say that the next sign-in there makes them a member again, and it does", async () => {
    const { local, person } = await arrived();
    const admin = await asAdmin();
    const question = await admin.get(removalOf(local));
    expect(question.text).toContain("At the next sign-in there, they become a member again.");
    const after = await admin.follow(await admin.submit(formTo(question, "/members/remove")));
    expect(after.text).toContain("becomes a member again at the next sign-in in the company’s own system");
    expect(await isMember(local)).toBe(false);
    const again = new Agent(here.issuer);
    await through(again, await typeWorkAddress(again, person.email), person);
    expect(await isMember(local)).toBe(true);
  });

  test("who only connected an account: removed → nothing is said, and the next sign-in there is refused", async () => {
    const { local, person } = await connected();
    const admin = await asAdmin();
    const question = await admin.get(removalOf(local));
    expect(question.text).not.toContain("they become a member again");
    const after = await admin.follow(await admin.submit(formTo(question, "/members/remove")));
    expect(after.text).toContain("The member was removed. Apps can’t renew");
    const again = new Agent(here.issuer);
    const refused = await through(again, await typeWorkAddress(again, person.email), person);
    expect([refused.status, await isMember(local)]).toEqual([403, false]);
  });

  test("they leave → the page says that the next sign-in brings them back; others need an invitation", async () => {
    const { agent } = await arrived();
    const leaves = await agent.get(`/company/${company.slug}/leave`);
    expect(leaves.text).toContain(
      'At your next sign-in with <bdi class="name">Acme ID</bdi>, you become a member again.',
    );
    expect(leaves.text).not.toContain("You need a new invitation");
    const own = await connected();
    expect((await own.agent.get(`/company/${company.slug}/leave`)).text).toContain("You need a new invitation");
  });

  test("the company's address, signed in: a member → the company; with another account → who that is, and the way on", async () => {
    const { agent } = await arrived();
    const place = `/company/${company.slug}/sign-in`;
    expect((await agent.get(place)).location?.pathname).toBe(`/company/${company.slug}`);
    const [person, outsider] = [await colleague(), await here.addPerson()];
    const other = new Agent(here.issuer);
    await signIn(other, outsider.username);
    const shown = await other.get(place);
    expect(shown.status).toBe(200);
    expect(shown.text).toContain("The account that you use now doesn’t belong to");
    expect(shown.text).toContain(
      `(<bdi class="name">${outsider.username}</bdi>) until you sign in with another account.`,
    );
    const begun = await pressProvider(other, shown, provider);
    expect(begun.location?.searchParams.get("prompt")).toBe("select_account");
    await through(other, begun, person);
    expect((await other.get(`/company/${company.slug}`)).status).toBe(200);
    // The address still doesn't tell more to somebody who is signed in than to others.
    const none = await addCompany(here);
    const visitor = new Agent(here.issuer);
    await signIn(visitor, outsider.username);
    for (const agentOf of [visitor, new Agent(here.issuer)])
      expect((await agentOf.get(`/company/${none.slug}/sign-in`)).status).toBe(404);
  });

  test("groups there decide roles → the page of the members says it at each of them, and at nobody else", async () => {
    const said = /At each sign-in with <bdi class="name">Acme ID<\/bdi>, the groups there decide this role/g;
    const decided = await addCompany(here);
    const roles = { claim: "groups", admin: ["it"], member: [], others: "member" } as const;
    const its = await addCompanyProvider(here, decided, there.issuer, { domains: [], roles });
    const subject = { issuerId: its.id, claim: there.issuer, subject: "somebody" };
    const { partition, personId } = decided.member;
    await here.assent.storage.subjectLinks.link({
      ...{ partition, personId, subject, sole: true, madeBy: "person", now: here.now() },
    });
    const admin = new Agent(here.issuer);
    await signIn(admin, decided.admin.username);
    const members = await admin.get(`/company/${decided.slug}/members`);
    expect(members.text.match(said)).toHaveLength(1);
    expect((await (await asAdmin()).get(`/company/${company.slug}/members`)).text).not.toMatch(said);
  });
});

test("whoever is connected founds a company → refused with the reason; after disconnecting → founded", async () => {
  const { agent } = await connected();
  const found = async (slug: string) => {
    const form = formTo(await agent.get("/account/companies/new"), "/companies/new");
    return agent.follow(await agent.submit(form, { name: "Side Business", slug }));
  };
  const refused = await found("side-1");
  expect(refused.text).toContain("another company can sign in as you");
  expect(await here.assent.storage.companies.find({ slug: "side-1" })).toBeUndefined();
  const link = /\/account\/security\/identities\/remove\?id=[^"]+/.exec(refused.text)?.[0] ?? "";
  await agent.submit(formTo(await agent.get(link), "/identities/remove"));
  await found("side-1");
  expect(await here.assent.storage.companies.find({ slug: "side-1" })).toBeDefined();
});

describe("it ends", () => {
  test("signed out at the company → signed out here, and the app here learns of it; a colleague stays signed in", async () => {
    const app = await here.addClient({ scopes: ["openid", "read"], backchannelLogoutUri: receiver.uri });
    const one = await arrived(authorizeUrl(here, app, { scope: "openid read" }));
    await one.agent.submit(consentForm(one.page), { decision: "allow" });
    const two = await arrived();
    await signOut(one.atThere);
    await expect.poll(() => isSignedIn(one.agent), { timeout: 10_000 }).toBe(false);
    expect(await receiver.until(1)).toHaveLength(1);
    expect(await isSignedIn(two.agent)).toBe(true);
  });

  test("signed out here → the app here learns of it, and the session at the company goes on", async () => {
    const app = await here.addClient({ scopes: ["openid", "read"], backchannelLogoutUri: receiver.uri });
    const { agent, atThere, page } = await arrived(authorizeUrl(here, app, { scope: "openid read" }));
    await agent.submit(consentForm(page), { decision: "allow" });
    const before = (await receiver.until(1)).length;
    await signOut(agent);
    expect(await receiver.until(before + 1)).toHaveLength(before + 1);
    expect([await isSignedIn(agent), await isSignedIn(atThere)]).toEqual([false, true]);
  });

  async function say(change: string, { personId }: Person, by = directory) {
    const answer = await fetch(`${here.issuer}/upstream/change`, {
      method: "POST",
      headers: { authorization: `Basic ${Buffer.from(`${by.clientId}:${by.secret}`).toString("base64")}` },
      body: new URLSearchParams({ provider: provider.id, subject: personId, change }),
    });
    return { status: answer.status, ...((await answer.json()) as Readonly<Record<string, unknown>>) };
  }

  test("/upstream/change: disabled → signed out and refused, apps are paused; enabled → back", async () => {
    const app = await here.addClient({ grantTypes: ["authorization_code", "refresh_token"] });
    const { agent, person, local, page } = await arrived(authorizeUrl(here, app));
    const callback = await agent.submit(consentForm(page), { decision: "allow" });
    const { refresh_token } = (await redeem(here, app, callback.location ?? "")).body;
    const renews = async () => {
      const answer = await fetch(`${here.issuer}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(`${app.clientId}:${app.secret}`).toString("base64")}` },
        body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: String(refresh_token) }),
      });
      return answer.status;
    };
    expect(await say("disabled", person, await here.addClient())).toMatchObject({ status: 403 });
    expect(await isSignedIn(agent)).toBe(true);
    expect(await say("disabled", person)).toMatchObject({ status: 200, result: "changed", sessions_ended: 1 });
    expect([await isSignedIn(agent), await renews()]).toEqual([false, 400]);
    const again = new Agent(here.issuer);
    const refused = await through(again, await typeWorkAddress(again, person.email), person);
    expect([refused.status, await isSignedIn(again)]).toEqual([403, false]);
    expect(await here.assent.storage.people.get(local)).toMatchObject({ status: "disabled" });
    expect(await say("enabled", person)).toMatchObject({ result: "changed" });
    expect(await renews()).toBe(200);
  });

  test("/upstream/change about an account that its person connected → its sessions from there end, it isn't disabled", async () => {
    const { agent, person, local } = await connected();
    const fromThere = new Agent(here.issuer);
    await through(fromThere, await typeWorkAddress(fromThere, person.email), person);
    expect(await isSignedIn(fromThere)).toBe(true);
    expect(await say("deleted", person)).toMatchObject({ status: 200, sessions_ended: 1 });
    expect([await isSignedIn(fromThere), await isSignedIn(agent)]).toEqual([false, true]);
    expect(await here.assent.storage.people.get(local)).toMatchObject({ status: "active" });
  });
});
