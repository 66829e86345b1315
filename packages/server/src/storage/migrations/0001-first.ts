/** The first schema: people, sessions, attempts, consents, grants, and the operator's catalog. */

import { sql, words } from "../define-verbs.ts";
import type { Migration } from "./migration.ts";

/**
 * Tables of owners begin with the partition. Grants' indexes hold no column that a refresh changes. So years of
 * refreshes grow neither an index nor, if the database keeps row versions, the table.
 */
export const first: Migration = {
  id: 1,
  name: "first",
  phase: "expand",
  statements: [
    sql`CREATE TABLE grants (
      partition INTEGER NOT NULL,
      grant_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      owner_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      status TEXT NOT NULL,
      generation INTEGER NOT NULL,
      refreshable INTEGER NOT NULL,
      code_salt_hash ${words.bytes} NOT NULL,
      refresh_salt_hash ${words.bytes},
      redirect_uri TEXT NOT NULL,
      code_challenge TEXT,
      code_challenge_method TEXT,
      scopes TEXT NOT NULL,
      audience TEXT,
      auth_time ${words.whole} NOT NULL,
      acr TEXT,
      amr TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      code_until ${words.whole} NOT NULL,
      rotated_at ${words.whole},
      retries INTEGER NOT NULL,
      last_used_at ${words.whole},
      uses INTEGER NOT NULL,
      idle_until ${words.whole} NOT NULL,
      absolute_until ${words.whole} NOT NULL,
      ended_at ${words.whole},
      collect_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, grant_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX grants_of_owner ON grants (partition, owner_id, client_id)`,
    sql`CREATE INDEX grants_to_collect ON grants (collect_at)`,

    sql`CREATE TABLE consents (
      partition INTEGER NOT NULL,
      owner_id ${words.key} NOT NULL,
      client_id ${words.key} NOT NULL,
      status TEXT NOT NULL,
      granted_by TEXT NOT NULL,
      via TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      updated_at ${words.whole} NOT NULL,
      expires_at ${words.whole},
      last_used_at ${words.whole},
      last_used_address TEXT,
      uses INTEGER NOT NULL,
      revoked_at ${words.whole},
      revoked_by TEXT,
      shown TEXT NOT NULL,
      PRIMARY KEY (partition, owner_id, client_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX consents_of_client ON consents (client_id)`,

    sql`CREATE TABLE people (
      partition INTEGER NOT NULL,
      person_id ${words.key} NOT NULL,
      username TEXT NOT NULL,
      email TEXT NOT NULL,
      name TEXT,
      status TEXT NOT NULL,
      password_hash TEXT,
      password_changed_at ${words.whole},
      must_change_password INTEGER NOT NULL,
      operator TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      updated_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, person_id)
    )${words.spread}`,
    sql`CREATE INDEX people_by_age ON people (created_at, person_id)`,

    sql`CREATE TABLE names (
      partition INTEGER NOT NULL,
      kind ${words.key} NOT NULL,
      value ${words.key} NOT NULL,
      owner_id ${words.key} NOT NULL,
      status TEXT NOT NULL,
      reserved_at ${words.whole} NOT NULL,
      PRIMARY KEY (partition, kind, value)
    )${words.spread}`,
    sql`CREATE INDEX names_reserved ON names (reserved_at) WHERE status = 'reserved'`,

    sql`CREATE TABLE sessions (
      partition INTEGER NOT NULL,
      session_id ${words.key} NOT NULL,
      person_id ${words.key} NOT NULL,
      auth_time ${words.whole} NOT NULL,
      acr TEXT,
      amr TEXT NOT NULL,
      created_at ${words.whole} NOT NULL,
      last_seen_at ${words.whole} NOT NULL,
      idle_until ${words.whole} NOT NULL,
      absolute_until ${words.whole} NOT NULL,
      user_agent TEXT,
      address TEXT,
      secret_hash ${words.bytes} NOT NULL,
      PRIMARY KEY (partition, session_id)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX sessions_of_person ON sessions (partition, person_id)`,
    sql`CREATE INDEX sessions_to_collect ON sessions (absolute_until)`,

    sql`CREATE TABLE attempts (
      partition INTEGER NOT NULL,
      key ${words.key} NOT NULL,
      count INTEGER NOT NULL,
      window_until ${words.whole} NOT NULL,
      PRIMARY KEY (partition, key)
    )${words.spreadRoomy}`,
    sql`CREATE INDEX attempts_to_collect ON attempts (window_until)`,

    sql`CREATE TABLE catalog (
      kind ${words.key} NOT NULL PRIMARY KEY,
      version ${words.whole} NOT NULL,
      reduced_at ${words.whole}
    )`,
    sql`INSERT INTO catalog (kind, version) VALUES ('clients', 0), ('scopes', 0), ('resources', 0), ('keys', 0)`,

    sql`CREATE TABLE clients (
      client_id ${words.key} NOT NULL PRIMARY KEY,
      record TEXT,
      version ${words.whole} NOT NULL,
      deleted_at ${words.whole}
    )`,
    sql`CREATE INDEX clients_by_version ON clients (version)`,
    sql`CREATE INDEX clients_deleted ON clients (deleted_at) WHERE deleted_at IS NOT NULL`,

    sql`CREATE TABLE resources (
      identifier ${words.key} NOT NULL PRIMARY KEY,
      record TEXT NOT NULL
    )`,
    sql`CREATE TABLE scopes (
      name ${words.key} NOT NULL PRIMARY KEY,
      resource ${words.key},
      record TEXT NOT NULL
    )`,
    sql`CREATE INDEX scopes_of_resource ON scopes (resource)`,

    sql`CREATE TABLE logos (
      hash ${words.key} NOT NULL PRIMARY KEY,
      type TEXT NOT NULL,
      bytes ${words.bytes} NOT NULL,
      created_at ${words.whole} NOT NULL
    )`,
    sql`CREATE TABLE signing_keys (
      kid ${words.key} NOT NULL PRIMARY KEY,
      alg ${words.key} NOT NULL,
      serial INTEGER NOT NULL,
      public_jwk TEXT NOT NULL,
      sealed_private ${words.bytes} NOT NULL,
      created_at ${words.whole} NOT NULL,
      active_from ${words.whole} NOT NULL,
      retired_at ${words.whole},
      UNIQUE (alg, serial)
    )`,
  ],
};
