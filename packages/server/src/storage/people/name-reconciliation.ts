/**
 * Reads the owner's record to decide about a name: the name belongs to the owner whose record has it, whatever its
 * reservation says.
 */

import { type Call, query, sql } from "../define-verbs.ts";
import { partitionOf } from "../partition.ts";
import { claimName, forgetName, type NameArgs } from "./unique-names.ts";

interface Borne {
  readonly partition: number;
  readonly ownerId: string;
  readonly value: string;
}

const theirs = sql`partition = :partition AND person_id = :ownerId`;
const bind = ({ partition, ownerId, value }: Borne) => ({ partition, ownerId, value });

export const bearsSlug = query<Borne, boolean>({
  sql: sql`SELECT 1 AS found FROM companies WHERE partition = :partition AND company_id = :ownerId AND slug = :value`,
  bind,
  outcome: (rows) => rows.length > 0,
});

export const bearsSubject = query<Borne, boolean>({
  sql: sql`SELECT 1 AS found FROM people WHERE ${theirs}
    AND EXISTS (SELECT 1 FROM subject_links WHERE partition = :partition AND owner_id = :ownerId AND link = :value)`,
  bind,
  outcome: (rows) => rows.length > 0,
});

/** A passkey that a recovery removed counts while the removal can be undone: nobody else can get its id. */
export const bearsPasskey = query<Borne, boolean>({
  sql: sql`SELECT 1 AS found FROM passkeys WHERE ${theirs} AND credential_id = :value`,
  also: sql`SELECT 1 AS found FROM removed_factors WHERE ${theirs} AND kind = 'passkey' AND factor_id = :value LIMIT 1`,
  bind,
  outcome: (rows, _, removed) => rows.length + removed.length > 0,
});

/** A username, the form that it looks like, or an e-mail address. */
export const bearsName = query<Borne, boolean>({
  sql: sql`SELECT 1 AS found FROM people WHERE ${theirs} AND (username = :value OR look_alike = :value OR email = :value)`,
  bind,
  outcome: (rows) => rows.length > 0,
});

const bearing = { "sign-in": bearsName, slug: bearsSlug, subject: bearsSubject, passkey: bearsPasskey } as const;

/** True if the owner's own record has the name. */
export function isBorne(call: Call, { kind = "sign-in", value, ownerId }: Omit<NameArgs, "now">): Promise<boolean> {
  return call(bearing[kind], { partition: partitionOf(ownerId), ownerId, value });
}

/**
 * Call this after an owner's record was written, or was not written. If the record has the name, the name becomes the
 * owner's for good; otherwise it is freed. Simultaneous changes of one owner may call this in any order: each reads
 * again after it acted, so the last one saw the final record. False: the record has the name, but somebody else holds
 * it.
 */
export async function settleName(call: Call, name: NameArgs): Promise<boolean> {
  for (let borne = await isBorne(call, name); ; ) {
    const done = await call(borne ? claimName : forgetName, name);
    const acted = borne;
    borne = await isBorne(call, name);
    if (borne === acted) return done || !borne;
  }
}
