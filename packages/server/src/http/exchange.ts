/** A request and its answer: started after those before it on its connection, answered once, counted at the gate while the server works on it. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Busy } from "./connections/busy.ts";
import type { Connection, Startable } from "./connections/connection.ts";
import { NodeRequest } from "./connections/node-request.ts";
import type { ShedReason } from "./connections/overload.ts";
import type { Reading, UnreadReason } from "./connections/unread.ts";
import type { Served } from "./lazy-pages.ts";
import type { Answer, HttpRequest } from "./message.ts";
import { splitTarget } from "./router.ts";

/** The same for all requests of a server. */
export interface Site {
  readonly assent: Served;
  /** Works on a request whose turn has come. */
  begin(exchange: Exchange): void;
  /** The answer where there is no time for a request; undefined: such a request is always answered. */
  busy(request: IncomingMessage): Busy | undefined;
  /** Answers a request whose body came too slowly. */
  tooSlow(exchange: Exchange): void;
}

export class Exchange implements Startable, Reading {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  readonly path: string;
  readonly query: string;
  readonly id: string;
  /** Nobody waits for its body any more: what still comes of it is let go by. */
  abandoned = false;
  last: boolean;
  /** Its turn has come. */
  started = false;
  readonly #connection: Connection;
  readonly #site: Site;
  /** It has a place at the gate. */
  #entered = false;
  /** Ends its being counted among those that wait. */
  #release: (() => void) | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse, connection: Connection, site: Site) {
    const { path, query } = splitTarget(raw.url ?? "/");
    this.raw = raw;
    this.response = response;
    this.path = path;
    this.query = query;
    this.id = site.assent.requestId();
    this.#connection = connection;
    this.#site = site;
    // No other protocol is spoken here. Node.js drops the bytes that came with such a request: one behind it would wait for ever.
    this.last = raw.headers.upgrade !== undefined;
  }

  /** It waits for those before it on its connection. Where too many wait, the connection ends: an answer out of turn would be taken for another's. */
  wait(): void {
    const { raw } = this;
    const { unread, metrics } = this.#site.assent;
    const abandon = () => {
      metrics.connectionClosed("pipelined");
      raw.socket.destroy();
    };
    this.#release = unread.hold({ raw, client: () => this.client(), abandon });
  }

  start(): void {
    this.started = true;
    this.#release?.();
    this.#site.begin(this);
  }

  client(): string {
    return this.#site.assent.proxies.resolve(this.#connection.peer, this.raw.headers).address;
  }

  /** A trusted proxy's connection. */
  get fromProxy(): boolean {
    return this.#site.assent.proxies.trusts(this.#connection.peer);
  }

  /** The request as endpoints see it. */
  request(params: HttpRequest["params"] = {}, body = ""): HttpRequest {
    const { path, query, id } = this;
    return new NodeRequest(this.raw, { peer: this.#connection.peer, path, params, query, body, id }, this.#site.assent);
  }

  /** The server begins to work on it: all that is needed of it has arrived. The place is given back with the answer. */
  enter(): void {
    this.#entered = true;
    this.#site.assent.gate.enter();
  }

  send({ status, headers, cookies, body }: Answer): void {
    const { response } = this;
    const lines = this.#site.assent.headerLines.of(headers).concat("x-request-id", this.id);
    const length = Buffer.byteLength(body);
    // RFC 9110 §8.6: these two have no body, and say nothing of its length.
    if (status !== 204 && status !== 304) lines.push("content-length", String(length));
    if (cookies !== undefined) for (const cookie of cookies) lines.push("set-cookie", cookie);
    this.last ||= this.#site.assent.draining();
    if (this.last) lines.push("connection", "close");
    response.writeHead(status, lines);
    // As many bytes as characters: ASCII, which is written as it lies in memory.
    if (length === body.length) response.end(body, "latin1");
    else response.end(body);
    this.#over();
  }

  /** Answers without any work. */
  shed({ status, lines, body }: Busy, reason: ShedReason | UnreadReason): void {
    const { assent } = this.#site;
    assent.metrics.shed(reason);
    this.last ||= assent.draining();
    this.response.writeHead(status, this.last ? [...lines, "connection", "close"] : [...lines]).end(body);
    this.#over();
  }

  /** As `shed`, after so many milliseconds. Those behind it on its connection wait meanwhile. */
  shedLater(busy: Busy, reason: ShedReason, milliseconds: number): void {
    setTimeout(() => {
      // Its body may have come too slowly: then it has its answer.
      if (!this.abandoned) this.shed(busy, reason);
    }, milliseconds);
  }

  /** A bare status that ends the connection. */
  reject(status: number): void {
    this.last = true;
    this.response.writeHead(status, { connection: "close", "content-length": "0" }).end();
    this.#over();
  }

  /** Ends the connection without an answer, or in the middle of one. */
  destroy(): void {
    this.response.destroy();
    this.#over();
  }

  abandon(reason: UnreadReason): void {
    const { assent, busy, tooSlow } = this.#site;
    const busyAnswer = reason === "body_time" ? undefined : busy(this.raw);
    const answered = this.response.headersSent || this.#entered || this.#connection.ending !== undefined;
    this.abandoned = true;
    this.last = true;
    if (!answered && busyAnswer !== undefined) {
      this.shed(busyAnswer, reason);
      return;
    }
    assent.metrics.shed(reason);
    // An answer that is on its way, or being made, is the only one; the rest of the body is not waited for.
    if (answered) this.raw.socket.destroy();
    else tooSlow(this);
  }

  /** The answer is made: the work is over. The connection's next request waits until the answer has left. */
  #over(): void {
    const { response } = this;
    if (this.#entered) {
      this.#entered = false;
      this.#site.assent.gate.leave();
    }
    if (response.writableLength === 0 || response.destroyed) this.#connection.finished(this);
    else response.once("close", () => this.#connection.finished(this));
  }
}
