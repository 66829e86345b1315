/** `assent db …`: the database's schema and housekeeping. */

import { stat } from "node:fs/promises";
import type { Command } from "commander";
import { Failure, UsageError } from "../command-errors.ts";
import { confirm, confirmOnTerminal, counted, type YesOption, yesOption } from "../confirm.ts";
import { Output } from "../print-records.ts";
import { endingText, holding, noteEnded, replacedText } from "../replaced-data-texts.ts";
import { type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";

const KEEP_CONSENTS = "keep consents and companies' approvals; use this only if nobody revoked one since the backup";

export function register(program: Command): void {
  const db = noun(program, "db", "the database: schema, housekeeping, backup");
  verb(db, "migrate", "migrate the schema while servers run; a starting server does this itself if few rows change")
    .option("--plan", "only show the steps with their rows, locks and time")
    .option("--contract", "also remove what only the previous version uses; stop its servers first")
    .option("--force", "with --contract: don't check whether servers of the previous version run")
    .action(migrate);
  verb(db, "status", "show the state of the schema; changes nothing").action(status);
  verb(db, "backup <file>", "copy the database to a new file, and check the copy; servers may run").action(backup);
  verb(
    db,
    "restore <file>",
    "replace the database with a backup; all grants, sessions, consents and companies' approvals end, so that revoked access does not return",
  )
    .option("--keep-consents", KEEP_CONSENTS)
    .option("--for-inspection", "restore only to inspect the data: nothing ends, and no server starts on it")
    .addOption(yesOption())
    .action(restore);
  verb(
    db,
    "epoch",
    "end all grants, sessions, consents and companies' approvals after other tools restored the database; stop all servers first",
  )
    .option("--keep-consents", KEEP_CONSENTS)
    .option("--force", "don't check whether servers use the database")
    .addOption(yesOption("on a terminal, don't ask for confirmation"))
    .action(epoch);
  verb(db, "gc", "delete rows that are no longer needed (servers do this every minute)")
    .option("--dry-run", "only count the rows to delete")
    .action(gc);
}

interface MigrateOptions extends JsonOption {
  readonly plan?: true;
  readonly contract?: true;
  readonly force?: true;
}

async function migrate(options: MigrateOptions) {
  const { databaseStatus, loadConfig, migrateDatabase } = await import("@assent/server/admin");
  const config = await loadConfig();
  const out = new Output(options.json ?? false);
  if (options.plan) return plan(out);
  const applied = await migrateDatabase(config, Date.now(), options.contract ? "contract" : "expand", {
    force: options.force ?? false,
    waits: (text) => out.note(text),
  });
  const { migrations } = await databaseStatus(config);
  const waiting = migrations.filter(({ appliedAt }) => appliedAt === null).map(({ name }) => name);
  const text = applied.length === 0 ? "The schema is up to date." : `Applied: ${applied.join(", ")}.`;
  out.done({ applied, waiting }, text);
  if (waiting.length > 0) {
    out.note(
      `Waiting: ${waiting.join(", ")}. Stop all servers of the previous version, then run assent db migrate --contract.`,
    );
  }
}

async function plan(out: Output) {
  const { databaseStatus, loadConfig, migrationPlan } = await import("@assent/server/admin");
  const config = await loadConfig();
  const steps = await migrationPlan(config);
  const { exists, path } = await databaseStatus(config);
  const none = exists
    ? "The schema is up to date."
    : `There is no database at ${path} yet: assent db migrate creates it.`;
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
    none,
  );
}

async function status(options: JsonOption) {
  const { databaseStatus, loadConfig, missingDatabase } = await import("@assent/server/admin");
  const config = await loadConfig();
  const { kind, path, exists, migrations, state, servers } = await databaseStatus(config);
  const size = exists && path !== null ? (await stat(path)).size : null;
  const record = {
    database: kind,
    path,
    exists,
    bytes: size,
    importing: state?.importing ?? false,
    for_inspection: state?.inspection ?? false,
    restored_at: state?.epoch ? new Date(state.epoch.at).toISOString() : null,
    servers: servers.map(({ host, pid, schema, since }) => ({
      ...{ host, pid, newest_migration: schema, since: new Date(since).toISOString() },
    })),
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
  if (!exists) throw new Failure(missingDatabase(config));
}

async function backup(file: string, options: JsonOption) {
  const { backupDatabase, loadConfig } = await import("@assent/server/admin");
  const made = await backupDatabase(await loadConfig(), file);
  new Output(options.json ?? false).done(
    { ...made },
    `Backed up to ${made.file} (${made.bytes} bytes). The backup doesn't contain the secret. Back up the secret in another place.`,
  );
}

interface RestoreOptions extends JsonOption, YesOption {
  readonly keepConsents?: true;
  readonly forInspection?: true;
}

async function restore(file: string, options: RestoreOptions) {
  if (options.keepConsents && options.forInspection) {
    throw new UsageError("use either --keep-consents or --for-inspection, because an inspection ends no consents");
  }
  const { inventoryOf, inventoryOfBackup, loadConfig, refuseRestore, restoreDatabase } = await import(
    "@assent/server/admin"
  );
  const config = await loadConfig();
  const choice = { keepConsents: options.keepConsents ?? false, forInspection: options.forInspection ?? false };
  const { database: path, source } = refuseRestore(config, file, choice);
  const now = choice.forInspection ? null : await inventoryOf(config);
  if (!choice.forInspection) {
    const then = await inventoryOfBackup(source);
    const what =
      now === null
        ? `There is no database at ${path}. This restores ${source} (${holding(then)}) there.`
        : `${source} (${holding(then)}) replaces the database at ${path} (${holding(now.holds)}). ${replacedText("backup", { present: now.holds, inSource: then, keepsCopy: true })}`;
    await confirm(
      `${what} People, companies and clients that were deleted since the backup come back. ${endingText(choice)}`,
      options,
    );
  }
  const { database, replaced, ended } = await restoreDatabase(config, file, choice, Date.now());
  const out = new Output(options.json ?? false);
  out.done({ database, replaced, ended }, `Restored ${database}.`);
  if (replaced !== null) out.note(`The previous database is in ${replaced}.`);
  if (ended === null) out.note("This copy is only for inspection. Servers refuse to start on it.");
  else {
    const kept = choice.keepConsents ? (await inventoryOf(config))?.holds : null;
    noteEnded(out, ended, { source: "backup", keepConsents: choice.keepConsents, kept, replaced: now?.holds });
  }
}

interface EpochOptions extends JsonOption, YesOption {
  readonly keepConsents?: true;
  readonly force?: true;
}

async function epoch(options: EpochOptions) {
  const { beginEpoch, inventoryOf, loadConfig } = await import("@assent/server/admin");
  const config = await loadConfig();
  const out = new Output(options.json ?? false);
  const keepConsents = options.keepConsents ?? false;
  const now = await inventoryOf(config);
  if (now !== null) {
    const what = `This changes the data in the database at ${now.place} (${holding(now.holds)}).`;
    await confirmOnTerminal(`${what} ${endingText({ keepConsents })} You can't undo this.`, options);
  }
  const ended = await beginEpoch(config, {
    keepConsents,
    force: options.force ?? false,
    waits: (text) => out.note(text),
  });
  out.done({ ended }, "All earlier grants and sessions have ended.");
  // No consent has ended then.
  const kept = keepConsents ? now?.holds : null;
  noteEnded(out, ended, { source: "backup", keepConsents, kept });
}

/** Maximum number of rows that `--dry-run` counts for each kind. */
const COUNTED = 1_000_000;

async function gc(options: JsonOption & { readonly dryRun?: true }) {
  await withAdmin(options, async (admin, out) => {
    if (options.dryRun) {
      const due = await admin.storage.housekeeping.backlog({ now: admin.now(), most: COUNTED });
      out.record(due);
      out.note(`These rows are due for a check, counted up to ${COUNTED} of each type. Active grants among them stay.`);
      return;
    }
    let removed = 0;
    for (;;) {
      const batch = await admin.storage.housekeeping.collectGarbage({ now: admin.now(), limit: 1000 });
      removed += batch;
      if (batch === 0) break;
    }
    out.done({ removed }, `Deleted ${counted(removed, "row")}.`);
  });
}
