/** `/metrics` on a port of its own, because the metrics are for the operator's Prometheus only. */

import type { AddressInfo } from "node:net";
import { exposition, type Snapshot } from "./prometheus-text.ts";

export interface MetricsListening {
  readonly port: number;
  stop(): Promise<void>;
}

const TYPE = "text/plain; version=0.0.4; charset=utf-8";

/**
 * Answers `GET /metrics` at this address with the result of `measure`, and refuses everything else. Rejects as
 * `listen` does.
 */
export async function listenMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  measure: () => Promise<Snapshot>,
): Promise<MetricsListening> {
  // Each request asks every process, so few may run at the same time, and slow readers are closed early.
  const { createServer } = process.getBuiltinModule("node:http");
  const server = createServer({
    ...{ headersTimeout: 5_000, requestTimeout: 5_000, maxHeaderSize: 8_192 },
    // By default, Node checks its timeouts only every 30 seconds.
    connectionsCheckingInterval: 1_000,
  });
  server.maxConnections = 16;
  server.on("request", (request, response) => {
    const [path] = (request.url ?? "").split("?");
    if (path !== "/metrics" || (request.method !== "GET" && request.method !== "HEAD")) {
      response.writeHead(path === "/metrics" ? 405 : 404, { "content-type": TYPE }).end("Only GET /metrics is here.\n");
      return;
    }
    measure().then(
      (snapshot) =>
        response.writeHead(200, { "content-type": TYPE, "cache-control": "no-store" }).end(exposition(snapshot)),
      () =>
        response.writeHead(503, { "content-type": TYPE, "retry-after": "5" }).end("The figures can't be read now.\n"),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    // Without `exclusive`, a worker would share this port with the other workers.
    server.listen({ host, port, exclusive: true }, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
