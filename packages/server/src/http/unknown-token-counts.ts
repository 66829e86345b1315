/**
 * Counts unknown tokens at introspection and revocation, in this process only. Tokens have 256 random bits, so nobody
 * can guess one, and a row in the database would make a miss cost more than a hit.
 */

import { leastRecentlyUsed } from "../least-recently-used.ts";
import type { Millis } from "../oauth/model.ts";
import type { TokenMisses } from "../oauth/ports.ts";

const MINUTE: Millis = 60_000;
/** Maximum number of misses of one caller in a minute. */
const OF_A_CALLER = 300;
/** Maximum number of callers that are counted; those without a request for longest are forgotten. */
const HELD = 10_000;

interface Count {
  readonly until: Millis;
  misses: number;
}

export function tokenMisses(now: () => Millis): TokenMisses {
  const counts = leastRecentlyUsed<Count>(HELD);
  const current = (caller: string): Count | undefined => {
    const count = counts.get(caller);
    return count !== undefined && count.until > now() ? count : undefined;
  };
  return {
    count(caller) {
      let count = current(caller);
      if (count === undefined) {
        count = { until: now() + MINUTE, misses: 0 };
        counts.set(caller, count);
      }
      count.misses += 1;
      return count.misses > OF_A_CALLER ? Math.max(1, Math.ceil((count.until - now()) / 1000)) : undefined;
    },
    isOver: (caller) => (current(caller)?.misses ?? 0) >= OF_A_CALLER,
  };
}
