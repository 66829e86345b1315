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
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { aLiveGrant, aRefresh, MINUTE, NOW } from "../../packages/server/test/storage/support/record-builders.ts";
import { aPostgresDatabase } from "../support/postgres-database.ts";
import { cyclesOf, figure, inFull } from "../support/reliability-cycles-and-figures.ts";

const GRANTS = 100 * cyclesOf(3, 1);
const REFRESHES = 100;
/** Refreshes in random order, so that tokens of one moment are seldom side by side in the table. */
const AT_ONCE = Math.min(512, Math.ceil(GRANTS / 30));

interface Measured {
  readonly storage: Storage;
  readonly url: string;
  /** Bytes of all tables and indexes, after what housekeeping the database does by itself. */
  size(): Promise<number>;
  rows(): Promise<number>;
  close(): Promise<void>;
}

async function aFile(): Promise<Measured> {
  const directory = await mkdtemp(join(tmpdir(), "assent-growth-"));
  const path = join(directory, "assent.db");
  // No other code needs this thread.
  const storage = await openStorage({ url: `sqlite:${path}`, writer: "main" });
  await storage.migrate({ now: NOW });
  const ask = (text: string) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const [value] = Object.values(database.prepare(text).get() ?? {});
    database.close();
    return Number(value);
  };
  return {
    storage,
    url: `sqlite:${path}`,
    // Only pages of the database, because the size of the log varies.
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
    url: database.url,
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

/** Runs `work` for each item, with this number at a time. */
async function each<T>(items: readonly T[], callers: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: callers }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

/** Shuffles in place, because sorting a million items is too slow. */
function shuffle<T>(items: T[]): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = Math.floor(Math.random() * (at + 1));
    const [one, two] = [items[at] as T, items[other] as T];
    items[at] = two;
    items[other] = one;
  }
  return items;
}

/**
 * An owner's active grant, and copies of it for other owners. Making a million with verbs would take longer than the
 * measurement.
 */
async function grantsIn({ storage, url }: Measured): Promise<NewGrant[]> {
  const { grant } = await aLiveGrant(storage);
  const one = `SELECT * FROM grants WHERE grant_id = '${grant.grantId}'`;
  const [row = {}] = await byHand(url, [one]);
  const own: Readonly<Record<string, string>> = {
    partition: "i % 1024",
    grant_id: "'grant-of-a-length-' || (10000000 + i)",
    owner_id: "'owner-of-length-' || (10000000 + i)",
    person_id: "'owner-of-length-' || (10000000 + i)",
  };
  const columns = Object.keys(row);
  await byHand(url, [
    `INSERT INTO grants (${columns.join(", ")})
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${GRANTS - 1})
      SELECT ${columns.map((name) => own[name] ?? name).join(", ")} FROM (${one}) AS one, n`,
  ]);
  const others = Array.from({ length: GRANTS - 1 }, (_, at) => {
    const ownerId = `owner-of-length-${10_000_001 + at}`;
    return { ...grant, partition: (at + 1) % 1024, grantId: `grant-of-a-length-${10_000_001 + at}`, ownerId };
  });
  return [grant, ...others];
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

  test(`${GRANTS} grants, each refreshed ${REFRESHES} times → as many rows, and hardly more in size`, {
    timeout: 60_000 + GRANTS * 150,
  }, async () => {
    const { storage } = measured;
    const grants = await grantsIn(measured);
    const [first] = grants;
    if (first === undefined) throw new Error("there is no grant");
    const { refreshSaltHash } = aRefresh(first);
    const fresh = await measured.size();
    const began = performance.now();
    const rate = (generation: number) => (GRANTS * generation * 1000) / (performance.now() - began);
    for (let generation = 1; generation <= REFRESHES; generation += 1) {
      const now = NOW + generation * MINUTE;
      await each(shuffle(grants), AT_ONCE, async (grant) => {
        const { kind } = await storage.grants.refresh(aRefresh(grant, { generation, now, refreshSaltHash }));
        if (kind !== "rotated") throw new Error(`${kind} instead of rotated`);
      });
      // A million grants take an hour, so this shows the progress.
      if (inFull && generation % 10 === 0)
        console.info(`${name}: ${generation} times, ${rate(generation).toFixed(0)}/s`);
    }
    const rotated = rate(REFRESHES);
    const after = await measured.size();
    expect(await measured.rows()).toBe(GRANTS);
    // A few hundred rows fill so few pages that temporary versions on a busy machine count. If every version stayed, it
    // would be more than ten times the size.
    expect(after).toBeLessThanOrEqual((inFull ? 1.3 : 5) * fresh);
    figure("growth", `${name}, ${GRANTS} grants, each refreshed ${REFRESHES} times`, {
      "rows of grants": GRANTS,
      "MB fresh": fresh / 1e6,
      "MB after": after / 1e6,
      "times the size": after / fresh,
      "rotations a second": rotated,
    });
  });
});
