/** What a client knows for certain: a file outside the server, one line for each record, on the disk before it goes on. */

import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

export class Journal<Entry extends object> {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "a", 0o600);
  }

  record(entry: Entry): void {
    writeSync(this.#file, `${JSON.stringify(entry)}\n`);
    fsyncSync(this.#file);
  }

  /** All records, read back from the file. */
  entries(): Entry[] {
    const lines = readFileSync(this.#path, "utf8").split("\n");
    return lines.filter((line) => line !== "").map((line) => JSON.parse(line) as Entry);
  }

  close(): void {
    closeSync(this.#file);
  }
}
