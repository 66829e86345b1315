/** Tables for the state of the database, for the leases of housekeeping, and for the ring of short-lived ids. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** `accepted` stays for ids that live longer than the ring keeps them. */
export const upkeep: Migration = {
  id: 6,
  name: "upkeep",
  phase: "expand",
  statements: [
    sql`CREATE TABLE database_state (
      name ${words.key} NOT NULL PRIMARY KEY,
      value TEXT NOT NULL
    )`,
    sql`CREATE TABLE leases (
      name ${words.key} NOT NULL PRIMARY KEY,
      holder TEXT NOT NULL,
      until ${words.whole} NOT NULL
    )`,
    sql`CREATE TABLE accepted_0 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_1 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_2 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_3 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_4 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_5 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_6 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
    sql`CREATE TABLE accepted_7 (partition INTEGER NOT NULL, kind ${words.key} NOT NULL, key ${words.key} NOT NULL, until ${words.whole} NOT NULL, PRIMARY KEY (partition, kind, key))${words.spread}`,
  ],
};
