/** The server on its own: a node:http or node:https server around the handler, and an orderly end. */

import { readFileSync } from "node:fs";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { type AddressInfo, type ServerOpts, Socket, Server as TcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { AssentServer } from "./assent.ts";
import { connectionOf } from "./http/connections/connection.ts";
import { serverOptions } from "./http/connections/server.ts";

export interface Listening {
  readonly port: number;
  /**
   * No new connections; requests under way, and on their way, are answered; then the database is closed. `othersClosed`: waited for before connections
   * are ended, whose clients would come to a process that is about to stop as well.
   */
  stop(othersClosed?: () => Promise<void>): Promise<void>;
}

/** Connections that the kernel keeps until they are taken up; it has a bound of its own. All clients come at once where a server was started again. */
const BACKLOG = 4_096;
/**
 * Linux deals connections out to all sockets of one port by a hash of their addresses. Node's own way, the parent accepting for all, leaves a client
 * waiting for ever whose connection was on its way to a worker that died.
 */
const SHARED_BY_KERNEL = process.platform === "linux";
/**
 * Sockets of one process for its port. In one turn of the event loop, Node.js takes up one connection from each: with a single one, a client that keeps
 * turns long would keep everybody's new connections waiting.
 */
const SOCKETS = SHARED_BY_KERNEL ? 16 : 1;
/** Milliseconds that a client may take for the TLS handshake. */
const HANDSHAKE = 10_000;
/** How long requests under way may take once the server is told to stop. */
const DRAIN = 25_000;
/** How long a connection may stay quiet then: a request that is on its way has arrived by that time. */
const QUIET = 1000;

/** Over TLS, clients are asked for a certificate and may have none, or one of any authority: who needs which is decided for each of them. */
function serverOf({ tls, handler }: AssentServer): HttpServer | HttpsServer {
  if (tls.server === null) return process.getBuiltinModule("node:http").createServer(serverOptions, handler);
  const ca = tls.clientCa === null ? {} : { ca: tls.clientCa.pem };
  return process.getBuiltinModule("node:https").createServer(
    {
      ...{ ...serverOptions, ...tls.server, ...ca, requestCert: true, rejectUnauthorized: false },
      ...{ minVersion: "TLSv1.2", handshakeTimeout: HANDSHAKE },
    },
    handler,
  );
}

/**
 * How many connections fit into the files that this process may open: a tenth is left for the database, workers and outgoing requests. No bound
 * where the system does not say: Linux alone does, in proc(5).
 */
function connectionsAllowed(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Math.floor(Number(soft) * 0.9);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** What a client sent is not HTTP, or came too slowly. */
function clientFailed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Nothing came at all, or nothing can be said any more.
  const mute = !(socket instanceof Socket) || socket.bytesRead === 0 || !socket.writable;
  if (mute || error.code === "ECONNRESET") socket.destroy();
  else connectionOf(socket).fail(socket, STATUSES[error.code ?? ""] ?? "400 Bad Request");
}

const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Another socket whose connections are the server's. */
function feeder(server: HttpServer | HttpsServer): TcpServer {
  const { allowHalfOpen, noDelay, keepAlive } = server as unknown as ServerOpts;
  const socket = new TcpServer({ allowHalfOpen, noDelay, keepAlive }, (connection) => {
    server.emit("connection", connection);
  });
  socket.maxConnections = server.maxConnections;
  return socket;
}

interface Place {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
}

/** Gives the port. */
async function open(server: TcpServer, { host, port }: Place, { sharesPort }: AssentServer): Promise<number> {
  const reusePort = SHARED_BY_KERNEL && (sharesPort || SOCKETS > 1);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG, reusePort }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Rejects as `listen` does where somebody listens there already. */
async function isFree({ host, port }: Place): Promise<void> {
  // Any free one is free.
  if (port === 0) return;
  const server = new TcpServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/** Listens where `config.listen` says (port 0: any free one). */
export async function listen(assent: AssentServer): Promise<Listening> {
  const server = serverOf(assent);
  server.on("clientError", clientFailed);
  // A client may end its side and still wait for its answers. By default, Node.js would end the other side at once and drop them.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node.js would answer by itself, past the gate and the queue of the connection.
  server.on("checkExpectation", assent.handler);
  // RFC 9110 §9.3.6: this is no proxy. Without a listener, Node.js closes such a connection without a word.
  server.on("connect", ({ socket }: IncomingMessage) => connectionOf(socket).fail(socket, "405 Method Not Allowed"));
  const allowed = connectionsAllowed();
  assent.connections.guard(server, allowed);
  const { host } = assent.config.listen;
  // The system would let this process share the port of another that shares it, too, instead of saying that it is in use.
  if (SOCKETS > 1 && !assent.sharesPort) await isFree(assent.config.listen);
  const port = await open(server, assent.config.listen, assent);
  const more = Array.from({ length: SOCKETS - 1 }, () => feeder(server));
  await Promise.all(more.map((one) => open(one, { host, port }, assent)));
  let stopped: Promise<void> | undefined;
  return {
    port,
    stop(othersClosed) {
      stopped ??= stop(othersClosed);
      return stopped;
    },
  };

  async function stop(othersClosed?: () => Promise<void>): Promise<void> {
    assent.announceEnd();
    // Whoever asks for readiness learns of the end while there is still somebody to answer the others.
    if (assent.config.drainDelay > 0) await sleep(assent.config.drainDelay);
    // http's own close would cut connections between two requests, and lose what a client has just sent on them. Listening ends; each
    // connection gets one more answer, which closes it, and quiet ones are closed after a while.
    const closed = Promise.all(
      [server, ...more].map((one) => new Promise((resolve) => TcpServer.prototype.close.call(one, resolve))),
    );
    await othersClosed?.();
    assent.drain();
    const quiet = setInterval(() => server.closeIdleConnections(), QUIET);
    const force = setTimeout(() => server.closeAllConnections(), DRAIN);
    await closed;
    clearInterval(quiet);
    clearTimeout(force);
    await assent.close();
  }
}
