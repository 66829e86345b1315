import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { StorageUnavailable } from "../../src/storage/errors.ts";
import { migrate } from "../../src/storage/migrations/migrate.ts";
import { catalog, clients, keys as signingKeys } from "../../src/storage/operator/index.ts";
import { people, sessions } from "../../src/storage/people/index.ts";
import { openSqlite, type SqliteEngine } from "../../src/storage/sqlite/engine.ts";
import { type Runner, Writer } from "../../src/storage/sqlite/group-commit.ts";
import { backends } from "./support/backends.ts";
import { aKey, aLiveGrant, aPerson, aRefresh, aSession, MINUTE, NOW, statusOf } from "./support/record-builders.ts";

let directory: string;
let engine: SqliteEngine | undefined;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-commit-"));
});
afterEach(async () => {
  await engine?.close();
  engine = undefined;
  await rm(directory, { recursive: true });
});

async function opened(writer: "thread" | "main"): Promise<SqliteEngine> {
  engine = await openSqlite({ path: join(directory, "assent.db"), writer, readonly: false });
  await migrate(engine, NOW);
  return engine;
}

const { add: addKey, list: listKeys } = signingKeys;
const { create: createSession, list: listSessions } = sessions;
const { create: createPerson } = people;
const { put: putClient } = clients;
const { versions: catalogVersions } = catalog;
const keys = (count: number) => Array.from({ length: count }, (_, at) => ({ key: aKey({ serial: at + 1 }) }));
/** An invalid record: the verb throws inside the transaction. */
const broken = { key: { ...aKey({ serial: 999 }), serial: undefined } } as unknown as {
  readonly key: ReturnType<typeof aKey>;
};

describe.each(["thread", "main"] as const)("writer on %s", (where) => {
  test("100 verbs in one turn → few transactions, each verb answered", async () => {
    const { call, stats } = await opened(where).then((db) => ({ call: db.call, stats: () => db.stats() }));
    const added = await Promise.all(keys(100).map((args) => call(addKey, args)));
    expect(added).toEqual(Array.from({ length: 100 }, () => true));
    expect(stats()).toMatchObject({ verbs: 100, batches: 1 });
  });

  test("verbs that come while a group is under way → the next group", async () => {
    const { call, stats } = await opened(where).then((db) => ({ call: db.call, stats: () => db.stats() }));
    const waiting: Promise<boolean>[] = [];
    for (const args of keys(40)) {
      waiting.push(call(addKey, args));
      if (waiting.length % 10 === 0) await turn();
    }
    expect((await Promise.all(waiting)).every(Boolean)).toBe(true);
    expect(stats().batches).toBeLessThanOrEqual(5);
  });

  test("one verb fails → it alone is rejected, the others are committed", async () => {
    const { call } = await opened(where);
    const jobs = [...keys(10), broken, ...keys(20).slice(10)];
    const results = await Promise.allSettled(jobs.map((args) => call(addKey, args)));
    expect(results.map(({ status }) => status)).toEqual(
      jobs.map((args) => (args === broken ? "rejected" : "fulfilled")),
    );
    const failure = results[10];
    expect(failure?.status === "rejected" && failure.reason).not.toBeInstanceOf(StorageUnavailable);
    expect(await call(listKeys, undefined)).toHaveLength(20);
  });

  test("a transaction verb that fails half-way leaves nothing behind", async () => {
    const { call } = await opened(where);
    const person = aPerson();
    await call(createPerson, { person, now: NOW });
    const first = aSession(person);
    await call(createSession, first);
    const second = aSession(person, { replaces: first, userAgent: undefined as unknown as null });
    await expect(call(createSession, second)).rejects.toThrow(/userAgent/);
    const left = await call(listSessions, { ...person, now: NOW });
    expect(left.map(({ sessionId }) => sessionId)).toEqual([first.sessionId]);
  });

  test("what was acknowledged is read at once", async () => {
    const { call } = await opened(where);
    for (const args of keys(50)) {
      await call(addKey, args);
      expect(await call(listKeys, undefined)).toHaveLength(args.key.serial);
    }
  });

  test("closing answers what was asked before, and refuses what comes after", async () => {
    const database = await opened(where);
    const waiting = keys(30).map((args) => database.call(addKey, args));
    const several = database.call(createPerson, { person: aPerson(), now: NOW });
    const closing = database.close();
    expect((await Promise.all(waiting)).every(Boolean)).toBe(true);
    expect(await several).toEqual({ kind: "created" });
    await closing;
    await expect(database.call(addKey, { key: aKey() })).rejects.toThrow(StorageUnavailable);
    await expect(database.call(catalogVersions, undefined)).rejects.toThrow(StorageUnavailable);
    await database.close();
  });
});

test("the thread dies with verbs in flight → they are rejected as uncertain, and the next ones are served by a new thread", async () => {
  const database = await opened("thread");
  const thread = await database.thread();
  const waiting = keys(20).map((args) => database.call(addKey, args));
  await turn();
  await turn();
  await thread?.terminate();
  const results = await Promise.allSettled(waiting);
  for (const result of results) {
    if (result.status === "rejected")
      expect(result.reason).toMatchObject({ name: "StorageUnavailable", uncertain: true });
  }
  const acknowledged = results.filter(({ status }) => status === "fulfilled").length;
  const stored = (await database.call(listKeys, undefined)).length;
  expect([0, 20]).toContain(stored);
  expect(stored).toBeGreaterThanOrEqual(acknowledged);
  expect(await database.call(addKey, { key: aKey({ serial: 500 }) })).toBe(true);
  expect(database.stats().writerStarts).toBe(2);
});

test("the thread dies while idle → the next verb is served by a new one", async () => {
  const database = await opened("thread");
  await (await database.thread())?.terminate();
  expect(await database.call(addKey, { key: aKey() })).toBe(true);
});

test("a group is sorted by partition and grant, verbs without a place first", async () => {
  const groups: string[][] = [];
  const runner: Runner = {
    run: async (jobs) => {
      groups.push(jobs.map(({ verb }) => verb));
      return jobs.map(() => ({ ok: true, value: undefined }));
    },
    close: async () => undefined,
  };
  const writer = new Writer(runner);
  const places = [{ partition: 9, id: "a" }, { partition: 2, id: "b" }, undefined, { partition: 2, id: "a" }];
  await Promise.all(
    places.map((place) => writer.submit({ verb: place ? `${place.partition}${place.id}` : "none", input: {} }, place)),
  );
  expect(groups).toEqual([["none", "2a", "2b", "9a"]]);
});

test.each([
  ["each of ten turns brings a verb → they go together", 10, [10]],
  ["turns bring verbs without an end → nobody waits for more than sixteen of them", 40, [17, 17, 6]],
])("%s", async (_, turns, sizes) => {
  const groups: number[] = [];
  const runner: Runner = {
    run: async (jobs) => {
      groups.push(jobs.length);
      return jobs.map(() => ({ ok: true, value: undefined }));
    },
    close: async () => undefined,
  };
  const writer = new Writer(runner);
  const waiting: Promise<unknown>[] = [];
  for (let at = 0; at < turns; at += 1) {
    waiting.push(writer.submit({ verb: "x", input: {} }, undefined));
    await turn();
  }
  await Promise.all(waiting);
  expect(groups).toEqual(sizes);
});

test("more than 20,000 verbs waiting → the rest is refused at once", async () => {
  const runner: Runner = {
    run: async (jobs) => jobs.map(() => ({ ok: true, value: undefined })),
    close: async () => undefined,
  };
  const writer = new Writer(runner);
  const results = await Promise.allSettled(
    Array.from({ length: 20_005 }, () => writer.submit({ verb: "x", input: {} }, undefined)),
  );
  const refused = results.filter((result) => result.status === "rejected");
  expect(refused).toHaveLength(5);
  expect(refused[0]?.status === "rejected" && refused[0].reason).toBeInstanceOf(StorageUnavailable);
});

test("a kept token's refresh writes nothing while its last use is fresh", async () => {
  const { storage, remove } = await (backends[0]?.create() ?? Promise.reject(new Error("no backend")));
  const { grant } = await aLiveGrant(storage);
  const before = storage.stats().verbs;
  for (let at = 0; at < 10; at += 1) {
    expect((await storage.grants.refresh(aRefresh(grant, { rotate: false }))).kind).toBe("kept");
  }
  expect(storage.stats().verbs).toBe(before);
  expect((await storage.grants.refresh(aRefresh(grant, { rotate: false, now: NOW + 10 * MINUTE }))).kind).toBe("kept");
  expect(storage.stats().verbs).toBe(before + 1);
  expect(await statusOf(storage, grant)).toMatchObject({ lastUsedAt: NOW + 10 * MINUTE });
  await remove();
});

test("a session's use writes nothing while it was seen lately", async () => {
  const { storage, remove } = await (backends[0]?.create() ?? Promise.reject(new Error("no backend")));
  const person = aPerson();
  await storage.people.create({ person, now: NOW });
  const session = aSession(person);
  await storage.sessions.create(session);
  const before = storage.stats().verbs;
  for (let at = 0; at < 10; at += 1) expect(await storage.sessions.use({ ...session, now: NOW + at })).toBeDefined();
  expect(storage.stats().verbs).toBe(before);
  await remove();
});

test("bytes cut from a larger buffer reach the thread as they are", async () => {
  const database = await opened("thread");
  const pool = Buffer.alloc(65_536, 7);
  const sealedPrivate = pool.subarray(100, 103);
  await database.call(addKey, { key: aKey({ sealedPrivate }) });
  expect((await database.call(listKeys, undefined))[0]?.sealedPrivate).toEqual(new Uint8Array([7, 7, 7]));
  expect(
    await database.call(putClient, { client: { clientId: "x", name: "X", createdAt: 0 } as never, expect: 0 }),
  ).toMatchObject({
    kind: "stored",
  });
});
