/** Limits work that keeps a core busy, on Node's threads: a few jobs run at a time, and the rest waits in a queue. */

import { availableParallelism } from "node:os";

const cores = availableParallelism();
let sharers = 1;

/** The machine's cores are shared by this number of processes. */
export function shareCores(processes: number): void {
  sharers = processes;
}

/** How many such jobs a process may run at a time if it leaves `left` cores to others; at least one. */
export function coresBeside(left: number): number {
  return Math.max(1, Math.floor((cores - left) / sharers));
}

/**
 * The system shares cores equally among threads. If many are busy, the thread that reads requests would get too little.
 */
export class CpuSemaphore {
  readonly #left: number;
  #running = 0;
  readonly #waiting: (() => void)[] = [];

  /** `left`: number of cores that stay free for others. */
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
      // Gives the place to the next in the queue, or frees it.
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}
