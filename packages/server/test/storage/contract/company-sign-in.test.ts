import { expect, test } from "vitest";
import type { Company } from "../../../src/owners/company-storage.ts";
import type { CompanyProvider } from "../../../src/owners/identities/company-provider.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { hashOfSubject } from "../../../src/storage/people/subject-links.ts";
import { onEveryBackend } from "../support/backends.ts";
import { aCompanyProvider, aStaffedCompany, aStoredCompany, join } from "../support/company-builders.ts";
import { aMail } from "../support/mail-builders.ts";
import { anId, aSession, aSignInProvider, aStoredPerson, NOW } from "../support/record-builders.ts";

const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });
const most = 10_000;

onEveryBackend("how the people of a company sign in", (storage) => {
  const set = (company: Company, changes: Partial<Parameters<ReturnType<typeof storage>["companySignIn"]["set"]>[0]>) =>
    storage().companySignIn.set({ ...keyOf(company), addDomains: [], removeDomains: [], now: NOW, ...changes });
  const put = (company: Company, provider: CompanyProvider, changes = {}) =>
    storage().companySignIn.putProvider({
      ...{ ...keyOf(company), by: null, provider, seen: null, most, step: "connected", now: NOW },
      ...changes,
    });
  const domain = () => `${anId().toLowerCase().replaceAll("_", "0")}.example`;
  const historyOf = async ({ partition, companyId }: Company) => {
    const page = await storage().history.list({ partition, ownerId: companyId, before: null, limit: 50 });
    return page.filter(({ kind }) => kind === "own_sign_in" || kind === "member_role").map(({ record }) => record);
  };

  test("a domain of another company, or of a provider of the operator's → taken, both ways; removed there → free", async () => {
    const [one, other] = [await aStaffedCompany(storage()), await aStaffedCompany(storage())];
    const [mine, operators] = [domain(), domain()];
    const provider = aSignInProvider({ emailDomains: [operators] });
    await storage().signInProviders.put({ provider, create: true, most });
    expect(await set(one.company, { addDomains: [mine] })).toMatchObject({ record: { emailDomains: [mine] } });
    expect(await set(other.company, { addDomains: [mine] })).toEqual({ kind: "taken", domain: mine });
    expect(await set(other.company, { addDomains: [operators] })).toEqual({ kind: "taken", domain: operators });
    const claiming = { provider: aSignInProvider({ emailDomains: [mine] }), create: true, most };
    expect(await storage().signInProviders.put(claiming)).toBe("company_domain");
    await set(one.company, { removeDomains: [mine] });
    expect(await set(other.company, { addDomains: [mine] })).toMatchObject({ kind: "stored" });
  });

  test("the same domains in another order → no event; another one → an event", async () => {
    const { company } = await aStaffedCompany(storage());
    const [one, other] = [domain(), domain()];
    await set(company, { addDomains: [one, other] });
    const events = async () => {
      const { events: waiting } = await storage().events.waiting({ limit: 10_000 });
      const own = waiting.filter(({ record }) => record.includes(company.companyId));
      return own.filter(({ record }) => record.includes("company.updated")).length;
    };
    const before = await events();
    expect(before).toBe(1);
    const same = await set(company, { addDomains: [one], removeDomains: [one] });
    expect(same).toMatchObject({ record: { emailDomains: [one, other] } });
    expect(await events()).toBe(before);
    await set(company, { removeDomains: [one] });
    expect(await events()).toBe(before + 1);
  });

  test("20 companies claim one domain at once → one gets it", async () => {
    const wanted = domain();
    const staffed = await Promise.all(Array.from({ length: 20 }, () => aStaffedCompany(storage())));
    const outcomes = await Promise.all(staffed.map(({ company }) => set(company, { addDomains: [wanted] })));
    expect(outcomes.filter(({ kind }) => kind === "stored")).toHaveLength(1);
  });

  test("a provider by a member, without leave, by a session that ended, or over another change → not stored; else with history and mail", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const provider = aCompanyProvider();
    expect(await put(company, provider, { by: member.personId })).toBe("not_admin");
    expect(await put(company, provider, { by: admin.personId })).toBe("denied");
    await set(company, { ownProvider: true });
    expect(await put(company, provider, { by: admin.personId, trustedFrom: 1 })).toBe("not_admin");
    expect(await put(company, provider, { by: admin.personId, seen: NOW })).toBe("changed");
    expect(await put(company, provider, { by: admin.personId, most: 0 })).toBe("full");
    expect(await historyOf(company)).toEqual([]);
    const version = (await storage().catalog.versions()).providers;
    const mails = [aMail(company.partition)];
    expect(await put(company, provider, { by: admin.personId, mails })).toBe("stored");
    expect((await storage().catalog.versions()).providers).toBeGreaterThan(version);
    expect(await storage().companySignIn.get(company)).toMatchObject({ ownProvider: true, provider });
    expect(await historyOf(company)).toMatchObject([
      { by: admin.personId, ownSignIn: "connected", clientName: "Acme ID" },
    ]);
  });

  test("20 admins connect at once → one provider", async () => {
    const { company } = await aStaffedCompany(storage());
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => put(company, aCompanyProvider())));
    expect(outcomes.filter((one) => one === "stored")).toHaveLength(1);
    expect(outcomes.filter((one) => one === "changed")).toHaveLength(19);
  });

  test("the leave is taken back → admins can only switch it off or remove it", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const provider = aCompanyProvider();
    await put(company, provider);
    const by = { by: admin.personId, seen: provider.changedAt };
    const later = (changes: Partial<CompanyProvider>) => ({ ...provider, changedAt: NOW + 1, ...changes });
    expect(await put(company, later({ name: "New" }), { ...by, step: "changed" })).toBe("denied");
    expect(await put(company, later({ status: "disabled" }), { ...by, step: "off" })).toBe("stored");
    const removal = { ...keyOf(company), by: admin.personId, seen: NOW + 1, now: NOW };
    expect(await storage().companySignIn.removeProvider(removal)).toBe("removed");
  });

  async function aSignedInMember(company: Company, provider: CompanyProvider) {
    const person = await aStoredPerson(storage());
    await join(storage(), company, person);
    const subject = { issuerId: provider.id, claim: provider.issuer, subject: anId() };
    const { partition, personId } = person;
    const link = { partition, personId, subject, sole: true, madeBy: "first use", now: NOW } as const;
    await storage().subjectLinks.link(link);
    const asked = aSession(person, { upstream: { subject, sid: null }, amr: ["fed"] });
    await storage().sessions.create(asked);
    await storage().sessions.create(aSession(person));
    const left = () => storage().sessions.list({ partition, personId, now: NOW });
    return { subject, left };
  }

  /** The session with which a sign-in at the company's provider ends, of a person who is a member until `before` runs. */
  async function aLateSession(
    before: (at: { readonly company: Company; readonly provider: CompanyProvider; readonly person: Person }) => unknown,
  ) {
    const { company } = await aStaffedCompany(storage());
    const provider = aCompanyProvider();
    await put(company, provider);
    const person = await aStoredPerson(storage());
    await join(storage(), company, person);
    const subject = { issuerId: provider.id, claim: provider.issuer, subject: anId() };
    const { partition, personId } = person;
    await storage().subjectLinks.link({
      ...{ partition, personId, subject, sole: true, madeBy: "first use", now: NOW },
    });
    const upstream = { subject, sid: null, company: keyOf(company) };
    const asked = () => storage().sessions.create(aSession(person, { upstream, amr: ["fed"] }));
    const left = async () => (await storage().sessions.list({ partition, personId, now: NOW })).length;
    await before({ company, provider, person });
    return { asked, left };
  }

  test("the membership, the company or its provider ends during a sign-in there → no session; else one", async () => {
    for (const before of [
      ({ company, person }) => storage().members.remove({ ...keyOf(company), person, by: null, now: NOW }),
      ({ company }) => storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW }),
      ({ company }) => storage().companies.delete({ ...keyOf(company), now: NOW }),
      ({ company }) => storage().companySignIn.removeProvider({ ...keyOf(company), by: null, seen: null, now: NOW }),
      ({ company, provider }) => put(company, { ...provider, status: "disabled", changedAt: NOW + 1 }, { seen: NOW }),
      async ({ person }) => join(storage(), await aStoredCompany(storage()), person),
      ({ person: { partition, personId } }) =>
        storage().people.update({ partition, personId, now: NOW, changes: { operator: ["admin"] } }),
      ({ person: { partition, personId } }) =>
        storage().people.setStatus({ partition, personId, status: "disabled", now: NOW }),
    ] satisfies Parameters<typeof aLateSession>[0][]) {
      const { asked, left } = await aLateSession(before);
      expect([before.toString(), await asked()]).toEqual([before.toString(), undefined]);
      expect(await left()).toBe(0);
    }
    const { asked, left } = await aLateSession(() => {});
    expect(await asked()).toBeDefined();
    expect(await left()).toBe(1);
  });

  test("a member is removed while they sign in at the company's provider → no session remains", async () => {
    for (let turn = 0; turn < 10; turn++) {
      let removal: Promise<unknown> = Promise.resolve();
      const { asked, left } = await aLateSession(({ company, person }) => {
        removal = storage().members.remove({ ...keyOf(company), person, by: null, now: NOW });
      });
      await Promise.all([removal, ...Array.from({ length: 5 }, asked)]);
      expect(await left()).toBe(0);
    }
  });

  test("a session of a sign-in there ended, and a further step would replace it → no session", async () => {
    const { company } = await aStaffedCompany(storage());
    const provider = aCompanyProvider();
    await put(company, provider);
    const person = await aStoredPerson(storage());
    await join(storage(), company, person);
    const subject = { issuerId: provider.id, claim: provider.issuer, subject: anId() };
    const first = aSession(person, { upstream: { subject, sid: null, company: keyOf(company) }, amr: ["fed"] });
    await storage().sessions.create(first);
    const replaces = { partition: first.partition, sessionId: first.sessionId };
    const stronger = () => aSession(person, { replaces, amr: ["fed", "otp"] });
    expect(await storage().sessions.create(stronger())).toBeDefined();
    expect(await storage().sessions.create(stronger())).toBeUndefined();
    expect(await storage().sessions.create({ ...stronger(), amr: ["pwd"] })).toBeDefined();
  });

  test("removed by a member, or as another one than was seen → stays; removed → its sessions and connections end, other sessions stay", async () => {
    const { company, member } = await aStaffedCompany(storage());
    const provider = aCompanyProvider();
    await put(company, provider);
    const { subject, left } = await aSignedInMember(company, provider);
    const remove = (by: string | null, seen: number | null) =>
      storage().companySignIn.removeProvider({ ...keyOf(company), by, seen, now: NOW });
    expect(await remove(member.personId, null)).toBe("not_admin");
    expect(await remove(null, NOW + 1)).toBe("changed");
    expect(await left()).toHaveLength(2);
    expect(await remove(null, NOW)).toBe("removed");
    expect(await left()).toHaveLength(1);
    expect(await storage().subjectLinks.findPerson({ subject })).toBeUndefined();
    expect((await storage().companySignIn.get(company))?.provider).toBeNull();
    expect(hashOfSubject(subject)).toBeTypeOf("string");
  });

  test("the company is deleted → its domains are free, and its connections are gone", async () => {
    const [one, other] = [await aStaffedCompany(storage()), await aStaffedCompany(storage())];
    const wanted = domain();
    await set(one.company, { addDomains: [wanted] });
    const provider = aCompanyProvider();
    await put(one.company, provider);
    const { subject, left } = await aSignedInMember(one.company, provider);
    await storage().companies.delete({ ...keyOf(one.company), now: NOW });
    expect(await storage().companySignIn.get(one.company)).toBeUndefined();
    expect(await storage().subjectLinks.findPerson({ subject })).toBeUndefined();
    expect(await left()).toHaveLength(1);
    expect(await set(other.company, { addDomains: [wanted] })).toMatchObject({ kind: "stored" });
  });

  test("groups make an admin a member → done, with history; the last admin, also of two at once → kept", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const follow = (personId: string, role: "admin" | "member") =>
      storage().companySignIn.followRole({ ...keyOf(company), personId, role, provider: "Acme ID", now: NOW });
    expect(await follow(anId(), "admin")).toBe("unknown");
    expect(await follow(member.personId, "member")).toBe("same");
    expect(await follow(admin.personId, "member")).toBe("kept");
    expect(await follow(member.personId, "admin")).toBe("changed");
    const outcomes = await Promise.all([follow(admin.personId, "member"), follow(member.personId, "member")]);
    expect(outcomes.toSorted()).toEqual(["changed", "kept"]);
    const entries = await historyOf(company);
    expect(entries.map(({ by, clientName, role }) => [by, clientName, role]).toSorted()).toEqual([
      ["server", "Acme ID", "admin"],
      ["server", "Acme ID", "member"],
    ]);
    await storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW });
    expect(await follow(member.personId, "admin")).toBe("unknown");
  });
});
