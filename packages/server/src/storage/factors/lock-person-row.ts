/** The lock for changes of an account, and the conditions that must still hold when the change is made. */

import type { Millis } from "../../oauth/model.ts";
import type { Asked } from "../../owners/change-conditions.ts";
import { knowsPassword } from "../../owners/person.ts";
import type { WayIn } from "../../owners/subject-link-storage.ts";
import { sql, type Tx, words } from "../define-verbs.ts";
import { type PersonKey, thisPerson } from "../people/person-row.ts";
import { text, textOrNull, wholeOrNull } from "../row-conversion.ts";

interface LockedPerson {
  /** True also for a password that nobody knows: a link by mail can replace it. */
  readonly hasPassword: boolean;
  readonly knowsPassword: boolean;
  readonly passwordChangedAt: Millis | null;
}

/**
 * Locks the person, so that simultaneous changes see each other. Undefined if the person does not exist, is not active,
 * or has no password. Also undefined if the session that asks has ended: recovery ends all sessions, and nothing that
 * was requested before it may happen after it.
 */
export async function lockPerson(
  tx: Tx,
  { partition, personId }: PersonKey,
  sessionId?: string,
): Promise<LockedPerson | undefined> {
  const row = await tx.one(
    sql`SELECT status, password_hash, password_changed_at FROM people WHERE ${thisPerson} ${words.forUpdate}`,
    { partition, personId },
  );
  if (row === undefined || text(row, "status") !== "active") return undefined;
  if (sessionId !== undefined && !(await isOpen(tx, { partition, personId }, sessionId))) return undefined;
  const passwordHash = textOrNull(row, "password_hash");
  return {
    hasPassword: passwordHash !== null,
    knowsPassword: knowsPassword({ passwordHash }),
    passwordChangedAt: wholeOrNull(row, "password_changed_at"),
  };
}

/** Locks the person. True if the session that asks still exists, or if no session asks, as with an operator. */
export async function mayStill(tx: Tx, key: PersonKey, { sessionId, passwordChangedAt }: Asked): Promise<boolean> {
  if (sessionId === undefined && passwordChangedAt === undefined) return true;
  const person = await lockPerson(tx, key, sessionId);
  return person !== undefined && (passwordChangedAt === undefined || person.passwordChangedAt === passwordChangedAt);
}

async function isOpen(tx: Tx, { partition, personId }: PersonKey, sessionId: string): Promise<boolean> {
  const row = await tx.one(sql`SELECT person_id FROM sessions WHERE ${thisPerson} AND session_id = :sessionId`, {
    partition,
    personId,
    sessionId,
  });
  return row !== undefined;
}

/** Whether the person has a link to one of those issuers, beside the one with the key `except`. */
export async function signsInElsewhere(
  tx: Tx,
  { partition, personId }: PersonKey,
  waysIn: readonly WayIn[],
  except: string | null,
): Promise<boolean> {
  if (waysIn.length === 0) return false;
  const links = await tx.all(
    sql`SELECT link, issuer_id, claim FROM subject_links WHERE partition = :partition AND owner_id = :personId`,
    { partition, personId },
  );
  return links.some(
    (row) =>
      text(row, "link") !== except &&
      waysIn.some(({ issuerId, claim }) => text(row, "issuer_id") === issuerId && textOrNull(row, "claim") === claim),
  );
}

/** Locks the row, so that a person who cancels the deletion is either in time or too late. */
export async function isDue(tx: Tx, { partition, personId }: PersonKey, due: Millis): Promise<boolean> {
  const row = await tx.one(
    sql`SELECT person_id FROM people WHERE ${thisPerson} AND delete_at <= :due ${words.forUpdate}`,
    { partition, personId, due },
  );
  return row !== undefined;
}

/** Locks the row, so that nobody becomes an operator in the same moment. */
export async function isOperator(tx: Tx, { partition, personId }: PersonKey): Promise<boolean> {
  const row = await tx.one(sql`SELECT operator FROM people WHERE ${thisPerson} ${words.forUpdate}`, {
    partition,
    personId,
  });
  return row !== undefined && text(row, "operator") !== "[]";
}
