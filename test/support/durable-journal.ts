/**
 * A client's own record of what it knows: a file outside the server. Each record is one line, and is on disk before the
 * client continues.
 */

import { closeSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

export class Journal<Entry extends object> {
  readonly #file: number;
  #size: number;

  constructor(path: string) {
    this.#file = openSync(path, "a+", 0o600);
    this.#size = readFileSync(path).length;
  }

  /** Number of bytes so far: the position of the next record. */
  get size(): number {
    return this.#size;
  }

  record(entry: Entry): void {
    this.#size += writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.#file);
  }

  /** The records of the file, starting at this position. */
  entries(from = 0): Entry[] {
    const bytes = Buffer.alloc(this.#size - from);
    readSync(this.#file, bytes, 0, bytes.length, from);
    const lines = bytes.toString("utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Entry);
  }

  close(): void {
    closeSync(this.#file);
  }
}
