/**
 * A real server on a free port, and helpers that register clients and people. The database is an SQLite file, or
 * PostgreSQL or Citus if ASSENT_TEST_DATABASE says so.
 */

import { createHash, randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pino from "pino";
import { newOwnerId } from "../../packages/server/src/crypto/ids.ts";
import { hashPassword, needsRehash } from "../../packages/server/src/crypto/password-hashing.ts";
import { secretOf } from "../../packages/server/src/data-dir.ts";
import { serverOptions } from "../../packages/server/src/http/connections/request-handler.ts";
import { type AssentServer, type Config, configOf, createAssent } from "../../packages/server/src/index.ts";
import type { Client, Resource, Scope } from "../../packages/server/src/oauth/model.ts";
import type { Notice } from "../../packages/server/src/owners/mail/company-notice-kinds.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { partitionOf } from "../../packages/server/src/storage/partition.ts";

import { aDatabaseAt, aPostgresDatabase, onCitus } from "./postgres-database.ts";

export const PASSWORD = "correct horse battery staple";

/** One password hash for all test people, because hashing is slow by design. */
let passwordHash: Promise<string> | undefined;

export interface TestServer extends Registering {
  readonly issuer: string;
  /** The address where it listens, whatever its issuer is. */
  readonly url: string;
  readonly assent: AssentServer;
  readonly dataDir: string;
  /** Every line of the log, unchanged. */
  readonly log: string[];
  /** Moves the server's clock. */
  tick(milliseconds: number): void;
  /**
   * Stops the server's clock, except for ticks, until the returned function is called. On a busy machine, a test that
   * needs less than a second could take longer.
   */
  stand(): () => void;
  now(): number;
  stop(): Promise<void>;
}

/** Registers clients, people, scopes and APIs at a server. */
export interface Registering {
  addStandardScopes(): Promise<void>;
  addClient(client?: Partial<Client>): Promise<TestClient>;
  addPerson(person?: Partial<Person>): Promise<Person>;
  addScope(scope: Partial<Scope> & { name: string }): Promise<void>;
  addResource(resource: Partial<Resource> & { identifier: string }): Promise<{ id: string; secret: string }>;
}

export interface TestClient extends Client {
  /** Empty for a public client. */
  readonly secret: string;
}

export interface TestServerOptions {
  readonly config?: Partial<Config>;
  /** Keeps the data of an earlier server. */
  readonly dataDir?: string;
  /** Documents that clients name may be on this machine. */
  readonly fetchFromLoopback?: boolean;
  /** Receives what people should be told. */
  readonly notify?: (notice: Notice) => void;
  /** The host name of the issuer for this machine. Passkeys need a name instead of an address. */
  readonly host?: "127.0.0.1" | "localhost";
}

/**
 * Starts a server with the scopes `read` and `write` (optional) of API `https://api.test`, and `profile` of the server
 * itself.
 */
export async function startServer({
  config = {},
  dataDir = mkdtempSync(join(tmpdir(), "assent-")),
  fetchFromLoopback = false,
  notify = () => undefined,
  host = "127.0.0.1",
}: TestServerOptions = {}): Promise<TestServer> {
  // Tokens and metadata contain the issuer, so the port must be known before the server is created.
  const server = createServer(serverOptions);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const issuer = config.issuer ?? url.replace("127.0.0.1", host);
  let offset = 0;
  let stoodAt: number | undefined;
  const now = () => (stoodAt ?? Date.now()) + offset;
  const log: string[] = [];
  const logger = pino({ level: config.logLevel ?? "trace" }, { write: (line: string) => void log.push(line) });
  const database = await databaseOf(config, dataDir);
  const monotonic = () => performance.now() + settled;
  const options = { now, monotonic, log: logger, notify };
  const outbound = fetchFromLoopback ? { outboundAllow: ["127.0.0.0/8", "::1"] } : {};
  const assent = await createAssent(
    configOf({
      dataDir,
      housekeeping: false,
      ...database.config,
      ...outbound,
      ...config,
      ...secretOr(config, database),
      issuer,
    }),
    options,
  );
  server.on("request", assent.handler);
  const test: TestServer = {
    issuer,
    url,
    assent,
    dataDir,
    log,
    now,
    tick: (milliseconds) => {
      offset += milliseconds;
    },
    stand: () => {
      const at = Date.now();
      stoodAt = at;
      return () => {
        offset -= Date.now() - at;
        stoodAt = undefined;
      };
    },
    ...registering(assent, now, settle),
    stop: async () => {
      await stop(server, assent);
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
  await test.addStandardScopes();
  return test;
}

/** True: servers without a database setting run on PostgreSQL. */
export const onPostgres = process.env["ASSENT_TEST_DATABASE"] === "postgres" || onCitus;

/** The variants of a story. Pages don't depend on the database, so a run on PostgreSQL plays only the first variant. */
export function variants<const All extends readonly unknown[]>(all: All): All {
  return (onPostgres ? all.slice(0, 1) : all) as unknown as All;
}

/**
 * The database of a data directory. The next server on the directory uses the same database, and it is deleted with the
 * directory.
 */
async function databaseOf(
  { databaseUrl }: Partial<Config>,
  dataDir: string,
): Promise<{ readonly config: Partial<Config>; drop(): Promise<void> }> {
  if (databaseUrl !== undefined) return { config: {}, drop: async () => undefined };
  let url = postgresOf(dataDir);
  if (url === undefined && onPostgres) {
    ({ url } = await aPostgresDatabase());
    mkdirSync(dataDir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dataDir, NOTE), url, { mode: 0o600 });
  }
  if (url === undefined) {
    const file = join(dataDir, "assent.db");
    if (existsSync(dataDir) && !existsSync(file)) writeFileSync(file, await withSchema(), { mode: 0o600 });
    return { config: {}, drop: async () => undefined };
  }
  const database = aDatabaseAt(url);
  return {
    config: { databaseUrl: url, secret: secretOf(dataDir) },
    // A data directory that was moved keeps its database.
    drop: async () => (postgresOf(dataDir) === undefined ? undefined : database.drop()),
  };
}

let schema: Promise<Buffer> | undefined;

/**
 * An SQLite file with only the schema. Creating the schema takes half of a server's start, so each test starts with a
 * copy. The same holds for PostgreSQL.
 */
function withSchema(): Promise<Buffer> {
  schema ??= (async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-schema-"));
    const path = join(folder, "assent.db");
    const storage = await openStorage({ url: `sqlite:${path}`, writer: "main" });
    await storage.migrate({ now: 0 });
    await storage.close();
    const bytes = readFileSync(path);
    rmSync(folder, { recursive: true });
    return bytes;
  })();
  return schema;
}

/** PostgreSQL needs an explicit secret. Otherwise the data directory's own secret is used. */
function secretOr({ secret }: Partial<Config>, database: { readonly config: Partial<Config> }): Partial<Config> {
  return secret == null && database.config.secret != null ? { secret: database.config.secret } : {};
}

/** The file in a data directory that names its PostgreSQL database. */
const NOTE = "database-url";

/** The URL of a data directory's database. Undefined: it is the file in the directory. */
export function postgresOf(dataDir: string): string | undefined {
  const note = join(dataDir, NOTE);
  return existsSync(note) ? readFileSync(note, "utf8") : undefined;
}

/**
 * Registers directly in the storage, as the operator's use-cases do after their checks. `known` resolves when the
 * servers have read the change. Default: waits for the longest time that a server needs.
 */
export function registering(
  assent: Pick<AssentServer, "storage">,
  now: () => number,
  known: () => Promise<void> = () => new Promise((resolve) => setTimeout(resolve, BEHIND)),
): Registering {
  return {
    addStandardScopes: async () => {
      await assent.storage.resources.put({ resource: { ...aResource, createdAt: now() }, create: false });
      for (const scope of standardScopes) await assent.storage.scopes.put({ scope, create: false });
      await known();
    },
    addClient: (client) => addClient(assent, now, client),
    addPerson: (person) => addPerson(assent, now, person),
    addScope: async (scope) => {
      await assent.storage.scopes.put({ scope: { ...aScope, ...scope }, create: false });
      await known();
    },
    addResource: async (resource) => {
      const added = await addResource(assent, now, resource);
      await known();
      return added;
    },
  };
}

/** Longer than the catalogue can be out of date. */
const BEHIND = 520;
/** The caches of this process's servers count as older by this number of milliseconds. */
let settled = 0;

/** Makes the catalogues of this process's servers read the database before the next answer. */
export async function settle(): Promise<void> {
  settled += BEHIND;
}

async function stop(server: Server, assent: AssentServer): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await assent.close();
}

const aScope: Scope = { name: "", description: "", resource: null, optional: false, sensitive: false, ownerRole: null };

const standardScopes: readonly Scope[] = [
  { ...aScope, name: "read", description: "See your photos", resource: "https://api.test" },
  { ...aScope, name: "write", description: "Change your photos", resource: "https://api.test", optional: true },
  { ...aScope, name: "profile", description: "See your name" },
];

const aResource: Resource = {
  identifier: "https://api.test",
  name: "Photos",
  tokenFormat: "jwt",
  tokenLifetime: null,
  alg: "ES256",
  grantBound: false,
  introspectionClientId: "api-test",
  introspectionSecretHash: sha256("api-test-secret"),
  createdAt: 0,
};

export const API = { id: "api-test", secret: "api-test-secret" } as const;

export function sha256(text: string): string {
  return createHash("sha256").update(text).digest("base64url");
}

/** A valid client, confidential unless it has `type: "public"`. Tests override what they are about. */
async function addClient(
  { storage }: Pick<AssentServer, "storage">,
  now: () => number,
  client: Partial<Client> = {},
): Promise<TestClient> {
  const secret = `cs_${randomBytes(32).toString("base64url")}`;
  const isPublic = client.type === "public";
  const record: Client = {
    clientId: `c-${randomBytes(8).toString("hex")}`,
    name: "Photo Printer",
    type: "confidential",
    status: "active",
    redirectUris: ["https://app.test/cb"],
    grantTypes: ["authorization_code", "refresh_token"],
    responseTypes: ["code"],
    scopes: ["read", "write", "profile"],
    ownScopes: [],
    authMethod: isPublic ? "none" : "client_secret_basic",
    secrets: isPublic ? [] : [{ hash: sha256(secret), createdAt: now(), expiresAt: null }],
    sealedSecret: null,
    jwks: null,
    jwksUri: null,
    tlsSubject: null,
    certificateBound: false,
    tokenEndpointAudience: false,
    requirePkce: false,
    allowPlainPkce: false,
    firstParty: false,
    refresh: isPublic ? "rotate" : "keep",
    logo: null,
    clientUri: null,
    policyUri: null,
    tosUri: null,
    createdAt: now(),
    updatedAt: now(),
    reducedAt: null,
    ...client,
  };
  await storage.clients.put({ client: record, expect: null });
  return { ...record, secret: isPublic ? "" : secret };
}

async function addPerson(
  { storage }: Pick<AssentServer, "storage">,
  now: () => number,
  person: Partial<Person> = {},
): Promise<Person> {
  if (passwordHash === undefined || needsRehash(await passwordHash)) passwordHash = hashPassword(PASSWORD);
  const personId = newOwnerId();
  const username = person.username ?? `alice-${randomBytes(4).toString("hex")}`;
  const record: Person = {
    partition: partitionOf(personId),
    personId,
    username,
    email: `${username}@example.test`,
    emailVerifiedAt: now(),
    name: "Alice Example",
    status: "active",
    passwordHash: await passwordHash,
    passwordChangedAt: now(),
    mustChangePassword: false,
    operator: [],
    language: null,
    deleteAt: null,
    createdAt: now(),
    updatedAt: now(),
    ...person,
  };
  const outcome = await storage.people.create({ person: record, now: now() });
  if (outcome.kind !== "created") throw new Error(`the test's person is taken: ${outcome.what}`);
  return record;
}

async function addResource(
  { storage }: Pick<AssentServer, "storage">,
  now: () => number,
  resource: Partial<Resource> & { identifier: string },
): Promise<{ id: string; secret: string }> {
  const secret = randomBytes(16).toString("base64url");
  const id = `rs-${randomBytes(6).toString("hex")}`;
  const record = {
    ...aResource,
    introspectionClientId: id,
    introspectionSecretHash: sha256(secret),
    createdAt: now(),
    ...resource,
  };
  await storage.resources.put({ resource: record, create: false });
  return { id, secret };
}
