/**
 * REL-09, REL-11, REL-13: between the server and its PostgreSQL connections are cut or fall silent, also behind a COMMIT; the database takes no writes;
 * clocks are wrong. Nothing hangs, nothing that was acknowledged is lost, and one clock decides.
 */

import { randomBytes, randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Client as PgClient } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { claimsOf } from "../support/assertion-requests.ts";
import { FaultyProxy } from "../support/fault-injection.ts";
import type { Agent } from "../support/http-browser.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { aPostgresDatabase, type TestDatabase } from "../support/postgres-database.ts";
import { cyclesOf, figure, inFull } from "../support/reliability-cycles-and-figures.ts";
import { authorizePath, nextCode, type ServerProcess, signedInAgent, startProcess } from "../support/server-process.ts";
import { API, registering, type TestClient } from "../support/test-server.ts";

let folder: string;
let database: TestDatabase;
let clients: { rotating: TestClient };
/** Number of servers whose connections are cut at the same time, because most of a cut is waiting. */
const LINES = 5;
/** The client of each server, whose grants are counted. */
let lineClients: readonly TestClient[];
let person: Person;
const secret = randomBytes(32).toString("base64");

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assent-outage-"));
  database = await aPostgresDatabase();
  const storage = await openStorage({ url: database.url });
  const register = registering({ storage }, Date.now);
  await register.addStandardScopes();
  clients = { rotating: await register.addClient({ refresh: "rotate" }) };
  lineClients = await Promise.all(Array.from({ length: LINES }, () => register.addClient()));
  person = await register.addPerson();
  await storage.close();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

function aNode(url: string, env: Record<string, string> = {}, flags: readonly string[] = []): Promise<ServerProcess> {
  const dataDir = join(folder, randomBytes(4).toString("hex"));
  mkdirSync(dataDir, { mode: 0o700 });
  return startProcess(
    dataDir,
    { ASSENT_DATABASE_URL: url, ASSENT_SECRET: secret, ASSENT_RETRY_WINDOW: "600", ...env },
    flags,
  );
}

async function rows(statement: string, ...values: readonly unknown[]): Promise<Record<string, unknown>[]> {
  const connection = new PgClient({ connectionString: database.url, options: "-c default_transaction_read_only=off" });
  await connection.connect();
  try {
    return (await connection.query(statement, [...values])).rows as Record<string, unknown>[];
  } finally {
    await connection.end();
  }
}

async function liveGrants({ clientId }: TestClient): Promise<number> {
  const [row] = await rows(
    "SELECT COUNT(*) AS n FROM grants WHERE client_id = $1 AND status = 'active' AND generation = 1",
    clientId,
  );
  return Number(row?.["n"]);
}

function redeem(url: string, client: TestClient, code: string): Promise<BackChannelAnswer> {
  return send(url, { path: "/token", client, form: codeForm(client, code) });
}

function refresh(url: string, token: string | undefined): Promise<BackChannelAnswer> {
  return send(url, { path: "/token", client: clients.rotating, form: refreshForm(token) });
}

/** The first answer other than 503. It repeats the request as a client would, for a limited time. */
async function settled(ask: () => Promise<BackChannelAnswer>): Promise<BackChannelAnswer> {
  const until = performance.now() + 15_000;
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || performance.now() > until) return answer;
    await sleep(50);
  }
}

/** A code. If the page asks to try again, it does so for a while. */
async function settledCode(agent: Agent, path: string): Promise<string> {
  const until = performance.now() + 15_000;
  for (;;) {
    const code = await nextCode(agent, path).catch((error: unknown) => {
      if (performance.now() > until) throw error;
    });
    if (code !== undefined) return code;
    await sleep(50);
  }
}

async function firstTokens(url: string, agent: Agent, count: number): Promise<{ access: string; refresh: string }[]> {
  const path = authorizePath(clients.rotating);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const body = bodyOf(await redeem(url, clients.rotating, await nextCode(agent, path)));
      return { access: body["access_token"] ?? "", refresh: body["refresh_token"] ?? "" };
    }),
  );
}

/** A server whose connections to the database go through a proxy, with its own client and browser. */
interface Line {
  readonly proxy: FaultyProxy;
  readonly server: ServerProcess;
  readonly keeping: TestClient;
  readonly keeper: Agent;
  tokens: readonly string[];
}

async function aLine(keeping: TestClient): Promise<Line> {
  const { hostname, port } = new URL(database.url);
  const proxy = await FaultyProxy.open(() => ({ host: hostname, port: Number(port) }));
  const server = await aNode(database.url.replace(`:${port}/`, `:${proxy.port}/`));
  const keeper = await signedInAgent(server.url, person, authorizePath(keeping));
  const rotator = await signedInAgent(server.url, person, authorizePath(clients.rotating));
  const tokens = (await firstTokens(server.url, rotator, 4)).map((one) => one.refresh);
  return { proxy, server, keeping, keeper, tokens };
}

const seen = {
  "answers 503": 0,
  "acknowledged meanwhile": 0,
  "codes with unknown outcome": 0,
  "of them committed": 0,
};
let [slowest, recovery] = [0, 0];

/** Cuts the connections, or makes them silent, during four redemptions and four refreshes. Records each outcome. */
async function cutOnce(line: Line, weather: "cut" | "silent"): Promise<void> {
  const { proxy, server, keeping, keeper, tokens } = line;
  const codes = await Promise.all(Array.from({ length: 4 }, () => settledCode(keeper, authorizePath(keeping))));
  const under = [
    ...codes.map((code) => redeem(server.url, keeping, code)),
    ...tokens.map((one) => refresh(server.url, one)),
  ];
  await sleep(randomInt(12));
  proxy.weather = weather;
  const answers = await Promise.all(under);
  for (const one of ["/jwks", "/.well-known/oauth-authorization-server", "/health/live"])
    expect((await send(server.url, { method: "GET", path: one })).status, one).toBe(200);
  const during = await refresh(server.url, tokens[0]);
  expect(during.status).toBe(503);
  for (const { status, headers, took } of [...answers, during]) {
    expect([200, 503]).toContain(status);
    if (status === 503) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    if (status === 503) seen["answers 503"] += 1;
    else seen["acknowledged meanwhile"] += 1;
    slowest = Math.max(slowest, took);
  }
  proxy.weather = "fair";
  const from = performance.now();
  expect((await settled(() => refresh(server.url, tokens[0]))).status).toBe(200);
  recovery = Math.max(recovery, performance.now() - from);
  const known = await tokensKnown(line, codes, answers);
  line.tokens = await successors(line, answers.slice(codes.length));
  // Otherwise there would be a token that nobody has and nobody can revoke.
  expect(await liveGrants(keeping)).toBe(known.length);
  for (const token of known) {
    const asked = { path: "/revoke", client: keeping, form: { token } };
    expect((await settled(() => send(server.url, asked))).status).toBe(200);
  }
  expect(await liveGrants(keeping)).toBe(0);
}

/**
 * The refresh tokens that the client has at the end. If it doesn't know the outcome of a code, it asks for another one.
 */
async function tokensKnown(
  { server, keeping }: Line,
  codes: readonly string[],
  answers: readonly BackChannelAnswer[],
): Promise<string[]> {
  const known: string[] = [];
  for (const [at, code] of codes.entries()) {
    const answered = answers[at];
    if (answered?.status === 200) {
      known.push(bodyOf(answered)["refresh_token"] ?? "");
      continue;
    }
    seen["codes with unknown outcome"] += 1;
    const again = await settled(() => redeem(server.url, keeping, code));
    expect([again.status, bodyOf(again)["error"]]).toEqual(
      again.status === 200 ? [200, undefined] : [400, "invalid_grant"],
    );
    if (again.status === 200) known.push(bodyOf(again)["refresh_token"] ?? "");
    else seen["of them committed"] += 1;
  }
  return known;
}

function successors({ server, tokens }: Line, answers: readonly BackChannelAnswer[]): Promise<string[]> {
  return Promise.all(
    tokens.map(async (token, at) => {
      const answer = await settled(() => refresh(server.url, token));
      expect(answer.status, "the owner would have to sign in again").toBe(200);
      const successor = bodyOf(answer)["refresh_token"] ?? "";
      const acknowledged = answers[at];
      if (acknowledged?.status === 200) expect(bodyOf(acknowledged)["refresh_token"], "a fork").toBe(successor);
      return successor;
    }),
  );
}

describe("REL-09 the network between server and database", () => {
  const each = Math.ceil(cyclesOf(100, 10) / LINES);
  let lines: readonly Line[] = [];
  beforeAll(async () => {
    lines = await Promise.all(lineClients.map((client) => aLine(client)));
  });
  afterAll(async () => {
    for (const { proxy, server } of lines) {
      proxy.weather = "fair";
      await server.end("SIGTERM");
      await proxy.close();
    }
  });

  test(`${LINES} servers, ${each} times cut or silent at random → 503 within 5 s, documents go on, then each works once`, {
    timeout: 60_000 + each * 20_000,
  }, async () => {
    const ended = await Promise.allSettled(
      lines.map(async (line) => {
        for (let cut = 0; cut < each; cut += 1) await cutOnce(line, cut % 3 === 2 ? "silent" : "cut");
      }),
    );
    expect(ended.flatMap((one) => (one.status === "rejected" ? [one.reason] : []))).toEqual([]);
    // With other tests on the machine, not only the server causes the delay.
    expect(slowest).toBeLessThan(inFull ? 5_000 : 8_000);
    figure("REL-09", "connections to PostgreSQL cut or silent", {
      cuts: each * LINES,
      ...seen,
      "live grants that nobody was told of": 0,
      forks: 0,
      "ms until the answer at most": slowest,
      "ms until a write succeeds again at most": recovery,
    });
  });
});

describe("REL-13 the database takes no writes", () => {
  test("→ writes 503, introspection and documents go on; afterwards by itself as before", {
    timeout: 40_000,
  }, async () => {
    const server = await aNode(database.url);
    const agent = await signedInAgent(server.url, person, authorizePath(clients.rotating));
    const [made] = await firstTokens(server.url, agent, 1);
    const name = database.url.slice(database.url.lastIndexOf("/") + 1);
    const api = { clientId: API.id, secret: API.secret };
    await rows(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    // Servers of other tests use the same PostgreSQL.
    await rows(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'assent' AND datname = current_database()",
    );
    try {
      let refused = await refresh(server.url, made?.refresh);
      expect(refused.status).toBe(503);
      await sleep(600);
      refused = await refresh(server.url, made?.refresh);
      expect([refused.status, Number(refused.headers["retry-after"]) > 0]).toEqual([503, true]);
      const seen = await send(server.url, { path: "/introspect", client: api, form: { token: made?.access ?? "" } });
      expect([seen.status, bodyOf(seen)["active"]]).toEqual([200, true]);
      for (const path of ["/jwks", "/.well-known/oauth-authorization-server", "/health/live"])
        expect((await send(server.url, { method: "GET", path })).status, path).toBe(200);
    } finally {
      await rows(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    }
    const from = performance.now();
    while ((await refresh(server.url, made?.refresh)).status !== 200) await sleep(20);
    figure("REL-13", "PostgreSQL read-only", {
      "other answers than 503 to writes": 0,
      lost: 0,
      "ms to recover": performance.now() - from,
    });
    await server.end("SIGTERM");
  });
});

describe("REL-11 three processes, whose clocks are right, 5 minutes fast and 5 minutes slow", () => {
  const preload = join(import.meta.dirname, "..", "support", "clock-skew.js");

  test("→ the database's clock decides everywhere; a clock that is set back an hour changes nothing", {
    timeout: 90_000,
  }, async () => {
    const clock = (name: string, offset: number) => {
      const file = join(folder, name);
      writeFileSync(file, String(offset));
      return file;
    };
    const files = [clock("right", 0), clock("fast", 300_000), clock("slow", -300_000)];
    const nodes = await Promise.all(
      files.map((file) =>
        aNode(database.url, { ASSENT_TEST_CLOCK: file, ASSENT_CODE_TTL: "3" }, ["--import", preload]),
      ),
    );
    const client = clients.rotating;
    const path = authorizePath(client);
    const agents = await Promise.all(nodes.map(({ url }) => signedInAgent(url, person, path)));
    let [worst, pairs] = [0, 0];
    const everyPair = async () => {
      for (const agent of agents) {
        for (const node of nodes) {
          const body = bodyOf(await redeem(node.url, client, await nextCode(agent, path)));
          const issued = Number(claimsOf(body["access_token"])["iat"]) * 1000;
          const [row] = await rows("SELECT extract(epoch FROM clock_timestamp()) * 1000 AS now");
          worst = Math.max(worst, Math.abs(Number(row?.["now"]) - issued));
          expect((await refresh(node.url, body["refresh_token"])).status).toBe(200);
          pairs += 1;
        }
      }
    };
    await everyPair();
    const late = await Promise.all(agents.map((agent) => nextCode(agent, path)));
    await sleep(3_500);
    for (const [at, code] of late.entries()) {
      const answer = await redeem(nodes[(at + 1) % 3]?.url ?? "", client, code);
      expect([answer.status, bodyOf(answer)["error"]], "a code outlived its 3 seconds").toEqual([400, "invalid_grant"]);
    }
    const anHourBack = [0, 300_000, -300_000].map((offset) => String(offset - 3_600_000));
    for (const [at, file] of files.entries()) writeFileSync(file, anHourBack[at] ?? "");
    await sleep(2_500);
    await everyPair();
    expect(worst).toBeLessThan(10_000);
    figure("REL-11", "clocks right, +5 min, -5 min, then all an hour back", {
      "pairs of nodes": pairs,
      "ms between a token's iat and the database's clock at most": worst,
      "codes accepted after their end": 0,
    });
    for (const node of nodes) await node.end("SIGTERM");
  });
});
