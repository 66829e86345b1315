/**
 * A request of a session that a recovery ends before the change is written: the form was sent, and its password is
 * being checked when the recovery commits.
 */

import { expect, test } from "vitest";
import type { Company } from "../../../src/owners/company-storage.ts";
import type { Person } from "../../../src/owners/storage.ts";
import type { Storage } from "../../../src/storage/open.ts";
import { onEveryBackend } from "../support/backends.ts";
import { anAppRule, anInvitation, aStoredCompany, join, SHOWN } from "../support/company-builders.ts";
import { aLink, aSentLink, aTakeBack } from "../support/mail-builders.ts";
import {
  aGrant,
  aHash,
  anApproval,
  anId,
  aSession,
  aStoredPerson,
  DAY,
  HOUR,
  MINUTE,
  NOW,
} from "../support/record-builders.ts";

interface Stage {
  readonly storage: Storage;
  readonly person: Person;
  readonly company: Company;
  /** Another admin of the company. */
  readonly other: Person;
  readonly invitation: { readonly invitationId: string; readonly saltHash: Uint8Array };
}

interface Asker {
  readonly sessionId: string;
  readonly passwordChangedAt: number | null;
  /** The member's `trustedFrom` in the company when they asked. */
  readonly trustedFrom: number;
}

const LATER = NOW + HOUR;
const APP = "an app";
const keyOf = ({ partition, personId }: Person) => ({ partition, personId });
const consentOf = ({ person }: Stage) => ({ partition: person.partition, ownerId: person.personId, clientId: APP });
const companyKeyOf = ({ company: { partition, companyId } }: Stage) => ({ partition, companyId });
const byAdmin = ({ person }: Stage, { trustedFrom }: Asker) => ({ by: person.personId, trustedFrom, now: LATER });

/** Each change with its result on success. Harmless changes come first, so that later ones find the state unchanged. */
const WRITES: Readonly<Record<string, readonly [(on: Stage, asker: Asker) => Promise<unknown>, unknown]>> = {
  "another name": [
    async ({ storage, person }, { sessionId }) =>
      storage.people.update({ ...keyOf(person), sessionId, changes: { name: "Somebody" }, now: LATER }),
    { kind: "updated" },
  ],
  "another end of an app's access": [
    async (on, { sessionId }) => {
      const end = { end: null, ceiling: null, by: on.person.personId, now: LATER };
      return (await on.storage.consents.changeEnd({ ...consentOf(on), ...end, sessionId })).kind;
    },
    "changed",
  ],
  "less access of an app": [
    async (on, { sessionId }) => {
      const less = { remove: ["write"], by: on.person.personId, now: LATER };
      return (await on.storage.consents.narrow({ ...consentOf(on), ...less, sessionId })).kind;
    },
    "narrowed",
  ],
  "no access of an app": [
    async (on, { sessionId }) => {
      const ends = { revokedBy: on.person.personId, now: LATER };
      return (await on.storage.consents.revoke({ ...consentOf(on), ...ends, sessionId })).kind;
    },
    "revoked",
  ],
  "the end of the account": [
    ({ storage, person }, { sessionId, passwordChangedAt }) =>
      storage.people.setDeletion({
        ...{ ...keyOf(person), sessionId, passwordChangedAt, keepSessionId: sessionId },
        ...{ at: LATER + DAY, mails: [], now: LATER },
      }),
    true,
  ],
  "the account is kept": [
    ({ storage, person }, { sessionId }) =>
      storage.people.setDeletion({
        ...{ ...keyOf(person), sessionId, keepSessionId: null, at: null, mails: [], now: LATER },
      }),
    true,
  ],
  "an invitation to a company is accepted": [
    async ({ storage, person, company, invitation }, { sessionId }) => {
      const { partition } = company;
      const accepted = { ...invitation, partition, person, sessionId, link: anId(), now: LATER };
      return (await storage.invitations.accept(accepted)).kind;
    },
    "joined",
  ],
  "an app is let in by a company's admin": [
    async (on, asker) => {
      const rule = { rule: anAppRule(), shown: SHOWN, clientId: APP };
      return (await on.storage.companyApps.setRule({ ...companyKeyOf(on), ...rule, ...byAdmin(on, asker) })).kind;
    },
    "done",
  ],
  "a company's default": [
    (on, asker) =>
      on.storage.companies.update({ ...companyKeyOf(on), changes: { defaultRule: "members" }, ...byAdmin(on, asker) }),
    { kind: "updated" },
  ],
  "a member's wish is refused": [
    (on, asker) => {
      const wish = { clientId: "another app", personId: on.other.personId, seen: NOW, refused: ["read"] };
      return on.storage.companyApps.refuseRequest({ ...companyKeyOf(on), ...wish, ...byAdmin(on, asker) });
    },
    { kind: "unknown" },
  ],
  "somebody is invited": [
    (on, asker) =>
      on.storage.invitations.create({
        ...{ invitation: anInvitation(on.company, { role: "admin" }), saltHash: aHash(), ...byAdmin(on, asker) },
      }),
    { kind: "invited" },
  ],
  "an invitation is withdrawn": [
    (on, asker) =>
      on.storage.invitations.withdraw({ ...companyKeyOf(on), invitationId: "another", ...byAdmin(on, asker) }),
    { kind: "unknown" },
  ],
  "an app's access ends for all": [
    async (on, asker) =>
      (await on.storage.companyApps.revokeForAll({ ...companyKeyOf(on), clientId: APP, ...byAdmin(on, asker) })).kind,
    "done",
  ],
  "another role": [
    async (on, asker) => {
      const role = { personId: on.other.personId, role: "member" } as const;
      return (await on.storage.members.setRole({ ...companyKeyOf(on), ...role, ...byAdmin(on, asker) })).kind;
    },
    "done",
  ],
  "a member is removed": [
    async (on, asker) =>
      (await on.storage.members.remove({ ...companyKeyOf(on), person: on.other, ...byAdmin(on, asker) })).kind,
    "done",
  ],
  "one session": [
    async ({ storage, person }, { sessionId }) => {
      const another = aSession({ ...person, ...(await storage.people.get(person)) }, { now: LATER });
      await storage.sessions.create(another);
      return storage.sessions.endOne({ ...keyOf(person), ends: another.sessionId, sessionId, now: LATER });
    },
    true,
  ],
  "another password": [
    ({ storage, person }, { sessionId, passwordChangedAt: replacing }) =>
      storage.people.setPassword({
        ...{ ...keyOf(person), sessionId, replacing, passwordHash: "x", keepSessionId: sessionId },
        ...{ mustChange: false, endGrants: false, now: LATER + MINUTE },
      }),
    true,
  ],
  "all sessions": [
    async ({ storage, person }, { sessionId }) =>
      (await storage.sessions.endAll({ ...keyOf(person), sessionId, now: LATER })) > 0,
    true,
  ],
};
/** The results of a change that comes too late. */
const REFUSED: readonly unknown[] = [false, "unknown", "not_admin", { kind: "unknown" }, { kind: "not_admin" }];

onEveryBackend("asked for before a recovery, written after it", (storage) => {
  async function staged(): Promise<Stage> {
    const person = await aStoredPerson(storage());
    const other = await aStoredPerson(storage());
    const company = await aStoredCompany(storage());
    await join(storage(), company, person, "admin");
    await join(storage(), company, other, "admin");
    await storage().grants.approve(anApproval(aGrant(person, { clientId: APP, scopes: ["read", "write"] })));
    const saltHash = aHash();
    const elsewhere = anInvitation(company, { addressee: person.email });
    await storage().invitations.create({ invitation: elsewhere, saltHash, by: null, now: NOW });
    return { storage: storage(), person, company, other, invitation: { ...elsewhere, saltHash } };
  }

  async function signedIn(on: Stage, now: number): Promise<Asker> {
    const { person } = on;
    const { passwordChangedAt = null } = (await storage().people.get(person)) ?? {};
    const session = aSession(person, { passwordChangedAt, now, authTime: now });
    if ((await storage().sessions.create(session)) === undefined) throw new Error("no session");
    return { sessionId: session.sessionId, passwordChangedAt, trustedFrom: await trustedFrom(on) };
  }

  async function trustedFrom({ company, person: { personId } }: Stage): Promise<number> {
    const acting = await storage().members.findActing({ ...company, personId, clientId: null });
    return acting?.member.trustedFrom ?? -1;
  }

  async function recover({ person }: Stage): Promise<void> {
    const key = { ...(await aSentLink(storage(), aLink(person, "recover"))), now: NOW + MINUTE };
    expect((await storage().recovery.recoverPassword(aTakeBack(key))).kind).toBe("done");
  }

  const everything = async (on: Stage) => ({
    person: await storage().people.get(on.person),
    sessions: await storage().sessions.list({ ...on.person, now: LATER }),
    consents: await storage().consents.list({ ...consentOf(on), now: LATER }),
    company: await storage().companies.get(companyKeyOf(on)),
    members: await storage().members.list({ ...companyKeyOf(on), limit: 10, after: null }),
    rules: await storage().companyApps.listRules(companyKeyOf(on)),
    invitations: await storage().invitations.list({ ...companyKeyOf(on), now: LATER }),
  });

  test("none of it happens", async () => {
    const on = await staged();
    const asker = await signedIn(on, NOW);
    await recover(on);
    let before = await everything(on);
    for (const [what, [write]] of Object.entries(WRITES)) {
      const said = await write(on, asker);
      if (what === "one session") {
        await storage().sessions.endAll({ ...keyOf(on.person), now: LATER });
        before = await everything(on);
      }
      expect(await everything(on), what).toEqual(before);
      expect(REFUSED, `${what}: ${JSON.stringify(said)}`).toContainEqual(said);
    }
  });

  test("in a session since the recovery, all of it does", async () => {
    const on = await staged();
    await signedIn(on, NOW);
    await recover(on);
    const asker = await signedIn(on, NOW + 2 * MINUTE);
    for (const [what, [write, done]] of Object.entries(WRITES))
      expect(await write(on, { ...asker, trustedFrom: await trustedFrom(on) }), what).toEqual(done);
  });

  test("another password since the one that was proved → the account's end is not written", async () => {
    const on = await staged();
    const { sessionId, passwordChangedAt } = await signedIn(on, NOW);
    await storage().people.setPassword({
      ...{ ...keyOf(on.person), passwordHash: "x", mustChange: false, endGrants: false, endSessions: false },
      ...{ keepSessionId: null, now: NOW + MINUTE },
    });
    const end = { ...keyOf(on.person), keepSessionId: sessionId, at: LATER, mails: [], now: LATER };
    expect(await storage().people.setDeletion({ ...end, sessionId, passwordChangedAt })).toBe(false);
    expect((await storage().people.get(on.person))?.deleteAt).toBeNull();
    expect(await storage().people.setDeletion({ ...end, sessionId, passwordChangedAt: NOW + MINUTE })).toBe(true);
  });
});
