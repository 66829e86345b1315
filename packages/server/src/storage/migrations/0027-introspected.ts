/** When an API last asked about a token of a grant. A consent was no use of the app, and counts as none any more. */

import { sql, words } from "../define-verbs.ts";
import { text, whole } from "../row-conversion.ts";
import type { Migration } from "./migration.ts";

/** Null: never. Servers of the previous version don't write it. */
export const introspected: Migration = {
  id: 27,
  name: "introspected",
  phase: "expand",
  statements: [
    sql`ALTER TABLE grants ADD COLUMN introspected_at ${words.whole}`,
    {
      kind: "batches",
      what: "the time of a consent on a page is no longer the time of a use",
      table: "consents",
      async batch(tx, after, limit) {
        const [partition, ownerId, clientId] = after === null ? [-1, "", ""] : (JSON.parse(after) as Place);
        const rows = await tx.all(
          sql`SELECT partition, owner_id, client_id FROM consents
            WHERE (partition, owner_id, client_id) > (:partition, :ownerId, :clientId)
            ORDER BY partition, owner_id, client_id LIMIT :limit`,
          { partition, ownerId, clientId, limit },
        );
        const last = rows.at(-1);
        if (last === undefined) return { after: null, rows: 0 };
        const end: Place = [whole(last, "partition"), text(last, "owner_id"), text(last, "client_id")];
        await tx.run(
          sql`UPDATE consents SET last_used_at = NULL
            WHERE (partition, owner_id, client_id) > (:partition, :ownerId, :clientId)
              AND (partition, owner_id, client_id) <= (:endPartition, :endOwnerId, :endClientId)
              AND last_used_at = created_at AND via NOT IN ('password', 'operator policy')`,
          {
            ...{ partition, ownerId, clientId },
            ...{ endPartition: end[0], endOwnerId: end[1], endClientId: end[2] },
          },
        );
        return { after: JSON.stringify(end), rows: rows.length };
      },
    },
  ],
};

/** The key of a row of `consents`. */
type Place = readonly [partition: number, ownerId: string, clientId: string];
