/**
 * The redirect hosts that consents hold for, those of approvals for all members, and those that clients had before
 * consents recorded theirs.
 */

import { sql, type Tx, words } from "../define-verbs.ts";
import { text } from "../row-conversion.ts";
import type { Migration } from "./migration.ts";

/**
 * Servers of the previous version keep the new field of a client's record, because they write back every field that
 * they read.
 */
export const consentHosts: Migration = {
  id: 18,
  name: "consent hosts",
  phase: "expand",
  statements: [
    sql`ALTER TABLE company_rules ADD COLUMN hosts TEXT`,
    {
      kind: "batches",
      what: "note in each client's record the redirect URIs that it has now: older consents hold for their hosts",
      table: "clients",
      batch: noteRedirectUris,
    },
  ],
};

async function noteRedirectUris(tx: Tx, after: string | null, limit: number) {
  const rows = await tx.all(
    sql`SELECT client_id, record FROM clients WHERE record IS NOT NULL AND client_id > :after
      ORDER BY client_id LIMIT :limit ${words.forUpdate}`,
    { after: after ?? "", limit },
  );
  for (const row of rows) {
    const record = JSON.parse(text(row, "record")) as { readonly redirectUris: readonly string[] };
    await tx.run(sql`UPDATE clients SET record = :record WHERE client_id = :clientId`, {
      clientId: text(row, "client_id"),
      record: JSON.stringify({ earlierRedirectUris: record.redirectUris, ...record }),
    });
  }
  const last = rows.at(-1);
  return { after: last === undefined ? null : text(last, "client_id"), rows: rows.length };
}
