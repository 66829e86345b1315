import { describe, expect, test } from "vitest";
import type { Company, Role } from "../../../src/owners/company-storage.ts";
import type { Approve, Person } from "../../../src/owners/storage.ts";
import { updateCompany } from "../../../src/storage/companies/companies.ts";
import { dropName, reserveName } from "../../../src/storage/people/unique-names.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import {
  aCompany,
  aCompanyGrant,
  aLiveCompanyGrant,
  anAnswerOfMember,
  aStaffedCompany,
  aStoredCompany,
  join,
} from "../support/company-builders.ts";
import { interrupted } from "../support/interleave.ts";
import {
  aDirectGrant,
  anApproval,
  anId,
  aPerson,
  aRefresh,
  aStoredPerson,
  HOUR,
  MINUTE,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });

onEveryBackend("a company", (storage, opened) => {
  test("a slug that another has → taken, and nothing is left", async () => {
    const { slug } = await aStoredCompany(storage());
    const second = aCompany({ slug });
    expect(await storage().companies.create({ company: second, now: NOW })).toEqual({ kind: "taken" });
    expect(await storage().companies.get(keyOf(second))).toBeUndefined();
  });

  test("a member added, given another role, removed → each told once, with who did it; repeated, refused → nothing more", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const person = await aStoredPerson(storage());
    const key = keyOf(company);
    const add = (now: number) =>
      storage().members.add({ ...key, person, role: "member", addedBy: "operator", link: anId(), now });
    await add(NOW + 1);
    await add(NOW + 2);
    const change = (role: Role, by: string | null, now: number) =>
      storage().members.setRole({ ...key, personId: person.personId, role, by, now });
    expect(await change("admin", person.personId, NOW + 3)).toEqual({ kind: "not_admin" });
    await change("admin", admin.personId, NOW + 4);
    await change("admin", admin.personId, NOW + 5);
    await change("member", null, NOW + 6);
    await storage().members.remove({ ...key, person, by: admin.personId, now: NOW + 7 });
    const told = await storage().history.list({ ...key, ownerId: company.companyId, before: null, limit: 9 });
    const mine = told.filter(({ record }) => record.personId === person.personId);
    expect(mine.map(({ kind, at, record }) => [kind, at - NOW, record.by, record.role])).toEqual([
      ["member_left", 7, admin.personId, undefined],
      ["member_role", 6, "operator", "member"],
      ["member_role", 4, admin.personId, "admin"],
      ["member_joined", 1, "operator", "member"],
    ]);
  });

  test("a person's username is no slug: each has a namespace of its own", async () => {
    const person = await aStoredPerson(storage());
    await aStoredCompany(storage(), { slug: person.username });
    expect(await storage().people.findByName({ name: person.username })).toMatchObject(person);
  });

  test("created → found by slug and id, once more → the same", async () => {
    const company = await aStoredCompany(storage());
    expect(await storage().companies.create({ company, now: NOW })).toEqual({ kind: "created" });
    expect(await storage().companies.find({ slug: company.slug })).toEqual(company);
    expect(await storage().companies.get(keyOf(company))).toEqual(company);
    expect(await storage().companies.find({ slug: "nobody" })).toBeUndefined();
  });

  test("listed oldest first, a page at a time", async () => {
    const made = [];
    for (let at = 0; at < 3; at += 1) made.push(await aStoredCompany(storage(), { createdAt: NOW + 1000 + at }));
    const ids = new Set(made.map(({ companyId }) => companyId));
    const [first] = made;
    const rest = await storage().companies.list({ limit: 100, after: first?.companyId ?? "" });
    expect(rest.filter(({ companyId }) => ids.has(companyId))).toEqual(made.slice(1));
    expect(await storage().companies.list({ limit: 5, after: anId() })).toEqual([]);
  });

  test("changed by a member, a stranger → not_admin; by an admin and the operator → done", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const change = (by: string | null) =>
      storage().companies.update({ ...keyOf(company), changes: { defaultRule: "block" }, by, now: NOW + 1 });
    expect(await change(member.personId)).toEqual({ kind: "not_admin" });
    expect(await change(anId())).toEqual({ kind: "not_admin" });
    expect(await change(admin.personId)).toEqual({ kind: "updated" });
    expect(await change(null)).toEqual({ kind: "updated" });
    expect(await storage().companies.get(keyOf(company))).toMatchObject({ defaultRule: "block", updatedAt: NOW + 1 });
  });

  test("another default rule → in the history, with who did it; the same one or another name → not", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const { partition, companyId: ownerId } = company;
    const changes = [
      [{ defaultRule: "members" }, admin.personId],
      [{ defaultRule: "members", name: "Acme Berlin" }, admin.personId],
      [{ defaultRule: "block" }, null],
      [{ name: "Acme" }, null],
    ] as const;
    for (const [at, [changed, by]] of changes.entries())
      await storage().companies.update({ ...keyOf(company), changes: changed, by, now: NOW + at });
    const all = await storage().history.list({ partition, ownerId, before: null, limit: 20 });
    const told = all.filter(({ kind }) => kind === "rule_changed");
    expect(told.map(({ clientId, at, record }) => [clientId, at - NOW, record.rule, record.by])).toEqual([
      ["", 2, "default_block", "operator"],
      ["", 0, "default_members", admin.personId],
    ]);
  });

  test("another slug → found by that alone; one that is taken → as before", async () => {
    const company = await aStoredCompany(storage());
    const { slug } = await aStoredCompany(storage());
    const rename = (to: string) =>
      storage().companies.update({ ...keyOf(company), changes: { slug: to }, by: null, now: NOW });
    expect(await rename(slug)).toEqual({ kind: "taken" });
    expect(await storage().companies.find({ slug: company.slug })).toEqual(company);
    const next = `${company.slug}-2`;
    expect(await rename(next)).toEqual({ kind: "updated" });
    expect(await storage().companies.find({ slug: company.slug })).toBeUndefined();
    expect(await storage().companies.find({ slug: next })).toMatchObject({ companyId: company.companyId });
    await aStoredCompany(storage(), { slug: company.slug });
  });

  test("10 other slugs at once, 10 times → one of them is the company's, the others and those of before are free", async () => {
    const company = await aStoredCompany(storage());
    const slugs = [company.slug];
    for (let round = 0; round < 10; round++) {
      const next = Array.from({ length: 10 }, () => aCompany().slug);
      const outcomes = await Promise.all(
        [...next, ...next].map((slug) =>
          storage().companies.update({ ...keyOf(company), changes: { slug }, by: null, now: NOW }),
        ),
      );
      expect(outcomes.some(({ kind }) => kind === "updated")).toBe(true);
      slugs.push(...next);
    }
    const held = (await storage().companies.get(keyOf(company)))?.slug ?? "";
    expect((await storage().companies.find({ slug: held }))?.companyId).toBe(company.companyId);
    const free = slugs.filter((slug) => slug !== held);
    const created = await Promise.all(
      free.map((slug) => storage().companies.create({ company: aCompany({ slug }), now: NOW })),
    );
    expect(created.filter(({ kind }) => kind !== "created")).toEqual([]);
  });

  test("a slug that another change of it let go of, and another company took → taken, it keeps its own", async () => {
    const engine = await engineAt(opened().url);
    const [company, other] = [await aStoredCompany(storage()), aCompany()];
    const taken = async () => {
      await engine.call(dropName, { kind: "slug", value: other.slug, ownerId: company.companyId, now: NOW });
      expect(await storage().companies.create({ company: other, now: NOW })).toEqual({ kind: "created" });
    };
    const args = { ...keyOf(company), changes: { slug: other.slug }, by: null, now: NOW };
    expect(await interrupted(engine, updateCompany, args, reserveName, taken)).toEqual({ kind: "taken" });
    expect(await storage().companies.find({ slug: company.slug })).toEqual(company);
    expect(await storage().companies.find({ slug: other.slug })).toEqual(other);
    await engine.close();
  });

  test("another slug while the company is deleted, 20 times → both slugs are free", async () => {
    for (let round = 0; round < 20; round++) {
      const company = await aStoredCompany(storage());
      const { slug } = aCompany();
      await Promise.all([
        storage().companies.update({ ...keyOf(company), changes: { slug }, by: null, now: NOW }),
        storage().companies.delete({ ...keyOf(company), now: NOW }),
      ]);
      for (const free of [company.slug, slug])
        expect(await storage().companies.create({ company: aCompany({ slug: free }), now: NOW })).toEqual({
          kind: "created",
        });
    }
  });

  test("a slug whose maker crashed → goes to who asks an hour later, or is collected", async () => {
    const company = aCompany();
    const late = await aStoredCompany(storage(), { createdAt: NOW });
    await storage().companies.update({ ...keyOf(late), changes: { slug: `${late.slug}-b` }, by: null, now: NOW });
    expect(await storage().companies.create({ company: { ...company, slug: late.slug }, now: NOW })).toEqual({
      kind: "created",
    });
    await storage().housekeeping.collectGarbage({ now: NOW + 2 * HOUR, limit: 1000 });
    expect(await storage().companies.find({ slug: late.slug })).toMatchObject({ companyId: company.companyId });
  });

  test("disabled → its grants end, and nothing is granted in its name until it is active again", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const grant = await aLiveCompanyGrant(storage(), company, admin);
    expect(await storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW })).toBe(true);
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
    const again = aCompanyGrant(company, admin);
    expect(await storage().grants.approve(anApproval(again))).toEqual({ kind: "no_consent" });
    expect(await storage().grants.issue({ grant: again, now: NOW })).toEqual({ kind: "no_consent" });
    await storage().companies.setStatus({ ...keyOf(company), status: "active", now: NOW });
    expect((await storage().grants.issue({ grant: again, now: NOW })).kind).toBe("issued");
    expect(await storage().companies.setStatus({ ...keyOf(aCompany()), status: "disabled", now: NOW })).toBe(false);
  });

  test("deleted → gone with members and rules, its grants ended, the slug free, nobody's company any more", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const grant = await aLiveCompanyGrant(storage(), company, admin);
    expect(await storage().companies.delete({ ...keyOf(company), now: NOW })).toBe(true);
    expect(await storage().companies.delete({ ...keyOf(company), now: NOW })).toBe(false);
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
    expect(await storage().consents.find({ ...grant })).toBeUndefined();
    expect(await storage().members.companiesOf({ ...admin, clientId: null, now: NOW })).toEqual([]);
    expect(await storage().grants.approve(anApproval(aCompanyGrant(company, admin)))).toEqual({ kind: "no_consent" });
    await aStoredCompany(storage(), { slug: company.slug });
  });
});

onEveryBackend("members", (storage) => {
  const add = (company: Company, person: Person, role: Role = "member") =>
    storage().members.add({ ...keyOf(company), person, role, addedBy: "operator", link: anId(), now: NOW });

  test("of a company that isn't there or is disabled; a person who isn't, or is disabled → refused, and no trace", async () => {
    const person = await aStoredPerson(storage());
    const company = await aStoredCompany(storage());
    expect(await add(aCompany(), person)).toEqual({ kind: "no_company" });
    expect(await add(company, aPerson())).toEqual({ kind: "no_person" });
    await storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW });
    expect(await add(company, person)).toEqual({ kind: "no_company" });
    await storage().companies.setStatus({ ...keyOf(company), status: "active", now: NOW });
    expect(await storage().members.companiesOf({ ...person, clientId: null, now: NOW })).toEqual([]);
    await storage().people.setStatus({ ...person, status: "disabled", now: NOW });
    expect(await add(company, person)).toEqual({ kind: "no_person" });
  });

  test("added → listed by name, found from both sides; once more → the new role, since when it was", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    await add(company, member, "admin");
    const members = await storage().members.list({ ...keyOf(company), limit: 10, after: null });
    expect(members.map(({ personId, role }) => [personId, role]).sort()).toEqual(
      [
        [admin.personId, "admin"],
        [member.personId, "admin"],
      ].sort(),
    );
    const [first] = members;
    expect(await storage().members.list({ ...keyOf(company), limit: 10, after: first?.username ?? "" })).toHaveLength(
      1,
    );
    expect(await storage().members.companiesOf({ ...member, clientId: null, now: NOW })).toMatchObject([
      { company: { companyId: company.companyId }, member: { role: "admin", since: NOW }, optedOut: false },
    ]);
  });

  test("added once more while the company is disabled → refused, and a member as before when it is active again", async () => {
    const { company, member } = await aStaffedCompany(storage());
    await storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW });
    expect(await add(company, member)).toEqual({ kind: "no_company" });
    await storage().companies.setStatus({ ...keyOf(company), status: "active", now: NOW });
    const companies = () => storage().members.companiesOf({ ...member, clientId: null, now: NOW });
    expect(await companies()).toHaveLength(1);
    await storage().housekeeping.collectGarbage({ now: NOW + HOUR + 1, limit: 100 });
    expect(await companies()).toHaveLength(1);
  });

  test("the 51st company of a person → refused", async () => {
    const person = await aStoredPerson(storage());
    for (let at = 0; at < 50; at += 1) await join(storage(), await aStoredCompany(storage()), person);
    expect(await add(await aStoredCompany(storage()), person)).toEqual({ kind: "no_person" });
    expect(await storage().members.companiesOf({ ...person, clientId: null, now: NOW })).toHaveLength(50);
  });

  describe("removed", () => {
    const remove = (company: Company, person: Person, by: string | null) =>
      storage().members.remove({ ...keyOf(company), person, by, now: NOW });

    test("by a member, by a stranger; somebody who isn't one → refused", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      expect(await remove(company, admin, member.personId)).toEqual({ kind: "not_admin" });
      expect(await remove(company, admin, anId())).toEqual({ kind: "not_admin" });
      expect(await remove(company, aPerson(), admin.personId)).toEqual({ kind: "unknown" });
      expect(await remove(aCompany(), admin, null)).toEqual({ kind: "unknown" });
    });

    test("the last admin, by themselves → last_admin; by the operator → done", async () => {
      const { company, admin } = await aStaffedCompany(storage());
      expect(await remove(company, admin, admin.personId)).toEqual({ kind: "last_admin" });
      expect(await remove(company, admin, null)).toMatchObject({ kind: "done" });
    });

    test("→ the person's grants end with it, the consent and others' grants stay; their own are untouched", async () => {
      const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      const theirs = await aLiveCompanyGrant(storage(), company, member);
      const others = await aLiveCompanyGrant(storage(), company, admin);
      const own = await storage().grants.issueWithoutCode(aDirectGrant(member));
      expect(await remove(company, member, admin.personId)).toEqual({ kind: "done", grantsEnded: 1 });
      expect(await statusOf(storage(), theirs)).toMatchObject({ status: "owner_ended" });
      expect(await storage().grants.refresh(aRefresh(theirs))).toEqual({ kind: "ended", status: "owner_ended" });
      expect(await statusOf(storage(), others)).toMatchObject({ status: "active" });
      expect(await storage().consents.find({ ...others })).toMatchObject({ status: "active" });
      if (own.kind !== "issued") throw new Error("no grant");
      expect(await storage().grants.find({ ...own.grant, saltHash: null })).toMatchObject({ status: "active" });
    });

    test("→ grants nothing in its name any more, neither with a page nor without, nor by a device's poll", async () => {
      const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
      await aLiveCompanyGrant(storage(), company, member);
      await remove(company, member, null);
      const grant = aCompanyGrant(company, member);
      expect(await storage().grants.approve(anApproval(grant))).toEqual({ kind: "no_consent" });
      expect(await storage().grants.issue({ grant, now: NOW })).toEqual({ kind: "no_consent" });
      expect(await storage().members.companiesOf({ ...member, clientId: null, now: NOW })).toEqual([]);
    });

    test("and added again → a new member; what they did before stays ended", async () => {
      const { company, admin } = await aStaffedCompany(storage());
      const grant = await aLiveCompanyGrant(storage(), company, admin);
      await remove(company, admin, null);
      await add(company, admin, "admin");
      expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
      expect((await storage().grants.approve(anApproval(aCompanyGrant(company, admin)))).kind).toBe("issued");
    });
  });

  test("another role: by a member → not_admin; the last admin's own → last_admin; else done", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const change = (person: Person, role: Role, by: string | null) =>
      storage().members.setRole({ ...keyOf(company), personId: person.personId, role, by, now: NOW });
    expect(await change(member, "admin", member.personId)).toEqual({ kind: "not_admin" });
    expect(await change(admin, "member", admin.personId)).toEqual({ kind: "last_admin" });
    expect(await change(aPerson(), "admin", admin.personId)).toEqual({ kind: "unknown" });
    expect(await change(member, "admin", admin.personId)).toMatchObject({ kind: "done" });
    expect(await change(admin, "member", admin.personId)).toMatchObject({ kind: "done" });
    expect(await change(member, "member", null)).toMatchObject({ kind: "done" });
  });
});

onEveryBackend("who grants in a company's name", (storage) => {
  const approve = (company: Company, person: Person, changes: Partial<Approve> = {}) =>
    storage().grants.approve(
      anApproval(aCompanyGrant(company, person), { duration: 3600, declined: ["write"], ...changes }),
    );

  test("a stranger, or a person with another company's id → no_consent", async () => {
    const { company } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const stranger = await aStoredPerson(storage());
    expect(await approve(company, stranger)).toEqual({ kind: "no_consent" });
    const { member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    expect(await approve(company, member)).toEqual({ kind: "no_consent" });
  });

  test("by password or assertion → never", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const { partition, companyId } = company;
    const direct = aDirectGrant(admin, {}, { partition, ownerId: companyId, grantId: anId(partition) });
    expect(await storage().grants.issueWithoutCode(direct)).toEqual({ kind: "no_owner" });
  });

  test("a member where members ask, or are kept out → no_consent; where they decide → issued", async () => {
    for (const defaultRule of ["ask", "block"] as const) {
      const { company, member, admin } = await aStaffedCompany(storage(), { defaultRule });
      expect(await approve(company, member)).toEqual({ kind: "no_consent" });
      expect((await approve(company, admin)).kind).toBe("issued");
    }
    const { company, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    expect((await approve(company, member)).kind).toBe("issued");
  });

  test("a decision on a page takes nothing from the company or from others, also an admin's; only from the own grants", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const both = { scopes: ["read", "write"] };
    const wide = await aLiveCompanyGrant(storage(), company, admin, both);
    const others = await aLiveCompanyGrant(storage(), company, member, both);
    const third = await aLiveCompanyGrant(storage(), company, member, both);
    const forever = [
      { name: "read", expiresAt: null },
      { name: "write", expiresAt: null },
    ];
    const hour = [{ name: "read", expiresAt: NOW + HOUR }];
    for (const [person, own, rest] of [
      [member, [others, third], [wide]],
      [admin, [wide], []],
    ] as const) {
      await approve(company, person, { declined: ["write"], durations: { read: 3600 } });
      expect(await storage().consents.find({ ...wide })).toMatchObject({ scopes: forever, removed: [], declined: [] });
      for (const grant of own) expect((await statusOf(storage(), grant))?.scopes).toEqual(hour);
      for (const grant of rest) expect((await statusOf(storage(), grant))?.scopes).toEqual(forever);
    }
  });

  test("a page-less grant that is to end sooner than the consent → does", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    await aLiveCompanyGrant(storage(), company, admin);
    const grant = aCompanyGrant(company, admin);
    const outcome = await storage().grants.issue({ grant, ends: { read: NOW + HOUR }, now: NOW });
    expect(outcome).toEqual({ kind: "issued", scopes: [{ name: "read", expiresAt: NOW + HOUR }] });
  });

  test("51 grants of each of two members → 50 live ones of each: none pushes out another's", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    await approve(company, admin);
    for (const person of [admin, member]) {
      for (let at = 0; at < 51; at += 1) {
        await storage().grants.issue({ grant: aCompanyGrant(company, person), answer: anAnswerOfMember(), now: NOW });
      }
    }
    const live = async (person: Person) =>
      (await storage().companyApps.grantsOfMember({ ...keyOf(company), personId: person.personId, now: NOW })).length;
    expect([await live(admin), await live(member)]).toEqual([50, 50]);
  });
});

onEveryBackend("a person who is disabled, removed, or gets a new password", (storage) => {
  test("disabled → their grants in companies' names end; back → a member as before, what ended stays ended", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const grant = await aLiveCompanyGrant(storage(), company, admin);
    await storage().people.setStatus({ ...admin, status: "disabled", now: NOW });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
    expect(await storage().grants.approve(anApproval(aCompanyGrant(company, admin)))).toEqual({ kind: "no_consent" });
    expect(await storage().membershipOutbox.undelivered({ limit: 10 })).not.toContain(admin.personId);
    await storage().people.setStatus({ ...admin, status: "active", now: NOW });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
    expect((await storage().grants.approve(anApproval(aCompanyGrant(company, admin)))).kind).toBe("issued");
  });

  test("disabled admins don't count: the other one is the last", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    await join(storage(), company, member, "admin");
    await storage().people.setStatus({ ...admin, status: "disabled", now: NOW });
    const leave = storage().members.remove({ ...keyOf(company), person: member, by: member.personId, now: NOW });
    expect(await leave).toEqual({ kind: "last_admin" });
    const byDisabled = storage().members.remove({ ...keyOf(company), person: member, by: admin.personId, now: NOW });
    expect(await byDisabled).toEqual({ kind: "not_admin" });
  });

  test("removed → no member any more, grants ended", async () => {
    const { company, admin, member } = await aStaffedCompany(storage(), { defaultRule: "members" });
    const grant = await aLiveCompanyGrant(storage(), company, member);
    await storage().people.delete({ ...member, now: NOW });
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
    const members = await storage().members.list({ ...keyOf(company), limit: 10, after: null });
    expect(members.map(({ personId }) => personId)).toEqual([admin.personId]);
  });

  test("a password that ends all → ends these, too; a routine one doesn't", async () => {
    const { company, admin } = await aStaffedCompany(storage());
    const set = (endGrants: boolean) =>
      storage().people.setPassword({
        ...{ partition: admin.partition, personId: admin.personId },
        ...{ passwordHash: "x", mustChange: false, endGrants, keepSessionId: null, now: NOW + MINUTE },
      });
    const grant = await aLiveCompanyGrant(storage(), company, admin);
    await set(false);
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "active" });
    await set(true);
    expect(await statusOf(storage(), grant)).toMatchObject({ status: "owner_ended" });
    expect((await storage().grants.approve(anApproval(aCompanyGrant(company, admin)))).kind).toBe("issued");
  });

  test("nothing to tell → 0", async () => {
    expect(await storage().membershipOutbox.deliver({ now: NOW, limit: 10 })).toBe(0);
    expect(await storage().membershipOutbox.undelivered({ limit: 10 })).toEqual([]);
  });
});
