/** Verbs of trusted issuers of assertions (RFC 7521 §3). */

import type { AdminStorage, PutOutcome } from "../../admin/storage.ts";
import type { Millis } from "../../oauth/model.ts";
import type { TrustedIssuer } from "../../oauth/trusted-issuer.ts";
import { query, type Row, sql, steps, transaction } from "../define-verbs.ts";
import { tell } from "../events/tell.ts";
import { unlinkAll } from "../people/subject-links.ts";
import { isStill, json } from "../row-conversion.ts";
import { forgetConfigured, hold, raise } from "./catalog-versions.ts";

/** Sorted by identifier. */
export const listIssuers = query<void, readonly TrustedIssuer[]>({
  sql: sql`SELECT record FROM trusted_issuers ORDER BY issuer`,
  bind: () => ({}),
  outcome: (rows) => rows.map(issuerOf),
});

/**
 * Records from before subject links have neither an id nor the fields that came with it. The issuer's name is used as
 * its id; no later id looks like a name.
 */
function issuerOf(row: Row): TrustedIssuer {
  const record = json<TrustedIssuer>(row, "record");
  return { ...{ id: record.issuer, subjectClaim: null, emailDomains: [] }, ...record };
}

export const putIssuer = transaction<Parameters<AdminStorage["issuers"]["put"]>[0], PutOutcome>(
  async (tx, { issuer: record, create, expected }) => {
    await hold(tx);
    const { issuer } = record;
    const found = await tx.one(sql`SELECT record FROM trusted_issuers WHERE issuer = :issuer`, { issuer });
    if (create && found !== undefined) return { kind: "conflict" };
    if (expected !== undefined && !(found && isStill(issuerOf(found), expected))) return { kind: "conflict" };
    await tx.run(
      sql`INSERT INTO trusted_issuers (issuer, record) VALUES (:issuer, :record)
        ON CONFLICT (issuer) DO UPDATE SET record = excluded.record`,
      { issuer, record: JSON.stringify(record) },
    );
    const kind = found === undefined ? "issuer.created" : "issuer.updated";
    await tell(tx, { kind, by: "operator", details: { issuer } });
    return { kind: "stored", version: await raise(tx, "issuers") };
  },
);

/**
 * Deletes the record first: from then on nothing leads to its links, even if another issuer is trusted under that name
 * later.
 */
export const deleteIssuer = steps<{ readonly issuer: string; readonly now: Millis }, boolean>(
  async (call, { issuer, now }) => {
    const record = await call(removeIssuer, { issuer });
    if (record === undefined) return false;
    await unlinkAll(call, record.id, now);
    return true;
  },
);

export const removeIssuer = transaction<{ readonly issuer: string }, TrustedIssuer | undefined>(
  async (tx, { issuer }) => {
    await hold(tx);
    const row = await tx.one(sql`DELETE FROM trusted_issuers WHERE issuer = :issuer RETURNING record`, { issuer });
    if (row === undefined) return undefined;
    await raise(tx, "issuers");
    forgetConfigured(tx, "issuers", issuer);
    await tell(tx, { kind: "issuer.deleted", by: "operator", details: { issuer } });
    return issuerOf(row);
  },
);
