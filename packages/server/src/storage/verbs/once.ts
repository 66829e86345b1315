/** What may be accepted once: ids of assertions (RFC 7522 §3, RFC 7523 §3). */

import type { Once } from "../../oauth/storage.ts";
import { partitionOfName } from "../partition.ts";
import { sql, statement } from "../sql.ts";

/** The first of all callers gets the row. One that has passed its time is as good as gone. */
export const once = statement<Once, boolean>({
  sql: sql`INSERT INTO accepted AS a (partition, kind, key, until) VALUES (:partition, :kind, :key, :until)
    ON CONFLICT (partition, kind, key) DO UPDATE SET until = excluded.until WHERE a.until <= :now
    RETURNING key`,
  bind: ({ kind, key, until, now }) => ({ partition: partitionOfName(kind, key), kind, key, until, now }),
  outcome: (row) => row !== undefined,
});
