/** Runs examples as a reader would: the commands in their first comments, in a separate folder. */

import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { aCommandHost } from "../../packages/cli/test/support/run-command.ts";

const root = join(import.meta.dirname, "../..");

/** Milliseconds after which a running server has read the changes of a command. */
const BEHIND = 600;

/**
 * The commands in an example's first comment, in order. A command that continues on the next line is one command. The
 * comment is one of TypeScript, Java (both begin lines with ` *`), Go (`//`) or Python (`#`).
 */
export function commandsOf(example: string): readonly string[] {
  const head = readFileSync(join(root, example), "utf8").split("*/", 1)[0] ?? "";
  const lines = [...head.matchAll(/^(?: \*|\/\/|#) {3}(\S.*| {2}\S.*)$/gm)].map(([, line = ""]) => line);
  return lines
    .join("\n")
    .replaceAll(/ \\\n +/g, " ")
    .split("\n");
}

export interface Reader {
  readonly folder: string;
  /** The output of named commands. A command that contains `$NAME` gets it. */
  readonly printed: Map<string, string>;
  /** Runs a command to its end, and returns its standard output. Rejects with `code` and `stderr` if it fails. */
  run(command: string, input?: string): Promise<string>;
  /** Starts a command that keeps running, and waits until it has printed this text. */
  start(command: string, said: RegExp): Promise<Started>;
  /** Kills the commands that still run. */
  leave(): Promise<void>;
}

export interface Started {
  /** The expected text that the command printed. */
  readonly found: RegExpExecArray;
  /** Waits until all output together has this text. */
  says(wanted: RegExp): Promise<RegExpExecArray>;
  /** The command ended by itself with this code, after this output. */
  ended(): Promise<{ readonly code: number | null; readonly said: string }>;
}

/**
 * `env`: variables for all commands. `…` after a name stands for the output of an earlier command with this name. `ran`
 * is called with each example that succeeded or printed the expected text, such as `examples/device.ts`.
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

  const host = aCommandHost(folder, options.env);

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

  /** The variables that the command itself names. A program must not see others. */
  const variablesOf = (command: string) =>
    Object.fromEntries(
      [...command.matchAll(/\$\{?([A-Z_]+)/g)].flatMap(([, name = ""]) => {
        const value = printed.get(name.toLowerCase());
        return value === undefined ? [] : [[name, value]];
      }),
    );

  /** Runs a command with a shell. */
  async function inShell(command: string, input: string): Promise<string> {
    const going = promisify(execFile)("sh", ["-c", shellOf(command)], {
      ...options,
      env: { ...variablesOf(command), ...options.env },
    });
    // A command that reads no input may have ended before it gets any.
    going.child.stdin?.on("error", () => undefined);
    going.child.stdin?.end(input);
    return (await going).stdout;
  }

  /** Runs the `assent` command with the words that a shell makes of it, in a process that has loaded it. */
  async function inHost(command: string, input: string): Promise<string> {
    const env = { ...variablesOf(command), ...options.env };
    const script = `set -- ${command.slice("npx assent ".length)}\nprintf '%s\\0' "$@"`;
    const { stdout: words } = await promisify(execFile)("sh", ["-c", script], { ...options, env });
    const args = words.split("\0").slice(0, -1);
    const result = await host.run({ args, env, input: Buffer.from(input).toString("base64"), terminal: false });
    if (result.code !== 0) throw Object.assign(new Error(`${command}: ${result.stderr}`), result);
    return result.stdout;
  }

  return {
    folder,
    printed,
    async run(command, input = "") {
      const plain = /^npx assent [^|&;<>()`]*$/.test(command) && !("ASSENT_CONFIG" in env) && !host.busy();
      const stdout = await (plain ? inHost : inShell)(command, input);
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
      const hear = (chunk: Buffer) => {
        said += chunk.toString();
      };
      child.stdout.on("data", hear);
      child.stderr.on("data", hear);
      const says = (text: RegExp) =>
        new Promise<RegExpExecArray>((resolve, reject) => {
          const look = () => {
            const match = text.exec(said);
            if (match !== null) resolve(match);
          };
          child.stdout.on("data", look);
          child.stderr.on("data", look);
          look();
          exit.then(([code]) => reject(new Error(`${command} ended with ${code}: ${said}`)), reject);
        });
      const found = await says(wanted);
      note(command);
      const ended = async () => {
        const [code] = await exit;
        return { code, said };
      };
      return { found, says, ended };
    },
    async leave() {
      for (const child of running.filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null)) {
        child.kill();
        await once(child, "close");
      }
      host.end();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
