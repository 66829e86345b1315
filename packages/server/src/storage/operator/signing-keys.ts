/** Verbs of signing keys (RFC 7517). */

import type { StoredKey } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import { query, type Row, sql, statement, type Tx, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { bytes, text, whole, wholeOrNull } from "../row-conversion.ts";
import { raise } from "./catalog-versions.ts";

const keyColumns = sql`kid, alg, serial, public_jwk, sealed_private, created_at, active_from, retired_at`;

/** Sorted by alg, then oldest first. */
export const listKeys = query<void, readonly StoredKey[]>({
  sql: sql`SELECT ${keyColumns} FROM signing_keys ORDER BY alg, serial`,
  bind: () => ({}),
  outcome: (rows) => rows.map(keyOf),
});

function keyOf(row: Row): StoredKey {
  return {
    kid: text(row, "kid"),
    alg: text(row, "alg"),
    serial: whole(row, "serial"),
    publicJwk: text(row, "public_jwk"),
    sealedPrivate: bytes(row, "sealed_private"),
    createdAt: whole(row, "created_at"),
    activeFrom: whole(row, "active_from"),
    retiredAt: wholeOrNull(row, "retired_at"),
  };
}

/** If many nodes start at once, one of them makes the key with this alg and serial. */
export const addKey = transaction<{ readonly key: StoredKey }, boolean>(async (tx, { key }) => {
  const isNew = await counted(
    tx,
    tx.run(
      sql`INSERT INTO signing_keys (${keyColumns})
        VALUES (:kid, :alg, :serial, :publicJwk, :sealedPrivate, :createdAt, :activeFrom, :retiredAt)
        ON CONFLICT DO NOTHING`,
      { ...key },
    ),
  );
  if (!isNew) return false;
  const { kid, alg, activeFrom, createdAt } = key;
  const details = { kid, alg, signs_from: new Date(activeFrom).toISOString() };
  await tell(tx, { kind: "key.created", at: createdAt, details });
  return true;
});

/** False: the key is unknown or was retired before. */
export const retireKey = transaction<{ readonly kid: string; readonly now: Millis }, boolean>(
  async (tx, { kid, now }) => {
    const retire = sql`UPDATE signing_keys SET retired_at = :now WHERE kid = :kid AND retired_at IS NULL`;
    if (!(await counted(tx, tx.run(retire, { kid, now })))) return false;
    await tell(tx, { kind: "key.retired", at: now, by: "operator", details: { kid } });
    return true;
  },
);

export const removeKey = transaction<{ readonly kid: string }, boolean>(async (tx, { kid }) => {
  if (!(await counted(tx, tx.run(sql`DELETE FROM signing_keys WHERE kid = :kid`, { kid })))) return false;
  await tell(tx, { kind: "key.removed", by: "operator", details: { kid } });
  return true;
});

async function counted(tx: Tx, change: Promise<number>): Promise<boolean> {
  if ((await change) === 0) return false;
  await raise(tx, "keys");
  return true;
}

/** Keeps the public key for as long as receipts may be verified. True: the key was not stored before. */
export const keepReceiptKey = statement<
  { readonly kid: string; readonly publicJwk: string; readonly now: Millis },
  boolean
>({
  lock: null,
  sql: sql`INSERT INTO receipt_keys (kid, public_jwk, created_at) VALUES (:kid, :publicJwk, :now)
    ON CONFLICT (kid) DO NOTHING RETURNING kid`,
  bind: (args) => ({ ...args }),
  outcome: (row) => row !== undefined,
});

/** Public JWKs of every key that ever signed a receipt, oldest first. */
export const listReceiptKeys = query<void, readonly string[]>({
  sql: sql`SELECT public_jwk FROM receipt_keys ORDER BY created_at, kid`,
  bind: () => ({}),
  outcome: (rows) => rows.map((row) => text(row, "public_jwk")),
});
