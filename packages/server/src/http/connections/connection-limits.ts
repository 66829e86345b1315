/**
 * Limits on the connections of a listener: their number for each client, and the time for which a client may leave a
 * response unread.
 */

import type { Server, Socket } from "node:net";
import { Server as TlsServer } from "node:tls";
import type { TrustedProxies } from "./client-address.ts";
import { type Connection, connectionOf, shareConnection } from "./connection.ts";
import { LEVELS, type Level, type Pool, Pools, poolAt } from "./counts-by-network.ts";

/**
 * Maximum number of connections: of one IPv4 address or IPv6 /64, of one IPv6 /48, and in all. For trusted proxies,
 * only the last limit applies.
 */
export const MAX_CONNECTIONS = { client: 1_024, network: 4_096, all: 20_000 } as const;
/** Milliseconds that the bytes of a response may wait for a client that does not read them. */
export const ANSWER_TIME = 10_000;
/** Bytes a second that a client must read after that time. */
export const ANSWER_RATE = 4_096;
/** Milliseconds between two checks of all connections. */
const LOOK_EVERY = 1_000;
/**
 * Number of connections that are checked to find one to close, so that a flood of new connections has a limited cost.
 */
const LOOKED_AT = 64;

/**
 * `answer_time`: the client does not read its response. `pipelined`: too many requests waited for one. Others: there
 * were too many connections.
 */
export type ConnectionReason = "client" | "network" | "all" | "answer_time" | "pipelined";

/** An open connection. */
interface Guest {
  readonly connection: Connection;
  /** The accepted socket. */
  readonly socket: Socket;
  /** The socket with HTTP on it: with TLS, another one. */
  stream: Socket;
  /** The narrowest pool first; the last one is for all connections. */
  readonly pools: readonly GuestPool[];
  /** True: a proxy's connection, which is never closed for a newer one. */
  readonly trusted: boolean;
  /** Bytes that the client must read in time. Undefined: the client has read everything. */
  debt: { readonly upTo: number; readonly until: number } | undefined;
}

/** The items at the front of a pool were checked the longest time ago. */
type GuestPool = Pool<Guest, ConnectionReason>;

interface ConnectionsParts {
  readonly proxies: TrustedProxies;
  readonly closed: (reason: ConnectionReason) => void;
  /** Milliseconds of a clock that nobody sets. */
  readonly now: () => number;
}

export class Connections {
  readonly #parts: ConnectionsParts;
  readonly #guests = new Map<Socket, Guest>();
  /** Connections whose TLS has not begun yet, by both of their ends. */
  readonly #securing = new Map<string, Guest>();
  readonly #pools = new Pools<Guest, ConnectionReason>(MAX_CONNECTIONS, {
    client: "client",
    network: "network",
    all: "all",
  });
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: ConnectionsParts) {
    this.#parts = parts;
  }

  get open(): number {
    return this.#guests.size;
  }

  /** Guards all connections of a listener. `most`: how many the process can have, if that is below the limit. */
  guard(server: Server, most: number): void {
    const { all } = this.#pools;
    all.most = Math.min(MAX_CONNECTIONS.all, most);
    // Above the limit below, because closing takes a moment.
    server.maxConnections = all.most + LOOKED_AT;
    if (!(server instanceof TlsServer)) {
      server.on("connection", (socket: Socket) => this.#add(socket));
      return;
    }
    server.on("connection", (socket: Socket) => {
      const ends = endsOf(socket);
      const guest = this.#add(socket);
      this.#securing.set(ends, guest);
      socket.once("close", () => {
        if (this.#securing.get(ends) === guest) this.#securing.delete(ends);
      });
    });
    server.on("secureConnection", (stream: Socket) => {
      const ends = endsOf(stream);
      const guest = this.#securing.get(ends);
      if (guest === undefined) return;
      this.#securing.delete(ends);
      guest.stream = stream;
      shareConnection(guest.connection, stream);
    });
  }

  #add(socket: Socket): Guest {
    const connection = connectionOf(socket);
    const { peer } = connection;
    const trusted = this.#parts.proxies.trusts(peer);
    const pools = trusted || peer === "" ? [this.#pools.all] : this.#pools.of(peer);
    const guest: Guest = { connection, socket, stream: socket, pools, trusted, debt: undefined };
    this.#guests.set(socket, guest);
    socket.once("close", () => this.#remove(guest));
    this.#timer ??= setInterval(() => this.#look(), LOOK_EVERY).unref();
    for (const { items } of guest.pools) items.add(guest);
    // A closed connection leaves all of its pools, so the wider ones are then seldom too full.
    for (const { items, most, reason } of guest.pools) {
      if (items.size > most) this.#close(unused(items) ?? crowding(items, guest), reason);
    }
    return guest;
  }

  #close(guest: Guest, reason: ConnectionReason): void {
    this.#parts.closed(reason);
    this.#remove(guest);
    guest.stream.destroy();
    guest.socket.destroy();
  }

  #remove(guest: Guest): void {
    // A socket that this server closes emits its event a moment later: by then, its pool's key may belong to a newer
    // pool.
    if (!this.#guests.delete(guest.socket)) return;
    this.#pools.leave(guest, guest.pools);
    if (this.#guests.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /**
   * Ends connections whose clients leave responses unread: each response holds memory until the system has taken it.
   */
  #look(): void {
    const now = this.#parts.now();
    for (const guest of this.#guests.values()) {
      const { stream, debt } = guest;
      const unread = stream.writableLength;
      if (debt !== undefined && stream.bytesWritten - unread < debt.upTo) {
        if (now > debt.until) this.#close(guest, "answer_time");
      } else if (unread > 0) {
        guest.debt = { upTo: stream.bytesWritten, until: now + ANSWER_TIME + (unread / ANSWER_RATE) * 1000 };
      } else {
        guest.debt = undefined;
      }
    }
  }
}

/** The first connection without a current request, and without one since the last check. */
function unused(guests: Set<Guest>): Guest | undefined {
  let looked = 0;
  for (const guest of guests) {
    const { connection, trusted } = guest;
    if (connection.current === undefined && !connection.used && !trusted) return guest;
    connection.used = false;
    // Moved to the end, so that this search does not meet it again.
    guests.delete(guest);
    guests.add(guest);
    looked += 1;
    if (looked >= LOOKED_AT) return undefined;
  }
  return undefined;
}

/**
 * The connection to close for a newcomer. Of the connections checked the longest time ago, it belongs to the largest
 * group that has more than twice as many as the newcomer's own group of that level, and there to the client with the
 * most. Levels are compared from the widest on, each among those who share the wider ones with the newcomer. If no
 * level has such a group, it is the newcomer. So a few clients that keep all connections in use don't shut out
 * everybody else, nor their neighbours.
 */
function crowding(guests: Set<Guest>, newcomer: Guest): Guest {
  let looked: Guest[] = [];
  for (const guest of guests) {
    if (!guest.trusted && looked.push(guest) >= LOOKED_AT) break;
  }
  for (const level of LEVELS) {
    const own = crowdOf(newcomer, level);
    const widest = largest(looked, level);
    if (widest.size > 2 * own.size) return mostOf(inPool(looked, widest.pool), level) ?? newcomer;
    looked = inPool(looked, own.pool);
  }
  return newcomer;
}

/** A connection of the largest group of each level, from this level down. */
function mostOf(guests: readonly Guest[], from: Level): Guest | undefined {
  let left = guests;
  for (const level of LEVELS.slice(from)) left = inPool(left, largest(left, level).pool);
  return left[0];
}

interface Crowd {
  readonly pool: GuestPool | undefined;
  readonly size: number;
}

/** The connections that count together with this one. */
function crowdOf({ pools }: Guest, level: Level): Crowd {
  const pool = poolAt(pools, level);
  return { pool, size: pool?.items.size ?? 0 };
}

function inPool(guests: readonly Guest[], pool: GuestPool | undefined): Guest[] {
  return pool === undefined ? [] : guests.filter(({ pools }) => pools.includes(pool));
}

/** The first connection of the largest group. */
function largest(guests: readonly Guest[], level: Level): Crowd {
  let most: Crowd = { pool: undefined, size: 0 };
  for (const guest of guests) {
    const crowd = crowdOf(guest, level);
    if (crowd.size > most.size) most = crowd;
  }
  return most;
}

/** Identifies a connection: its socket and the socket that TLS adds have the same ends. */
function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress} ${localPort} ${remoteAddress} ${remotePort}`;
}
