/** Fills a database from the file of an export, then compares the two. */

import type { Millis } from "../../oauth/model.ts";
import { dropState, readState, STATES, type StoredEpoch, writeState } from "../database-state.ts";
import { listed, named, type Params, placed, type Sql, sql, type Tx, type Value, words } from "../define-verbs.ts";
import { type Ended, endAllAtOnce } from "../end-all-after-restore.ts";
import { migrationStatus } from "../migrations/migrate.ts";
import type { SchemaHost } from "../migrations/migration.ts";
import { SEEDED, TABLES, type Table } from "../tables.ts";
import { Digest, rowLine, type TableBegin, valuesOf } from "./export-format.ts";
import { type Contents, contentsOf, linesOf, NotAnExport, parsed } from "./read-export-file.ts";
import { columnsOf, pagesOf } from "./table-pages.ts";

export interface Imported {
  readonly rows: Readonly<Record<string, number>>;
  /** True: an earlier import of the same file was interrupted, and this one wrote the rest. */
  readonly resumed: boolean;
  /** True: the database already held exactly the data of the file, so nothing was written. */
  readonly unchanged: boolean;
}

/** The database is not empty, or its content differs from the file. The message says how. */
export class ImportRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ImportRefused";
  }
}

/**
 * What the database holds before an import. `ready`: nothing, the same data as the file, or the beginning of an import
 * of this file, which can continue. `unfinished`: the beginning of an import of another file. `filled`: other data.
 */
export type BeforeImport = "ready" | "unfinished" | "filled";

/** The position of an import, stored in the transaction of the rows before it. */
interface Progress {
  readonly sha256: string;
  readonly offset: number;
  readonly table: string | null;
  readonly columns: readonly string[];
}

/** Number of rows in one transaction. */
const BATCH = 1000;
/** Number of rows in one statement. */
const TOGETHER = 25;

/**
 * Reads the whole file first. Then writes it in transactions of 1,000 rows, each with the position in the file. Then
 * reads the database and compares every table by count and digest. No server starts on the database before this is
 * done. If the process is killed at any point, the same call continues. The schema must exist. Throws `NotAnExport`,
 * `ImportRefused`.
 */
export async function importDatabase(host: SchemaHost, file: string): Promise<Imported> {
  const contents = await contentsOf(file);
  refuseOtherSchema(await appliedTo(host), contents);
  const rows = countsOf(contents);
  if (await alreadyDone(host, contents)) return { rows, resumed: false, unchanged: true };
  const { progress, resumed } = await begin(host, contents);
  await copyRows(file, progress, (insert, reached) =>
    host.exclusively(async (tx) => {
      await insert(tx);
      await writeState(tx, STATES.importing, reached);
    }),
  );
  await host.reading((tx) => compare(tx, contents));
  await host.exclusively(async (tx) => {
    if (contents.header.epoch !== null) await writeState(tx, STATES.epoch, contents.header.epoch);
    await dropState(tx, STATES.importing);
  });
  return { rows, resumed, unchanged: false };
}

/** Reads the whole file and looks at the database, which may have an older schema. Throws `NotAnExport`. */
export async function beforeImport(host: SchemaHost, file: string): Promise<BeforeImport> {
  const contents = await contentsOf(file);
  const migrations = await migrationStatus(host);
  refuseOtherSchema(
    migrations.map(({ name }) => name),
    contents,
  );
  const migrated = migrations.every(({ appliedAt }) => appliedAt !== null);
  if (migrated && (await alreadyDone(host, contents))) return "ready";
  return host.reading(async (tx) => {
    if (await host.tableExists(tx, "database_state")) {
      const before = await readState<Progress>(tx, STATES.importing);
      if (before !== undefined) return before.sha256 === contents.sha256 ? "ready" : "unfinished";
    }
    return (await firstFilled(host, tx)) === undefined ? "ready" : "filled";
  });
}

export interface ReplaceOptions {
  readonly file: string;
  readonly now: Millis;
  /** Called with the database locked against writers, before its data is deleted. */
  readonly setAside?: () => Promise<void>;
}

/**
 * Replaces the data by that of the file, and ends every grant, session and consent in it, like a restore: the file
 * doesn't know what was revoked since the export. All of this is one transaction, so a process that is killed leaves the
 * old data. The schema must exist, and no server may run. Throws `NotAnExport`, `ImportRefused`.
 */
export async function replaceDatabase(
  host: SchemaHost,
  { file, now, setAside }: ReplaceOptions,
): Promise<Imported & { readonly ended: Ended }> {
  const contents = await contentsOf(file);
  refuseOtherSchema(await appliedTo(host), contents);
  const ended = await host.exclusively(async (tx) => {
    const before = await readState<StoredEpoch>(tx, STATES.epoch);
    await setAside?.();
    for (const { name } of TABLES) {
      const table = named(name);
      await tx.run(sql`${words.empty} ${table}`);
    }
    await copyRows(file, startOf(contents), (insert) => insert(tx));
    await compare(tx, contents);
    for (const mark of [STATES.importing, STATES.inspection]) await dropState(tx, mark);
    // A server that still runs on the old data compares the number of epochs, and stops.
    const count = Math.max(before?.count ?? 0, contents.header.epoch?.count ?? 0) + 1;
    return endAllAtOnce(tx, { at: now, count, next: null, keepConsents: false });
  });
  return { rows: countsOf(contents), resumed: false, unchanged: false, ended };
}

function countsOf({ tables }: Contents): Readonly<Record<string, number>> {
  return Object.fromEntries(tables.map(({ end, rows }) => [end, rows]));
}

async function appliedTo(host: SchemaHost): Promise<readonly string[]> {
  return (await migrationStatus(host)).filter(({ appliedAt }) => appliedAt !== null).map(({ name }) => name);
}

function refuseOtherSchema(migrations: readonly string[], { header }: Contents): void {
  const differing = [
    ...migrations.filter((name) => !header.migrations.includes(name)),
    ...header.migrations.filter((name) => !migrations.includes(name)),
  ];
  if (differing.length > 0) {
    throw new NotAnExport(
      `the file has another schema (${differing.join(", ")}): export and import with the same version of Assent, after assent db migrate --contract`,
    );
  }
}

function startOf({ sha256 }: Contents): Progress {
  return { sha256, offset: 0, table: null, columns: [] };
}

/** The first table that has rows. */
async function firstFilled(host: SchemaHost, tx: Tx): Promise<string | undefined> {
  for (const { name } of TABLES) {
    if (SEEDED.includes(name) || !(await host.tableExists(tx, name))) continue;
    const table = named(name);
    if ((await tx.one(sql`SELECT 1 AS found FROM ${table} LIMIT 1`)) !== undefined) return name;
  }
  return undefined;
}

function begin(host: SchemaHost, contents: Contents): Promise<{ progress: Progress; resumed: boolean }> {
  return host.exclusively(async (tx) => {
    const before = await readState<Progress>(tx, STATES.importing);
    if (before !== undefined) {
      if (before.sha256 === contents.sha256) return { progress: before, resumed: true };
      throw new ImportRefused(
        "an import of another file into this database was interrupted: import that file again to continue",
      );
    }
    const filled = await firstFilled(host, tx);
    if (filled !== undefined) throw new ImportRefused(`the database isn't empty (${filled} has rows)`);
    for (const name of SEEDED) {
      const table = named(name);
      await tx.run(sql`DELETE FROM ${table}`);
    }
    const progress = startOf(contents);
    await writeState(tx, STATES.importing, progress);
    return { progress, resumed: false };
  });
}

/** Reads the rows behind a position. `store` runs the inserts of up to 1,000 rows; the position is behind them. */
async function copyRows(
  file: string,
  from: Progress,
  store: (insert: (tx: Tx) => Promise<void>, reached: Progress) => Promise<void>,
): Promise<void> {
  let { table, columns, offset } = from;
  let rows: (readonly Value[])[] = [];
  const inserts = new Map<string, Sql>();
  const flush = async () => {
    const [target, batch] = [table, rows];
    await store(
      async (tx) => {
        if (target !== null) await insertAll(tx, target, columns, batch, inserts);
      },
      { ...from, offset, table, columns },
    );
    rows = [];
  };
  for await (const { text, next } of linesOf(file, from.offset)) {
    if (text.startsWith("[")) {
      rows.push(valuesOf(parsed(text) as readonly unknown[]));
      offset = next;
      if (rows.length === BATCH) await flush();
    } else {
      // All rows of a table are written before the next table begins.
      if (rows.length > 0) await flush();
      const line = parsed(text);
      if ("table" in line) ({ table, columns } = line satisfies TableBegin);
      offset = next;
    }
  }
}

async function insertAll(
  tx: Tx,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  inserts: Map<string, Sql>,
): Promise<void> {
  for (let at = 0; at < rows.length; ) {
    const count = rows.length - at >= TOGETHER ? TOGETHER : 1;
    const key = `${table} ${count}`;
    const insert = inserts.get(key) ?? insertOf(table, columns, count);
    inserts.set(key, insert);
    await tx.run(insert, paramsOf(rows.slice(at, at + count)));
    at += count;
  }
}

function insertOf(name: string, columns: readonly string[], count: number): Sql {
  if (TABLES.every((known) => known.name !== name)) throw new NotAnExport(`there is no table ${name}`);
  const table = named(name);
  const names = listed(columns.map(named));
  const values = listed(
    Array.from({ length: count }, (_, row) =>
      listed(
        columns.map((_column, at) => placed(`v${row}_${at}`)),
        { enclosed: true },
      ),
    ),
  );
  return sql`INSERT INTO ${table} (${names}) VALUES ${values}`;
}

function paramsOf(rows: readonly (readonly Value[])[]): Params {
  return Object.fromEntries(
    rows.flatMap((row, at) => row.map((value, column) => [`v${at}_${column}`, value] as const)),
  );
}

/** Compares the present database with the file. */
async function compare(tx: Tx, contents: Contents): Promise<void> {
  const differing = await firstDifference(tx, contents);
  if (differing === undefined) return;
  throw new ImportRefused(
    `${differing.table} differs from the file after the import (${differing.found} of ${differing.rows} rows): another process may have written to this database. Import the file into an empty database`,
  );
}

interface Difference {
  readonly table: string;
  readonly found: number;
  readonly rows: number;
}

async function firstDifference(tx: Tx, { tables }: Contents): Promise<Difference | undefined> {
  for (const { end, rows, digest } of tables) {
    const table = TABLES.find(({ name }) => name === end);
    if (table === undefined) throw new NotAnExport(`there is no table ${end}`);
    const found = await digestOf(tx, table);
    if (found.rows !== rows || found.hex !== digest) return { table: end, found: found.rows, rows };
  }
  return undefined;
}

/**
 * True: nothing is left to do, and the operator is told so. An earlier import wrote the data, or the file was made from
 * this database, and nothing has changed since.
 */
async function alreadyDone(host: SchemaHost, contents: Contents): Promise<boolean> {
  const { header, tables } = contents;
  if (tables.every(({ end, rows }) => rows === 0 || SEEDED.includes(end))) return false;
  return host.reading(async (tx) => {
    if ((await readState(tx, STATES.importing)) !== undefined) return false;
    const epoch = await readState(tx, STATES.epoch);
    if (JSON.stringify(epoch ?? null) !== JSON.stringify(header.epoch)) return false;
    return (await firstDifference(tx, contents)) === undefined;
  });
}

async function digestOf(tx: Tx, table: Table): Promise<Digest> {
  const digest = new Digest();
  for await (const page of pagesOf(tx, table)) {
    for (const row of page) digest.add(rowLine(row, columnsOf(row)));
  }
  return digest;
}
