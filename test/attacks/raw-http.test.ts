/**
 * Requests that no client library sends: smuggling, folded lines, huge and slow headers (RFC 9112 §§2.2, 5.2, 6; RFC
 * 6585 §5).
 */

import { mkdtempSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serverOptions } from "../../packages/server/src/http/connections/request-handler.ts";
import { type AssentServer, configOf, createAssent, type Listening, listen } from "../../packages/server/src/index.ts";
import { exchangeBytes } from "../support/back-channel.ts";

const dataDir = mkdtempSync(join(tmpdir(), "assent-"));
let assent: AssentServer;
let listening: Listening;

/** The server with its production listener, because the listener decides how bytes are read. */
beforeAll(async () => {
  const config = configOf({ dataDir, listen: { host: "127.0.0.1", port: 0 } });
  assent = await createAssent(config, { log: pino({ level: "silent" }) });
  listening = await listen(assent);
});
afterAll(async () => {
  await listening.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

const FORM = "Content-Type: application/x-www-form-urlencoded";
const lines = (...all: string[]) => all.join("\r\n");
const send = (text: string, wait?: number) => exchangeBytes(listening.port, text, wait);
/** A smuggled second request. No other answer contains its body, so a test can recognize it. */
const SMUGGLED = "GET /jwks HTTP/1.1\r\nHost: a\r\n\r\n";

test("a plain request → read, the connection stays", async () => {
  const body = "grant_type=x";
  const { text, closed } = await send(
    lines("POST /token HTTP/1.1", "Host: a", FORM, `Content-Length: ${body.length}`, "", body),
    300,
  );
  expect(text).toMatch(/^HTTP\/1\.1 401 [\s\S]*"invalid_client"/);
  expect(closed).toBe(false);
});

describe("TE-16 one request that two servers parse as two", () => {
  test.each([
    [
      "Content-Length and Transfer-Encoding",
      lines("Content-Length: 4", "Transfer-Encoding: chunked", "", `0\r\n\r\n${SMUGGLED}`),
    ],
    [
      "Transfer-Encoding and Content-Length",
      lines("Transfer-Encoding: chunked", "Content-Length: 4", "", `0\r\n\r\n${SMUGGLED}`),
    ],
    ["two Content-Lengths", lines("Content-Length: 0", `Content-Length: ${SMUGGLED.length}`, "", SMUGGLED)],
    ["two equal Content-Lengths in one line", lines("Content-Length: 0, 0", "", SMUGGLED)],
    ["a Content-Length with a sign", lines("Content-Length: +0", "", SMUGGLED)],
    ["a folded line", lines("X-A: b", " c: d", "Content-Length: 0", "", SMUGGLED)],
    ["a folded Transfer-Encoding", lines("Transfer-Encoding:", " chunked", "Content-Length: 0", "", SMUGGLED)],
    ["Transfer-Encoding: xchunked", lines("Transfer-Encoding: xchunked", "", `0\r\n\r\n${SMUGGLED}`)],
    ["Transfer-Encoding: chunked, identity", lines("Transfer-Encoding: chunked, identity", "", `0\r\n\r\n${SMUGGLED}`)],
    ["a space before the colon", lines("Content-Length : 0", "", SMUGGLED)],
    ["a NUL in a header", lines("X-A: a\0b", "Content-Length: 0", "", SMUGGLED)],
    ["a bare CR in a header", lines("X-A: a\rContent-Length: 5", "", SMUGGLED)],
    ["a chunk size that is none", lines("Transfer-Encoding: chunked", "", `0x0\r\n\r\n${SMUGGLED}`)],
  ])("%s → 400 and closed, nothing behind it is read", async (_, rest) => {
    const { text, closed } = await send(lines("POST /token HTTP/1.1", "Host: a", FORM, rest));
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).not.toMatch(/HTTP\/1\.1 200|"keys"/);
    expect(closed).toBe(true);
  });

  test("a line feed without a carriage return → 400 and closed", async () => {
    const { text, closed } = await send(`POST /token HTTP/1.1\nHost: a\n${FORM}\nContent-Length: 0\n\n${SMUGGLED}`);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(text).not.toMatch(/"keys"/);
    expect(closed).toBe(true);
  });

  test.each([
    ["no Host", lines("GET /jwks HTTP/1.1", "", "")],
    ["not HTTP at all", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03"],
    ["a method of nobody", lines("FOO /token HTTP/1.1", "Host: a", "", "")],
    ["an unreadable version", lines("GET /jwks HTTP/9.9", "Host: a", "", "")],
  ])("%s → 400 and closed", async (_, bytes) => {
    const { text, closed } = await send(bytes);
    expect(text).toMatch(/^HTTP\/1\.1 400 /);
    expect(closed).toBe(true);
  });

  test("two requests in one packet → an answer to each", async () => {
    const { text } = await send(SMUGGLED + SMUGGLED, 300);
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
  });
});

describe("limits", () => {
  test.each([
    ["TE-25 one header of 32 kB", `X-A: ${"a".repeat(32_768)}`],
    [
      "TE-25 headers of 32 kB in all",
      Array.from({ length: 400 }, (_, at) => `X-${at}: ${"a".repeat(80)}`).join("\r\n"),
    ],
    ["an Authorization header of 32 kB", `Authorization: Basic ${"A".repeat(32_768)}`],
  ])("%s → 431 and closed", async (_, header) => {
    const { text, closed } = await send(lines("POST /token HTTP/1.1", "Host: a", header, "", ""));
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(closed).toBe(true);
  });

  test("a URL of 32 kB → 431 and closed", async () => {
    const { text, closed } = await send(
      lines(`GET /authorize?state=${"a".repeat(32_768)} HTTP/1.1`, "Host: a", "", ""),
    );
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(closed).toBe(true);
  });

  test("200 header lines → answered; 201 → 431 and closed, so that nothing is read after them", async () => {
    const many = (count: number) =>
      lines("GET /jwks HTTP/1.1", "Host: a", ...Array.from({ length: count - 1 }, () => "a:"), "", "");
    expect((await send(many(200), 300)).text).toMatch(/^HTTP\/1\.1 200 /);
    const { text, closed } = await send(many(201));
    expect(text).toMatch(/^HTTP\/1\.1 431 /);
    expect(closed).toBe(true);
  });

  test("slow headers and bodies → the listener has time limits", () => {
    expect(serverOptions.headersTimeout).toBeLessThanOrEqual(15_000);
    expect(serverOptions.requestTimeout).toBeLessThanOrEqual(60_000);
    expect(serverOptions.connectionsCheckingInterval).toBeLessThanOrEqual(10_000);
    expect(serverOptions.maxHeaderSize).toBeLessThanOrEqual(16_384);
  });

  test("a client that resets the connection during a request → the server continues", async () => {
    await exchangeBytes(
      listening.port,
      lines("POST /token HTTP/1.1", "Host: a", FORM, "Content-Length: 50", "", "grant"),
      50,
      50,
    );
    expect((await fetch(`http://127.0.0.1:${listening.port}/health/live`)).status).toBe(200);
  });
});

describe("Upgrade, Expect and Connection", () => {
  test.each(["websocket", "h2c"])("Upgrade: %s → a normal HTTP/1.1 answer, then closed", async (protocol) => {
    const upgrade = lines("GET /jwks HTTP/1.1", "Host: a", "Connection: Upgrade", `Upgrade: ${protocol}`, "", "");
    // Node.js drops the bytes after an upgrade, so the server must close the connection. Otherwise the client would
    // wait.
    const { text, closed } = await send(upgrade + SMUGGLED);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect(text).toMatch(/\r\nconnection: close\r\n/i);
    expect(closed).toBe(true);
  });

  test("an unknown expectation → one 417 and closed, for any body", async () => {
    const { text, closed } = await send(
      lines("POST /token HTTP/1.1", "Host: a", FORM, "Expect: tea", `Content-Length: ${SMUGGLED.length}`, "", SMUGGLED),
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 417"]);
    expect(closed).toBe(true);
  });

  test("requests after Connection: close → not executed", async () => {
    const counted = async () =>
      (await assent.measure())
        .filter(({ name }) => name === "assent_http_requests_total")
        .flatMap(({ samples }) => samples)
        .reduce((sum, { value }) => sum + value, 0);
    const before = await counted();
    const { text, closed } = await send(
      lines("GET /health/live HTTP/1.1", "Host: a", "Connection: close", "", "") + SMUGGLED.repeat(3),
    );
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 200"]);
    expect([closed, (await counted()) - before]).toEqual([true, 1]);
  });
});

test("HD-14 TRACE, PUT and methods of WebDAV → 405; an override header → not read", async () => {
  for (const method of ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "MOVE"]) {
    const { text } = await send(
      lines(`${method} /token HTTP/1.1`, "Host: a", "Connection: close", "X-HTTP-Method-Override: POST", "", ""),
    );
    expect(text).toMatch(/^HTTP\/1\.1 405 [\s\S]*\r\nallow: POST\r\n/i);
    // TRACE would send the request's headers back.
    expect(text).not.toMatch(/override/i);
  }
});

test.each([
  "//token",
  "/token/",
  "/TOKEN",
  "/token;x=1",
  "/./token",
  "/x/../token",
  "/token%00",
  "/%2ftoken",
  "/token%2f",
  "http://evil.test/nowhere",
  "/%zz",
  "/%ff",
])("the path %s → no endpoint, no server error", async (path) => {
  const { text } = await send(
    lines(`POST ${path} HTTP/1.1`, "Host: a", FORM, "Connection: close", "Content-Length: 0", "", ""),
  );
  expect(text).toMatch(/^HTTP\/1\.1 40[04] /);
  expect(text).not.toMatch(/evil|^location:/im);
});

test("an unsupported method with a body of 70 kB → 405, not 413", async () => {
  const body = "a".repeat(70_000);
  const { text } = await send(
    lines("PUT /token HTTP/1.1", "Host: a", FORM, `Content-Length: ${body.length}`, "", body),
    500,
  );
  expect(text).toMatch(/^HTTP\/1\.1 405 /);
});

describe("TE-14 a body that no endpoint reads", () => {
  /** The answers, and whether the server closed the connection before this number of bytes was sent. */
  async function flood(head: string, bytes: number): Promise<{ text: string; ended: boolean }> {
    const socket = connect(listening.port, "127.0.0.1");
    let text = "";
    let ended = false;
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      ended = true;
    });
    socket.write(head);
    const piece = `4000\r\n${"a".repeat(16_384)}\r\n`;
    for (let sent = 0; sent < bytes && !ended; sent += 16_384)
      await new Promise<void>((resolve) => socket.write(piece, () => resolve()));
    if (!ended) await new Promise<void>((resolve) => socket.write("0\r\n\r\n", () => resolve()));
    if (!ended) socket.write(SMUGGLED);
    for (let waited = 0; waited < 200 && !ended && !text.includes('"keys"'); waited += 1) await setTimeout(50);
    socket.destroy();
    return { text, ended };
  }

  const unread = [
    ["too large a form", `POST /token HTTP/1.1\r\nHost: a\r\n${FORM}\r\nTransfer-Encoding: chunked\r\n\r\n`, 413],
    ["a path that isn't there", "POST /nowhere HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 404],
    ["another method", "PUT /token HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 405],
    ["a GET with a body", "GET /health/live HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n", 200],
  ] as const;

  test.each(unread)("%s, 200 kB → answered, and so is the next request on the connection", async (_, head, status) => {
    const { text, ended } = await flood(head, 200_000);
    expect(ended).toBe(false);
    expect(text).toContain(`HTTP/1.1 ${status} `);
    expect(text).toContain('"keys"');
  });

  test.each(unread)("%s, 64 MB → the server closes the connection early", async (_, head) => {
    const { text, ended } = await flood(head, 64 * 1_048_576);
    expect(ended).toBe(true);
    expect(text).not.toContain('"keys"');
  });
});
