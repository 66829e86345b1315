/** `assent db …`: the database's schema and housekeeping. */

import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { type JsonOption, noun, verb, withAdmin } from "../command.ts";
import { Output } from "../output.ts";

export function register(program: Command): void {
  const db = noun(program, "db", "the database's schema and housekeeping");
  verb(db, "migrate", "bring the schema up to date (each start does so, too)").action(migrate);
  verb(db, "status", "show the schema's state; changes nothing").action(status);
  verb(db, "gc", "remove what guards nothing any more (servers do so every hour)").action(gc);
}

async function migrate(options: JsonOption) {
  const { loadConfig, migrateDatabase } = await import("@assent/server/admin");
  const applied = await migrateDatabase(await loadConfig(), Date.now());
  const text = applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}.`;
  new Output(options.json ?? false).done({ applied }, text);
}

async function status(options: JsonOption) {
  const { databaseStatus, loadConfig } = await import("@assent/server/admin");
  const { kind, path, exists, migrations } = await databaseStatus(await loadConfig());
  const size = exists && path !== null ? (await stat(path)).size : null;
  const record = {
    database: kind,
    path,
    exists,
    bytes: size,
    pending: migrations.filter(({ appliedAt }) => appliedAt === null).length,
    migrations: migrations.map(({ id, name, appliedAt }) => ({
      id,
      name,
      applied_at: appliedAt === null ? null : new Date(appliedAt).toISOString(),
    })),
  };
  new Output(options.json ?? false).record(record);
}

async function gc(options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    let removed = 0;
    for (;;) {
      const batch = await admin.storage.collectGarbage({ now: Date.now(), limit: 1000 });
      removed += batch;
      if (batch === 0) break;
    }
    out.done({ removed }, `Removed ${removed} row(s).`);
  });
}
