/**
 * A TCP proxy between the tests' server and its database. It can hold answers back, lose all data, or cut connections.
 */

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/**
 * `pass`: forwards everything. `holdAnswers`: forwards requests and keeps the database's answers, so that the database
 * commits and the server doesn't learn it. `lose`: drops the data in both directions. `refuse`: resets new connections.
 */
export type ProxyMode = "pass" | "holdAnswers" | "lose" | "refuse";

export interface TcpProxy {
  readonly port: number;
  /** Changes the mode from now on. `pass` delivers answers that were held back. */
  set(mode: ProxyMode): void;
  /** Resets all current connections. */
  cut(): void;
  /** Simulates distance: data in both directions arrives this number of milliseconds later. */
  delay(milliseconds: number): void;
  /** Number of current connections. */
  readonly connections: number;
  close(): Promise<void>;
}

interface Pair {
  readonly client: Socket;
  readonly target: Socket;
  kept: Buffer[];
}

/**
 * Starts a proxy on a free port in front of a port of loopback. `onRequest` gets the data that a client sends;
 * `connection` is the same object for all data of one connection.
 */
export async function startTcpProxy(
  targetPort: number,
  onRequest?: (data: Buffer, connection: object) => void,
): Promise<TcpProxy> {
  let mode: ProxyMode = "pass";
  let late = 0;
  const later = (deliver: () => void) => {
    if (late > 0) setTimeout(deliver, late);
    else deliver();
  };
  const pairs = new Set<Pair>();
  const server = createServer((client) => {
    if (mode === "refuse") {
      client.resetAndDestroy();
      return;
    }
    const pair: Pair = { client, target: connect(targetPort, "127.0.0.1"), kept: [] };
    pairs.add(pair);
    client.on("data", (data: Buffer) => {
      onRequest?.(data, pair);
      if (mode !== "lose") later(() => pair.target.write(data));
    });
    pair.target.on("data", (data: Buffer) => {
      if (mode === "pass") later(() => client.write(data));
      else if (mode === "holdAnswers") pair.kept.push(data);
    });
    for (const [one, other] of [
      [client, pair.target],
      [pair.target, client],
    ] as const) {
      one.on("error", () => undefined);
      one.on("close", () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    set(next) {
      mode = next;
      if (mode !== "pass") return;
      for (const pair of pairs) {
        for (const data of pair.kept.splice(0)) pair.client.write(data);
      }
    },
    delay(milliseconds) {
      late = milliseconds;
    },
    cut() {
      for (const { client, target } of pairs) {
        client.resetAndDestroy();
        target.resetAndDestroy();
      }
    },
    get connections() {
      return pairs.size;
    },
    async close() {
      for (const { client, target } of pairs) {
        client.destroy();
        target.destroy();
      }
      server.close();
      await once(server, "close");
    },
  };
}
