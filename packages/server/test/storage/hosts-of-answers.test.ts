/** The migration that notes where a company's members answered, on rows from before it. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../test/support/postgres-database.ts";
import { sql } from "../../src/storage/define-verbs.ts";
import { hostsOfAnswers } from "../../src/storage/migrations/0058-hosts-of-answers.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import type { BatchStep, SchemaHost } from "../../src/storage/migrations/migration.ts";
import { openPostgres } from "../../src/storage/postgres/engine.ts";
import { openSqlite } from "../../src/storage/sqlite/engine.ts";
import { NOW } from "./support/record-builders.ts";

type Engine = SchemaHost & { close(): Promise<void> };

let directory: string;
let database: TestDatabase | undefined;
let engine: Engine;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-hosts-"));
});
afterEach(async () => {
  await engine.close();
  await database?.drop();
  database = undefined;
  await rm(directory, { recursive: true });
});

const backends: readonly (readonly [string, () => Promise<Engine>])[] = [
  ["SQLite", () => openSqlite({ path: join(directory, "assent.db"), writer: "main", readonly: false })],
  [
    "PostgreSQL",
    async () => {
      database = await aPostgresDatabase("migrated");
      return openPostgres({ url: database.url, readonly: false });
    },
  ],
];

describe.each(backends)("%s", (_, open) => {
  test("answers from before hosts were recorded → the hosts of the company's consent; a newer answer keeps its own", async () => {
    engine = await open();
    await migrate(engine, NOW);
    const scopes = [
      { name: "read", expiresAt: null, hosts: ["https://a.test"] },
      { name: "write", expiresAt: 7 },
    ];
    const own = [{ name: "read", hosts: ["https://b.test"] }];
    const batch = (hostsOfAnswers.statements.find((step) => "kind" in step && step.kind === "batches") as BatchStep)
      .batch;
    await engine.exclusively(async (tx) => {
      await tx.run(
        sql`INSERT INTO consents (partition, owner_id, client_id, status, granted_by, via, scopes, created_at, updated_at, uses, shown)
          VALUES (3, 'acme', 'app', 'active', 'x', 'browser', :scopes, 7, 7, 1, '{}')`,
        { scopes: JSON.stringify(scopes) },
      );
      const rows = [
        ["acme", "app", "ann", null],
        ["acme", "app", "bob", JSON.stringify(own)],
        ["acme", "other", "ann", null],
      ] as const;
      for (const [companyId, clientId, personId, hosts] of rows) {
        await tx.run(
          sql`INSERT INTO company_choices (partition, company_id, client_id, person_id, since, declined, hosts)
            VALUES (3, :companyId, :clientId, :personId, 7, '[]', :hosts)`,
          { companyId, clientId, personId, hosts },
        );
      }
    });
    for (let after: string | null = null, first = true; first || after !== null; first = false) {
      ({ after } = await engine.exclusively((tx) => batch(tx, after, 1)));
    }
    const rows = await engine.reading((tx) =>
      tx.all(sql`SELECT client_id, person_id, hosts FROM company_choices ORDER BY client_id, person_id`, {}),
    );
    expect(rows.map((row) => [row["client_id"], row["person_id"], JSON.parse(String(row["hosts"]))])).toEqual([
      ["app", "ann", [{ name: "read", hosts: ["https://a.test"] }, { name: "write" }]],
      ["app", "bob", own],
      ["other", "ann", []],
    ]);
  });
});
