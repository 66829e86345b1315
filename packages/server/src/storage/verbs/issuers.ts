/** Verbs of trusted issuers of assertions (RFC 7521 §3). */

import type { PutOutcome } from "../../admin/storage.ts";
import type { TrustedIssuer } from "../../oauth/model.ts";
import { json } from "../rows.ts";
import { query, sql, transaction } from "../sql.ts";
import { hold, raise } from "./catalog.ts";

/** By identifier. */
export const listIssuers = query<void, readonly TrustedIssuer[]>({
  sql: sql`SELECT record FROM trusted_issuers ORDER BY issuer`,
  bind: () => ({}),
  outcome: (rows) => rows.map((row) => json<TrustedIssuer>(row, "record")),
});

export const putIssuer = transaction<{ readonly issuer: TrustedIssuer; readonly create: boolean }, PutOutcome>(
  async (tx, { issuer: record, create }) => {
    await hold(tx);
    const { issuer } = record;
    const found = await tx.one(sql`SELECT issuer FROM trusted_issuers WHERE issuer = :issuer`, { issuer });
    if (create && found !== undefined) return { kind: "conflict" };
    await tx.run(
      sql`INSERT INTO trusted_issuers (issuer, record) VALUES (:issuer, :record)
        ON CONFLICT (issuer) DO UPDATE SET record = excluded.record`,
      { issuer, record: JSON.stringify(record) },
    );
    return { kind: "stored", version: await raise(tx, "issuers") };
  },
);

export const deleteIssuer = transaction<{ readonly issuer: string }, boolean>(async (tx, { issuer }) => {
  await hold(tx);
  if ((await tx.run(sql`DELETE FROM trusted_issuers WHERE issuer = :issuer`, { issuer })) === 0) return false;
  await raise(tx, "issuers");
  return true;
});
