import { expect, test } from "vitest";
import type { NewGrant } from "../../../src/oauth/storage.ts";
import type { Company, NewRule } from "../../../src/owners/company-storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import {
  aCompany,
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  anAppRule,
  aStaffedCompany,
  join,
  SHOWN,
} from "../support/company-builders.ts";
import {
  aClient,
  anApproval,
  anId,
  aRedemption,
  aStoredPerson,
  DAY,
  HOUR,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });
const CLIENT = "client-1";

onEveryBackend("an app that a company allows for selected members", (storage) => {
  interface Change {
    readonly by?: string | null;
    readonly members?: "keep" | "end";
    readonly seen?: number | null;
    readonly now?: number;
    readonly ceiling?: number;
  }
  const set = (company: Company, rule: NewRule | null, { by = null, now = NOW, ...change }: Change = {}) =>
    storage().companyApps.setRule({ ...keyOf(company), clientId: CLIENT, rule, shown: SHOWN, by, now, ...change });
  const only = (...people: readonly Person[]): NewRule => ({
    ...anAppRule(),
    selected: people.map(({ personId }) => personId),
  });
  const silently = (company: Company, person: Person) =>
    storage().grants.issue({ grant: aCompanyGrant(company, person), answer: anAnswerOfMember(), now: NOW });
  const rulesOf = (company: Company) => storage().companyApps.listRules(keyOf(company));

  async function aTeam() {
    const team = await aStaffedCompany(storage());
    const other = await aStoredPerson(storage());
    await join(storage(), team.company, other);
    return { ...team, other };
  }

  async function live(company: Company, person: Person) {
    const grant = aCompanyGrant(company, person);
    expect((await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW })).kind).toBe("issued");
    await storage().grants.redeem(aRedemption(grant));
    return grant;
  }

  test("for a stranger, another company's member, or one who left meanwhile → changed, and the rule is as before", async () => {
    const { company, member, other } = await aTeam();
    const elsewhere = await aStaffedCompany(storage());
    await set(company, only(member));
    for (const person of [await aStoredPerson(storage()), elsewhere.member])
      expect(await set(company, only(other, person))).toEqual({ kind: "changed" });
    await storage().members.remove({ ...keyOf(company), person: other, by: null, now: NOW });
    expect(await set(company, only(other))).toEqual({ kind: "changed" });
    expect(await rulesOf(company)).toMatchObject([{ rule: "allow", forSelected: true, selected: [member.personId] }]);
  });

  test("a rule that another admin changed meanwhile → changed, whatever it is now; as it was seen → done", async () => {
    const { company, admin, member } = await aTeam();
    const { personId: by } = admin;
    expect(await set(company, anAppRule(), { by, seen: NOW })).toEqual({ kind: "changed" });
    expect(await set(company, only(member), { by, seen: null })).toMatchObject({ kind: "done" });
    expect(await set(company, anAppRule(), { by, seen: null })).toEqual({ kind: "changed" });
    const [rule] = await rulesOf(company);
    expect(await set(company, anAppRule({ rule: "block" }), { by, seen: rule?.decidedAt ?? 0 })).toMatchObject({
      kind: "done",
    });
    // Two decisions in the same millisecond are different versions of the rule.
    expect(await set(company, anAppRule(), { by, seen: rule?.decidedAt ?? 0 })).toEqual({ kind: "changed" });
    expect(await rulesOf(company)).toMatchObject([{ rule: "block", selected: [] }]);
  });

  test("→ the named members need no admin, the others ask, whatever the company's default is", async () => {
    const { company, member, other } = await aTeam();
    await storage().companies.update({ ...keyOf(company), changes: { defaultRule: "members" }, by: null, now: NOW });
    await set(company, only(member));
    expect((await silently(company, member)).kind).toBe("issued");
    expect(await silently(company, other)).toEqual({ kind: "no_consent" });
    const acting = (person: Person) =>
      storage().members.findActing({ ...keyOf(company), personId: person.personId, clientId: CLIENT });
    expect(await acting(member)).toMatchObject({ selected: true, rule: { rule: "allow", forSelected: true } });
    expect(await acting(other)).toMatchObject({ selected: false, rule: { rule: "allow", forSelected: true } });
    const wish = { ...keyOf(company), clientId: CLIENT, scopes: ["read"], reason: "r", now: NOW };
    expect(await storage().companyApps.askApproval({ ...wish, personId: other.personId })).toEqual({ kind: "asked" });
  });

  test("after its end → everybody asks, where members decide too; a rule for all, after its end → members decide", async () => {
    const { company, member, other } = await aTeam();
    await storage().companies.update({ ...keyOf(company), changes: { defaultRule: "members" }, by: null, now: NOW });
    await set(company, { ...only(member), endsAt: NOW + HOUR });
    const now = NOW + 2 * HOUR;
    const decides = async (person: Person) =>
      (await storage().grants.approve({ ...anApproval(aCompanyGrant(company, person)), now })).kind;
    expect([await decides(member), await decides(other)]).toEqual(["no_consent", "no_consent"]);
    const wish = { ...keyOf(company), clientId: CLIENT, scopes: ["read"], reason: "r", now };
    expect(await storage().companyApps.askApproval({ ...wish, personId: member.personId })).toEqual({ kind: "asked" });
    await set(company, anAppRule({ endsAt: NOW + HOUR }));
    expect([await decides(member), await decides(other)]).toEqual(["issued", "issued"]);
  });

  test("after its end, or that of the ceiling, for less → members who connected since lose nothing by it", async () => {
    const { company, member } = await aTeam();
    await storage().companies.update({ ...keyOf(company), changes: { defaultRule: "members" }, by: null, now: NOW });
    const now = NOW + 2 * HOUR;
    const both = ["read", "write"];
    const allowed = async (endsAt: number) => {
      await set(company, null);
      await set(company, anAppRule({ scopes: both, endsAt }));
    };
    const connected = (ceiling: number | null) =>
      aLiveCompanyGrant(storage(), company, member, { scopes: both, ceiling }, { now });
    const scopes = async (grant: NewGrant) => (await statusOf(storage(), grant))?.scopes.map(({ name }) => name);
    await allowed(NOW + HOUR);
    const ended = await connected(null);
    await set(company, anAppRule(), { now });
    expect(await scopes(ended)).toEqual(both);
    await allowed(NOW + 9 * HOUR);
    const capped = await connected(HOUR);
    await set(company, anAppRule(), { now, ceiling: HOUR });
    expect(await scopes(capped)).toEqual(both);
    await allowed(NOW + 9 * HOUR);
    await set(company, anAppRule(), { now });
    expect(await scopes(capped)).toEqual(["read"]);
  });

  test("→ the history says that it is not for all", async () => {
    const { company, member } = await aTeam();
    await set(company, only(member));
    await set(company, anAppRule());
    const { partition, companyId: ownerId } = company;
    const told = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
    const allowed = told.filter(({ kind }) => kind === "allowed").map(({ record }) => record.forSelected);
    expect(allowed).toHaveLength(2);
    expect(allowed).toContain(true);
    expect(allowed).toContain(undefined);
  });

  test("narrowed to some → the others keep their access, or lose it, as said; the named, and admins, keep it", async () => {
    const { company, admin, member, other } = await aTeam();
    await set(company, anAppRule());
    const [theirs, others, own] = [await live(company, member), await live(company, other), await live(company, admin)];
    const count = () =>
      storage().companyApps.countPeople({ ...keyOf(company), clientId: CLIENT, ceiling: null, now: NOW });
    expect(await count()).toBe(3);
    expect(await set(company, only(member), { members: "keep", now: NOW + 1 })).toMatchObject({ grantsEnded: 0 });
    expect(await set(company, only(member), { members: "end", now: NOW + 2 })).toMatchObject({ grantsEnded: 1 });
    const statuses = await Promise.all([theirs, others, own].map((grant) => statusOf(storage(), grant)));
    expect(statuses.map((grant) => grant?.status)).toEqual(["active", "revoked", "active"]);
    expect(await count()).toBe(2);
  });

  test("allowed for longer than the ceiling → the consent and the history end with the ceiling, the rule can outlast it", async () => {
    const { company } = await aTeam();
    await set(company, anAppRule(), { ceiling: DAY });
    const { partition, companyId: ownerId } = company;
    const told = await storage().history.list({ partition, ownerId, before: null, limit: 9 });
    const entry = told.find(({ kind }) => kind === "allowed");
    expect(entry?.record).toMatchObject({ expiresAt: NOW + DAY, scopes: [{ name: "read", expiresAt: NOW + DAY }] });
    expect((await storage().consents.find({ partition, ownerId, clientId: CLIENT }))?.expiresAt).toBe(NOW + DAY);
    expect(await rulesOf(company)).toMatchObject([{ endsAt: anAppRule().endsAt }]);
  });

  test("access that is over by the ceiling → a rule changes it, too, for a ceiling raised later; the history doesn't name it", async () => {
    const { company, member, other } = await aTeam();
    const all = ["read", "write"];
    const ever = { scopes: all, endsAt: null };
    await set(company, anAppRule(ever));
    const grants = [member, other].map((person) => aCompanyGrant(company, person, { scopes: all }));
    for (const grant of grants) {
      expect((await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW })).kind).toBe("issued");
      await storage().grants.redeem(aRedemption(grant));
    }
    const later = { ceiling: DAY, now: NOW + 2 * DAY };
    const ended = NOW + 3 * DAY;
    const until = { ...anAppRule({ endsAt: ended }), selected: [member.personId] };
    expect(await set(company, { ...anAppRule(ever), selected: [member.personId] }, later)).toMatchObject({
      kind: "done",
    });
    expect(await set(company, until, { ...later, members: "end" })).toMatchObject({ grantsEnded: 0 });
    const [named, left] = await Promise.all(grants.map((grant) => statusOf(storage(), grant)));
    expect(named).toMatchObject({ scopes: [{ name: "read", expiresAt: ended }], absoluteUntil: ended });
    expect(left?.status).toBe("revoked");
    const { partition, companyId: ownerId } = company;
    const told = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
    expect(told.filter(({ kind }) => kind === "narrowed" || kind === "ended")).toEqual([]);
    expect(told.find(({ kind }) => kind === "allowed")?.record.expiresAt).toBe(ended);
  });

  test("for fewer permissions → the history names what members lost and what the app still has; nothing lost, no entry", async () => {
    const { company, admin, member } = await aTeam();
    const all = ["read", "write", "share"];
    await set(company, anAppRule({ scopes: all }));
    const own = await aLiveCompanyGrant(storage(), company, admin, { scopes: ["read", "share"] });
    const narrowed = async () => {
      const { partition, companyId: ownerId } = company;
      const told = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
      return told.filter(({ kind }) => kind === "narrowed").map(({ record }) => record);
    };
    await set(company, anAppRule({ scopes: ["read", "write"] }), { now: NOW + 1 });
    expect(await narrowed()).toEqual([]);
    const theirs = aCompanyGrant(company, member, { scopes: ["read", "write"] });
    expect((await storage().grants.issue({ grant: theirs, answer: anAnswerOfMember(), now: NOW + 2 })).kind).toBe(
      "issued",
    );
    await storage().grants.redeem(aRedemption(theirs));
    await set(company, anAppRule(), { now: NOW + 3 });
    const [entry] = await narrowed();
    expect(entry).toMatchObject({ removed: ["write"], removedFor: "members" });
    const end = (await statusOf(storage(), own))?.absoluteUntil;
    const left = new Map(entry?.scopes.map(({ name, expiresAt }) => [name, expiresAt]));
    expect([...left.keys()]).toEqual(["read", "share"]);
    expect([left.get("share"), entry?.expiresAt]).toEqual([end, Math.max(...[...left.values()].map(Number))]);
  });

  test("made longer → no member's access lasts longer: not the named one's, not that of one who is not named any more", async () => {
    const { company, member, other } = await aTeam();
    const until = (end: number, ...people: readonly Person[]): NewRule => ({ ...only(...people), endsAt: end });
    await set(company, until(NOW + 30 * DAY, member, other));
    const grant = aCompanyGrant(company, member);
    const week = NOW + 7 * DAY;
    expect(
      (await storage().grants.issue({ grant, ends: { read: week }, answer: anAnswerOfMember(), now: NOW })).kind,
    ).toBe("issued");
    await storage().grants.redeem(aRedemption(grant));
    const kept = await live(company, other);
    const ends = async () =>
      (await Promise.all([grant, kept].map((one) => statusOf(storage(), one)))).map((one) => one?.absoluteUntil);
    await set(company, until(NOW + 30 * DAY, member), { members: "keep", now: NOW + 1 });
    await set(company, until(NOW + 300 * DAY, member), { now: NOW + 2 });
    expect(await ends()).toEqual([week, NOW + 30 * DAY]);
    await set(company, anAppRule({ rule: "ask" }), { members: "keep", now: NOW + 3 });
    await set(company, { ...anAppRule({ endsAt: null }), selected: [member.personId] }, { now: NOW + 4 });
    expect(await ends()).toEqual([week, NOW + 30 * DAY]);
    await set(company, until(NOW + DAY, member), { now: NOW + 5 });
    expect(await ends()).toEqual([NOW + DAY, NOW + DAY]);
  });

  test("opened to all again → the list is gone; asked, blocked, revoked, none → likewise", async () => {
    const { company, member } = await aTeam();
    for (const rule of [anAppRule(), anAppRule({ rule: "ask" }), anAppRule({ rule: "block" }), null]) {
      await set(company, only(member));
      await set(company, rule, { members: "keep" });
      expect((await rulesOf(company)).flatMap(({ selected }) => selected)).toEqual([]);
      await set(company, anAppRule({ rule: "ask" }));
    }
    await set(company, only(member));
    await storage().companyApps.revokeForAll({ ...keyOf(company), clientId: CLIENT, by: null, now: NOW });
    await set(company, { ...anAppRule(), selected: [] });
    expect(await silently(company, member)).toEqual({ kind: "no_consent" });
  });

  test("a named member who leaves and comes back → is not named any more", async () => {
    const { company, member } = await aTeam();
    await set(company, only(member));
    await storage().members.remove({ ...keyOf(company), person: member, by: null, now: NOW });
    await join(storage(), company, member);
    expect(await rulesOf(company)).toMatchObject([{ forSelected: true, selected: [] }]);
    expect(await silently(company, member)).toEqual({ kind: "no_consent" });
  });

  test("requests → answered for the named alone; the others wait", async () => {
    const { company, member, other } = await aTeam();
    for (const { personId } of [member, other])
      await storage().companyApps.askApproval({
        ...{ ...keyOf(company), clientId: CLIENT, personId, scopes: ["read"], reason: "r", now: NOW },
      });
    await set(company, only(member));
    const open = await storage().companyApps.listRequests({ ...keyOf(company), limit: 9 });
    expect(open).toMatchObject([{ personId: other.personId }]);
  });

  test("requests → the answer to a part is told, and the rest waits; nothing is told about another request", async () => {
    const { company, admin, member } = await aTeam();
    const { partition } = company;
    const asked = ["read", "write"];
    const wish = { ...keyOf(company), clientId: CLIENT, personId: member.personId, reason: "r", now: NOW };
    await storage().companyApps.askApproval({ ...wish, scopes: asked });
    const tells = async (about: readonly string[]) => {
      const mail = { partition, mailId: anId(partition), kind: "companyRequest", sealed: new Uint8Array(1) };
      const news = [
        { personId: member.personId, asked: about, host: null, mails: [{ ...mail, uselessAfter: NOW + DAY }] },
      ];
      const rule = { rule: anAppRule(), shown: SHOWN, clientId: CLIENT, by: null, now: NOW };
      await storage().companyApps.setRule({ ...keyOf(company), ...rule, news });
      const due = await storage().mail.claim({ now: NOW + HOUR, limit: 1000, until: NOW + HOUR + 1 });
      return due.some(({ mailId }) => mailId === mail.mailId);
    };
    expect([await tells(["read"]), await tells(asked)]).toEqual([false, true]);
    const open = () => storage().companyApps.listRequests({ ...keyOf(company), limit: 9 });
    expect(await open()).toMatchObject([{ scopes: asked }]);
    const refuse = (seen: number) =>
      storage().companyApps.refuseRequest({ ...wish, seen, refused: ["write"], by: admin.personId });
    expect([await refuse(NOW - 1), await refuse(NOW)]).toEqual([{ kind: "changed" }, { kind: "done" }]);
    const { personId } = member;
    expect(await storage().companyApps.requestsOfMember({ ...keyOf(company), personId, limit: 9 })).toMatchObject([
      { status: "refused", scopes: ["write"] },
    ]);
  });

  test("the people for whom an app acts → with their names, the last to use it first; of no company → none", async () => {
    const { company, admin, member } = await aTeam();
    await set(company, anAppRule());
    await live(company, member);
    await aLiveCompanyGrant(storage(), company, admin, {}, { now: NOW + HOUR });
    const acting = (of: Company, limit = 9) =>
      storage().companyApps.listActing({ ...keyOf(of), clientId: CLIENT, ceiling: null, limit, now: NOW + HOUR });
    const found = await acting(company);
    expect(found.map(({ username }) => username).sort()).toEqual([admin.username, member.username].sort());
    expect(found.every(({ since }) => since >= NOW)).toBe(true);
    expect(await acting(company, 1)).toHaveLength(1);
    expect(await acting(aCompany())).toEqual([]);
  });

  test("approved for a day → access to its permissions ends then, also an admin's; access to another one stays", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const scopes = ["read", "write"];
    for (const person of [member, admin]) await aLiveCompanyGrant(storage(), company, person, { scopes });
    const held = (ceiling: number | null = null) =>
      storage().companyApps.liveAccess({ ...keyOf(company), clientId: CLIENT, ceiling, now: NOW });
    const endsIn = async () =>
      (await held()).map(({ admin: isAdmin, name, endsAt }) => [isAdmin, name, endsAt && endsAt - NOW]).sort();
    const before = await endsIn();
    expect(before.map(([isAdmin, name]) => [isAdmin, name])).toEqual([
      ...scopes.map((name) => [false, name]),
      ...scopes.map((name) => [true, name]),
    ]);
    await set(company, anAppRule({ endsAt: NOW + DAY }));
    expect(await endsIn()).toEqual(before.map(([isAdmin, name, end]) => [isAdmin, name, name === "read" ? DAY : end]));
    expect((await held(HOUR)).map(({ endsAt }) => endsAt)).toEqual(before.map(() => NOW + HOUR));
  });

  test("what an app has for one person → theirs alone, and apart from it what refresh tokens renew", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    await aLiveCompanyGrant(storage(), company, admin, { scopes: ["read"] });
    const day = { duration: 86_400 };
    await aLiveCompanyGrant(storage(), company, member, { scopes: ["write"], refreshable: true }, day);
    await aLiveCompanyGrant(storage(), company, member, { scopes: ["share"], refreshable: false }, day);
    const key = { ...keyOf(company), clientId: CLIENT, ceiling: null, now: NOW };
    const held = await storage().companyApps.liveAccess({ ...key, personId: member.personId });
    expect(held.map(({ personId, name }) => [personId, name]).sort()).toEqual([
      [member.personId, "share"],
      [member.personId, "write"],
    ]);
    const renewed = held.map(({ name, refreshableUntil }) => [name, refreshableUntil] as const);
    expect(Object.fromEntries(renewed)).toEqual({ write: NOW + DAY, share: undefined });
    expect(await storage().companyApps.liveAccess({ ...key, personId: "somebody" })).toEqual([]);
  });

  test("apps that the operator verified → those alone; a name can't pretend", async () => {
    const verified = aClient({ clientId: anId(), verified: true });
    const others = [
      aClient({ clientId: anId() }),
      aClient({ clientId: anId(), verified: false, name: '"verified":true' }),
    ];
    for (const client of [verified, ...others]) await storage().clients.put({ client, expect: 0 });
    const found = (await storage().companyApps.listVerified({ limit: 1_000, after: null })).map(
      ({ clientId }) => clientId,
    );
    expect(found).toContain(verified.clientId);
    for (const { clientId } of others) expect(found).not.toContain(clientId);
  });

  test("a client that is deleted → its approvals are rules to ask, blocks stay; its id gives a later app nothing", async () => {
    const client = aClient();
    const { clientId } = client;
    await storage().clients.put({ client, expect: 0 });
    const set = (company: Company, rule: NewRule, now = NOW) =>
      storage().companyApps.setRule({ ...keyOf(company), clientId, rule, shown: SHOWN, by: null, now });
    const [forAll, selected, blocked] = await Promise.all([1, 2, 3].map(() => aStaffedCompany(storage())));
    if (forAll === undefined || selected === undefined || blocked === undefined) throw new Error("no companies");
    await set(forAll.company, anAppRule());
    await set(selected.company, { ...anAppRule(), selected: [selected.member.personId] });
    await set(blocked.company, anAppRule({ rule: "block" }));
    const key = { ...keyOf(forAll.company), clientId, personId: forAll.member.personId };
    const grant = aCompanyGrant(forAll.company, forAll.member, { clientId, scopes: ["read"] });
    expect((await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW })).kind).toBe("issued");
    expect(await storage().members.findActing(key)).toMatchObject({ chosen: true });
    expect(await storage().consents.countOfClient({ clientId, now: NOW, most: 10 })).toMatchObject({ approvals: 2 });

    await storage().clients.delete({ clientId, now: NOW + HOUR });
    const rules = await Promise.all(
      [forAll, selected, blocked].map(({ company }) => storage().companyApps.listRules(keyOf(company))),
    );
    const ask = { clientId, rule: "ask", scopes: [], endsAt: null, decidedBy: "operator", decidedAt: NOW + HOUR };
    expect(rules).toMatchObject([[ask], [ask], [{ rule: "block" }]]);
    expect(rules.flat().map(({ forSelected, selected: named }) => [forSelected, named])).toEqual(
      [1, 2, 3].map(() => [undefined, []]),
    );
    for (const { company } of [forAll, selected]) {
      const { partition, companyId: ownerId } = company;
      const told = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
      expect(told.filter(({ kind }) => kind === "rule_changed")).toMatchObject([
        { at: NOW + HOUR, clientId, record: { rule: "ask", by: "operator", clientName: client.name } },
      ]);
    }
    expect(await storage().consents.countOfClient({ clientId, now: NOW + HOUR, most: 10 })).toMatchObject({
      approvals: 0,
    });
    // A page that was loaded before gives no approval to an app that is gone.
    expect(await set(forAll.company, anAppRule(), NOW + HOUR)).toEqual({ kind: "changed" });

    await storage().clients.put({ client, expect: 0 });
    const later = aCompanyGrant(forAll.company, forAll.member, { clientId, scopes: ["read"] });
    expect((await storage().grants.issue({ grant: later, now: NOW + HOUR })).kind).toBe("no_consent");
    expect(await storage().members.findActing(key)).toMatchObject({ chosen: false, rule: { rule: "ask" } });
  });
});
