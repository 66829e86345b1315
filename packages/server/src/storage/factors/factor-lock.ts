/** The lock under which somebody's account changes, and what must still hold of whoever asked for the change. */

import type { Millis } from "../../oauth/model.ts";
import type { Asked } from "../../owners/asked-in-session.ts";
import { type PersonKey, thisPerson } from "../people/person.ts";
import { text, wholeOrNull } from "../rows.ts";
import { sql, type Tx, words } from "../sql.ts";

/**
 * Whether the person is there, active, and has a password; locked, so that of two changes one knows of the other. Undefined, too, where the session
 * that asks for the change has ended: recovery ends all of them, and nothing that was asked for before may happen after it.
 */
export async function lockPerson(
  tx: Tx,
  { partition, personId }: PersonKey,
  sessionId?: string,
): Promise<{ readonly hasPassword: boolean; readonly passwordChangedAt: Millis | null } | undefined> {
  const row = await tx.one(
    sql`SELECT status, password_hash, password_changed_at FROM people WHERE ${thisPerson} ${words.forUpdate}`,
    { partition, personId },
  );
  if (row === undefined || text(row, "status") !== "active") return undefined;
  if (sessionId !== undefined && !(await isOpen(tx, { partition, personId }, sessionId))) return undefined;
  return { hasPassword: row["password_hash"] !== null, passwordChangedAt: wholeOrNull(row, "password_changed_at") };
}

/** Locks the person, and says whether what was asked in a session may still happen. True, too, where nobody's session asks: an operator does. */
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
