/** Verbs of passkeys. */

import type { Millis } from "../../oauth/model.ts";
import type { InSession } from "../../owners/change-conditions.ts";
import {
  type AddPasskeyOutcome,
  type FactorStorage,
  MOST_PASSKEYS,
  type Passkey,
  type RemovePasskeyOutcome,
  type Told,
  type UsePasskeyOutcome,
} from "../../owners/factor-storage.ts";
import type { Person } from "../../owners/storage.ts";
import { query, type Row, sql, statement, steps, type Tx, transaction, words } from "../define-verbs.ts";
import { tellChange } from "../events/tell.ts";
import { post } from "../mail/outbox.ts";
import { partitionOf } from "../partition.ts";
import { settleName } from "../people/name-reconciliation.ts";
import type { PersonKey } from "../people/person-row.ts";
import { getPerson } from "../people/person-row.ts";
import { holderOfName, reserveName, unreserveName } from "../people/unique-names.ts";
import { bytes, flag, json, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { isOperator, lockPerson, signsInElsewhere } from "./lock-person-row.ts";

interface PasskeyKey extends PersonKey {
  readonly credentialId: string;
}

type Port = FactorStorage["passkeys"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];

const theirs = sql`partition = :partition AND person_id = :personId`;
const thisPasskey = sql`${theirs} AND credential_id = :credentialId`;
export const passkeyColumns = sql`partition, person_id, credential_id, public_key, counter, backup_eligible, backed_up, transports, name,
  created_at, last_used_at, added_address, added_user_agent, device_since, vouched_from`;

export function passkeyOf(row: Row): Passkey {
  return {
    partition: whole(row, "partition"),
    personId: text(row, "person_id"),
    credentialId: text(row, "credential_id"),
    publicKey: bytes(row, "public_key"),
    counter: whole(row, "counter"),
    backupEligible: whole(row, "backup_eligible") === 1,
    backedUp: whole(row, "backed_up") === 1,
    transports: json<readonly string[]>(row, "transports"),
    name: text(row, "name"),
    createdAt: whole(row, "created_at"),
    lastUsedAt: wholeOrNull(row, "last_used_at"),
    added: {
      address: textOrNull(row, "added_address"),
      userAgent: textOrNull(row, "added_user_agent"),
      deviceSince: wholeOrNull(row, "device_since"),
      vouchedFrom: wholeOrNull(row, "vouched_from"),
    },
  };
}

/** The id is unique across owners: the verb reserves the id, writes the key, then activates the id. */
export const addPasskey = steps<Args<"add">, AddPasskeyOutcome>(async (call, { passkey, now, ...rest }) => {
  const name = { kind: "passkey", value: passkey.credentialId, ownerId: passkey.personId, now } as const;
  if (!(await call(reserveName, name))) return "taken";
  const outcome = await call(insertPasskey, { ...rest, ...passkey, now });
  if ((await settleName(call, name)) || outcome !== "added") return outcome;
  // The reservation was so old that another person took it over. This key came too late.
  await call(dropPasskey, passkey);
  return "taken";
});

/** Removes the passkey even if it is the person's only way to sign in. */
export const dropPasskey = statement<PasskeyKey, boolean>({
  lock: "personId",
  sql: sql`DELETE FROM passkeys WHERE ${thisPasskey} RETURNING credential_id`,
  bind: ({ partition, personId, credentialId }) => ({ partition, personId, credentialId }),
  outcome: (row) => row !== undefined,
});

async function countPasskeys(tx: Tx, { partition, personId }: PersonKey): Promise<number> {
  const row = await tx.one(sql`SELECT COUNT(*) AS n FROM passkeys WHERE ${theirs}`, { partition, personId });
  return row === undefined ? 0 : whole(row, "n");
}

type Change = Told & InSession & { readonly now: Millis };

export const insertPasskey = transaction<Passkey & Change, AddPasskeyOutcome>(
  async (tx, { mails, sessionId, now, ...passkey }) => {
    if ((await lockPerson(tx, passkey, sessionId)) === undefined) return "unknown";
    if ((await countPasskeys(tx, passkey)) >= MOST_PASSKEYS) return "full";
    // A passkey that a recovery removed may come back, and must then be the same key.
    if (await isRemoved(tx, passkey)) return "taken";
    if (!(await writePasskey(tx, passkey))) return "taken";
    await post(tx, mails, now);
    await tellChange(tx, "user.passkey_added", passkey, {
      now,
      sessionId,
      personal: { credential_id: passkey.credentialId },
    });
    return "added";
  },
);

/** False: the passkey exists already. */
export async function writePasskey(tx: Tx, { added, ...passkey }: Passkey): Promise<boolean> {
  const made = await tx.run(
    sql`INSERT INTO passkeys (${passkeyColumns})
      VALUES (:partition, :personId, :credentialId, :publicKey, :counter, :backupEligible, :backedUp, :transports, :name, :createdAt, :lastUsedAt,
        :address, :userAgent, :deviceSince, :vouchedFrom)
      ON CONFLICT (partition, person_id, credential_id) DO NOTHING`,
    {
      ...passkey,
      ...added,
      backupEligible: flag(passkey.backupEligible),
      backedUp: flag(passkey.backedUp),
      transports: JSON.stringify(passkey.transports),
    },
  );
  return made === 1;
}

async function isRemoved(tx: Tx, { partition, personId, credentialId }: PasskeyKey): Promise<boolean> {
  const row = await tx.one(removedPasskey, { partition, personId, credentialId });
  return row !== undefined;
}

const removedPasskey = sql`SELECT factor_id FROM removed_factors WHERE ${theirs} AND kind = 'passkey' AND factor_id = :credentialId LIMIT 1`;

export const getPasskey = query<PasskeyKey, Passkey | undefined>({
  sql: sql`SELECT ${passkeyColumns} FROM passkeys WHERE ${thisPasskey}`,
  bind: ({ partition, personId, credentialId }) => ({ partition, personId, credentialId }),
  outcome: ([row]) => row && passkeyOf(row),
});

/** The id's row leads to a person. The result counts only if that person has the key. */
export const findPasskey = steps<
  { readonly credentialId: string },
  { readonly passkey: Passkey; readonly person: Person } | undefined
>(async (call, { credentialId }) => {
  const holder = await call(holderOfName, { kind: "passkey", value: credentialId });
  if (holder === undefined) return undefined;
  const key = { partition: partitionOf(holder.ownerId), personId: holder.ownerId };
  const passkey = await call(getPasskey, { ...key, credentialId });
  const person = passkey && (await call(getPerson, key));
  return passkey && person && { passkey, person };
});

export const listPasskeys = query<PersonKey, readonly Passkey[]>({
  sql: sql`SELECT ${passkeyColumns} FROM passkeys WHERE ${theirs} ORDER BY created_at, credential_id`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) => rows.map(passkeyOf),
});

/** The same inside a transaction, with the rows locked. */
export async function lockPasskeys(tx: Tx, { partition, personId }: PersonKey): Promise<readonly Passkey[]> {
  const rows = await tx.all(
    sql`SELECT ${passkeyColumns} FROM passkeys WHERE ${theirs} ORDER BY credential_id ${words.forUpdate}`,
    { partition, personId },
  );
  return rows.map(passkeyOf);
}

/**
 * Web Authentication Level 3, §7.2 step 22: if the count does not increase, the passkey was copied. Passkeys without a
 * count always send 0.
 */
export const usePasskey = statement<Args<"use">, UsePasskeyOutcome>({
  lock: "personId",
  sql: sql`UPDATE passkeys SET counter = :counter, backed_up = :backedUp, last_used_at = :now
    WHERE ${thisPasskey} AND (counter < :counter OR (counter = 0 AND :counter = 0)) RETURNING counter`,
  why: sql`SELECT counter FROM passkeys WHERE ${thisPasskey}`,
  bind: ({ backedUp, ...args }) => ({ ...args, backedUp: flag(backedUp) }),
  outcome: (row, _, why) => (row !== undefined ? "used" : why !== undefined ? "stale" : "unknown"),
});

export const removePasskey = steps<Args<"remove">, RemovePasskeyOutcome>(
  async (call, { partition, personId, credentialId, now, ...rest }) => {
    const name = { kind: "passkey", value: credentialId, ownerId: personId, now } as const;
    if (!(await call(unreserveName, name))) return "unknown";
    const outcome = await call(erasePasskey, { ...rest, partition, personId, credentialId, now });
    await settleName(call, name);
    return outcome;
  },
);

export const erasePasskey = transaction<
  PasskeyKey & Change & Pick<Args<"remove">, "waysIn" | "unlessOperator">,
  RemovePasskeyOutcome
>(async (tx, { partition, personId, credentialId, waysIn = [], sessionId, mails, now, unlessOperator = false }) => {
  const key = { partition, personId };
  const person = await lockPerson(tx, key, sessionId);
  if (person === undefined && sessionId !== undefined) return "unknown";
  if (unlessOperator && (await isOperator(tx, key))) return "unknown";
  // An operator also takes the last passkey of somebody whose password nobody knows: it can be an intruder's.
  const staysIn = sessionId === undefined ? person?.hasPassword : person?.knowsPassword;
  const only = staysIn === false && (await countPasskeys(tx, key)) === 1;
  if (only && !(await signsInElsewhere(tx, key, waysIn, null))) {
    const own = await tx.one(sql`SELECT counter FROM passkeys WHERE ${thisPasskey}`, {
      partition,
      personId,
      credentialId,
    });
    return own === undefined ? "unknown" : "last";
  }
  const gone = await tx.run(sql`DELETE FROM passkeys WHERE ${thisPasskey}`, { partition, personId, credentialId });
  if (gone !== 1) return "unknown";
  await post(tx, mails, now);
  await tellChange(tx, "user.passkey_removed", key, { now, sessionId, personal: { credential_id: credentialId } });
  return "removed";
});

export const vouchPasskey = statement<Args<"vouch">, void>({
  lock: "personId",
  sql: sql`UPDATE passkeys SET vouched_from = :from WHERE ${thisPasskey} AND (vouched_from IS NULL OR vouched_from > :from) RETURNING counter`,
  bind: ({ partition, personId, credentialId, from }) => ({ partition, personId, credentialId, from }),
  outcome: () => undefined,
});
