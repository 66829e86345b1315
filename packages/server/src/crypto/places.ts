/** Work that keeps a core busy, on threads of Node's own: so much of it at a time, the rest in line. */

import { availableParallelism } from "node:os";

/** Threads that want a core are served alike: with many of them busy, the one that reads requests would get as little as each. */
export class Places {
  readonly #left: number;
  #places: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `left`: cores that others keep; one place is there in any case. */
  constructor(left: number) {
    this.#left = left;
    this.#places = Math.max(1, availableParallelism() - left);
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** As many processes as this share the machine. */
  shareAmong(processes: number): void {
    this.#places = Math.max(1, Math.floor((availableParallelism() - this.#left) / processes));
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#places) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    try {
      return await work();
    } finally {
      // The place goes to the next in line, or becomes free.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
