/** Reads the file of an export line by line, and checks that it is complete. */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import type { Done, Header, Line, TableEnd } from "./export-format.ts";
import { VERSION } from "./export-format.ts";

/** An export never has a longer line. */
const LONGEST_LINE = 16 << 20;
const CHUNK = 1 << 20;

/** The file is not a complete export, or has another schema. The message says what is wrong. */
export class NotAnExport extends Error {
  constructor(message: string) {
    super(message);
    this.name = "NotAnExport";
  }
}

export interface ReadLine {
  readonly text: string;
  /** The position at which the next line begins. */
  readonly next: number;
}

/** The lines from a position on, in bytes. */
export async function* linesOf(file: string, from = 0): AsyncGenerator<ReadLine> {
  const handle = await open(file, "r");
  try {
    const chunk = Buffer.alloc(CHUNK);
    let pending: Buffer = Buffer.alloc(0);
    let at = from;
    let position = from;
    for (;;) {
      const { bytesRead } = await handle.read(chunk, 0, CHUNK, position);
      if (bytesRead === 0) break;
      position += bytesRead;
      pending = Buffer.concat([pending, chunk.subarray(0, bytesRead)]);
      let start = 0;
      for (let end = pending.indexOf(10); end !== -1; end = pending.indexOf(10, start)) {
        at += end + 1 - start;
        yield { text: pending.toString("utf8", start, end), next: at };
        start = end + 1;
      }
      pending = pending.subarray(start);
      if (pending.length > LONGEST_LINE) throw new NotAnExport("a line is longer than any of an export");
    }
    if (pending.length > 0) throw new NotAnExport("the file is cut off in the middle of a line");
  } finally {
    await handle.close();
  }
}

export function parsed(text: string): Line {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null) return value as Line;
  } catch {
    // The check below reports it.
  }
  throw new NotAnExport("a line is no JSON");
}

export interface Contents {
  readonly header: Header;
  readonly tables: readonly TableEnd[];
  /** The SHA-256 of all lines except the last. It identifies the file. */
  readonly sha256: string;
}

/** Reads the whole file once. Throws `NotAnExport` if the file was cut off or changed. */
export async function contentsOf(file: string): Promise<Contents> {
  const hash = createHash("sha256");
  const tables: TableEnd[] = [];
  let header: Header | undefined;
  let done: Done | undefined;
  for await (const { text } of linesOf(file)) {
    if (done !== undefined) throw new NotAnExport("the file goes on behind its end");
    if (header === undefined) header = headerOf(text);
    if (text.startsWith('{"done":')) done = parsed(text) as Done;
    else hash.update(text).update("\n");
    if (text.startsWith('{"end":')) tables.push(parsed(text) as TableEnd);
  }
  if (header === undefined) throw new NotAnExport("the file is empty");
  const sha256 = hash.digest("hex");
  if (done === undefined) throw new NotAnExport("the file is cut off: its last line is missing");
  if (done.sha256 !== sha256) throw new NotAnExport("the file was changed after it was made: its SHA-256 differs");
  return { header, tables, sha256 };
}

function headerOf(text: string): Header {
  const header = parsed(text) as Partial<Header>;
  if (typeof header.assent_export !== "number") throw new NotAnExport("the file is no export of Assent");
  if (header.assent_export !== VERSION) {
    throw new NotAnExport(`the file has version ${header.assent_export} of the format; this program reads ${VERSION}`);
  }
  return header as Header;
}
