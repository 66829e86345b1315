/** One client connection: its address, the request that is being answered, the requests that wait behind that one (RFC 9112 §9.3). */

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
  /** Its answer ends the connection. */
  readonly last: boolean;
  start(): void;
}

export class Connection {
  /** The peer's address; IPv4 as such. */
  readonly peer: string;
  /** The request that is being answered: until its whole answer was handed to the system. */
  current: Startable | undefined;
  /** A request that was answered before its whole body had come. */
  leftover: IncomingMessage | undefined;
  /** A request started since the last search for a connection to close. */
  used = false;
  /** The status that ends the connection after the last good request: what followed that request was not HTTP, or came too slowly. */
  ending: string | undefined;
  #waiting: Startable[] | undefined;
  /** The last answer has been given. */
  #over = false;

  constructor(peer: string) {
    this.peer = peer;
  }

  /** Starts the request now, or after those before it: one at a time, so that a client that reads no answer gets no others made. False: too many wait. */
  take(request: Startable): boolean {
    // It came in the same packet as the last request. Nobody would get its answer.
    if (this.#over) return true;
    if (this.current === undefined) {
      this.#start(request);
      return true;
    }
    this.#waiting ??= [];
    return this.#waiting.push(request) <= MAX_PIPELINED;
  }

  /** The answer of the current request has been handed to the system, or nobody reads it any more. */
  finished({ raw, response, last }: Startable): void {
    this.current = undefined;
    // RFC 9112 §9.6: behind an answer that ends the connection nothing is worked on.
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

  /** The bytes behind the last good request can't be read. `status`: why, as a status line has it. Answers what is unanswered, once, and ends. */
  fail(socket: Socket, status: string): void {
    // Behind the last answer, there is no other: the fault may be in the body of a request that was refused.
    if (this.ending !== undefined || this.#over) return;
    // Node.js has taken its own listener away where the request was CONNECT: a client that has gone would end the process.
    socket.on("error", () => socket.destroy());
    this.ending = status;
    // The fault is in a body whose request already has its answer: there is nothing left to answer.
    if (this.leftover?.complete === false) {
      socket.destroy();
      return;
    }
    const last = this.#waiting?.at(-1);
    if (last !== undefined) {
      if (!last.raw.complete) this.#waiting?.pop();
    } else if (this.current === undefined || this.#failsInBody(this.current)) lastWords(socket, status);
  }

  /** The fault is in the body of the current request, which therefore gets no other answer. */
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

/** Milliseconds in which a client may still read the answer that ends its connection. */
const LINGER = 1_000;

/** Answers with a bare status and ends the connection. */
function lastWords(socket: Socket, status: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  // Closed at once, with bytes of the client unread, the system would reset the connection and the answer could be lost.
  setTimeout(() => socket.destroy(), LINGER).unref();
}

const connections = new WeakMap<Socket, Connection>();

/** The connection of a socket; to be asked for while the socket is open. */
export function connectionOf(socket: Socket): Connection {
  let connection = connections.get(socket);
  if (connection === undefined) {
    connection = new Connection(plainAddress(socket.remoteAddress ?? ""));
    connections.set(socket, connection);
  }
  return connection;
}

/** Over TLS, requests come on another socket than the one that was accepted. */
export function shareConnection(connection: Connection, socket: Socket): void {
  connections.set(socket, connection);
}
