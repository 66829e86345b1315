/** The admin API: tokens that operators make, answers to repeated requests, and indexes of its lists. */

import { searchName } from "../../admin/storage.ts";
import { sql, type Tx, words } from "../define-verbs.ts";
import { text } from "../row-conversion.ts";
import type { Migration } from "./migration.ts";

export const adminApi: Migration = {
  id: 45,
  name: "admin API",
  phase: "expand",
  statements: [
    sql`CREATE TABLE admin_tokens (
      token_hash ${words.key} NOT NULL PRIMARY KEY,
      token_id ${words.key} NOT NULL,
      scopes TEXT NOT NULL,
      created_by TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      expires_at ${words.whole} NOT NULL
    )`,
    sql`CREATE INDEX admin_tokens_by_end ON admin_tokens (expires_at)`,
    // `answer`: sealed, because an answer can have a secret. NULL: the request is under way, or its process died.
    sql`CREATE TABLE admin_requests (
      actor ${words.key} NOT NULL,
      request_key ${words.key} NOT NULL,
      request_hash TEXT NOT NULL,
      answer ${words.bytes},
      created_at ${words.whole} NOT NULL,
      PRIMARY KEY (actor, request_key)
    )`,
    sql`CREATE INDEX admin_requests_by_age ON admin_requests (created_at)`,
    sql`ALTER TABLE clients ADD COLUMN search_name ${words.key}`,
    sql`ALTER TABLE clients ADD COLUMN created_at ${words.whole}`,
    {
      kind: "batches",
      what: "note for each client the name by which it is found, and when it was created",
      table: "clients",
      batch: noteNames,
    },
    {
      kind: "index",
      name: "clients_by_name",
      table: "clients",
      on: sql`(search_name, client_id) WHERE record IS NOT NULL`,
    },
    {
      kind: "index",
      name: "clients_by_age",
      table: "clients",
      on: sql`(created_at, client_id) WHERE record IS NOT NULL`,
    },
    { kind: "index", name: "people_by_username", table: "people", on: sql`(username ${words.bytewise})` },
    { kind: "index", name: "people_by_email", table: "people", on: sql`(email ${words.bytewise})` },
    {
      kind: "index",
      name: "people_disabled",
      table: "people",
      on: sql`(created_at, person_id) WHERE status = 'disabled'`,
    },
    {
      kind: "index",
      name: "people_operators",
      table: "people",
      on: sql`(created_at, person_id) WHERE operator <> '[]'`,
    },
    { kind: "index", name: "companies_by_slug", table: "companies", on: sql`(slug)` },
  ],
};

async function noteNames(tx: Tx, after: string | null, limit: number) {
  const rows = await tx.all(
    sql`SELECT client_id, record FROM clients WHERE record IS NOT NULL AND client_id > :after
      ORDER BY client_id LIMIT :limit ${words.forUpdate}`,
    { after: after ?? "", limit },
  );
  for (const row of rows) {
    const record = JSON.parse(text(row, "record")) as { readonly name: string; readonly createdAt: number };
    await tx.run(sql`UPDATE clients SET search_name = :name, created_at = :createdAt WHERE client_id = :clientId`, {
      ...{ clientId: text(row, "client_id"), name: searchName(record.name), createdAt: record.createdAt },
    });
  }
  const last = rows.at(-1);
  return { after: last === undefined ? null : text(last, "client_id"), rows: rows.length };
}
