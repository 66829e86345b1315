/** The server as a program: a node:http or node:https server around the handler, and an orderly stop. */

import { readFileSync } from "node:fs";
import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Server as HttpsServer } from "node:https";
import { type AddressInfo, type ServerOpts, Socket, Server as TcpServer } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { AssentServer } from "./assent.ts";
import { connectionOf } from "./http/connections/connection.ts";
import { serverOptions } from "./http/connections/request-handler.ts";

export interface Listening {
  readonly port: number;
  /**
   * Accepts no new connections, answers current requests, then closes the database. `othersClosed`: awaited before
   * connections end, because their clients would connect to a process that is about to stop as well.
   */
  stop(othersClosed?: () => Promise<void>): Promise<void>;
}

/**
 * Number of connections that the kernel keeps until they are accepted; the kernel has a limit of its own. After a
 * restart, all clients come at once.
 */
const BACKLOG = 4_096;
/**
 * Linux distributes connections to all sockets of one port by a hash of their addresses. In Node's own way, the parent
 * accepts for all, and a client waits for ever if its connection was on its way to a worker that died.
 */
const SHARED_BY_KERNEL = process.platform === "linux";
/**
 * Number of sockets of one process for its port. In one turn of the event loop, Node.js accepts one connection from
 * each. With a single one, a client that keeps turns long would keep new connections of others waiting.
 */
const SOCKETS = SHARED_BY_KERNEL ? 16 : 1;
/** Milliseconds that a client may take for the TLS handshake. */
const HANDSHAKE = 10_000;
/** Maximum time for current requests after the server was told to stop. */
const DRAIN = 25_000;
/** Time after which a quiet connection is closed then: a request on its way has arrived by that time. */
const QUIET = 1000;

/**
 * With TLS, the server asks clients for a certificate. They may have none, or one of any authority; the server decides
 * for each client.
 */
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
 * Number of connections that fit into the files that this process may open: a tenth stays for the database, workers and
 * outgoing requests. No limit if the system does not say; only Linux does, in proc(5).
 */
function connectionsAllowed(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8"))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Math.floor(Number(soft) * 0.9);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** The client sent something that is not HTTP, or sent too slowly. */
function clientFailed(error: NodeJS.ErrnoException, socket: Duplex): void {
  // Nothing was received, or nothing can be sent any more.
  const mute = !(socket instanceof Socket) || socket.bytesRead === 0 || !socket.writable;
  if (mute || error.code === "ECONNRESET") socket.destroy();
  else connectionOf(socket).fail(socket, STATUSES[error.code ?? ""] ?? "400 Bad Request");
}

const STATUSES: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: "431 Request Header Fields Too Large",
  ERR_HTTP_REQUEST_TIMEOUT: "408 Request Timeout",
};

/** Another socket that gives its connections to the server. */
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
  /** 0: any free port. */
  readonly port: number;
}

/** Returns the port. */
async function open(server: TcpServer, { host, port }: Place, { sharesPort }: AssentServer): Promise<number> {
  const reusePort = SHARED_BY_KERNEL && (sharesPort || SOCKETS > 1);
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host, backlog: BACKLOG, reusePort }, resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Rejects like `listen` if another program listens there already. */
async function isFree({ host, port }: Place): Promise<void> {
  // Any free port is free.
  if (port === 0) return;
  const server = new TcpServer();
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host }, resolve);
  });
  await new Promise((resolve) => server.close(resolve));
}

/** Listens at `config.listen` (port 0: any free one). */
export async function listen(assent: AssentServer): Promise<Listening> {
  const server = serverOf(assent);
  server.on("clientError", clientFailed);
  // A client may close its side and still wait for responses. By default, Node.js would close the other side at once
  // and drop them.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node.js would answer by itself, outside of the gate and of the connection's order.
  server.on("checkExpectation", assent.handler);
  // RFC 9110 §9.3.6: this server is no proxy. Without a listener, Node.js closes such a connection without a response.
  server.on("connect", ({ socket }: IncomingMessage) => connectionOf(socket).fail(socket, "405 Method Not Allowed"));
  const allowed = connectionsAllowed();
  assent.connections.guard(server, allowed);
  const { host } = assent.config.listen;
  // Otherwise the system would let this process share the port of another that shares it, too, instead of reporting
  // that it is in use.
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
    // A load balancer learns of the stop while the server still answers requests.
    if (assent.config.drainDelay > 0) await sleep(assent.config.drainDelay);
    // http's own close would cut connections between two requests, and lose a request on its way. So the server stops
    // listening, gives each connection one more response that closes it, and closes quiet ones after a while.
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
