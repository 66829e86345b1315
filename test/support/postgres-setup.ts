/**
 * Vitest's global set-up: one PostgreSQL per run, for all projects. It starts when the first test asks for a database,
 * and is deleted after the run. Databases on a Citus cluster are deleted, too.
 */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "pg";
import type { TestProject } from "vitest/node";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { CitusDatabases } from "./postgres-citus.ts";
import { type Cluster, startCluster } from "./postgres-server.ts";
import { spreadTables } from "./postgres-sharded.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** The address that tests ask for databases. */
    readonly postgresService: string;
  }
}

/** The template of a new database. */
export type Beginning = "empty" | "migrated" | "sharded";

/** The kinds of a new database: `citus` is on the cluster, with its tables distributed. */
export type Kind = Beginning | "citus";

/** Each project loads this file anew; what they share is here. */
const shared = globalThis as { assentTestPostgres?: Service };

interface Service {
  readonly url: Promise<string>;
  /** Projects that have not ended. */
  users: number;
  close(): Promise<void>;
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  shared.assentTestPostgres ??= startService();
  const service = shared.assentTestPostgres;
  service.users += 1;
  project.provide("postgresService", await service.url);
  return async () => {
    service.users -= 1;
    if (service.users > 0) return;
    delete shared.assentTestPostgres;
    await service.close();
  };
}

function startService(): Service {
  const databases = new Databases();
  const citus = new CitusDatabases();
  const service = createServer((request, response) => {
    const [, action = "", name = ""] = (request.url ?? "").split("/");
    answer(action, name).then(
      (text) => response.end(text),
      (error: unknown) => response.writeHead(500).end(error instanceof Error ? error.message : String(error)),
    );
  });
  const answer = async (action: string, name: string): Promise<string> => {
    const kind = name as Kind;
    if (action === "create") return kind === "citus" ? citus.create() : databases.create(kind);
    await Promise.all([databases.drop(name), citus.drop(name)]);
    return "";
  };
  const url = new Promise<string>((resolve) => {
    service.listen(0, "127.0.0.1", () => resolve(`http://127.0.0.1:${(service.address() as AddressInfo).port}`));
  });
  return {
    url,
    users: 0,
    close: async () => {
      service.closeAllConnections();
      service.close();
      await Promise.all([databases.close(), citus.close()]);
    },
  };
}

class Databases {
  #cluster: Promise<Cluster> | undefined;
  #admin: Promise<Client> | undefined;
  readonly #templates = new Map<Beginning, Promise<string>>();
  #count = 0;
  /** Only one database at a time can be copied from a template. */
  #turn: Promise<unknown> = Promise.resolve();

  /** The new database's URL. */
  async create(beginning: Beginning): Promise<string> {
    const cluster = await this.#started();
    const template = beginning === "empty" ? "template0" : await this.#template(beginning);
    this.#count += 1;
    const name = `test_${this.#count}`;
    await this.#say(`CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY FILE_COPY`);
    return cluster.url(name);
  }

  async drop(name: string): Promise<void> {
    if (/^test_\d+$/.test(name)) await this.#say(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  }

  async close(): Promise<void> {
    const admin = await this.#admin?.catch(() => undefined);
    await admin?.end();
    const cluster = await this.#cluster?.catch(() => undefined);
    await cluster?.remove();
  }

  #started(): Promise<Cluster> {
    this.#cluster ??= startCluster();
    return this.#cluster;
  }

  #template(beginning: Exclude<Beginning, "empty">): Promise<string> {
    const made = this.#templates.get(beginning) ?? this.#makeTemplate(beginning);
    this.#templates.set(beginning, made);
    return made;
  }

  async #makeTemplate(beginning: Exclude<Beginning, "empty">): Promise<string> {
    const cluster = await this.#started();
    const name = `template_${beginning}`;
    await this.#say(`CREATE DATABASE ${name} TEMPLATE template0`);
    const url = cluster.url(name);
    const storage = await openStorage({ url });
    await storage.migrate({ now: 0 });
    await storage.close();
    if (beginning === "sharded") await spreadTables(url);
    return name;
  }

  #say(statement: string): Promise<unknown> {
    const said = this.#turn.then(async () => (await this.#connected()).query(statement));
    this.#turn = said.catch(() => undefined);
    return said;
  }

  #connected(): Promise<Client> {
    this.#admin ??= this.#started().then(async (cluster) => {
      const client = new Client({ connectionString: cluster.url("postgres") });
      client.on("error", () => undefined);
      await client.connect();
      return client;
    });
    return this.#admin;
  }
}
