/** Messages to people: an outbox, the links in messages, each person's language, and accounts that will be deleted. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * A message is in the partition of its cause, sealed: it may hold a link that is as powerful as a password for a while.
 */
export const mail: Migration = {
  id: 13,
  name: "mail",
  phase: "expand",
  statements: [
    sql`CREATE TABLE outbox (
      partition INTEGER NOT NULL,
      mail_id ${words.key} NOT NULL,
      kind TEXT NOT NULL,
      sealed ${words.bytes} NOT NULL,
      status TEXT NOT NULL,
      tries INTEGER NOT NULL,
      due_at ${words.whole} NOT NULL,
      useless_after ${words.whole} NOT NULL,
      created_at ${words.whole} NOT NULL,
      fault TEXT,
      PRIMARY KEY (partition, mail_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX outbox_due ON outbox (due_at) WHERE status = 'waiting'`,
    sql`CREATE INDEX outbox_to_collect ON outbox (created_at) WHERE status <> 'waiting'`,

    sql`CREATE TABLE mail_links (
      partition INTEGER NOT NULL,
      link_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      purpose TEXT NOT NULL,
      salt_hash ${words.bytes} NOT NULL,
      address TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      expires_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, link_id)
    )${words.spread}`,
    sql`CREATE INDEX mail_links_of_person ON mail_links (partition, person_id)`,
    sql`CREATE INDEX mail_links_to_collect ON mail_links (expires_at)`,

    sql`ALTER TABLE people ADD COLUMN language TEXT`,
    sql`ALTER TABLE people ADD COLUMN delete_at ${words.whole}`,
    {
      kind: "index",
      name: "people_to_delete",
      table: "people",
      on: sql`(delete_at) WHERE delete_at IS NOT NULL`,
    },
  ],
};
