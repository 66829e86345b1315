/** Which scopes an app uses, as far as it asks for less than all of them: noted now and then, not with each token. */

import { LRUCache } from "lru-cache";
import type { Grant, Millis } from "../oauth/model.ts";
import { type GrantStorage, USE_RECORDED_EVERY } from "../oauth/storage.ts";
import type { Uses } from "../uses.ts";

/** So many grants are remembered in a process as noted a moment ago. */
const REMEMBERED = 20_000;

export class ScopeUses {
  readonly #storage: Uses<GrantStorage, "scopeUses.record">;
  readonly #now: () => Millis;
  /** Grant and scopes → when they were noted. */
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
