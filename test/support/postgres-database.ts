/** A separate database in the run's PostgreSQL. */

import { inject } from "vitest";
import type { Beginning, Kind } from "./postgres-setup.ts";

export interface TestDatabase {
  readonly url: string;
  /** Drops the database, even if clients are still connected. */
  drop(): Promise<void>;
}

/** True: a database with this program's schema is on the Citus cluster. */
export const onCitus = process.env["ASSENT_TEST_DATABASE"] === "citus";

/** `migrated`: with this program's schema. `sharded`: the same, with its owners' tables split by partition. */
export async function aPostgresDatabase(beginning: Beginning = "migrated"): Promise<TestDatabase> {
  return onCitus && beginning === "migrated" ? aCitusDatabase() : aDatabaseOf(beginning);
}

/** A database on the Citus cluster, with this program's schema and its owners' tables distributed. */
export function aCitusDatabase(): Promise<TestDatabase> {
  return aDatabaseOf("citus");
}

async function aDatabaseOf(kind: Kind): Promise<TestDatabase> {
  return aDatabaseAt(await ask(`create/${kind}`));
}

/** The database of an earlier call. */
export function aDatabaseAt(url: string): TestDatabase {
  const name = new URL(url).pathname.slice(1);
  return {
    url,
    async drop() {
      await ask(`drop/${name}`);
    },
  };
}

async function ask(what: string): Promise<string> {
  const response = await fetch(`${inject("postgresService")}/${what}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
