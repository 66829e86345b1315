/** A company's admins control its provider: whom they can't reach with it, whatever it says. */

import { describe, expect, test } from "vitest";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { Agent, type Page } from "../support/http-browser.ts";
import {
  addCompanyProvider,
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  typeWorkAddress,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import { settle, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;

withForgingProvider((at) => {
  ({ server, there } = at);
});

let companies = 0;
async function aCompanyWithProvider(changes = {}) {
  companies += 1;
  const domain = `corp${companies}.test`;
  const company = await addCompany(server);
  const provider = await addCompanyProvider(server, company, there.issuer, { domains: [domain], ...changes });
  return { company, provider, domain };
}

/** What the provider says next. */
function says(claims: Readonly<Record<string, unknown>>): void {
  const said = { ...aSubject(), ...claims };
  there.answering = { claims: said, userInfo: { sub: said.sub } };
}

async function arrive(domain: string) {
  const agent = new Agent(server.issuer);
  const page = await agent.follow(await agent.get(there.callback(await typeWorkAddress(agent, `any@${domain}`))));
  return { agent, page };
}

/** The people of a company find no button of its provider elsewhere. */
const canTryAgain = ({ text }: Page, { id }: { readonly id: string }) => text.includes(`value="${id}"`);

async function expectRefused(domain: string, words: string): Promise<void> {
  const { agent, page } = await arrive(domain);
  expect([page.status, page.text]).toEqual([403, expect.stringContaining(words)]);
  expect(await isSignedIn(agent)).toBe(false);
}

async function link(
  { partition, personId }: Person,
  provider: { readonly id: string; readonly issuer: string },
  madeBy: "person" | "first use" = "person",
): Promise<string> {
  const { sub } = aSubject();
  const subject = { issuerId: provider.id, claim: provider.issuer, subject: sub };
  await server.assent.storage.subjectLinks.link({
    ...{ partition, personId, subject, sole: true, madeBy, now: server.now() },
  });
  return sub;
}

const membersOf = async ({ partition, companyId }: TestCompany) =>
  (await server.assent.storage.members.list({ partition, companyId, limit: 50, after: null })).map(
    ({ personId, role }) => ({ personId, role }),
  );

describe("UP-18: a company's provider asserts an address", () => {
  test.each([
    ["of an account that exists", {}],
    ["of an operator", { operator: ["admin"] }],
    ["that nobody verified", { emailVerifiedAt: null }],
  ])("%s → refused, no connection", async (_, changes) => {
    const { company, provider, domain } = await aCompanyWithProvider();
    const email = `victim@${domain}`;
    const victim = await server.addPerson({ email, emailVerifiedAt: 1, ...changes });
    says({ email });
    await expectRefused(domain, "already uses your work address");
    const { partition, personId } = victim;
    expect(await server.assent.storage.subjectLinks.ofPerson({ partition, personId })).toEqual([]);
    // A member of the company with that address isn't found either: they connect it themselves.
    await addMember(server, company, victim);
    says({ email });
    await expectRefused(domain, "already uses your work address");
    expect(provider.status).toBe("active");
  });

  test("of another company's domain, of none, unverified, or spelled to look like the domain → refused, no account (UP-17)", async () => {
    const [mine, other] = [await aCompanyWithProvider(), await aCompanyWithProvider()];
    const { domain } = mine;
    const addresses = [
      ...[`a@${other.domain}`, "a@gmail.com", undefined, `a@${domain}@evil.test`, `"a@evil.test"@${domain}`],
      ...[`a@${domain}.evil.test`, `a@sub.${domain}`, `a@${domain.replace("o", "\u043e")}`, `\uff41@${domain}`],
    ];
    for (const email of addresses) {
      says({ email });
      await expectRefused(domain, "confirmed e-mail address of the organization");
    }
    for (const email_verified of [false, undefined, "yes"]) {
      says({ email: `a@${domain}`, email_verified });
      await expectRefused(domain, "confirmed e-mail address of the organization");
    }
    expect(await membersOf(mine.company)).toHaveLength(2);
    says({ email: `A@${domain.toUpperCase()}` });
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
  });

  test("of a domain that the operator took back → refused, while people with an account still sign in", async () => {
    const { company, domain } = await aCompanyWithProvider();
    const known = { ...aSubject(), email: `known@${domain}` };
    says(known);
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    const key = { partition: company.partition, companyId: company.companyId };
    const agents = [new Agent(server.issuer), new Agent(server.issuer)] as const;
    const begun = [await typeWorkAddress(agents[0], `a@${domain}`), await typeWorkAddress(agents[1], `a@${domain}`)];
    await server.assent.storage.companySignIn.set({
      ...key,
      addDomains: [],
      removeDomains: [domain],
      now: server.now(),
    });
    await settle();
    says({ email: `new@${domain}` });
    expect((await agents[0].get(there.callback(begun[0] ?? (await agents[0].get("/"))))).status).toBe(403);
    says(known);
    await agents[1].follow(await agents[1].get(there.callback(begun[1] ?? (await agents[1].get("/")))));
    expect(await isSignedIn(agents[1])).toBe(true);
  });
});

describe("UP-18: a company's provider asserts the subject of", () => {
  test("a member who connected it → signed in; after they left → refused", async () => {
    const { company, provider, domain } = await aCompanyWithProvider();
    const sub = await link(company.member, provider);
    says({ sub });
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    const { partition, companyId, member } = company;
    await server.assent.storage.members.remove({ partition, companyId, person: member, by: null, now: server.now() });
    says({ sub });
    await expectRefused(domain, "aren’t a member of the company");
    expect(await membersOf(company)).toHaveLength(1);
  });

  test("a person who never was a member, an operator, a disabled member, a member of another company, too → refused", async () => {
    const { company, provider, domain } = await aCompanyWithProvider();
    const stranger = await server.addPerson();
    const operator = await server.addPerson({ operator: ["admin"] });
    const disabled = await server.addPerson();
    const both = await server.addPerson();
    const another = await addCompany(server);
    for (const person of [operator, disabled, both]) await addMember(server, company, person);
    await addMember(server, another, both);
    const cases = [
      [stranger, "aren’t a member of the company"],
      [operator, "also belong to another company"],
      [both, "also belong to another company"],
      [disabled, "can’t sign in here with your account"],
    ] as const;
    for (const [person, words] of cases) {
      const sub = await link(person, provider);
      if (person === disabled) {
        const { partition, personId } = person;
        await server.assent.storage.people.setStatus({ partition, personId, status: "disabled", now: server.now() });
      }
      says({ sub, email: `x@${domain}` });
      await expectRefused(domain, words);
    }
  });

  test("somebody at another provider with the same issuer → another identity", async () => {
    const [mine, theirs] = [await aCompanyWithProvider(), await aCompanyWithProvider()];
    const sub = await link(theirs.company.member, theirs.provider);
    const operators = await addProvider(server, there.issuer);
    const elsewhere = await link(await server.addPerson(), operators);
    for (const taken of [sub, elsewhere]) {
      says({ sub: taken, email: undefined });
      await expectRefused(mine.domain, "confirmed e-mail address");
    }
  });

  test("an account that it made itself → signed in again, also after the company removed the person: they are back", async () => {
    const { company, domain } = await aCompanyWithProvider();
    const somebody = { ...aSubject(), email: `somebody@${domain}` };
    says(somebody);
    await arrive(domain);
    const { partition, companyId } = company;
    const person = await server.assent.storage.people.findByName({ name: somebody.email });
    if (person === undefined) throw new Error("no account");
    await server.assent.storage.members.remove({ partition, companyId, person, by: null, now: server.now() });
    says(somebody);
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    expect(await membersOf(company)).toContainEqual({ personId: person.personId, role: "member" });
  });
});

describe("UP-16: just-in-time accounts of a company", () => {
  test("names that others expect, operators' groups, roles without a mapping → an own name, a member, no operator", async () => {
    const { company, domain } = await aCompanyWithProvider();
    for (const local of ["admin", "support", "root"]) {
      const email = `${local}@${domain}`;
      says({
        email,
        preferred_username: local,
        groups: ["operators", "admin"],
        roles: ["admin"],
        name: "x".repeat(10_000),
      });
      expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
      const person = await server.assent.storage.people.findByName({ name: email });
      expect(person).toMatchObject({ username: `${local}-${company.slug}`, operator: [], name: null });
      expect(await membersOf(company)).toContainEqual({ personId: person?.personId, role: "member" });
    }
  });

  test("cancelled, away or too late there → the page has its button, and the next try counts; no other page has it", async () => {
    const { provider, domain } = await aCompanyWithProvider();
    const claims = { ...aSubject(), email: `again@${domain}` };
    const agent = new Agent(server.issuer);
    const denied = { code: undefined, error: "access_denied", iss: undefined };
    const stopped = await agent.get(there.callback(await typeWorkAddress(agent, claims.email), denied));
    expect([canTryAgain(stopped, provider), canTryAgain(await agent.get("/login"), provider)]).toEqual([true, false]);
    there.answering = { instead: { "/token": (_, response) => response.destroy() } };
    const away = await agent.get(there.callback(await pressProvider(agent, stopped, provider)));
    expect([away.status, canTryAgain(away, provider)]).toEqual([503, true]);
    there.answering = {};
    const begun = await pressProvider(agent, away, provider);
    server.tick(11 * 60_000);
    const late = await agent.get(there.callback(begun, {}, claims));
    expect([late.status, canTryAgain(late, provider)]).toEqual([400, true]);
    const again = await pressProvider(agent, late, provider);
    await agent.follow(await agent.get(there.callback(again, {}, claims)));
    expect(await isSignedIn(agent)).toBe(true);
  });

  test("20 first sign-ins of one person at once → one account, one member", async () => {
    const { company, domain } = await aCompanyWithProvider();
    says({ email: `one@${domain}` });
    const all = await Promise.all(Array.from({ length: 20 }, () => arrive(domain)));
    expect(all.map(({ page }) => page.status)).toEqual(Array(20).fill(200));
    expect(await membersOf(company)).toHaveLength(3);
  });

  test("claims of other names → they count; the profile follows only in accounts that the provider made", async () => {
    const claims = { email: "upn", email_verified: "xms_edov", name: "cn", nickname: "nick" } as const;
    const { company, provider, domain } = await aCompanyWithProvider({ claims, profile: "follow" });
    const email = `named@${domain}`;
    const somebody = {
      ...aSubject(),
      email: `elsewhere@${domain}`,
      email_verified: true,
      upn: email,
      cn: "First Name",
    };
    for (const xms_edov of [undefined, false, "yes"]) {
      says({ ...somebody, xms_edov });
      await expectRefused(domain, "confirmed e-mail address of the organization");
    }
    const made = () => server.assent.storage.people.findByName({ name: email });
    says({ ...somebody, xms_edov: true, nick: "Nick" });
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    expect(await made()).toMatchObject({ name: "First Name", details: { nickname: "Nick" }, operator: [] });
    says({ ...somebody, xms_edov: true, cn: "Second Name" });
    await arrive(domain);
    expect(await made()).toMatchObject({ name: "Second Name", email, details: { nickname: "Nick" } });
    const { partition, personId, name } = company.member;
    const sub = await link(company.member, provider);
    says({ ...somebody, sub, xms_edov: true, cn: "Not theirs" });
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    expect((await server.assent.storage.people.get({ partition, personId }))?.name).toBe(name);
  });

  test("500 new accounts in a day → no more until the next day; people with an account, and other companies, sign in", async () => {
    const [{ company, domain }, other] = [await aCompanyWithProvider(), await aCompanyWithProvider()];
    const known = { ...aSubject(), email: `known@${domain}` };
    says(known);
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    const parts = JSON.stringify(["accounts of company", company.companyId]);
    const key = new Secrets(server.assent.config.secret ?? []).mac("attempt", parts);
    const attempts = [{ key, limit: 500, window: 86_400_000 }];
    for (let made = 1; made < 499; made += 1)
      await server.assent.storage.attempts.count({ attempts, now: server.now() });
    says({ email: `last@${domain}` });
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    const late = { ...aSubject(), email: `late@${domain}` };
    says(late);
    await expectRefused(domain, "Too many new accounts");
    says(known);
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    says({ email: `new@${other.domain}` });
    expect(await isSignedIn((await arrive(other.domain)).agent)).toBe(true);
    server.tick(86_400_000 + 1);
    says(late);
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
  });

  test("the company is disabled, or its provider switched off → nobody, and no redirect to it", async () => {
    const { company, provider, domain } = await aCompanyWithProvider();
    const agent = new Agent(server.issuer);
    const begun = await typeWorkAddress(agent, `a@${domain}`);
    says({ email: `a@${domain}` });
    const key = { partition: company.partition, companyId: company.companyId, now: server.now() };
    await server.assent.storage.companies.setStatus({ ...key, status: "disabled" });
    expect((await agent.get(there.callback(begun))).status).toBe(403);
    await server.assent.storage.companies.setStatus({ ...key, status: "active" });
    await addCompanyProvider(server, company, there.issuer, {
      ...provider,
      domains: [],
      status: "disabled",
      changedAt: provider.changedAt + 1,
    });
    const off = new Agent(server.issuer);
    expect((await typeWorkAddress(off, `a@${domain}`)).status).toBe(200);
    expect(await membersOf(company)).toHaveLength(2);
  });
});

describe("groups give roles", () => {
  const roles = { claim: "groups", admin: ["heads"], member: ["staff"], others: "refuse" } as const;
  const roleOf = async (company: TestCompany, email: string) => {
    const person = await server.assent.storage.people.findByName({ name: email });
    return (await membersOf(company)).find(({ personId }) => personId === person?.personId)?.role;
  };

  test("no group, a group of another spelling, a claim of another name or an object's own → refused; else the role, anew at each sign-in", async () => {
    const { company, domain } = await aCompanyWithProvider({ roles });
    const email = `g@${domain}`;
    const somebody = { ...aSubject(), email };
    for (const claims of [
      {},
      { groups: ["Staff", "staff "] },
      { roles: ["staff"] },
      { groups: { staff: true } },
      { groups: [["staff"]] },
    ]) {
      says({ ...somebody, ...claims });
      await expectRefused(domain, "don’t let you sign in here");
    }
    expect(await roleOf(company, email)).toBeUndefined();
    for (const [groups, role] of [
      ["staff", "member"],
      [["other", "heads"], "admin"],
      [["staff"], "member"],
      [["staff", "heads"], "admin"],
    ] as const) {
      says({ ...somebody, groups });
      expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
      expect(await roleOf(company, email)).toBe(role);
    }
    says({ ...somebody, groups: [] });
    await expectRefused(domain, "don’t let you sign in here");
    expect(await roleOf(company, email)).toBe("member");
  });

  test("groups only in UserInfo → they count; the last admin loses the group → stays an admin", async () => {
    const { company, provider, domain } = await aCompanyWithProvider({ roles: { ...roles, others: "member" } });
    const sub = await link(company.admin, provider);
    there.answering = { claims: { sub, email: `x@${domain}` }, userInfo: { sub, groups: ["staff"] } };
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    const { personId } = company.admin;
    expect(await membersOf(company)).toContainEqual({ personId, role: "admin" });
    await addMember(server, company, await server.addPerson(), "admin");
    expect(await isSignedIn((await arrive(domain)).agent)).toBe(true);
    expect(await membersOf(company)).toContainEqual({ personId, role: "member" });
  });

  test("a claim named like a property of every object → no groups", async () => {
    const { domain } = await aCompanyWithProvider({ roles: { ...roles, claim: "constructor", member: ["Object"] } });
    says({ email: `c@${domain}` });
    await expectRefused(domain, "don’t let you sign in here");
  });
});
