/**
 * A process that runs command lines one after another, as `main.ts` runs one. Their shared modules are loaded only
 * once.
 */

import { Readable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { run } from "../../src/command-tree.ts";

export interface Asked {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
  /** The command treats its input and its messages as a terminal. */
  readonly terminal: boolean;
  /** The width of the terminal to which the command writes. Absent: it writes to a pipe. */
  readonly columns?: number | undefined;
}

type Write = (chunk: Uint8Array | string, ...rest: unknown[]) => boolean;

/** Collects the text written to this stream, until the stream is restored. */
function caught(name: "stdout" | "stderr"): () => string {
  const stream = process[name];
  const before = stream.write;
  const chunks: Buffer[] = [];
  const write: Write = (chunk, ...rest) => {
    chunks.push(Buffer.from(chunk as Uint8Array));
    const done = rest.findLast((one) => typeof one === "function");
    if (done !== undefined) process.nextTick(done as () => void);
    return true;
  };
  stream.write = write;
  return () => {
    stream.write = before;
    stream.removeAllListeners("error");
    return Buffer.concat(chunks).toString();
  };
}

/** The resources that keep the process running. The connection to the test is always one of them. */
function kept(): string {
  return process.getActiveResourcesInfo().sort().join(", ");
}

/** Milliseconds in which a command's process must end after its work. */
const PATIENCE = 10_000;

/**
 * Waits, as a caller of the command would, until everything that it started has ended. Returns an empty text, or the
 * resources that remain.
 */
async function unfinished(before: string): Promise<string> {
  const until = performance.now() + PATIENCE;
  while (kept() !== before) {
    if (performance.now() > until) return `the command is done, but its process would not end: ${kept()}\n`;
    await sleep(1);
  }
  return "";
}

async function answer({ args, env, input, terminal, columns }: Asked): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
  const stdin = Object.assign(Readable.from([Buffer.from(input, "base64")]), { isTTY: terminal });
  Object.defineProperty(process, "stdin", { value: stdin, configurable: true });
  Object.defineProperty(process.stderr, "isTTY", { value: terminal, configurable: true });
  Object.defineProperty(process.stdout, "isTTY", { value: columns !== undefined, configurable: true });
  Object.defineProperty(process.stdout, "columns", { value: columns, configurable: true });
  process.exitCode = undefined;
  const [out, err] = [caught("stdout"), caught("stderr")];
  const before = kept();
  const code = await run(args);
  process.exitCode = undefined;
  const left = await unfinished(before);
  process.send?.({ code: left === "" ? code : null, stdout: out(), stderr: err() + left });
}

process.on("message", (asked: Asked) => void answer(asked));
process.send?.("ready");
