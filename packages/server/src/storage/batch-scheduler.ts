/** Decides when a group of waiting calls is sent to the database. */

/** Maximum number of turns of the event loop for which a group waits for more calls. */
const TURNS = 16;

/**
 * Clients answered in one batch return in a burst. Without a wait, the first of them would be sent alone and pay alone
 * for a flush of the disk. So a group is sent when a turn of the event loop has added no call.
 */
export class BatchScheduler {
  readonly #waiting: () => number;
  readonly #most: number;
  readonly #go: () => void;
  #begun = false;

  /** `waiting` returns the number of calls that would be sent now. A group of `most` calls is sent at once. */
  constructor(waiting: () => number, most: number, go: () => void) {
    this.#waiting = waiting;
    this.#most = most;
    this.#go = go;
  }

  /** Call this when a call begins to wait. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    setImmediate(() => this.#turn(0, TURNS));
  }

  /** `before`: the number of calls that waited one turn ago. */
  #turn(before: number, left: number): void {
    const waiting = this.#waiting();
    if (waiting > before && waiting < this.#most && left > 0) {
      setImmediate(() => this.#turn(waiting, left - 1));
      return;
    }
    this.#begun = false;
    this.#go();
  }
}
