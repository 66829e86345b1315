/** Examples, run as somebody does who types what their first lines say: the same commands, in a folder of their own. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";

const root = join(import.meta.dirname, "../..");

/** Milliseconds after which a server that runs by itself has seen what a command wrote. */
const BEHIND = 600;

/** The commands in an example's first comment, in their order; one that goes on in the next line is one. */
export function commandsOf(example: string): readonly string[] {
  const head = readFileSync(join(root, example), "utf8").split("*/", 1)[0] ?? "";
  const lines = [...head.matchAll(/^ \* {3}(\S.*| {2}\S.*)$/gm)].map(([, line = ""]) => line);
  return lines
    .join("\n")
    .replaceAll(/ \\\n +/g, " ")
    .split("\n");
}

export interface Reader {
  readonly folder: string;
  /** What commands have printed, by its name; a command that says `$NAME` is given it. */
  readonly printed: Map<string, string>;
  /** Runs a command to its end; its standard output. Rejects with `code` and `stderr` where it fails. */
  run(command: string, input?: string): Promise<string>;
  /** Starts one that goes on, and waits until it has said this. */
  start(command: string, said: RegExp): Promise<Started>;
  /** Kills what still runs. */
  leave(): Promise<void>;
}

export interface Started {
  /** What it said that was waited for. */
  readonly found: RegExpExecArray;
  /** Everything that it had said when it ended, by itself, with this code. */
  ended(): Promise<{ readonly code: number | null; readonly said: string }>;
}

/**
 * `env`: what all commands are given. `…` behind a name is what an earlier command printed under it.
 * `ran` is told each example that ended well or said what was waited for, as `examples/device.ts`.
 */
export function aReader(env: Readonly<Record<string, string>>, ran: Set<string>): Reader {
  const folder = mkdtempSync(join(tmpdir(), "assent-examples-"));
  symlinkSync(join(root, "examples"), join(folder, "examples"));
  const printed = new Map<string, string>();
  const running: ChildProcess[] = [];
  const options = {
    cwd: folder,
    env: {
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: folder,
      ...env,
    },
  };

  const note = (command: string) => {
    for (const [path] of command.matchAll(/examples\/\S+\.ts/g)) ran.add(path);
  };

  function shellOf(command: string): string {
    return command
      .replaceAll("npx assent", `node ${join(root, "packages/cli/bin/assent.js")}`)
      .replaceAll(/\b([A-Z_]+)=…/g, (_, name: string) => {
        const value = printed.get(name.toLowerCase());
        if (value === undefined) throw new Error(`nothing has printed ${name} yet`);
        return `${name}='${value}'`;
      });
  }

  /** Those that the command itself names: a program must not see what it wasn't given. */
  const variablesOf = (command: string) =>
    Object.fromEntries(
      [...command.matchAll(/\$\{?([A-Z_]+)/g)].flatMap(([, name = ""]) => {
        const value = printed.get(name.toLowerCase());
        return value === undefined ? [] : [[name, value]];
      }),
    );

  return {
    folder,
    printed,
    async run(command, input = "") {
      const going = promisify(execFile)("sh", ["-c", shellOf(command)], {
        ...options,
        env: { ...variablesOf(command), ...options.env },
      });
      // A command that reads nothing may be gone before it is given anything.
      going.child.stdin?.on("error", () => undefined);
      going.child.stdin?.end(input);
      const { stdout } = await going;
      note(command);
      for (const [, name = "", value = ""] of stdout.matchAll(/^([a-z_]+) {2,}(\S+)$/gm)) printed.set(name, value);
      if (command.startsWith("npx assent")) await sleep(BEHIND);
      return stdout;
    },
    async start(command, wanted) {
      const child = spawn("sh", ["-c", `exec env ${shellOf(command)}`], {
        ...options,
        stdio: ["ignore", "pipe", "pipe"],
      });
      running.push(child);
      const exit = once(child, "close") as Promise<[number | null]>;
      let said = "";
      const found = await new Promise<RegExpExecArray>((resolve, reject) => {
        const hear = (chunk: Buffer) => {
          said += chunk.toString();
          const match = wanted.exec(said);
          if (match !== null) resolve(match);
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
        exit.then(([code]) => reject(new Error(`${command} ended with ${code}: ${said}`)), reject);
      });
      note(command);
      const ended = async () => {
        const [code] = await exit;
        return { code, said };
      };
      return { found, ended };
    },
    async leave() {
      for (const child of running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
        child.kill();
        await once(child, "close");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
