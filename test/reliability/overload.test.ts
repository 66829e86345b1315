/** REL-23, DS-01: more than the server can carry. What it can do it does, the rest is told so at once, and sign-ins starve nobody. */

import { execFileSync } from "node:child_process";
import { readFileSync, rmSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { cpus } from "node:os";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, type Form } from "../support/http-browser.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { type Arrived, type OpenLoad, openLoop } from "../support/open-loop.ts";
import { networks } from "../support/password-guesser.ts";
import { cyclesOf, figure, inFull, inReliability, quantile } from "../support/reliability-cycles-and-figures.ts";
import {
  authorizePath,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import type { TestClient } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

const SECONDS = Math.min(300, Math.max(2, cyclesOf(3, 2)));
/** How often the capacity is measured, for a second each. The median counts. */
const MEASURED = inReliability ? 3 : 1;
/** Each connection waits for its answer, so this many are needed to send several times the capacity. */
const CONNECTIONS = 800;
/** More requests than a process accepts at once: some wait for a signature, and the others are refused. */
const BEYOND_THE_BOUND = 2_500;
const API = "https://rs256.test";

let data: Prepared<"itself" | "keeping">;
let server: ServerProcess;
let port: number;
let token: string;

beforeAll(async () => {
  data = await prepareData(
    { keeping: {}, itself: { grantTypes: ["client_credentials"], scopes: [], ownScopes: ["rs256"] } },
    async (made) => {
      await made.addResource({ identifier: API, alg: "RS256" });
      await made.addScope({ name: "rs256", description: "rs256", resource: API });
    },
  );
  server = await startProcess(data.dataDir, { ASSENT_TRUST_PROXY: "127.0.0.1" });
  if (inFull && cpus().length > 1) {
    // With two processors, load and server have one each.
    for (const [pid, core] of [
      [server.pid, 0],
      [process.pid, 1],
    ])
      execFileSync("taskset", ["-apc", String(core), String(pid)], { stdio: "ignore" });
  }
  port = Number(new URL(server.url).port);
  const client = data.clients.keeping;
  const agent = await signedInAgent(server.url, data.person, authorizePath(client));
  const form = codeForm(client, await nextCode(agent, authorizePath(client)));
  token = bodyOf(await send(server.url, { path: "/token", client, form }))["refresh_token"] ?? "";
});
afterAll(async () => {
  await server.end("SIGTERM");
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
});

function refreshBytes(): string {
  return tokenRequest(data.clients.keeping, refreshForm(token));
}

/** An RSA signature costs at least twenty times as much as a refusal. */
function rs256Bytes(): string {
  return tokenRequest(data.clients.itself, { grant_type: "client_credentials", resource: API });
}

function tokenRequest({ clientId, secret }: TestClient, form: Record<string, string>): string {
  const body = new URLSearchParams(form).toString();
  return [
    "POST /token HTTP/1.1",
    "Host: a",
    `Authorization: Basic ${Buffer.from(`${clientId}:${secret}`).toString("base64")}`,
    "Content-Type: application/x-www-form-urlencoded",
    `Content-Length: ${body.length}`,
    "",
    body,
  ].join("\r\n");
}

function signInBytes(): string {
  return "GET /login HTTP/1.1\r\nHost: a\r\n\r\n";
}

function goodput({ took, seconds }: Arrived): number {
  return (took.get(200)?.length ?? 0) / seconds;
}

/** Seconds of a processor that the server has used (proc(5): fields 14 and 15 of stat, in hundredths). */
function processorOf({ pid }: ServerProcess): number {
  const [, after = ""] = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ");
  const fields = after.split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** Load, and what it cost the server. */
async function load(asked: Omit<OpenLoad, "port">) {
  const before = processorOf(server);
  const arrived = await openLoop({ ...asked, port });
  return { arrived, processor: processorOf(server) - before };
}

/** How many a second it answers where each connection waits for its answer, and what one costs it in seconds of a processor. */
async function capacity(next: () => string): Promise<{ able: number; cost: number }> {
  const measured: { able: number; cost: number }[] = [];
  for (let round = 0; round < MEASURED; round += 1) {
    const { arrived, processor } = await load({ rate: 100_000, seconds: 1, connections: 16, next });
    measured.push({ able: goodput(arrived), cost: processor / Math.max(1, arrived.took.get(200)?.length ?? 0) });
  }
  return {
    able: quantile(
      measured.map(({ able }) => able),
      0.5,
    ),
    cost: quantile(
      measured.map(({ cost }) => cost),
      0.5,
    ),
  };
}

describe.each([
  ["refreshes", refreshBytes, CONNECTIONS],
  ["sign-in pages", signInBytes, CONNECTIONS],
  ["tokens signed with RS256", rs256Bytes, BEYOND_THE_BOUND],
] as const)("REL-23 up to five times as much as it can carry: %s", (kind, next, connections) => {
  test(`${SECONDS} s → most of its capacity is used, the rest is 503 with Retry-After, health and keys are answered`, {
    timeout: 60_000 + SECONDS * 2_000,
  }, async () => {
    const { able, cost } = await capacity(next);
    const probes = { on: true, health: [] as BackChannelAnswer[] };
    const connection = new HttpAgent({ keepAlive: true });
    const probing = (async () => {
      while (probes.on) {
        for (const path of ["/health/live", "/jwks"])
          probes.health.push(await send(server.url, { method: "GET", path }, connection));
        await sleep(20);
      }
    })();
    const { arrived: flood, processor } = await load({
      rate: able * 5,
      seconds: SECONDS,
      connections,
      next,
    });
    probes.on = false;
    await probing;
    connection.destroy();
    const refused = flood.took.get(503) ?? [];
    const sent = [...flood.took.values()].reduce((sum, list) => sum + list.length, 0) / flood.seconds;
    expect([...flood.took.keys()].filter((status) => status !== 200 && status !== 503)).toEqual([]);
    expect(flood.broken).toBe(0);
    expect(new Set(probes.health.map(({ status }) => status))).toEqual(new Set([200]));
    const from = performance.now();
    let calm = 0;
    while (calm < 20) calm = (await refreshNow()).status === 200 ? calm + 1 : 0;
    const recovery = performance.now() - from;
    expect(recovery).toBeLessThan(10_000);
    // What others on the machine do changes how many a second there are, and hardly what one costs.
    const answered = flood.took.get(200)?.length ?? 0;
    const refusing = (processor - answered * cost) / Math.max(1, refused.length) / cost;
    expect(answered).toBeGreaterThan(0);
    if (refused.length > 1_000) expect(refusing).toBeLessThan(0.9);
    figure("REL-23", `overload for ${SECONDS} s, ${connections} connections, ${kind}`, {
      "a second is the capacity": able,
      "a second were due": able * 5,
      "a second were sent": sent,
      "times the capacity were sent": sent / able,
      "a second were answered 200": goodput(flood),
      "of the capacity": goodput(flood) / able,
      "of the capacity for the processor time it got": (answered * cost) / processor,
      ...(refused.length > 1_000 ? { "of an answer's work were a refusal's": refusing } : {}),
      "answers 503": refused.length,
      "ms to a 503, median": quantile(refused, 0.5),
      "ms, 99 %": quantile(refused, 0.99),
      "ms to a 200, 99 %": quantile(flood.took.get(200) ?? [], 0.99),
      "ms to recover": recovery,
    });
    // Only if server and load had a core each, and all requests were sent on time.
    if (inFull && sent > 4.5 * able) {
      // The goal is 0.8. Within one run, seconds differ by more than a tenth.
      expect(goodput(flood) / able).toBeGreaterThan(0.7);
      expect(quantile(refused, 0.99)).toBeLessThan(100);
    }
  });
});

function refreshNow(): Promise<BackChannelAnswer> {
  return send(server.url, { path: "/token", client: data.clients.keeping, form: refreshForm(token) });
}

describe("DS-01 sign-ins and tokens", () => {
  let fast: ServerProcess;
  beforeAll(async () => {
    fast = await startProcess(data.dataDir, { ASSENT_TRUST_PROXY: "127.0.0.1" });
  });
  afterAll(() => fast.end("SIGTERM"));

  async function latencies(ask: () => Promise<BackChannelAnswer>, milliseconds: number): Promise<number[]> {
    const took: number[] = [];
    const until = performance.now() + milliseconds;
    while (performance.now() < until) {
      const answer = await ask();
      expect(answer.status).toBe(200);
      took.push(answer.took);
      await sleep(5);
    }
    return took;
  }

  test("sign-ins without end → tokens are issued all the time", { ...byTheClock, timeout: 60_000 }, async () => {
    const anonymous = new Agent(fast.url);
    const form = (await anonymous.get("/login")).forms[0] as Form;
    const cookie = [...anonymous.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const connection = new HttpAgent({ keepAlive: true });
    const ask = () =>
      send(fast.url, { path: "/token", client: data.clients.keeping, form: refreshForm(token) }, connection);
    await latencies(ask, 300);
    const alone = await latencies(ask, inReliability ? 2_000 : 1_000);
    const crowd = { on: true, looked: 0 };
    const signingIn = networks(40).map(async (address, at) => {
      while (crowd.on) {
        const fields = { ...Object.fromEntries(form.fields), username: `nobody-${at}`, password: "wrong" };
        const headers = { cookie, "x-forwarded-for": address, accept: "text/html" };
        const { status } = await send(fast.url, { path: "/login", form: fields, headers });
        if (status === 200) crowd.looked += 1;
        else await sleep(5);
      }
    });
    await sleep(300);
    const beside = await latencies(ask, inReliability ? 3_000 : 2_000);
    crowd.on = false;
    await Promise.all(signingIn);
    connection.destroy();
    expect(crowd.looked).toBeGreaterThan(20);
    expect(quantile(beside, 0.5)).toBeLessThan(100);
    figure("DS-01", "refreshes beside sign-ins without end", {
      "ms alone, median": quantile(alone, 0.5),
      "ms alone, 99 %": quantile(alone, 0.99),
      "ms beside, median": quantile(beside, 0.5),
      "ms beside, 99 %": quantile(beside, 0.99),
      "sign-ins looked at": crowd.looked,
    });
  });
});
