/**
 * Requests that the server does not work on yet. Slow ones have limits on time, rate and number; those that wait behind
 * another one have a limit on number (RFC 9110 §15.5.9).
 */

import type { IncomingMessage } from "node:http";
import { LEVELS, type Pool, Pools, poolAt } from "./counts-by-network.ts";

/** Milliseconds that a body may take at any rate. */
export const BODY_TIME = 5_000;
/**
 * Number of bytes that give a body one more second. The listener's `requestTimeout` ends every request, however fast.
 */
export const BODY_RATE = 4_096;
/**
 * Milliseconds after which a request counts as slow. Bodies of ordinary clients arrive within that time, even over a
 * slow network.
 */
const SLOW_AFTER = 250;
/**
 * Maximum number of slow and waiting requests, each of which can hold 64 KiB of memory: of one IPv4 address or IPv6
 * /64, of one IPv6 /48, and of all clients.
 */
export const MAX_SLOW = { client: 64, network: 256, all: 1_024 } as const;

/** Requests that one look counts as slow. Each may cost a search for the one that makes room; the others wait for the next turn of the event loop. */
const COUNTED_AT_ONCE = 256;

/**
 * `time`: the body took too long. Others: there were too many slow requests of one client, of one network, or in all.
 */
export type UnreadReason = "body_time" | "unread_client" | "unread_network" | "unread_all";

export interface Reading {
  readonly raw: IncomingMessage;
  /** The source of the request: the client that a trusted proxy names, or the peer. Called only for slow requests. */
  client(): string;
  /** Ends the request and its connection. */
  abandon(reason: UnreadReason): void;
}

/**
 * A request that waits for another one, or that was incomplete at the end of the turn of the event loop that brought
 * its headers.
 */
interface Entry {
  readonly reading: Reading;
  /** Milliseconds of the clock of `Unread`. */
  readonly since: number;
  /** Number of bytes that the connection had received by then. */
  readonly bytes: number;
  /** Its pools, the narrowest first; the last one is for all requests. */
  pools: readonly Pool<Entry, UnreadReason>[] | undefined;
}

export class Unread {
  readonly #now: () => number;
  /** Requests of this turn. Most are complete when it ends and need nothing else. */
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

  /** Number of requests that wait for their body. */
  get size(): number {
    return this.#entries.size;
  }

  /** Call this for each request with a body, after its headers were read. */
  watch(reading: Reading): void {
    if (this.#turn.push(reading) === 1) setImmediate(() => this.#endOfTurn());
  }

  /**
   * Counts a request that waits behind another one on its connection, because its headers and body are in memory. Call
   * the returned function to end that.
   */
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

  /** Checks after the poll phase: by then, bytes that arrived while the event loop was busy have been read. */
  #startTimer(): NodeJS.Timeout {
    return setInterval(() => setImmediate(() => this.#look()), SLOW_AFTER).unref();
  }

  #look(): void {
    const now = this.#now();
    let counted = 0;
    for (const entry of this.#entries) {
      const { raw } = entry.reading;
      // If the client disconnects in the middle of a body after the response, Node.js does not close the request.
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
   * Counts a request as slow or waiting. If there are too many, the oldest of the source with the most is closed: a
   * good client's body is seldom that old, and a client with few requests does not pay for a flood.
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

/**
 * The oldest request of the widest network that has the most, there of the narrower network that has the most, and so
 * on to the client.
 */
function oldestOfMost(entries: Set<Entry>): Entry | undefined {
  let [found, most]: [Entry | undefined, readonly number[]] = [undefined, []];
  for (const entry of entries) {
    const crowds = crowdsOf(entry);
    if (found === undefined || isLarger(crowds, most)) [found, most] = [entry, crowds];
  }
  return found;
}

/** The number of requests that count together with this one, from the widest network to the client. */
function crowdsOf({ pools = [] }: Entry): readonly number[] {
  return LEVELS.map((level) => poolAt(pools, level)?.items.size ?? 0);
}

/** Compares by the first number that differs. */
function isLarger(one: readonly number[], other: readonly number[]): boolean {
  for (const [at, size] of one.entries()) {
    const beside = other[at] ?? 0;
    if (size !== beside) return size > beside;
  }
  return false;
}
