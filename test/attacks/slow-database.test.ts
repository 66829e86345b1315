/** DS-14 PostgreSQL is slow: its requests end soon, others don't wait, the server recovers (RFC 6749 §5.2). */

import { randomBytes } from "node:crypto";
import { Client as PgClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, expectRefusal, type Owner, provenCode } from "../support/back-channel.ts";
import { postForm, redeem } from "../support/http-browser.ts";
import { aPostgresDatabase, type TestDatabase } from "../support/postgres-database.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let database: TestDatabase;
let server: TestServer;
let client: TestClient;
let owner: Owner;
let operator: PgClient;

beforeAll(async () => {
  database = await aPostgresDatabase();
  server = await startServer({ config: { databaseUrl: database.url, secret: [randomBytes(32)] } });
  client = await server.addClient({
    grantTypes: ["authorization_code", "refresh_token", "client_credentials"],
    ownScopes: ["read"],
  });
  owner = await anOwner(server);
  operator = new PgClient({ connectionString: database.url });
  await operator.connect();
});
afterAll(async () => {
  await operator.end();
  await server.stop();
  await database.drop();
});

/** From now on, each change of a grant takes this number of seconds. */
async function setSlowness(seconds: number): Promise<void> {
  await operator.query("DROP TRIGGER IF EXISTS slow ON grants");
  if (seconds === 0) return;
  await operator.query(
    `CREATE OR REPLACE FUNCTION slow() RETURNS trigger AS 'BEGIN PERFORM pg_sleep(${seconds}); RETURN NEW; END' LANGUAGE plpgsql`,
  );
  await operator.query("CREATE TRIGGER slow BEFORE UPDATE ON grants FOR EACH ROW EXECUTE FUNCTION slow()");
}

type Proven = Awaited<ReturnType<typeof provenCode>>;
async function codes(count: number): Promise<readonly Proven[]> {
  const all: Proven[] = [];
  for (let at = 0; at < count; at += 1) all.push(await provenCode(server, client, owner));
  return all;
}
const spend = (one: Proven) => redeem(server, client, one.code, one);

async function timed<T>(work: () => Promise<T>): Promise<{ answer: T; took: number }> {
  const started = performance.now();
  return { answer: await work(), took: performance.now() - started };
}

test("200 ms a change → slower, and each of four redemptions succeeds", async () => {
  const all = await codes(4);
  await setSlowness(0.2);
  const answers = await Promise.all(all.map(spend));
  await setSlowness(0);
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
});

describe("10 s a change", () => {
  let all: readonly Proven[];
  beforeAll(async () => {
    all = await codes(24);
    await setSlowness(10);
  });
  afterAll(() => setSlowness(0));

  test("24 redemptions → 503 with Retry-After before the database would have answered; what needs no change is answered at once", async () => {
    const waiting = Promise.all(all.map((one) => timed(() => spend(one))));
    const others = await Promise.all([
      timed(() => fetch(`${server.issuer}/jwks`)),
      timed(() => fetch(`${server.issuer}/.well-known/oauth-authorization-server`)),
      timed(() => postForm(server, "/token", client, { grant_type: "client_credentials", scope: "read" })),
    ]);
    for (const { answer, took } of others) {
      expect(answer.status).toBe(200);
      expect(took).toBeLessThan(2_000);
    }
    for (const { answer, took } of await waiting) {
      expectRefusal(answer, "temporarily_unavailable", 503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
      expect(took).toBeLessThan(9_000);
    }
  });

  test("fast again → within 5 s each code is redeemed, once", async () => {
    await setSlowness(0);
    const { took } = await timed(() =>
      expect.poll(async () => (await spend(all[0] as Proven)).status, { timeout: 15_000 }).toBe(200),
    );
    expect(took).toBeLessThan(5_000);
    expect((await Promise.all(all.slice(1).map(spend))).map(({ status }) => status)).toEqual(Array(23).fill(200));
    for (const { status } of await Promise.all(all.slice(1).map(spend))) expect(status).toBe(400);
  });
});
