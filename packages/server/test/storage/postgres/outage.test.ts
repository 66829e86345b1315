import { Client } from "pg";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Cluster, startCluster } from "../../../../../test/support/postgres-server.ts";
import { startTcpProxy, type TcpProxy } from "../../../../../test/support/tcp-proxy.ts";
import { byTheClock } from "../../../../../test/support/timing-test-retries.ts";
import { StorageUnavailable } from "../../../src/storage/errors.ts";
import { openStorage, type Storage } from "../../../src/storage/open.ts";
import {
  aGrant,
  aLiveGrant,
  anApproval,
  anApprovedGrant,
  aRedemption,
  aRefresh,
  aStoredPerson,
  NOW,
  statusOf,
} from "../support/record-builders.ts";

let cluster: Cluster;
let proxy: TcpProxy;
/** Connected through the proxy. */
let storage: Storage;
/** Connected without the proxy. */
let direct: Storage;

beforeAll(async () => {
  cluster = await startCluster();
  direct = await openStorage({ url: cluster.url("postgres") });
  await direct.migrate({ now: NOW });
});
afterAll(async () => {
  await direct.close();
  await cluster.remove();
});
beforeEach(async () => {
  proxy = await startTcpProxy(cluster.port);
  storage = await openStorage({ url: through(proxy) });
});
afterEach(async () => {
  await proxy.close();
  await storage.close();
});

function through({ port }: TcpProxy): string {
  return `postgres://assent@127.0.0.1:${port}/postgres`;
}

/** The error, if any, and the duration in milliseconds. */
async function outcomeOf(work: Promise<unknown>): Promise<{ readonly error: unknown; readonly took: number }> {
  const began = performance.now();
  const error = await work.then(
    (value) => value,
    (reason: unknown) => reason,
  );
  return { error, took: performance.now() - began };
}

/** Waits until the storage works again. Returns the milliseconds that this took. */
async function untilBack(of: Storage): Promise<number> {
  const began = performance.now();
  for (;;) {
    const { error } = await outcomeOf(of.catalog.ping());
    if (error === undefined) return performance.now() - began;
    expect(error).toBeInstanceOf(StorageUnavailable);
    expect(performance.now() - began).toBeLessThan(10_000);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe("the database is away", () => {
  test(
    "connections are refused → an outage in time, the next at once; back → served without a restart",
    byTheClock,
    async () => {
      proxy.set("refuse");
      const first = await outcomeOf(storage.catalog.ping());
      expect(first.error).toBeInstanceOf(StorageUnavailable);
      expect(first.took).toBeLessThan(1500);
      const others = await Promise.all(Array.from({ length: 50 }, () => outcomeOf(storage.catalog.ping())));
      for (const { error, took } of others) {
        expect(error).toBeInstanceOf(StorageUnavailable);
        expect(took).toBeLessThan(500);
      }
      proxy.set("pass");
      expect(await untilBack(storage)).toBeLessThan(2500);
    },
  );

  test("the error names the server, and not the password", async () => {
    const url = `postgres://assent:hunter2@127.0.0.1:${proxy.port}/nowhere`;
    const wrong = await openStorage({ url });
    const { error } = await outcomeOf(wrong.catalog.ping());
    expect(String(error)).toMatch(new RegExp(`127\\.0\\.0\\.1:${proxy.port}.*nowhere.*does not exist`));
    expect(`${String(error)}${JSON.stringify(error)}`).not.toContain("hunter2");
    await wrong.close();
  });

  test("every packet is lost → reads and writes fail within 5 s; back → served", byTheClock, async () => {
    const { grant } = await anApprovedGrant(storage);
    proxy.set("lose");
    const outcomes = await Promise.all([
      outcomeOf(storage.catalog.ping()),
      outcomeOf(storage.grants.redeem(aRedemption(grant))),
      outcomeOf(storage.consents.revoke({ ...grant, revokedBy: "x", now: NOW })),
    ]);
    for (const { error, took } of outcomes) {
      expect(error).toBeInstanceOf(StorageUnavailable);
      expect(took).toBeLessThan(5000);
    }
    proxy.set("pass");
    proxy.cut();
    await untilBack(storage);
    expect((await storage.grants.redeem(aRedemption(grant))).kind).toBe("redeemed");
  });
});

describe("the connection is cut while an answer is awaited", () => {
  async function cutAfter(committed: () => Promise<boolean>, work: Promise<unknown>): Promise<unknown> {
    const outcome = outcomeOf(work);
    while (!(await committed())) await new Promise((resolve) => setTimeout(resolve, 5));
    proxy.cut();
    proxy.set("pass");
    return (await outcome).error;
  }

  test("after the commit of a refresh → uncertain; asked again, the same successor", async () => {
    const { grant } = await aLiveGrant(storage);
    const refresh = aRefresh(grant);
    proxy.set("holdAnswers");
    const error = await cutAfter(
      async () => (await statusOf(direct, grant))?.generation === 2,
      storage.grants.refresh(refresh),
    );
    expect(error).toMatchObject({ name: "StorageUnavailable", uncertain: true });
    expect(await storage.grants.refresh(refresh)).toMatchObject({ kind: "retried", grant: { generation: 2 } });
  });

  test("after the commit of a redemption → uncertain; asked again, the code counts as replayed, and nothing of it lives", async () => {
    const { grant } = await anApprovedGrant(storage);
    proxy.set("holdAnswers");
    const error = await cutAfter(
      async () => (await statusOf(direct, grant))?.generation === 1,
      storage.grants.redeem(aRedemption(grant)),
    );
    expect(error).toMatchObject({ name: "StorageUnavailable", uncertain: true });
    expect((await storage.grants.redeem(aRedemption(grant))).kind).toBe("replayed");
    expect(await statusOf(storage, grant)).toMatchObject({ status: "replayed" });
  });

  test("before the commit was sent (an approval) → nothing of it stays; the same form again makes its grant, once", async () => {
    const person = await aStoredPerson(storage);
    const grant = aGrant(person);
    // Opens the connection for transactions before answers are held back.
    await storage.grants.approve(anApproval(aGrant(person)));
    proxy.set("holdAnswers");
    const pending = outcomeOf(storage.grants.approve(anApproval(grant)));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(await statusOf(direct, grant)).toBeUndefined();
    proxy.cut();
    proxy.set("pass");
    const { error } = await pending;
    expect(error).toMatchObject({ name: "StorageUnavailable", uncertain: false });
    expect((await storage.grants.approve(anApproval(grant))).kind).toBe("issued");
    expect((await storage.grants.approve(anApproval(grant))).kind).toBe("repeated");
  });
});

describe("somebody holds a row's lock", () => {
  test("of a group of 20, the one that waits for it is told so in time; 19 are answered", async () => {
    const grants = await Promise.all(Array.from({ length: 20 }, () => anApprovedGrant(storage)));
    const [locked] = grants;
    const other = new Client({ connectionString: cluster.url("postgres") });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM grants WHERE grant_id = $1 FOR UPDATE", [locked?.grant.grantId]);
    const outcomes = await Promise.all(grants.map(({ grant }) => outcomeOf(storage.grants.redeem(aRedemption(grant)))));
    expect(outcomes.filter(({ error }) => !(error instanceof StorageUnavailable))).toHaveLength(19);
    expect(outcomes[0]?.error).toMatchObject({ name: "StorageUnavailable", uncertain: false });
    for (const { took } of outcomes) expect(took).toBeLessThan(5000);
    await other.query("ROLLBACK");
    await other.end();
    if (locked !== undefined) expect((await storage.grants.redeem(aRedemption(locked.grant))).kind).toBe("redeemed");
  });

  test("more transactions than connections → those beyond wait a second at most", byTheClock, async () => {
    const few = await openStorage({ url: `${through(proxy)}?max_connections=5` });
    const { grant } = await anApprovedGrant(few);
    const other = new Client({ connectionString: cluster.url("postgres") });
    await other.connect();
    await other.query("BEGIN");
    await other.query("SELECT 1 FROM consents WHERE owner_id = $1 FOR UPDATE", [grant.ownerId]);
    const revocation = { ...grant, revokedBy: "x", now: NOW };
    const [, second] = await Promise.all([
      outcomeOf(few.consents.revoke(revocation)),
      outcomeOf(few.consents.revoke(revocation)),
    ]);
    expect(String(second?.error)).toContain("became free within 1000 ms");
    expect(second?.took).toBeLessThan(1500);
    await other.query("ROLLBACK");
    await other.end();
    expect((await few.consents.revoke(revocation)).kind).toBe("revoked");
    await few.close();
  });
});

describe("several hosts", () => {
  afterEach(() => readOnly(cluster, "off"));

  test("the first is read-only → the second; one that turns read-only is left by the next write, which succeeds", async () => {
    const second = await startCluster();
    const setUp = await openStorage({ url: second.url("postgres") });
    await setUp.migrate({ now: NOW });
    await setUp.close();
    const both = await openStorage({
      url: `postgres://assent@127.0.0.1:${cluster.port},127.0.0.1:${second.port}/postgres?target_session_attrs=read-write`,
    });
    const person = await aStoredPerson(both);
    expect(await direct.people.get(person)).toMatchObject({ personId: person.personId });
    await readOnly(cluster, "on");
    const another = await aStoredPerson(both);
    expect(await direct.people.get(another)).toBeUndefined();
    expect(await both.people.get(another)).toMatchObject({ personId: another.personId });
    expect((await both.grants.approve(anApproval(aGrant(another)))).kind).toBe("issued");
    // The old server accepts writes again. A storage that is connected stays with its server.
    await readOnly(cluster, "off");
    const third = await aStoredPerson(both);
    expect(await direct.people.get(third)).toBeUndefined();
    await both.close();
    await second.remove();
  });

  async function readOnly(of: Cluster, value: "on" | "off"): Promise<void> {
    // This connection was opened earlier. Once it has been notified, all others have been, too.
    const watch = new Client({ connectionString: of.url("postgres") });
    await watch.connect();
    const client = new Client({ connectionString: of.url("postgres") });
    await client.connect();
    await client.query("SET default_transaction_read_only = off");
    await client.query(`ALTER SYSTEM SET default_transaction_read_only = ${value}`);
    await client.query("SELECT pg_reload_conf()");
    const told = async () =>
      (await watch.query("SHOW default_transaction_read_only")).rows[0].default_transaction_read_only;
    await expect.poll(told).toBe(value);
    await client.end();
    await watch.end();
    // The postmaster notifies its processes one after the other.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
});

test("the server restarts under load → only outages in between, and every acknowledged write is there", async () => {
  const acknowledged: string[] = [];
  let running = true;
  const writers = Array.from({ length: 4 }, async () => {
    while (running) {
      const outcome = await outcomeOf(aStoredPerson(storage));
      if (outcome.error instanceof Error) expect(outcome.error).toBeInstanceOf(StorageUnavailable);
      else acknowledged.push((outcome.error as { readonly personId: string }).personId);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  await expect.poll(() => acknowledged.length).toBeGreaterThan(10);
  await cluster.kill();
  await new Promise((resolve) => setTimeout(resolve, 300));
  await cluster.start();
  await untilBack(storage);
  const before = acknowledged.length;
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 10);
  running = false;
  await Promise.all(writers);
  await untilBack(direct);
  const there = await Promise.all(
    acknowledged.map((personId) =>
      direct.people.get({ personId, partition: Buffer.from(personId, "base64url").readUInt16BE(0) }),
    ),
  );
  expect(there.filter((person) => person === undefined)).toEqual([]);
});
