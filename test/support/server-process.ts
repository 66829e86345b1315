/**
 * Server processes: starts them on free ports and a shared data directory, kills them, stops them, and waits for them.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, renameSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, consentForm, type Page } from "./http-browser.ts";
import { LAUNCHER } from "./published-packages.ts";
import { PASSWORD, postgresOf, startServer, type TestClient, type TestServer } from "./test-server.ts";

/** The issuer of all processes of a test. Each listens on another address. */
export const ISSUER = "http://localhost:9400";

export interface ServerProcess {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly pid: number;
  /** Milliseconds from the start until `/health/ready` answered 200. */
  readonly readyAfter: number;
  /** Output on stdout and stderr. */
  readonly output: string[];
  /** Sends the signal. Resolves when the process has ended. */
  end(signal: "SIGKILL" | "SIGTERM"): Promise<Ended>;
  readonly ended: Promise<Ended>;
}

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Thrown if a process ended before it was ready. */
export class NotStarted extends Error {
  readonly output: string;
  readonly code: number | null;

  constructor(output: string, code: number | null) {
    super(`the server process did not start:\n${output}`);
    this.output = output;
    this.code = code;
  }
}

/** The root of this checkout. */
const here = join(import.meta.dirname, "..", "..");

/**
 * Starts `assent serve` on a data directory. Resolves when it is ready. `env`: additional variables. `flags`: options
 * of Node.js. `checkout`: the checkout of another version.
 */
export async function startProcess(
  dataDir: string,
  env: Record<string, string> = {},
  flags: readonly string[] = [],
  checkout: string = here,
): Promise<ServerProcess> {
  const startedAt = performance.now();
  const { child, started, ended, output } = launch(dataDir, env, flags, checkout);
  const url = await Promise.race([started, ended]);
  if (typeof url !== "string") throw new NotStarted(output.join(""), url.code);
  await untilReady(url);
  return {
    url,
    pid: child.pid ?? 0,
    readyAfter: performance.now() - startedAt,
    output,
    ended,
    end(signal) {
      child.kill(signal);
      return ended;
    },
  };
}

/** Starts a process, and kills it after this number of milliseconds, at any point of its start. */
export async function killDuringStart(dataDir: string, after: number): Promise<void> {
  const { child, ended } = launch(dataDir, {});
  await Promise.race([new Promise((resolve) => setTimeout(resolve, after)), ended]);
  child.kill("SIGKILL");
  await ended;
}

function launch(dataDir: string, env: Record<string, string>, flags: readonly string[] = [], checkout = here) {
  const command = checkout === here ? LAUNCHER : join(checkout, "packages", "cli", "bin", "assent.js");
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSENT_"));
  const child = spawn(process.execPath, [...flags, command, "serve"], {
    cwd: dataDir,
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...Object.fromEntries(inherited),
      ASSENT_ISSUER: ISSUER,
      ASSENT_LISTEN: "127.0.0.1:0",
      ASSENT_DATA_DIR: dataDir,
      ...databaseEnv(dataDir),
      ...env,
    },
  });
  // Kills the processes of a test that stopped early.
  const takeAlong = () => child.kill("SIGKILL");
  process.once("exit", takeAlong);
  const output: string[] = [];
  let listens = false;
  const started = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output.push(text);
        if (listens) return;
        // The line may arrive in two pieces.
        const address = /"event":"started".*?"listen":"([^"]+)"/.exec(output.join(""))?.[1];
        if (address === undefined) return;
        listens = true;
        resolve(`http://${address}`);
      });
  });
  const ended = new Promise<Ended>((resolve) =>
    child.once("close", (code, signal) => {
      process.off("exit", takeAlong);
      resolve({ code, signal });
    }),
  );
  return { child, started, ended, output };
}

/** The variables that name a data directory's external database. Empty: the database is in the directory. */
function databaseEnv(dataDir: string): Record<string, string> {
  const url = postgresOf(dataDir);
  if (url === undefined) return {};
  return { ASSENT_DATABASE_URL: url, ASSENT_SECRET: readFileSync(join(dataDir, "secret"), "utf8").trim() };
}

async function untilReady(url: string): Promise<void> {
  for (;;) {
    const response = await fetch(`${url}/health/ready`).catch(() => undefined);
    await response?.arrayBuffer();
    if (response?.status === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export interface Prepared<Names extends string> {
  /** No process has it open. */
  readonly dataDir: string;
  readonly clients: Readonly<Record<Names, TestClient>>;
  readonly person: Person;
}

/** A data directory with clients and a person, from a server that stopped normally. `more`: additional set-up. */
export async function prepareData<Names extends string>(
  clients: Readonly<Record<Names, Partial<Client>>>,
  more: (server: TestServer) => Promise<unknown> = async () => undefined,
): Promise<Prepared<Names>> {
  const server = await startServer({ config: { issuer: ISSUER } });
  const person = await server.addPerson();
  // One after the other: at the start of a run, a slow machine opens connections to PostgreSQL slowly.
  const added: (readonly [string, TestClient])[] = [];
  for (const [name, client] of Object.entries<Partial<Client>>(clients)) {
    added.push([name, await server.addClient(client)]);
  }
  await more(server);
  await server.assent.close();
  const dataDir = join(mkdtempSync(join(tmpdir(), "assent-processes-")), "data");
  renameSync(server.dataDir, dataDir);
  await server.stop();
  return { dataDir, clients: Object.fromEntries(added) as Record<Names, TestClient>, person };
}

/** Follows redirects to the issuer's pages, which this process serves at another address. */
export async function follow(agent: Agent, page: Page): Promise<Page> {
  let current = page;
  while (current.location?.origin === ISSUER)
    current = await agent.get(current.location.pathname + current.location.search);
  return current;
}

/**
 * Signs a person in at one process, and allows the request once. After that, `nextCode` gets a code with one request.
 */
export async function signedInAgent(url: string, person: Person, firstRequest: string): Promise<Agent> {
  const agent = new Agent(url);
  const [form] = (await agent.get("/login")).forms;
  if (form === undefined) throw new Error("no sign-in form");
  await agent.submit(form, { username: person.username, password: PASSWORD });
  const page = await follow(agent, await agent.get(firstRequest));
  if (page.location === undefined) await agent.submit(consentForm(page), { decision: "allow", duration: "forever" });
  return agent;
}

/** Milliseconds in which a page that asks to try again is requested again. */
const PATIENCE = 10_000;

/** A code by the existing consent. An overloaded server asks to try again; this helper does so for a while. */
export async function nextCode(agent: Agent, path: string): Promise<string> {
  const until = performance.now() + PATIENCE;
  for (;;) {
    const { location, status, text } = await agent.get(path);
    const code = location?.searchParams.get("code");
    if (code !== null && code !== undefined) return code;
    if (status !== 503 || performance.now() > until)
      throw new Error(`no code: ${status} ${location} ${text.slice(0, 300)}`);
    await sleep(40);
  }
}

/** The path of a valid authorization request. */
export function authorizePath(client: TestClient, changes: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: client.redirectUris[0] ?? "",
    scope: "read",
    ...changes,
  });
  return `/authorize?${query}`;
}
