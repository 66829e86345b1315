/**
 * REL-08, REL-10: the PostgreSQL primary is killed under load, its synchronous standby takes over, and the old primary comes back as if nothing had
 * happened. Nothing that was acknowledged is lost, nothing is accepted twice, and nobody writes to the old one.
 */

import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as PgClient } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { Journal } from "../support/durable-journal.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { type Cluster, startCluster } from "../support/postgres-server.ts";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";
import { Nodes } from "../support/server-nodes.ts";
import { authorizePath, nextCode, signedInAgent } from "../support/server-process.ts";
import { registering, type TestClient } from "../support/test-server.ts";

const FAILOVERS = Math.max(1, Math.ceil(cyclesOf(15, 5) / 5));
const LINES = 6;

interface Entry {
  readonly event: "refreshed" | "redeemed" | "revoked";
  readonly credential: string;
}

interface Site {
  readonly primary: Cluster;
  readonly standby: Cluster;
  readonly nodes: Nodes;
  readonly client: TestClient;
  readonly person: Person;
  readonly folder: string;
}

let site: Site;
const totals = { answers: 0, "answers 503": 0, "acknowledged rotations": 0, "spent credentials tried again": 0 };
let [slowest, replays] = [0, 0];

/** Two PostgreSQL servers, and two processes of ours that know both. */
async function aSite(): Promise<Site> {
  const primary = await startCluster();
  const standby = await primary.withStandby();
  await said(primary, "postgres", "CREATE DATABASE assent");
  const folder = mkdtempSync(join(tmpdir(), "assent-failover-"));
  const dataDir = join(folder, "data");
  mkdirSync(dataDir, { mode: 0o700 });
  const url = `postgres://assent@127.0.0.1:${primary.port},127.0.0.1:${standby.port}/assent?target_session_attrs=read-write`;
  const nodes = new Nodes(dataDir, {
    ASSENT_DATABASE_URL: url,
    ASSENT_SECRET: randomBytes(32).toString("base64"),
    ASSENT_RETRY_WINDOW: "600",
  });
  await nodes.start(2);
  const storage = await openStorage({ url });
  const register = registering({ storage }, Date.now);
  await register.addStandardScopes();
  const client = await register.addClient({ refresh: "rotate" });
  const person = await register.addPerson();
  await storage.close();
  return { primary, standby, nodes, client, person, folder };
}

async function removed({ nodes, primary, standby, folder }: Site): Promise<void> {
  await nodes.end("SIGKILL");
  await primary.remove();
  await standby.remove();
  rmSync(folder, { recursive: true, force: true });
}

async function said(cluster: Cluster, database: string, statement: string): Promise<Record<string, unknown>[]> {
  const connection = new PgClient({ connectionString: cluster.url(database), connectionTimeoutMillis: 2000 });
  connection.on("error", () => undefined);
  await connection.connect();
  try {
    return (await connection.query(statement)).rows as Record<string, unknown>[];
  } finally {
    await connection.end();
  }
}

function refresh({ nodes, client }: Site, token: string, at = 0): Promise<BackChannelAnswer> {
  return send(nodes.url(at), { path: "/token", client, form: refreshForm(token) });
}

/** The first answer other than 503, because the database has only just come back. */
async function settled(ask: () => Promise<BackChannelAnswer>): Promise<BackChannelAnswer> {
  const until = performance.now() + 15_000;
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || performance.now() > until) return answer;
    await sleep(50);
  }
}

beforeAll(async () => {
  site = await aSite();
}, 120_000);
afterAll(async () => {
  await removed(site);
});

/** One failover. */
async function failOver(): Promise<void> {
  const { primary, standby, nodes, client, person } = site;
  const path = authorizePath(client);
  const agent = await signedInAgent(nodes.url(), person, path);
  const codes = await Promise.all(Array.from({ length: LINES }, () => nextCode(agent, path)));
  const journal = new Journal<Entry>(join(site.folder, `journal-${primary.port}`));
  const tokens = await Promise.all(
    codes.map(async (code) => {
      const body = bodyOf(await send(nodes.url(), { path: "/token", client, form: codeForm(client, code) }));
      return body["refresh_token"] ?? "";
    }),
  );
  const spare = await nextCode(agent, path);
  const doomed = bodyOf(await send(nodes.url(), { path: "/token", client, form: codeForm(client, spare) }));
  const load = { on: true, answers: [] as BackChannelAnswer[], lastGood: performance.now() };
  const gaps: number[] = [];
  const rotating = tokens.map(async (_, line) => {
    while (load.on) {
      const answer = await refresh(site, tokens[line] ?? "", line);
      load.answers.push(answer);
      if (answer.status === 200) {
        gaps.push(performance.now() - load.lastGood);
        load.lastGood = performance.now();
        journal.record({ event: "refreshed", credential: bodyOf(answer)["refresh_token"] ?? "" });
        tokens[line] = bodyOf(answer)["refresh_token"] ?? "";
      }
      await sleep(answer.status === 200 ? 5 : 50);
    }
  });
  await sleep(500);
  // Acknowledged right before the failover.
  const revoked = await send(nodes.url(), { path: "/revoke", client, form: { token: doomed["refresh_token"] ?? "" } });
  expect(revoked.status).toBe(200);
  await primary.kill();
  const killed = performance.now();
  await sleep(300);
  for (const way of ["/jwks", "/.well-known/oauth-authorization-server", "/health/live"])
    expect((await fetch(`${nodes.url()}${way}`)).status, way).toBe(200);
  await standby.promote();
  const before = load.answers.length;
  while (!load.answers.slice(before).some(({ status }) => status === 200)) await sleep(20);
  slowest = Math.max(slowest, performance.now() - killed);
  // REL-10: the old server still takes itself for the primary.
  await primary.start();
  const [old] = await said(primary, "postgres", "SELECT pg_is_in_recovery() AS standby, pg_current_wal_lsn() AS lsn");
  expect(old?.["standby"]).toBe(false);
  await nodes.restart("SIGKILL");
  await sleep(1000);
  load.on = false;
  await Promise.all(rotating);
  const refused = load.answers.filter(({ status }) => status === 503);
  const others = load.answers.filter(({ status }) => status !== 503 && status !== 200 && status !== 0);
  expect(others.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
  for (const { headers } of refused) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
  for (const token of tokens)
    expect((await settled(() => refresh(site, token))).status, "acknowledged and lost").toBe(200);
  const back = await settled(() => refresh(site, doomed["refresh_token"] ?? ""));
  expect(back.status, "a revoked token came back").toBe(400);
  const written = await said(
    primary,
    "assent",
    "SELECT COUNT(*) AS n FROM pg_stat_activity WHERE application_name = 'assent'",
  );
  expect(Number(written[0]?.["n"]), "connected to the old primary").toBe(0);
  for (const code of [...codes, spare]) {
    const asked = { path: "/token", client, form: codeForm(client, code) };
    const again = await settled(() => send(nodes.url(), asked));
    expect([again.status, bodyOf(again)["error"]]).toEqual([400, "invalid_grant"]);
    replays += 1;
  }
  totals.answers += load.answers.length;
  totals["answers 503"] += refused.length;
  totals["acknowledged rotations"] += journal.entries().length;
  journal.close();
}

test(`${FAILOVERS} failover(s) → nothing acknowledged is lost, only 503 meanwhile, nothing spent is accepted, the old primary is left alone`, {
  timeout: 60_000 + FAILOVERS * 120_000,
}, async () => {
  for (let failover = 0; failover < FAILOVERS; failover += 1) {
    if (failover > 0) {
      await removed(site);
      site = await aSite();
    }
    await failOver();
  }
  totals["spent credentials tried again"] = replays;
  expect(slowest).toBeLessThan(30_000);
  figure("REL-08", "primary killed, synchronous standby promoted, 2 processes", {
    failovers: FAILOVERS,
    "acknowledged and lost": 0,
    "ms until the next success at most": slowest,
    ...totals,
    accepted: 0,
  });
  figure("REL-10", "the old primary is started again, our processes as well", {
    times: FAILOVERS,
    "writes to it": 0,
  });
});
