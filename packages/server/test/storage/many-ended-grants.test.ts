/** The rows that statements about an owner, app, company or member read if very many grants have ended. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aPostgresDatabase } from "../../../../test/support/postgres-database.ts";
import { openStorage } from "../../src/storage/open.ts";
import { manyGrants, plansOnPostgres, plansOnSqlite } from "./support/many-grants.ts";

const SIZES = { ended: 4000, members: 100 };
/** Far more than the live grants of the company and the rows that a statement may read of ended ones. */
const MOST = 700;

test("PostgreSQL, thousands of ended grants → no statement reads them", async () => {
  const database = await aPostgresDatabase();
  const storage = await openStorage({ url: database.url });
  const cases = await manyGrants(storage, database.url, SIZES);
  await storage.close();
  const plans = await plansOnPostgres(database.url, cases);
  expect(plans.length).toBeGreaterThan(100);
  const large = plans.filter(({ rows }) => (rows["grants"] ?? 0) > MOST);
  expect(large.map(({ verb, text, scans }) => [verb, text, ...scans])).toEqual([]);
  // Each index must be used.
  const used = plans.flatMap(({ scans }) => scans).join("\n");
  for (const index of ["grants_active", "grants_active_of_member", "grants_by_end", "consents_active_of_client"])
    expect(used).toContain(`by ${index}:`);
  await database.drop();
});

test("SQLite, thousands of ended grants → each statement finds its rows by an index of those that count", async () => {
  const directory = await mkdtemp(join(tmpdir(), "assent-many-"));
  const url = `sqlite:${join(directory, "assent.db")}`;
  const storage = await openStorage({ url });
  await storage.migrate({ now: 0 });
  const cases = await manyGrants(storage, url, SIZES);
  await storage.close();
  const plans = await plansOnSqlite(url, cases);
  expect(plans.length).toBeGreaterThan(100);
  const ofGrants = /INDEX (grants_\w+|sqlite_autoindex_grants_1) \((.*)\)/;
  const counts =
    /grants_active|grants_alarming|grants_to_collect|grants_by_end \(.*ended_at[=<>]|autoindex_grants_1 \(.*grant_id/;
  const wide = plans.flatMap(({ verb, text, scans }) =>
    scans
      .filter((scan) => /^(SCAN|SEARCH) grants\b/.test(scan) || ofGrants.test(scan))
      .filter((scan) => !counts.test(scan))
      .map((scan) => [verb, scan, text]),
  );
  expect(wide).toEqual([]);
  const used = plans.flatMap(({ scans }) => scans).join("\n");
  for (const index of ["grants_active", "grants_active_of_member", "grants_by_end", "grants_alarming_by_time"])
    expect(used).toContain(`INDEX ${index} `);
  await rm(directory, { recursive: true });
});
