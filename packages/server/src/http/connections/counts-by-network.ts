/**
 * Connections and requests that count together by their source: a client, its provider, the allocation around it, and
 * all.
 */

import { originOf } from "./client-address.ts";

/**
 * Items that count together, in the order in which they came. A pool without a limit is counted to find who has the
 * most.
 */
export interface Pool<Item, Reason> {
  readonly key: string;
  most: number;
  /** The reason for closing an item if there are more than `most`. */
  readonly reason: Reason;
  readonly items: Set<Item>;
}

/** Values for one IPv4 address or IPv6 /64, for one IPv6 /48, and for all together. */
type Scopes<Value> = { readonly client: Value; readonly network: Value; readonly all: Value };

export class Pools<Item, Reason> {
  /** The pool of all items. */
  readonly all: Pool<Item, Reason>;
  readonly #bounds: Scopes<number>;
  readonly #reasons: Scopes<Reason>;
  readonly #pools = new Map<string, Pool<Item, Reason>>();

  constructor(bounds: Scopes<number>, reasons: Scopes<Reason>) {
    this.#bounds = bounds;
    this.#reasons = reasons;
    this.all = { key: "", most: bounds.all, reason: reasons.all, items: new Set() };
  }

  /** The pools of an item from this address, the narrowest first; the last one is for all items. */
  of(address: string): readonly Pool<Item, Reason>[] {
    const { network, provider, allocation } = originOf(address);
    const client = this.#pool(network, this.#bounds.client, this.#reasons.client);
    const widest = this.#pool(allocation, Number.POSITIVE_INFINITY, this.#reasons.all);
    // The neighbours of an IPv4 address are other customers, so they have no common limit.
    if (provider === allocation) return [client, widest, this.all];
    return [client, this.#pool(provider, this.#bounds.network, this.#reasons.network), widest, this.all];
  }

  /** Removes an item from its pools. */
  leave(item: Item, pools: readonly Pool<Item, Reason>[]): void {
    for (const { key, items } of pools) {
      items.delete(item);
      if (items.size === 0) this.#pools.delete(key);
    }
  }

  #pool(key: string, most: number, reason: Reason): Pool<Item, Reason> {
    let pool = this.#pools.get(key);
    if (pool === undefined) {
      pool = { key, most, reason, items: new Set() };
      this.#pools.set(key, pool);
    }
    return pool;
  }
}

/** An allocation, a provider in it, a client in that provider. */
export const LEVELS = [0, 1, 2] as const;
export type Level = (typeof LEVELS)[number];

/** An item's pool of a level, or the wider one if there is none. Undefined: it counts only in the pool of all items. */
export function poolAt<Item, Reason>(
  pools: readonly Pool<Item, Reason>[],
  level: Level,
): Pool<Item, Reason> | undefined {
  const widest = pools.length - 2;
  if (widest < 0) return undefined;
  return level === 2 ? pools[0] : pools[Math.max(1, widest - level)];
}
