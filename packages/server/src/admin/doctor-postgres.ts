/** What `doctor` says of a PostgreSQL server. */

import type { Config } from "../config.ts";
import { inspectPostgres, type ServerFacts } from "../storage/postgres/inspect-server.ts";
import type { Finding } from "./doctor-finding.ts";

const OLDEST = 15;
/** The newest that our tests have run on. */
const NEWEST = 18;
/** Beyond this a clock is wrong, and not merely late, in milliseconds. */
const CLOCK = 10_000;
/** Connections that others need: the operator's shell, backups, monitoring. */
const SPARE = 10;

/** Throws `StorageUnavailable` where no server answers. */
export async function postgresFindings({
  databaseUrl,
  workers,
}: Pick<Config, "databaseUrl" | "workers">): Promise<Finding[]> {
  return findingsFrom(await inspectPostgres(databaseUrl), workers);
}

/** The judgement alone. */
export function findingsFrom(facts: ServerFacts, workers: number): Finding[] {
  const { address: place, version } = facts;
  const findings: Finding[] = [];
  const find = (status: Finding["status"], detail: string) => findings.push({ check: "database", status, detail });
  if (version < OLDEST)
    find("broken", `${place} is PostgreSQL ${version}: this server needs PostgreSQL ${OLDEST} or newer`);
  if (version > NEWEST) find("note", `${place} is PostgreSQL ${version}: the newest tested version is ${NEWEST}`);
  if (facts.readOnly) {
    const what = facts.standby ? "a standby" : "read-only (default_transaction_read_only)";
    find("broken", `${place} is ${what}, and no other host of the URL accepts writes`);
  }
  if (facts.encoding !== "UTF8") {
    find(
      "broken",
      `the database's encoding is ${facts.encoding}: create a new database with UTF8 (CREATE DATABASE … ENCODING 'UTF8')`,
    );
  }
  if (!facts.fsync) find("warning", "fsync is off: a power failure may damage or lose acknowledged data");
  if (facts.synchronousCommit === "off") {
    find("warning", "synchronous_commit is off: Assent turns it on for its own connections, but other tools don't");
  }
  if (facts.synchronousCommit === "local") {
    find("warning", "synchronous_commit is local: acknowledged writes may be lost when a standby takes over");
  }
  if (Math.abs(facts.localAhead) > CLOCK) {
    const seconds = Math.round(Math.abs(facts.localAhead) / 1000);
    const side = facts.localAhead > 0 ? "ahead of" : "behind";
    find(
      "warning",
      `this machine's clock is ${seconds} s ${side} the database's: servers use the database's clock, and logs use this one`,
    );
  }
  if (facts.superuser)
    find("warning", "the role is a superuser: use a role that only owns its tables (docs/operate/postgresql.md)");
  if (!facts.mayCreate)
    find(
      "note",
      "the role can't create tables: before you start a new version, run assent db migrate with a role that can",
    );
  const wanted = workers * facts.ownConnections;
  if (wanted > facts.maxConnections - SPARE) {
    find(
      "warning",
      `${workers} process(es) of this configuration open up to ${wanted} connections, but the server allows ${facts.maxConnections} in total: lower max_connections in the URL, or raise the server's limit`,
    );
  }
  const protection = facts.encrypted ? "TLS" : "no TLS";
  find(
    findings.some(({ status }) => status === "broken") ? "note" : "ok",
    `PostgreSQL ${version} at ${place}, ${facts.readOnly ? "read-only" : "read-write"}, ${protection}`,
  );
  return findings;
}
