import { existsSync, readFileSync } from "node:fs";
import { Agent, get } from "node:http";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { Agent as Visitor } from "../../../test/support/http-browser.ts";
import { aWorkspace, type Running, type Workspace } from "./support/run-command.ts";

let at: Workspace;
const running: Running[] = [];
beforeEach(() => {
  at = aWorkspace();
});
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill("SIGKILL");
    await ended();
  }
  at.remove();
});

interface Served {
  readonly server: Running;
  readonly origin: string;
  readonly metrics: string;
}

async function serve(env: Record<string, string> = {}): Promise<Served> {
  const served = await start(at, env);
  running.push(served.server);
  return served;
}

async function start(workspace: Workspace, env: Record<string, string> = {}): Promise<Served> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const origin = `http://127.0.0.1:${port}`;
  const server = workspace.start(["serve"], {
    env: {
      ASSENT_ISSUER: origin,
      ASSENT_LISTEN: `127.0.0.1:${port}`,
      ASSENT_METRICS_LISTEN: `127.0.0.1:${metricsPort}`,
      ASSENT_WORKERS: "2",
      ...env,
    },
  });
  await server.event("started");
  return { server, origin, metrics: `http://127.0.0.1:${metricsPort}` };
}

/** Status 0: there was no answer. */
function ask(url: string, agent: Agent | false = false): Promise<{ status: number; text: string }> {
  return new Promise((resolve) => {
    get(url, { agent }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      response.on("close", () => resolve({ status: response.statusCode ?? 0, text }));
    }).on("error", ({ message }) => resolve({ status: 0, text: message }));
  });
}

async function crewOf(origin: string): Promise<unknown> {
  return JSON.parse((await ask(`${origin}/health/ready`)).text).workers;
}

async function until(condition: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await condition())) await sleep(20);
}

/** The value of a sample, named as in the text of the metrics. */
async function figure(metrics: string, sample: string): Promise<number> {
  const line = (await ask(`${metrics}/metrics`)).text.split("\n").find((one) => one.startsWith(`${sample} `));
  return Number(line?.slice(sample.length));
}

/** The ids of the worker processes. */
function workersOf({ child }: Running): number[] {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
  return children.trim().split(/\s+/).map(Number);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** The flags of each worker about the room for what is new in memory. */
function roomOf(server: Running): string[][] {
  return workersOf(server).map((pid) => {
    expect(readFileSync(`/proc/${pid}/environ`, "utf8").split("\0")).toContain("MALLOC_ARENA_MAX=2");
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return words.filter((word) => word.startsWith("--max-semi-space-size"));
  });
}

describe("two workers that serve, one thing after another", () => {
  let folder: Workspace;
  let served: Served;
  /** How many ends of workers were looked at. */
  let ends = 0;
  beforeAll(async () => {
    folder = aWorkspace();
    served = await start(folder);
  });
  afterAll(async () => {
    served.server.child.kill("SIGKILL");
    await served.server.ended();
    folder.remove();
  });

  /** The next line of the log about the end of a worker. */
  async function nextEnd(server: Running): Promise<unknown> {
    const lines = () =>
      server
        .stdout()
        .split("\n")
        .slice(0, -1)
        .filter((line) => line.includes('"worker_ended"'));
    await until(() => lines().length > ends);
    ends += 1;
    return JSON.parse(lines()[ends - 1] ?? "");
  }

  test("both serve on one port, one line about the start; little room for what is new in memory", async () => {
    const { server, origin, metrics } = served;
    const workers = workersOf(server);
    expect(workers).toHaveLength(2);
    expect(await server.event("started")).toMatchObject({ workers: { live: 2, of: 2 } });
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(`${origin}/jwks`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(20).fill(200));
    expect(await crewOf(origin)).toEqual({ live: 2, of: 2 });
    expect(await figure(metrics, 'assent_http_requests_total{endpoint="/jwks",status="200"}')).toBe(20);
    expect(await figure(metrics, "assent_workers_serving")).toBe(2);
    for (const worker of ["1", "2"])
      expect(await figure(metrics, `process_resident_memory_bytes{worker="${worker}"}`)).toBeGreaterThan(1e7);
    expect(server.stdout().match(/"event":"started"/g)).toHaveLength(1);
    expect(roomOf(server)).toEqual([["--max-semi-space-size=4"], ["--max-semi-space-size=4"]]);
  });

  test("another Assent with workers has the port → refused, not shared", async () => {
    const env = { ASSENT_LISTEN: new URL(served.origin).host, ASSENT_WORKERS: "2" };
    const { code, stderr } = await at.run(["serve"], { env });
    expect(stderr).toContain("is used by another program");
    expect(code).toBe(1);
  });

  test("kill -9 of one → the log says so, the other answers meanwhile, a new one takes its place", async () => {
    const { server, origin, metrics } = served;
    const [victim = 0] = workersOf(server);
    process.kill(victim, "SIGKILL");
    expect(await nextEnd(server)).toMatchObject({ level: "error", signal: "SIGKILL", restart_in_ms: 100 });
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(`${origin}/health/ready`)));
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    await until(async () => JSON.stringify(await crewOf(origin)) === '{"live":2,"of":2}');
    expect(workersOf(server)).toHaveLength(2);
    expect(await figure(metrics, "assent_worker_restarts_total")).toBe(1);
  });

  test("SIGTERM to one worker, requests going on → none fails, a new one comes at once", async () => {
    const { server, origin } = served;
    const [first = 0] = workersOf(server);
    const statuses: number[] = [];
    const load = { on: true };
    const asking = Array.from({ length: 4 }, async () => {
      const connection = new Agent({ keepAlive: true, maxSockets: 1 });
      while (load.on) {
        const { status } = await ask(`${origin}/jwks`, connection);
        // The server may close a kept connection at the moment of the next request. Clients repeat a GET then (RFC 9112
        // §9.3.1).
        statuses.push(status === 0 ? (await ask(`${origin}/jwks`)).status : status);
      }
      connection.destroy();
    });
    await sleep(100);
    process.kill(first, "SIGTERM");
    expect(await nextEnd(server)).toMatchObject({ level: "info", code: 0, restart_in_ms: 0 });
    await until(async () => JSON.stringify(await crewOf(origin)) === '{"live":2,"of":2}');
    load.on = false;
    await Promise.all(asking);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
    expect(isAlive(first)).toBe(false);
  });

  test("kill -9 of both → back on the same port", async () => {
    const { server, origin } = served;
    for (const worker of workersOf(server)) process.kill(worker, "SIGKILL");
    await until(async () => (await ask(`${origin}/health/ready`)).status === 200);
    await until(async () => JSON.stringify(await crewOf(origin)) === '{"live":2,"of":2}');
  });

  test("SIGTERM → exit code 0, both gone", async () => {
    const { server } = served;
    const workers = workersOf(server);
    server.child.kill("SIGTERM");
    const { code, stdout, stderr } = await server.ended();
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain('"event":"stopped"');
    expect(workers.filter(isAlive)).toEqual([]);
  });
});

describe("serve with ASSENT_WORKERS=2", () => {
  test("the port is taken → said once, exit code 1", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    const env = { ASSENT_LISTEN: `127.0.0.1:${port}`, ASSENT_WORKERS: "2" };
    const { code, stderr, stdout } = await at.run(["serve"], { env });
    other.close();
    expect(stderr).toBe(
      `error: 127.0.0.1:${port} is used by another program: stop that program, or set ASSENT_LISTEN to another host:port\n`,
    );
    expect([code, stdout]).toEqual([1, ""]);
  });

  test("room for what is new in memory, said by the operator → what they said", async () => {
    const { server } = await serve({ NODE_OPTIONS: "--max-semi-space-size=8" });
    expect(roomOf(server)).toEqual([[], []]);
  });

  test("no worker can start → what is wrong is said once, exit code 1", async () => {
    await at.json(["db", "migrate"]);
    await at.json(["key", "rotate"]);
    const env = {
      ASSENT_LISTEN: "127.0.0.1:0",
      ASSENT_SECRET: Buffer.alloc(32, 7).toString("base64"),
      ASSENT_WORKERS: "3",
    };
    const { code, stderr } = await at.run(["serve"], { env });
    expect(stderr).toMatch(/^error: [^\n]*cannot be unsealed[^\n]*ASSENT_SECRET[^\n]*\n$/);
    expect(code).toBe(1);
  });

  test("the figures' port is taken → names the variable, exit code 1, nobody is left", async () => {
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const address = other.address();
    const port = typeof address === "object" ? address?.port : 0;
    const env = {
      ASSENT_LISTEN: "127.0.0.1:0",
      ASSENT_METRICS_LISTEN: `127.0.0.1:${port}`,
      ASSENT_WORKERS: "2",
    };
    const { code, stderr } = await at.run(["serve"], { env });
    other.close();
    expect(stderr).toMatch(/^error: [^\n]*set ASSENT_METRICS_LISTEN to another host:port\n$/);
    expect(code).toBe(1);
  });

  test("kill -9 of the supervisor → no worker stays behind", async () => {
    const { server } = await serve();
    const workers = workersOf(server);
    server.child.kill("SIGKILL");
    await server.ended();
    await until(() => !workers.some(isAlive));
  });

  test("both write to one log → every line is whole", async () => {
    const { server, origin } = await serve({ ASSENT_LOG_LEVEL: "trace" });
    const long = "x".repeat(900);
    const connections = new Agent({ keepAlive: true, maxSockets: 32 });
    const answers = await Promise.all(
      Array.from({ length: 1500 }, () => ask(`${origin}/authorize?client_id=${long}`, connections)),
    );
    connections.destroy();
    server.child.kill("SIGTERM");
    const { stdout } = await server.ended();
    const lines = stdout
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { event?: string; pid: number });
    const refused = lines.filter(({ event }) => event === "refused");
    // On a busy machine, the server may refuse some requests before it reads them.
    expect(refused).toHaveLength(answers.filter(({ status }) => status === 400).length);
    expect(refused.length).toBeGreaterThan(500);
    expect(new Set(refused.map(({ pid }) => pid)).size).toBe(2);
  });
});

test("demo worker without a demo → says what to run instead", async () => {
  const { code, stderr } = await at.run(["demo", "worker"]);
  expect([code, stderr]).toEqual([
    1,
    "error: assent demo starts this command itself: set ASSENT_WORKERS, and run assent demo\n",
  ]);
});

test("demo with ASSENT_WORKERS=2: a password is forgotten → the link stands in the log, as with one process", async () => {
  const env = { ASSENT_LISTEN: "127.0.0.1:0", ASSENT_DEMO_PORTS: "0,0", ASSENT_WORKERS: "2" };
  const demo = at.start(["demo"], { env });
  running.push(demo);
  const file = join(at.dataDir, "demo.json");
  await until(() => existsSync(file));
  const { issuer } = JSON.parse(readFileSync(file, "utf8")) as { issuer: string };
  await until(async () => (await ask(`${issuer}/health/ready`)).status === 200);
  const visitor = new Visitor(issuer);
  const [form] = (await visitor.get("/recover")).forms.filter(({ fields }) => fields.has("login"));
  if (form === undefined) throw new Error("no form");
  await visitor.submit(form, { login: "demo@example.com" });
  const mails = () => demo.stdout().match(/"event":"mail"[^\n]*/g) ?? [];
  await until(() => mails().length > 0);
  expect(mails().join()).toContain(`${issuer}/recover/`);
  await sleep(500);
  expect(mails()).toHaveLength(1);
  expect(demo.stdout()).not.toContain("mail_off");
});

test("demo with ASSENT_WORKERS=2 → two serve, the demo's files name them; SIGTERM → exit code 0", async () => {
  const env = { ASSENT_LISTEN: "127.0.0.1:0", ASSENT_DEMO_PORTS: "0,0", ASSENT_WORKERS: "2", ASSENT_LOG_LEVEL: "warn" };
  const demo = at.start(["demo"], { env });
  running.push(demo);
  const file = join(at.dataDir, "demo.json");
  await until(() => existsSync(file));
  const { issuer } = JSON.parse(readFileSync(file, "utf8")) as { issuer: string };
  await until(async () => (await ask(`${issuer}/health/ready`)).status === 200);
  expect(await crewOf(issuer)).toEqual({ live: 2, of: 2 });
  await until(() => demo.stdout().includes(issuer));
  demo.child.kill("SIGTERM");
  const { code, stderr } = await demo.ended();
  expect([code, stderr]).toEqual([0, ""]);
});

test("demo with ASSENT_WORKERS=2: SIGTERM while it starts → it stops its workers, exit code 0", async () => {
  const env = { ASSENT_LISTEN: "127.0.0.1:0", ASSENT_DEMO_PORTS: "0,0", ASSENT_WORKERS: "2", ASSENT_LOG_LEVEL: "warn" };
  const fresh = { ...env, ASSENT_DATA_DIR: join(at.folder, "early") };
  const demo = at.start(["demo"], { env: fresh });
  running.push(demo);
  const file = join(fresh.ASSENT_DATA_DIR, "demo.json");
  await until(() => existsSync(file));
  expect(demo.stdout()).toBe("");
  demo.child.kill("SIGTERM");
  const { code, stderr } = await demo.ended();
  expect([code, stderr]).toEqual([0, ""]);
  const { issuer } = JSON.parse(readFileSync(file, "utf8")) as { issuer: string };
  expect((await ask(`${issuer}/health/ready`)).status).toBe(0);
});
