/** Work that waits in the database, done in rounds: at once after `kick`, else every few seconds, until `stop`. */

import { setTimeout as sleep } from "node:timers/promises";
import type { Millis } from "../oauth/model.ts";

/** How often each process looks by itself. It is kicked for what it has written itself. */
const LOOK_EVERY: Millis = 5_000;

export class PeriodicWork {
  readonly #round: () => Promise<number>;
  readonly #failed: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  #wake: AbortController | undefined;
  #again = false;

  /** `round`: does what is due; how much it took on. */
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

  /** True: the round under way is the last. */
  get stopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Resolves when the round under way is over. */
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
