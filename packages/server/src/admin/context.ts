/**
 * The dependencies of the operator's use-cases (storage, time, randomness), and how a program gets them from a
 * configuration.
 */

import { statSync } from "node:fs";
import { type Config, consentCeilings } from "../config.ts";
import { grantsOf } from "../configured-grant-types.ts";
import { randomBytes } from "../crypto/random.ts";
import { Secrets } from "../crypto/server-secret.ts";
import { databaseFile, prepareDataDir, secretsOf } from "../data-dir.ts";
import { because, type Cause } from "../events/event.ts";
import type { EventStorage } from "../events/storage.ts";
import { ceilingOrNone } from "../oauth/consent-reach.ts";
import { type GrantRegistry, grantRegistry } from "../oauth/grants/registry.ts";
import type { Client, Millis } from "../oauth/model.ts";
import type { Policy } from "../oauth/ports.ts";
import type { GrantStorage } from "../oauth/storage.ts";
import type { PictureStorage } from "../owners/account/picture-storage.ts";
import type { CompanyConnectionStorage } from "../owners/company-connection-storage.ts";
import type { CompanySignInStorage } from "../owners/company-sign-in-storage.ts";
import type { CompanyStorage } from "../owners/company-storage.ts";
import type { FactorStorage } from "../owners/factor-storage.ts";
import type { RecoveryStorage } from "../owners/recovery/storage.ts";
import type { OwnerStorage } from "../owners/storage.ts";
import { refuseUnready } from "../storage/database-state.ts";
import { openStorage, type Storage } from "../storage/open.ts";
import { maskedUrl } from "../storage/postgres/database-url.ts";
import type { Uses } from "../storage-subset.ts";
import type { WebhookStorage } from "../webhooks/storage.ts";
import { refuse } from "./admin-error.ts";
import type { AdminStorage } from "./storage.ts";

export interface AdminContext {
  readonly storage: AdminStorage &
    EventStorage &
    WebhookStorage &
    OwnerStorage &
    FactorStorage &
    CompanyStorage &
    CompanySignInStorage &
    CompanyConnectionStorage &
    RecoveryStorage &
    PictureStorage &
    Uses<GrantStorage, "grants.find">;
  /** The issuer's URL from the configuration. */
  readonly issuer: string;
  /** The longest times for which consents hold, of clients without a limit of their own. Absent: the defaults. */
  readonly policy?: Pick<Policy, "consentCeilingPublic" | "consentCeilingConfidential">;
  /** The grant types that clients can be registered for. */
  readonly grants: GrantRegistry;
  now(): Millis;
  /** `size` unpredictable bytes. */
  randomBytes(size: number): Uint8Array;
  /** The secrets that seal clients' secrets. Absent if none are made or changed. */
  secrets?(): Secrets;
}

/** A context whose database this process has opened itself. */
export interface OpenedAdmin extends AdminContext {
  readonly storage: Storage;
  readonly config: Config;
  /** The server's secrets, read (or made) at the first call. */
  secrets(): Secrets;
  close(): Promise<void>;
}

/** The use-cases on an open storage, such as a server's own. `grants`: that server's. Absent: all built-in ones. */
export function adminOf(
  storage: AdminContext["storage"],
  issuer: string,
  now: () => Millis = Date.now,
  secrets?: () => Secrets,
  grants: GrantRegistry = grantRegistry(),
): AdminContext {
  return { storage, issuer, grants, now, randomBytes, ...(secrets === undefined ? {} : { secrets }) };
}

/** The same, for a command: events of what it changes name it. `fields`: names of its options. */
export function byCommand(
  admin: OpenedAdmin,
  { words, fields }: { readonly words: string; readonly fields: readonly string[] },
): OpenedAdmin {
  const cause = {
    actor: "operator",
    door: "command",
    operation: words,
    fields,
    address: null,
    requestId: null,
  } as const;
  return causedBy(admin, { ...cause, at: admin.now() });
}

/** The same context. Events of what is changed with it name the cause. */
export function causedBy<C extends AdminContext>(context: C, cause: Cause): C {
  return { ...context, storage: because(context.storage, cause) };
}

/** The longest time for which an answer to the client holds. Null: no limit, also if the client is gone. */
export function ceilingFor(
  client: Pick<Client, "type" | "consentCeiling"> | undefined,
  { policy = consentCeilings({ consentCeiling: null }) }: Pick<AdminContext, "policy">,
): Millis | null {
  return ceilingOrNone(client, policy);
}

/** True: the file in the configuration does not exist, or is empty. For a database server, see `refuseUnmade`. */
export function isMissing(config: Config): boolean {
  const path = databaseFile(config);
  return path !== undefined && (statSync(path, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

/** Throws `unknown` if the configured database does not exist. The message names the place, and nothing is created. */
export function refuseMissing(config: Config): void {
  if (isMissing(config)) refuse("unknown", null, missingDatabase(config));
}

/** Throws `unknown` if the opened database has none of the server's tables. */
export async function refuseUnmade(storage: Pick<Storage, "migrationStatus">, config: Config): Promise<void> {
  const states = await storage.migrationStatus();
  if (states.every(({ appliedAt }) => appliedAt === null)) refuse("unknown", null, missingDatabase(config));
}

/** Where the database was expected, and what to do. */
export function missingDatabase(config: Config): string {
  const path = databaseFile(config);
  const [place, setting] =
    path === undefined
      ? [maskedUrl(config.databaseUrl), "ASSENT_DATABASE_URL"]
      : [path, "ASSENT_DATA_DIR (or ASSENT_DATABASE_URL)"];
  return `there is no Assent database at ${place}: to use another database, set ${setting} or --config; to create one here, run assent db migrate or assent serve`;
}

/**
 * Opens the configured database, also while servers run on it, and brings an old schema up to date. Throws `unknown` if
 * there is none, a `ConfigError` or `UnsafeFileMode` if other users may read or write its files, `StorageUnavailable`,
 * `SchemaMismatch`, `DatabaseNotReady`.
 */
export async function openAdmin(config: Config, given?: () => Millis): Promise<OpenedAdmin> {
  const grants = grantsOf(config);
  refuseMissing(config);
  prepareDataDir(config);
  // A command writes little and ends: the start of a thread would only take time.
  const storage = await openStorage({ url: config.databaseUrl, writer: "main" });
  const now = given ?? (() => storage.now());
  try {
    await refuseUnmade(storage, config);
    await storage.migrate({ now: now() });
    refuseUnready(await storage.state(), { serve: false });
  } catch (error) {
    await storage.close();
    throw error;
  }
  let secrets: Secrets | undefined;
  return {
    ...adminOf(storage, config.issuer, now, undefined, grants),
    policy: consentCeilings(config),
    storage,
    config,
    secrets() {
      secrets ??= new Secrets(secretsOf(config));
      return secrets;
    },
    close: () => storage.close(),
  };
}
