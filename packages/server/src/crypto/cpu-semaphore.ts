/** Work that keeps a core busy, on threads of Node's own: so much of it at a time, the rest in line. */

import { availableParallelism } from "node:os";

const cores = availableParallelism();
let sharers = 1;

/** As many processes as this have places on the machine. */
export function shareCores(processes: number): void {
  sharers = processes;
}

/** How much such work may be done at a time by a process that leaves `left` cores to others; one place is there in any case. */
export function coresBeside(left: number): number {
  return Math.max(1, Math.floor((cores - left) / sharers));
}

/** Threads that want a core are served alike: with many of them busy, the one that reads requests would get as little as each. */
export class CpuSemaphore {
  readonly #left: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `left`: cores that others keep. */
  constructor(left: number) {
    this.#left = left;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= coresBeside(this.#left)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
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
