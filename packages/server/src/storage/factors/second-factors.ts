/** Verbs of one-time codes and of recovery codes. */

import type { Millis } from "../../oauth/model.ts";
import type {
  AddedFrom,
  EarlierAuthenticator,
  FactorStorage,
  SecondFactor,
  SetCodesOutcome,
} from "../../owners/factor-storage.ts";
import { isVouched } from "../../owners/recovery/factor-trust.ts";
import { query, type Row, sql, statement, type Tx, transaction, words } from "../define-verbs.ts";
import { tell, tellChange } from "../events/tell.ts";
import { post } from "../mail/outbox.ts";
import type { PersonKey } from "../people/person-row.ts";
import { bytes, flag, json, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { isOperator, lockPerson } from "./lock-person-row.ts";

type Port = FactorStorage["secondFactors"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];

const theirs = sql`partition = :partition AND person_id = :personId`;
const factorColumns = sql`sealed_secret, last_step, created_at, last_used_at, added_address, added_user_agent, device_since, vouched_from,
  codes_at, codes_address, codes_user_agent, codes_device_since, codes_vouched_from, earlier_secret, earlier_step, earlier`;

/** The data of an authenticator or its recovery codes, without the number of codes left. */
export type FactorRow = Omit<SecondFactor, "codesLeft" | "earlierCodesLeft">;

function factorOf(row: Row): FactorRow {
  const createdAt = whole(row, "created_at");
  return {
    sealedSecret: bytes(row, "sealed_secret"),
    lastStep: whole(row, "last_step"),
    createdAt,
    lastUsedAt: wholeOrNull(row, "last_used_at"),
    added: {
      address: textOrNull(row, "added_address"),
      userAgent: textOrNull(row, "added_user_agent"),
      deviceSince: wholeOrNull(row, "device_since"),
      vouchedFrom: wholeOrNull(row, "vouched_from"),
    },
    codesAt: wholeOrNull(row, "codes_at") ?? createdAt,
    codesAdded: {
      address: textOrNull(row, "codes_address"),
      userAgent: textOrNull(row, "codes_user_agent"),
      deviceSince: wholeOrNull(row, "codes_device_since"),
      vouchedFrom: wholeOrNull(row, "codes_vouched_from"),
    },
    earlier:
      row["earlier_secret"] === null
        ? null
        : {
            ...json<Omit<EarlierAuthenticator, "sealedSecret" | "lastStep">>(row, "earlier"),
            sealedSecret: bytes(row, "earlier_secret"),
            lastStep: whole(row, "earlier_step"),
          },
  };
}

export const getSecondFactor = query<PersonKey, SecondFactor | undefined>({
  sql: sql`SELECT ${factorColumns} FROM second_factors WHERE ${theirs}`,
  also: sql`SELECT earlier, COUNT(*) AS n FROM recovery_codes WHERE ${theirs} GROUP BY earlier`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: ([row], _, counts) => {
    const left = (earlier: number) => {
      const count = counts.find((one) => whole(one, "earlier") === earlier);
      return count === undefined ? 0 : whole(count, "n");
    };
    return row && { ...factorOf(row), codesLeft: left(0), earlierCodesLeft: left(1) };
  },
});

/** The same inside a transaction, with the row locked. */
export async function lockFactor(tx: Tx, { partition, personId }: PersonKey): Promise<FactorRow | undefined> {
  const row = await tx.one(sql`SELECT ${factorColumns} FROM second_factors WHERE ${theirs} ${words.forUpdate}`, {
    partition,
    personId,
  });
  return row && factorOf(row);
}

/** Replaces the factor that existed before. */
export async function writeFactor(tx: Tx, { partition, personId }: PersonKey, factor: FactorRow): Promise<void> {
  const { sealedSecret, lastStep, createdAt, lastUsedAt, added, codesAt, codesAdded, earlier } = factor;
  await tx.run(
    sql`INSERT INTO second_factors (partition, person_id, ${factorColumns})
      VALUES (:partition, :personId, :sealedSecret, :lastStep, :createdAt, :lastUsedAt, :address, :userAgent, :deviceSince, :vouchedFrom,
        :codesAt, :codesAddress, :codesUserAgent, :codesDeviceSince, :codesVouchedFrom, :earlierSecret, :earlierStep, :earlier)
      ON CONFLICT (partition, person_id) DO UPDATE SET sealed_secret = excluded.sealed_secret, last_step = excluded.last_step,
        created_at = excluded.created_at, last_used_at = excluded.last_used_at, added_address = excluded.added_address,
        added_user_agent = excluded.added_user_agent, device_since = excluded.device_since, vouched_from = excluded.vouched_from,
        codes_at = excluded.codes_at, codes_address = excluded.codes_address, codes_user_agent = excluded.codes_user_agent,
        codes_device_since = excluded.codes_device_since, codes_vouched_from = excluded.codes_vouched_from,
        earlier_secret = excluded.earlier_secret, earlier_step = excluded.earlier_step, earlier = excluded.earlier`,
    {
      ...{ partition, personId, sealedSecret, lastStep, createdAt, lastUsedAt, ...added, codesAt },
      ...{ codesAddress: codesAdded.address, codesUserAgent: codesAdded.userAgent },
      ...{ codesDeviceSince: codesAdded.deviceSince, codesVouchedFrom: codesAdded.vouchedFrom },
      ...{ earlierSecret: earlier?.sealedSecret ?? null, earlierStep: earlier?.lastStep ?? null },
      earlier:
        earlier &&
        JSON.stringify({ createdAt: earlier.createdAt, lastUsedAt: earlier.lastUsedAt, added: earlier.added }),
    },
  );
}

export const setSecondFactor = transaction<Args<"set">, boolean>(async (tx, args) => {
  const { sealedSecret, step, codes, added, sessionId, mails, now } = args;
  if ((await lockPerson(tx, args, sessionId)) === undefined) return false;
  const before = await lockFactor(tx, args);
  const isNew = { sealedSecret, lastStep: step, createdAt: now, lastUsedAt: null, added };
  const earlier = isVouched(added, now) ? null : earlierOf(before, now);
  await writeFactor(tx, args, { ...isNew, codesAt: now, codesAdded: added, earlier });
  await replaceCodes(tx, args, codes, before, added, now);
  await post(tx, mails, now);
  await tellChange(tx, "user.second_step_set", args, { now, sessionId });
  return true;
});

/** The last authenticator that is vouched for: the one that is replaced now, or the one that was replaced before it. */
function earlierOf(before: FactorRow | undefined, now: Millis): EarlierAuthenticator | null {
  if (before === undefined || !isVouched(before.added, now)) return before?.earlier ?? null;
  const { sealedSecret, lastStep, createdAt, lastUsedAt, added } = before;
  return { sealedSecret, lastStep, createdAt, lastUsedAt, added };
}

async function replaceCodes(
  tx: Tx,
  { partition, personId }: PersonKey,
  codes: readonly string[],
  before: FactorRow | undefined,
  added: AddedFrom,
  now: Millis,
): Promise<void> {
  const key = { partition, personId };
  const keeps = !isVouched(added, now);
  if (keeps && before !== undefined && isVouched(before.codesAdded, now)) {
    await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs} AND earlier = 1`, key);
    await tx.run(sql`UPDATE recovery_codes SET earlier = 1 WHERE ${theirs}`, key);
  } else if (keeps) {
    await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs} AND earlier = 0`, key);
  } else {
    await eraseCodes(tx, key);
  }
  for (const code of codes) await writeCode(tx, key, code, false);
}

/** If the code exists among the earlier ones, it becomes one of the present set. */
export async function writeCode(
  tx: Tx,
  { partition, personId }: PersonKey,
  code: string,
  earlier: boolean,
): Promise<void> {
  await tx.run(
    sql`INSERT INTO recovery_codes (partition, person_id, code_hash, earlier) VALUES (:partition, :personId, :code, :earlier)
      ON CONFLICT (partition, person_id, code_hash) DO UPDATE SET earlier = excluded.earlier`,
    { partition, personId, code, earlier: flag(earlier) },
  );
}

async function eraseCodes(tx: Tx, { partition, personId }: PersonKey): Promise<void> {
  await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs}`, { partition, personId });
}

/** Deletes the authenticator and all codes. True: there was one. */
export async function eraseFactor(tx: Tx, { partition, personId }: PersonKey): Promise<boolean> {
  await eraseCodes(tx, { partition, personId });
  return (await tx.run(sql`DELETE FROM second_factors WHERE ${theirs}`, { partition, personId })) === 1;
}

/** Hashes of the unused recovery codes, of the present set or of the one before it. */
export async function codesOf(
  tx: Tx,
  { partition, personId }: PersonKey,
  earlier: boolean,
): Promise<readonly string[]> {
  const rows = await tx.all(sql`SELECT code_hash FROM recovery_codes WHERE ${theirs} AND earlier = :earlier`, {
    ...{ partition, personId, earlier: flag(earlier) },
  });
  return rows.map((row) => text(row, "code_hash"));
}

/** RFC 6238 §5.2: a code is accepted once. Of simultaneous uses of one code, one writes the step. */
export const useSecondFactor = statement<Args<"use">, boolean>({
  lock: "personId",
  sql: sql`UPDATE second_factors SET last_step = :step, last_used_at = :now WHERE ${theirs} AND last_step < :step RETURNING last_step`,
  bind: ({ partition, personId, step, now }) => ({ partition, personId, step, now }),
  outcome: (row) => row !== undefined,
});

export const useEarlierFactor = statement<Args<"useEarlier">, boolean>({
  lock: "personId",
  sql: sql`UPDATE second_factors SET earlier_step = :step WHERE ${theirs} AND earlier_step < :step RETURNING earlier_step`,
  bind: ({ partition, personId, step }) => ({ partition, personId, step }),
  outcome: (row) => row !== undefined,
});

export const vouchSecondFactor = transaction<Args<"vouch">, void>(async (tx, args) => {
  const { partition, personId, what, createdAt, from, now } = args;
  const key = { partition, personId };
  if ((await lockPerson(tx, key)) === undefined) return;
  const factor = await lockFactor(tx, key);
  if (factor === undefined || createdAt !== (what === "codes" ? factor.codesAt : factor.createdAt)) return;
  // Codes that were made together with the authenticator belong to the same person.
  const both = what === "authenticator" && factor.codesAt === factor.createdAt;
  const vouched = (added: AddedFrom, is: boolean) =>
    is ? { ...added, vouchedFrom: sooner(added.vouchedFrom, from) } : added;
  const added = vouched(factor.added, what === "authenticator");
  const codesAdded = vouched(factor.codesAdded, both || what === "codes");
  await writeFactor(tx, key, { ...factor, added, codesAdded, earlier: isVouched(added, now) ? null : factor.earlier });
  if (isVouched(codesAdded, now)) await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs} AND earlier = 1`, key);
});

function sooner(one: Millis | null, other: Millis): Millis {
  return one === null ? other : Math.min(one, other);
}

export const removeSecondFactor = transaction<Args<"remove">, boolean>(
  async (tx, { partition, personId, sessionId, mails, now, unlessOperator = false }) => {
    const person = await lockPerson(tx, { partition, personId }, sessionId);
    if (person === undefined && sessionId !== undefined) return false;
    if (unlessOperator && (await isOperator(tx, { partition, personId }))) return false;
    const gone = await eraseFactor(tx, { partition, personId });
    if (!gone) return false;
    await post(tx, mails, now);
    await tellChange(tx, "user.second_step_removed", { personId }, { now, sessionId });
    return true;
  },
);

export const setRecoveryCodes = transaction<Args<"setRecoveryCodes">, SetCodesOutcome>(
  async (tx, { partition, personId, codes, replaces, added, sessionId, mails, now }) => {
    const key = { partition, personId };
    if ((await lockPerson(tx, key, sessionId)) === undefined) return "ended";
    const factor = await lockFactor(tx, key);
    if (factor === undefined) return "ended";
    if (replaces !== undefined && replaces !== factor.codesAt) return "newer";
    await replaceCodes(tx, key, codes, factor, added, now);
    await writeFactor(tx, key, { ...factor, codesAt: now, codesAdded: added });
    await post(tx, mails, now);
    await tellChange(tx, "user.recovery_codes_renewed", key, { now, sessionId });
    return "set";
  },
);

export const hasRecoveryCode = query<Args<"hasRecoveryCode">, boolean>({
  sql: sql`SELECT code_hash FROM recovery_codes WHERE ${theirs} AND code_hash = :code AND earlier = 0`,
  bind: ({ partition, personId, code }) => ({ partition, personId, code }),
  outcome: (rows) => rows.length === 1,
});

export const useRecoveryCode = transaction<Args<"useRecoveryCode">, boolean>(
  async (tx, { partition, personId, code, earlier = false, mails, now }) => {
    const gone = await tx.run(
      sql`DELETE FROM recovery_codes WHERE ${theirs} AND code_hash = :code AND earlier = :earlier`,
      { partition, personId, code, earlier: flag(earlier) },
    );
    if (gone !== 1) return false;
    await post(tx, mails, now);
    await tell(tx, { kind: "user.recovery_code_used", at: now, by: `user:${personId}`, subject: personId });
    return true;
  },
);

/**
 * Deletes all factors of a person, when the account is deleted. Returns the ids of their passkeys, removed ones
 * included.
 */
export async function eraseFactors(tx: Tx, partition: number, personId: string): Promise<readonly string[]> {
  await eraseFactor(tx, { partition, personId });
  const rows = await tx.all(sql`DELETE FROM passkeys WHERE ${theirs} RETURNING credential_id`, { partition, personId });
  const removed = await tx.all(sql`DELETE FROM removed_factors WHERE ${theirs} RETURNING kind, factor_id`, {
    ...{ partition, personId },
  });
  return [
    ...rows.map((row) => text(row, "credential_id")),
    ...removed.filter((row) => text(row, "kind") === "passkey").map((row) => text(row, "factor_id")),
  ];
}
