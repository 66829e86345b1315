/**
 * Load shedding: if more requests come than can be answered soon, the server refuses the excess before any work (RFC
 * 9110 §15.6.4).
 */

import { coarseNetworkOf } from "./client-address.ts";

/**
 * Maximum number of requests that one process handles at a time. Above it, a request would wait so long that coming
 * again is quicker.
 */
const UNDER_WAY = 1_024;
/** Milliseconds of one turn of the event loop for accepting requests, when the loop is overloaded. */
const BUDGET = 20;
/**
 * Milliseconds for which consecutive turns must be longer than that before the server refuses anybody: a burst is no
 * overload.
 */
const PATIENCE = 500;
/** Where fewer requests came in this turn, and fewer are under way, nobody is refused: it isn't they who keep the process busy. */
const FEW = 50;
/** After this time without a request, earlier measurements no longer count, in milliseconds. */
const FORGET = 1_000;

/**
 * Milliseconds until a network learns that it was refused which fills the turns by itself: its clients, who send again as soon as they have an answer,
 * would fill the next turn with refusals.
 */
export const REFUSED_AFTER = 1_000;

export type ShedReason = "under_way" | "event_loop";

/**
 * The gate in front of all endpoints. It looks at how long the event loop takes for the requests of one turn: they wait in the kernel meanwhile,
 * where nobody sees them, and so do new connections, of which one turn takes up only a few. `now`: milliseconds of a clock that nobody sets.
 */
export class Gate {
  readonly #now: () => number;
  #underWay = 0;
  /** When the first request of this turn came. */
  #turn: number | undefined;
  /** Requests that came in this turn. */
  #came = 0;
  /** Requests that came in this turn by network (an IPv4 /24, an IPv6 /48); counted only while the loop is overloaded. */
  readonly #ofNetwork = new Map<string, number>();
  /** The time since which every turn has been too long. */
  #long: number | undefined;
  #lastTurn = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  get underWay(): number {
    return this.#underWay;
  }

  /** True: the server can accept no further request. */
  get full(): boolean {
    return this.#underWay >= UNDER_WAY;
  }

  /** Why a request that has come now has to be refused, if it has to. `address`: the client's; asked for only while the loop is overloaded. */
  refuses(address: () => string): ShedReason | undefined {
    const now = this.#now();
    if (this.#turn === undefined) {
      this.#turn = now;
      if (now - this.#lastTurn > FORGET) this.#long = undefined;
      setImmediate(() => this.#endOfTurn());
    }
    this.#came += 1;
    if (this.full) return "under_way";
    const overloaded = this.#long !== undefined && now - this.#long > PATIENCE;
    if (!overloaded) return undefined;
    const network = coarseNetworkOf(address());
    const before = this.#ofNetwork.get(network) ?? 0;
    this.#ofNetwork.set(network, before + 1);
    const spent = now - this.#turn;
    // Whoever has had nothing yet in this turn has as much time again.
    if (spent <= BUDGET || (before === 0 && spent <= 2 * BUDGET)) return undefined;
    return Math.max(this.#underWay, this.#came) > FEW ? "event_loop" : undefined;
  }

  /** True: it is this client's network that fills the turn. */
  isCrowding(address: string): boolean {
    return (this.#ofNetwork.get(coarseNetworkOf(address)) ?? 0) > FEW;
  }

  enter(): void {
    this.#underWay += 1;
  }

  leave(): void {
    this.#underWay -= 1;
  }

  #endOfTurn(): void {
    const now = this.#now();
    const startedAt = this.#turn ?? now;
    this.#turn = undefined;
    this.#came = 0;
    this.#ofNetwork.clear();
    this.#lastTurn = now;
    if (now - startedAt <= BUDGET) this.#long = undefined;
    else this.#long ??= startedAt;
  }
}
