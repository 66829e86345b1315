/** REL-15: SIGTERM under load: open requests are answered, then the process ends by itself. */

import { once } from "node:events";
import { rmSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { connect } from "node:net";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { FaultyProxy } from "../support/fault-injection.ts";
import {
  type BackChannelAnswer,
  type BackChannelRequest,
  bodyOf,
  codeForm,
  refreshForm,
  send,
} from "../support/keep-alive-requests.ts";
import { cyclesOf, figure, inReliability } from "../support/reliability-cycles-and-figures.ts";
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

const CONNECTIONS = 20;
/** Pairs of nodes that restart at the same time, because most of a restart is waiting. */
const SITES = inReliability ? 6 : 1;
/** Connections of each pair that refresh, and as many that ask for the keys; milliseconds between their requests. */
const LINES = 2;
const PAUSE = 50;
/** Seconds in which the balancer, which checks ten times per second, must notice that the node is ending. */
const DRAINING = { ASSENT_DRAIN_DELAY: "2" };

let data: Prepared<"rotating">;

beforeAll(async () => {
  data = await prepareData({ rotating: { refresh: "rotate" } });
});
afterAll(() => rmSync(dirname(data.dataDir), { recursive: true, force: true }));

async function refreshTokens(
  server: ServerProcess,
  count: number,
  { clients, person }: Pick<Prepared<"rotating">, "clients" | "person"> = data,
): Promise<string[]> {
  const client = clients.rotating;
  const path = authorizePath(client);
  const agent = await signedInAgent(server.url, person, path);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const form = codeForm(client, await nextCode(agent, path));
      return bodyOf(await send(server.url, { path: "/token", client, form }))["refresh_token"] ?? "";
    }),
  );
}

interface Load {
  readonly answers: BackChannelAnswer[];
  /** Connections that were refused before anything was sent, because the listener was closed. */
  refusedConnections: number;
}

/** A connection that repeats its request until the server accepts no new connections. */
async function keepAsking(
  url: string,
  next: (last: BackChannelAnswer | undefined) => BackChannelRequest,
  load: Load,
  pause: number,
): Promise<void> {
  const connection = new HttpAgent({ keepAlive: true, maxSockets: 1 });
  let last: BackChannelAnswer | undefined;
  for (;;) {
    const answer = await send(url, next(last), connection);
    if (answer.problem.includes("ECONNREFUSED")) {
      load.refusedConnections += 1;
      break;
    }
    load.answers.push(answer);
    last = answer;
    if (pause > 0) await sleep(pause);
  }
  connection.destroy();
}

function failed({ answers }: Load): string[] {
  return answers
    .filter(({ status }) => status !== 200)
    .map(({ status, problem, text }) => `${status} ${problem} ${text}`);
}

describe("SIGTERM", () => {
  test.each([
    ["without a pause", 0, 1],
    ["with pauses of 5 ms", 5, 1],
    ["without a pause, at two workers,", 0, 2],
  ])(
    "keep-alive load %s → 0 failed requests, exit 0, every rotation was answered",
    { timeout: 60_000 },
    async (_, pause, workers) => {
      const client = data.clients.rotating;
      const server = await startProcess(data.dataDir, { ASSENT_WORKERS: String(workers) });
      const tokens = await refreshTokens(server, CONNECTIONS / 2);
      const load: Load = { answers: [], refusedConnections: 0 };
      const asking = [
        ...tokens.map((first) =>
          keepAsking(
            server.url,
            (last) => ({
              path: "/token",
              client,
              form: refreshForm(last === undefined ? first : bodyOf(last)["refresh_token"]),
            }),
            load,
            pause,
          ),
        ),
        ...tokens.map(() => keepAsking(server.url, () => ({ method: "GET", path: "/jwks" }), load, pause)),
      ];
      while (load.answers.length <= 2 * CONNECTIONS) await sleep(10);
      const told = performance.now();
      const ended = await server.end("SIGTERM");
      const took = performance.now() - told;
      await Promise.all(asking);
      expect(failed(load)).toEqual([]);
      expect(ended).toEqual({ code: 0, signal: null });
      expect(load.refusedConnections).toBe(CONNECTIONS);
      expect(took).toBeLessThan(10_000);
    },
  );

  test("connections that idle → it doesn't wait for them", async () => {
    const server = await startProcess(data.dataDir);
    const idle = new HttpAgent({ keepAlive: true });
    expect((await send(server.url, { method: "GET", path: "/jwks" }, idle)).status).toBe(200);
    const told = performance.now();
    expect(await server.end("SIGTERM")).toEqual({ code: 0, signal: null });
    expect(performance.now() - told).toBeLessThan(5_000);
    idle.destroy();
  });

  test("a second time, while a request is under way → ends at once, 143", async () => {
    const server = await startProcess(data.dataDir);
    const slow = connect(Number(new URL(server.url).port), "127.0.0.1").on("error", () => undefined);
    const form = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 100";
    slow.write(`POST /token HTTP/1.1\r\nHost: a\r\n${form}\r\nExpect: 100-continue\r\n\r\n`);
    // `100 Continue` shows that the server waits for the body. Otherwise it could end in about a second.
    await once(slow, "data");
    void server.end("SIGTERM");
    while (!server.output.join("").includes('"event":"stopping"')) await sleep(10);
    // A second signal within half a second counts as the same Ctrl-C, which npm sends again.
    await sleep(600);
    expect(await server.end("SIGTERM")).toEqual({ code: 143, signal: null });
    slow.destroy();
  });
});

/** A load balancer in front of two nodes: checks the readiness of both, and sends new connections to a ready one. */
class Balancer {
  readonly #nodes: (ServerProcess | undefined)[];
  readonly #ready = new Set<number>();
  readonly #looking = new Set<number>();
  readonly #timer: NodeJS.Timeout;
  #turn = 0;
  /** How often a node that was still listening said that it is about to end. */
  announced = 0;

  constructor(nodes: (ServerProcess | undefined)[]) {
    this.#nodes = nodes;
    this.#timer = setInterval(() => this.#nodes.forEach((node, at) => void this.#look(node, at)), 100);
  }

  async #look(node: ServerProcess | undefined, at: number): Promise<void> {
    // One check at a time, because a late answer would report an old state.
    if (this.#looking.has(at)) return;
    this.#looking.add(at);
    const answer = node && (await send(node.url, { method: "GET", path: "/health/ready" }));
    this.#looking.delete(at);
    if (answer?.status === 503 && this.#ready.has(at)) this.announced += 1;
    if (answer?.status === 200) this.#ready.add(at);
    else this.#ready.delete(at);
  }

  target(): { host: string; port: number } {
    const ready = [...this.#ready];
    this.#turn += 1;
    const url = new URL(this.#nodes[ready[this.#turn % ready.length] ?? 0]?.url ?? "http://127.0.0.1:9");
    return { host: url.hostname, port: Number(url.port) };
  }

  async both(): Promise<void> {
    while (this.#ready.size < 2) await sleep(20);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** Two nodes behind a balancer, and clients that send requests all the time. */
class Site {
  readonly #dataDir: string;
  readonly #nodes: (ServerProcess | undefined)[];
  readonly #balancer: Balancer;
  readonly #proxy: FaultyProxy;
  readonly answers: BackChannelAnswer[] = [];
  #asking: readonly Promise<void>[] = [];
  #on = true;

  private constructor(dataDir: string, nodes: (ServerProcess | undefined)[], balancer: Balancer, proxy: FaultyProxy) {
    this.#dataDir = dataDir;
    this.#nodes = nodes;
    this.#balancer = balancer;
    this.#proxy = proxy;
  }

  static async open({ dataDir, clients, person }: Prepared<"rotating">): Promise<Site> {
    const nodes = await Promise.all([startProcess(dataDir, DRAINING), startProcess(dataDir, DRAINING)]);
    const balancer = new Balancer(nodes);
    await balancer.both();
    const site = new Site(dataDir, nodes, balancer, await FaultyProxy.open(() => balancer.target()));
    const tokens = await refreshTokens(nodes[0], LINES, { clients, person });
    site.#asking = [...tokens, ...tokens.map(() => undefined)].map((token) => site.#ask(clients.rotating, token));
    return site;
  }

  get announced(): number {
    return this.#balancer.announced;
  }

  /** Restarts the nodes in turn, this number of times. Returns the longest time of an end in milliseconds. */
  async restart(times: number): Promise<number> {
    let slowest = 0;
    for (let restart = 0; restart < times; restart += 1) {
      const told = performance.now();
      expect(await this.#nodes[restart % 2]?.end("SIGTERM")).toEqual({ code: 0, signal: null });
      slowest = Math.max(slowest, performance.now() - told);
      this.#nodes[restart % 2] = undefined;
      this.#nodes[restart % 2] = await startProcess(this.#dataDir, DRAINING);
      await this.#balancer.both();
    }
    return slowest;
  }

  async close(): Promise<void> {
    this.#on = false;
    await Promise.all(this.#asking);
    this.#balancer.end();
    await this.#proxy.close();
    await Promise.all(this.#nodes.map((node) => node?.end("SIGTERM")));
  }

  /** A connection that refreshes its token, or requests the keys, all the time. */
  async #ask(client: TestClient, first: string | undefined): Promise<void> {
    const url = `http://127.0.0.1:${this.#proxy.port}`;
    const connection = new HttpAgent({ keepAlive: true, maxSockets: 1 });
    let token = first;
    while (this.#on) {
      const asked =
        token === undefined
          ? ({ method: "GET", path: "/jwks" } as const)
          : { path: "/token", client, form: refreshForm(token) };
      const answer = await send(url, asked, connection);
      this.answers.push(answer);
      if (token !== undefined) token = bodyOf(answer)["refresh_token"];
      await sleep(PAUSE);
    }
    connection.destroy();
  }
}

describe("two nodes behind a balancer, restarted in turn under load", () => {
  const each = Math.ceil(cyclesOf(100, 3) / SITES);

  test(`${SITES} such pair(s), ${each} restarts each → 0 failed requests; each said beforehand that it would end`, {
    timeout: 60_000 + each * 20_000,
  }, async () => {
    const all = await Promise.all(
      Array.from({ length: SITES }, () => prepareData({ rotating: { refresh: "rotate" } })),
    );
    const sites = await Promise.all(all.map((one) => Site.open(one)));
    const slowest = await Promise.all(sites.map((site) => site.restart(each)));
    await Promise.all(sites.map((site) => site.close()));
    for (const { dataDir } of all) rmSync(dirname(dataDir), { recursive: true, force: true });
    const answers = sites.flatMap((site) => site.answers);
    expect(failed({ answers, refusedConnections: 0 })).toEqual([]);
    expect(sites.map(({ announced }) => announced)).toEqual(Array(SITES).fill(each));
    figure("REL-15", "SIGTERM, two nodes behind a balancer", {
      restarts: each * SITES,
      requests: answers.length,
      failed: 0,
      "ms until the end at most": Math.max(...slowest),
    });
  });
});
