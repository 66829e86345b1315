import { describe, expect, test } from "vitest";
import { peopleIn } from "../../../src/owners/companies/rule-change.ts";
import type { Company } from "../../../src/owners/company-storage.ts";
import type { StoredMail } from "../../../src/owners/mail/storage.ts";
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
import { aClaim, aDevice, aDeviceRedemption, anAnswer } from "../support/device-builders.ts";
import { aMail } from "../support/mail-builders.ts";
import {
  aClient,
  anApproval,
  anId,
  aRedemption,
  aRefresh,
  aStoredPerson,
  DAY,
  HOUR,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

const YEAR = 365 * DAY;
const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });

onEveryBackend("what a company decided about an app", (storage) => {
  const set = (company: Company, rule: ReturnType<typeof anAppRule> | null, by: string | null = null) =>
    storage().companyApps.setRule({ ...keyOf(company), clientId: "client-1", rule, shown: SHOWN, by, now: NOW });
  const silently = (company: Company, person: Person, scopes = ["read"]) => {
    const grant = aCompanyGrant(company, person, { scopes });
    return storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW });
  };

  test("by a member → not_admin; of no company → unknown", async () => {
    const { company, member } = await aStaffedCompany(storage());
    expect(await set(company, anAppRule(), member.personId)).toEqual({ kind: "not_admin" });
    expect(await set(aCompany(), anAppRule())).toEqual({ kind: "unknown" });
    expect(await storage().companyApps.listRules(keyOf(company))).toEqual([]);
  });

  test("allowed for all → the company's consent, within the scopes and until the end; approving is no use of it", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    expect(await set(company, anAppRule(), admin.personId)).toMatchObject({ kind: "done" });
    const consent = await storage().consents.find({
      ...keyOf(company),
      ownerId: company.companyId,
      clientId: "client-1",
    });
    expect(consent).toMatchObject({
      ...{ via: "company policy", grantedBy: admin.personId, lastUsedAt: null, uses: 0 },
      scopes: [{ name: "read", expiresAt: NOW + 365 * DAY }],
    });
    expect((await silently(company, member)).kind).toBe("issued");
    expect(await silently(company, member, ["read", "write"])).toEqual({ kind: "no_consent" });
    // The rule's ceiling applies even if the company's own consent covers the scopes.
    await aLiveCompanyGrant(storage(), company, admin, { scopes: ["read", "write"] });
    expect(await silently(company, member, ["read", "write"])).toEqual({ kind: "no_consent" });
    expect((await silently(company, admin, ["read", "write"])).kind).toBe("issued");
  });

  test("a member under it changes nothing of the company's consent by a page", async () => {
    const { company, member } = await aStaffedCompany(storage());
    await set(company, anAppRule());
    expect(await storage().grants.approve(anApproval(aCompanyGrant(company, member)))).toEqual({
      kind: "no_consent",
    });
  });

  test("taken back, those who use it → counted apart from admins; kept where nobody says that it ends; ended, told of once", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const key = { ...keyOf(company), clientId: "client-1" };
    const count = async () => {
      const held = await storage().companyApps.liveAccess({ ...key, ceiling: null, now: NOW });
      return { people: peopleIn(held), members: peopleIn(held.filter((one) => !one.admin)) };
    };
    expect(await count()).toEqual({ people: 0, members: 0 });
    await set(company, anAppRule());
    const live = async (person: Person) => {
      const grant = aCompanyGrant(company, person, { scopes: ["read"] });
      expect((await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW })).kind).toBe("issued");
      await storage().grants.redeem(aRedemption(grant));
      return grant;
    };
    const [theirs, again, own] = [await live(member), await live(member), await live(admin)];
    expect(await count()).toEqual({ people: 2, members: 1 });
    const change = (rule: "ask" | "allow" | null, members: "keep" | "end") =>
      storage().companyApps.setRule({
        ...{ ...key, rule: rule === null ? null : anAppRule({ rule }), shown: SHOWN, by: admin.personId },
        ...{ members, now: NOW + HOUR },
      });
    expect(await change("ask", "keep")).toMatchObject({ grantsEnded: 0 });
    expect(await count()).toEqual({ people: 2, members: 1 });
    expect(await change("allow", "end")).toMatchObject({ grantsEnded: 0 });
    expect(await change(null, "end")).toMatchObject({ grantsEnded: 2 });
    expect(await change("ask", "end")).toMatchObject({ grantsEnded: 0 });
    const statuses = await Promise.all([theirs, again, own].map((grant) => statusOf(storage(), grant)));
    expect(statuses.map((grant) => grant?.status)).toEqual(["revoked", "revoked", "active"]);
    const { partition, companyId: ownerId } = company;
    const told = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
    expect(told.filter(({ kind }) => kind === "ended").map(({ record }) => [record.cause, record.by])).toEqual([
      ["approval", admin.personId],
    ]);
    expect(await storage().consents.find({ partition, ownerId, clientId: "client-1" })).toMatchObject({
      status: "active",
    });
  });

  test("what people are told → in the outbox with what it tells of, and not where nothing was done", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const key = { ...keyOf(company), clientId: "client-1" };
    const posted = async (run: (mails: readonly StoredMail[]) => Promise<{ readonly kind: string }>) => {
      const mail = aMail(company.partition);
      const { kind } = await run([mail]);
      const due = await storage().mail.claim({ now: NOW + DAY, limit: 1000, until: NOW + DAY + 1 });
      return [kind, due.some(({ mailId }) => mailId === mail.mailId)];
    };
    const run = storage();
    const wish = { ...key, personId: member.personId, scopes: ["read"], reason: "x", now: NOW };
    const { personId } = member;
    const refuse = (by: string) => (mails: readonly StoredMail[]) =>
      run.companyApps.refuseRequest({ ...wish, seen: NOW, refused: wish.scopes, by, mails });
    const allow = (mails: readonly StoredMail[]) =>
      run.companyApps.setRule({
        ...key,
        rule: anAppRule(),
        shown: SHOWN,
        by: null,
        now: NOW,
        news: [{ personId, asked: wish.scopes, host: null, mails }],
      });
    const remove = (by: string) => (mails: readonly StoredMail[]) =>
      run.members.remove({ ...keyOf(company), person: member, by, mails, now: NOW });
    expect(await posted((mails) => run.companyApps.askApproval({ ...wish, mails }))).toEqual(["asked", true]);
    expect(await posted((mails) => run.companyApps.askApproval({ ...wish, mails }))).toEqual(["repeated", false]);
    expect(await posted(refuse(member.personId))).toEqual(["not_admin", false]);
    expect(await posted(refuse(admin.personId))).toEqual(["done", true]);
    expect(await posted(refuse(admin.personId))).toEqual(["unknown", false]);
    expect(await posted(allow)).toEqual(["done", false]);
    await set(company, null);
    await run.companyApps.askApproval(wish);
    expect(await posted(allow)).toEqual(["done", true]);
    expect(await posted(remove("nobody"))).toEqual(["not_admin", false]);
    expect(await posted(remove(admin.personId))).toEqual(["done", true]);
    expect(await posted(remove(admin.personId))).toEqual(["unknown", false]);
    const { partition, companyId: ownerId } = company;
    const told = await run.history.list({ partition, ownerId, before: null, limit: 20 });
    const left = told.filter(({ kind }) => kind === "member_left");
    expect(left).toMatchObject([{ clientId: "", record: { by: admin.personId, personId } }]);
  });

  test("approved again with fewer scopes → members' grants lose the rest, admins' don't; more scopes give them nothing", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const all = ["read", "write"];
    await set(company, anAppRule({ scopes: all }));
    const own = await aLiveCompanyGrant(storage(), company, admin, { scopes: all });
    const theirs = aCompanyGrant(company, member, { scopes: all });
    const wrote = aCompanyGrant(company, member, { scopes: ["write"] });
    for (const grant of [theirs, wrote]) {
      expect((await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW })).kind).toBe("issued");
      await storage().grants.redeem(aRedemption(grant));
    }
    await set(company, anAppRule());
    const held = async (grant: typeof own) => {
      const { status, scopes } = (await statusOf(storage(), grant)) ?? {};
      return [status, ...(scopes ?? []).map(({ name }) => name)];
    };
    expect([await held(own), await held(theirs)]).toEqual([
      ["active", "read", "write"],
      ["active", "read"],
    ]);
    expect((await held(wrote))[0]).toBe("revoked");
    const [entry] = (
      await storage().history.list({ ...keyOf(company), ownerId: company.companyId, before: null, limit: 9 })
    ).filter(({ kind }) => kind === "narrowed");
    expect(entry?.record).toMatchObject({ removed: ["write"], scopes: [{ name: "read" }, { name: "write" }] });
    await set(company, anAppRule({ scopes: all }));
    expect(await held(theirs)).toEqual(["active", "read"]);
  });

  test("approved for less, and sooner → the company's consent loses the rest; the default lets no member have it", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    await storage().companies.update({ ...keyOf(company), changes: { defaultRule: "members" }, by: null, now: NOW });
    const all = ["read", "write"];
    await set(company, anAppRule({ scopes: all, endsAt: NOW + 30 * DAY }), admin.personId);
    const theirs = aCompanyGrant(company, member, { scopes: all });
    expect((await storage().grants.issue({ grant: theirs, answer: anAnswerOfMember(), now: NOW })).kind).toBe("issued");
    await storage().grants.redeem(aRedemption(theirs));
    await set(company, anAppRule({ scopes: all, endsAt: NOW + YEAR }), admin.personId);
    await set(company, anAppRule({ endsAt: NOW + DAY }), admin.personId);
    const { partition, companyId: ownerId } = company;
    const consent = () => storage().consents.find({ partition, ownerId, clientId: "client-1" });
    expect(await consent()).toMatchObject({
      ...{ expiresAt: NOW + DAY, removed: ["write"] },
      scopes: [{ name: "read", expiresAt: NOW + DAY }],
    });
    expect((await consent())?.scopes).toHaveLength(1);
    await set(company, null, admin.personId);
    expect(await silently(company, member, all)).toEqual({ kind: "no_consent" });
    expect((await silently(company, member)).kind).toBe("issued");
  });

  test("the same where an admin connected the app → their grant keeps the permission, the record ends with it", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const all = ["read", "write"];
    await set(company, anAppRule({ scopes: all }));
    const own = await aLiveCompanyGrant(storage(), company, admin, { scopes: ["write"] });
    await set(company, anAppRule({ endsAt: NOW + DAY }));
    const end = (await statusOf(storage(), own))?.absoluteUntil;
    const { partition, companyId: ownerId } = company;
    const consent = await storage().consents.find({ partition, ownerId, clientId: "client-1" });
    expect(consent?.scopes.map(({ name }) => name)).toEqual(["read"]);
    expect(consent?.expiresAt).toBe(end);
  });

  test("a rule where nobody holds anything → told when it changes, with the app's name; an approval as what it allows", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const key = { ...keyOf(company), clientId: "client-1" };
    const rules = [null, "block", "block", null, "ask", "ask", null, "allow", "allow", "block", "allow"] as const;
    for (const [at, rule] of rules.entries()) {
      const set = { rule: rule === null ? null : anAppRule({ rule }), shown: SHOWN, by: admin.personId, now: NOW + at };
      expect((await storage().companyApps.setRule({ ...key, ...set })).kind).toBe("done");
    }
    const { partition, companyId: ownerId } = company;
    const all = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
    const told = all.filter(({ clientId }) => clientId === "client-1").reverse();
    expect(told.map(({ kind, at, record }) => [at - NOW, record.rule ?? kind]).sort()).toEqual(
      [
        [1, "blocked"],
        [3, "unblocked"],
        [4, "ask"],
        [6, "none"],
        [7, "allowed"],
        [8, "allowed"],
        [9, "blocked"],
        [9, "revoked"],
        [10, "allowed"],
      ].sort(),
    );
    expect(told[0]?.record).toMatchObject({ clientName: SHOWN.clientName, by: admin.personId });
  });

  test("run out → members ask again", async () => {
    const { company, member } = await aStaffedCompany(storage());
    await set(company, anAppRule({ endsAt: NOW + HOUR }));
    const grant = aCompanyGrant(company, member);
    expect(await storage().grants.issue({ grant, now: NOW + HOUR })).toEqual({ kind: "no_consent" });
  });

  test("an admin allows the app for longer than the rule → a member's access ends with the rule, the admin's as chosen", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    await set(company, anAppRule({ endsAt: NOW + 7 * DAY }));
    const year = { duration: YEAR / 1000, durations: { read: YEAR / 1000 }, now: NOW + DAY } as const;
    const own = await aLiveCompanyGrant(storage(), company, admin, { scopes: ["read"] }, year);
    const issued = async (person: Person, read: number | null = null) => {
      const grant = aCompanyGrant(company, person, { scopes: ["read"] });
      expect(
        (await storage().grants.issue({ grant, ends: { read }, answer: anAnswerOfMember(), now: NOW + 2 * DAY })).kind,
      ).toBe("issued");
      return statusOf(storage(), grant);
    };
    const theirs = await issued(member);
    expect(theirs).toMatchObject({ absoluteUntil: NOW + 7 * DAY, scopes: [{ expiresAt: NOW + 7 * DAY }] });
    // The ceiling counts from the rule, not from the admin's later answer.
    expect(theirs?.decidedAt).toBe(NOW);
    expect((await issued(member, NOW + 3 * DAY))?.absoluteUntil).toBe(NOW + 3 * DAY);
    expect((await issued(admin))?.absoluteUntil).toBe(NOW + DAY + YEAR);
    expect((await statusOf(storage(), own))?.absoluteUntil).toBe(NOW + DAY + YEAR);
  });

  test("the same on a device → likewise", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    await set(company, anAppRule({ endsAt: NOW + 7 * DAY }));
    const year = { duration: YEAR / 1000, durations: { read: YEAR / 1000 } } as const;
    await aLiveCompanyGrant(storage(), company, admin, { scopes: ["read"] }, year);
    const connected = async ({ personId }: Person) => {
      const device = aDevice();
      await storage().deviceRequests.create(device);
      await storage().deviceRequests.claim({ ...aClaim(device), before: null });
      const { partition, companyId: ownerId } = company;
      const approval = { partition, ownerId, personId, grantId: anId(partition) };
      const answer = anAnswer(device, member, { grantedBy: personId, approval, duration: YEAR / 1000 });
      expect(await storage().deviceRequests.approve(answer)).toBe("decided");
      const outcome = await storage().deviceRequests.redeem(aDeviceRedemption(device, answer.approval));
      if (outcome.kind !== "issued") throw new Error(`no grant: ${outcome.kind}`);
      return outcome.grant;
    };
    const theirs = await connected(member);
    expect(theirs).toMatchObject({ absoluteUntil: NOW + 7 * DAY, scopes: [{ expiresAt: NOW + 7 * DAY }] });
    expect((await connected(admin)).absoluteUntil).toBe(NOW + YEAR);
  });

  test("blocked → the consent and everybody's grants end, nobody grants again, admins neither; lifted → they do", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const grants = [
      await aLiveCompanyGrant(storage(), company, admin),
      await aLiveCompanyGrant(storage(), company, member),
    ];
    expect(await set(company, anAppRule({ rule: "block" }))).toMatchObject({ kind: "done", grantsEnded: 2 });
    for (const grant of grants) expect(await statusOf(storage(), grant)).toMatchObject({ status: "revoked" });
    expect(await storage().grants.approve(anApproval(aCompanyGrant(company, admin)))).toEqual({ kind: "no_consent" });
    await set(company, null);
    expect((await storage().grants.approve(anApproval(aCompanyGrant(company, member)))).kind).toBe("issued");
  });

  test("revoked for all → every grant and the approval end; members ask again; nothing there → unknown", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const revoke = (by: string | null) =>
      storage().companyApps.revokeForAll({ ...keyOf(company), clientId: "client-1", by, now: NOW });
    expect(await revoke(admin.personId)).toEqual({ kind: "unknown" });
    await set(company, anAppRule());
    const grant = aCompanyGrant(company, member);
    await storage().grants.issue({ grant, answer: anAnswerOfMember(), now: NOW });
    await storage().grants.redeem(aRedemption(grant));
    expect(await revoke(member.personId)).toEqual({ kind: "not_admin" });
    expect(await revoke(admin.personId)).toMatchObject({ kind: "done", grantsEnded: 1 });
    expect(await storage().grants.refresh(aRefresh(grant))).toEqual({ kind: "ended", status: "revoked" });
    expect(await silently(company, member)).toEqual({ kind: "no_consent" });
    expect(await storage().companyApps.listRules(keyOf(company))).toEqual([]);
  });

  test("its apps → each consent with how many people use it", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    await aLiveCompanyGrant(storage(), company, admin);
    await aLiveCompanyGrant(storage(), company, member);
    const apps = await storage().companyApps.list({ ...keyOf(company), now: NOW });
    expect(apps).toMatchObject([{ consent: { clientId: "client-1" }, grants: 2, people: 2 }]);
  });

  describe("a forgotten choice", () => {
    const keyFor = (company: Company, { personId }: Person) => ({ ...keyOf(company), clientId: "client-1", personId });
    const acting = (company: Company, person: Person) => storage().members.findActing(keyFor(company, person));

    test("of a stranger, of a member who chose nothing, by a session from before a new password → unknown", async () => {
      const { company, member } = await aStaffedCompany(storage());
      await set(company, anAppRule());
      const forget = (person: Person, trustedFrom?: number) =>
        storage().companyApps.forgetChoice({
          ...keyFor(company, person),
          ...(trustedFrom === undefined ? {} : { trustedFrom }),
        });
      expect(await forget(await aStoredPerson(storage()))).toEqual({ kind: "unknown" });
      expect(await forget(member)).toEqual({ kind: "unknown" });
      await storage().grants.issue({ grant: aCompanyGrant(company, member), answer: anAnswerOfMember(), now: NOW });
      expect(await forget(member, 17)).toEqual({ kind: "unknown" });
      expect(await acting(company, member)).toMatchObject({ chosen: true });
    });

    test("→ no choice; what was declined and the grants stay; twice → unknown; chosen again → a choice", async () => {
      const { company, member } = await aStaffedCompany(storage());
      await set(company, anAppRule());
      const grant = aCompanyGrant(company, member);
      await storage().grants.issue({ grant, answer: anAnswerOfMember(["write"]), now: NOW });
      const forget = () => storage().companyApps.forgetChoice(keyFor(company, member));
      const { partition, companyId } = company;
      const chosen = () => storage().companyApps.listChoices({ partition, companyId, personId: member.personId });
      expect(await chosen()).toEqual([grant.clientId]);
      expect(await forget()).toEqual({ kind: "done" });
      expect(await chosen()).toEqual([]);
      const left = { chosen: false, chosenAt: NOW, declined: ["write"] };
      expect(await acting(company, member)).toMatchObject(left);
      expect(await forget()).toEqual({ kind: "unknown" });
      expect(await acting(company, member)).toMatchObject(left);
      expect(await statusOf(storage(), grant)).toMatchObject({ status: "active" });
      const again = aCompanyGrant(company, member);
      await storage().grants.issue({ grant: again, answer: anAnswerOfMember(), now: NOW + 1 });
      expect(await acting(company, member)).toMatchObject({ chosen: true, chosenAt: NOW + 1, declined: ["write"] });
    });
  });

  describe("opting out", () => {
    const optOut = (company: Company, person: Person, out = true) =>
      storage().companyApps.setOptOut({
        ...keyOf(company),
        clientId: "client-1",
        personId: person.personId,
        out,
        now: NOW,
      });
    const acting = (company: Company, person: Person) =>
      storage().members.findActing({ ...keyOf(company), personId: person.personId, clientId: "client-1" });

    test("by a stranger → unknown; of an app that the company doesn't know → nothing is kept; without a rule → what acts for the member ends", async () => {
      const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      expect(await optOut(company, await aStoredPerson(storage()))).toEqual({ kind: "unknown" });
      expect(await optOut(company, member)).toEqual({ kind: "done", grantsEnded: 0 });
      expect(await acting(company, member)).toMatchObject({ optedOut: false });
      const grant = aCompanyGrant(company, member);
      await storage().grants.approve(anApproval(grant));
      expect(await optOut(company, member)).toEqual({ kind: "done", grantsEnded: 1 });
      expect(await statusOf(storage(), grant)).toMatchObject({ status: "revoked" });
      expect(await acting(company, member)).toMatchObject({ optedOut: true });
    });

    test("→ that member's grants end, the others' stay; taken back → as before; another rule → stays; blocked → forgotten", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      await set(company, anAppRule());
      const theirs = aCompanyGrant(company, member);
      await storage().grants.issue({ grant: theirs, answer: anAnswerOfMember(), now: NOW });
      const others = aCompanyGrant(company, admin);
      await storage().grants.issue({ grant: others, answer: anAnswerOfMember(), now: NOW });
      expect(await optOut(company, member)).toEqual({ kind: "done", grantsEnded: 1 });
      expect(await statusOf(storage(), theirs)).toMatchObject({ status: "revoked" });
      expect(await statusOf(storage(), others)).toMatchObject({ status: "active" });
      expect(await acting(company, member)).toMatchObject({ optedOut: true });
      await optOut(company, member, false);
      expect(await acting(company, member)).toMatchObject({ optedOut: false });
      await optOut(company, member);
      await set(company, anAppRule({ rule: "ask", scopes: [] }));
      expect(await acting(company, member)).toMatchObject({ optedOut: true });
      await set(company, anAppRule({ rule: "block", scopes: [] }));
      expect(await acting(company, member)).toMatchObject({ optedOut: false });
    });
  });

  describe("a member's request", () => {
    const ask = (company: Company, person: Person, clientId = "client-1", scopes = ["read"]) =>
      storage().companyApps.askApproval({
        ...keyOf(company),
        ...{ clientId, personId: person.personId, scopes, reason: "For the fair", now: NOW },
      });
    const open = (company: Company) => storage().companyApps.listRequests({ ...keyOf(company), limit: 100 });

    test("of a stranger, an admin, where it is blocked or members decide → needless", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      expect(await ask(company, await aStoredPerson(storage()))).toEqual({ kind: "needless" });
      expect(await ask(company, admin)).toEqual({ kind: "needless" });
      await set(company, anAppRule({ rule: "block" }));
      expect(await ask(company, member)).toEqual({ kind: "needless" });
      const free = await aStaffedCompany(storage(), { defaultRule: "members" });
      expect(await ask(free.company, free.member)).toEqual({ kind: "needless" });
      expect(await open(company)).toEqual([]);
    });

    test("→ in the queue; the same again → repeated; other scopes → in its place; the 21st app → too_many", async () => {
      const { company, member } = await aStaffedCompany(storage());
      expect(await ask(company, member)).toEqual({ kind: "asked" });
      expect(await ask(company, member)).toEqual({ kind: "repeated" });
      expect(await ask(company, member, "client-1", ["read", "write"])).toEqual({ kind: "asked" });
      expect(await open(company)).toMatchObject([
        {
          clientId: "client-1",
          username: member.username,
          scopes: ["read", "write"],
          reason: "For the fair",
          askedAt: NOW + 1,
        },
      ]);
      for (let at = 2; at <= 20; at += 1) await ask(company, member, `client-${at}`);
      expect(await ask(company, member, "client-21")).toEqual({ kind: "too_many" });
    });

    test("approved for all → answered where the scopes reach; the others wait; blocked → all answered", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      const second = await aStoredPerson(storage());
      await join(storage(), company, second);
      await ask(company, member);
      await ask(company, second, "client-1", ["read", "write"]);
      await set(company, anAppRule(), admin.personId);
      expect(await open(company)).toMatchObject([{ personId: second.personId }]);
      await set(company, anAppRule({ rule: "block" }), admin.personId);
      expect(await open(company)).toEqual([]);
    });

    test("refused: by a member → not_admin; by an admin → done; once more → unknown; asked again → open again", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      await ask(company, member);
      const refuse = (by: string) =>
        storage().companyApps.refuseRequest({
          ...keyOf(company),
          ...{ clientId: "client-1", personId: member.personId, seen: NOW, refused: ["read"], by, now: NOW },
        });
      expect(await refuse(member.personId)).toEqual({ kind: "not_admin" });
      expect(await refuse(admin.personId)).toEqual({ kind: "done" });
      expect(await refuse(admin.personId)).toEqual({ kind: "unknown" });
      expect(await ask(company, member)).toEqual({ kind: "asked" });
      expect(await open(company)).toHaveLength(1);
    });
  });

  test("a client that is deleted → grants and consents in companies' names end, too", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const client = aClient();
    await storage().clients.put({ client, expect: 0 });
    const grant = await aLiveCompanyGrant(storage(), company, admin, { clientId: client.clientId });
    await storage().clients.delete({ clientId: client.clientId, now: NOW });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "client_ended" });
  });
});
