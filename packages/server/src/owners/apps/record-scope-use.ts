/**
 * Records what apps use, from time to time: which scopes, if an app asks for fewer than it has, and that an API asked
 * about a token.
 */

import { leastRecentlyUsed } from "../../least-recently-used.ts";
import type { Grant, Millis } from "../../oauth/model.ts";
import { type GrantStorage, USE_RECORDED_EVERY } from "../../oauth/storage.ts";
import type { Uses } from "../../storage-subset.ts";

/** Number of records of each kind that a process remembers. */
const REMEMBERED = 50_000;

export class ScopeUses {
  readonly #storage: Uses<GrantStorage, "scopeUses.record">;
  readonly #now: () => Millis;
  /** Grant and scopes → when they were recorded. */
  readonly #noted = leastRecentlyUsed<Millis>(REMEMBERED);

  constructor(storage: Uses<GrantStorage, "scopeUses.record">, now: () => Millis) {
    this.#storage = storage;
    this.#now = now;
  }

  async note(
    { partition, grantId, ownerId, clientId, scopes: granted }: Grant,
    scopes: readonly string[],
  ): Promise<void> {
    const key = `${grantId} ${[...scopes].sort().join(" ")}`;
    const now = this.#now();
    const before = this.#noted.get(key);
    if (before !== undefined && before > now - USE_RECORDED_EVERY) return;
    const names = scopes.filter((name) => granted.some((one) => one.name === name));
    await this.#storage.scopeUses.record({ partition, ownerId, clientId, scopes: names, now });
    this.#noted.set(key, now);
  }
}

/** Maximum number of records that are being written. Beyond that, a use is recorded at the next introspection. */
const WRITING = 500;

interface Introspections {
  readonly storage: Uses<GrantStorage, "grants.recordIntrospection">;
  readonly partitionOf: (grantId: string) => number;
  readonly now: () => Millis;
  /** The record was not written, because the database did not answer. */
  readonly failed: () => void;
}

/** Introspection waits for no record, so that it is as fast as without, also while the database can't be written. */
export class GrantUses {
  readonly #context: Introspections;
  /** Id of a grant → when its introspection was recorded. */
  readonly #noted = leastRecentlyUsed<Millis>(REMEMBERED);
  #writing = 0;

  constructor(context: Introspections) {
    this.#context = context;
  }

  note(grantId: string): void {
    const { storage, partitionOf, failed } = this.#context;
    const now = this.#context.now();
    const before = this.#noted.get(grantId);
    if ((before !== undefined && before > now - USE_RECORDED_EVERY) || this.#writing >= WRITING) return;
    this.#noted.set(grantId, now);
    this.#writing += 1;
    storage.grants
      .recordIntrospection({ partition: partitionOf(grantId), grantId, now })
      .catch(failed)
      .finally(() => {
        this.#writing -= 1;
      });
  }
}
