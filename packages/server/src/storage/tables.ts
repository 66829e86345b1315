/** Every table that holds data of the service, with its primary key. Code that walks all tables uses this list. */

export interface Table {
  readonly name: string;
  /** The columns of the primary key, in order. */
  readonly key: readonly string[];
  /**
   * What a restore does with the rows, because a backup does not know what happened after it. `kept`: the rows stay,
   * and the operator checks them. `ended`: the rows stay, but give no access any more. `emptied`: the rows are deleted,
   * because each could have been used or revoked.
   */
  readonly afterRestore: "kept" | "ended" | "emptied";
}

/** The tables in the order in which an import fills them. */
export const TABLES: readonly Table[] = [
  { name: "catalog", key: ["kind"], afterRestore: "kept" },
  { name: "clients", key: ["client_id"], afterRestore: "kept" },
  { name: "resources", key: ["identifier"], afterRestore: "kept" },
  { name: "scopes", key: ["name"], afterRestore: "kept" },
  { name: "trusted_issuers", key: ["issuer"], afterRestore: "kept" },
  { name: "sign_in_providers", key: ["id"], afterRestore: "kept" },
  { name: "company_sign_in", key: ["company_id"], afterRestore: "kept" },
  { name: "configured_records", key: ["kind", "record_id"], afterRestore: "kept" },
  // A token could have been revoked or used up since the backup.
  { name: "admin_tokens", key: ["token_hash"], afterRestore: "emptied" },
  { name: "initial_access_tokens", key: ["token_hash"], afterRestore: "emptied" },
  { name: "admin_requests", key: ["actor", "request_key"], afterRestore: "emptied" },
  { name: "logos", key: ["hash"], afterRestore: "kept" },
  { name: "signing_keys", key: ["kid"], afterRestore: "kept" },
  { name: "receipt_keys", key: ["kid"], afterRestore: "kept" },
  { name: "names", key: ["partition", "kind", "value"], afterRestore: "kept" },
  { name: "people", key: ["partition", "person_id"], afterRestore: "kept" },
  { name: "pictures", key: ["partition", "person_id"], afterRestore: "kept" },
  { name: "passkeys", key: ["partition", "person_id", "credential_id"], afterRestore: "kept" },
  { name: "second_factors", key: ["partition", "person_id"], afterRestore: "kept" },
  { name: "recovery_codes", key: ["partition", "person_id", "code_hash"], afterRestore: "emptied" },
  { name: "removed_factors", key: ["partition", "person_id", "removal_id", "kind", "factor_id"], afterRestore: "kept" },
  { name: "former_addresses", key: ["partition", "person_id", "address", "until"], afterRestore: "kept" },
  { name: "subject_links", key: ["partition", "owner_id", "link"], afterRestore: "kept" },
  { name: "companies", key: ["partition", "company_id"], afterRestore: "kept" },
  { name: "members", key: ["partition", "company_id", "person_id"], afterRestore: "kept" },
  { name: "member_links", key: ["partition", "person_id", "company_id"], afterRestore: "kept" },
  { name: "standings", key: ["partition", "person_id", "company_id"], afterRestore: "kept" },
  { name: "invitations", key: ["partition", "invitation_id"], afterRestore: "emptied" },
  { name: "company_rules", key: ["partition", "company_id", "client_id"], afterRestore: "ended" },
  { name: "company_rule_members", key: ["partition", "company_id", "client_id", "person_id"], afterRestore: "ended" },
  { name: "company_opt_outs", key: ["partition", "company_id", "client_id", "person_id"], afterRestore: "kept" },
  { name: "company_choices", key: ["partition", "company_id", "client_id", "person_id"], afterRestore: "ended" },
  { name: "last_companies", key: ["partition", "person_id", "client_id"], afterRestore: "kept" },
  // An admin could have removed one since the backup.
  { name: "company_connections", key: ["partition", "company_id", "client_id", "audience"], afterRestore: "emptied" },
  { name: "company_requests", key: ["partition", "company_id", "client_id", "person_id"], afterRestore: "kept" },
  { name: "mail_links", key: ["partition", "link_id"], afterRestore: "emptied" },
  { name: "mail_requests", key: ["partition", "request_id"], afterRestore: "emptied" },
  // Messages that waited at the backup have been sent since, or hold links that no longer work.
  { name: "outbox", key: ["partition", "mail_id"], afterRestore: "emptied" },
  { name: "consents", key: ["partition", "owner_id", "client_id"], afterRestore: "ended" },
  { name: "scope_uses", key: ["partition", "owner_id", "client_id", "scope"], afterRestore: "kept" },
  { name: "api_uses", key: ["partition", "owner_id", "client_id", "api"], afterRestore: "kept" },
  { name: "delegations", key: ["partition", "owner_id", "client_id", "actor_id"], afterRestore: "kept" },
  { name: "history", key: ["partition", "entry_id"], afterRestore: "kept" },
  { name: "grants", key: ["partition", "grant_id"], afterRestore: "ended" },
  { name: "known_devices", key: ["partition", "person_id", "device_id"], afterRestore: "ended" },
  { name: "sessions", key: ["partition", "session_id"], afterRestore: "emptied" },
  // Apps end their own sessions in time, as after any end that they are not told of.
  { name: "logout_notices", key: ["partition", "sid", "client_id"], afterRestore: "emptied" },
  { name: "external_answers", key: ["partition", "challenge_id"], afterRestore: "emptied" },
  { name: "device_requests", key: ["partition", "request_id"], afterRestore: "emptied" },
  // A restored log continues after the last event that the backup has.
  { name: "events_waiting", key: ["partition", "event_id"], afterRestore: "kept" },
  { name: "events", key: ["seq"], afterRestore: "kept" },
  { name: "event_checkpoints", key: ["kind", "seq"], afterRestore: "kept" },
  { name: "webhooks", key: ["id"], afterRestore: "kept" },
  { name: "webhook_deliveries", key: ["webhook_id", "seq"], afterRestore: "kept" },
  { name: "refusals", key: ["partition", "request_id"], afterRestore: "kept" },
  { name: "attempts", key: ["partition", "key"], afterRestore: "kept" },
  { name: "accepted", key: ["partition", "kind", "key"], afterRestore: "kept" },
  ...Array.from({ length: 8 }, (_, at) => ({
    name: `accepted_${at}`,
    key: ["partition", "kind", "key"],
    afterRestore: "kept" as const,
  })),
];

/** Tables about the database itself. An export leaves them out. */
export const OWN_TABLES: readonly string[] = ["migrations", "migration_steps", "database_state", "leases"];

/** Tables that already have rows in a new schema. */
export const SEEDED: readonly string[] = ["catalog"];
