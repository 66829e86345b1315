/** DS-19: HTTP/2 floods can't reach the server, because it doesn't speak HTTP/2 (CVE-2023-44487). */

import { mkdtempSync, rmSync } from "node:fs";
import { connect as connectHttp2, constants } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type AssentServer,
  type Config,
  configOf,
  createAssent,
  type Listening,
  listen,
} from "../../packages/server/src/index.ts";
import { exchangeBytes } from "../support/back-channel.ts";
import { aCertificate, overTls } from "../support/make-certificates.ts";

const site = aCertificate({ subject: "/CN=login.test" });
const folder = mkdtempSync(join(tmpdir(), "assent-"));
const listening: Listening[] = [];
let plain: number;
let secure: number;

async function start(config: Partial<Config>): Promise<number> {
  const dataDir = mkdtempSync(join(folder, "data-"));
  const assent: AssentServer = await createAssent(
    configOf({ dataDir, listen: { host: "127.0.0.1", port: 0 }, ...config }),
    { log: pino({ level: "silent" }) },
  );
  const one = await listen(assent);
  listening.push(one);
  return one.port;
}

beforeAll(async () => {
  plain = await start({});
  secure = await start({ issuer: "https://login.test", tlsCert: site.certPath, tlsKey: site.keyPath });
});
afterAll(async () => {
  await Promise.all(listening.map((one) => one.stop()));
  rmSync(folder, { recursive: true, force: true });
});

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/** A SETTINGS frame, then 1,000 streams that are opened and reset at once (RFC 9113 §§6.4, 6.5). */
function rapidReset(): Buffer {
  const frames = [Buffer.from(PREFACE), Buffer.from("000000040000000000", "hex")];
  for (let stream = 1; stream < 2000; stream += 2) {
    const id = Buffer.alloc(4);
    id.writeUInt32BE(stream);
    // HEADERS with GET / over http, then RST_STREAM with CANCEL.
    frames.push(Buffer.from("0000030105", "hex"), id, Buffer.from("828684", "hex"));
    frames.push(Buffer.from("0000040300", "hex"), id, Buffer.from("00000008", "hex"));
  }
  return Buffer.concat(frames);
}

describe("without TLS", () => {
  test("the preface, and 1,000 streams that are reset at once → 400, closed, no stream is answered", async () => {
    for (const bytes of [Buffer.from(PREFACE), rapidReset()]) {
      const { text, closed } = await exchangeBytes(plain, bytes);
      expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(text.match(/HTTP\/1\.1/g)).toHaveLength(1);
      expect(closed).toBe(true);
    }
  });

  test("Upgrade: h2c → answered over HTTP/1.1, or refused; never 101", async () => {
    const upgrade = "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n";
    const { text } = await exchangeBytes(plain, `GET /health/live HTTP/1.1\r\nHost: a\r\n${upgrade}\r\n`, 300);
    expect(text).toMatch(/^HTTP\/1\.1 (200|400) /);
  });

  test("the same path over HTTP/1.1 → 200", async () => {
    expect((await fetch(`http://127.0.0.1:${plain}/health/live`)).status).toBe(200);
  });
});

describe("over TLS", () => {
  const options = { host: "127.0.0.1", rejectUnauthorized: false };

  test("a client that offers h2 alone → no protocol is agreed on", async () => {
    const agreed = await new Promise<string | false | null>((resolve) => {
      const socket = connectTls({ ...options, port: secure, ALPNProtocols: ["h2"] });
      socket.once("secureConnect", () => {
        resolve(socket.alpnProtocol);
        socket.destroy();
      });
      socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? null));
    });
    expect(agreed).not.toBe("h2");
  });

  test("a client of HTTP/2 → its session ends with an error", async () => {
    const session = connectHttp2(`https://127.0.0.1:${secure}`, { rejectUnauthorized: false });
    const ended = new Promise<unknown>((resolve) => {
      session.once("error", resolve);
      session.once("close", () => resolve("closed"));
    });
    const request = session.request({ [constants.HTTP2_HEADER_PATH]: "/health/live" });
    let status: unknown;
    request.once("response", (headers) => {
      status = headers[constants.HTTP2_HEADER_STATUS];
    });
    request.on("error", () => undefined);
    await ended;
    session.destroy();
    expect(status).toBeUndefined();
  });

  test("the same path over HTTP/1.1 → 200", async () => {
    expect((await overTls(secure, "/health/live", {})).status).toBe(200);
  });
});
