/**
 * A client with very many owners is disabled or deleted: there is no long transaction, and housekeeping finishes the
 * work of a killed command.
 */

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pino } from "pino";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { Housekeeping } from "../../packages/server/src/housekeeping.ts";
import { openStorage, type Storage } from "../../packages/server/src/storage/open.ts";
import { aLiveCompanyGrant, aStaffedCompany } from "../../packages/server/test/storage/support/company-builders.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import {
  aClient,
  aGrant,
  aLiveGrant,
  anApproval,
  NOW,
} from "../../packages/server/test/storage/support/record-builders.ts";
import { aPostgresDatabase } from "../support/postgres-database.ts";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";

/** `--cycles 100`, which is what the command takes by itself, is a hundred thousand. */
const OWNERS = 1000 * cyclesOf(5, 2);
/** Grants of one owner, for example a company: more than one batch. */
const OF_ONE = 4500;
/** After the real time, which the command uses. */
const LATER = Date.now() + 365 * 86_400_000;
const root = join(import.meta.dirname, "..", "..");

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "assent-client-end-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

describe.each(["SQLite", "PostgreSQL"])("on %s", (kind) => {
  let url: string;
  let storage: Storage;
  let drop: () => Promise<void>;
  let clientId: string;

  beforeEach(async () => {
    const database = kind === "SQLite" ? undefined : await aPostgresDatabase();
    url = database?.url ?? `sqlite:${join(folder, "assent.db")}`;
    drop = async () => database?.drop();
    storage = await openStorage({ url });
    await storage.migrate({ now: NOW });
    const client = aClient();
    clientId = client.clientId;
    await storage.clients.put({ client, expect: 0 });
    await aLiveGrant(storage, { clientId });
    await multiplied();
  });
  afterEach(async () => {
    await storage.close();
    await drop();
  });

  /** Adds this number of rows like that one, numbered by `i`. */
  async function copied(
    table: string,
    which: string,
    count: number,
    changes: Readonly<Record<string, string>>,
  ): Promise<void> {
    const one = `SELECT * FROM ${table} WHERE ${which} LIMIT 1`;
    const [row = {}] = await byHand(url, [one]);
    const columns = Object.keys(row);
    await byHand(url, [
      `INSERT INTO ${table} (${columns.join(", ")})
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
        SELECT ${columns.map((name) => changes[name] ?? name).join(", ")} FROM (${one}) AS one, n`,
    ]);
  }

  /** Copies the owner's rows for many other owners. The last one gets many grants. */
  async function multiplied(): Promise<void> {
    const owner = { partition: "i % 1024", owner_id: "'owner-' || i", person_id: "'owner-' || i" };
    await byHand(url, [`UPDATE grants SET idle_until = ${LATER}, absolute_until = ${LATER}, collect_at = ${LATER}`]);
    await byHand(url, [`UPDATE consents SET expires_at = NULL`]);
    await copied("consents", "uses >= 0", OWNERS - 1, owner);
    await copied("grants", "uses >= 0", OWNERS - 1, { ...owner, grant_id: "'grant-' || i" });
    await copied("grants", "uses >= 0", OF_ONE, {
      ...owner,
      partition: "7",
      owner_id: "'owner-7'",
      grant_id: "'more-' || i",
    });
  }

  const count = async (where: string) => Number((await byHand(url, [`SELECT COUNT(*) AS n FROM ${where}`]))[0]?.["n"]);
  const alive = () => count("grants WHERE status = 'active'");

  /**
   * Starts a command, and kills it when some grants have ended. Until the kill, a trigger keeps the command from ending the
   * grants of the last partition, so that it can't come to its end first, however late the kill is.
   */
  async function killed(...args: readonly string[]): Promise<void> {
    await holdUpLastGrants();
    const child = spawn(
      process.execPath,
      [join(root, "packages/cli/src/main.ts"), "client", ...args, clientId, "--yes"],
      {
        cwd: folder,
        stdio: ["ignore", "ignore", "pipe"],
        env: {
          PATH: process.env["PATH"],
          HOME: folder,
          ASSENT_DATA_DIR: folder,
          ASSENT_DATABASE_URL: url,
          ASSENT_SECRET: randomBytes(32).toString("base64"),
        },
      },
    );
    let said = "";
    child.stderr.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const gone = new Promise((resolve) => child.once("close", resolve));
    while (child.exitCode === null && (await alive()) === OWNERS + OF_ONE) await sleep(5);
    child.kill("SIGKILL");
    await gone;
    expect(child.signalCode, `it came to its end before it could be killed: ${said}`).toBe("SIGKILL");
    await letLastGrantsGo();
  }

  async function holdUpLastGrants(): Promise<void> {
    const isLast = "NEW.status = 'client_ended' AND NEW.partition = 1023";
    if (kind === "SQLite") {
      await byHand(
        url,
        ["CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"],
        [`CREATE TRIGGER held_up BEFORE UPDATE ON grants WHEN ${isLast} BEGIN SELECT COUNT(*) FROM endless; END`],
      );
      return;
    }
    await byHand(
      url,
      [
        `CREATE FUNCTION held_up() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN PERFORM pg_sleep(3600); RETURN NEW; END'`,
      ],
      [`CREATE TRIGGER held_up BEFORE UPDATE ON grants FOR EACH ROW WHEN (${isLast}) EXECUTE FUNCTION held_up()`],
    );
  }

  async function letLastGrantsGo(): Promise<void> {
    if (kind === "SQLite") return void (await byHand(url, ["DROP TRIGGER held_up"]));
    // PostgreSQL notices only at the end of a statement that its client was killed.
    await byHand(
      url,
      [
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'PgSleep'`,
      ],
      ["DROP TRIGGER held_up ON grants"],
    );
  }

  const keepHouse = () =>
    new Housekeeping({
      storage,
      now: () => storage.now(),
      log: pino({ level: "silent" }),
      alsoDue: async () => undefined,
    });

  test(`disabled with ${OWNERS} owners, the command killed → told no at once, housekeeping ends the rest, everybody reads of it once`, {
    timeout: 60_000 + OWNERS * 5,
  }, async () => {
    await killed("update", "--status", "disabled");
    const left = await alive();
    expect(left).toBeGreaterThan(0);
    const found = await storage.clients.get({ clientId });
    expect(found?.record.status).toBe("disabled");
    const grant = aGrant(await personOf(), { clientId });
    expect(await storage.grants.approve(anApproval(grant, { now: storage.now() }))).toEqual({ kind: "no_consent" });
    const began = performance.now();
    await keepHouse().round();
    const took = performance.now() - began;
    expect(await alive()).toBe(0);
    expect(await count("history WHERE kind = 'ended'")).toBe(OWNERS);
    expect(await count("clients WHERE ending IS NOT NULL")).toBe(0);
    expect(await count("consents WHERE status = 'active'")).toBe(OWNERS);
    figure("client-end", `${kind}, ${OWNERS} owners of a disabled client, the command killed`, {
      "left by the command": left,
      "s until housekeeping had ended them": took / 1000,
    });
  });

  test("disabled, the command killed, enabled again → first all of before has ended, and what is granted since lives", {
    timeout: 60_000 + OWNERS * 5,
  }, async () => {
    await killed("update", "--status", "disabled");
    const found = await storage.clients.get({ clientId });
    if (found === undefined) throw new Error("the client is gone");
    await storage.clients.put({ client: { ...found.record, status: "active" }, expect: found.version });
    expect(await alive()).toBe(0);
    const { person } = await aLiveGrant(storage, { clientId });
    await storage.housekeeping.collect({ what: "client_endings", now: storage.now(), limit: 1000 });
    expect(await count(`grants WHERE status = 'active' AND owner_id = '${person.personId}'`)).toBe(1);
  });

  test("deleted, the command killed → its consents go, too, before what is left of it is forgotten", {
    timeout: 60_000 + OWNERS * 5,
  }, async () => {
    await killed("delete");
    expect(await alive()).toBeGreaterThan(0);
    // A day later, without housekeeping in between.
    const later = { now: storage.now() + 2 * 86_400_000, limit: 10 };
    await storage.housekeeping.collect({ what: "clients", ...later });
    expect(await count("clients WHERE ending IS NOT NULL")).toBe(1);
    await keepHouse().round();
    expect([await alive(), await count("consents WHERE status = 'active'")]).toEqual([0, 0]);
    await storage.housekeeping.collect({ what: "clients", ...later });
    expect(await count("clients")).toBe(0);
  });

  test(`a company of ${OWNERS} members revokes an app for all of them → at once and as a whole, whatever its size`, {
    timeout: 60_000 + OWNERS * 5,
  }, async () => {
    const { company, admin, member } = await aStaffedCompany(storage, { defaultRule: "members" });
    const grant = await aLiveCompanyGrant(storage, company, member);
    const others = { grant_id: "'of-member-' || i", person_id: "'member-' || i" };
    const when = { idle_until: String(LATER), absolute_until: String(LATER) };
    await copied("grants", `grant_id = '${grant.grantId}'`, OWNERS - 1, { ...others, ...when });
    const { partition, companyId } = company;
    const key = { partition, companyId, clientId: grant.clientId, by: admin.personId, now: NOW };
    const began = performance.now();
    expect(await storage.companyApps.revokeForAll(key)).toMatchObject({ kind: "done", grantsEnded: OWNERS });
    const took = performance.now() - began;
    expect(await count(`grants WHERE status = 'active' AND owner_id = '${companyId}'`)).toBe(0);
    figure("client-end", `${kind}, a company revokes an app for ${OWNERS} members`, { s: took / 1000 });
  });

  async function personOf() {
    const [person] = await storage.people.list({ limit: 1, after: null });
    if (person === undefined) throw new Error("nobody is there");
    return person;
  }
});
