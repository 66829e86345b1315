/** Verbs of people. Their names are in other partitions, so a verb that changes names consists of several verbs. */

import type { Millis, PersonDetails } from "../../oauth/model.ts";
import type { ByLesser, InSession } from "../../owners/change-conditions.ts";
import type { StoredMail } from "../../owners/mail/storage.ts";
import { leftAt } from "../../owners/recovery/storage.ts";
import type { CreatePersonOutcome, EndCause, Person, PersonChanges } from "../../owners/storage.ts";
import { noteForCompanies, tellOf } from "../companies/membership-outbox.ts";
import { endConsentsOf } from "../consents/consents.ts";
import { eraseHistory, noteEnded } from "../consents/history.ts";
import { type Call, query, sql, statement, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { isDue, isOperator, mayStill } from "../factors/lock-person-row.ts";
import { listPasskeys } from "../factors/passkeys.ts";
import { eraseFactors } from "../factors/second-factors.ts";
import { eraseDelegations } from "../grants/delegations.ts";
import { endGrants, endingOf, pauseGrants, pausingOf } from "../grants/end-in-batches.ts";
import { eraseScopeUses, keepLastUse } from "../grants/uses.ts";
import { post } from "../mail/outbox.ts";
import { partitionOf } from "../partition.ts";
import { flag, isStill, json, personColumns, personOf, text, textOrNull } from "../row-conversion.ts";
import {
  dropFirstUses,
  endOwed,
  isOwedToAnother,
  knownAddresses,
  noteFormer,
  sinceWhen,
} from "./current-and-former-addresses.ts";
import { endedBy, eraseDevices, revokeDevices } from "./known-devices.ts";
import { noteSessionEnds } from "./logout-notices.ts";
import { isBorne, settleName } from "./name-reconciliation.ts";
import { changedDetails, getPerson, type PersonKey, thisPerson } from "./person-row.ts";
import { activateName, dropName, holderOfName, type NameArgs, reserveName, unreserveName } from "./unique-names.ts";

export interface NewPerson {
  readonly person: Person;
  readonly byOperator?: boolean;
  readonly now: Millis;
}

export const createPerson = steps<NewPerson, CreatePersonOutcome>((call, args) =>
  makePerson(call, args, () => call(writeNewPerson, args)),
);

export const writeNewPerson = transaction<NewPerson, boolean>(async (tx, { person, byOperator = false, now }) => {
  if ((await tx.one(insertPerson.sql, insertPerson.bind(person))) === undefined) return false;
  const { personId: subject } = person;
  const [by, via] = byOperator ? ["operator", "operator"] : [`user:${subject}`, "sign_up"];
  await tell(tx, { kind: "user.created", at: now, by, subject, details: { via } });
  return true;
});

/**
 * All names of a person that nobody else can have: the username, the form that it looks like, and the address. A person
 * can sign in with the first and the last only.
 */
export function namesOf({
  username,
  lookAlike,
  email,
}: Pick<Person, "username" | "lookAlike" | "email">): readonly string[] {
  return lookAlike == null ? [username, email] : [username, lookAlike, email];
}

/**
 * Reserves all names, creates the person and activates the names. If it is called again with the same person after a
 * crash, it continues.
 */
export async function makePerson(
  call: Call,
  { person, byOperator = false, now }: NewPerson,
  insert: () => Promise<unknown>,
): Promise<CreatePersonOutcome> {
  const ownerId = person.personId;
  const taken = (value: string) => ({ kind: "taken", what: value === person.email ? "email" : "username" }) as const;
  for (const value of namesOf(person)) {
    const name = { value, ownerId, now };
    const free =
      (await call(reserveName, name)) && (byOperator || value !== person.email || !(await isOwedToAnother(call, name)));
    if (free) continue;
    await release(call, person, now);
    return taken(value);
  }
  await insert();
  for (const value of namesOf(person)) {
    if (await call(activateName, { value, ownerId, now })) continue;
    // Another call has made the same person with another name.
    if (!(await isBorne(call, { value, ownerId }))) continue;
    // The reservation was so old that another creation took it over. This creation came too late.
    await eraseWholly(call, person, now);
    return taken(value);
  }
  return { kind: "created" };
}

async function release(call: Call, person: Person, now: Millis): Promise<void> {
  for (const value of namesOf(person)) await call(dropName, { value, ownerId: person.personId, now });
}

/**
 * Deletes the person with all their records, and then their names, unless another call has made the same person again.
 * False: the condition is not met, and nothing is deleted.
 */
export async function eraseWholly(call: Call, person: Person, now: Millis, only: OnlyIf = {}): Promise<boolean> {
  const { partition, personId } = person;
  const keys = (await call(listPasskeys, { partition, personId })).map(({ credentialId }) => credentialId);
  for (const value of namesOf(person)) await call(unreserveName, { value, ownerId: personId, now });
  for (const value of keys) await call(unreserveName, { kind: "passkey", value, ownerId: personId, now });
  const erased = await call(erasePerson, { partition, personId, now, ...only });
  const { names, links, passkeys } = erased ?? NOTHING;
  await tellOf(call, person, now);
  // The names may have changed meanwhile.
  for (const value of new Set([...namesOf(person), ...names]))
    await settleName(call, { value, ownerId: personId, now });
  for (const value of links) await settleName(call, { kind: "subject", value, ownerId: personId, now });
  for (const value of new Set([...keys, ...passkeys]))
    await settleName(call, { kind: "passkey", value, ownerId: personId, now });
  return erased !== undefined;
}

export const insertPerson = statement<Person, boolean>({
  lock: "personId",
  sql: sql`INSERT INTO people (${personColumns}, first_sign_in_at)
    VALUES (:partition, :personId, :username, :lookAlike, :email, :emailVerifiedAt, :name, :details, :pictureId, :status, :passwordHash, :passwordChangedAt, :mustChangePassword, :operator,
      :language, :deleteAt, :createdAt, :updatedAt, NULL, 0)
    ON CONFLICT (partition, person_id) DO NOTHING RETURNING person_id`,
  bind: (person) => ({
    ...person,
    mustChangePassword: flag(person.mustChangePassword),
    operator: JSON.stringify(person.operator),
    details: person.details == null ? null : JSON.stringify(person.details),
    // A picture needs its own row, which comes later.
    pictureId: null,
    lookAlike: person.lookAlike ?? null,
    language: person.language ?? null,
    deleteAt: person.deleteAt ?? null,
  }),
  outcome: (row) => row !== undefined,
});

/**
 * The name's row leads to a person. The result counts only if that person has the name. The lookup of an unknown name
 * takes the same work, because its duration must not tell who has an account.
 */
export const findPersonByName = steps<{ readonly name: string }, Person | undefined>(async (call, { name }) => {
  const holder = await call(holderOfName, { value: name });
  const personId = holder?.ownerId ?? "nobody";
  const person = await call(getPerson, { partition: holder === undefined ? 0 : partitionOf(personId), personId });
  return person !== undefined && bears(person, name) ? person : undefined;
});

export function bears(person: Pick<Person, "username" | "email">, name: string): boolean {
  return person.username === name || person.email === name;
}

/** Oldest first. `after`: the last id of the previous page. If that person was deleted, the result is empty. */
export const listPeople = steps<{ readonly limit: number; readonly after: string | null }, readonly Person[]>(
  async (call, { limit, after }) => {
    if (after === null) return call(peopleAfter, { createdAt: 0, personId: "", limit });
    const last = await call(getPerson, { partition: partitionOf(after), personId: after });
    return last === undefined ? [] : call(peopleAfter, { createdAt: last.createdAt, personId: after, limit });
  },
);

export const peopleAfter = query<
  { readonly createdAt: Millis; readonly personId: string; readonly limit: number },
  readonly Person[]
>({
  sql: sql`SELECT ${personColumns} FROM people
    WHERE +partition >= 0 AND (created_at, person_id) > (:createdAt, :personId) ORDER BY created_at, person_id LIMIT :limit`,
  bind: ({ createdAt, personId, limit }) => ({ createdAt, personId, limit }),
  outcome: (rows) => rows.map(personOf),
});

export interface PersonUpdate extends PersonKey, InSession {
  readonly changes: PersonChanges;
  readonly expected?: Person;
  readonly now: Millis;
}

type UpdateOutcome = { readonly kind: "updated" | "unknown" | "taken" | "changed" };

/** Reserves a new e-mail address first and releases the old one. After the change it settles both. */
export const updatePerson = steps<PersonUpdate, UpdateOutcome>(async (call, args) => {
  for (;;) {
    const before = await call(getPerson, args);
    if (before === undefined) return { kind: "unknown" };
    const outcome = await updateFrom(call, before, args);
    // Undefined: another call changed the person's e-mail address meanwhile, so this call starts again from the new
    // record.
    if (outcome !== undefined) return outcome;
  }
});

async function updateFrom(call: Call, before: Person, args: PersonUpdate): Promise<UpdateOutcome | undefined> {
  const { partition, personId, sessionId, changes, expected, now } = args;
  const { email = before.email } = changes;
  const asked = sessionId === undefined ? {} : { sessionId };
  const moves = email !== before.email;
  const name = { value: email, ownerId: personId, now };
  if (moves && !(await call(reserveName, name))) return { kind: "taken" };
  const old = { value: before.email, ownerId: personId, now };
  const leaves = moves && !bears({ ...before, email }, before.email);
  if (leaves) await call(unreserveName, old);
  // A proof of the old address proves nothing about the new one.
  const written = await call(writePerson, {
    ...{ partition, personId, ...asked, before: before.email, given: true, now },
    ...(expected === undefined ? {} : { expected }),
    changes: { ...(moves ? { emailVerifiedAt: null } : {}), ...changes },
  });
  const taken = moves && !(await settleName(call, name)) && written === "updated";
  if (taken) await giveBack(call, before, name);
  if (leaves) await settleName(call, old);
  if (taken) return { kind: "taken" };
  return written === "moved" ? undefined : { kind: written };
}

/**
 * Somebody else has the person's new address, because a change that failed had released it. The person gets the
 * previous address back, unless somebody else has that one by now, too.
 */
export async function giveBack(call: Call, person: Person, { value, now }: NameArgs): Promise<void> {
  const { partition, personId, email, emailVerifiedAt } = person;
  if (!(await call(reserveName, { value: email, ownerId: personId, now }))) return;
  const changes = { email, emailVerifiedAt };
  await call(writePerson, { partition, personId, before: value, given: false, changes, now });
}

/**
 * Changes only the named fields, because others may change the rest at the same moment, for example remove a role.
 * `moved`: the person was deleted, or another call changed the e-mail address. `unknown`: the session that asks has
 * ended.
 */
export const writePerson = transaction<
  PersonKey &
    InSession & {
      readonly before: string;
      /** True: the operator gives this address. False: the person had it before. */
      readonly given: boolean;
      readonly changes: PersonChanges;
      readonly expected?: Person;
      readonly now: Millis;
    },
  "updated" | "moved" | "unknown" | "changed"
>(async (tx, { partition, personId, before, given, changes, expected, now, ...asked }) => {
  if (!(await mayStill(tx, { partition, personId }, asked))) return "unknown";
  if (expected !== undefined) {
    const row = await tx.one(sql`SELECT ${personColumns} FROM people WHERE ${thisPerson} ${words.forUpdate}`, {
      ...{ partition, personId },
    });
    if (row === undefined) return "unknown";
    if (!isStill(personOf(row), expected)) return "changed";
  }
  const { email, emailVerifiedAt, name, details, operator, mustChangePassword } = changes;
  const key = { partition, personId };
  // An address from the operator, also the present one, counts as older than all others: no other address can take it
  // back, and it can take the account back from all others.
  const since = given ? -now : email === undefined ? null : await sinceWhen(tx, key, email, now);
  const addresses = await knownAddresses(tx, key, now);
  await noteFormer(tx, key, { from: before, to: email ?? before }, now);
  const after = details === undefined ? null : changedDetails(await lockedDetails(tx, key), details);
  const written = await tx.run(
    sql`UPDATE people SET email = COALESCE(:email, email),
      email_since = CASE WHEN :email IS NULL OR (:email = email AND :given = 0) THEN email_since ELSE :since END,
      email_verified_at = CASE WHEN :verifies = 1 THEN :emailVerifiedAt ELSE email_verified_at END,
      name = CASE WHEN :names = 1 THEN :name ELSE name END,
      details = CASE WHEN :detailed = 1 THEN :details ELSE details END, operator = COALESCE(:operator, operator),
      must_change_password = COALESCE(:mustChangePassword, must_change_password), updated_at = :now
    WHERE ${thisPerson} AND email = :before`,
    {
      ...{ ...key, before, since, now },
      email: email ?? null,
      given: flag(given),
      verifies: flag(emailVerifiedAt !== undefined),
      emailVerifiedAt: emailVerifiedAt ?? null,
      names: flag(name !== undefined),
      name: name ?? null,
      detailed: flag(details !== undefined),
      details: after === null ? null : JSON.stringify(after),
      operator: operator === undefined ? null : JSON.stringify(operator),
      mustChangePassword: mustChangePassword === undefined ? null : flag(mustChangePassword),
    },
  );
  if (written === 1 && given && email !== undefined) {
    await tx.run(sql`DELETE FROM mail_links WHERE ${thisPerson}`, key);
    // Somebody who gave the account another address in between may have linked identities by that address.
    if (email !== before) await dropFirstUses(tx, key, leftAt(addresses, email) ?? now);
  }
  if (written !== 1) return "moved";
  const by = asked.sessionId === undefined ? "operator" : `user:${personId}`;
  const changed = Object.entries(changes).flatMap(([field, value]) => (value === undefined ? [] : [field]));
  await tell(tx, {
    kind: "user.updated",
    at: now,
    by,
    subject: personId,
    details: { changed, session_id: asked.sessionId },
  });
  return "updated";
});

async function lockedDetails(tx: Tx, key: PersonKey): Promise<PersonDetails | null> {
  const row = await tx.one(sql`SELECT details FROM people WHERE ${thisPerson} ${words.forUpdate}`, { ...key });
  return row === undefined || row["details"] === null ? null : json<PersonDetails>(row, "details");
}

export interface NewPassword extends PersonKey, InSession, ByLesser {
  readonly passwordHash: string;
  readonly replacing?: Millis | null;
  readonly mustChange: boolean;
  readonly endGrants: boolean;
  readonly revokeConsents?: boolean;
  readonly endSessions?: boolean;
  readonly endWaysBack?: boolean;
  readonly mails?: readonly StoredMail[];
  readonly keepSessionId: string | null;
  readonly now: Millis;
}

/** Changes the person first, then tells each of their companies, where grants in its name end, too. */
export const setPassword = steps<NewPassword, boolean>(async (call, args) => {
  const changed = await call(writePassword, args);
  if (changed) await tellOf(call, args, args.now);
  return changed;
});

export const writePassword = transaction<NewPassword, boolean>(
  async (tx, { partition, personId, passwordHash, replacing, mustChange, mails, now, ...ends }) => {
    const {
      endGrants,
      revokeConsents = false,
      endSessions = true,
      endWaysBack = false,
      unlessOperator = false,
      keepSessionId,
      ...asked
    } = ends;
    if (unlessOperator && (await isOperator(tx, { partition, personId }))) return false;
    if (!(await mayStill(tx, { partition, personId }, asked))) return false;
    const changed = await tx.run(
      sql`UPDATE people SET password_hash = :passwordHash, password_changed_at = :now, must_change_password = :mustChange,
        oldest_browser_at = CASE WHEN :waysBack = 1 THEN NULL ELSE oldest_browser_at END, updated_at = :now
      WHERE ${thisPerson} AND (COALESCE(password_changed_at, 0) = :replacing OR :replacing IS NULL)`,
      {
        ...{ partition, personId, passwordHash, mustChange: flag(mustChange), now },
        waysBack: flag(endWaysBack),
        replacing: replacing === undefined ? null : (replacing ?? 0),
      },
    );
    if (changed === 0) return false;
    // Somebody who knew the previous password asked for a link to another address. Links that take the account back stay,
    // because an intruder may have changed the password. Only the operator ends them.
    await tx.run(
      sql`DELETE FROM mail_links WHERE ${thisPerson} AND (purpose = 'change' OR (purpose IN ('recover', 'undo', 'restore') AND :waysBack = 1))`,
      { partition, personId, waysBack: flag(endWaysBack) },
    );
    if (endWaysBack) await endOwed(tx, { partition, personId });
    if (endSessions) {
      // All devices except the browser that asks: another browser stops being known when its session ends.
      await revokeDevices(tx, { partition, personId }, endedBy(asked.sessionId ?? keepSessionId), now);
      await tx.run(
        sql`DELETE FROM sessions WHERE ${thisPerson} AND (session_id <> :keepSessionId OR :keepSessionId IS NULL)`,
        { partition, personId, keepSessionId },
      );
      await noteSessionEnds(tx, { partition, personId, keepSessionId }, now);
    }
    if (revokeConsents) await endConsentsOf(tx, { partition, personId, now });
    if (endGrants) {
      await endGrantsOf(tx, { partition, personId, cause: "password", by: mustChange ? "operator" : personId, now });
    }
    // Companies are told even if the person's own apps keep access: a grant that an old session began in a company's
    // name must not be completed.
    const keeps = { before: now, butIn: [] };
    const ending = endGrants ? { cutBy: revokeConsents ? ("revoked" as const) : null } : { keeps };
    await noteForCompanies(tx, { partition, personId }, { cutAt: now, ...ending, now });
    await post(tx, mails, now);
    await tell(tx, {
      ...{ kind: "user.password_changed", at: now, subject: personId },
      by: asked.sessionId === undefined && mustChange ? "operator" : `user:${personId}`,
      details: { session_id: asked.sessionId, must_change: mustChange, apps_ended: endGrants },
    });
    return true;
  },
);

export const rehashPassword = statement<PersonKey & { readonly from: string | null; readonly to: string | null }, void>(
  {
    lock: "personId",
    sql: sql`UPDATE people SET password_hash = :to WHERE ${thisPerson} AND COALESCE(password_hash, '') = :from RETURNING person_id`,
    bind: ({ from, ...args }) => ({ ...args, from: from ?? "" }),
    outcome: () => undefined,
  },
);

interface EndsAll extends PersonKey {
  /** Null: the account is being deleted, and nobody would read the entry. */
  readonly cause: EndCause | null;
  readonly by: string;
  readonly now: Millis;
}

const ofPerson = endingOf(sql`partition = :partition AND owner_id = :personId`);

/** Ends the person's own grants. */
export async function endGrantsOf(tx: Tx, { partition, personId, cause, by, now }: EndsAll): Promise<void> {
  if (cause !== null) await keepLastUse(tx, partition, personId);
  const ended = await endGrants(tx, ofPerson, { partition, personId }, { status: "owner_ended", now });
  if (cause !== null) await noteEnded(tx, { partition, ownerId: personId, cause, by, now }, ended);
}

const waiting = pausingOf(sql`partition = :partition AND owner_id = :personId`);

/** The person's own grants give no tokens from `at` on. Null: they go on. */
export function pauseGrantsOf(tx: Tx, { partition, personId }: PersonKey, at: Millis | null): Promise<number> {
  return pauseGrants(tx, waiting, { partition, personId }, at);
}

export const deletePerson = steps<PersonKey & ByLesser & { readonly now: Millis }, boolean>(
  async (call, { partition, personId, unlessOperator = false, now }) => {
    const person = await call(getPerson, { partition, personId });
    return person !== undefined && (await eraseWholly(call, person, now, { unlessOperator }));
  },
);

/** `due`: only if the person's deletion is due then. */
type OnlyIf = ByLesser & { readonly due?: Millis };

interface Erased {
  readonly names: readonly string[];
  readonly links: readonly string[];
  readonly passkeys: readonly string[];
}

const NOTHING: Erased = { names: [], links: [], passkeys: [] };

/**
 * Works in the person's own partition: deletes person, sessions, factors, consents and links, ends the grants, and
 * leaves entries for the companies. Returns the owners of names to free. Undefined: the condition is not met.
 */
export const erasePerson = transaction<PersonKey & OnlyIf & { readonly now: Millis }, Erased | undefined>(
  async (tx, { partition, personId, due, unlessOperator = false, now }) => {
    if (unlessOperator && (await isOperator(tx, { partition, personId }))) return undefined;
    if (due !== undefined && !(await isDue(tx, { partition, personId }, due))) return undefined;
    await noteForCompanies(tx, { partition, personId }, { gone: true, cutAt: now, now });
    await tx.run(sql`DELETE FROM member_links WHERE ${thisPerson}`, { partition, personId });
    const people = await tx.all(sql`DELETE FROM people WHERE ${thisPerson} RETURNING username, look_alike, email`, {
      partition,
      personId,
    });
    // After the person's row, whose lock keeps out new ones.
    await tx.run(sql`DELETE FROM last_companies WHERE ${thisPerson}`, { partition, personId });
    await tx.run(sql`DELETE FROM sessions WHERE ${thisPerson}`, { partition, personId });
    await noteSessionEnds(tx, { partition, personId }, now);
    await eraseDevices(tx, { partition, personId });
    await tx.run(sql`DELETE FROM mail_links WHERE ${thisPerson}`, { partition, personId });
    await tx.run(sql`DELETE FROM former_addresses WHERE ${thisPerson}`, { partition, personId });
    await tx.run(sql`DELETE FROM pictures WHERE ${thisPerson}`, { partition, personId });
    await tx.run(sql`DELETE FROM consents WHERE partition = :partition AND owner_id = :personId`, {
      partition,
      personId,
    });
    const passkeys = await eraseFactors(tx, partition, personId);
    // A transaction that ends one of these grants at the same moment writes its own history entry. This call waits for
    // it; the entry is deleted with the rest.
    await endGrantsOf(tx, { partition, personId, cause: null, by: personId, now });
    await eraseHistory(tx, partition, personId);
    await eraseScopeUses(tx, partition, personId);
    await eraseDelegations(tx, partition, personId);
    const links = await tx.all(
      sql`DELETE FROM subject_links WHERE partition = :partition AND owner_id = :personId RETURNING link`,
      { partition, personId },
    );
    // Their key in events went with the row.
    const by = due === undefined ? "operator" : `user:${personId}`;
    if (people.length > 0) await tell(tx, { kind: "user.deleted", at: now, by, subject: personId });
    const names = people.flatMap((row) =>
      namesOf({ username: text(row, "username"), lookAlike: textOrNull(row, "look_alike"), email: text(row, "email") }),
    );
    return { names, links: links.map((row) => text(row, "link")), passkeys };
  },
);
