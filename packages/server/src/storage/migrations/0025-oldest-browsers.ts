/** For recovery: when the oldest browser of an account appeared, even if the server has forgotten it since. */

import { sql, type Tx, words } from "../define-verbs.ts";
import { text, whole } from "../row-conversion.ts";
import type { Migration } from "./migration.ts";

export const oldestBrowsers: Migration = {
  id: 25,
  name: "oldest browsers",
  phase: "expand",
  statements: [
    // NULL: the next sign-in notes it.
    sql`ALTER TABLE people ADD COLUMN oldest_browser_at ${words.whole}`,
    {
      kind: "batches",
      what: "note for each person when the oldest of the known browsers appeared that was not signed out for good",
      table: "people",
      batch: noteOldestBrowsers,
    },
  ],
};

async function noteOldestBrowsers(tx: Tx, after: string | null, limit: number) {
  const [partition, personId] = after === null ? [-1, ""] : (JSON.parse(after) as readonly [number, string]);
  const rows = await tx.all(
    sql`SELECT partition, person_id FROM people WHERE (partition, person_id) > (:partition, :personId)
      ORDER BY partition, person_id LIMIT :limit`,
    { partition, personId, limit },
  );
  for (const row of rows) {
    await tx.run(
      sql`UPDATE people SET oldest_browser_at = (SELECT MIN(COALESCE(d.appeared_at, d.first_seen_at)) FROM known_devices AS d
          WHERE d.partition = :partition AND d.person_id = :personId AND (d.revoked = 0 OR d.revoked_at IS NOT NULL))
        WHERE partition = :partition AND person_id = :personId AND oldest_browser_at IS NULL`,
      { partition: whole(row, "partition"), personId: text(row, "person_id") },
    );
  }
  const last = rows.at(-1);
  const position = last && JSON.stringify([whole(last, "partition"), text(last, "person_id")]);
  return { after: position ?? null, rows: rows.length };
}
