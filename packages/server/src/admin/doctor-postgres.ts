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
  if (version > NEWEST)
    find("note", `${place} is PostgreSQL ${version}: ${NEWEST} is the newest version that was tested`);
  if (facts.readOnly) {
    const what = facts.standby ? "a standby" : "read-only (default_transaction_read_only)";
    find("broken", `${place} is ${what}, and no other host of the URL accepts writes`);
  }
  if (facts.encoding !== "UTF8") {
    find(
      "broken",
      `the database's encoding is ${facts.encoding}, but it must be UTF8: create the database again (CREATE DATABASE … ENCODING 'UTF8')`,
    );
  }
  if (!facts.fsync) find("warning", "fsync is off: after a power failure, acknowledged data may be lost or damaged");
  if (facts.synchronousCommit === "off") {
    find(
      "warning",
      "synchronous_commit is off: Assent's sessions turn it on, but other tools that write to the database don't",
    );
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
    find("warning", "the role is a superuser: a role that owns its tables is enough (docs/operate/postgresql.md)");
  if (!facts.mayCreate)
    find(
      "note",
      "the role may not create tables: before a new version starts, run assent db migrate with a role that may",
    );
  const wanted = workers * facts.ownConnections;
  if (wanted > facts.maxConnections - SPARE) {
    find(
      "warning",
      `${workers} process(es) of this configuration open up to ${wanted} connections, and the server allows ${facts.maxConnections} to all: lower max_connections in the URL, or raise the server's`,
    );
  }
  const protection = facts.encrypted ? "TLS" : "no TLS";
  find(
    findings.some(({ status }) => status === "broken") ? "note" : "ok",
    `PostgreSQL ${version} at ${place}, ${facts.readOnly ? "read-only" : "read-write"}, ${protection}`,
  );
  return findings;
}
