/** The queue for password hashes: networks take turns, and known devices have a queue of their own. */

import type { HashRequester } from "../owners/password-hash-requester.ts";
import { FairQueue } from "./fair-queue.ts";

/** Maximum number of waiting strangers, and of waiting known devices. */
export const MAX_WAITING = 100;
/**
 * Maximum number of hashes of one account from one network, running and waiting: equal to the number of wrong tries in
 * a row.
 */
export const MAX_OF_ACCOUNT = 10;
/**
 * Maximum number of hashes of one person on known devices, on any network. Otherwise a few people on many networks
 * could fill the queue.
 */
export const MAX_OF_PERSON = 5;

/** More sign-ins wait than can be answered in a reasonable time. */
export class PasswordQueueFull extends Error {}

interface Waiting {
  begin(): void;
  sendAway(): void;
}

export class PasswordHashQueue {
  readonly #places: () => number;
  readonly #strangers = new FairQueue<Waiting>();
  readonly #known = new FairQueue<Waiting>();
  readonly #ofAccounts = new Map<string, number>();
  #running = 0;
  /** The two queues take turns. */
  #knownNext = true;

  /** `places`: maximum number of hashes that run at a time. */
  constructor(places: () => number) {
    this.#places = places;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#strangers.size + this.#known.size;
  }

  /** Throws if the queue would refuse this hash at once. Call it before any other work for the request. */
  requireRoom(whose: HashRequester): void {
    const line = this.#lineOf(whose);
    if (line.size >= MAX_WAITING && line.isCrowding(wayOf(whose))) throw full();
  }

  /**
   * Rejects with `PasswordQueueFull` if there is no room, or if a smaller group needs the place before the turn comes.
   */
  async inTurn<T>(whose: HashRequester, work: () => Promise<T>): Promise<T> {
    const { account, most } = shareOf(whose);
    const ofAccount = this.#ofAccounts.get(account) ?? 0;
    if (ofAccount >= most) throw full();
    this.#ofAccounts.set(account, ofAccount + 1);
    try {
      await this.#turnOf(whose);
      try {
        return await work();
      } finally {
        this.#passOn();
      }
    } finally {
      const left = (this.#ofAccounts.get(account) ?? 1) - 1;
      if (left > 0) this.#ofAccounts.set(account, left);
      else this.#ofAccounts.delete(account);
    }
  }

  async #turnOf(whose: HashRequester): Promise<void> {
    if (this.#running < this.#places()) {
      this.#running += 1;
      return;
    }
    const line = this.#lineOf(whose);
    const way = wayOf(whose);
    if (line.size >= MAX_WAITING) {
      const crowding = line.makeRoom(way);
      if (crowding === undefined) throw full();
      crowding.sendAway();
    }
    await new Promise<void>((begin, reject) => line.add(way, { begin, sendAway: () => reject(full()) }));
  }

  /** Gives the place to the next in the queue, or frees it. */
  #passOn(): void {
    const lines = this.#knownNext ? [this.#known, this.#strangers] : [this.#strangers, this.#known];
    this.#knownNext = !this.#knownNext;
    const next = lines[0]?.next() ?? lines[1]?.next();
    if (next === undefined) this.#running -= 1;
    else next.begin();
  }

  #lineOf({ known }: HashRequester): FairQueue<Waiting> {
    return known ? this.#known : this.#strangers;
  }
}

function wayOf({ allocation, provider, network, account }: HashRequester): readonly string[] {
  return [allocation, provider, network, account];
}

/** The key under which hashes count together, and their maximum number. */
function shareOf(whose: HashRequester): { readonly account: string; readonly most: number } {
  const { known, account } = whose;
  // Operators' hashes belong to no account.
  if (known && account !== "") return { account: JSON.stringify(["known", account]), most: MAX_OF_PERSON };
  return { account: JSON.stringify([known, ...wayOf(whose)]), most: MAX_OF_ACCOUNT };
}

function full(): PasswordQueueFull {
  return new PasswordQueueFull("too many sign-ins at once");
}
