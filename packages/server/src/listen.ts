/** The server on its own: a node:http server around the handler, and an orderly end. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { AssentServer } from "./assent.ts";
import { serverOptions } from "./http/server.ts";

export interface Listening {
  readonly port: number;
  /** No new connections; requests under way are answered; then the database is closed. */
  stop(): Promise<void>;
}

/** How long requests under way may take once the server is told to stop. */
const DRAIN = 25_000;

/** Listens where `config.listen` says (port 0: any free one). */
export async function listen(assent: AssentServer): Promise<Listening> {
  const server = createServer(serverOptions, assent.handler);
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    if (error.code === "ECONNRESET" || !socket.writable) return socket.destroy();
    const status = error.code === "HPE_HEADER_OVERFLOW" ? "431 Request Header Fields Too Large" : "400 Bad Request";
    return socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
  });
  const { host, port } = assent.config.listen;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  let stopped: Promise<void> | undefined;
  return {
    port: (server.address() as AddressInfo).port,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };

  async function stop(): Promise<void> {
    assent.drain();
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    const force = setTimeout(() => server.closeAllConnections(), DRAIN);
    await closed;
    clearTimeout(force);
    await assent.close();
  }
}
