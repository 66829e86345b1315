/** Who waits for a password hash, and who is next: networks take turns, and a person's own devices have a line of their own. */

import type { HashFor } from "../owners/hash-for.ts";
import { FairLine } from "./fair-line.ts";

/** How many wait at most: strangers, and beside them the known devices of those who sign in. */
export const MAX_WAITING = 100;
/** Hashes at a time of one account from one network, made and waiting: as many as may be wrong in a row. */
export const MAX_OF_ACCOUNT = 10;
/** Hashes at a time of one person on known devices, wherever those are: with more, a few people on many networks could fill the line. */
export const MAX_OF_PERSON = 5;

/** More sign-ins wait than can be answered in a reasonable time. */
export class PasswordQueueFull extends Error {}

interface Waiting {
  begin(): void;
  sendAway(): void;
}

export class HashLine {
  readonly #places: () => number;
  readonly #strangers = new FairLine<Waiting>();
  readonly #known = new FairLine<Waiting>();
  readonly #ofAccounts = new Map<string, number>();
  #running = 0;
  /** Both lines have a turn each. */
  #knownNext = true;

  /** `places`: how many hashes may be made at a time. */
  constructor(places: () => number) {
    this.#places = places;
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#strangers.size + this.#known.size;
  }

  /** Throws where the line would send this one away at once: to be asked before anything else is done for them. */
  requireRoom(whose: HashFor): void {
    const line = this.#lineOf(whose);
    if (line.size >= MAX_WAITING && line.isCrowding(wayOf(whose))) throw full();
  }

  /** Rejects with `PasswordQueueFull` where there is no room, or where a smaller group needs it before the turn has come. */
  async inTurn<T>(whose: HashFor, work: () => Promise<T>): Promise<T> {
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

  async #turnOf(whose: HashFor): Promise<void> {
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

  /** The place goes to the next in line, or becomes free. */
  #passOn(): void {
    const lines = this.#knownNext ? [this.#known, this.#strangers] : [this.#strangers, this.#known];
    this.#knownNext = !this.#knownNext;
    const next = lines[0]?.next() ?? lines[1]?.next();
    if (next === undefined) this.#running -= 1;
    else next.begin();
  }

  #lineOf({ known }: HashFor): FairLine<Waiting> {
    return known ? this.#known : this.#strangers;
  }
}

function wayOf({ allocation, provider, network, account }: HashFor): readonly string[] {
  return [allocation, provider, network, account];
}

/** What counts together, and how many it may have at a time. */
function shareOf(whose: HashFor): { readonly account: string; readonly most: number } {
  const { known, account } = whose;
  // Operators' hashes are nobody's.
  if (known && account !== "") return { account: JSON.stringify(["known", account]), most: MAX_OF_PERSON };
  return { account: JSON.stringify([known, ...wayOf(whose)]), most: MAX_OF_ACCOUNT };
}

function full(): PasswordQueueFull {
  return new PasswordQueueFull("too many sign-ins at once");
}
