/** The issuer's keys over time: fetched once for many requests, renewed before they grow old, kept while the issuer is away. */

import type { CryptoKey } from "jose";
import { fetchJson } from "./fetch-json.ts";
import { findJwks } from "./issuer-metadata.ts";
import { type KeyHint, type KeySet, pickKey, readKeySet } from "./jwk-set.ts";
import type { Settings } from "./options.ts";

/** The times of the cache, in seconds. */
export const CACHE = Object.freeze({
  /** Keys are kept as long as their Cache-Control says, within these bounds; without one, for the default. */
  keysMin: 60,
  keysDefault: 300,
  keysMax: 3600,
  /** The same for metadata, which changes seldom. */
  metadataMin: 300,
  metadataDefault: 3600,
  metadataMax: 86_400,
  /** A key that isn't there may be asked for once in this time, however many tokens name it. */
  unknownKeyCooldown: 60,
  /** After a failure the issuer is left in peace for this time. */
  retryAfterFailure: 5,
  /** Keys that could not be renewed serve for this long: longer than any access token lives, but not for ever. */
  staleMax: 86_400,
  /** One renewal, metadata and keys together. */
  timeout: 5,
});

/** From this part of their time on, keys are renewed while requests still use the old ones, so that none has to wait. */
const RENEW_AT = 0.8;

/** There are no keys, and the issuer does not give any. */
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
  /** Of the latest failure since the latest success. */
  #failure: { readonly at: number; readonly error: Error } | undefined;
  #unknownKeyAt = Number.NEGATIVE_INFINITY;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * The key that a token's header points at; undefined if the issuer has no such key.
   * @throws {KeysUnavailable} none were ever fetched, or too long ago, and the issuer can't be reached.
   */
  async find(hint: KeyHint): Promise<CryptoKey | undefined> {
    const before = this.#loaded;
    const loaded = await this.#current();
    const key = await pickKey(loaded.keys, hint);
    // Keys that came within this very call are the newest there are.
    if (key !== undefined || loaded !== before) return key;
    await this.#askForNewKey();
    return pickKey(this.#loaded?.keys ?? [], hint);
  }

  /** Fetches the keys unless they are there. @throws {KeysUnavailable} as `find`. */
  async load(): Promise<void> {
    await this.#current();
  }

  async #current(): Promise<Loaded> {
    const age = this.#age();
    const fresh = this.#loaded?.freshFor ?? 0;
    if (this.#loaded !== undefined && age < CACHE.staleMax * 1000) {
      if (age < fresh * RENEW_AT) return this.#loaded;
      // Only the first request that finds them too old waits; once a renewal has failed, none does.
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

  /** Milliseconds. A clock that was set back makes the keys too old rather than too young. */
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

  /** One renewal at a time, whoever asks. Resolves to whether the keys are new; never rejects. */
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

  /** Whether the issuer failed a moment ago. */
  #isResting(now: number): boolean {
    return this.#failure !== undefined && within(CACHE.retryAfterFailure, this.#failure.at, now);
  }

  async #fetch(): Promise<Loaded> {
    const signal = AbortSignal.timeout(CACHE.timeout * 1000);
    const jwksUri = this.#settings.jwksUri ?? (await this.#locate(signal));
    const at = this.#settings.now();
    const { value, maxAge } = await fetchJson(jwksUri, signal).catch((error: unknown) => {
      // The set may have moved: look the address up again next time.
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

/** Whether `now` is less than so many seconds from `then`, in either direction: a clock set back must not lengthen a rest. */
function within(seconds: number, then: number, now: number): boolean {
  return Math.abs(now - then) < seconds * 1000;
}

/** Seconds in, milliseconds out. */
function bounded(seconds: number | null, min: number, fallback: number, max: number): number {
  return Math.min(Math.max(seconds ?? fallback, min), max) * 1000;
}
