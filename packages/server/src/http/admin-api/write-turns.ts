/** Turns for changes by the admin API, so that a flood of them leaves the database and the processor to others. */

import { OAuthError } from "../../oauth/errors.ts";

/** Maximum number of changes that a process makes at a time. PostgreSQL has few connections for transactions. */
const MAX_RUNNING = 12;
/** Maximum number of one caller's, so that long imports of one don't stop the others. */
const MAX_OF_CALLER = 8;
/** Maximum number of waiting changes. */
export const MAX_WAITING = 200;
/** How long a change waits at most, in milliseconds: a late answer is no better than a request to come again. */
const LONGEST_WAIT = 5_000;

interface Waiting {
  begin(): void;
  sendAway(): void;
}

export class WriteTurns {
  /** The number of running changes of each caller. */
  readonly #running = new Map<string, number>();
  readonly #longestWait: number;
  /** The waiting changes of each caller, oldest first. The callers are in the order of their turns. */
  readonly #lines = new Map<string, Waiting[]>();
  #runningInAll = 0;
  #waitingInAll = 0;

  constructor(longestWait = LONGEST_WAIT) {
    this.#longestWait = longestWait;
  }

  /**
   * Does the work when its turn comes. Rejects with `temporarily_unavailable` if too many wait and no other caller has
   * more of them.
   */
  async inTurn<T>(caller: string, work: () => Promise<T>): Promise<T> {
    if (this.#hasPlace(caller)) this.#enter(caller);
    else await this.#wait(caller);
    try {
      return await work();
    } finally {
      this.#leave(caller);
    }
  }

  #hasPlace(caller: string): boolean {
    return this.#runningInAll < MAX_RUNNING && (this.#running.get(caller) ?? 0) < MAX_OF_CALLER;
  }

  #enter(caller: string): void {
    this.#runningInAll += 1;
    this.#running.set(caller, (this.#running.get(caller) ?? 0) + 1);
  }

  #wait(caller: string): Promise<void> {
    if (this.#waitingInAll >= MAX_WAITING) this.#makeRoom(caller);
    return new Promise((resolve, reject) => {
      const late = setTimeout(() => {
        this.#drop(caller, waiting);
        reject(tooMany());
      }, this.#longestWait);
      const settled = (settle: () => void) => () => {
        clearTimeout(late);
        settle();
      };
      const waiting = { begin: settled(resolve), sendAway: settled(() => reject(tooMany())) };
      this.#lines.set(caller, [...(this.#lines.get(caller) ?? []), waiting]);
      this.#waitingInAll += 1;
    });
  }

  /** Sends away the newest change of the caller with the most. Throws if that is the newcomer. */
  #makeRoom(newcomer: string): void {
    let [most, longest] = [newcomer, (this.#lines.get(newcomer)?.length ?? 0) + 1];
    for (const [caller, { length }] of this.#lines) if (length > longest) [most, longest] = [caller, length];
    const newest = most === newcomer ? undefined : this.#lines.get(most)?.at(-1);
    if (newest === undefined) throw tooMany();
    this.#drop(most, newest);
    newest.sendAway();
  }

  #leave(caller: string): void {
    this.#runningInAll -= 1;
    const left = (this.#running.get(caller) ?? 1) - 1;
    if (left > 0) this.#running.set(caller, left);
    else this.#running.delete(caller);
    for (const [next, [oldest]] of this.#lines) {
      if (oldest === undefined || !this.#hasPlace(next)) continue;
      this.#enter(next);
      this.#drop(next, oldest);
      // The caller goes to the end of the callers.
      const line = this.#lines.get(next);
      this.#lines.delete(next);
      if (line !== undefined) this.#lines.set(next, line);
      oldest.begin();
      return;
    }
  }

  #drop(caller: string, waiting: Waiting): void {
    const line = (this.#lines.get(caller) ?? []).filter((one) => one !== waiting);
    if (line.length > 0) this.#lines.set(caller, line);
    else this.#lines.delete(caller);
    this.#waitingInAll -= 1;
  }
}

function tooMany(): OAuthError {
  return new OAuthError("temporarily_unavailable", "too many changes by the admin API at once");
}
