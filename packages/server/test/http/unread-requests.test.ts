/** Waiting requests: which of them is refused if there are too many. */

import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { MAX_SLOW, Unread, type UnreadReason } from "../../src/http/connections/slow-request-limits.ts";

function setUp() {
  const unread = new Unread(() => 0);
  const gone: { readonly address: string; readonly reason: UnreadReason; readonly serial: number }[] = [];
  let serial = 0;
  const wait = (address: string) => {
    serial += 1;
    const [own, raw] = [serial, new EventEmitter()];
    const abandon = (reason: UnreadReason) => void gone.push({ address, reason, serial: own });
    const release = unread.hold({ raw: raw as IncomingMessage, client: () => address, abandon });
    return { raw, release, serial: own };
  };
  const many = (count: number, addressOf: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => wait(addressOf(at)));
  return { gone, wait, many };
}

describe("requests behind another on their connection", () => {
  test("of one client → the oldest beyond the bound goes; a released one and one whose client has left give room", () => {
    const { gone, wait, many } = setUp();
    const [first, second] = many(MAX_SLOW.client, () => "203.0.113.7");
    wait("203.0.113.8");
    expect(gone).toEqual([]);
    first?.release();
    second?.raw.emit("close");
    many(2, () => "203.0.113.7");
    expect(gone).toEqual([]);
    const { serial } = wait("203.0.113.7");
    expect(gone).toEqual([{ address: "203.0.113.7", reason: "unread_client", serial: 3 }]);
    expect(serial).toBeGreaterThan(3);
  });

  test("of one /48 → the oldest of the /64 that has the most, not of a neighbour that was there before", () => {
    const { gone, wait, many } = setUp();
    many(64, (at) => `2001:db8:1:${(100 + at).toString(16)}::1`);
    many(MAX_SLOW.network - 64, (at) => `2001:db8:1:${at % 4}::1`);
    expect(gone).toEqual([]);
    wait("2001:db8:1:ffff::1");
    expect(gone).toMatchObject([{ address: "2001:db8:1:0::1", reason: "unread_network" }]);
  });

  test("in all → the oldest of whoever has the most: twenty networks that fill it lose theirs, and a newcomer none", () => {
    const { gone, wait, many } = setUp();
    const early = many(20, (at) => `198.51.100.${at}`);
    many(MAX_SLOW.all - 20, (at) => `203.0.${at % 20}.1`);
    const late = many(100, (at) => `192.0.${at}.2`);
    wait("2001:db8:9::1");
    expect(gone).toHaveLength(101);
    expect(gone.every(({ address, reason }) => address.startsWith("203.0.") && reason === "unread_all")).toBe(true);
    for (const each of [...early, ...late]) each.release();
  });

  test("in all, from each /48 of one /32 one → the oldest of those goes, and not of a client that has two", () => {
    const { gone, wait, many } = setUp();
    many(2, () => "198.51.100.9");
    many(MAX_SLOW.all - 2, (at) => `2001:db8:${at.toString(16)}::1`);
    many(100, (at) => (at % 2 === 0 ? `192.0.${at}.2` : `2a00:${at}::1`));
    wait("2001:db9::1");
    expect(gone).toHaveLength(101);
    expect(gone.every(({ address }) => address.startsWith("2001:db8:"))).toBe(true);
  });

  test("in all, from 100 addresses of one /24 → the oldest of those goes, and not of an address that has more than each; no bound of its own", () => {
    const { gone, many } = setUp();
    many(40, () => "198.51.100.9");
    many(MAX_SLOW.all - 40, (at) => `203.0.113.${at % 100}`);
    expect(gone).toEqual([]);
    many(100, (at) => `203.0.113.${at}`);
    expect(gone).toHaveLength(100);
    expect(gone.every(({ address, reason }) => address.startsWith("203.0.113.") && reason === "unread_all")).toBe(true);
  });
});
