/**
 * Keys at a `jwks_uri`: one fetch serves all callers. The keys are cached, and fetched again if a key is missing (RFC
 * 7517 §5, RFC 7591 §2).
 */

import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";
import type { GuardedFetcher } from "./guarded-fetch.ts";

/** Bytes of a JWK Set. A hundred keys fit into it. */
const MAX_JWKS = 65_536;
/** The shortest time between two requests to one address, whatever the response or a sender says. */
const ASKED_EVERY: Millis = 60_000;
/** How long to cache keys if the response doesn't say, and at most. */
const HELD: Millis = 300_000;
const HELD_AT_MOST: Millis = 3_600_000;
/** How long to use expired keys if a new fetch fails, so that an outage of the key server is no outage of this one. */
const BELIEVED: Millis = 3_600_000;
/**
 * The pause after a failure. It is short after the first one, so that a brief fault soon ends, and longer after further
 * ones.
 */
const FIRST_PAUSE: Millis = 5_000;
/**
 * Maximum number of callers that wait for one document. Each one holds a request, and the sender can delay the response
 * for a long time.
 */
export const MAX_WAITING = 64;

interface Entry<Key> {
  readonly keys: readonly Key[] | undefined;
  /** The time of the last response with keys, and the time until when it is valid. */
  readonly fetchedAt: Millis;
  readonly until: Millis;
  readonly askedAt: Millis;
  readonly failures: number;
}

export interface RemoteKeysParts<Key> {
  readonly fetcher: GuardedFetcher;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => Millis;
  /** The usable keys of a document; undefined if it isn't a JWK Set. */
  readonly parse: (body: Uint8Array) => readonly Key[] | undefined;
  readonly event: (name: string, fields: Readonly<Record<string, string>>) => void;
}

/** A fetch in progress, and the number of its waiting callers. */
interface Loading<Key> {
  readonly entry: Promise<Entry<Key>>;
  waiting: number;
}

/**
 * Finds the keys at a URI. Undefined: the server can't get them. `busy`: too many callers wait for them. `fits` says
 * whether the wanted key is among them.
 */
export function remoteKeys<Key>(
  parts: RemoteKeysParts<Key>,
): (uri: string, fits: (keys: readonly Key[]) => boolean) => Promise<readonly Key[] | "busy" | undefined> {
  const entries = new LRUCache<string, Entry<Key>>({ max: 1_000 });
  const loading = new Map<string, Loading<Key>>();
  const load = (uri: string) => {
    let under = loading.get(uri);
    if (under === undefined) {
      under = { entry: fetchKeys(uri, entries.get(uri), parts), waiting: 0 };
      loading.set(uri, under);
      void under.entry.then((entry) => entries.set(uri, entry)).finally(() => loading.delete(uri));
    }
    if (under.waiting >= MAX_WAITING) return "busy";
    under.waiting += 1;
    return under.entry;
  };
  return async (uri, fits) => {
    const now = parts.now();
    let entry = entries.get(uri);
    const wanted = entry?.keys === undefined || now >= entry.until || !fits(entry.keys);
    if (wanted && (entry === undefined || now >= nextAsk(entry))) {
      const loaded = await load(uri);
      // Expired keys that fit are used for a while if the fetch fails.
      if (loaded === "busy" && !(entry?.keys !== undefined && fits(entry.keys))) return "busy";
      if (loaded !== "busy") entry = loaded;
    }
    return entry?.keys !== undefined && now < entry.until + BELIEVED ? entry.keys : undefined;
  };
}

function nextAsk({ askedAt, failures }: Entry<unknown>): Millis {
  return askedAt + (failures === 0 ? ASKED_EVERY : Math.min(ASKED_EVERY, FIRST_PAUSE * 2 ** (failures - 1)));
}

async function fetchKeys<Key>(
  uri: string,
  before: Entry<Key> | undefined,
  { fetcher, now, parse, event }: RemoteKeysParts<Key>,
): Promise<Entry<Key>> {
  const askedAt = now();
  const fetched = await fetcher.fetch(uri, {
    maxBytes: MAX_JWKS,
    accept: "application/jwk-set+json, application/json",
  });
  const keys = fetched.kind === "fetched" ? parse(fetched.body) : undefined;
  if (fetched.kind === "fetched" && keys !== undefined) {
    const held = fetched.maxAge === null ? HELD : Math.min(fetched.maxAge * 1000, HELD_AT_MOST);
    const at = now();
    return { keys, fetchedAt: at, until: at + Math.max(held, ASKED_EVERY), askedAt, failures: 0 };
  }
  const { fault, detail } = fetched.kind === "failed" ? fetched : { fault: "bad_answer", detail: "not a JWK Set" };
  event("remote_keys_unavailable", { uri, fault, detail });
  const failures = (before?.failures ?? 0) + 1;
  return before === undefined
    ? { keys: undefined, fetchedAt: askedAt, until: askedAt, askedAt, failures }
    : { ...before, askedAt, failures };
}
