import { expect, test } from "vitest";
import type { Company } from "../../../src/owners/company-storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { writeRecovery } from "../../../src/storage/factors/account-recovery.ts";
import { listPasskeys } from "../../../src/storage/factors/passkeys.ts";
import { collect } from "../../../src/storage/operator/housekeeping.ts";
import { getPerson } from "../../../src/storage/people/person-row.ts";
import { duePeople, stepDown } from "../../../src/storage/people/scheduled-account-deletion.ts";
import { engineAt, onEveryBackend } from "../support/backends.ts";
import { anInvitation, aStaffedCompany, aStoredCompany, join } from "../support/company-builders.ts";
import { interrupted } from "../support/interleave.ts";
import { aLink, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import { aHash, anId, aStoredPerson, DAY, HOUR, NOW } from "../support/record-builders.ts";

const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });

onEveryBackend("a company whose people go", (storage, opened) => {
  const twoAdmins = async () => {
    const { company, admin: one, member: other } = await aStaffedCompany(storage());
    await join(storage(), company, other, "admin");
    return { company, one, other };
  };
  const leaves = ({ partition, personId }: Person, at: number) =>
    storage().people.setDeletion({ partition, personId, keepSessionId: null, mails: [], at, now: NOW });
  const admins = async (company: Company) =>
    (await storage().members.list({ ...keyOf(company), limit: 10, after: null }))
      .filter(({ role, accountStatus }) => role === "admin" && accountStatus === "active")
      .map(({ personId }) => personId);
  const sweep = { what: "people", now: NOW + DAY, limit: 10_000 } as const;

  for (const [when, verb] of [
    ["just before it is looked at", getPerson],
    ["just before it is erased", listPasskeys],
  ] as const) {
    test(`one admin's account goes, and the other steps down ${when} → an admin is left`, async () => {
      const engine = await engineAt(opened().url);
      const { company, one, other } = await twoAdmins();
      await leaves(one, NOW + DAY);
      const steps = {
        ...keyOf(company),
        personId: other.personId,
        role: "member",
        by: other.personId,
        now: NOW,
      } as const;
      await interrupted(engine, collect, sweep, verb, () => storage().members.setRole(steps));
      expect(await admins(company)).toHaveLength(1);
      await engine.close();
    });
  }

  test("both admins' accounts are due in two sweeps at once → one stays, as an admin, and is looked at the next day", async () => {
    const engine = await engineAt(opened().url);
    for (let round = 0; round < 3; round += 1) {
      const { company, one, other } = await twoAdmins();
      await Promise.all([leaves(one, NOW + DAY), leaves(other, NOW + DAY)]);
      const again = () => storage().housekeeping.collect(sweep);
      await interrupted(engine, collect, sweep, duePeople, () => Promise.all([again(), again()]));
      expect(await admins(company)).toHaveLength(1);
    }
    await engine.close();
  });

  for (const [what, after] of [
    ["the next sweep erases the account", undefined],
    ["the person keeps the account", "kept"],
    ["the person is the only admin elsewhere", "last"],
  ] as const) {
    test(`a sweep dies before the account is erased, and ${what} → its person is ${after === undefined ? "gone" : "an admin still"}`, async () => {
      const engine = await engineAt(opened().url);
      const { company, one, other } = await twoAdmins();
      await leaves(one, NOW + DAY);
      await engine.call(stepDown, { ...keyOf(company), personId: one.personId });
      expect(await admins(company)).toEqual([other.personId]);
      const { partition, personId } = one;
      if (after === "kept")
        await storage().people.setDeletion({ partition, personId, keepSessionId: null, mails: [], at: null, now: NOW });
      if (after === "last") await join(storage(), await aStoredCompany(storage()), one, "admin");
      await storage().housekeeping.collect(sweep);
      expect((await admins(company)).includes(personId)).toBe(after !== undefined);
      expect((await storage().people.get(one)) === undefined).toBe(after === undefined);
      await engine.close();
    });
  }

  test("an account that is kept at the last moment → its person is an admin still", async () => {
    const engine = await engineAt(opened().url);
    const { company, one } = await twoAdmins();
    await leaves(one, NOW + DAY);
    const { partition, personId } = one;
    const keeps = { partition, personId, keepSessionId: null, mails: [], at: null, now: NOW };
    await interrupted(engine, collect, sweep, listPasskeys, () => storage().people.setDeletion(keeps));
    expect(await storage().people.get(one)).toMatchObject({ deleteAt: null });
    expect(await admins(company)).toContain(one.personId);
    await engine.close();
  });
});

onEveryBackend("an invitation of somebody who has lost the right to invite", (storage, opened) => {
  async function invited(at = NOW) {
    const { company, admin, member } = await aStaffedCompany(storage());
    await join(storage(), company, member, "admin");
    const guest = await aStoredPerson(storage());
    const about = { addressee: guest.email, invitedBy: member.personId, createdAt: at } as const;
    const invitation = anInvitation(company, about);
    const saltHash = aHash();
    const made = { invitation, saltHash, by: member.personId, now: at };
    expect((await storage().invitations.create(made)).kind).toBe("invited");
    const accept = async (now = at + 1) =>
      (await storage().invitations.accept({ ...invitation, saltHash, person: guest, link: anId(), now })).kind;
    return { company, admin, inviter: member, accept };
  }

  test("an admin still → joined; a member, disabled, or gone since → unknown", async () => {
    expect(await (await invited()).accept()).toBe("joined");
    const demoted = await invited();
    const { inviter, company } = demoted;
    const role = { ...keyOf(company), personId: inviter.personId, role: "member", by: null, now: NOW } as const;
    await storage().members.setRole(role);
    expect(await demoted.accept()).toBe("unknown");
    const disabled = await invited();
    await storage().people.setStatus({ ...disabled.inviter, status: "disabled", now: NOW });
    expect(await disabled.accept()).toBe("unknown");
    const gone = await invited();
    await storage().people.delete({ ...gone.inviter, now: NOW });
    expect(await gone.accept()).toBe("unknown");
  });

  test("the operator adds the inviter again, as a member → open invitations by and to them end, and stay so", async () => {
    const { company, admin, inviter, accept } = await invited();
    const back = anInvitation(company, { addressee: inviter.email, invitedBy: admin.personId, role: "admin" });
    await storage().invitations.create({ invitation: back, saltHash: aHash(), by: admin.personId, now: NOW });
    const { partition, personId, username, email } = inviter;
    const again = { ...keyOf(company), person: { partition, personId, username }, email, addedBy: "operator" } as const;
    for (const role of ["member", "admin"] as const) {
      expect((await storage().members.add({ ...again, role, link: anId(), now: NOW + 1 })).kind).toBe("added");
      expect(await storage().invitations.list({ ...keyOf(company), now: NOW + 1 })).toEqual([]);
    }
    expect(await accept()).toBe("unknown");
  });

  test("the inviter's account is taken back → made since the first suspicious sign: unknown; made before: joined", async () => {
    for (const [at, outcome] of [
      [NOW + 2 * HOUR, "unknown"],
      [NOW, "joined"],
    ] as const) {
      const { inviter, company, accept } = await invited(at);
      const now = NOW + 3 * HOUR;
      const link = aLink(inviter, "recover", { expiresAt: now + HOUR });
      const key = { ...(await aSentLink(storage(), link)), now };
      const taken = aTakeBack(key, { shownAt: now, identitiesSince: NOW + HOUR });
      expect((await storage().recovery.recoverPassword(taken)).kind).toBe("done");
      expect(await accept(now + 1)).toBe(outcome);
      const open = await storage().invitations.list({ ...keyOf(company), now: now + 1 });
      expect(open).toEqual([]);
    }
  });

  test("the inviter's account is taken back, and the server dies before the company hears of it → unknown all the same", async () => {
    const { inviter, accept } = await invited(NOW + 2 * HOUR);
    const now = NOW + 3 * HOUR;
    const link = aLink(inviter, "recover", { expiresAt: now + HOUR });
    const key = { ...(await aSentLink(storage(), link)), now };
    const engine = await engineAt(opened().url);
    const taken = await engine.call(writeRecovery, aTakeBack(key, { shownAt: now, identitiesSince: NOW + HOUR }));
    expect(taken.kind).toBe("done");
    expect(await accept(now + 1)).toBe("unknown");
    await engine.close();
  });
});
