/** When a group of what was called sets out to the database. */

/** How many turns of the event loop a group waits at most for others to join it. */
const TURNS = 16;

/**
 * Callers who were answered together come back one after the other: the first of them would go alone, and pay alone for a flush of the disk. So a
 * group sets out when a turn of the event loop has brought nothing more.
 */
export class BatchScheduler {
  readonly #waiting: () => number;
  readonly #most: number;
  readonly #go: () => void;
  #begun = false;

  /** `waiting`: how many would go now. `most`: so many wait for nobody. */
  constructor(waiting: () => number, most: number, go: () => void) {
    this.#waiting = waiting;
    this.#most = most;
    this.#go = go;
  }

  /** Somebody waits. */
  begin(): void {
    if (this.#begun) return;
    this.#begun = true;
    setImmediate(() => this.#turn(0, TURNS));
  }

  /** `before`: how many waited a turn ago. */
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
