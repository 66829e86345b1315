/** Connections and requests that count together by where they come from: a client, its provider, the allocation around that, and everybody. */

import { originOf } from "./client-address.ts";

/** Items that count together, in the order in which they came. A pool without a bound is counted to find who has the most. */
export interface Pool<Item, Reason> {
  readonly key: string;
  most: number;
  /** Why an item is closed where there are more than `most`. */
  readonly reason: Reason;
  readonly items: Set<Item>;
}

/** Of one IPv4 address or IPv6 /64, of one IPv6 /48, and of all together. */
type Scopes<Value> = { readonly client: Value; readonly network: Value; readonly all: Value };

export class Pools<Item, Reason> {
  /** Everybody's. */
  readonly all: Pool<Item, Reason>;
  readonly #bounds: Scopes<number>;
  readonly #reasons: Scopes<Reason>;
  readonly #pools = new Map<string, Pool<Item, Reason>>();

  constructor(bounds: Scopes<number>, reasons: Scopes<Reason>) {
    this.#bounds = bounds;
    this.#reasons = reasons;
    this.all = { key: "", most: bounds.all, reason: reasons.all, items: new Set() };
  }

  /** The pools in which an item from this address counts, the narrowest first; the last one is everybody's. */
  of(address: string): readonly Pool<Item, Reason>[] {
    const { network, provider, allocation } = originOf(address);
    const client = this.#pool(network, this.#bounds.client, this.#reasons.client);
    const widest = this.#pool(allocation, Number.POSITIVE_INFINITY, this.#reasons.all);
    // The neighbours of an IPv4 address are other customers: they have no bound together.
    if (provider === allocation) return [client, widest, this.all];
    return [client, this.#pool(provider, this.#bounds.network, this.#reasons.network), widest, this.all];
  }

  /** Takes an item out of its pools. */
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

/** An allocation, a provider in it, a client in that. */
export const LEVELS = [0, 1, 2] as const;
export type Level = (typeof LEVELS)[number];

/** An item's pool of a level; the wider one's where that is missing; undefined: it counts in everybody's alone. */
export function poolAt<Item, Reason>(
  pools: readonly Pool<Item, Reason>[],
  level: Level,
): Pool<Item, Reason> | undefined {
  const widest = pools.length - 2;
  if (widest < 0) return undefined;
  return level === 2 ? pools[0] : pools[Math.max(1, widest - level)];
}
