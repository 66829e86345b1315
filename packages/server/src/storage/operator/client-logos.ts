/** Verbs of clients' logos, stored under the hash of their bytes. */

import type { Millis } from "../../oauth/model.ts";
import { query, sql, statement } from "../define-verbs.ts";
import { bytes, text } from "../row-conversion.ts";

/** If two logos have the same bytes, they share one row. */
export const putLogo = statement<
  { readonly hash: string; readonly type: string; readonly bytes: Uint8Array; readonly now: Millis },
  void
>({
  lock: null,
  sql: sql`INSERT INTO logos (hash, type, bytes, created_at) VALUES (:hash, :type, :bytes, :now)
    ON CONFLICT (hash) DO NOTHING RETURNING hash`,
  bind: (args) => ({ ...args }),
  outcome: () => undefined,
});

export const getLogo = query<
  { readonly hash: string },
  { readonly type: string; readonly bytes: Uint8Array } | undefined
>({
  sql: sql`SELECT type, bytes FROM logos WHERE hash = :hash`,
  bind: ({ hash }) => ({ hash }),
  outcome: ([row]) => row && { type: text(row, "type"), bytes: bytes(row, "bytes") },
});
