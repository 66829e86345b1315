/** Keys at a `jwks_uri`: fetched once for all who ask, held, and fetched again for a key that isn't there (RFC 7517 §5, RFC 7591 §2). */

import { LRUCache } from "lru-cache";
import type { Millis } from "../oauth/model.ts";
import type { GuardedFetcher } from "./guarded-fetch.ts";

/** Bytes of a JWK Set: a hundred keys fit. */
const MAX_JWKS = 65_536;
/** No address is asked more often than that, whatever its answer or a sender says. */
const ASKED_EVERY: Millis = 60_000;
/** How long keys hold where the answer doesn't say, and at most. */
const HELD: Millis = 300_000;
const HELD_AT_MOST: Millis = 3_600_000;
/** Keys that could not be fetched anew are believed for so long: an outage of theirs is no outage of ours. */
const BELIEVED: Millis = 3_600_000;
/** After a failure, before the next try; a fault of a moment is soon forgotten, a lasting one costs little. */
const FIRST_PAUSE: Millis = 5_000;
/** Those who wait for one document while it is fetched: each holds a request, and its sender may keep the answer away for as long as it can. */
export const MAX_WAITING = 64;

interface Entry<Key> {
  readonly keys: readonly Key[] | undefined;
  /** When the last answer with keys came, and until when it holds. */
  readonly fetchedAt: Millis;
  readonly until: Millis;
  readonly askedAt: Millis;
  readonly failures: number;
}

export interface RemoteKeysParts<Key> {
  readonly fetcher: GuardedFetcher;
  /** A clock that nobody sets, in milliseconds. */
  readonly now: () => Millis;
  /** The usable keys of a document; undefined: it isn't a JWK Set. */
  readonly parse: (body: Uint8Array) => readonly Key[] | undefined;
  readonly event: (name: string, fields: Readonly<Record<string, string>>) => void;
}

/** A document under way, and how many wait for it. */
interface Loading<Key> {
  readonly entry: Promise<Entry<Key>>;
  waiting: number;
}

/** Finds the keys at a URI; undefined: they can't be had; `busy`: too many wait for them. `fits`: the one that is looked for is among them. */
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
      // What is held and fits is believed for a while after its time.
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
