/** The real databases of the contract tests, each in its own place. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe } from "vitest";
import { aPostgresDatabase, onCitus } from "../../../../../test/support/postgres-database.ts";
import { inReliability } from "../../../../../test/support/reliability-cycles-and-figures.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import { openPostgres, type PostgresEngine } from "../../../src/storage/postgres/engine.ts";
import { openSqlite, type SqliteEngine } from "../../../src/storage/sqlite/engine.ts";
import { NOW } from "./record-builders.ts";

export interface Backend {
  readonly name: string;
  /** An empty, migrated database. `url` opens it again, also from another process. */
  create(): Promise<Opened>;
}

export interface Opened {
  readonly url: string;
  readonly storage: Storage;
  remove(): Promise<void>;
}

function sqliteFile(writer: "thread" | "main"): Backend {
  return {
    name: `SQLite file, writer on ${writer}`,
    async create() {
      const directory = await mkdtemp(join(tmpdir(), "assent-storage-"));
      const url = `sqlite:${join(directory, "assent.db")}`;
      const storage = await openStorage({ url, writer });
      await storage.migrate({ now: NOW });
      return {
        url,
        storage,
        async remove() {
          await storage.close();
          await rm(directory, { recursive: true });
        },
      };
    },
  };
}

function postgresDatabase(beginning: "migrated" | "sharded"): Backend {
  return {
    name: beginning === "sharded" ? "PostgreSQL, spread by partition" : onCitus ? "Citus" : "PostgreSQL",
    async create() {
      const database = await aPostgresDatabase(beginning);
      const storage = await openStorage({ url: database.url });
      return {
        url: database.url,
        storage,
        async remove() {
          await storage.close();
          await database.drop();
        },
      };
    },
  };
}

/**
 * The file with its writer on another thread, as in servers, and the usual PostgreSQL. Every run tests both. A run on
 * Citus tests nothing else.
 */
const plain: readonly Backend[] = [...(onCitus ? [] : [sqliteFile("thread")]), postgresDatabase("migrated")];

/**
 * The same statements from the main thread, and on partitioned tables. They differ only in which statements run at the
 * same time.
 */
export const allBackends: readonly Backend[] = [
  ...plain,
  ...(onCitus ? [] : [sqliteFile("main"), postgresDatabase("sharded")]),
];

/** All four in `npm run test:reliability`. */
export const backends: readonly Backend[] = inReliability ? allBackends : plain;

/**
 * A second connection to a backend's database. With it, a test calls one step of a verb, as if its process stopped
 * there.
 */
export async function engineAt(url: string): Promise<SqliteEngine | PostgresEngine> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  return path === undefined
    ? openPostgres({ url, readonly: false })
    : openSqlite({ path, writer: "main", readonly: false });
}

type Tests = (storage: () => Storage, opened: () => Opened) => void;

/** Runs the same tests on every database. The tests share the storage, so each creates its own people. */
export function onEveryBackend(title: string, tests: Tests): void {
  onEach(backends, title, tests);
}

/** The same for concurrent callers, on all four in every run. */
export function onAllBackends(title: string, tests: Tests): void {
  onEach(allBackends, title, tests);
}

function onEach(wanted: readonly Backend[], title: string, tests: Tests): void {
  describe.each(wanted)(`${title}: $name`, (backend) => {
    let opened: Opened | undefined;
    beforeAll(async () => {
      opened = await backend.create();
    });
    afterAll(async () => {
      await opened?.remove();
    });
    const current = () => {
      if (opened === undefined) throw new Error("the database was not opened");
      return opened;
    };
    tests(() => current().storage, current);
  });
}
