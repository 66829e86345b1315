/** Limits on documents that strangers make this server fetch, in this process. */

import { leastRecentlyUsed } from "../least-recently-used.ts";
import type { Millis } from "../oauth/model.ts";
import type { RequestOrigin } from "../oauth/ports.ts";

const MINUTE: Millis = 60_000;
/** Maximum number of new documents in a minute: for one network, for its provider, and from one host. */
const OF_A_NETWORK = 30;
const OF_A_PROVIDER = 120;
const OF_A_HOST = 60;
const HELD = 10_000;

interface Count {
  readonly until: Millis;
  fetches: number;
}

export class FetchLimits {
  readonly #counts = leastRecentlyUsed<Count>(HELD);
  readonly #now: () => Millis;

  constructor(now: () => Millis) {
    this.#now = now;
  }

  /** Counts a new document. Undefined: within the limits. Otherwise: the seconds until the next one. */
  count(host: string, { network, provider }: RequestOrigin): number | undefined {
    const all = [
      [`network ${network}`, OF_A_NETWORK],
      // The neighbours of an IPv4 address are other customers.
      ...(network.includes(":") ? [[`provider ${provider}`, OF_A_PROVIDER] as const] : []),
      [`host ${host}`, OF_A_HOST],
    ] as const;
    for (const [key, most] of all) {
      const over = this.#over(key, most);
      // A refused request doesn't count for the host, so that one network can't use up the limit of a host.
      if (over !== undefined) return over;
    }
    return undefined;
  }

  #over(key: string, most: number): number | undefined {
    const now = this.#now();
    let count = this.#counts.get(key);
    if (count === undefined || count.until <= now) {
      count = { until: now + MINUTE, fetches: 0 };
      this.#counts.set(key, count);
    }
    count.fetches += 1;
    return count.fetches > most ? Math.max(1, Math.ceil((count.until - now) / 1000)) : undefined;
  }
}
