/** TE-16, DS-16, REL-24: random streams of requests, compared with a model written from RFC 9112. */

import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import pino from "pino";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { MAX_PIPELINED } from "../../packages/server/src/http/connections/connection.ts";
import { type AssentServer, configOf, createAssent, type Listening, listen } from "../../packages/server/src/index.ts";
import { CORPUS } from "../support/fuzz/harness.ts";
import { answersTo } from "../support/raw-http/allowed-answers.ts";
import { CLIENT, CREDENTIALS, FORM, GRANT } from "../support/raw-http/endpoint-answers.ts";
import { type Answer, answersIn, exchange, objection, type Piece } from "../support/raw-http/raw-connection.ts";
import { cuts, slowBeginnings, soundStreams, streams } from "../support/raw-http/request-streams.ts";
import { asked, figure, inFull } from "../support/reliability-cycles-and-figures.ts";
import { registering, sha256 } from "../support/test-server.ts";

/** Minutes for all properties. 0: one round, as in `npm test`. */
const minutes = asked("minutes", inFull ? 10 : 0);
const SEED = 9112;

const dataDir = mkdtempSync(join(tmpdir(), "assent-"));
const log: string[] = [];
const seen = { streams: 0, bytes: 0, answers: 0 };
let assent: AssentServer;
let listening: Listening;
let rejections = 0;
/** Number of open sockets without clients. */
let quiet: number;
const onRejection = () => {
  rejections += 1;
};

beforeAll(async () => {
  process.on("unhandledRejection", onRejection);
  const config = configOf({ dataDir, listen: { host: "127.0.0.1", port: 0 } });
  const logger = pino({ level: "trace" }, { write: (line: string) => void log.push(line) });
  assent = await createAssent(config, { log: logger });
  listening = await listen(assent);
  const server = registering(assent, Date.now);
  await server.addStandardScopes();
  await server.addClient({
    clientId: CLIENT.id,
    secrets: [{ hash: sha256(CLIENT.secret), createdAt: 0, expiresAt: null }],
    ...{ grantTypes: ["client_credentials"], redirectUris: [], responseTypes: [], ownScopes: ["read"] },
  });
  await works();
  await soon("assent_connections_open", 0);
  quiet = sockets();
});
afterAll(async () => {
  await listening.stop();
  process.off("unhandledRejection", onRejection);
  rmSync(dataDir, { recursive: true, force: true });
  if (minutes > 0) figure("REL-24", "raw HTTP", seen);
});

/** After each test, the server still works and has released everything. */
afterEach(async () => {
  await works();
  for (const name of LEFT) await soon(name, 0);
  // There can be fewer, because a socket of an earlier test file may have closed in the meantime.
  await vi.waitFor(() => expect(sockets()).toBeLessThanOrEqual(quiet), WAIT);
  expect(log.filter((line) => /"level":(?:"(?:error|fatal)"|[56]0)/.test(line))).toEqual([]);
  log.length = 0;
  expect(rejections).toBe(0);
});

/** Metrics that must be 0 without clients. */
const LEFT = ["assent_connections_open", "assent_http_requests_unread", "assent_http_requests_under_way"];
const WAIT = { timeout: 10_000, interval: 10 };
const works = () =>
  vi.waitFor(async () => expect(await answers([{ bytes: TOKEN, pause: 0 }])).toMatchObject([{ status: 200 }]), WAIT);
const soon = (name: string, value: number) =>
  vi.waitFor(async () => expect([name, await measured(name)]).toEqual([name, value]), WAIT);

/** A request that the metrics count if the server executes it. */
const TOKEN = `POST /token HTTP/1.1\r\nHost: a\r\nContent-Type: ${FORM}\r\nAuthorization: ${CREDENTIALS}\r\nContent-Length: ${GRANT.length}\r\n\r\n${GRANT}`;

const TOKEN_IN_CHUNKS = `${TOKEN.replace(/Content-Length.*/s, "Transfer-Encoding: chunked")}\r\n\r\n9\r\n${GRANT.slice(0, 9)}\r\n${(GRANT.length - 9).toString(16)}\r\n${GRANT.slice(9)}\r\n0\r\n\r\n`;
const KEYS = "GET /jwks HTTP/1.1\r\nHost: a\r\n\r\n";

async function measured(name: string): Promise<number> {
  const family = (await assent.measure()).find((one) => one.name === name);
  return family?.samples.reduce((sum, { value }) => sum + value, 0) ?? 0;
}

/** Number of open sockets of this process. 0: the system doesn't show it. */
function sockets(): number {
  const folder = "/proc/self/fd";
  if (!existsSync(folder)) return 0;
  return readdirSync(folder).filter((name) => {
    try {
      return readlinkSync(join(folder, name)).startsWith("socket:");
    } catch {
      // The descriptor that read the folder is closed by now.
      return false;
    }
  }).length;
}

async function answers(pieces: readonly Piece[]): Promise<readonly Answer[]> {
  const all = pieces.map(({ bytes }) => bytes).join("");
  const { text } = await exchange(listening.port, pieces);
  return answersIn(text, answersTo(all));
}

/**
 * Sends a stream, and returns the statuses. Throws if an answer is not allowed, or if more requests were executed than
 * answered.
 */
async function check(
  stream: string,
  pieces: readonly Piece[] = [{ bytes: stream, pause: 0 }],
  halfClosed = false,
  tries = 3,
): Promise<readonly number[]> {
  const steps = answersTo(stream);
  // If the server must close the connection, this side doesn't, so that a missing close is noticed.
  const last = steps.at(-1);
  const ends = halfClosed || last?.closes !== true || last.waits;
  const issued = await measured("assent_tokens_issued_total");
  const { text, broken } = await exchange(listening.port, pieces, ends);
  const found = answersIn(text, steps);
  const statuses = found.map(({ status }) => status);
  const wrong = objection(found, steps, ends);
  seen.streams += 1;
  seen.bytes += stream.length;
  seen.answers += found.length;
  // RFC 9112 §9.6: a client that still writes after the server has ended its side may lose the last answer.
  const lost = broken && pieces.length > 1 && steps.at(-1)?.closes !== false && found.length < steps.length;
  // The server waits one second for a client to read its last answer. If this process was late, it sends the stream
  // again.
  if (wrong !== undefined && broken && pieces.length === 1 && tries > 1)
    return check(stream, pieces, halfClosed, tries - 1);
  if (wrong !== undefined && !lost) throw new Error(`${wrong}; answers: ${statuses.join(", ") || "none"}`);
  const tokens = found.filter(({ status }, at) => status === 200 && steps[at]?.known?.issues).length;
  const more = (await measured("assent_tokens_issued_total")) - issued - tokens;
  if (more !== 0 && !lost) throw new Error(`${more} tokens were issued that nobody was given; answers: ${statuses}`);
  return statuses;
}

/** One round in the short form. Otherwise, rounds for a share of the time. */
async function hold<Input>(
  inputs: fc.Arbitrary<Input>,
  runs: number,
  part: number,
  each: (input: Input) => Promise<void>,
) {
  const endsAt = performance.now() + minutes * 60_000 * part;
  const property = fc.asyncProperty(inputs, each);
  do await fc.assert(property, { numRuns: runs, ...(minutes > 0 ? {} : { seed: SEED }) });
  while (performance.now() < endsAt);
}
const options = { timeout: 120_000 + minutes * 60_000 };

/** The stream, cut at these positions. */
function cutAt(stream: string, places: readonly (readonly [place: number, pause: number])[]): readonly Piece[] {
  const sorted = places
    .map(([place, pause]) => [Math.floor(place * stream.length), pause] as const)
    .sort(([a], [b]) => a - b);
  return [[0, 0] as const, ...sorted].map(([from, pause], at) => ({
    bytes: stream.slice(from, sorted[at]?.[0]),
    pause,
  }));
}

const folder = join(CORPUS, "raw-http");
const corpus = readdirSync(folder)
  .sort()
  .map((file) => [file, String(JSON.parse(readFileSync(join(folder, file), "utf8")))] as const);

describe("TE-16 framing", () => {
  test.each(corpus)("the corpus, %s → the answers that RFC 9112 allows", async (_, stream) => {
    await check(stream);
    await check(
      stream,
      [...stream].map((bytes) => ({ bytes, pause: 0 })),
    );
  });

  test("random streams → one answer to each request, in order; a refusal ends what can't be read", options, () =>
    hold(streams, 150, 0.4, async (stream) => {
      await check(stream);
    }),
  );
});

describe("cutting", () => {
  test("any pieces of a stream → the answers that it gets in one piece", options, () =>
    hold(fc.tuple(streams, cuts), 40, 0.25, async ([stream, places]) => {
      const [whole, pieces] = [await check(stream), await check(stream, cutAt(stream, places))];
      // For other streams, the model allows several answers, and it has checked both results.
      const exact = answersTo(stream).every(
        ({ known, refusals }) => (known?.statuses.length ?? 0) + refusals.length === 1,
      );
      if (exact) expect(pieces).toEqual(whole);
    }),
  );
});

describe("half-closed", () => {
  test("the client ends its side behind whole requests → all answers still come", options, () =>
    hold(soundStreams(6), 40, 0.05, async (stream) => {
      const statuses = await check(stream, [{ bytes: stream, pause: 0 }], true);
      expect(statuses).toHaveLength(answersTo(stream).length);
    }),
  );

  test("in the middle of a request → the connection is closed, and nothing of that request is executed", options, () =>
    hold(
      fc.tuple(soundStreams(2), fc.constantFrom(TOKEN, TOKEN_IN_CHUNKS), fc.nat()),
      60,
      0.1,
      async ([before, last, cut]) => {
        const part = last.slice(0, 1 + (cut % (last.length - 1)));
        const issued = await measured("assent_tokens_issued_total");
        const statuses = await check(before + part, [{ bytes: before + part, pause: 0 }], true);
        const earned = answersTo(before);
        expect(statuses.slice(0, earned.length)).toHaveLength(earned.length);
        expect([[], [400]]).toContainEqual(statuses.slice(earned.length));
        const tokens = earned.filter(({ known }) => known?.issues).length;
        expect((await measured("assent_tokens_issued_total")) - issued).toBe(tokens);
      },
    ),
  );

  test("in the middle, and then a reset → nothing of that request is executed", options, () =>
    hold(fc.tuple(fc.constantFrom(TOKEN, TOKEN_IN_CHUNKS), fc.nat()), 30, 0.05, async ([last, cut]) => {
      const issued = await measured("assent_tokens_issued_total");
      const socket = connect(listening.port, "127.0.0.1");
      socket.on("error", () => undefined);
      await new Promise<void>((resolve) => {
        socket.write(last.slice(0, 1 + (cut % (last.length - 1))), () => resolve());
      });
      socket.resetAndDestroy();
      await soon("assent_connections_open", 0);
      expect(await measured("assent_tokens_issued_total")).toBe(issued);
    }),
  );
});

describe("pipelining", () => {
  test(
    "requests in one write → as many answers, in order; too many → the connection is closed, none is answered twice",
    options,
    () =>
      hold(fc.integer({ min: 1, max: 2 * MAX_PIPELINED }), 30, 0.05, async (count) => {
        const stream = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? TOKEN : KEYS)).join("");
        const issued = await measured("assent_tokens_issued_total");
        const { text } = await exchange(listening.port, [{ bytes: stream, pause: 0 }]);
        const found = answersIn(text, []);
        const bounded = count > MAX_PIPELINED + 1;
        if (!bounded) expect(found).toHaveLength(count);
        expect(found.length).toBeLessThanOrEqual(count);
        for (const [at, { status, body }] of found.entries())
          expect([status, body]).toEqual([200, expect.stringMatching(at % 2 === 0 ? /"access_token"/ : /^\{"keys"/)]);
        const tokens = (await measured("assent_tokens_issued_total")) - issued;
        // If the connection is closed because of its many requests, the last answer may be lost.
        const given = Math.ceil(found.length / 2);
        expect(bounded ? [given, given + 1] : [given]).toContain(tokens);
      }),
  );
});

describe("DS-07 slow and silent", () => {
  test(
    "sockets that send part of a request, slowly or not at all → the others are answered; their places are given back",
    options,
    () =>
      hold(
        fc.tuple(fc.array(slowBeginnings, { minLength: 20, maxLength: 60 }), soundStreams(3)),
        4,
        0.1,
        async ([slow, stream]) => {
          const sockets = slow.map((pieces) => slowly(pieces));
          await soon("assent_connections_open", sockets.length);
          const each = await Promise.all(
            Array.from({ length: 10 }, () => exchange(listening.port, [{ bytes: stream, pause: 0 }])),
          );
          const steps = answersTo(stream);
          for (const { text } of each) {
            const found = answersIn(text, steps);
            expect([found.length, objection(found, steps, true)]).toEqual([steps.length, undefined]);
          }
          seen.streams += each.length + slow.length;
          for (const socket of sockets) socket.destroy();
          for (const name of LEFT) await soon(name, 0);
        },
      ),
  );
});

/** A client that sends a piece from time to time and reads the answers. */
function slowly(pieces: readonly string[]): Socket {
  const socket = connect({ port: listening.port, host: "127.0.0.1", noDelay: true });
  socket.on("error", () => undefined).resume();
  socket.on("connect", async () => {
    for (const piece of pieces) {
      if (!socket.writable) return;
      socket.write(piece, "latin1");
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  });
  return socket;
}
