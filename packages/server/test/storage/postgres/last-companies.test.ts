/** The answer of a person for a company while their account is deleted, in two transactions at once. */

import { Client as Connection } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../../test/support/postgres-database.ts";
import { noteLastCompany } from "../../../src/storage/companies/remembered-company-choices.ts";
import { compile, type Params, type Row, type Sql, type Tx } from "../../../src/storage/define-verbs.ts";
import { postgres } from "../../../src/storage/dialect.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import { erasePerson } from "../../../src/storage/people/people.ts";
import { aStoredPerson, NOW } from "../support/record-builders.ts";
import { sequentialTx } from "../support/sequential-tx.ts";

let database: TestDatabase;
let storage: Storage;
/** A transaction of another process. The tests decide when it commits. */
let other: Connection;
let tx: Tx;

beforeAll(async () => {
  database = await aPostgresDatabase();
  storage = await openStorage({ url: database.url });
  other = new Connection({ connectionString: database.url });
  await other.connect();
  tx = sequentialTx(async (statement: Sql, params: Params = {}) => {
    const { text, names } = compile(statement, postgres);
    const values = names.map((name) => params[name]);
    const bytes = values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value));
    const { rows, rowCount } = await other.query(text, bytes);
    return { rows: rows as Row[], count: rowCount ?? 0 };
  });
});
afterAll(async () => {
  await other.end();
  await storage.close();
  await database.drop();
});

/** Waits until another transaction waits for this one, or until the work has ended. Returns true if it waited. */
async function waits(work: Promise<unknown>): Promise<boolean> {
  let ended = false;
  void work.finally(() => {
    ended = true;
  });
  for (;;) {
    const { rows } = await other.query("SELECT 1 FROM pg_locks WHERE NOT granted");
    if (rows.length > 0) return true;
    if (ended) return false;
  }
}

async function anAnswer() {
  const { partition, personId } = await aStoredPerson(storage);
  return { partition, personId, clientId: "client-1", companyId: "company-1", chosenAt: NOW };
}

test("a deletion that is not committed → the answer waits, and leaves no row", async () => {
  const answer = await anAnswer();
  await other.query("BEGIN");
  await erasePerson.body(tx, { ...answer, now: NOW });
  const noted = storage.lastCompanies.note(answer);
  expect(await waits(noted)).toBe(true);
  await other.query("COMMIT");
  await noted;
  expect(await storage.lastCompanies.list(answer)).toEqual(new Map());
});

test("an answer that is not committed → the deletion waits, and deletes it", async () => {
  const answer = await anAnswer();
  await other.query("BEGIN");
  await noteLastCompany.body(tx, answer);
  const deleted = storage.people.delete({ ...answer, now: NOW });
  expect(await waits(deleted)).toBe(true);
  await other.query("COMMIT");
  await deleted;
  expect(await storage.lastCompanies.list(answer)).toEqual(new Map());
});
