/**
 * PostgreSQL's own dump, restored into a new database: the commands of the page on backups, and the data that comes
 * back without `assent db epoch`.
 */

import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { aLiveGrant, aRefresh, NOW, statusOf } from "../../packages/server/test/storage/support/record-builders.ts";
import { freePort } from "../support/free-port.ts";
import { aPostgresDatabase, type TestDatabase } from "../support/postgres-database.ts";

const root = join(import.meta.dirname, "..", "..");
let folder: string;
let old: TestDatabase;
let fresh: TestDatabase;
/** Nothing runs there: doctor asks the issuer. */
let issuer: string;

beforeEach(async () => {
  issuer = `http://localhost:${await freePort()}`;
  folder = mkdtempSync(join(tmpdir(), "assent-dump-"));
  old = await aPostgresDatabase();
  fresh = await aPostgresDatabase("empty");
});
afterEach(async () => {
  await old.drop();
  await fresh.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The folder of the machine's PostgreSQL tools. The PostgreSQL from npm has none. */
function toolsOf(): string | undefined {
  const base = "/usr/lib/postgresql";
  const versions = existsSync(base) ? readdirSync(base).sort((one, other) => Number(other) - Number(one)) : [];
  return versions.map((version) => join(base, version, "bin")).find((bin) => existsSync(join(bin, "pg_restore")));
}
const tools = toolsOf();

function assent(...args: readonly string[]): Record<string, unknown> {
  const stdout = execFileSync(process.execPath, [join(root, "packages/cli/src/main.ts"), ...args, "--json"], {
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      ASSENT_DATA_DIR: folder,
      ASSENT_ISSUER: issuer,
      ASSENT_DATABASE_URL: fresh.url,
      ASSENT_SECRET: randomBytes(32).toString("base64"),
    },
  });
  return JSON.parse(stdout);
}

test("pg_dump, then a consent revoked, then pg_restore → what was revoked would live again; after `db epoch` it doesn't", async ({
  skip,
}) => {
  if (tools === undefined) return skip("this machine has no pg_dump; the PostgreSQL that npm brings has none");
  const tool = (name: string, ...args: readonly string[]) => execFileSync(join(tools, name), args);
  const before = await openStorage({ url: old.url });
  const { grant } = await aLiveGrant(before);
  const dump = join(folder, "assent.dump");
  tool("pg_dump", "--format=custom", `--file=${dump}`, old.url);
  const consent = { partition: grant.partition, ownerId: grant.ownerId, clientId: grant.clientId, now: NOW };
  expect((await before.consents.revoke({ ...consent, revokedBy: grant.ownerId })).kind).toBe("revoked");
  await before.close();

  tool("pg_restore", "--no-owner", "--exit-on-error", `--dbname=${fresh.url}`, dump);
  const after = await openStorage({ url: fresh.url });
  expect((await statusOf(after, grant))?.status).toBe("active");
  await after.close();
  expect(assent("db", "status")).toMatchObject({ pending: 0, restored_at: null });
  expect(assent("db", "epoch")).toMatchObject({ ended: { grants: 1, consents: 1 } });
  const ended = await openStorage({ url: fresh.url });
  expect((await statusOf(ended, grant))?.status).toBe("state_lost");
  expect((await ended.grants.refresh(aRefresh(grant))).kind).not.toBe("rotated");
  await ended.close();
  expect(assent("doctor")).toMatchObject({ ok: true });
});
