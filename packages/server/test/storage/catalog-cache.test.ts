import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type CachedCatalog, openCatalog } from "../../src/storage/cached-catalog.ts";
import { StorageUnavailable } from "../../src/storage/errors.ts";
import { openStorage, type Storage } from "../../src/storage/open.ts";
import {
  aClient,
  aKey,
  anId,
  aResource,
  aScope,
  aSignInProvider,
  aStoredPerson,
  NOW,
} from "./support/record-builders.ts";

let directory: string;
/** This process's storage. The test counts its queries. */
let storage: Storage;
/** The storage of another process. */
let elsewhere: Storage;
let catalog: CachedCatalog;
let now: number;
const asked: Record<string, number> = {};

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "assent-catalog-"));
  const url = `sqlite:${join(directory, "assent.db")}`;
  storage = await openStorage({ url, writer: "main" });
  elsewhere = await openStorage({ url, writer: "main" });
  await storage.migrate({ now: NOW });
  now = NOW;
  for (const key of Object.keys(asked)) delete asked[key];
  catalog = openCatalog(counting(storage), { now: () => now });
});
afterEach(async () => {
  await storage.close();
  await elsewhere.close();
  await rm(directory, { recursive: true });
});

function counting(of: Storage): Storage {
  const countingUnder = <T extends object>(path: string, part: T): T =>
    new Proxy(part, {
      get(target, name) {
        const member: unknown = Reflect.get(target, name);
        if (typeof member === "object" && member !== null) return countingUnder(`${String(name)}.`, member);
        if (typeof member !== "function") return member;
        return (args: unknown) => {
          const called = `${path}${String(name)}`;
          asked[called] = (asked[called] ?? 0) + 1;
          return member(args);
        };
      },
    });
  return countingUnder("", of);
}

test("unknown → undefined, asked once; created elsewhere → there within 500 ms", async () => {
  for (const _ of [1, 2, 3]) expect(await catalog.client("c")).toBeUndefined();
  expect(asked["clients.get"]).toBe(1);
  const client = aClient({ clientId: "c" });
  await elsewhere.clients.put({ client, expect: 0 });
  now += 499;
  expect(await catalog.client("c")).toBeUndefined();
  now += 1;
  expect(await catalog.client("c")).toEqual(client);
});

test("changed and deleted elsewhere → seen within 500 ms, and only the changed client is read again", async () => {
  const [one, two] = [aClient({ clientId: "one" }), aClient({ clientId: "two" })];
  for (const client of [one, two]) await elsewhere.clients.put({ client, expect: 0 });
  await Promise.all([catalog.client("one"), catalog.client("two")]);
  expect(asked["clients.get"]).toBe(2);
  await elsewhere.clients.put({ client: { ...one, status: "disabled" }, expect: null });
  now += 500;
  expect((await catalog.client("one"))?.status).toBe("disabled");
  expect(await catalog.client("two")).toEqual(two);
  expect(asked["clients.get"]).toBe(3);
  await elsewhere.clients.delete({ clientId: "two", now: NOW });
  now += 500;
  expect(await catalog.client("two")).toBeUndefined();
});

test("changed in this process and invalidated → seen at once", async () => {
  const client = aClient({ clientId: "c" });
  await storage.clients.put({ client, expect: 0 });
  await catalog.client("c");
  await storage.clients.put({ client: { ...client, name: "New" }, expect: null });
  expect((await catalog.client("c"))?.name).toBe(client.name);
  catalog.invalidate();
  expect((await catalog.client("c"))?.name).toBe("New");
});

test.each([
  ["before", 0],
  ["after", 1],
])(
  "changed in this process and invalidated while a comparison is under way, which ends %s the next → seen at once",
  async (_, order) => {
    const client = aClient({ clientId: "c" });
    await storage.clients.put({ client, expect: 0 });
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    let holds = false;
    const slow: Storage = {
      ...storage,
      catalog: {
        ...storage.catalog,
        versions: async () => {
          const holding = holds;
          holds = false;
          const answer = await storage.catalog.versions();
          if (holding) await held;
          return answer;
        },
      },
    };
    catalog = openCatalog(slow, { now: () => now });
    await catalog.client("c");
    now += 600;
    holds = true;
    const asked = Promise.resolve(catalog.client("c"));
    await storage.clients.put({ client: { ...client, status: "disabled" }, expect: null });
    catalog.invalidate();
    if (order === 1) expect((await catalog.client("c"))?.status).toBe("disabled");
    release();
    await asked;
    expect((await catalog.client("c"))?.status).toBe("disabled");
    expect((await catalog.client("c"))?.status).toBe("disabled");
  },
);

test("asked much within 500 ms → one comparison, one read; idle → none", async () => {
  await storage.clients.put({ client: aClient({ clientId: "c" }), expect: 0 });
  await Promise.all(Array.from({ length: 100 }, () => catalog.client("c")));
  await Promise.all(Array.from({ length: 100 }, () => catalog.scopes()));
  expect(asked).toEqual({
    "catalog.versions": 1,
    "membershipOutbox.undelivered": 1,
    "clients.get": 1,
    "scopes.list": 1,
  });
  now += 10_000;
  expect(asked["catalog.versions"]).toBe(1);
  await Promise.all(Array.from({ length: 100 }, () => catalog.client("c")));
  expect(asked).toEqual({
    "catalog.versions": 2,
    "membershipOutbox.undelivered": 2,
    "clients.get": 1,
    "scopes.list": 1,
  });
});

test("the clock is set back → compared again", async () => {
  await catalog.client("c");
  now -= 3_600_000;
  await elsewhere.clients.put({ client: aClient({ clientId: "c" }), expect: 0 });
  expect(await catalog.client("c")).toBeDefined();
});

test("scopes, resources, keys changed elsewhere → seen, each kind read alone", async () => {
  expect((await catalog.scopes()).size + (await catalog.resources()).size).toBe(0);
  await elsewhere.resources.put({ resource: aResource(), create: true });
  now += 500;
  expect([...(await catalog.resources()).keys()]).toEqual(["https://api.example"]);
  expect((await catalog.scopes()).size).toBe(0);
  expect(asked).toMatchObject({ "resources.list": 2, "scopes.list": 1 });
  await elsewhere.scopes.put({ scope: aScope(), create: true });
  await elsewhere.keys.add({ key: aKey() });
  expect(await catalog.keysVersion()).toBe(0);
  now += 500;
  expect(await catalog.keysVersion()).toBe(1);
  expect([...(await catalog.scopes()).keys()]).toEqual(["read"]);
  expect(await catalog.scopesReducedAt()).toBeNull();
  await elsewhere.scopes.delete({ name: "read", now: NOW + 7 });
  now += 500;
  expect(await catalog.scopesReducedAt()).toBe(NOW + 7);
  expect((await catalog.scopes()).size).toBe(0);
});

test("1,001 changes at once → everything is forgotten, and all is right", async () => {
  const client = aClient({ clientId: "c" });
  await elsewhere.clients.put({ client, expect: 0 });
  await catalog.client("c");
  await Promise.all(
    Array.from({ length: 1001 }, (_, at) =>
      elsewhere.clients.put({ client: { ...client, name: `${at}` }, expect: null }),
    ),
  );
  now += 500;
  expect((await catalog.client("c"))?.name).toBe("1000");
  expect(asked["clients.changedSince"]).toBeUndefined();
});

test("10,000 unknown ids → the clients that were held still are", async () => {
  await storage.clients.put({ client: aClient({ clientId: "c" }), expect: 0 });
  await catalog.client("c");
  for (let at = 0; at < 10_000; at += 1) await catalog.client(`unknown-${at}`);
  const before = asked["clients.get"];
  await catalog.client("c");
  expect(asked["clients.get"]).toBe(before);
});

test("the database is away → rejected, nothing stale is answered", async () => {
  await storage.clients.put({ client: aClient({ clientId: "c" }), expect: 0 });
  await catalog.client("c");
  await storage.close();
  expect(await catalog.client("c")).toBeDefined();
  now += 500;
  await expect(catalog.client("c")).rejects.toThrow(StorageUnavailable);
  await expect(catalog.scopes()).rejects.toThrow(StorageUnavailable);
});

test("a provider created, changed and deleted elsewhere → seen within 500 ms; read once for each change", async () => {
  expect(await catalog.providers()).toEqual(new Map());
  const provider = aSignInProvider({ status: "disabled" });
  await elsewhere.signInProviders.put({ provider, create: true, most: 50 });
  now += 500;
  for (const _ of [1, 2]) expect(await catalog.providers()).toEqual(new Map([[provider.id, provider]]));
  expect(asked["signInProviders.list"]).toBe(2);
  await elsewhere.signInProviders.put({ provider: { ...provider, status: "active" }, create: false, most: 50 });
  now += 500;
  expect((await catalog.providers()).get(provider.id)?.status).toBe("active");
  await elsewhere.signInProviders.delete({ id: provider.id, now: NOW });
  now += 500;
  expect(await catalog.providers()).toEqual(new Map());
  now += 500;
  await catalog.providers();
  expect(asked["signInProviders.list"]).toBe(4);
});

test("the list of suspended people can't be read, as while a worker of a cluster is away → each person is looked up; another error → told", async () => {
  const person = await aStoredPerson(storage);
  let error: Error = new StorageUnavailable("a worker is away");
  const undelivered = () => Promise.reject(error);
  catalog = openCatalog(
    { ...storage, membershipOutbox: { ...storage.membershipOutbox, undelivered } },
    { now: () => now },
  );
  expect(await catalog.someSuspended()).toBe(true);
  expect(await catalog.isSuspended(person.personId)).toBe(false);
  expect(await catalog.isSuspended(anId())).toBe(true);
  error = new TypeError("a bug");
  now += 500;
  await expect(catalog.isSuspended(person.personId)).rejects.toBe(error);
});
