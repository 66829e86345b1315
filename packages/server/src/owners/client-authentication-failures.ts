/** Failed client authentications, counted for all processes together (RFC 6749 §2.3.1: guessing is bounded). */

import { leastRecentlyUsed } from "../least-recently-used.ts";
import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type { HashRequester } from "./password-hash-requester.ts";
import type { OwnerStorage } from "./storage.ts";

const MINUTE: Millis = 60_000;
/** Of one client, from one network, in a minute. */
const OF_A_CLIENT = 60;
/** From one network, whatever client is named: each name makes a row, and anybody can make up names. */
const OF_A_NETWORK = 600;
/** From one IPv4 /24 or IPv6 /48, which has 65,536 networks. */
const OF_A_PROVIDER = 2_400;
/** Keys that are known to be over their limit: they are not asked of the database again. */
const HELD = 10_000;

export interface FailedClientsParts {
  readonly storage: Uses<OwnerStorage, "attempts.count">;
  readonly attemptKey: (...parts: readonly string[]) => string;
  /** Whether an exception says that the database is away. */
  isOutage(error: unknown): boolean;
  now(): Millis;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): Millis;
}

export class FailedClients {
  static readonly LIMIT = OF_A_CLIENT;
  static readonly LIMIT_OF_PROVIDER = OF_A_PROVIDER;
  readonly #parts: FailedClientsParts;
  /** Until when, on the monotonic clock. */
  readonly #over = leastRecentlyUsed<Millis>(HELD);

  constructor(parts: FailedClientsParts) {
    this.#parts = parts;
  }

  /**
   * Counts a failure; true where there were too many before it. Those are not counted, so that a flood costs no writes. While the database is
   * away nothing is counted: what is guessed here has 256 random bits.
   */
  async exceeded(
    { network, provider }: Pick<HashRequester, "network" | "provider">,
    claimed: string,
  ): Promise<boolean> {
    const { attemptKey } = this.#parts;
    const wide = attemptKey("client failures", "provider", provider);
    if (this.#isOver(wide)) return true;
    const all = attemptKey("client failures", network);
    const client = attemptKey("client failures", network, claimed);
    if (this.#isOver(all) || this.#isOver(client)) return true;
    // One after the other: beyond a wider limit, neither a network nor a made-up name makes a row.
    return (
      (await this.#isTooMany(wide, OF_A_PROVIDER)) ||
      (await this.#isTooMany(all, OF_A_NETWORK)) ||
      (await this.#isTooMany(client, OF_A_CLIENT))
    );
  }

  async #isTooMany(key: string, limit: number): Promise<boolean> {
    const { storage, isOutage, now, monotonic } = this.#parts;
    try {
      const at = now();
      const counted = await storage.attempts.count({ attempts: [{ key, limit, window: MINUTE }], now: at });
      if (counted.kind === "allowed") return false;
      this.#over.set(key, monotonic() + (counted.until - at));
      return true;
    } catch (error) {
      if (isOutage(error)) return false;
      throw error;
    }
  }

  #isOver(key: string): boolean {
    return (this.#over.get(key) ?? 0) > this.#parts.monotonic();
  }
}
