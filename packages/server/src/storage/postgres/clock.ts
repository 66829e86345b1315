/** The database's clock as this process knows it: measured with each connection and now and then, in between counted by a clock that nobody sets. */

import type { Millis } from "../../oauth/model.ts";

/** How old a measurement may be before another is wished for. */
const MEASURE_EVERY: Millis = 1_000;
/** A database whose clock was set back further than this is followed at once; less is waited out. */
const STEP: Millis = 10_000;

export class DatabaseClock {
  /** What to add to `performance.now()`. */
  #offset: number | undefined;
  #measuredAt = Number.NEGATIVE_INFINITY;
  #last = 0;

  /** Epoch milliseconds, whole; never earlier than the last answer, unless the database's own clock was set back by much. */
  now(): Millis {
    const now = Math.round(this.#offset === undefined ? Date.now() : this.#offset + performance.now());
    this.#last = now < this.#last && this.#last - now < STEP ? this.#last : now;
    return this.#last;
  }

  get stale(): boolean {
    return performance.now() - this.#measuredAt > MEASURE_EVERY;
  }

  /**
   * Takes a reading of the database's clock that was on its way for `tookMs` there and back. It was read in between: an offset that this
   * allows stays, one that it contradicts moves as little as it must.
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

  /** How far this machine's clock is from the database's, in milliseconds: positive where it is ahead. */
  get localAhead(): Millis {
    return this.#offset === undefined ? 0 : Math.round(Date.now() - this.#offset - performance.now());
  }
}
