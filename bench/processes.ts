/** Server processes on a core of their own, and what they use. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Usage, usageOf } from "./proc.ts";
import type { ToProfiler } from "./profiler.ts";

/** The core of the load, and of the databases that it starts: the last one, so that two are left for servers where there are three. */
export const loadCore = availableParallelism() - 1;

let pinning: boolean | undefined;

/** Gives the load its core, the first time that it is asked, and servers that are started from then on theirs. True: that worked. */
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
  /** With its child processes. */
  usage(): Usage;
  /** Asks what a server of ours understands; what it answers. */
  ask<T>(message: object): Promise<T>;
  /** Profiles the main thread until `save`; for servers started with `profiled`. */
  profile(): Promise<void>;
  save(file: string): Promise<void>;
  end(): Promise<void>;
}

export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** It can be profiled. */
  readonly profiled?: boolean;
  /** The launcher that starts it; default: this checkout's. */
  readonly launcher?: string;
  /** Cores that it may run on, as taskset(1) takes them; default: the servers' own. */
  readonly cores?: string;
}

/** Starts a script of this folder, which sends `{ port }` to its parent, with what else it tells of itself. */
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

/** Starts `assent serve` by its own launcher, its log going nowhere. Doesn't wait until it answers: `untilReady` does. */
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

/** Throws after 30 seconds: it has told why not on stderr. */
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

/** Servers that somebody forgot would spoil whatever is measured next. */
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

/** `heard`: it tells its parent something. Nobody in earnest starts Assent with a channel to talk to it. */
function launch(
  command: readonly string[],
  { env = {}, profiled = false, cores = "0" }: StartOptions,
  heard: boolean = profiled,
) {
  const [program = "", ...rest] = pinning === true ? ["taskset", "-c", cores, ...command] : command;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith("ASSENT_"));
  const preload = profiled ? { NODE_OPTIONS: `--import=${join(import.meta.dirname, "profiler.ts")}` } : {};
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
