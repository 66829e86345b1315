/**
 * The database's clock as this process knows it. It is measured with each connection and from time to time. In between,
 * a clock that nobody sets counts on.
 */

import type { Millis } from "../../oauth/model.ts";

/** Age from which a measurement should be repeated. */
const MEASURE_EVERY: Millis = 1_000;
/**
 * If the database's clock was set back further than this, the time follows at once. After a smaller step, the time
 * stands still until the clock has caught up.
 */
const STEP: Millis = 10_000;

export class DatabaseClock {
  /** The difference between the database's clock and `performance.now()`. */
  #offset: number | undefined;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #last = 0;

  /**
   * Whole epoch milliseconds. Never earlier than the last result, unless the database's own clock was set back by more
   * than `STEP`.
   */
  now(): Millis {
    const now = Math.round(this.#offset === undefined ? Date.now() : this.#offset + performance.now());
    this.#last = now < this.#last && this.#last - now < STEP ? this.#last : now;
    return this.#last;
  }

  get stale(): boolean {
    return performance.now() - this.#measuredAt > MEASURE_EVERY;
  }

  /**
   * Takes a reading of the database's clock that took `tookMs` there and back. The database read its clock during that
   * time. An offset that agrees with this stays; otherwise it changes as little as possible.
   */
  measured({ clock, tookMs }: { readonly clock: Millis; readonly tookMs: number }): void {
    if (!Number.isFinite(clock)) return;
    const received = performance.now();
    // The reading was cut to whole milliseconds.
    const least = clock - received;
    const most = clock + 1 - (received - tookMs);
    this.#measuredAt = received;
    if (this.#offset === undefined) this.#offset = (least + most) / 2;
    else this.#offset = Math.min(Math.max(this.#offset, least), most);
  }

  /**
   * The difference between this machine's clock and the database's in milliseconds. Positive: this machine is ahead.
   */
  get localAhead(): Millis {
    return this.#offset === undefined ? 0 : Math.round(Date.now() - this.#offset - performance.now());
  }
}
