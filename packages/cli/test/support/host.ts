/** A process that runs one command line after the other, as `main.ts` runs one: what all of them load is loaded once. */

import { Readable } from "node:stream";
import { run } from "../../src/program.ts";

export interface Asked {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: string;
}

type Write = (chunk: Uint8Array | string, ...rest: unknown[]) => boolean;

/** What is written to this stream until it is given back. */
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

async function answer({ args, env, input }: Asked): Promise<void> {
  for (const name of Object.keys(process.env)) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
  Object.defineProperty(process, "stdin", { value: Readable.from([Buffer.from(input, "base64")]), configurable: true });
  process.exitCode = undefined;
  const [out, err] = [caught("stdout"), caught("stderr")];
  let code: number;
  try {
    code = await run(args);
  } finally {
    process.exitCode = undefined;
  }
  process.send?.({ code, stdout: out(), stderr: err() });
}

process.on("message", (asked: Asked) => void answer(asked));
process.send?.("ready");
