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
/**
 * With fewer requests than this in the turn, and fewer under way, the server refuses nobody: these requests don't cause
 * the load.
 */
const FEW = 50;
/** After this time without a request, earlier measurements no longer count, in milliseconds. */
const FORGET = 1_000;

/**
 * Milliseconds until a network that fills the turns by itself learns that it was refused. Otherwise its clients, which
 * send again as soon as they have a response, would fill the next turn with refusals.
 */
export const REFUSED_AFTER = 1_000;

export type ShedReason = "under_way" | "event_loop";

/**
 * The gate in front of all endpoints. It measures how long the event loop takes for the requests of one turn. Further
 * requests wait in the kernel meanwhile, where the process can't see them. So do new connections, of which one turn
 * accepts only a few. `now`: milliseconds of a clock that nobody sets.
 */
export class Gate {
  readonly #now: () => number;
  #underWay = 0;
  /** When the first request of this turn came. */
  #turn: number | undefined;
  /** Number of requests in this turn. */
  #came = 0;
  /**
   * Number of requests in this turn by network (an IPv4 /24, an IPv6 /48). Counted only while the loop is overloaded.
   */
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

  /**
   * Why the server must refuse a request now. Undefined: it accepts the request. `address` returns the client's
   * address; it is called only while the loop is overloaded.
   */
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
    // A network without a request in this turn gets the same time again.
    if (spent <= BUDGET || (before === 0 && spent <= 2 * BUDGET)) return undefined;
    return Math.max(this.#underWay, this.#came) > FEW ? "event_loop" : undefined;
  }

  /** True: this client's network fills the turn. */
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
