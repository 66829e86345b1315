/**
 * Makes a million people and ten thousand clients: copies of one row with other names, ids and times. One transaction for
 * each would take longer than the measurement.
 */

import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { Client } from "pg";
import { newId } from "../../packages/server/src/crypto/ids.ts";
import type { Place } from "../prepare-database.ts";

const PART = 10_000;
const YEARS = 3 * 365 * 86_400_000;
/** Every so many people are disabled, and so many clients. */
const DISABLED = 100;
const OPERATORS = 20;

const FIRST = ["ada", "bela", "chen", "dina", "emil", "fatma", "grace", "hugo", "ines", "jan", "kaya", "lena", "maja"];
const LAST = ["adams", "berg", "costa", "diaz", "evans", "fuchs", "garcia", "hansen", "ito", "jones", "kim", "lopez"];

type Values = Readonly<Record<string, string | number>>;

/** The name of entry number `at`. They come in no order. */
function nameOf(at: number): string {
  const mixed = (at * 7919) % 1_000_003;
  return `${FIRST[mixed % FIRST.length]}.${LAST[mixed % LAST.length]}${mixed}`;
}

function person(at: number): Values {
  const partition = at % 1024;
  const username = nameOf(at);
  return {
    ...{ partition, person_id: newId(partition), username, email: `${username}@example.test` },
    created_at: Date.now() - Math.floor((((at * 7907) % 1_000_003) / 1_000_003) * YEARS),
    status: at % DISABLED === 0 ? "disabled" : "active",
    operator: at < OPERATORS ? '["read"]' : "[]",
  };
}

function client(at: number, like: object): Values {
  const name = `App ${nameOf(at)}`;
  const [clientId, createdAt] = [
    `c-${at.toString(16).padStart(16, "0")}`,
    Date.now() - ((at * 7907) % 10_007) * 60_000,
  ];
  const status = at % DISABLED === 0 ? "disabled" : "active";
  return {
    ...{ client_id: clientId, search_name: name.toLowerCase(), created_at: createdAt },
    record: JSON.stringify({ ...like, clientId, name, createdAt, status }),
  };
}

export interface Sizes {
  readonly people: number;
  readonly clients: number;
}

/** Copies the first person and the first client. The statistics of the database are up to date afterwards. */
export async function fillDirectory(place: Place, { people, clients }: Sizes): Promise<void> {
  const copier = place.databaseUrl === undefined ? inSqlite(place.dataDir) : await inPostgres(place.databaseUrl);
  try {
    const like = JSON.parse(await copier.record()) as object;
    await copier.copy("people", people, person);
    await copier.copy("clients", clients, (at) => client(at, like));
    await copier.analyze();
  } finally {
    await copier.close();
  }
}

interface DirectoryCopier {
  /** The record of one client. */
  record(): Promise<string>;
  copy(table: string, count: number, make: (at: number) => Values): Promise<void>;
  analyze(): Promise<void>;
  close(): Promise<void>;
}

/** `SELECT` list of all columns: the new values where there are some. */
function selected(columns: readonly string[], given: Readonly<Record<string, string>>): string {
  return columns.map((column) => given[column] ?? `o.${column}`).join(", ");
}

function inSqlite(dataDir: string): DirectoryCopier {
  const database = new DatabaseSync(join(dataDir, "assent.db"), { timeout: 10_000 });
  return {
    record: async () => String(database.prepare("SELECT record FROM clients LIMIT 1").get()?.["record"]),
    copy: async (table, count, make) => {
      const columns = database.prepare("SELECT name FROM pragma_table_info(?)").all(table);
      const names = columns.map(({ name }) => String(name));
      const changed = Object.keys(make(0));
      const given = Object.fromEntries(changed.map((name) => [name, `:${name}`]));
      const insert = database.prepare(
        `INSERT INTO ${table} (${names.join(", ")}) SELECT ${selected(names, given)} FROM (SELECT * FROM ${table} LIMIT 1) o`,
      );
      for (let from = 0; from < count; from += PART) {
        database.exec("BEGIN IMMEDIATE");
        for (let at = from; at < Math.min(from + PART, count); at += 1)
          insert.run(make(at) as Record<string, SQLInputValue>);
        database.exec("COMMIT");
      }
    },
    analyze: async () => database.exec("ANALYZE; PRAGMA wal_checkpoint(TRUNCATE)"),
    close: async () => database.close(),
  };
}

async function inPostgres(url: string): Promise<DirectoryCopier> {
  const connection = new Client({ connectionString: url });
  await connection.connect();
  return {
    record: async () => (await connection.query("SELECT record FROM clients LIMIT 1")).rows[0].record,
    copy: async (table, count, make) => {
      const { rows } = await connection.query(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1 AND table_schema = 'public'",
        [table],
      );
      const columns = rows.map(({ name }) => String(name));
      const example = Object.entries(make(0));
      const arrays = example.map(([, value], at) => `$${at + 1}::${typeof value === "number" ? "bigint" : "text"}[]`);
      const names = example.map(([name]) => name);
      const given = Object.fromEntries(names.map((name) => [name, `c.${name}`]));
      const insert = `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${selected(columns, given)}
        FROM unnest(${arrays.join(", ")}) AS c (${names.join(", ")}), (SELECT * FROM ${table} LIMIT 1) o`;
      for (let from = 0; from < count; from += PART) {
        const part = Array.from({ length: Math.min(PART, count - from) }, (_, at) => make(from + at));
        await connection.query(
          insert,
          names.map((name) => part.map((one) => one[name])),
        );
      }
    },
    analyze: async () => void (await connection.query("VACUUM ANALYZE")),
    close: () => connection.end(),
  };
}
