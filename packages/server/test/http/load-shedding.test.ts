import { IncomingMessage } from "node:http";
import { Socket } from "node:net";
import { beforeEach, describe, expect, test } from "vitest";
import { Gate } from "../../src/http/connections/load-shedding.ts";
import { HeaderLines } from "../../src/http/connections/response-header-lines.ts";
import { busyAnswers } from "../../src/http/connections/service-unavailable.ts";

let time: number;
let gate: Gate;
beforeEach(() => {
  time = 1_000;
  gate = new Gate(() => time);
});

/**
 * One turn of the event loop with this number of requests, each of which takes this time to start. Returns each
 * decision.
 */
async function turn(requests: number, milliseconds: number, address = "203.0.113.7"): Promise<(string | undefined)[]> {
  const told: (string | undefined)[] = [];
  for (let request = 0; request < requests; request += 1) {
    const reason = gate.refuses(() => address);
    told.push(reason);
    if (reason !== undefined) continue;
    gate.enter();
    time += milliseconds;
  }
  await new Promise((resolve) => setImmediate(resolve));
  return told;
}

function answerAll(): void {
  while (gate.underWay > 0) gate.leave();
}

const refusedOf = (told: readonly (string | undefined)[]) => told.filter((reason) => reason !== undefined);

describe("the event loop", () => {
  test("one long burst → nobody is refused", async () => {
    expect(refusedOf(await turn(800, 0.5))).toEqual([]);
  });

  test("every turn too long for half a second → what comes late in a turn is refused, what comes early is not", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    const told = await turn(200, 0.5);
    // Two requests per millisecond: those of the first 20 ms are accepted, and no more than the 50 that may be under
    // way.
    expect(told.slice(0, 41)).toEqual(Array(41).fill(undefined));
    expect(told.slice(50)).toEqual(Array(150).fill("event_loop"));
  });

  test("many requests in a turn, each answered at once → what comes late in it is refused all the same", async () => {
    const atOnce = async () => {
      const told: (string | undefined)[] = [];
      for (let request = 0; request < 200; request += 1) {
        told.push(gate.refuses(() => "203.0.113.7"));
        time += 0.5;
      }
      await new Promise((resolve) => setImmediate(resolve));
      return told;
    };
    for (let at = 0; at < 5; at += 1) expect(refusedOf(await atOnce())).toEqual([]);
    expect(refusedOf(await atOnce())).toHaveLength(150);
  });

  test("a network that had nothing in this turn → has twice the time; one that fills the turn is known by it", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    const ask = (address: string) => gate.refuses(() => address);
    for (let request = 0; request < 60; request += 1) {
      ask("2001:db8:1:1::1");
      time += 0.5;
    }
    expect(ask("2001:db8:1:2::1")).toBe("event_loop");
    expect([ask("203.0.113.9"), ask("203.0.113.200")]).toEqual([undefined, "event_loop"]);
    expect([gate.isCrowding("2001:db8:1:3::1"), gate.isCrowding("203.0.113.9")]).toEqual([true, false]);
    time += 11;
    expect(ask("198.51.100.7")).toBe("event_loop");
    await new Promise((resolve) => setImmediate(resolve));
    expect(gate.isCrowding("2001:db8:1:3::1")).toBe(false);
  });

  test("one short turn → it begins anew", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    await turn(10, 0.5);
    answerAll();
    expect(refusedOf(await turn(200, 0.5))).toEqual([]);
  });

  test("a pause of a second → it begins anew", async () => {
    for (let at = 0; at < 6; at += 1) {
      await turn(200, 0.5);
      answerAll();
    }
    time += 1_001;
    expect(refusedOf(await turn(200, 0.5))).toEqual([]);
  });

  test("few requests, each of which takes long → nobody is refused", async () => {
    for (let at = 0; at < 10; at += 1) {
      expect(refusedOf(await turn(20, 20))).toEqual([]);
      answerAll();
    }
  });
});

describe("requests under way", () => {
  test("1,024 → the next is refused until one is answered", async () => {
    await turn(1_024, 0);
    expect(await turn(1, 0)).toEqual(["under_way"]);
    gate.leave();
    expect(await turn(1, 0)).toEqual([undefined]);
  });
});

describe("a request that is refused unread", () => {
  const issuer = "https://id.test/base";
  const answerTo = (path: string) => {
    const tools = { issuer, basePath: "/base", headerLines: new HeaderLines({}), people: { loaded: undefined } };
    const request = Object.assign(new IncomingMessage(new Socket()), { url: `/base${path}` });
    const busy = busyAnswers(tools as unknown as Parameters<typeof busyAnswers>[0])(request);
    const at = busy?.lines.indexOf("content-type") ?? -1;
    return { status: busy?.status, type: busy?.lines[at + 1], body: JSON.parse(String(busy?.body ?? "null")) };
  };

  test("of the admin API → problem details (RFC 9457), with Retry-After", () => {
    const { status, type, body } = answerTo("/admin/api/v1/users?limit=1");
    expect([status, type]).toEqual([503, "application/problem+json; charset=utf-8"]);
    expect(body).toMatchObject({ type: `${issuer}/errors/temporarily_unavailable`, status: 503 });
    expect(body).toMatchObject({ code: "temporarily_unavailable", title: expect.stringMatching(/\w/) });
  });

  test("of a client → the error of OAuth; keys and health → not refused", () => {
    const { status, type, body } = answerTo("/token");
    expect([status, type, body.error]).toEqual([503, "application/json; charset=utf-8", "temporarily_unavailable"]);
    expect([answerTo("/jwks").status, answerTo("/health/live").status]).toEqual([undefined, undefined]);
  });
});
