/** Every table that holds what the service knows, with its primary key: for what walks all of them. */

export interface Table {
  readonly name: string;
  /** Columns of the primary key, in its order. */
  readonly key: readonly string[];
}

/** In the order in which they are moved. */
export const TABLES: readonly Table[] = [
  { name: "catalog", key: ["kind"] },
  { name: "clients", key: ["client_id"] },
  { name: "resources", key: ["identifier"] },
  { name: "scopes", key: ["name"] },
  { name: "trusted_issuers", key: ["issuer"] },
  { name: "logos", key: ["hash"] },
  { name: "signing_keys", key: ["kid"] },
  { name: "receipt_keys", key: ["kid"] },
  { name: "names", key: ["partition", "kind", "value"] },
  { name: "people", key: ["partition", "person_id"] },
  { name: "passkeys", key: ["partition", "person_id", "credential_id"] },
  { name: "second_factors", key: ["partition", "person_id"] },
  { name: "recovery_codes", key: ["partition", "person_id", "code_hash"] },
  { name: "subject_links", key: ["partition", "owner_id", "link"] },
  { name: "companies", key: ["partition", "company_id"] },
  { name: "members", key: ["partition", "company_id", "person_id"] },
  { name: "member_links", key: ["partition", "person_id", "company_id"] },
  { name: "standings", key: ["partition", "person_id", "company_id"] },
  { name: "invitations", key: ["partition", "invitation_id"] },
  { name: "company_rules", key: ["partition", "company_id", "client_id"] },
  { name: "company_opt_outs", key: ["partition", "company_id", "client_id", "person_id"] },
  { name: "company_choices", key: ["partition", "company_id", "client_id", "person_id"] },
  { name: "company_requests", key: ["partition", "company_id", "client_id", "person_id"] },
  { name: "consents", key: ["partition", "owner_id", "client_id"] },
  { name: "history", key: ["partition", "entry_id"] },
  { name: "grants", key: ["partition", "grant_id"] },
  { name: "sessions", key: ["partition", "session_id"] },
  { name: "device_requests", key: ["partition", "request_id"] },
  { name: "attempts", key: ["partition", "key"] },
  { name: "accepted", key: ["partition", "kind", "key"] },
  ...Array.from({ length: 8 }, (_, at) => ({ name: `accepted_${at}`, key: ["partition", "kind", "key"] })),
];

/** What the database knows of itself and isn't moved. */
export const OWN_TABLES: readonly string[] = ["migrations", "migration_steps", "database_state", "leases"];

/** Tables that a fresh schema has rows in. */
export const SEEDED: readonly string[] = ["catalog"];
