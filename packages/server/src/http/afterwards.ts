/** Work that is done once the answer has gone: how much there was to do shows in no answer's time. */

/** More waiting than that is left undone: who floods the server with requests for mail gets none. */
const MOST = 200;

export class Afterwards {
  readonly #failed: (error: unknown) => void;
  readonly #overrun: () => void;
  #waiting = 0;
  #line: Promise<void> = Promise.resolve();

  /** `failed`: told of what went wrong. `overrun`: told of work that was left undone. */
  constructor(failed: (error: unknown) => void, overrun: () => void) {
    this.#failed = failed;
    this.#overrun = overrun;
  }

  /** One after the other, so that a burst takes no more than one request's share. */
  add(work: () => Promise<void>): void {
    if (this.#waiting >= MOST) {
      this.#overrun();
      return;
    }
    this.#waiting += 1;
    this.#line = this.#line
      .then(() => new Promise<void>((resolve) => setImmediate(resolve)))
      .then(work)
      .catch(this.#failed)
      .finally(() => {
        this.#waiting -= 1;
      });
  }

  /** Resolves when what was asked for so far is done. */
  done(): Promise<void> {
    return this.#line;
  }
}
