import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { backupDatabase, beginEpoch, migrateDatabase, openAdmin, restoreDatabase } from "../../src/admin/index.ts";
import { createAssent } from "../../src/assent.ts";
import { type Config, configOf } from "../../src/config.ts";
import { NOTHING_ENDED } from "../../src/storage/end-all-after-restore.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import {
  aDirectGrant,
  aLiveGrant,
  anApprovedGrant,
  aRedemption,
  aRefresh,
  aSession,
  DAY,
  HOUR,
  MINUTE,
  NOW,
  statusOf,
} from "../storage/support/record-builders.ts";
import { refusal } from "./support/open-test-admin.ts";

let folder: string;
let config: Config;
let storage: Storage;
const LATER = NOW + HOUR;
const ordinary = { forInspection: false, keepConsents: false };

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "assent-backup-"));
  config = configOf({ dataDir: join(folder, "data"), issuer: "https://id.test" });
  await migrateDatabase(config, NOW, "contract");
  storage = await openStorage({ url: config.databaseUrl, writer: "main" });
});
afterEach(async () => {
  await storage.close();
  rmSync(folder, { recursive: true, force: true });
});

const at = (name: string) => join(folder, name);

/** Restores over the open database, and opens it again. */
async function restored(options = ordinary, file = at("backup.db")) {
  await storage.close();
  const result = await restoreDatabase(config, file, options, LATER);
  storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  return result;
}

const start = () => createAssent(config, { log: pino({ level: "silent" }), now: () => LATER });

test("a file that exists, a database that isn't there → refused, nothing written", async () => {
  writeFileSync(at("backup.db"), "mine");
  expect(await refusal(backupDatabase(config, at("backup.db")))).toMatchObject({ kind: "taken" });
  const none = configOf({ dataDir: join(folder, "none"), issuer: "https://id.test" });
  expect(await refusal(backupDatabase(none, at("other.db")))).toMatchObject({ kind: "unknown" });
  expect(readdirSync(folder).sort()).toEqual(["backup.db", "data"]);
});

test("a backup that isn't there, is no database, another program's, or damaged → refused, the database stands", async () => {
  const { grant } = await aLiveGrant(storage);
  await backupDatabase(config, at("backup.db"));
  await storage.close();
  writeFileSync(at("text.db"), "no database at all ".repeat(1000));
  const foreign = new DatabaseSync(at("foreign.db"));
  foreign.exec("CREATE TABLE recipes (name TEXT)");
  foreign.close();
  expect(await refusal(restoreDatabase(config, at("gone.db"), ordinary, LATER))).toMatchObject({ kind: "unknown" });
  expect(await refusal(restoreDatabase(config, at("foreign.db"), ordinary, LATER))).toMatchObject({ kind: "invalid" });
  await expect(restoreDatabase(config, at("text.db"), ordinary, LATER)).rejects.toThrow(/not a database/);
  storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  expect((await statusOf(storage, grant))?.status).toBe("active");
  expect(readdirSync(config.dataDir).filter((name) => name.includes("restoring") || name.includes("replaced"))).toEqual(
    [],
  );
});

test("a server has the database open → refused, nothing changed", async () => {
  await backupDatabase(config, at("backup.db"));
  await storage.close();
  const server = await start();
  expect(await refusal(restoreDatabase(config, at("backup.db"), ordinary, LATER))).toMatchObject({ kind: "in_use" });
  await server.storage.catalog.ping();
  await server.close();
  expect((await restoreDatabase(config, at("backup.db"), ordinary, LATER)).replaced).not.toBeNull();
  storage = await openStorage({ url: config.databaseUrl, writer: "main" });
});

test("200 writes a second meanwhile → none fails; the copy is whole, 0600, one file, and has all that was there before", async () => {
  const before = await aLiveGrant(storage);
  const outcomes: Promise<unknown>[] = [];
  const writing = setInterval(() => outcomes.push(aLiveGrant(storage)), 5);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const { bytes } = await backupDatabase(config, at("backup.db"));
  await new Promise((resolve) => setTimeout(resolve, 300));
  clearInterval(writing);
  const settled = await Promise.allSettled(outcomes);
  expect(settled.filter(({ status }) => status === "rejected")).toEqual([]);
  const made = statSync(at("backup.db"));
  expect([made.mode & 0o777, made.size]).toEqual([0o600, bytes]);
  expect(readdirSync(folder).sort()).toEqual(["backup.db", "data"]);
  const copy = new DatabaseSync(at("backup.db"), { readOnly: true });
  expect(copy.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  expect(copy.prepare("SELECT status FROM grants WHERE grant_id = ?").get(before.grant.grantId)).toEqual({
    status: "active",
  });
  copy.close();
  console.log(`backup beside ${outcomes.length * 3} writes in a second: 0 refused`);
});

test("restored → nothing that was revoked, rotated or spent after the backup works again, and nothing else that could have been", async () => {
  const revoked = await aLiveGrant(storage);
  const rotated = await aLiveGrant(storage);
  const unspent = await anApprovedGrant(storage);
  const untouched = await aLiveGrant(storage);
  const session = aSession(untouched.person);
  await storage.sessions.create(session);
  await backupDatabase(config, at("backup.db"));

  await storage.consents.revoke({ ...revoked.grant, revokedBy: "x", now: NOW + MINUTE });
  await storage.grants.refresh(aRefresh(rotated.grant));
  await storage.grants.redeem(aRedemption(unspent.grant));
  const { replaced, ended } = await restored();

  expect(ended).toEqual({ ...NOTHING_ENDED, grants: 4, consents: 4, sessions: 1 });
  for (const { grant } of [revoked, rotated, untouched]) {
    expect(await storage.grants.refresh(aRefresh(grant, { now: LATER }))).toEqual({ kind: "ahead" });
    expect(await storage.consents.find({ ...grant })).toMatchObject({ status: "revoked", revokedBy: "restore" });
  }
  expect(await storage.grants.redeem(aRedemption(unspent.grant, { now: NOW + MINUTE / 2 }))).toEqual({
    kind: "unknown",
  });
  expect(await storage.sessions.use({ ...session, now: LATER, idleUntil: LATER + DAY })).toBeUndefined();
  expect(await storage.grants.issueWithoutCode(aDirectGrant(revoked.person))).toEqual({
    kind: "blocked",
    by: "restore",
  });
  expect(await storage.state()).toMatchObject({ epoch: { at: LATER, count: 1, done: true }, inspection: false });
  // The replaced database is kept unchanged.
  const aside = new DatabaseSync(replaced ?? "", { readOnly: true });
  expect(aside.prepare("SELECT status FROM grants WHERE grant_id = ?").get(revoked.grant.grantId)).toEqual({
    status: "revoked",
  });
  aside.close();
  await (await start()).close();
});

test("--keep-consents → grants and sessions end, consents stand", async () => {
  const { grant, person } = await aLiveGrant(storage);
  await backupDatabase(config, at("backup.db"));
  expect((await restored({ ...ordinary, keepConsents: true })).ended).toEqual({ ...NOTHING_ENDED, grants: 1 });
  expect(await storage.grants.refresh(aRefresh(grant))).toEqual({ kind: "ahead" });
  expect((await storage.grants.issueWithoutCode(aDirectGrant(person))).kind).toBe("issued");
});

test("for inspection: beside a database → refused; alone → nothing ends, and no server starts on it", async () => {
  const { grant } = await aLiveGrant(storage);
  await backupDatabase(config, at("backup.db"));
  const inspection = { forInspection: true, keepConsents: false };
  await storage.close();
  expect(await refusal(restoreDatabase(config, at("backup.db"), inspection, LATER))).toMatchObject({ kind: "taken" });
  config = configOf({ dataDir: join(folder, "drill"), issuer: "https://id.test" });
  expect(await restoreDatabase(config, at("backup.db"), inspection, LATER)).toMatchObject({
    replaced: null,
    ended: null,
  });
  await expect(start()).rejects.toThrow(/restored for inspection/);
  const admin = await openAdmin(config);
  await admin.close();
  storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  expect((await statusOf(storage, grant))?.status).toBe("active");
});

test("the database itself is damaged → it is put aside as it is, and the backup takes its place", async () => {
  const { grant } = await aLiveGrant(storage);
  await backupDatabase(config, at("backup.db"));
  await storage.close();
  const path = config.databaseUrl.slice("sqlite:".length);
  writeFileSync(path, Buffer.alloc(40_000, 7));
  const { replaced } = await restoreDatabase(config, at("backup.db"), ordinary, LATER);
  expect(statSync(replaced ?? "").size).toBe(40_000);
  storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  expect((await statusOf(storage, grant))?.status).toBe("state_lost");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("an epoch that was interrupted → no server starts; the command goes on and ends what is left", async () => {
  for (let at = 0; at < 20; at += 1) await aLiveGrant(storage);
  const path = config.databaseUrl.slice("sqlite:".length);
  const database = new DatabaseSync(path);
  database
    .prepare("INSERT INTO database_state (name, value) VALUES ('epoch', ?)")
    .run(JSON.stringify({ at: LATER, count: 1, next: 512, keepConsents: true }));
  await expect(start()).rejects.toThrow(/assent db epoch/);
  const ended = await beginEpoch(config, { keepConsents: false }, LATER + HOUR);
  expect(ended).toMatchObject({ grants: 20, consents: 20 });
  expect(database.prepare("SELECT DISTINCT status FROM grants").all()).toEqual([{ status: "state_lost" }]);
  database.close();
  expect((await storage.state()).epoch).toEqual({ at: LATER + HOUR, count: 2, done: true });
});

test("a backup of an older schema → is brought up to date on the way; the file stays as it was", async () => {
  await backupDatabase(config, at("backup.db"));
  const old = new DatabaseSync(at("backup.db"));
  const { n } = old.prepare("SELECT MAX(id) AS n FROM migrations").get() as { n: number };
  old.exec("DROP TABLE leases");
  old.prepare("DELETE FROM migrations WHERE name = 'upkeep'").run();
  for (const { name } of old
    .prepare("SELECT name FROM sqlite_schema WHERE name LIKE 'accepted\\__' ESCAPE '\\' OR name = 'database_state'")
    .all())
    old.exec(`DROP TABLE ${String(name)}`);
  old.close();
  const size = statSync(at("backup.db")).size;
  await restored();
  expect((await storage.migrationStatus()).filter(({ appliedAt }) => appliedAt !== null)).toHaveLength(n);
  expect(statSync(at("backup.db")).size).toBe(size);
  expect(existsSync(`${at("backup.db")}-wal`)).toBe(false);
});
