/**
 * An open port. The demo opens its ports first, so that it knows the addresses and reports a used port before it does
 * anything else.
 */

import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ConfigError } from "@assent/server";

export interface OpenPort {
  readonly port: number;
  /** For Fastify: its requests come from this server. */
  readonly serverFactory: (handler: RequestListener) => Server;
  /** Also ends the requests in progress. */
  close(): Promise<void>;
}

/** Who says which port it is, for the message when it is taken. */
export interface PortName {
  readonly variable: string;
  /** The name of the program on this port: "the demo's app". */
  readonly what: string;
}

/** Listens on a loopback port (0: any free one). Requests get 503 until there is a handler. */
export async function openPort(port: number, name: PortName): Promise<OpenPort> {
  const host = "127.0.0.1";
  const server = createServer();
  const notYet: RequestListener = (_request, response) => {
    response.writeHead(503, { "retry-after": "1", "content-type": "text/plain" }).end("The demo is starting.\n");
  };
  server.on("request", notYet);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, resolve);
    });
  } catch (error) {
    throw listenProblem(error, `${host}:${port}`, name);
  }
  return {
    port: (server.address() as AddressInfo).port,
    serverFactory: (handler) => {
      server.off("request", notYet);
      return server.on("request", handler);
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/**
 * The message about a port that can't be opened: it names the variable that changes the port. Other errors are thrown
 * again.
 */
export function listenProblem(error: unknown, address: string, { variable, what }: PortName): unknown {
  switch ((error as NodeJS.ErrnoException).code) {
    case "EADDRINUSE":
      return new ConfigError([
        `${variable}: found ${address} in use by another program (perhaps Assent in another window), wanted a free port for ${what}: stop that program, or set ${variable} to another port`,
      ]);
    case "EACCES":
      return new ConfigError([
        `${variable}: found ${address}, which this user may not open, wanted a port of 1024 or higher for ${what}`,
      ]);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
      return new ConfigError([`${variable}: found ${address}, wanted an address of this machine for ${what}`]);
    default:
      return error;
  }
}

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const open = await openPort(0, { variable: "ASSENT_LISTEN", what: "the server" });
  await open.close();
  return open.port;
}
