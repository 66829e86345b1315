/** The sources of the metrics, read on demand. */

import { passwordQueue } from "./crypto/password-hashing.ts";
import type { Connections } from "./http/connections/connection-limits.ts";
import type { MetricSources } from "./metrics/server-metrics.ts";
import type { Assent } from "./server-parts.ts";
import type { Storage } from "./storage/open.ts";

export function sourcesOf(
  { gate, unread, keys, now }: Pick<Assent, "gate" | "unread" | "keys" | "now">,
  storage: Storage,
  connections: Connections,
): MetricSources {
  return {
    passwordQueue,
    writesWaiting: () => storage.stats().waiting,
    underWay: () => gate.underWay,
    unread: () => unread.size,
    connections: () => connections.open,
    now,
    backlog: (most) => storage.housekeeping.backlog({ now: now(), most }),
    mailWaiting: (most) => storage.mailRequests.countWaiting({ most }),
    async signingKeys() {
      const [{ active }, stored] = await Promise.all([keys(), storage.keys.list()]);
      const signing = new Set([...active.values()].map(({ kid }) => kid));
      return stored
        .filter(({ kid }) => signing.has(kid))
        .map(({ alg, createdAt, activeFrom }) => ({ alg, since: Math.max(createdAt, activeFrom) }));
    },
  };
}
