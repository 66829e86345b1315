/**
 * Records what apps use, from time to time: which scopes, if an app asks for fewer than it has, and that an API asked
 * about a token, and which APIs an app used.
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

interface RecordedUses {
  readonly storage: Uses<GrantStorage, "grants.recordIntrospection" | "apiUses.record">;
  readonly partitionOf: (grantId: string) => number;
  readonly now: () => Millis;
  /** The record was not written, because the database did not answer. */
  readonly failed: () => void;
}

/** No request waits for a record, so that it is as fast as without, also while the database can't be written. */
export class GrantUses {
  readonly #context: RecordedUses;
  /** Id of a grant, alone or with an API → when its use was recorded. */
  readonly #noted = leastRecentlyUsed<Millis>(REMEMBERED);
  #writing = 0;

  constructor(context: RecordedUses) {
    this.#context = context;
  }

  /** Somebody asked about a token of the grant. */
  note(grantId: string): void {
    const { storage, partitionOf } = this.#context;
    this.#write(grantId, (now) =>
      storage.grants.recordIntrospection({ partition: partitionOf(grantId), grantId, now }),
    );
  }

  /** The grant was used at an API. */
  noteApi(grantId: string, api: string): void {
    const { storage, partitionOf } = this.#context;
    this.#write(`${grantId} ${api}`, (now) =>
      storage.apiUses.record({ partition: partitionOf(grantId), grantId, api, now }),
    );
  }

  #write(key: string, record: (now: Millis) => Promise<unknown>): void {
    const now = this.#context.now();
    const before = this.#noted.get(key);
    if ((before !== undefined && before > now - USE_RECORDED_EVERY) || this.#writing >= WRITING) return;
    this.#noted.set(key, now);
    this.#writing += 1;
    record(now)
      .catch(this.#context.failed)
      .finally(() => {
        this.#writing -= 1;
      });
  }
}
