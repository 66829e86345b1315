import { describe, expect, test } from "vitest";
import type { Company, Invitation } from "../../../src/owners/company-storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { anInvitation, aStaffedCompany, join } from "../support/company-builders.ts";
import { aHash, anId, aStoredPerson, DAY, NOW } from "../support/record-builders.ts";

const keyOf = ({ partition, companyId }: Company) => ({ partition, companyId });

onEveryBackend("an invitation", (storage) => {
  async function invited(changes: Partial<Invitation> = {}, by: string | null = null) {
    const { company, admin, member } = await aStaffedCompany(storage());
    const guest = await aStoredPerson(storage());
    const invitation = anInvitation(company, { addressee: guest.email, ...changes });
    const saltHash = aHash();
    const outcome = await storage().invitations.create({ invitation, saltHash, by, now: NOW });
    return { company, admin, member, guest, invitation, saltHash, outcome };
  }
  const accept = (invitation: Invitation, saltHash: Uint8Array, person: Person, now = NOW) =>
    storage().invitations.accept({ ...invitation, saltHash, person, link: anId(), now });

  test("by a stranger or a member → not_admin; by an admin → there", async () => {
    expect((await invited({}, anId())).outcome).toEqual({ kind: "not_admin" });
    const { company, admin, member } = await invited();
    const invitation = anInvitation(company);
    const create = (by: string) => storage().invitations.create({ invitation, saltHash: aHash(), by, now: NOW });
    expect(await create(member.personId)).toEqual({ kind: "not_admin" });
    expect(await create(admin.personId)).toEqual({ kind: "invited" });
    expect(await storage().invitations.list({ ...keyOf(company), now: NOW })).toHaveLength(2);
  });

  test("the 201st open one → too_many; a second one of the same person takes the place of the first", async () => {
    const { company } = await aStaffedCompany(storage());
    const invite = (addressee: string) =>
      storage().invitations.create({
        ...{ invitation: anInvitation(company, { addressee }), saltHash: aHash(), by: null, now: NOW },
      });
    for (let at = 0; at < 200; at += 1) await invite(`p${at}@example.com`);
    expect(await invite("one-more@example.com")).toEqual({ kind: "too_many" });
    expect(await invite("p7@example.com")).toEqual({ kind: "invited" });
    expect(await storage().invitations.list({ ...keyOf(company), now: NOW })).toHaveLength(200);
  });

  test("with another secret, too late, withdrawn, of a disabled company → unknown", async () => {
    const { company, guest, invitation, saltHash } = await invited();
    expect(await accept(invitation, aHash(), guest)).toEqual({ kind: "unknown" });
    expect(await accept(invitation, saltHash, guest, NOW + 7 * DAY)).toEqual({ kind: "unknown" });
    await storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW });
    expect(await accept(invitation, saltHash, guest)).toEqual({ kind: "unknown" });
    await storage().companies.setStatus({ ...keyOf(company), status: "active", now: NOW });
    const withdraw = (by: string | null, key = keyOf(company)) =>
      storage().invitations.withdraw({ ...key, invitationId: invitation.invitationId, by, now: NOW });
    expect(await withdraw(guest.personId)).toEqual({ kind: "not_admin" });
    expect(await withdraw(null)).toEqual({ kind: "done" });
    expect(await withdraw(null)).toEqual({ kind: "unknown" });
    expect(await accept(invitation, saltHash, guest)).toEqual({ kind: "unknown" });
  });

  test("traced with another secret → nothing; else what became of it, after its end, too", async () => {
    const { company, guest, invitation, saltHash } = await invited();
    const { partition, invitationId } = invitation;
    const trace = (hash = saltHash) => storage().invitations.trace({ partition, invitationId, saltHash: hash });
    expect(await trace(aHash())).toBeUndefined();
    const { companyId, slug } = company;
    const open = { status: "open", expiresAt: invitation.expiresAt, acceptedBy: null, company: { companyId, slug } };
    expect(await trace()).toMatchObject(open);
    await accept(invitation, saltHash, guest);
    expect(await trace()).toMatchObject({ ...open, status: "accepted", acceptedBy: guest.personId });
    await storage().companies.setStatus({ ...keyOf(company), status: "disabled", now: NOW });
    expect(await trace()).toMatchObject({ status: "accepted", company: null });
    const other = await invited();
    await storage().invitations.withdraw({
      ...{ ...keyOf(other.company), invitationId: other.invitation.invitationId, by: null, now: NOW },
    });
    const withdrawn = { partition: other.invitation.partition, invitationId: other.invitation.invitationId };
    expect(await storage().invitations.trace({ ...withdrawn, saltHash: other.saltHash })).toMatchObject({
      status: "withdrawn",
    });
  });

  test("a username whose account is younger than the invitation → wrong_person; by its address → joined", async () => {
    const younger = { ...(await aStoredPerson(storage())), createdAt: NOW + 1 };
    const byName = await invited({ addressee: younger.username });
    expect(await accept(byName.invitation, byName.saltHash, younger)).toEqual({ kind: "wrong_person" });
    expect(await accept(byName.invitation, byName.saltHash, { ...younger, createdAt: NOW })).toMatchObject({
      kind: "joined",
    });
    const byAddress = await invited({ addressee: younger.email });
    expect(await accept(byAddress.invitation, byAddress.saltHash, younger)).toMatchObject({ kind: "joined" });
  });

  test("sent, withdrawn, sent again and accepted → the history tells each once, names who joined, and nobody else", async () => {
    const { company, admin, guest, invitation } = await invited();
    const withdraw = () =>
      storage().invitations.withdraw({
        ...{ ...keyOf(company), invitationId: invitation.invitationId, by: admin.personId, now: NOW + 1 },
      });
    await withdraw();
    await withdraw();
    const second = anInvitation(company, { addressee: guest.email, role: "admin" });
    const saltHash = aHash();
    await storage().invitations.create({ invitation: second, saltHash, by: admin.personId, now: NOW + 2 });
    expect((await accept(second, saltHash, guest, NOW + 3)).kind).toBe("joined");
    expect((await accept(second, saltHash, guest, NOW + 4)).kind).toBe("unknown");
    const { partition, companyId: ownerId } = company;
    const told = await storage().history.list({ partition, ownerId, before: null, limit: 3 });
    expect(told.map(({ kind, record }) => [kind, record.by, record.personId, record.role])).toEqual([
      ["member_joined", guest.personId, guest.personId, "admin"],
      ["member_invited", admin.personId, undefined, "admin"],
      ["invitation_withdrawn", admin.personId, undefined, undefined],
    ]);
    expect(JSON.stringify(told)).not.toContain(guest.email);
  });

  test("to somebody who is removed, by name or address → withdrawn, so they can't come back", async () => {
    for (const name of ["username", "email"] as const) {
      const { company, admin } = await aStaffedCompany(storage());
      const member = await aStoredPerson(storage());
      const invitation = anInvitation(company, { addressee: member[name], role: "admin" });
      const saltHash = aHash();
      await storage().invitations.create({ invitation, saltHash, by: admin.personId, now: NOW });
      await join(storage(), company, member, "member");
      const removal = { ...keyOf(company), person: member, by: admin.personId, now: NOW + 1 };
      expect((await storage().members.remove(removal)).kind).toBe("done");
      expect(await storage().invitations.list({ ...keyOf(company), now: NOW + 1 })).toEqual([]);
      expect((await accept(invitation, saltHash, member, NOW + 2)).kind).toBe("unknown");
      const { partition, companyId: ownerId } = company;
      const told = await storage().history.list({ partition, ownerId, before: null, limit: 2 });
      expect(told.map(({ kind, record }) => [kind, record.by]).sort()).toEqual([
        ["invitation_withdrawn", admin.personId],
        ["member_left", admin.personId],
      ]);
    }
  });

  test("by an admin who is one no more → withdrawn for good; the operator's stays", async () => {
    const { company, admin, member } = await aStaffedCompany(storage());
    const open = async () => (await storage().invitations.list({ ...keyOf(company), now: NOW })).length;
    const role = (person: Person, to: "admin" | "member") =>
      storage().members.setRole({ ...keyOf(company), personId: person.personId, role: to, by: null, now: NOW });
    const invitation = anInvitation(company, { invitedBy: admin.personId });
    await storage().invitations.create({ invitation, saltHash: aHash(), by: admin.personId, now: NOW });
    const byOperator = anInvitation(company, { addressee: "other@example.com", invitedBy: "operator" });
    await storage().invitations.create({ invitation: byOperator, saltHash: aHash(), by: null, now: NOW });
    expect(await open()).toBe(2);
    await role(member, "admin");
    await role(admin, "member");
    expect(await open()).toBe(1);
    await role(admin, "admin");
    expect(await open()).toBe(1);
  });

  test("of one company, withdrawn by another's admin → unknown, and it holds", async () => {
    const { guest, invitation, saltHash } = await invited();
    const other = await aStaffedCompany(storage());
    const { partition, companyId } = other.company;
    const args = { partition, companyId, invitationId: invitation.invitationId, by: other.admin.personId, now: NOW };
    expect(await storage().invitations.withdraw(args)).toEqual({ kind: "unknown" });
    expect((await accept(invitation, saltHash, guest)).kind).toBe("joined");
  });

  test("by somebody else → wrong_person, and it holds for whom it names", async () => {
    const { guest, invitation, saltHash, member } = await invited();
    expect(await accept(invitation, saltHash, member)).toEqual({ kind: "wrong_person" });
    expect((await accept(invitation, saltHash, guest)).kind).toBe("joined");
  });

  test("by whom it names, by e-mail or username → a member with its role, once", async () => {
    const { company, guest, invitation, saltHash } = await invited({ role: "admin" });
    expect(await storage().invitations.find({ ...invitation, saltHash, now: NOW })).toMatchObject({
      invitation,
      company,
    });
    expect(await accept(invitation, saltHash, guest)).toMatchObject({ kind: "joined", company });
    expect(await accept(invitation, saltHash, guest)).toEqual({ kind: "unknown" });
    expect(await storage().invitations.find({ ...invitation, saltHash, now: NOW })).toBeUndefined();
    expect(await storage().members.companiesOf({ ...guest, clientId: null, now: NOW })).toMatchObject([
      { member: { role: "admin" } },
    ]);
    const second = await aStoredPerson(storage());
    const byName = anInvitation(company, { addressee: second.username });
    const salt = aHash();
    await storage().invitations.create({ invitation: byName, saltHash: salt, by: null, now: NOW });
    expect((await accept(byName, salt, second)).kind).toBe("joined");
  });

  describe("somebody who is a member already", () => {
    const companiesOf = (person: Person) => storage().members.companiesOf({ ...person, clientId: null, now: NOW });
    const historyOf = async ({ partition, companyId: ownerId }: Company) =>
      (await storage().history.list({ partition, ownerId, before: null, limit: 50 })).map(({ kind }) => kind);

    test("invited by their username → member, and nothing is written; by their address → invited", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      const before = await historyOf(company);
      const invite = (addressee: string) =>
        storage().invitations.create({
          ...{ invitation: anInvitation(company, { addressee }), saltHash: aHash(), by: admin.personId, now: NOW },
        });
      expect(await invite(member.username)).toEqual({ kind: "member" });
      expect(await storage().invitations.list({ ...keyOf(company), now: NOW })).toEqual([]);
      expect(await historyOf(company)).toEqual(before);
      expect(await invite(member.email)).toEqual({ kind: "invited" });
    });

    test("accepts what the page didn't say → changed, and the invitation holds; what it said → the new role, and told", async () => {
      const { company, member } = await aStaffedCompany(storage());
      const invitation = anInvitation(company, { addressee: member.email, role: "admin" });
      const saltHash = aHash();
      await storage().invitations.create({ invitation, saltHash, by: null, now: NOW });
      const accepts = (seen: "member" | "admin" | null) =>
        storage().invitations.accept({ ...invitation, saltHash, person: member, seen, link: anId(), now: NOW });
      for (const seen of [null, "admin"] as const) expect(await accepts(seen)).toEqual({ kind: "changed" });
      expect(await companiesOf(member)).toMatchObject([{ member: { role: "member" } }]);
      expect(await accepts("member")).toMatchObject({ kind: "joined", before: "member", role: "admin" });
      expect(await companiesOf(member)).toMatchObject([{ member: { role: "admin" } }]);
      expect((await historyOf(company)).filter((kind) => kind === "member_role")).toHaveLength(1);
      expect(await accepts("admin")).toEqual({ kind: "unknown" });
    });

    test("is an admin no more → invitations to them are withdrawn", async () => {
      const { company, admin, member } = await aStaffedCompany(storage());
      const role = (to: "admin" | "member") =>
        storage().members.setRole({
          ...{ ...keyOf(company), personId: member.personId, email: member.email, role: to, by: admin.personId },
          now: NOW,
        });
      await role("admin");
      const invitation = anInvitation(company, { addressee: member.email, role: "admin" });
      const saltHash = aHash();
      await storage().invitations.create({ invitation, saltHash, by: admin.personId, now: NOW });
      await role("member");
      expect((await accept(invitation, saltHash, member)).kind).toBe("unknown");
      expect(await companiesOf(member)).toMatchObject([{ member: { role: "member" } }]);
    });
  });

  test("to be a member, accepted by an admin → an admin still", async () => {
    const { company, guest, invitation, saltHash } = await invited();
    await join(storage(), company, guest, "admin");
    expect(await accept(invitation, saltHash, guest)).toMatchObject({ kind: "joined", before: "admin", role: "admin" });
    expect(await storage().members.companiesOf({ ...guest, clientId: null, now: NOW })).toMatchObject([
      { member: { role: "admin" } },
    ]);
  });

  test("of the past → collected", async () => {
    const { company } = await invited();
    await storage().housekeeping.collectGarbage({ now: NOW + 9 * DAY, limit: 1000 });
    expect(await storage().invitations.list({ ...keyOf(company), now: 0 })).toEqual([]);
  });
});
