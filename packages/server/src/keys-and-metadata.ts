/** The signing keys and the metadata that the server publishes, kept in memory and renewed when they change. */

import { adminApiIdentifier } from "./admin/api-access/admin-scopes.ts";
import { type Config, certificatesKnown } from "./config.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import { algsInUse, ensureKeys, type KeySet, keySet } from "./crypto/signing-keys.ts";
import type { GrantRegistry } from "./oauth/grants/registry.ts";
import type { Millis, Scope, Soon } from "./oauth/model.ts";
import { serverMetadata } from "./oauth/server-metadata.ts";
import type { Catalog } from "./oauth/storage.ts";
import { StorageUnavailable } from "./storage/errors.ts";
import type { Storage } from "./storage/open.ts";

/** The present keys. They are chosen again when the catalog says that they changed, or their time comes. */
export function keysOf(parts: {
  storage: Storage;
  secrets: Secrets;
  now: () => Millis;
  version: () => Soon<number>;
}): () => Soon<KeySet> {
  let current: { set: KeySet; version: number } | undefined;
  const choose = async (known: Soon<number>): Promise<KeySet> => {
    const version = await known;
    const now = parts.now();
    if (current === undefined || current.version !== version || now >= current.set.until) {
      current = { set: keySet(await parts.storage.keys.list(), parts.secrets, now), version };
    }
    return current.set;
  };
  return () => {
    const version = parts.version();
    if (current !== undefined && current.version === version && parts.now() < current.set.until) return current.set;
    // While the database is unavailable, the server still verifies tokens and publishes keys.
    return choose(version).catch((error: unknown) => lastKnown(current?.set, error));
  };
}

/** Makes the missing keys of each alg that an API's tokens need. */
export async function makeKeys(storage: Storage, secrets: Secrets, now: Millis): Promise<void> {
  const algs = algsInUse(await storage.resources.list(), await storage.keys.list());
  await ensureKeys(storage, secrets, now, algs);
}

/** Serialized again when the scopes have changed. */
export function metadataOf(config: Config, catalog: Catalog, grants: GrantRegistry): () => Promise<string> {
  let last: { scopes: ReadonlyMap<string, Scope>; text: string } | undefined;
  const current = async (): Promise<string> => {
    const scopes = await catalog.scopes();
    if (last?.scopes !== scopes) {
      const own = adminApiIdentifier(config.issuer);
      // Only operators can grant the scopes of the admin API, and its own documents name them.
      const offered = [...scopes.values()].filter(({ resource }) => resource !== own);
      const metadata = serverMetadata(config.issuer, offered, grants, certificatesKnown(config), config);
      last = { scopes, text: JSON.stringify(metadata) };
    }
    return last.text;
  };
  return () => current().catch((error: unknown) => lastKnown(last?.text, error));
}

/** The last value, if the database does not answer now. */
function lastKnown<T>(value: T | undefined, error: unknown): T {
  if (value === undefined || !(error instanceof StorageUnavailable)) throw error;
  return value;
}

/** One piece of work for all who want the same at the same time. */
export function singleFlight<Key, Made>(make: (key: Key) => Promise<Made>): (key: Key) => Promise<Made> {
  const making = new Map<Key, Promise<Made>>();
  return (key) => {
    const underWay = making.get(key) ?? make(key).finally(() => making.delete(key));
    making.set(key, underWay);
    return underWay;
  };
}
