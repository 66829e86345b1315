/** Tells companies about members who were disabled or deleted, also after a crash prevented it. */

import type { Logger } from "pino";
import type { Millis } from "./oauth/model.ts";
import type { Storage } from "./storage/open.ts";

/** How often this runs. Until then, the list of such people makes the server refuse refreshes. */
const SYNC_EVERY: Millis = 5_000;

interface SyncContext {
  readonly storage: Pick<Storage, "membershipOutbox">;
  now(): Millis;
  event(name: string, fields: Readonly<Record<string, number>>): void;
}

/** Runs until the returned timer is cleared. */
export function keepMembershipsInSync(context: SyncContext, log: Logger): NodeJS.Timeout {
  const timer = setInterval(() => void syncMemberships(context, log), SYNC_EVERY);
  return timer.unref();
}

/** Sends the news about disabled or deleted people that a dead process, or an unavailable database, left unsent. */
async function syncMemberships(context: SyncContext, log: Logger): Promise<void> {
  try {
    const told = await context.storage.membershipOutbox.deliver({ now: context.now(), limit: 100 });
    if (told > 0) context.event("companies_told", { told });
  } catch (error) {
    log.warn({ err: error }, "companies could not be told of people who were disabled; it is tried again in seconds");
  }
}
