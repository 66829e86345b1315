/** Everything that runs during a measurement: the needed servers, their databases, and the resources that they used. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type Database, startDatabase } from "./durable-postgres.ts";
import { type Prepared, prepare } from "./prepare-database.ts";
import { type AssentRowName, assentRowNames, assentRows, ON_POSTGRES, postgresRowNames } from "./rows/assent-rows.ts";
import { limitRows } from "./rows/bare-http-rows.ts";
import { peerNames, peerRowNames, peerRows, startPeer } from "./rows/peer-rows.ts";
import { STATEMENTS, statementsRow } from "./rows/redemption-statements-row.ts";
import type { Row } from "./rows/row.ts";
import { type ServerProcess, startAssent, startScript } from "./server-processes.ts";

/** All rows, in the order of the table. */
export const rowNames: readonly string[] = [
  ...limitRows.map(({ name }) => name),
  ...assentRowNames,
  ...postgresRowNames.map((name) => ON_POSTGRES + name),
  STATEMENTS,
  ...peerRowNames,
];

export interface SiteOptions {
  /** An empty folder for data. */
  readonly folder: string;
  /** The row whose server is to be profiled. */
  readonly profile: string | undefined;
}

export interface Site {
  readonly rows: readonly Row[];
  readonly servers: ReadonlyMap<string, ServerProcess>;
  /** The notes of the other servers about themselves. */
  readonly peers: readonly { readonly name: string; readonly label: string; readonly note: string }[];
  /** Version of the PostgreSQL; undefined: none runs. */
  readonly postgres: string | undefined;
  /** The data of the server on SQLite, if one runs. */
  readonly data: Prepared | undefined;
  /** Microseconds that the database of that server has used so far, without the server's own process. */
  databaseCpu(server: string): number;
  end(): Promise<void>;
}

/** Starts the servers for these rows. If one fails, stops those that it started. */
export async function openSite(names: ReadonlySet<string>, options: SiteOptions): Promise<Site> {
  const opening = new Opening(names, options);
  try {
    await opening.limits();
    await opening.onSqlite();
    await opening.onPostgres();
    await opening.peers();
    return opening.site();
  } catch (error) {
    await opening.end();
    throw error;
  }
}

class Opening {
  readonly #names: ReadonlySet<string>;
  readonly #options: SiteOptions;
  readonly #rows: Row[] = [];
  readonly #servers = new Map<string, ServerProcess>();
  readonly #peers: { name: string; label: string; note: string }[] = [];
  readonly #prepared: Prepared[] = [];
  #data: Prepared | undefined;
  #database: Database | undefined;

  constructor(names: ReadonlySet<string>, options: SiteOptions) {
    this.#names = names;
    this.#options = options;
  }

  async limits(): Promise<void> {
    for (const row of limitRows.filter(({ name }) => this.#names.has(name))) {
      this.#servers.set(
        row.server,
        await startScript("machine-limit-process.ts", [row.server], this.#profiled([row.name])),
      );
      this.#rows.push(row);
    }
  }

  async onSqlite(): Promise<void> {
    const names = assentRowNames.filter((name) => this.#names.has(name));
    if (names.length === 0) return;
    this.#data = await this.#prepare(join(this.#options.folder, "sqlite"));
    await this.#assent("assent", this.#data, names, names);
  }

  async onPostgres(): Promise<void> {
    const names = postgresRowNames.filter((name) => this.#names.has(ON_POSTGRES + name));
    const alone = this.#names.has(STATEMENTS);
    if (names.length === 0 && !alone) return;
    this.#database = await startDatabase();
    if (names.length > 0) {
      const data = await this.#prepare(join(this.#options.folder, "postgres"), this.#database.url("postgres"));
      await this.#assent(
        "postgres",
        data,
        names,
        names.map((name) => ON_POSTGRES + name),
      );
    }
    if (alone) {
      await this.#database.create("statements");
      const folder = join(this.#options.folder, STATEMENTS);
      mkdirSync(folder);
      const url = this.#database.url("statements");
      const server = await startScript("redemption-statements-process.ts", [url, folder], this.#profiled([STATEMENTS]));
      this.#servers.set(STATEMENTS, server);
      this.#rows.push(statementsRow(server));
    }
  }

  async peers(): Promise<void> {
    for (const name of peerNames) {
      const own = [...this.#names].filter((row) => row.startsWith(`${name}-`));
      if (own.length === 0) continue;
      const peer = await startPeer(name, this.#profiled(own));
      this.#servers.set(name, peer.server);
      this.#peers.push({ name, label: peer.facts.label, note: peer.facts.note });
      this.#rows.push(...(await peerRows(peer, this.#names)));
    }
  }

  site(): Site {
    const database = this.#database;
    return {
      rows: this.#rows,
      servers: this.#servers,
      peers: this.#peers,
      postgres: database?.version,
      data: this.#data,
      databaseCpu: (server) => (server.startsWith("postgres") ? (database?.cpu() ?? 0) : 0),
      end: () => this.end(),
    };
  }

  async end(): Promise<void> {
    for (const data of this.#prepared) await data.close();
    for (const server of this.#servers.values()) await server.end();
    await this.#database?.remove();
  }

  async #prepare(dataDir: string, databaseUrl?: string): Promise<Prepared> {
    const data = await prepare({ dataDir, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    this.#prepared.push(data);
    return data;
  }

  async #assent(
    server: "assent" | "postgres",
    data: Prepared,
    names: readonly AssentRowName[],
    rowsOfIt: readonly string[],
  ): Promise<void> {
    const process = await startAssent({ env: data.env, ...this.#profiled(rowsOfIt) });
    this.#servers.set(server, process);
    this.#rows.push(...(await assentRows(data, server, process.port, new Set(names))));
  }

  #profiled(rows: readonly string[]): { readonly profiled: boolean } {
    return { profiled: this.#options.profile !== undefined && rows.includes(this.#options.profile) };
  }
}
