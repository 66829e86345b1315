/**
 * A request and its response. It starts after the earlier requests of its connection, is answered once, and counts at
 * the gate while the server works on it.
 */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServerMetrics } from "../../metrics/server-metrics.ts";
import type { Answer, HttpRequest, Upload } from "../http-message.ts";
import { splitTarget } from "../router.ts";
import type { Connection, Startable } from "./connection.ts";
import type { Gate, ShedReason } from "./load-shedding.ts";
import { NodeRequest, type RequestTools } from "./node-request.ts";
import type { HeaderLines } from "./response-header-lines.ts";
import type { Busy } from "./service-unavailable.ts";
import type { Reading, Unread, UnreadReason } from "./slow-request-limits.ts";

/** What a request and its answer use of the server. */
export interface ExchangeTools extends RequestTools {
  readonly gate: Gate;
  /** Requests whose body has not arrived. */
  readonly unread: Unread;
  readonly metrics: Pick<ServerMetrics, "shed" | "connectionClosed">;
  readonly headerLines: HeaderLines;
  requestId(): string;
  /** True: nobody can connect any more, and each answer closes its connection. */
  draining(): boolean;
}

/** The parts that all requests of a server share. */
export interface Site {
  readonly tools: ExchangeTools;
  /** Starts the work on a request when its turn comes. */
  begin(exchange: Exchange): void;
  /** The response if there is no time for a request. Undefined: such a request is always served. */
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
  /** True: nobody waits for its body any more, so the rest of it is discarded. */
  abandoned = false;
  last: boolean;
  /** True: its turn has come. */
  started = false;
  readonly #connection: Connection;
  readonly #site: Site;
  /** True: it has a place at the gate. */
  #entered = false;
  /** Stops counting it among the waiting requests. */
  #release: (() => void) | undefined;

  constructor(raw: IncomingMessage, response: ServerResponse, connection: Connection, site: Site) {
    const { path, query } = splitTarget(raw.url ?? "/");
    this.raw = raw;
    this.response = response;
    this.path = path;
    this.query = query;
    this.id = site.tools.requestId();
    this.#connection = connection;
    this.#site = site;
    // The server supports no other protocol. Node.js discards the bytes that came with such a request, so a request
    // behind it would wait for ever.
    this.last = raw.headers.upgrade !== undefined;
  }

  /**
   * Lets it wait for the earlier requests of its connection. If too many wait, the connection ends: a response in the
   * wrong order would be taken for another request's.
   */
  wait(): void {
    const { raw } = this;
    const { unread, metrics } = this.#site.tools;
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
    return this.#site.tools.proxies.resolve(this.#connection.peer, this.raw.headers).address;
  }

  /** A trusted proxy's connection. */
  get fromProxy(): boolean {
    return this.#site.tools.proxies.trusts(this.#connection.peer);
  }

  /** The request in the form that endpoints get. */
  request(params: HttpRequest["params"] = {}, body = "", upload?: Upload): HttpRequest {
    const { path, query, id } = this;
    const read = { peer: this.#connection.peer, path, params, query, body, upload, id };
    return new NodeRequest(this.raw, read, this.#site.tools);
  }

  /** The server begins to work on it, because everything that is needed has arrived. The response frees its place. */
  enter(): void {
    this.#entered = true;
    this.#site.tools.gate.enter();
  }

  send({ status, headers, cookies, body }: Answer): void {
    const { response } = this;
    const lines = this.#site.tools.headerLines.of(headers).concat("x-request-id", this.id);
    const length = Buffer.byteLength(body);
    // RFC 9110 §8.6: responses with these statuses have no body and no Content-Length.
    if (status !== 204 && status !== 304) lines.push("content-length", String(length));
    if (cookies !== undefined) for (const cookie of cookies) lines.push("set-cookie", cookie);
    this.last ||= this.#site.tools.draining();
    if (this.last) lines.push("connection", "close");
    response.writeHead(status, lines);
    // As many bytes as characters: ASCII, which can be written as it is in memory.
    if (length === body.length) response.end(body, "latin1");
    else response.end(body);
    this.#over();
  }

  /** Responds without any work. */
  shed({ status, lines, body }: Busy, reason: ShedReason | UnreadReason): void {
    const { tools } = this.#site;
    tools.metrics.shed(reason);
    this.last ||= tools.draining();
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

  /** Sends a status without a body, and ends the connection. */
  reject(status: number): void {
    this.last = true;
    this.response.writeHead(status, { connection: "close", "content-length": "0" }).end();
    this.#over();
  }

  /** Ends the connection without a response, or in the middle of one. */
  destroy(): void {
    this.response.destroy();
    this.#over();
  }

  abandon(reason: UnreadReason): void {
    const { tools, busy, tooSlow } = this.#site;
    const busyAnswer = reason === "body_time" ? undefined : busy(this.raw);
    const answered = this.response.headersSent || this.#entered || this.#connection.ending !== undefined;
    this.abandoned = true;
    this.last = true;
    if (!answered && busyAnswer !== undefined) {
      this.shed(busyAnswer, reason);
      return;
    }
    tools.metrics.shed(reason);
    // A response that has begun is the only one; the server does not wait for the rest of the body.
    if (answered) this.raw.socket.destroy();
    else tooSlow(this);
  }

  /**
   * The response is made, so the work is over. The connection's next request waits until the response has been sent.
   */
  #over(): void {
    const { response } = this;
    if (this.#entered) {
      this.#entered = false;
      this.#site.tools.gate.leave();
    }
    if (response.writableLength === 0 || response.destroyed) this.#connection.finished(this);
    else response.once("close", () => this.#connection.finished(this));
  }
}
