/** Consents to one client, concurrent with each other and with a change of the client. */

import { Client as Connection } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../../../test/support/postgres-database.ts";
import { compile, type Params, type Row, type Sql, type Tx } from "../../../src/storage/define-verbs.ts";
import { postgres } from "../../../src/storage/dialect.ts";
import { approve } from "../../../src/storage/grants/grant-lifecycle.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import { removeClient, writeClient } from "../../../src/storage/operator/clients.ts";
import { aClient, aGrant, anApproval, aStoredPerson, NOW, statusOf } from "../support/record-builders.ts";
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
  const run = async (statement: Sql, params: Params = {}) => {
    const { text, names } = compile(statement, postgres);
    const values = names.map((name) => params[name]);
    const { rows, rowCount } = await other.query(
      text,
      values.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value)),
    );
    return { rows: rows as Row[], count: rowCount ?? 0 };
  };
  tx = sequentialTx(run);
});
afterAll(async () => {
  await other.end();
  await storage.close();
  await database.drop();
});

/**
 * Waits until another transaction waits for an advisory lock, or until the work has ended. Returns true if it waited.
 */
async function waits(work: Promise<unknown>): Promise<boolean> {
  let ended = false;
  void work.finally(() => {
    ended = true;
  });
  for (;;) {
    const { rows } = await other.query("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
    if (rows.length > 0) return true;
    if (ended) return false;
  }
}

const changes = [
  [
    "deleted",
    (client: ReturnType<typeof aClient>) => storage.clients.delete({ clientId: client.clientId, now: NOW + 1 }),
  ],
  [
    "disabled",
    (client: ReturnType<typeof aClient>) =>
      storage.clients.put({ client: { ...client, status: "disabled", updatedAt: NOW + 1 }, expect: null }),
  ],
] as const;

test.each(changes)(
  "a consent that is not committed, and the client is %s → the change waits and ends it",
  async (_, change) => {
    const client = aClient();
    await storage.clients.put({ client, expect: 0 });
    const person = await aStoredPerson(storage);
    const grant = aGrant(person, { clientId: client.clientId });
    await other.query("BEGIN");
    expect((await approve.body(tx, anApproval(grant))).kind).toBe("issued");
    const changed = change(client);
    expect(await waits(changed)).toBe(true);
    await other.query("COMMIT");
    await changed;
    expect((await statusOf(storage, grant))?.status).toBe("client_ended");
  },
);

test.each([
  ["deleted", (client: ReturnType<typeof aClient>) => removeClient.body(tx, { clientId: client.clientId, now: NOW })],
  [
    "disabled",
    (client: ReturnType<typeof aClient>) =>
      writeClient.body(tx, { client: { ...client, status: "disabled" }, expect: null }),
  ],
])("the client is %s, which is not committed → a consent waits, and gets nothing", async (_, change) => {
  const client = aClient();
  await storage.clients.put({ client, expect: 0 });
  const person = await aStoredPerson(storage);
  const grant = aGrant(person, { clientId: client.clientId });
  await other.query("BEGIN");
  await change(client);
  const approved = storage.grants.approve(anApproval(grant));
  expect(await waits(approved)).toBe(true);
  await other.query("COMMIT");
  expect(await approved).toEqual({ kind: "no_consent" });
  expect(await statusOf(storage, grant)).toBeUndefined();
});

test("a consent that is not committed → another one to the same client doesn't wait, and the client's row stays as it is", async () => {
  const client = aClient();
  await storage.clients.put({ client, expect: 0 });
  const [one, another] = [await aStoredPerson(storage), await aStoredPerson(storage)];
  const row = async () =>
    (await other.query("SELECT xmin, xmax, ctid FROM clients WHERE client_id = $1", [client.clientId])).rows;
  const before = await row();
  await other.query("BEGIN");
  await approve.body(tx, anApproval(aGrant(one, { clientId: client.clientId })));
  const approved = storage.grants.approve(anApproval(aGrant(another, { clientId: client.clientId })));
  expect(await waits(approved)).toBe(false);
  expect((await approved).kind).toBe("issued");
  await other.query("COMMIT");
  // A row lock would be visible in `xmax`.
  expect(await row()).toEqual(before);
});

test("64 consents to one client while it is deleted → none survives", async () => {
  const client = aClient();
  await storage.clients.put({ client, expect: 0 });
  const people = await Promise.all(Array.from({ length: 64 }, () => aStoredPerson(storage)));
  const grants = people.map((person) => aGrant(person, { clientId: client.clientId }));
  const all = grants.map((grant) => storage.grants.approve(anApproval(grant)));
  // On a busy machine, some may wait too long for a connection or a lock, and fail.
  const settled = Promise.allSettled(all);
  await Promise.allSettled([all[3]]);
  const remove = () => storage.clients.delete({ clientId: client.clientId, now: NOW + 1 });
  await remove().catch(remove);
  await settled;
  for (const grant of grants) {
    expect((await statusOf(storage, grant))?.status ?? "none").not.toBe("active");
    expect((await storage.consents.find(grant))?.status ?? "none").not.toBe("active");
  }
});
