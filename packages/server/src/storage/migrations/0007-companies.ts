/** Companies as owners: members, invitations, rules about apps, requests, and the outbox of news about people. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * All rows of a company are in its own partition. `member_links` is the other half of a membership, in the person's
 * partition. `standings` is the outbox there: news about the person for the companies.
 */
export const companies: Migration = {
  id: 7,
  name: "companies",
  phase: "expand",
  statements: [
    sql`CREATE TABLE companies (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      slug ${words.key} NOT NULL,
      name TEXT NOT NULL,
      status TEXT NOT NULL,
      default_rule TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      updated_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, company_id)
    )${words.spread}`,
    sql`CREATE INDEX companies_by_age ON companies (created_at, company_id)`,

    sql`CREATE TABLE members (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      username ${words.key} NOT NULL,
      role TEXT NOT NULL,
      since ${words.whole} NOT NULL,
      added_by TEXT NOT NULL,
      standing TEXT NOT NULL,
      standing_version ${words.whole} NOT NULL,
      trusted_from ${words.whole} NOT NULL,
      link ${words.key} NOT NULL,
      PRIMARY KEY (partition, company_id, person_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX members_by_name ON members (partition, company_id, username)`,

    sql`CREATE TABLE member_links (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      company_id ${words.key} NOT NULL,
      link ${words.key} NOT NULL,
      status TEXT NOT NULL,
      written_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id, company_id)
    )${words.spread}`,
    sql`CREATE INDEX member_links_pending ON member_links (written_at) WHERE status = 'pending'`,

    sql`ALTER TABLE people ADD COLUMN standing_version ${words.whole} NOT NULL DEFAULT 0`,
    sql`CREATE TABLE standings (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      company_id ${words.key} NOT NULL,
      version ${words.whole} NOT NULL,
      standing TEXT NOT NULL,
      cut_at ${words.whole},
      written_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id, company_id)
    )${words.spread}`,
    sql`CREATE INDEX standings_untold ON standings (written_at)`,

    sql`CREATE TABLE invitations (
      partition INTEGER NOT NULL,
      invitation_id ${words.key} NOT NULL,
      company_id ${words.key} NOT NULL,
      salt_hash ${words.bytes} NOT NULL,
      addressee TEXT NOT NULL,
      role TEXT NOT NULL,
      invited_by TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      expires_at ${words.whole} NOT NULL,
      status TEXT NOT NULL,
      accepted_by TEXT,
      PRIMARY KEY (partition, invitation_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX invitations_of_company ON invitations (partition, company_id)`,
    sql`CREATE INDEX invitations_to_collect ON invitations (expires_at)`,

    sql`CREATE TABLE company_rules (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      rule TEXT NOT NULL,
      scopes TEXT NOT NULL,
      ends_at ${words.whole},
      opt_out INTEGER NOT NULL,
      decided_by TEXT NOT NULL,
      decided_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, company_id, client_id)
    )${words.spread}`,
    sql`CREATE TABLE company_opt_outs (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      since ${words.whole} NOT NULL,
      PRIMARY KEY (partition, company_id, client_id, person_id)
    )${words.spread}`,

    sql`CREATE TABLE company_requests (
      partition INTEGER NOT NULL,
      company_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      username ${words.key} NOT NULL,
      scopes TEXT NOT NULL,
      reason TEXT NOT NULL,
      asked_at ${words.whole} NOT NULL,
      status TEXT NOT NULL,
      decided_by TEXT,
      decided_at ${words.whole},
      PRIMARY KEY (partition, company_id, client_id, person_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX company_requests_open ON company_requests (partition, company_id, asked_at) WHERE status = 'open'`,
    sql`CREATE INDEX company_requests_to_collect ON company_requests (decided_at) WHERE status <> 'open'`,

    // Indexes grants in a company's name by the person who made them. People's own grants, which are most, are not in
    // this index.
    {
      kind: "index",
      name: "grants_of_member",
      table: "grants",
      on: sql`(partition, owner_id, person_id) WHERE person_id <> owner_id`,
    },
  ],
};
