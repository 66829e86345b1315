/**
 * Indexes of active rows. With them, a statement costs the same for an owner with very many ended grants, or a company
 * with very many members.
 */

import { sql, type Tx } from "../define-verbs.ts";
import { text, whole } from "../row-conversion.ts";
import type { Migration } from "./migration.ts";

/**
 * No column of an index changes with a refresh: `status` and `ended_at` change when a grant ends. Statements about one
 * grant name `status`, but not `ended_at`. So no plan of theirs walks an index of active grants because these are few.
 * Programs that know only the earlier indexes use `grants_by_end`, which begins with the same columns.
 */
export const activeGrants: Migration = {
  id: 30,
  name: "active grants",
  phase: "expand",
  statements: [
    // This must be the first index: if two indexes look equally good to SQLite, it uses the later one.
    {
      kind: "index",
      name: "grants_by_end",
      table: "grants",
      on: sql`(partition, owner_id, client_id, ended_at)`,
    },
    {
      kind: "index",
      name: "grants_active",
      table: "grants",
      on: sql`(partition, owner_id, client_id, person_id) WHERE ended_at IS NULL`,
    },
    {
      kind: "index",
      name: "grants_active_of_member",
      table: "grants",
      on: sql`(partition, owner_id, person_id) WHERE person_id <> owner_id AND ended_at IS NULL`,
    },
    {
      kind: "index",
      name: "grants_alarming",
      table: "grants",
      on: sql`(partition, owner_id, client_id, ended_at) WHERE status IN ('theft', 'replayed')`,
    },
    {
      kind: "index",
      name: "grants_alarming_by_time",
      table: "grants",
      on: sql`(partition, owner_id, ended_at) WHERE status IN ('theft', 'replayed')`,
    },
    sql`DROP INDEX grants_of_owner`,
    sql`DROP INDEX grants_of_member`,
    {
      kind: "index",
      name: "consents_active_of_client",
      table: "consents",
      on: sql`(client_id, partition, owner_id) WHERE status = 'active'`,
    },
    {
      kind: "index",
      name: "members_admins",
      table: "members",
      on: sql`(partition, company_id) WHERE role = 'admin'`,
    },
    {
      kind: "index",
      name: "company_opt_outs_of_member",
      table: "company_opt_outs",
      on: sql`(partition, company_id, person_id)`,
    },
    {
      kind: "index",
      name: "company_requests_of_member",
      table: "company_requests",
      on: sql`(partition, company_id, person_id)`,
    },
    {
      kind: "index",
      name: "company_requests_open_for_app",
      table: "company_requests",
      on: sql`(partition, company_id, client_id) WHERE status = 'open'`,
    },
    {
      kind: "batches",
      what: "note in each consent when its app last used a grant that has ended: later, only active grants are read",
      table: "consents",
      batch: noteLastUses,
    },
  ],
};

/** The key of a row of `consents`. */
type Place = readonly [partition: number, ownerId: string, clientId: string];

async function noteLastUses(tx: Tx, after: string | null, limit: number) {
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
    sql`UPDATE consents SET last_used_at = u.used_at FROM (
        SELECT g.partition, g.owner_id, g.client_id,
          MAX(CASE WHEN g.introspected_at > g.last_used_at THEN g.introspected_at ELSE g.last_used_at END) AS used_at
        FROM consents c JOIN grants g ON g.partition = c.partition AND g.owner_id = c.owner_id AND g.client_id = c.client_id
        WHERE (c.partition, c.owner_id, c.client_id) > (:partition, :ownerId, :clientId)
          AND (c.partition, c.owner_id, c.client_id) <= (:endPartition, :endOwnerId, :endClientId)
          AND g.created_at >= c.created_at
        GROUP BY g.partition, g.owner_id, g.client_id) AS u
      WHERE consents.partition = u.partition AND consents.owner_id = u.owner_id AND consents.client_id = u.client_id
        AND u.used_at > COALESCE(consents.last_used_at, 0)`,
    { ...{ partition, ownerId, clientId }, ...{ endPartition: end[0], endOwnerId: end[1], endClientId: end[2] } },
  );
  return { after: JSON.stringify(end), rows: rows.length };
}
