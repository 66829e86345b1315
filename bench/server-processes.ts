/** Server processes on their own core, and the resources that they used. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ToProfiler } from "./cpu-profile-on-request.ts";
import { type Usage, usageOf } from "./process-usage.ts";

/** The core of the load and of its databases: the last one, so that servers have two of three. */
export const loadCore = availableParallelism() - 1;

let pinning: boolean | undefined;

/** Puts the load on its core, at the first call, and later servers on theirs. Returns true if that worked. */
export function pinned(): boolean {
  pinning ??= pin();
  return pinning;
}

function pin(): boolean {
  if (loadCore < 1) return false;
  try {
    execFileSync("taskset", ["-a", "-p", "-c", String(loadCore), String(process.pid)], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

export interface ServerProcess {
  readonly port: number;
  readonly pid: number;
  /** Of the process with its child processes. */
  usage(): Usage;
  /** Sends a message to one of our servers, and returns its answer. */
  ask<T>(message: object): Promise<T>;
  /** Profiles the main thread until `save`; for servers started with `profiled`. */
  profile(): Promise<void>;
  save(file: string): Promise<void>;
  end(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** True: the server can be profiled. */
  readonly profiled?: boolean;
  /** The launcher that starts the server; default: this checkout's. */
  readonly launcher?: string;
  /** The cores of the server, in the form of taskset(1); default: the usual cores of servers. */
  readonly cores?: string;
}

/** Starts a script of this folder. It sends `{ port }` to its parent, and may send other values with it. */
export async function startScript<T extends object = object>(
  file: string,
  args: readonly string[],
  options: StartOptions = {},
): Promise<ServerProcess & { readonly said: T }> {
  const server = launch([process.execPath, join(import.meta.dirname, file), ...args], options, true);
  const said = await server.hear<T & { readonly port: number }>((message) => "port" in message);
  return { ...server.process(said.port), said };
}

const LAUNCHER = join(import.meta.dirname, "..", "packages", "cli", "bin", "assent.js");

/** Starts `assent serve` by its own launcher and drops its log. It doesn't wait for the server; `untilReady` does. */
export async function launchAssent(options: StartOptions): Promise<ServerProcess> {
  const port = await freePort();
  const env = { ...options.env, ASSENT_LISTEN: `127.0.0.1:${port}` };
  return launch([options.launcher ?? LAUNCHER, "serve"], { ...options, env }).process(port);
}

export async function startAssent(options: StartOptions): Promise<ServerProcess> {
  const server = await launchAssent(options);
  await untilReady(server.port);
  return server;
}

/** Throws after 30 seconds. The server has written the reason to stderr. */
export async function untilReady(port: number): Promise<void> {
  for (let tried = 0; tried < 3000; tried += 1) {
    const answer = await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined);
    await answer?.arrayBuffer();
    if (answer?.status === 200) return;
    await sleep(10);
  }
  throw new Error("a server was not ready within 30 seconds");
}

const living = new Set<ChildProcess>();
let watching = false;

/** Stops servers that are still running, because they would disturb the next measurement. */
function keep(child: ChildProcess): void {
  if (!watching) {
    watching = true;
    process.once("exit", () => {
      for (const one of living) one.kill("SIGKILL");
    });
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(1));
  }
  living.add(child);
  child.once("exit", () => living.delete(child));
}

/** `heard`: the server sends messages to its parent. Nobody starts Assent with such a channel in production. */
function launch(
  command: readonly string[],
  { env = {}, profiled = false, cores = "0" }: StartOptions,
  heard: boolean = profiled,
) {
  const [program = "", ...rest] = pinning === true ? ["taskset", "-c", cores, ...command] : command;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSENT_"));
  const preload = profiled
    ? { NODE_OPTIONS: `--import=${join(import.meta.dirname, "cpu-profile-on-request.ts")}` }
    : {};
  const child = spawn(program, rest, {
    env: { ...Object.fromEntries(inherited), ...preload, ...env },
    stdio: ["ignore", "ignore", "inherit", ...(heard ? (["ipc"] as const) : [])],
  });
  keep(child);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const hear = <T>(isIt: (message: object) => boolean): Promise<T> =>
    new Promise((resolve, reject) => {
      const gone = (code: number | null) => reject(new Error(`a server ended with ${code}`));
      const listen = (message: object) => {
        if (!isIt(message)) return;
        child.off("exit", gone);
        child.off("message", listen);
        resolve(message as T);
      };
      child.once("exit", gone);
      child.on("message", listen);
    });
  const tell = async (message: ToProfiler) => {
    const done = hear((answer) => "profiler" in answer);
    child.send(message);
    await done;
  };
  const pid = child.pid ?? 0;
  const process_ = (port: number): ServerProcess => ({
    port,
    pid,
    usage: () => usageOf(pid),
    ask: <T>(message: object) => {
      const answered = hear<T>((answer) => "answer" in answer);
      child.send(message);
      return answered;
    },
    profile: () => tell({ profiler: "start" }),
    save: (file) => tell({ profiler: "save", file }),
    end: async () => {
      child.kill("SIGTERM");
      const late = setTimeout(() => child.kill("SIGKILL"), 5000);
      await ended;
      clearTimeout(late);
    },
  });
  return { hear, process: process_ };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}
