/**
 * Rules of a company for selected members, the companies that people created themselves, and the apps that the operator
 * has verified.
 */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * A rule that allows an app for selected members is stored as `ask` with the audience `selected`: servers of the
 * previous version then let these members ask, and allow the app to nobody else.
 */
export const rulesForSelectedMembers: Migration = {
  id: 26,
  name: "rules for selected members",
  phase: "expand",
  statements: [
    sql`ALTER TABLE company_rules ADD COLUMN audience TEXT NOT NULL DEFAULT 'everybody'`,
    sql`CREATE TABLE company_rule_members (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      since ${words.whole} NOT NULL,
      PRIMARY KEY (partition, company_id, client_id, person_id)
    )${words.spread}`,
    // 1: the person created the company.
    sql`ALTER TABLE member_links ADD COLUMN founded INTEGER NOT NULL DEFAULT 0`,
    {
      kind: "index",
      name: "clients_verified",
      table: "clients",
      on: sql`(client_id) WHERE record LIKE '%"verified":true%'`,
    },
  ],
};
