/** `assent db …`: the database's schema and housekeeping. */

import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { type JsonOption, noun, verb, withAdmin } from "../command.ts";
import { Output } from "../output.ts";

export function register(program: Command): void {
  const db = noun(program, "db", "the database's schema and housekeeping");
  verb(db, "migrate", "bring the schema up to date while servers run; a start does so by itself where little is to do")
    .option("--plan", "only show what would be done: rows, locks, time")
    .option("--contract", "also take away what the version before still uses: when none of its servers runs any more")
    .action(migrate);
  verb(db, "status", "show the schema's state; changes nothing").action(status);
  verb(db, "gc", "remove what guards nothing any more (servers do so every hour)").action(gc);
}

interface MigrateOptions extends JsonOption {
  readonly plan?: true;
  readonly contract?: true;
}

async function migrate(options: MigrateOptions) {
  const { databaseStatus, loadConfig, migrateDatabase } = await import("@assent/server/admin");
  const config = await loadConfig();
  const out = new Output(options.json ?? false);
  if (options.plan) return plan(out);
  const applied = await migrateDatabase(config, Date.now(), options.contract ? "contract" : "expand");
  const { migrations } = await databaseStatus(config);
  const waiting = migrations.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name);
  const text = applied.length === 0 ? "Nothing was to be done." : `Applied: ${applied.join(", ")}.`;
  out.done({ applied, waiting }, text);
  if (waiting.length > 0) {
    out.note(
      `Waiting: ${waiting.join(", ")}. When no server of the version before runs any more: assent db migrate --contract.`,
    );
  }
}

async function plan(out: Output) {
  const { loadConfig, migrationPlan } = await import("@assent/server/admin");
  const steps = await migrationPlan(await loadConfig());
  out.list(
    steps.map(({ eachRow, estimateMs, ...step }) => ({ ...step, each_row: eachRow, estimate_ms: estimateMs })),
    [
      { field: "name", title: "migration", show: (value, { migration }) => `${migration} ${value}` },
      { field: "phase" },
      { field: "does", show: (value) => String(value).slice(0, 60) },
      { field: "rows", show: (value, { table }) => `${table} ${value}` },
      { field: "locks" },
      { field: "estimate_ms", title: "estimate", show: (value) => `${Number(value) / 1000} s` },
      { field: "online" },
    ],
    "Nothing is to be done, or there is no database yet.",
  );
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
    migrations: migrations.map(({ id, name, phase, appliedAt, known }) => ({
      id,
      name,
      phase,
      known,
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
