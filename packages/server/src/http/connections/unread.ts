/** Requests on which nobody works yet: slow ones are bounded in time, in rate and in number, those that wait behind another in number (RFC 9110 §15.5.9). */

import type { IncomingMessage } from "node:http";
import { LEVELS, type Pool, Pools, poolAt } from "./pools.ts";

/** Milliseconds that a body may take, whatever its rate. */
export const BODY_TIME = 5_000;
/** Bytes that earn a body one more second. The listener's `requestTimeout` ends every request, however fast. */
export const BODY_RATE = 4_096;
/** Milliseconds after which a request counts as slow. Bodies of ordinary clients arrive within that time, also over a slow network. */
const SLOW_AFTER = 250;
/** Slow and waiting requests at a time, each of which may hold 64 KiB of memory: of one IPv4 address or IPv6 /64, of one IPv6 /48, and of all clients together. */
export const MAX_SLOW = { client: 64, network: 256, all: 1_024 } as const;

/** Requests that one look counts as slow. Each may cost a search for the one that makes room; the others wait for the next turn of the event loop. */
const COUNTED_AT_ONCE = 256;

/** `time`: the body took too long. The others: there were too many slow requests of one client, of one network, or in all. */
export type UnreadReason = "body_time" | "unread_client" | "unread_network" | "unread_all";

export interface Reading {
  readonly raw: IncomingMessage;
  /** Where the request comes from: the client that a trusted proxy names, or the peer. Asked for slow requests alone. */
  client(): string;
  /** Ends the request and its connection. */
  abandon(reason: UnreadReason): void;
}

/** A request that waits for another, or that was not complete when the turn of the event loop that brought its headers had ended. */
interface Entry {
  readonly reading: Reading;
  /** Milliseconds, of the clock that `Unread` was given. */
  readonly since: number;
  /** What the connection had received by then. */
  readonly bytes: number;
  /** The pools in which it is counted, the narrowest first; the last one is everybody's. */
  pools: readonly Pool<Entry, UnreadReason>[] | undefined;
}

export class Unread {
  readonly #now: () => number;
  /** Of this turn. Most of them are complete when it ends: nothing else is done for those. */
  #turn: Reading[] = [];
  readonly #entries = new Set<Entry>();
  readonly #pools = new Pools<Entry, UnreadReason>(MAX_SLOW, {
    client: "unread_client",
    network: "unread_network",
    all: "unread_all",
  });
  #timer: NodeJS.Timeout | undefined;

  /** `now`: milliseconds of a clock that nobody sets. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Requests that wait for their body. */
  get size(): number {
    return this.#entries.size;
  }

  /** To be called for each request with a body, when its headers have been read. */
  watch(reading: Reading): void {
    if (this.#turn.push(reading) === 1) setImmediate(() => this.#endOfTurn());
  }

  /** Counts a request that waits behind another on its connection: its headers and its body lie in memory. What is returned ends that. */
  hold(reading: Reading): () => void {
    // Its time begins with its turn.
    const held: Entry = { reading, since: 0, bytes: 0, pools: undefined };
    const release = () => this.#remove(held);
    reading.raw.once("close", release);
    this.#count(held);
    return () => {
      reading.raw.off("close", release);
      release();
    };
  }

  #endOfTurn(): void {
    const turn = this.#turn;
    this.#turn = [];
    let now: number | undefined;
    for (const reading of turn) {
      const { raw } = reading;
      if (raw.complete || raw.destroyed) continue;
      now ??= this.#now();
      const entry: Entry = { reading, since: now, bytes: raw.socket.bytesRead, pools: undefined };
      this.#entries.add(entry);
      raw.once("close", () => this.#remove(entry));
    }
    if (now !== undefined) this.#timer ??= this.#startTimer();
  }

  /** Looks after the poll phase: bytes that had arrived while the event loop was busy have then been read. */
  #startTimer(): NodeJS.Timeout {
    return setInterval(() => setImmediate(() => this.#look()), SLOW_AFTER).unref();
  }

  #look(): void {
    const now = this.#now();
    let counted = 0;
    for (const entry of this.#entries) {
      const { raw } = entry.reading;
      // Node.js doesn't close a request that has its answer when the client goes away in the middle of its body.
      if (raw.socket.destroyed) {
        this.#remove(entry);
        continue;
      }
      const age = now - entry.since;
      const earned = ((raw.socket.bytesRead - entry.bytes) / BODY_RATE) * 1000;
      if (age > BODY_TIME + earned) this.#abandon(entry, "body_time");
      else if (age >= SLOW_AFTER && entry.pools === undefined) {
        this.#count(entry);
        counted += 1;
        if (counted === COUNTED_AT_ONCE) {
          setImmediate(() => this.#look());
          return;
        }
      }
    }
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Counts a request as slow, or as waiting. Where there are too many, the oldest of those goes who have the most: a good client's body is seldom that
   * old, and whoever has few pays for no flood.
   */
  #count(entry: Entry): void {
    entry.pools = this.#pools.of(entry.reading.client());
    for (const { items } of entry.pools) items.add(entry);
    for (const { items, most, reason } of entry.pools) {
      const crowding = items.size > most ? oldestOfMost(items) : undefined;
      if (crowding !== undefined) this.#abandon(crowding, reason);
    }
  }

  #abandon(entry: Entry, reason: UnreadReason): void {
    this.#remove(entry);
    entry.reading.abandon(reason);
  }

  #remove(entry: Entry): void {
    this.#entries.delete(entry);
    this.#pools.leave(entry, entry.pools ?? []);
    entry.pools = [];
  }
}

/** The oldest of the widest network that has the most, in it of the one that has the most, and so on, to the client. */
function oldestOfMost(entries: Set<Entry>): Entry | undefined {
  let [found, most]: [Entry | undefined, readonly number[]] = [undefined, []];
  for (const entry of entries) {
    const crowds = crowdsOf(entry);
    if (found === undefined || isLarger(crowds, most)) [found, most] = [entry, crowds];
  }
  return found;
}

/** How many count together with this one, from the widest network to the client. */
function crowdsOf({ pools = [] }: Entry): readonly number[] {
  return LEVELS.map((level) => poolAt(pools, level)?.items.size ?? 0);
}

/** By the first number that differs. */
function isLarger(one: readonly number[], other: readonly number[]): boolean {
  for (const [at, size] of one.entries()) {
    const beside = other[at] ?? 0;
    if (size !== beside) return size > beside;
  }
  return false;
}
