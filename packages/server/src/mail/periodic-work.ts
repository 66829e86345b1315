/**
 * Work that waits in the database. It runs in rounds: immediately after `kick`, otherwise every few seconds, until
 * `stop`.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../oauth/model.ts";

/** How often a process looks for work of other processes. For its own work, it calls `kick`. */
const LOOK_EVERY: Millis = 5_000;

export class PeriodicWork {
  readonly #round: () => Promise<number>;
  readonly #failed: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #wake: AbortController | undefined;
  #again = false;

  /** `round` does the work that is due and returns how many entries it took. */
  constructor(round: () => Promise<number>, failed: (error: unknown) => void) {
    this.#round = round;
    this.#failed = failed;
  }

  start(): void {
    this.#running ??= this.#forever();
  }

  kick(): void {
    this.#again = true;
    this.#wake?.abort();
  }

  /** True: no round starts after the current one. */
  get stopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Resolves when the current round has ended. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  async #forever(): Promise<void> {
    while (!this.stopping) {
      this.#again = false;
      const done = await this.#round().catch((error: unknown) => {
        this.#failed(error);
        return 0;
      });
      if (done === 0 && !this.#again) await this.#pause();
    }
  }

  async #pause(): Promise<void> {
    this.#wake = new AbortController();
    const signal = AbortSignal.any([this.#wake.signal, this.#stopping.signal]);
    await sleep(LOOK_EVERY, undefined, { signal, ref: false }).catch(() => undefined);
  }
}
