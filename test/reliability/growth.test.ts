/**
 * Growth: a grant is one row, however often its token is rotated (RFC 9700 §4.14.2), and the database takes about as much room after a hundred
 * refreshes of each grant as before the first. `--cycles N` takes 100 × N grants.
 */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { NewGrant } from "../../packages/server/src/oauth/storage.ts";
import { openStorage, type Storage } from "../../packages/server/src/storage/open.ts";
import { aLiveGrant, aRefresh, MINUTE, NOW } from "../../packages/server/test/storage/support/builders.ts";
import { cyclesOf, figure } from "../support/figures.ts";
import { aPostgresDatabase } from "../support/postgres.ts";

const GRANTS = 100 * cyclesOf(3);
const REFRESHES = 100;
/** Tokens don't come in step: few of those that are refreshed at one moment lie side by side. */
const AT_ONCE = Math.min(64, Math.ceil(GRANTS / 30));
const MAKERS = 50;

interface Measured {
  readonly storage: Storage;
  /** Bytes of all tables and indexes, after what housekeeping the database does by itself. */
  size(): Promise<number>;
  rows(): Promise<number>;
  close(): Promise<void>;
}

async function aFile(): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), "assent-growth-"));
  const path = join(directory, "assent.db");
  const storage = await openStorage({ url: `sqlite:${path}` });
  await storage.migrate({ now: NOW });
  const ask = (text: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const [value] = Object.values(database.prepare(text).get() ?? {});
    database.close();
    return Number(value);
  };
  return {
    storage,
    // Pages of the database alone: the log is of a size of its own.
    size: async () => ask("SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"),
    rows: async () => ask("SELECT COUNT(*) FROM grants"),
    close: async () => {
      await storage.close();
      await rm(directory, { recursive: true });
    },
  };
}

async function aServerDatabase(): Promise<Measured> {
  const database = await aPostgresDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  const storage = await openStorage({ url: database.url });
  const ask = async (text: string) => Number((await client.query(text)).rows[0].value);
  return {
    storage,
    size: async () => {
      await client.query("VACUUM");
      return ask(
        "SELECT SUM(pg_total_relation_size(oid)) AS value FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace",
      );
    },
    rows: () => ask("SELECT COUNT(*) AS value FROM grants"),
    close: async () => {
      await storage.close();
      await client.end();
      await database.drop();
    },
  };
}

/** `work` for each item, so many at once. */
async function each<T>(items: readonly T[], callers: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

function shuffled<T>(items: readonly T[]): T[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}

describe.each([
  ["SQLite", aFile],
  ["PostgreSQL", aServerDatabase],
] as const)("growth on %s", (name, open) => {
  let measured: Measured;
  beforeAll(async () => {
    measured = await open();
  });
  afterAll(() => measured.close());

  test(`${GRANTS} grants, each refreshed ${REFRESHES} times → as many rows, and at most 1.3 times the size`, {
    timeout: 60_000 + GRANTS * 150,
  }, async () => {
    const { storage } = measured;
    const grants: NewGrant[] = [];
    await each(Array.from({ length: GRANTS }), MAKERS, async () => {
      grants.push((await aLiveGrant(storage)).grant);
    });
    const fresh = await measured.size();
    const began = performance.now();
    for (let generation = 1; generation <= REFRESHES; generation += 1) {
      const now = NOW + generation * MINUTE;
      await each(shuffled(grants), AT_ONCE, async (grant) => {
        expect((await storage.refreshGrant(aRefresh(grant, { generation, now }))).kind).toBe("rotated");
      });
    }
    const seconds = (performance.now() - began) / 1000;
    const after = await measured.size();
    expect(await measured.rows()).toBe(GRANTS);
    expect(after).toBeLessThanOrEqual(1.3 * fresh);
    figure("growth", `${name}, ${GRANTS} grants, each refreshed ${REFRESHES} times`, {
      "rows of grants": GRANTS,
      "MB fresh": fresh / 1e6,
      "MB after": after / 1e6,
      "times the size": after / fresh,
      "rotations a second": (GRANTS * REFRESHES) / seconds,
    });
  });
});
