/**
 * Factors that a recovery by mail removed. They are kept for a while, so that the removal can be undone; meanwhile
 * nobody can sign in with them.
 */

import type { Swept } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import type { AddedFrom, Passkey } from "../../owners/factor-storage.ts";
import type { DeviceSeen, KnownDevice } from "../../owners/known-device-storage.ts";
import { isVouched, vouchedFrom } from "../../owners/recovery/factor-trust.ts";
import type { FactorKind, RecoveryStorage, Removal, RemovedFactor } from "../../owners/recovery/storage.ts";
import { type Call, query, type Row, sql, statement, type Tx, words } from "../define-verbs.ts";
import { ownDevice } from "../people/known-devices.ts";
import { settleName } from "../people/name-reconciliation.ts";
import type { PersonKey } from "../people/person-row.ts";
import { unreserveName } from "../people/unique-names.ts";
import { json, text, whole } from "../row-conversion.ts";
import { passkeyColumns, passkeyOf, writePasskey } from "./passkeys.ts";
import { codesOf, eraseFactor, type FactorRow, lockFactor, writeCode, writeFactor } from "./second-factors.ts";

const theirs = sql`partition = :partition AND person_id = :personId`;

/** The content of `record`, with bytes in base64url. Secrets of authenticators stay sealed in it. */
type Kept =
  | { readonly kind: "passkey"; readonly passkey: Packed<Passkey, "publicKey"> }
  | {
      readonly kind: "authenticator";
      readonly factor: Packed<Omit<FactorRow, "earlier">, "sealedSecret">;
      readonly codes: readonly string[];
    }
  | { readonly kind: "codes"; readonly at: Millis; readonly added: AddedFrom; readonly codes: readonly string[] };

type Packed<T, Bytes extends keyof T> = Omit<T, Bytes> & { readonly [Name in Bytes]: string };

const packed = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64url");
const unpacked = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, "base64url"));

/** Moves the factors to the removed ones, in the transaction of the recovery. */
export async function setAside(tx: Tx, key: PersonKey, removal: Removal, now: Millis): Promise<void> {
  const keep = (id: string, kept: Kept) => keepRecord(tx, key, removal, id, kept, now);
  for (const credentialId of removal.passkeys) {
    const row = await tx.one(
      sql`DELETE FROM passkeys WHERE ${theirs} AND credential_id = :credentialId RETURNING ${passkeyColumns}`,
      { partition: key.partition, personId: key.personId, credentialId },
    );
    if (row === undefined) continue;
    const { publicKey, ...passkey } = passkeyOf(row);
    await keep(credentialId, { kind: "passkey", passkey: { ...passkey, publicKey: packed(publicKey) } });
  }
  const factor = await lockFactor(tx, key);
  if (factor === undefined) return;
  if (removal.authenticator) {
    const { earlier: _, sealedSecret, ...rest } = factor;
    const codes = await codesOf(tx, key, false);
    await keep("authenticator", {
      kind: "authenticator",
      factor: { ...rest, sealedSecret: packed(sealedSecret) },
      codes,
    });
    await bringBackEarlier(tx, key, factor);
  } else if (removal.codes) {
    const { codesAt: at, codesAdded: added } = factor;
    await keep("codes", { kind: "codes", at, added, codes: await codesOf(tx, key, false) });
    await bringBackEarlierCodes(tx, key, factor);
  }
}

async function keepRecord(
  tx: Tx,
  { partition, personId }: PersonKey,
  { removalId, until }: Removal,
  factorId: string,
  kept: Kept,
  now: Millis,
): Promise<void> {
  await tx.run(
    sql`INSERT INTO removed_factors (partition, person_id, removal_id, kind, factor_id, record, removed_at, until)
      VALUES (:partition, :personId, :removalId, :kind, :factorId, :record, :now, :until)`,
    { ...{ partition, personId, removalId, kind: kept.kind, factorId }, record: JSON.stringify(kept), now, until },
  );
}

/** Brings the earlier authenticator back, with its codes. If there was none, deletes authenticator and codes. */
async function bringBackEarlier(tx: Tx, key: PersonKey, { earlier }: FactorRow): Promise<void> {
  if (earlier === null) {
    await eraseFactor(tx, key);
    return;
  }
  await writeFactor(tx, key, { ...earlier, codesAt: earlier.createdAt, codesAdded: earlier.added, earlier: null });
  await bringBackCodes(tx, key);
}

/**
 * Brings the earlier recovery codes back. They count as made together with the authenticator, because nothing else is
 * known about them.
 */
async function bringBackEarlierCodes(tx: Tx, key: PersonKey, factor: FactorRow): Promise<void> {
  await bringBackCodes(tx, key);
  await writeFactor(tx, key, { ...factor, codesAt: factor.createdAt, codesAdded: factor.added });
}

async function bringBackCodes(tx: Tx, { partition, personId }: PersonKey): Promise<void> {
  await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs} AND earlier = 0`, { partition, personId });
  await tx.run(sql`UPDATE recovery_codes SET earlier = 0 WHERE ${theirs}`, { partition, personId });
}

interface Back {
  /** The time of the removal. */
  readonly since: Millis;
  /** Ids of the deleted passkeys. */
  readonly erased: readonly string[];
  /** The browser, if it was the person's own before the removal. */
  readonly own: KnownDevice | undefined;
}

/**
 * Brings the factors of a removal back, and deletes factors that were added since and are not vouched for. Undefined:
 * there is nothing to bring back.
 */
export async function bringBack(
  tx: Tx,
  key: PersonKey,
  { removalId, device, now }: { readonly removalId: string; readonly device: DeviceSeen | null; readonly now: Millis },
): Promise<Back | undefined> {
  const { partition, personId } = key;
  const rows = await tx.all(
    sql`SELECT record, removed_at FROM removed_factors WHERE ${theirs} AND removal_id = :removalId AND until > :now ${words.forUpdate}`,
    { partition, personId, removalId, now },
  );
  const since = Math.min(...rows.map((row) => whole(row, "removed_at")));
  if (rows.length === 0) return undefined;
  const own = await ownDevice(tx, key, device, { before: since, now });
  const erased = await eraseSince(tx, key, since, now);
  for (const row of rows) await bringBackOne(tx, key, json<Kept>(row, "record"), vouching(own, now));
  await tx.run(sql`DELETE FROM removed_factors WHERE ${theirs} AND removal_id = :removalId`, {
    ...{ partition, personId, removalId },
  });
  return { since, erased, own };
}

async function eraseSince(tx: Tx, key: PersonKey, since: Millis, now: Millis): Promise<readonly string[]> {
  const { partition, personId } = key;
  const rows = await tx.all(
    sql`DELETE FROM passkeys WHERE ${theirs} AND created_at >= :since AND (vouched_from IS NULL OR vouched_from > :now) RETURNING credential_id`,
    { partition, personId, since, now },
  );
  const factor = await lockFactor(tx, key);
  if (factor !== undefined && factor.createdAt >= since && !isVouched(factor.added, now)) {
    await bringBackEarlier(tx, key, factor);
  } else if (factor !== undefined && factor.codesAt >= since && !isVouched(factor.codesAdded, now)) {
    await bringBackEarlierCodes(tx, key, factor);
  }
  return rows.map((row) => text(row, "credential_id"));
}

/** The time from which a restored factor counts as the owner's, as a function of the time at which it was added. */
type Vouching = (addedAt: Millis) => Millis | null;

/**
 * The owner's own browser vouches for a restored factor if the browser was old enough when the factor was added. It
 * does not vouch for factors that were added after the browser was signed out: a thief of the mailbox could add a
 * factor then, and let the owner undo its removal. Nothing else vouches for a factor, because everybody who reads the
 * mail can follow the link.
 */
function vouching(own: KnownDevice | undefined, now: Millis): Vouching {
  return (addedAt) => (own !== undefined && addedAt < (own.endedAt ?? now) ? vouchedFrom(own, addedAt, now) : null);
}

async function bringBackOne(tx: Tx, key: PersonKey, kept: Kept, vouchedAt: Vouching): Promise<void> {
  const vouched = (added: AddedFrom, addedAt: Millis) => ({ ...added, vouchedFrom: vouchedAt(addedAt) });
  if (kept.kind === "passkey") {
    const { publicKey, added, ...passkey } = kept.passkey;
    await writePasskey(tx, { ...passkey, publicKey: unpacked(publicKey), added: vouched(added, passkey.createdAt) });
    return;
  }
  const current = await lockFactor(tx, key);
  if (kept.kind === "authenticator") {
    const { sealedSecret, added, codesAdded, ...rest } = kept.factor;
    // A factor that is vouched for is in use. The server demands it in addition to the one that comes back.
    const earlier = current ?? null;
    const back = earlier === null ? vouched : (from: AddedFrom) => ({ ...from, vouchedFrom: null });
    const secret = unpacked(sealedSecret);
    await writeFactor(tx, key, {
      ...rest,
      sealedSecret: secret,
      added: back(added, rest.createdAt),
      codesAdded: back(codesAdded, rest.codesAt),
      earlier,
    });
    await swapCodes(tx, key, kept.codes, earlier !== null);
  } else if (current !== undefined) {
    const keeps = (await codesOf(tx, key, false)).length > 0;
    const codesAdded = keeps ? { ...kept.added, vouchedFrom: null } : vouched(kept.added, kept.at);
    await writeFactor(tx, key, { ...current, codesAt: kept.at, codesAdded });
    await swapCodes(tx, key, kept.codes, keeps);
  }
}

async function swapCodes(tx: Tx, key: PersonKey, codes: readonly string[], keeps: boolean): Promise<void> {
  const { partition, personId } = key;
  await tx.run(sql`DELETE FROM recovery_codes WHERE ${theirs} AND earlier = :earlier`, {
    ...{ partition, personId, earlier: keeps ? 1 : 0 },
  });
  if (keeps) await tx.run(sql`UPDATE recovery_codes SET earlier = 1 WHERE ${theirs}`, { partition, personId });
  for (const code of codes) await writeCode(tx, key, code, false);
}

export const removedFactors = query<
  Parameters<RecoveryStorage["recovery"]["removedFactors"]>[0],
  readonly RemovedFactor[]
>({
  sql: sql`SELECT record, removed_at, until FROM removed_factors
    WHERE ${theirs} AND (removal_id = :removalId OR :removalId IS NULL) AND until > :now ORDER BY removal_id, kind, factor_id`,
  bind: ({ partition, personId, removalId, now }) => ({ partition, personId, removalId, now }),
  outcome: (rows) => rows.map(removedOf).sort((one, other) => one.createdAt - other.createdAt),
});

function removedOf(row: Row): RemovedFactor {
  const kept = json<Kept>(row, "record");
  const times = { removedAt: whole(row, "removed_at"), until: whole(row, "until") };
  const kind: FactorKind = kept.kind;
  if (kept.kind === "codes") return { kind, name: null, createdAt: kept.at, added: kept.added, ...times };
  const { createdAt, added } = kept.kind === "passkey" ? kept.passkey : kept.factor;
  return { kind, name: kept.kind === "passkey" ? kept.passkey.name : null, createdAt, added, ...times };
}

/** Ids of the removed passkeys. */
export const removedPasskeys = query<PersonKey, readonly string[]>({
  sql: sql`SELECT DISTINCT factor_id FROM removed_factors WHERE ${theirs} AND kind = 'passkey'`,
  bind: ({ partition, personId }) => ({ partition, personId }),
  outcome: (rows) => rows.map((row) => text(row, "factor_id")),
});

/** Deletes all removed factors. Returns the ids of their passkeys. */
export async function eraseRemovals(tx: Tx, { partition, personId }: PersonKey): Promise<readonly string[]> {
  const rows = await tx.all(sql`DELETE FROM removed_factors WHERE ${theirs} RETURNING kind, factor_id`, {
    ...{ partition, personId },
  });
  return rows.filter((row) => text(row, "kind") === "passkey").map((row) => text(row, "factor_id"));
}

interface Due extends PersonKey {
  readonly removalId: string;
  readonly kind: string;
  readonly factorId: string;
}

export const dueRemovals = query<{ readonly now: Millis; readonly limit: number }, readonly Due[]>({
  sql: sql`SELECT partition, person_id, removal_id, kind, factor_id FROM removed_factors WHERE +partition >= 0 AND until <= :now ORDER BY until LIMIT :limit`,
  bind: ({ now, limit }) => ({ now, limit }),
  outcome: (rows) =>
    rows.map((row) => ({
      partition: whole(row, "partition"),
      personId: text(row, "person_id"),
      removalId: text(row, "removal_id"),
      kind: text(row, "kind"),
      factorId: text(row, "factor_id"),
    })),
});

export const eraseRemoved = statement<Due, boolean>({
  lock: "personId",
  sql: sql`DELETE FROM removed_factors WHERE ${theirs} AND removal_id = :removalId AND kind = :kind AND factor_id = :factorId RETURNING kind`,
  bind: ({ partition, personId, removalId, kind, factorId }) => ({ partition, personId, removalId, kind, factorId }),
  outcome: (row) => row !== undefined,
});

/** For housekeeping: deletes factors that can't come back any more. The ids of their passkeys become free. */
export async function collectRemovals(
  call: Call,
  sweep: { readonly now: Millis; readonly limit: number },
): Promise<Swept> {
  const due = await call(dueRemovals, sweep);
  let removed = 0;
  for (const one of due) {
    const name = { kind: "passkey", value: one.factorId, ownerId: one.personId, now: sweep.now } as const;
    if (one.kind === "passkey") await call(unreserveName, name);
    if (await call(eraseRemoved, one)) removed += 1;
    if (one.kind === "passkey") await settleName(call, name);
  }
  return { seen: due.length, removed };
}
