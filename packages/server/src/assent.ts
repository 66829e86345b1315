/** The server put together: configuration in, a node:http handler out. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Logger } from "pino";
import { type Config, ConfigError } from "./config.ts";
import { JwtAccessTokens } from "./crypto/access-tokens.ts";
import { DerivedCredentials } from "./crypto/credential.ts";
import { hashes } from "./crypto/hashes.ts";
import { hashPassword, needsRehash, verifyPassword } from "./crypto/password.ts";
import { randomText } from "./crypto/random.ts";
import { Secrets } from "./crypto/secrets.ts";
import { ensureKeys, type KeySet, keySet, SigningKeySealed } from "./crypto/signing-keys.ts";
import { prepareDataDir, secretsOf } from "./data-dir.ts";
import { TrustedProxies } from "./http/client-address.ts";
import { Cookies } from "./http/cookies.ts";
import { FailedClients } from "./http/endpoints/back-channel.ts";
import type { HttpRequest } from "./http/message.ts";
import { createHandler } from "./http/server.ts";
import { createLogger } from "./log.ts";
import type { ConditionName } from "./oauth/errors.ts";
import type { Millis, Scope } from "./oauth/model.ts";
import type { OAuthContext } from "./oauth/ports.ts";
import { serverMetadata } from "./oauth/server-metadata.ts";
import type { Catalog } from "./oauth/storage.ts";
import type { SignInContext } from "./owners/sign-in.ts";
import { type Chrome, chrome } from "./pages/index.ts";
import { openCatalog } from "./storage/catalog.ts";
import { StorageUnavailable } from "./storage/errors.ts";
import { openStorage, type Storage } from "./storage/open.ts";

/** What the endpoints are given. */
export interface Assent {
  readonly config: Config;
  readonly issuer: string;
  /** Path of the issuer, without its final slash. */
  readonly basePath: string;
  readonly storage: Storage;
  readonly oauth: OAuthContext;
  readonly signIn: SignInContext;
  readonly credentials: DerivedCredentials;
  readonly secrets: Secrets;
  readonly cookies: Cookies;
  readonly proxies: TrustedProxies;
  readonly failedClients: FailedClients;
  readonly commonHeaders: Readonly<Record<string, string>>;
  keys(): Promise<KeySet>;
  /** The metadata document (RFC 8414), serialized. */
  metadata(): Promise<string>;
  chrome(request: HttpRequest): Chrome;
  now(): Millis;
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
  /** Logs why a request was refused, or what fault it met. */
  refused(
    refusal: { condition: ConditionName; detail: string | undefined; fault: boolean },
    request: HttpRequest,
    error?: unknown,
  ): void;
  requestId(): string;
  draining(): boolean;
}

/** The server as a library. */
export interface AssentServer {
  /** Give it to `http.createServer`, or mount it in an app of your own. */
  readonly handler: (request: IncomingMessage, response: ServerResponse) => void;
  readonly config: Config;
  readonly log: Logger;
  readonly storage: Storage;
  /** From now on `/health/ready` says no, and answers close their connections. */
  drain(): void;
  /** Ends timers and the database; call it when no request is under way. */
  close(): Promise<void>;
}

export interface AssentOptions {
  /** Milliseconds since the epoch; for tests that step the clock. */
  readonly now?: () => Millis;
  /** Absent: made from `config.logLevel`. */
  readonly log?: Logger;
}

const HOUR = 3_600_000;

/**
 * Opens the database (making it where there is none), the keys and the caches. Throws with what to mend; a `ConfigError` where others on this
 * machine may touch its files.
 */
export async function createAssent(config: Config, options: AssentOptions = {}): Promise<AssentServer> {
  const now = options.now ?? Date.now;
  const log = options.log ?? createLogger(config.logLevel);
  prepareDataDir(config);
  for (const warning of config.warnings) log.warn({ event: "configuration" }, warning);
  const secrets = new Secrets(secretsOf(config));
  const storage = await openStorage({ url: config.databaseUrl, writer: config.sqliteWriter });
  try {
    await storage.migrate({ now: now() });
    await ensureKeys(storage, secrets, now());
    const assent = await assemble({ config, storage, secrets, log, now });
    const housekeeping = setInterval(() => void keepHouse(assent.assent, log), HOUR);
    housekeeping.unref();
    return {
      handler: await createHandler(assent.assent),
      config,
      log,
      storage,
      drain: assent.drain,
      async close() {
        clearInterval(housekeeping);
        await storage.close();
      },
    };
  } catch (error) {
    await storage.close();
    throw error;
  }
}

interface Parts {
  readonly config: Config;
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly log: Logger;
  readonly now: () => Millis;
}

async function assemble({ config, storage, secrets, log, now }: Parts): Promise<{ assent: Assent; drain: () => void }> {
  // Freshness is measured on a clock that nobody sets.
  const catalog = openCatalog(storage, { now: () => performance.now() });
  const credentials = new DerivedCredentials(secrets);
  const keys = keysOf({ storage, secrets, now, version: () => catalog.keysVersion() });
  await keys().catch((error: unknown) => {
    throw error instanceof SigningKeySealed ? new ConfigError([error.message]) : error;
  });
  const event: Assent["event"] = (name, fields) => log.info({ event: name, ...fields }, name);
  const { issuer } = config;
  const basePath = new URL(issuer).pathname.replace(/\/$/, "");
  const context: OAuthContext = {
    issuer,
    policy: policyOf(config),
    catalog,
    storage,
    credentials,
    accessTokens: new JwtAccessTokens(issuer, keys),
    hashes,
    now,
    event,
  };
  const page = chrome({ issuer });
  const ids = { prefix: randomText(6), count: 0 };
  let draining = false;
  const assent: Assent = {
    config,
    issuer,
    basePath,
    storage,
    oauth: context,
    credentials,
    secrets,
    keys,
    metadata: metadataOf(issuer, catalog),
    now,
    event,
    signIn: {
      storage,
      verifyPassword,
      needsRehash,
      hashPassword,
      attemptKey: (...parts) => secrets.mac("attempt", JSON.stringify(parts)),
      now,
    },
    cookies: new Cookies(issuer),
    proxies: new TrustedProxies(config.trustProxy),
    failedClients: new FailedClients(),
    commonHeaders: commonHeaders(issuer),
    chrome: () => page,
    refused: ({ condition, detail, fault }, request, error) => {
      const fields = {
        event: "refused",
        condition,
        detail,
        method: request.method,
        path: request.path,
        address: request.address,
        request_id: request.id,
      };
      if (fault) log.error({ ...fields, err: error }, "fault");
      else log.info(fields, condition);
    },
    requestId: () => `${ids.prefix}-${(ids.count++).toString(36)}`,
    draining: () => draining,
  };
  return {
    assent,
    drain: () => {
      draining = true;
    },
  };
}

function policyOf(config: Config): OAuthContext["policy"] {
  return {
    codeTtl: config.codeTtl,
    accessTtl: config.accessTtl,
    refreshIdlePublic: config.refreshIdle ?? 14 * 24 * HOUR,
    refreshIdleConfidential: config.refreshIdle ?? 90 * 24 * HOUR,
    retryWindow: config.retryWindow ?? 30_000,
    retryWindowPublic: config.retryWindow ?? 10_000,
    requirePkce: config.requirePkce,
  };
}

function commonHeaders(issuer: string): Readonly<Record<string, string>> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...(issuer.startsWith("https:") ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}

/** The keys of the moment, chosen anew when the catalogue says that they changed, or their time comes. */
function keysOf(parts: {
  storage: Storage;
  secrets: Secrets;
  now: () => Millis;
  version: () => Promise<number>;
}): () => Promise<KeySet> {
  let current: { set: KeySet; version: number } | undefined;
  const choose = async (): Promise<KeySet> => {
    const version = await parts.version();
    const now = parts.now();
    if (current === undefined || current.version !== version || now >= current.set.until) {
      current = { set: keySet(await parts.storage.listKeys(), parts.secrets, now), version };
    }
    return current.set;
  };
  // While the database is away, tokens are verified and keys published as before.
  return () => choose().catch((error: unknown) => lastKnown(current?.set, error));
}

/** Serialized anew when the scopes have changed. */
function metadataOf(issuer: string, catalog: Catalog): () => Promise<string> {
  let last: { scopes: ReadonlyMap<string, Scope>; text: string } | undefined;
  const current = async (): Promise<string> => {
    const scopes = await catalog.scopes();
    if (last?.scopes !== scopes) last = { scopes, text: JSON.stringify(serverMetadata(issuer, scopes.values())) };
    return last.text;
  };
  return () => current().catch((error: unknown) => lastKnown(last?.text, error));
}

/** What was read last, where the database doesn't answer now. */
function lastKnown<T>(value: T | undefined, error: unknown): T {
  if (value === undefined || !(error instanceof StorageUnavailable)) throw error;
  return value;
}

/** Every hour: the next signing key where it is time, and rows that guard nothing any more. */
async function keepHouse(assent: Assent, log: Logger): Promise<void> {
  try {
    const now = assent.now();
    await ensureKeys(assent.storage, assent.secrets, now);
    let removed = 0;
    let batch: number;
    do {
      batch = await assent.storage.collectGarbage({ now, limit: 1000 });
      removed += batch;
    } while (batch > 0);
    if (removed > 0) log.info({ event: "garbage_collected", removed }, "garbage_collected");
  } catch (error) {
    log.warn({ err: error }, "housekeeping failed; it is tried again in an hour");
  }
}
