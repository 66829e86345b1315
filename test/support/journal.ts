/** What a client knows for certain: a file outside the server, one line for each record, on the disk before it goes on. */

import { closeSync, fsyncSync, openSync, readFileSync, readSync, writeSync } from "node:fs";

export class Journal<Entry extends object> {
  readonly #file: number;
  #size: number;

  constructor(path: string) {
    this.#file = openSync(path, "a+", 0o600);
    this.#size = readFileSync(path).length;
  }

  /** Bytes so far: where the next record begins. */
  get size(): number {
    return this.#size;
  }

  record(entry: Entry): void {
    this.#size += writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.#file);
  }

  /** The records, read back from the file, from this place on. */
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
