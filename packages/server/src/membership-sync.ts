/** Companies hear of members who were disabled or removed, also where a crash kept them from hearing. */

import type { Logger } from "pino";
import type { Millis } from "./oauth/model.ts";
import type { Assent } from "./server-parts.ts";

/** How soon companies hear of people whom a crash kept them from hearing of; until then, refreshing is refused by the list of such people. */
const SYNC_EVERY: Millis = 5_000;

/** Until the timer that it gives is cleared. */
export function keepMembershipsInSync(assent: Assent, log: Logger): NodeJS.Timeout {
  const timer = setInterval(() => void syncMemberships(assent, log), SYNC_EVERY);
  return timer.unref();
}

/** What a process that died, or a database that was away, left untold: which people were disabled or removed. */
async function syncMemberships(assent: Assent, log: Logger): Promise<void> {
  try {
    const told = await assent.storage.membershipOutbox.deliver({ now: assent.now(), limit: 100 });
    if (told > 0) assent.event("companies_told", { told });
  } catch (error) {
    log.warn({ err: error }, "companies could not be told of people who were disabled; it is tried again in seconds");
  }
}
