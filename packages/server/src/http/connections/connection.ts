/**
 * One client connection: its address, the request that is being answered, and the requests that wait behind it (RFC
 * 9112 §9.3).
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { plainAddress } from "./client-address.ts";

/**
 * Pipelined requests that wait for the one before them. Browsers and client libraries do not pipeline. A connection with more waiting requests is
 * closed.
 */
export const MAX_PIPELINED = 16;

/** A request that can start later. */
export interface Startable {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** True: its response ends the connection. */
  readonly last: boolean;
  start(): void;
}

export class Connection {
  /** The peer's address; IPv4 inside IPv6 as IPv4. */
  readonly peer: string;
  /** The request that is being answered, until its whole response was handed to the system. */
  current: Startable | undefined;
  /** A request that was answered before its whole body had arrived. */
  leftover: IncomingMessage | undefined;
  /** True: a request started since the last search for a connection to close. */
  used = false;
  /**
   * The status that ends the connection after the last good request, because the following bytes were not HTTP or
   * arrived too slowly.
   */
  ending: string | undefined;
  #waiting: Startable[] | undefined;
  /** True: the last response has been sent. */
  #over = false;

  constructor(peer: string) {
    this.peer = peer;
  }

  /**
   * Starts the request now, or after the earlier ones: one at a time, so that a client that reads no response causes no
   * others. False: too many wait.
   */
  take(request: Startable): boolean {
    // It came in the same packet as the last request, and nobody would get its response.
    if (this.#over) return true;
    if (this.current === undefined) {
      this.#start(request);
      return true;
    }
    this.#waiting ??= [];
    return this.#waiting.push(request) <= MAX_PIPELINED;
  }

  /** Call this when the current request's response was handed to the system, or nobody reads it any more. */
  finished({ raw, response, last }: Startable): void {
    this.current = undefined;
    // RFC 9112 §9.6: after a response that ends the connection, the server handles no request.
    if (last || raw.socket.destroyed || !response.shouldKeepAlive) {
      this.#over = true;
      this.#waiting = undefined;
      return;
    }
    if (!raw.complete) this.leftover = raw;
    const next = this.#waiting?.shift();
    if (next !== undefined) this.#start(next);
    else if (this.ending !== undefined) lastWords(raw.socket, this.ending);
  }

  /**
   * The bytes after the last good request can't be read. `status`: the reason as a status line. Answers once if a
   * request is unanswered, then ends the connection.
   */
  fail(socket: Socket, status: string): void {
    // No response may follow the last one: the bad bytes may belong to the body of a refused request.
    if (this.ending !== undefined || this.#over) return;
    // After CONNECT, Node.js has removed its own error listener: without this one, a client that disconnects would end
    // the process.
    socket.on("error", () => socket.destroy());
    this.ending = status;
    // The bad bytes belong to the body of a request that was answered already, so no response is due.
    if (this.leftover?.complete === false) {
      socket.destroy();
      return;
    }
    const last = this.#waiting?.at(-1);
    if (last !== undefined) {
      if (!last.raw.complete) this.#waiting?.pop();
    } else if (this.current === undefined || this.#failsInBody(this.current)) lastWords(socket, status);
  }

  /** The bad bytes belong to the body of the current request, which gets no other response. */
  #failsInBody({ raw, response }: Startable): boolean {
    if (raw.complete) return false;
    if (response.headersSent) {
      raw.socket.destroy();
      return false;
    }
    return true;
  }

  #start(request: Startable): void {
    this.current = request;
    this.leftover = undefined;
    this.used = true;
    request.start();
  }
}

/** Milliseconds for which a client can still read the response that ends its connection. */
const LINGER = 1_000;

/** Sends a status without a body, and ends the connection. */
function lastWords(socket: Socket, status: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // If the socket closed at once, with unread bytes of the client, the system would reset the connection, and the
  // response could be lost.
  setTimeout(() => socket.destroy(), LINGER).unref();
}

const connections = new WeakMap<Socket, Connection>();

/** The connection of a socket. Call it while the socket is open. */
export function connectionOf(socket: Socket): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = new Connection(plainAddress(socket.remoteAddress ?? ""));
    connections.set(socket, connection);
  }
  return connection;
}

/** With TLS, requests come on another socket than the accepted one. */
export function shareConnection(connection: Connection, socket: Socket): void {
  connections.set(socket, connection);
}
