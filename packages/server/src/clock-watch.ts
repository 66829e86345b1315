/** Notices that the clock has jumped ahead, so that nothing is deleted because of a wrong time. */

import type { Millis } from "./oauth/model.ts";

/** A clock that is set by less than this is being corrected as usual. */
const TOLERANCE: Millis = 300_000;
/** After this time, the new time counts as the right one: for example after the machine has slept. */
const PATIENCE: Millis = 3_600_000;

export class ClockWatch {
  readonly #now: () => Millis;
  readonly #monotonic: () => Millis;
  /** The difference between the clock and the time since the start, as long as nothing is wrong. */
  #trusted: Millis;
  /** The difference after a jump, and when it was first seen. */
  #jumped: { readonly offset: Millis; readonly since: Millis } | undefined;

  /** `monotonic`: a clock that nobody sets. */
  constructor(now: () => Millis, monotonic: () => Millis) {
    this.#now = now;
    this.#monotonic = monotonic;
    this.#trusted = now() - monotonic();
  }

  /** False: the clock jumped ahead within the last hour. A clock that goes back deletes nothing, so it is followed. */
  isSteady(): boolean {
    const at = this.#monotonic();
    const offset = this.#now() - at;
    if (offset - this.#trusted > TOLERANCE) {
      if (this.#jumped === undefined || Math.abs(offset - this.#jumped.offset) > TOLERANCE)
        this.#jumped = { offset, since: at };
      if (at - this.#jumped.since < PATIENCE) return false;
    }
    this.#trusted = offset;
    this.#jumped = undefined;
    return true;
  }
}
