/** Connections that say nothing end; those that are used go on. */

import { createServer as createHttp, type RequestListener } from "node:http";
import { createServer as createHttps } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { aCertificate } from "../../../../test/support/certificates.ts";
import { QuietConnections } from "../../src/http/quiet-connections.ts";

const AFTER = 600;
const ask = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
const answer: RequestListener = (_request, response) => response.end("hello");

/** A port where connections are watched as `listen` has them watched. */
async function aServer(tls: boolean): Promise<() => Socket> {
  const { cert, key } = tls ? aCertificate({ subject: "/CN=localhost" }) : { cert: "", key: "" };
  const options = { keepAliveTimeout: 0 };
  const server = tls ? createHttps({ ...options, cert, key }, answer) : createHttp(options, answer);
  const quiet = new QuietConnections({ after: AFTER, every: 20, now: () => performance.now() });
  server.on(tls ? "secureConnection" : "connection", quiet.watch);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    quiet.end();
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return () => {
    const socket = tls ? connectTls({ port, rejectUnauthorized: false }) : connect(port, "127.0.0.1");
    return socket.resume().on("error", () => undefined);
  };
}

describe.each([
  ["HTTP", false],
  ["HTTPS", true],
])("%s", (_kind, tls) => {
  test("nothing said any more → the connection ends, and not before its time", async () => {
    const connected = await aServer(tls);
    const socket = connected();
    socket.write(ask);
    const startedAt = performance.now();
    await new Promise((resolve) => socket.once("close", resolve));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(AFTER);
  });

  test("a request now and then → the connection goes on for longer than a quiet one would", async () => {
    const connected = await aServer(tls);
    const socket = connected();
    let ended = false;
    socket.once("close", () => {
      ended = true;
    });
    const until = performance.now() + 3 * AFTER;
    while (performance.now() < until) {
      socket.write(ask);
      await sleep(AFTER / 6);
    }
    expect(ended).toBe(false);
    socket.destroy();
  });
});
