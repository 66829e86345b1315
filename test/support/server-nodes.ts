/** Server processes that share one database. Tests can kill each of them and start it again. */

import { randomInt } from "node:crypto";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client as PgClient } from "pg";
import { type Ended, type ServerProcess, startProcess } from "./server-process.ts";
import { postgresOf } from "./test-server.ts";

export class Nodes {
  readonly #dataDir: string;
  readonly #env: Record<string, string>;
  #processes: ServerProcess[] = [];
  /** Milliseconds from each start until the process was ready. */
  readonly starts: number[] = [];

  constructor(dataDir: string, env: Record<string, string> = {}) {
    this.#dataDir = dataDir;
    this.#env = env;
  }

  async start(count: number): Promise<void> {
    this.#processes = await Promise.all(Array.from({ length: count }, () => this.#one()));
  }

  get urls(): readonly string[] {
    return this.#processes.map(({ url }) => url);
  }

  /** Sends requests to all processes in turn. */
  url(at = 0): string {
    return this.#processes[at % this.#processes.length]?.url ?? "";
  }

  /**
   * Kills a random process with `kill -9`, and resolves when the process has ended. `again` starts it again.
   */
  async killOne(): Promise<{ url: string; again: () => Promise<void> }> {
    const at = randomInt(this.#processes.length);
    const victim = this.#processes[at];
    await victim?.end("SIGKILL");
    return {
      url: victim?.url ?? "",
      again: async () => {
        this.#processes[at] = await this.#one();
      },
    };
  }

  /** Stops all processes and starts them again. */
  async restart(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const count = this.#processes.length;
    await this.end(signal);
    await this.start(count);
  }

  async end(signal: "SIGKILL" | "SIGTERM" = "SIGTERM"): Promise<readonly Ended[]> {
    return Promise.all(this.#processes.map((one) => one.end(signal)));
  }

  async #one(): Promise<ServerProcess> {
    const one = await startProcess(this.#dataDir, this.#env);
    this.starts.push(one.readyAfter);
    return one;
  }
}

/** Reads the database of a data directory directly. Parameters are written `?`. */
export async function rowsOf<Row>(
  dataDir: string,
  text: string,
  ...values: readonly (string | number)[]
): Promise<Row[]> {
  const url = postgresOf(dataDir);
  if (url !== undefined) return rowsOfPostgres<Row>(url, text, values);
  const database = new DatabaseSync(join(dataDir, "assent.db"), { readOnly: true, timeout: 5_000 });
  try {
    return database.prepare(text).all(...values) as Row[];
  } finally {
    database.close();
  }
}

async function rowsOfPostgres<Row>(url: string, text: string, values: readonly (string | number)[]): Promise<Row[]> {
  const client = new PgClient({ connectionString: url });
  await client.connect();
  try {
    let at = 0;
    const numbered = text.replaceAll("?", () => `$${++at}`);
    // 64-bit integers are returned as text.
    const { rows } = await client.query({ text: numbered, values: [...values], types: { getTypeParser: () => whole } });
    return rows as Row[];
  } finally {
    await client.end();
  }
}

function whole(text: string): string | number {
  return /^-?\d+$/.test(text) ? Number(text) : text;
}

/** SQLite's check of the whole file: `ok`, or the problem. */
export function integrityOf(file: string): string {
  const database = new DatabaseSync(file, { timeout: 5_000 });
  try {
    return String(database.prepare("PRAGMA integrity_check").get()?.["integrity_check"]);
  } finally {
    database.close();
  }
}
