/** Limits of registrations without an initial access token, and of changes, for all processes together. */

import type { AdminStorage } from "../admin/storage.ts";
import { leastRecentlyUsed } from "../least-recently-used.ts";
import type { Millis } from "../oauth/model.ts";
import type { RequestOrigin } from "../oauth/ports.ts";
import type { Attempt, OwnerStorage } from "../owners/storage.ts";
import type { Uses } from "../storage-subset.ts";

const HOUR: Millis = 3_600_000;
/** Maximum number of new clients in an hour: of one network, of its provider, and of all. */
export const OF_A_NETWORK = 10;
const OF_A_PROVIDER = 100;
export const OF_ALL = 1_000;
/** Maximum number of times that one client changes itself in an hour: every process reads each change. */
export const CHANGES = 60;
/** Maximum number of clients that no owner has answered. */
export const MOST_UNUSED = 10_000;
/** Keys that are known to be over their limit: the database is not asked again. */
const HELD = 10_000;

export interface LimitsParts {
  readonly storage: Uses<OwnerStorage, "attempts.count">;
  readonly attemptKey: (...parts: readonly string[]) => string;
  readonly now: () => Millis;
}

export type RegistrationStorage = AdminStorage & LimitsParts["storage"];

export class RegistrationLimits {
  readonly #parts: LimitsParts;
  /** Until when, as the time is stored. */
  readonly #over = leastRecentlyUsed<Millis>(HELD);

  constructor(parts: LimitsParts) {
    this.#parts = parts;
  }

  /** Undefined: as far as this process knows, within the limits. Otherwise: the seconds until the next try. Costs no query. */
  known(origin: RequestOrigin): number | undefined {
    const now = this.#parts.now();
    const until = Math.max(...this.#attempts(origin).map(({ key }) => this.#over.get(key) ?? 0));
    return until > now ? Math.ceil((until - now) / 1000) : undefined;
  }

  /** Counts a registration. Undefined: within the limits. A refused one is not counted, so a flood costs no writes. */
  count(origin: RequestOrigin): Promise<number | undefined> {
    return this.#count(this.#attempts(origin));
  }

  /** The same for a change of a client. */
  async countChange(clientId: string): Promise<number | undefined> {
    const key = this.#parts.attemptKey("registration changes", clientId);
    const wait = (this.#over.get(key) ?? 0) - this.#parts.now();
    return wait > 0 ? Math.ceil(wait / 1000) : this.#count([{ key, limit: CHANGES, window: HOUR }]);
  }

  async #count(attempts: readonly Attempt[]): Promise<number | undefined> {
    const { storage, now } = this.#parts;
    const at = now();
    const counted = await storage.attempts.count({ attempts, now: at });
    if (counted.kind === "allowed") return undefined;
    for (const key of counted.full) this.#over.set(key, counted.until);
    return Math.max(1, Math.ceil((counted.until - at) / 1000));
  }

  #attempts({ network, provider }: RequestOrigin): readonly Attempt[] {
    const { attemptKey } = this.#parts;
    return [
      { key: attemptKey("registrations", network), limit: OF_A_NETWORK, window: HOUR },
      // The neighbours of an IPv4 address are other customers.
      ...(network.includes(":")
        ? [{ key: attemptKey("registrations", "provider", provider), limit: OF_A_PROVIDER, window: HOUR }]
        : []),
      { key: attemptKey("registrations", "all"), limit: OF_ALL, window: HOUR },
    ];
  }
}
