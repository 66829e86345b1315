/** Records which scopes an app uses, if it asks for fewer than it has: from time to time, not with each token. */

import { LRUCache } from "lru-cache";
import type { Grant, Millis } from "../../oauth/model.ts";
import { type GrantStorage, USE_RECORDED_EVERY } from "../../oauth/storage.ts";
import type { Uses } from "../../uses.ts";

/** Number of grants that a process remembers as recorded a moment ago. */
const REMEMBERED = 20_000;

export class ScopeUses {
  readonly #storage: Uses<GrantStorage, "scopeUses.record">;
  readonly #now: () => Millis;
  /** Grant and scopes → when they were recorded. */
  readonly #noted = new LRUCache<string, Millis>({ max: REMEMBERED });

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
