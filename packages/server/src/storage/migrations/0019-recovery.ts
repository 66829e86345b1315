/**
 * Recovery by mail: the origin of each factor, removed factors that can come back, and the earlier addresses of an
 * account.
 */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/** Factors from before this migration count as vouched for (`0`), because nobody knows where they were added. */
export const recovery: Migration = {
  id: 19,
  name: "recovery",
  phase: "expand",
  statements: [
    sql`ALTER TABLE passkeys ADD COLUMN added_address TEXT`,
    sql`ALTER TABLE passkeys ADD COLUMN added_user_agent TEXT`,
    sql`ALTER TABLE passkeys ADD COLUMN device_since ${words.whole}`,
    sql`ALTER TABLE passkeys ADD COLUMN vouched_from ${words.whole} DEFAULT 0`,

    sql`ALTER TABLE second_factors ADD COLUMN added_address TEXT`,
    sql`ALTER TABLE second_factors ADD COLUMN added_user_agent TEXT`,
    sql`ALTER TABLE second_factors ADD COLUMN device_since ${words.whole}`,
    sql`ALTER TABLE second_factors ADD COLUMN vouched_from ${words.whole} DEFAULT 0`,
    // The time of the recovery codes, which may be newer than the authenticator. NULL: as old as the authenticator.
    sql`ALTER TABLE second_factors ADD COLUMN codes_at ${words.whole}`,
    sql`ALTER TABLE second_factors ADD COLUMN codes_address TEXT`,
    sql`ALTER TABLE second_factors ADD COLUMN codes_user_agent TEXT`,
    sql`ALTER TABLE second_factors ADD COLUMN codes_device_since ${words.whole}`,
    sql`ALTER TABLE second_factors ADD COLUMN codes_vouched_from ${words.whole} DEFAULT 0`,
    // The previous authenticator, until its successor is vouched for. `earlier` holds in JSON when and where it was set
    // up.
    sql`ALTER TABLE second_factors ADD COLUMN earlier_secret ${words.bytes}`,
    sql`ALTER TABLE second_factors ADD COLUMN earlier_step ${words.whole}`,
    sql`ALTER TABLE second_factors ADD COLUMN earlier TEXT`,
    // 1: a code of the previous set, until the new set is vouched for.
    sql`ALTER TABLE recovery_codes ADD COLUMN earlier INTEGER NOT NULL DEFAULT 0`,

    sql`CREATE TABLE removed_factors (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      removal_id ${words.key} NOT NULL,
      kind ${words.key} NOT NULL,
      factor_id ${words.key} NOT NULL,
      record TEXT NOT NULL,
      removed_at ${words.whole} NOT NULL,
      until ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id, removal_id, kind, factor_id)
    )${words.spread}`,
    sql`CREATE INDEX removed_factors_to_collect ON removed_factors (until)`,

    sql`CREATE TABLE former_addresses (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      address ${words.key} NOT NULL,
      since ${words.whole},
      until ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id, address, until)
    )${words.spread}`,
    sql`CREATE INDEX former_addresses_to_collect ON former_addresses (until)`,

    // NULL: the account has had this address since it was made.
    sql`ALTER TABLE people ADD COLUMN email_since ${words.whole}`,
    // The removal that a link undoes.
    sql`ALTER TABLE mail_links ADD COLUMN about TEXT`,
    // Grants in the company's name made before this time stay, and only those that the person began before the cut and
    // finished after it end. NULL: all of them end.
    sql`ALTER TABLE standings ADD COLUMN kept_before ${words.whole}`,
  ],
};
