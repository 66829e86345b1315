/** Fills an empty database from the file of an export, then compares the two. */

import { dropState, readState, STATES, writeState } from "../database-state.ts";
import { listed, named, type Params, placed, type Sql, sql, type Tx, type Value } from "../define-verbs.ts";
import { migrationStatus } from "../migrations/migrate.ts";
import type { SchemaHost } from "../migrations/migration.ts";
import { SEEDED, TABLES, type Table } from "../tables.ts";
import { type Contents, contentsOf, linesOf, NotAnExport, parsed } from "./export-file.ts";
import { Digest, rowLine, type TableBegin, valuesOf } from "./export-format.ts";
import { columnsOf, pagesOf } from "./table-pages.ts";

export interface Imported {
  readonly rows: Readonly<Record<string, number>>;
  /** True: an earlier import of the same file was interrupted or had ended, and this one continued it. */
  readonly resumed: boolean;
}

/** The database is not empty, or its content differs from the file. The message says how. */
export class ImportRefused extends Error {
  /** The table that has rows already. Null: the import was refused for another reason. */
  readonly filled: string | null;

  constructor(message: string, filled: string | null = null) {
    super(message);
    this.name = "ImportRefused";
    this.filled = filled;
  }
}

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
  await refuseOtherSchema(host, contents);
  const imported = { rows: Object.fromEntries(contents.tables.map(({ end, rows }) => [end, rows])) };
  if (await alreadyDone(host, contents)) return { ...imported, resumed: true };
  const { progress, resumed } = await begin(host, contents);
  await copyRows(host, file, progress);
  await compare(host, contents);
  await host.exclusively(async (tx) => {
    if (contents.header.epoch !== null) await writeState(tx, STATES.epoch, contents.header.epoch);
    await dropState(tx, STATES.importing);
  });
  return { ...imported, resumed };
}

async function refuseOtherSchema(host: SchemaHost, { header }: Contents): Promise<void> {
  const applied = (await migrationStatus(host)).filter(({ appliedAt }) => appliedAt !== null).map(({ name }) => name);
  const differing = [
    ...applied.filter((name) => !header.migrations.includes(name)),
    ...header.migrations.filter((name) => !applied.includes(name)),
  ];
  if (differing.length > 0) {
    throw new NotAnExport(
      `the file is of another schema (${differing.join(", ")}): export and import with the same version of Assent, its migrations applied`,
    );
  }
}

function begin(host: SchemaHost, { sha256 }: Contents): Promise<{ progress: Progress; resumed: boolean }> {
  return host.exclusively(async (tx) => {
    const before = await readState<Progress>(tx, STATES.importing);
    if (before !== undefined) {
      if (before.sha256 === sha256) return { progress: before, resumed: true };
      throw new ImportRefused(
        "an import of another file into this database was interrupted: go on with that one, or begin with an empty database",
      );
    }
    for (const { name } of TABLES) {
      const table = named(name);
      if (SEEDED.includes(name)) continue;
      if ((await tx.one(sql`SELECT 1 AS found FROM ${table} LIMIT 1`)) !== undefined) {
        throw new ImportRefused(
          `the database isn't empty (${name} has rows): an import takes a database on which nothing has run yet`,
          name,
        );
      }
    }
    for (const name of SEEDED) {
      const table = named(name);
      await tx.run(sql`DELETE FROM ${table}`);
    }
    const progress: Progress = { sha256, offset: 0, table: null, columns: [] };
    await writeState(tx, STATES.importing, progress);
    return { progress, resumed: false };
  });
}

async function copyRows(host: SchemaHost, file: string, from: Progress): Promise<void> {
  let { table, columns, offset } = from;
  let rows: (readonly Value[])[] = [];
  const inserts = new Map<string, Sql>();
  const flush = async () => {
    const target = table;
    await host.exclusively(async (tx) => {
      if (target !== null) await insertAll(tx, target, columns, rows, inserts);
      await writeState(tx, STATES.importing, { ...from, offset, table, columns } satisfies Progress);
    });
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
async function compare(host: SchemaHost, contents: Contents): Promise<void> {
  const differing = await host.reading((tx) => firstDifference(tx, contents));
  if (differing === undefined) return;
  throw new ImportRefused(
    `${differing.table} differs from the file after the import (${differing.found} rows of ${differing.rows}): did anything else write to this database? Begin again with an empty one`,
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
 * The process of an import was killed after its last transaction. Nothing is left to do, and the operator who runs the
 * import again is told so.
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
