/** Runs the command on its own data directory, in its own process or in a process that runs several commands. */

import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAIN } from "../../../../test/support/published-packages.ts";
import type { Asked } from "./command-runner-process.ts";

const HOST = join(import.meta.dirname, "command-runner-process.ts");

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
  /**
   * In its own process. This is the default for commands that keep running, load configured code, or run in parallel.
   */
  readonly alone?: boolean;
  /** Input and output are a terminal, and the input is typed. */
  readonly terminal?: boolean;
  /** The output is a terminal of this width. */
  readonly columns?: number;
}

export interface Workspace {
  /** Working directory. The data directory `data` in it doesn't exist yet. */
  readonly folder: string;
  readonly dataDir: string;
  /** Runs one command line to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Result>;
  /** Runs with `--json`, and returns the one document on stdout. The command must succeed. */
  json<T = Record<string, unknown>>(args: readonly string[], options?: RunOptions): Promise<T>;
  /** Starts a command that keeps running. */
  start(args: readonly string[], options?: RunOptions): Running;
  remove(): void;
}

export interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The first line of the log with this event. Rejects if the process ends first. */
  event(name: string): Promise<Record<string, unknown>>;
  ended(): Promise<Result>;
}

/** `main`: the program that a process of its own runs. */
export function aWorkspace(main = MAIN): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "assent-cli-"));
  const dataDir = join(folder, "data");
  const envOf = (env: Readonly<Record<string, string>>) => ({
    PATH: process.env["PATH"],
    NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    HOME: folder,
    ASSENT_DATA_DIR: dataDir,
    ...env,
  });
  const start = (args: readonly string[], { env = {}, input }: RunOptions = {}) => {
    const child = spawn(process.execPath, [main, ...args], {
      cwd: folder,
      env: envOf(env),
      stdio: ["pipe", "pipe", "pipe"],
    });
    // A command that fails early doesn't read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    return watch(child);
  };
  const host = aCommandHost(folder, envOf({}));
  const run = async (args: readonly string[], options: RunOptions = {}) => {
    const { env = {}, input = "", alone = false, terminal = false, columns } = options;
    const own = alone || host.busy() || ["serve", "demo"].includes(args[0] ?? "") || "ASSENT_CONFIG" in env;
    if (own) return start(args, options).ended();
    const asked = { args, env: envOf(env), input: Buffer.from(input).toString("base64"), terminal };
    return host.run({ ...asked, columns });
  };
  return {
    folder,
    dataDir,
    start,
    run,
    async json(args, options) {
      const { code, stdout, stderr } = await run([...args, "--json"], options);
      if (code !== 0) throw new Error(`assent ${args.join(" ")}: exit code ${code}: ${stderr}`);
      return JSON.parse(stdout);
    },
    remove() {
      host.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A workspace with a database. */
export async function aWorkspaceWithDatabase(): Promise<Workspace> {
  const at = aWorkspace();
  await at.json(["db", "migrate"]);
  return at;
}

/** A process that runs command lines one after another, as command-runner-process.ts describes. */
export interface CommandHost {
  /** It runs one now. */
  busy(): boolean;
  run(asked: Asked): Promise<Result>;
  end(): void;
}

/** Its process starts with the first command line. `cwd`: where the command lines run. */
export function aCommandHost(cwd: string, env: NodeJS.ProcessEnv): CommandHost {
  let child: ChildProcess | undefined;
  let busy = false;
  const started = async () => {
    if (child !== undefined) return child;
    const made = fork(HOST, [], { cwd, env, stdio: ["ignore", "inherit", "inherit", "ipc"] });
    child = made;
    await once(made, "message");
    return made;
  };
  return {
    busy: () => busy,
    async run(asked) {
      busy = true;
      const done = new AbortController();
      try {
        const made = await started();
        const answered = once(made, "message", done);
        const gone = once(made, "exit", done).then(([code]) => {
          throw new Error(`assent ${asked.args.join(" ")}: ended the process that it ran in, with ${code}`);
        });
        for (const one of [answered, gone]) one.catch(() => undefined);
        made.send(asked);
        const [result] = await Promise.race([answered, gone]);
        return result as Result;
      } finally {
        done.abort();
        busy = false;
      }
    },
    end: () => child?.kill("SIGKILL"),
  };
}

function watch(child: ChildProcess): Running {
  const told = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      told[name] += text;
    });
  }
  const closed = once(child, "close") as Promise<[number | null]>;
  const find = (name: string) =>
    told.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .find(({ event }) => event === name);
  return {
    child,
    stdout: () => told.stdout,
    stderr: () => told.stderr,
    async event(name) {
      for (;;) {
        const found = find(name);
        if (found !== undefined) return found;
        const more = child.stdout === null ? undefined : once(child.stdout, "data");
        const ended = closed.then(() => {
          const last = find(name);
          if (last === undefined) throw new Error(`ended without ${name}: ${told.stdout}${told.stderr}`);
        });
        await Promise.race([more, ended]);
      }
    },
    async ended() {
      const [code] = await closed;
      return { code, ...told };
    },
  };
}
