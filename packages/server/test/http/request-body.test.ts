import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { byTheClock } from "../../../../test/support/timing-test-retries.ts";
import { MAX_BODY, readBody } from "../../src/http/connections/request-body.ts";
import { OAuthError } from "../../src/oauth/errors.ts";

/** A request whose body arrives in these pieces, as node:http emits them. */
function requestOf(pieces: readonly Buffer[]): IncomingMessage {
  const headers = { "content-type": "application/x-www-form-urlencoded", "transfer-encoding": "chunked" };
  const socket = { destroy: () => undefined };
  return Object.assign(Readable.from(pieces), { headers, socket }) as unknown as IncomingMessage;
}

function read(pieces: readonly Buffer[]): Promise<string | OAuthError> {
  return new Promise((resolve) => readBody(requestOf(pieces), resolve));
}

const cut = (text: string, length: number) =>
  Array.from({ length: Math.ceil(text.length / length) }, (_, at) =>
    Buffer.from(text.slice(at * length, (at + 1) * length)),
  );

/** The text differs at each position, so that a lost or repeated piece is noticed. */
const text = Array.from({ length: MAX_BODY / 8 }, (_, at) => at.toString(36).padStart(7, "."))
  .join("&")
  .padEnd(MAX_BODY, "x");

describe("a body in pieces", () => {
  test.each([1, 7, 1000, 40_000, MAX_BODY])("of %i bytes, up to the limit → read as one", async (length) => {
    expect(await read(cut(text, length))).toBe(text);
  });

  test("one byte beyond the limit → refused, whatever the pieces", async () => {
    for (const length of [1, 1000, MAX_BODY, MAX_BODY + 1]) {
      const refused = await read(cut(`${text}x`, length));
      expect(refused instanceof OAuthError && refused.condition).toBe("body_too_large");
    }
  });

  test("what came is not changed by what comes behind it", async () => {
    const first = Buffer.from("a=1");
    await read([first, Buffer.from("&b=2")]);
    expect(first.toString()).toBe("a=1");
  });
});

test(
  "TE-14 a body letter by letter → eight times as many letters cost about eight times as much",
  byTheClock,
  async () => {
    const cost = async (letters: number) => {
      const pieces = cut(text.slice(0, letters), 1);
      let least = Number.POSITIVE_INFINITY;
      for (let round = 0; round < 5; round += 1) {
        const before = process.cpuUsage();
        await read(pieces);
        const { user, system } = process.cpuUsage(before);
        least = Math.min(least, user + system);
      }
      return least;
    };
    await cost(8192);
    // Copying the whole body for each letter would make the ratio 64.
    expect((await cost(MAX_BODY)) / (await cost(MAX_BODY / 8))).toBeLessThan(24);
  },
);
