/** Keys at a jwks_uri: how long they are cached, when they are fetched again, and what an outage does. */

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { GuardedFetcher } from "../../src/outbound/guarded-fetch.ts";
import { MAX_WAITING, remoteKeys } from "../../src/outbound/remote-keys.ts";

let time: number;
let asked: number;
let answer: { status: number; body: string; headers: Record<string, string> };
let events: string[];
let uri: string;
let find: (wanted?: string) => Promise<readonly string[] | "busy" | undefined>;
/** The server answers when this promise resolves. */
let held: Promise<void>;
let stop: () => void;

beforeEach(async () => {
  time = 1_000_000;
  asked = 0;
  answer = { status: 200, body: "a", headers: {} };
  events = [];
  held = Promise.resolve();
  const server = createServer(async (_, response) => {
    asked += 1;
    await held;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  uri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  stop = () => {
    server.closeAllConnections();
    server.close();
  };
  const now = () => time;
  const keys = remoteKeys<string>({
    fetcher: new GuardedFetcher({ now, alsoAllowed: ["127.0.0.0/8", "::1"] }),
    now,
    // In these tests, a document is a list of letters, and "!" is an invalid document.
    parse: (body) => (String(body) === "!" ? undefined : [...String(body)]),
    event: (name, { fault = "" }) => void events.push(`${name} ${fault}`),
  });
  find = (wanted = "a") => keys(uri, (held) => held.includes(wanted));
});
afterEach(() => stop());

test("50 at once → one fetch", async () => {
  expect(await Promise.all(Array.from({ length: 50 }, () => find()))).toEqual(Array.from({ length: 50 }, () => ["a"]));
  expect(asked).toBe(1);
});

describe("more than may wait for one document", () => {
  const atOnce = (times: number, wanted = "a") => Array.from({ length: times }, () => find(wanted));

  test("→ the others are told so at once; when it has come, all have it, and as many may wait again", async () => {
    for (const wanted of ["a", "b"]) {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      answer.body = wanted;
      const first = atOnce(MAX_WAITING, wanted);
      expect(await Promise.all(atOnce(20, wanted))).toEqual(Array(20).fill("busy"));
      resolve();
      expect(await Promise.all(first)).toEqual(Array(MAX_WAITING).fill([wanted]));
      expect(await find(wanted)).toEqual([wanted]);
      time += 61_000;
    }
    expect(asked).toBe(2);
  });

  test("while keys are held past their time → whoever finds theirs among them gets those, whoever doesn't is told so", async () => {
    await find();
    time += 301_000;
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    const first = atOnce(MAX_WAITING, "b");
    expect([await find("a"), await find("b")]).toEqual([["a"], "busy"]);
    resolve();
    await Promise.all(first);
    expect(asked).toBe(2);
  });
});

describe("a key that isn't there", () => {
  test("asked for within a minute → the keys as they are; after it → fetched again, once", async () => {
    await find();
    answer.body = "ab";
    time += 59_000;
    expect(await find("b")).toEqual(["a"]);
    time += 2_000;
    expect(await find("b")).toEqual(["a", "b"]);
    for (let at = 0; at < 20; at += 1) expect(await find("c")).toEqual(["a", "b"]);
    expect(asked).toBe(2);
  });
});

describe("how long they hold", () => {
  test.each([
    ["nothing said", {}, 300],
    ["max-age=5", { "cache-control": "max-age=5" }, 60],
    ["no-store", { "cache-control": "no-store" }, 60],
    ["max-age=120", { "cache-control": "public, max-age=120" }, 120],
    ["max-age=999999", { "cache-control": "max-age=999999" }, 3600],
  ])("%s → %#: not fetched before, fetched after", async (_, headers, seconds) => {
    answer.headers = headers as Record<string, string>;
    await find();
    time += seconds * 1000 - 1;
    await find();
    expect(asked).toBe(1);
    time += 1;
    await find();
    expect(asked).toBe(2);
  });

  test("a key that was taken away → gone when they are fetched again", async () => {
    answer.body = "ab";
    await find();
    answer.body = "b";
    time += 300_000;
    expect(await find()).toEqual(["b"]);
  });
});

describe("an outage", () => {
  test("at the first fetch → nothing; tried again after 5 s, 10 s, 20 s … at most once a minute", async () => {
    answer.status = 404;
    const tries: number[] = [];
    for (let second = 0; second < 300; second += 1) {
      const before = asked;
      expect(await find()).toBeUndefined();
      if (asked > before) tries.push(second);
      time += 1000;
    }
    expect(tries).toEqual([0, 5, 15, 35, 75, 135, 195, 255]);
    answer.status = 200;
    time += 60_000;
    expect(await find()).toEqual(["a"]);
    expect(new Set(events)).toEqual(new Set(["remote_keys_unavailable bad_answer"]));
  });

  test("later → the keys known last are good for an hour more", async () => {
    await find();
    answer.body = "!";
    time += 300_000;
    expect(await find()).toEqual(["a"]);
    time += 3_599_000;
    expect(await find()).toEqual(["a"]);
    time += 1_000;
    expect(await find()).toBeUndefined();
  });
});
