/**
 * The cache of the issuer's keys: one fetch for many requests, a renewal before they expire, and use of old keys while
 * the issuer can't be reached.
 */

import type { CryptoKey } from "jose";
import { fetchJson } from "./fetch-json.ts";
import { findJwks } from "./issuer-metadata.ts";
import { type KeyHint, type KeySet, pickKey, readKeySet } from "./jwk-set.ts";
import type { Settings } from "./options.ts";

/** The times of the cache, in seconds. */
export const CACHE = Object.freeze({
  /**
   * Keys are cached as long as their Cache-Control says, within these limits; without Cache-Control, for the default.
   */
  keysMin: 60,
  keysDefault: 300,
  keysMax: 3600,
  /** The same for metadata, which change seldom. */
  metadataMin: 300,
  metadataDefault: 3600,
  metadataMax: 86_400,
  /** The pause between two requests for an unknown key, however many tokens name one. */
  unknownKeyCooldown: 60,
  /** The pause after a failed request to the issuer. */
  retryAfterFailure: 5,
  /** How long to use keys that could not be renewed. This is longer than the lifetime of any access token. */
  staleMax: 86_400,
  /** The longest time for one renewal, metadata and keys together. */
  timeout: 5,
});

/**
 * After this part of their lifetime, keys are renewed while requests still use the old ones, so that no request waits.
 */
const RENEW_AT = 0.8;

/** There are no keys, and the issuer can't be reached. */
export class KeysUnavailable extends Error {
  override readonly name = "KeysUnavailable";
}

interface Loaded {
  readonly keys: KeySet;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Milliseconds. */
  readonly freshFor: number;
}

interface Location {
  readonly jwksUri: string;
  readonly until: number;
}

/** The keys of one issuer. One instance serves all requests of a process. */
export class IssuerKeys {
  readonly #settings: Settings;
  #loaded: Loaded | undefined;
  #location: Location | undefined;
  #renewal: Promise<boolean> | undefined;
  /** The latest failure since the latest success. */
  #failure: { readonly at: number; readonly error: Error } | undefined;
  #unknownKeyAt = Number.NEGATIVE_INFINITY;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * The key that a token's header names; undefined if the issuer has no such key.
   * @throws {KeysUnavailable} there are no keys, or only too old ones, and the issuer can't be reached.
   */
  async find(hint: KeyHint): Promise<CryptoKey | undefined> {
    const before = this.#loaded;
    const loaded = await this.#current();
    const key = await pickKey(loaded.keys, hint);
    // Keys that this call has just fetched can't be newer.
    if (key !== undefined || loaded !== before) return key;
    await this.#askForNewKey();
    return pickKey(this.#loaded?.keys ?? [], hint);
  }

  /** Fetches the keys unless they are cached. @throws {KeysUnavailable} as `find`. */
  async load(): Promise<void> {
    await this.#current();
  }

  async #current(): Promise<Loaded> {
    const age = this.#age();
    const fresh = this.#loaded?.freshFor ?? 0;
    if (this.#loaded !== undefined && age < CACHE.staleMax * 1000) {
      if (age < fresh * RENEW_AT) return this.#loaded;
      // Only the request that first finds the keys too old waits. After a failed renewal, no request waits.
      const renewal = this.#renew();
      if (age >= fresh && this.#failure === undefined) await renewal;
      return this.#loaded;
    }
    if (!(await this.#renew()) || this.#loaded === undefined) {
      const cause = this.#failure?.error;
      throw new KeysUnavailable(`no keys of the issuer: ${cause?.message}`, { cause });
    }
    return this.#loaded;
  }

  /** Milliseconds. If the clock was set back, the keys count as too old, not as newer. */
  #age(): number {
    if (this.#loaded === undefined) return Number.POSITIVE_INFINITY;
    const age = this.#settings.now() - this.#loaded.at;
    return age < 0 ? this.#loaded.freshFor : age;
  }

  async #askForNewKey(): Promise<void> {
    if (this.#renewal === undefined) {
      const now = this.#settings.now();
      if (within(CACHE.unknownKeyCooldown, this.#unknownKeyAt, now) || this.#isResting(now)) return;
      this.#unknownKeyAt = now;
    }
    await this.#renew();
  }

  /** Renews the keys, once for all callers at the same time. Resolves to true if the keys are new; never rejects. */
  #renew(): Promise<boolean> {
    if (this.#renewal !== undefined) return this.#renewal;
    if (this.#isResting(this.#settings.now())) return Promise.resolve(false);
    this.#renewal = this.#fetch()
      .then(
        (loaded) => {
          this.#loaded = loaded;
          this.#failure = undefined;
          return true;
        },
        (error: unknown) => {
          const failure = error instanceof Error ? error : new Error(String(error));
          this.#failure = { at: this.#settings.now(), error: failure };
          this.#settings.onIssuerError(failure);
          return false;
        },
      )
      .finally(() => {
        this.#renewal = undefined;
      });
    return this.#renewal;
  }

  /** True if the last request to the issuer failed a short time ago. */
  #isResting(now: number): boolean {
    return this.#failure !== undefined && within(CACHE.retryAfterFailure, this.#failure.at, now);
  }

  async #fetch(): Promise<Loaded> {
    const signal = AbortSignal.timeout(CACHE.timeout * 1000);
    const jwksUri = this.#settings.jwksUri ?? (await this.#locate(signal));
    const at = this.#settings.now();
    const { value, maxAge } = await fetchJson(jwksUri, signal).catch((error: unknown) => {
      // The key set may have another address now, so look the address up again next time.
      this.#location = undefined;
      throw error;
    });
    const freshFor = bounded(maxAge, CACHE.keysMin, CACHE.keysDefault, CACHE.keysMax);
    return { keys: readKeySet(value), at, freshFor };
  }

  async #locate(signal: AbortSignal): Promise<string> {
    const now = this.#settings.now();
    if (this.#location !== undefined && now < this.#location.until) return this.#location.jwksUri;
    const { jwksUri, maxAge } = await findJwks(this.#settings.issuer, signal);
    const keptFor = bounded(maxAge, CACHE.metadataMin, CACHE.metadataDefault, CACHE.metadataMax);
    this.#location = { jwksUri, until: now + keptFor };
    return jwksUri;
  }
}

/**
 * True if `now` is less than this number of seconds from `then`, in either direction, so that a clock that was set back
 * doesn't make a pause longer.
 */
function within(seconds: number, then: number, now: number): boolean {
  return Math.abs(now - then) < seconds * 1000;
}

/** Converts seconds to milliseconds. */
function bounded(seconds: number | null, min: number, fallback: number, max: number): number {
  return Math.min(Math.max(seconds ?? fallback, min), max) * 1000;
}
