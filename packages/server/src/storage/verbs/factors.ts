/** Verbs of what people sign in with beside a password: passkeys, one-time codes, recovery codes. */

import type { Millis } from "../../oauth/model.ts";
import {
  type AddPasskeyOutcome,
  type FactorStorage,
  MOST_PASSKEYS,
  type Passkey,
  type RemovePasskeyOutcome,
  type SecondFactor,
  type UsePasskeyOutcome,
} from "../../owners/factor-storage.ts";
import type { StoredMail } from "../../owners/mail-storage.ts";
import type { Person } from "../../owners/storage.ts";
import { partitionOf } from "../partition.ts";
import { bytes, flag, json, text, whole, wholeOrNull } from "../rows.ts";
import { query, type Row, sql, statement, steps, type Tx, transaction, words } from "../sql.ts";
import { settleName } from "./bearers.ts";
import { holderOfName, loosenName, reserveName } from "./names.ts";
import { post } from "./outbox.ts";
import { getPerson } from "./people.ts";

interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

interface PasskeyKey extends PersonKey {
  readonly credentialId: string;
}

type Args<Name extends keyof FactorStorage> = Parameters<FactorStorage[Name]>[0];

const theirs = sql`partition = :partition AND person_id = :personId`;
const thisPasskey = sql`${theirs} AND credential_id = :credentialId`;
const passkeyColumns = sql`partition, person_id, credential_id, public_key, counter, backup_eligible, backed_up, transports, name, created_at,
  last_used_at`;

function passkeyOf(row: Row): Passkey {
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
  };
}

/** The id is unique across owners: reserved, then the key, then active. */
export const addPasskey = steps<Args<"addPasskey">, AddPasskeyOutcome>(async (call, { passkey, mails = [], now }) => {
  const name = { kind: "passkey", value: passkey.credentialId, ownerId: passkey.personId, now } as const;
  if (!(await call(reserveName, name))) return "taken";
  const outcome = await call(insertPasskey, { ...passkey, mails, now });
  if ((await settleName(call, name)) || outcome !== "added") return outcome;
  // The reservation had become so old that another took it over: this key is the late one.
  await call(dropPasskey, passkey);
  return "taken";
});

/** Whatever else there is to sign in with. */
export const dropPasskey = statement<PasskeyKey, boolean>({
  sql: sql`DELETE FROM passkeys WHERE ${thisPasskey} RETURNING credential_id`,
  bind: ({ partition, personId, credentialId }) => ({ partition, personId, credentialId }),
  outcome: (row) => row !== undefined,
});

/** Whether the person is there, active, and has a password; locked, so that of two changes one knows of the other. */
async function lockPerson(tx: Tx, { partition, personId }: PersonKey): Promise<{ hasPassword: boolean } | undefined> {
  const row = await tx.one(sql`SELECT status, password_hash FROM people WHERE ${theirs} ${words.forUpdate}`, {
    partition,
    personId,
  });
  if (row === undefined || text(row, "status") !== "active") return undefined;
  return { hasPassword: row["password_hash"] !== null };
}

async function countPasskeys(tx: Tx, { partition, personId }: PersonKey): Promise<number> {
  const row = await tx.one(sql`SELECT COUNT(*) AS n FROM passkeys WHERE ${theirs}`, { partition, personId });
  return row === undefined ? 0 : whole(row, "n");
}

type Told = { readonly mails?: readonly StoredMail[]; readonly now: Millis };

export const insertPasskey = transaction<Passkey & Told, AddPasskeyOutcome>(async (tx, { mails, now, ...passkey }) => {
  if ((await lockPerson(tx, passkey)) === undefined) return "unknown";
  if ((await countPasskeys(tx, passkey)) >= MOST_PASSKEYS) return "full";
  const made = await tx.run(
    sql`INSERT INTO passkeys (${passkeyColumns})
      VALUES (:partition, :personId, :credentialId, :publicKey, :counter, :backupEligible, :backedUp, :transports, :name, :createdAt, :lastUsedAt)
      ON CONFLICT (partition, person_id, credential_id) DO NOTHING`,
    {
      ...passkey,
      backupEligible: flag(passkey.backupEligible),
      backedUp: flag(passkey.backedUp),
      transports: JSON.stringify(passkey.transports),
    },
  );
  if (made !== 1) return "taken";
  await post(tx, mails, now);
  return "added";
});

export const getPasskey = query<PasskeyKey, Passkey | undefined>({
  sql: sql`SELECT ${passkeyColumns} FROM passkeys WHERE ${thisPasskey}`,
  bind: ({ partition, personId, credentialId }) => ({ partition, personId, credentialId }),
  outcome: ([row]) => row && passkeyOf(row),
});

/** The id's row leads to the person; only one who has the key is the answer. */
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

/** Web Authentication Level 3, §7.2 step 22: a count that doesn't go up means a copy. Those that keep no count send 0 each time. */
export const usePasskey = statement<Args<"usePasskey">, UsePasskeyOutcome>({
  sql: sql`UPDATE passkeys SET counter = :counter, backed_up = :backedUp, last_used_at = :now
    WHERE ${thisPasskey} AND (counter < :counter OR (counter = 0 AND :counter = 0)) RETURNING counter`,
  why: sql`SELECT counter FROM passkeys WHERE ${thisPasskey}`,
  bind: ({ backedUp, ...args }) => ({ ...args, backedUp: flag(backedUp) }),
  outcome: (row, _, why) => (row !== undefined ? "used" : why !== undefined ? "stale" : "unknown"),
});

export const removePasskey = steps<Args<"removePasskey">, RemovePasskeyOutcome>(
  async (call, { partition, personId, credentialId, mails = [], now }) => {
    const name = { kind: "passkey", value: credentialId, ownerId: personId, now } as const;
    if (!(await call(loosenName, name))) return "unknown";
    const outcome = await call(erasePasskey, { partition, personId, credentialId, mails, now });
    await settleName(call, name);
    return outcome;
  },
);

export const erasePasskey = transaction<PasskeyKey & Told, RemovePasskeyOutcome>(
  async (tx, { partition, personId, credentialId, mails, now }) => {
    const person = await lockPerson(tx, { partition, personId });
    if (person !== undefined && !person.hasPassword && (await countPasskeys(tx, { partition, personId })) === 1) {
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
    return "removed";
  },
);

export const getSecondFactor = query<PersonKey, SecondFactor | undefined>({
  sql: sql`SELECT sealed_secret, last_step, created_at, last_used_at FROM second_factors WHERE ${theirs}`,
  also: sql`SELECT COUNT(*) AS n FROM recovery_codes WHERE ${theirs}`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: ([row], _, [count]) =>
    row && {
      sealedSecret: bytes(row, "sealed_secret"),
      lastStep: whole(row, "last_step"),
      createdAt: whole(row, "created_at"),
      lastUsedAt: wholeOrNull(row, "last_used_at"),
      codesLeft: count === undefined ? 0 : whole(count, "n"),
    },
});

export const setSecondFactor = transaction<Args<"setSecondFactor">, boolean>(async (tx, args) => {
  const { partition, personId, sealedSecret, step, codes, mails, now } = args;
  if ((await lockPerson(tx, args)) === undefined) return false;
  await tx.run(
    sql`INSERT INTO second_factors (partition, person_id, sealed_secret, last_step, created_at, last_used_at)
      VALUES (:partition, :personId, :sealedSecret, :step, :now, NULL)
      ON CONFLICT (partition, person_id) DO UPDATE SET sealed_secret = :sealedSecret, last_step = :step, created_at = :now, last_used_at = NULL`,
    { partition, personId, sealedSecret, step, now },
  );
  await replaceCodes(tx, { partition, personId }, codes);
  await post(tx, mails, now);
  return true;
});

async function replaceCodes(tx: Tx, { partition, personId }: PersonKey, codes: readonly string[]): Promise<void> {
  await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs}`, { partition, personId });
  for (const code of codes) {
    await tx.run(
      sql`INSERT INTO recovery_codes (partition, person_id, code_hash) VALUES (:partition, :personId, :code)`,
      { partition, personId, code },
    );
  }
}

/** RFC 6238 §5.2: a code is accepted once. Of many that come together with it, one writes the step. */
export const useSecondFactor = statement<Args<"useSecondFactor">, boolean>({
  sql: sql`UPDATE second_factors SET last_step = :step, last_used_at = :now WHERE ${theirs} AND last_step < :step RETURNING last_step`,
  bind: ({ partition, personId, step, now }) => ({ partition, personId, step, now }),
  outcome: (row) => row !== undefined,
});

export const removeSecondFactor = transaction<Args<"removeSecondFactor">, boolean>(
  async (tx, { partition, personId, mails, now }) => {
    await lockPerson(tx, { partition, personId });
    await replaceCodes(tx, { partition, personId }, []);
    const gone = await tx.run(sql`DELETE FROM second_factors WHERE ${theirs}`, { partition, personId });
    if (gone === 1) await post(tx, mails, now);
    return gone === 1;
  },
);

export const setRecoveryCodes = transaction<Args<"setRecoveryCodes">, boolean>(
  async (tx, { partition, personId, codes, mails, now }) => {
    await lockPerson(tx, { partition, personId });
    const has = await tx.one(sql`SELECT last_step FROM second_factors WHERE ${theirs}`, { partition, personId });
    if (has === undefined) return false;
    await replaceCodes(tx, { partition, personId }, codes);
    await post(tx, mails, now);
    return true;
  },
);

export const useRecoveryCode = transaction<Args<"useRecoveryCode">, boolean>(
  async (tx, { partition, personId, code, mails, now }) => {
    const gone = await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs} AND code_hash = :code`, {
      ...{ partition, personId, code },
    });
    if (gone === 1) await post(tx, mails, now);
    return gone === 1;
  },
);

/** All that a person has of these; the ids of their passkeys. For the end of an account. */
export async function eraseFactors(tx: Tx, partition: number, personId: string): Promise<readonly string[]> {
  await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs}`, { partition, personId });
  await tx.run(sql`DELETE FROM second_factors WHERE ${theirs}`, { partition, personId });
  const rows = await tx.all(sql`DELETE FROM passkeys WHERE ${theirs} RETURNING credential_id`, { partition, personId });
  return rows.map((row) => text(row, "credential_id"));
}
