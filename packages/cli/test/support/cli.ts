/** The command as a child process, on a data directory of its own. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const MAIN = join(import.meta.dirname, "..", "..", "src", "main.ts");

export interface Result {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Uint8Array;
}

export interface Workspace {
  /** Working directory; the data directory `data` in it isn't made. */
  readonly folder: string;
  readonly dataDir: string;
  /** Runs one command line to its end. */
  run(args: readonly string[], options?: RunOptions): Promise<Result>;
  /** Runs with `--json`: the one document on stdout, of a command that succeeds. */
  json<T = Record<string, unknown>>(args: readonly string[], options?: RunOptions): Promise<T>;
  /** Starts a command that goes on running. */
  start(args: readonly string[], options?: RunOptions): Running;
  remove(): void;
}

export interface Running {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  /** The first line of the log with this event; rejects if the process ends before. */
  event(name: string): Promise<Record<string, unknown>>;
  ended(): Promise<Result>;
}

export function aWorkspace(): Workspace {
  const folder = mkdtempSync(join(tmpdir(), "assent-cli-"));
  const dataDir = join(folder, "data");
  const start = (args: readonly string[], { env = {}, input }: RunOptions = {}) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        HOME: folder,
        ASSENT_DATA_DIR: dataDir,
        ...env,
      },
      stdio: ["pipe", "pipe", "pipe"],
    });
    // A command that fails early doesn't read its input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input ?? "");
    return watch(child);
  };
  const run = (args: readonly string[], options?: RunOptions) => start(args, options).ended();
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
    remove: () => rmSync(folder, { recursive: true, force: true }),
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
