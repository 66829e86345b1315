/**
 * Stores refused requests, so that an operator can explain each one. Strangers can cause any number of refusals, so
 * each network, each condition and the whole process have a limit per minute. What goes beyond it is in the log and
 * the metrics only.
 */

import type { AdminStorage, StoredRefusal } from "../admin/storage.ts";
import type { Uses } from "../storage-subset.ts";

/** Limits of one minute. */
const WINDOW = 60_000;
const OF_A_NETWORK = 60;
const OF_A_CONDITION = 300;
const OF_ALL = 1000;
/** Refusals wait so long for others, in milliseconds, and are then stored together. */
const COLLECT_FOR = 100;

export interface RecorderParts {
  readonly storage: Uses<AdminStorage, "refusals.add">;
  networkOf(address: string): string;
  /** Milliseconds of a clock that nobody sets. */
  monotonic(): number;
}

export class RefusalRecorder {
  readonly #parts: RecorderParts;
  /** Number of refusals in this minute by network and by condition. At most `OF_ALL` entries of each. */
  readonly #counts = new Map<string, number>();
  #all = 0;
  #windowUntil = 0;
  #waiting = new Map<string, StoredRefusal>();
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(parts: RecorderParts) {
    this.#parts = parts;
  }

  /** Stores the refusal soon, unless there are too many. The first one with a number counts. Never throws. */
  note(refusal: StoredRefusal): void {
    if (this.#waiting.has(refusal.requestId) || !this.#admits(refusal)) return;
    this.#waiting.set(refusal.requestId, refusal);
    this.#timer ??= setTimeout(() => this.#write(), COLLECT_FOR).unref();
  }

  /** Resolves when everything noted before has been stored or given up. */
  async settle(): Promise<void> {
    this.#write();
    await this.#writing;
  }

  #admits({ address, condition }: StoredRefusal): boolean {
    const now = this.#parts.monotonic();
    if (now >= this.#windowUntil) {
      this.#counts.clear();
      this.#all = 0;
      this.#windowUntil = now + WINDOW;
    }
    if (this.#all >= OF_ALL) return false;
    const network = `network ${this.#parts.networkOf(address)}`;
    const ofNetwork = this.#counts.get(network) ?? 0;
    const ofCondition = this.#counts.get(condition) ?? 0;
    if (ofNetwork >= OF_A_NETWORK || ofCondition >= OF_A_CONDITION) return false;
    this.#counts.set(network, ofNetwork + 1);
    this.#counts.set(condition, ofCondition + 1);
    this.#all += 1;
    return true;
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const refusals = [...this.#waiting.values()];
    this.#waiting = new Map();
    if (refusals.length === 0) return;
    const before = this.#writing;
    this.#writing = Promise.all(
      // The log has the refusal, too. In an outage of the database, nothing else can be done for it here.
      refusals.map((refusal) => this.#parts.storage.refusals.add({ refusal }).catch(() => undefined)),
    ).then(() => before);
  }
}
