/** The address of a client: forwarded headers count only from trusted proxies. */

import { describe, expect, test } from "vitest";
import { networkOf, originOf, plainAddress, TrustedProxies } from "../../src/http/connections/client-address.ts";

const spoofed = { "x-forwarded-for": "6.6.6.6", "x-forwarded-proto": "http", forwarded: undefined };

describe("EN-06 headers from an untrusted peer → the peer", () => {
  test.each([
    ["none trusted", []],
    ["others trusted", ["10.0.0.0/8"]],
  ])("%s", (_what, cidrs) => {
    expect(new TrustedProxies(cidrs).resolve("203.0.113.9", spoofed)).toEqual({
      address: "203.0.113.9",
      proto: undefined,
    });
  });
});

describe("the header that is not read, without the one that is", () => {
  const told = (header: "x-forwarded-for" | "forwarded", requests: readonly (readonly [string, object])[]) => {
    const others: string[] = [];
    const proxies = new TrustedProxies(["10.0.0.0/8"], header, (other) => void others.push(other));
    for (const [peer, headers] of requests) proxies.resolve(peer, { ...headers });
    return others;
  };
  const [xff, forwarded] = [{ "x-forwarded-for": "203.0.113.9" }, { forwarded: "for=203.0.113.9" }];

  test("from a stranger, beside the one that is read, or neither → nothing is said", () => {
    expect(
      told("x-forwarded-for", [
        ["203.0.113.9", forwarded],
        ["10.1.1.1", { ...xff, ...forwarded }],
        ["10.1.1.1", { "x-forwarded-for": "", ...forwarded }],
        ["10.1.1.1", {}],
      ]),
    ).toEqual([]);
  });

  test("from a trusted proxy, three times → said once", () => {
    const thrice = (headers: object) => Array.from({ length: 3 }, () => ["10.1.1.1", headers] as const);
    expect(told("x-forwarded-for", thrice(forwarded))).toEqual(["forwarded"]);
    expect(told("forwarded", thrice(xff))).toEqual(["x-forwarded-for"]);
  });
});

describe("from a trusted proxy → the first hop that isn't ours, from the near end", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8", "fd00::/8"]);
  test.each([
    ["one hop", { "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    ["a forged hop before it", { "x-forwarded-for": "6.6.6.6, 203.0.113.9" }, "203.0.113.9"],
    ["another proxy of ours behind it", { "x-forwarded-for": "203.0.113.9, 10.2.3.4" }, "203.0.113.9"],
    ["Forwarded beside it", { forwarded: "for=6.6.6.6;proto=http", "x-forwarded-for": "203.0.113.9" }, "203.0.113.9"],
    ["Forwarded alone", { forwarded: "for=6.6.6.6" }, "10.1.1.1"],
    ["garbage", { "x-forwarded-for": "unknown, <script>" }, "10.1.1.1"],
    ["nothing", {}, "10.1.1.1"],
  ])("%s", (_what, headers, address) => {
    expect(proxies.resolve("::ffff:10.1.1.1", headers).address).toBe(address);
  });

  test("the scheme is the nearest hop's word", () => {
    expect(
      proxies.resolve("10.1.1.1", { "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https, HTTP" }).proto,
    ).toBe("http");
  });
});

describe("the one header that is read", () => {
  const both = {
    ...{ "x-forwarded-for": "203.0.113.9", "x-forwarded-proto": "https" },
    forwarded: 'for=6.6.6.6, for="[2001:db8::1]:4711";proto=http',
  };
  const from = ["10.0.0.0/8"];

  test("X-Forwarded-For by default → address and scheme from it; Forwarded is ignored", () => {
    const seen = { address: "203.0.113.9", proto: "https" };
    expect(new TrustedProxies(from).resolve("10.1.1.1", both)).toEqual(seen);
    expect(new TrustedProxies(from, "x-forwarded-for").resolve("10.1.1.1", both)).toEqual(seen);
    const silent = { ...both, "x-forwarded-for": undefined, "x-forwarded-proto": undefined };
    expect(new TrustedProxies(from).resolve("10.1.1.1", silent)).toEqual({ address: "10.1.1.1", proto: undefined });
  });

  test("Forwarded, if it is named → address and scheme from it; X-Forwarded-* are ignored", () => {
    const proxies = new TrustedProxies(from, "forwarded");
    expect(proxies.resolve("10.1.1.1", both)).toEqual({ address: "2001:db8::1", proto: "http" });
    const silent = { ...both, forwarded: undefined };
    expect(proxies.resolve("10.1.1.1", silent)).toEqual({ address: "10.1.1.1", proto: undefined });
    // Only the nearest hop decides the scheme.
    expect(proxies.resolve("10.1.1.1", { forwarded: "for=6.6.6.6;proto=http, for=203.0.113.9" }).proto).toBeUndefined();
  });
});

describe("Forwarded with quoted strings (RFC 7239 §4)", () => {
  const proxies = new TrustedProxies(["10.0.0.0/8"], "forwarded");
  const resolve = (forwarded: string) => proxies.resolve("10.1.1.1", { forwarded });

  test.each([
    ["a semicolon in quotes", 'for=203.0.113.9;host="a;for=8.8.8.8;proto=http"'],
    ["a comma in quotes", 'for=203.0.113.9;host="x,for=8.8.8.8"'],
    ["an escaped quote", String.raw`for=203.0.113.9;host="a\",for=8.8.8.8"`],
    ["a quote that the client left open", 'for=8.8.8.8;host=", for=203.0.113.9;host="as.test"'],
    ["an element before it that is malformed", 'for="8.8.8.8, for=203.0.113.9'],
  ])("%s → no way to name another client", (_what, forwarded) => {
    expect(resolve(forwarded)).toEqual({ address: "203.0.113.9", proto: undefined });
  });

  test.each([
    ["a parameter twice", "for=8.8.8.8;for=203.0.113.9"],
    ["a space in a name", "for =203.0.113.9"],
    ["no value", "for"],
    ["nothing", ""],
  ])("%s → the proxy's own address", (_what, forwarded) => {
    expect(resolve(forwarded)).toEqual({ address: "10.1.1.1", proto: undefined });
  });

  test("an address with a port, in any case of letters → read", () => {
    expect(resolve('For="[2001:db8::1]:4711";Proto=HTTPS')).toEqual({ address: "2001:db8::1", proto: "https" });
  });
});

describe("a list as long as a header may be", () => {
  test.each(["x-forwarded-for", "forwarded"] as const)("%s → only the hops up to the client are read", (header) => {
    const proxies = new TrustedProxies(["10.0.0.0/8"], header);
    const hop = (address: string) => (header === "forwarded" ? `for=${address}` : address);
    const long = `${hop("6.6.6.6")}${",".repeat(16_000)}${hop("203.0.113.9")}, ${hop("10.2.3.4")}`;
    expect(proxies.resolve("10.1.1.1", { [header]: long }).address).toBe("203.0.113.9");
    // No real request passes through this number of our proxies.
    const ours = `${hop("203.0.113.9")}, ${Array.from({ length: 500 }, () => hop("10.2.3.4")).join(", ")}`;
    expect(proxies.resolve("10.1.1.1", { [header]: ours }).address).toBe("10.2.3.4");
  });
});

test("EN-07 limits count a /64 as one, and IPv4 inside IPv6 as IPv4", () => {
  expect(networkOf("2001:db8:1:2:3:4:5:6")).toBe("2001:db8:1:2::/64");
  expect(networkOf("2001:db8:1:2::1")).toBe(networkOf("2001:0db8:0001:0002:ffff::9"));
  expect(networkOf("2001:db8:1:2::1")).not.toBe(networkOf("2001:db8:1:3::1"));
  expect(networkOf("::1")).toBe("0:0:0:0::/64");
  // The last 32 bits can be written as IPv4. They are two groups.
  expect(networkOf("1:2::3:4:5:1.2.3.4")).toBe(networkOf("1:2:0:3:4:5:102:304"));
  expect(networkOf("64:ff9b::1.2.3.4")).toBe("64:ff9b:0:0::/64");
  expect(networkOf("203.0.113.9")).toBe("203.0.113.9");
  expect(networkOf("2001:db8::")).toBe("2001:db8:0:0::/64");
  expect(new TrustedProxies([]).resolve("::ffff:203.0.113.9", {}).address).toBe("203.0.113.9");
});

test.each([
  ["2001:db8:1:2:3::4", "2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32"],
  ["::1", "0:0:0:0::/64", "0:0:0::/48", "0:0::/32"],
  ["203.0.113.9", "203.0.113.9", "203.0.113.0/24", "203.0.113.0/24"],
  ["", "", "", ""],
])("EN-07 the origin of %s → %s, in %s, in %s", (address, network, provider, allocation) => {
  expect(originOf(address)).toEqual({ network, provider, allocation });
});

test.each([
  ["::ffff:5.6.7.8", "5.6.7.8"],
  ["::FFFF:506:708", "5.6.7.8"],
  ["0:0:0:0:0:ffff:506:708", "5.6.7.8"],
  ["0000:0000:0000:0000:0000:ffff:0506:0708", "5.6.7.8"],
  ["0::ffff:5.6.7.8", "5.6.7.8"],
  ["[::ffff:506:708]:443", "5.6.7.8"],
  ["::ffff:506:708%eth0", "5.6.7.8"],
  ["::ffff:506:0", "5.6.0.0"],
  ["::ffff:0:708", "0.0.7.8"],
  ["0:0:0:0:0:ffff:506::", "5.6.0.0"],
  ["0:0:0:0:0:ffff::", "0.0.0.0"],
  // Other addresses with the same end.
  ["::fffe:506:708", "::fffe:506:708"],
  ["1::ffff:506:708", "1::ffff:506:708"],
  ["::506:708", "::506:708"],
  ["64:ff9b::506:708", "64:ff9b::506:708"],
])(
  "IPv4 inside IPv6, %s → %s, whatever its spelling: no second bucket, and a proxy is known by it",
  (spelled, plain) => {
    expect(plainAddress(spelled)).toBe(plain);
    expect(new TrustedProxies(["5.6.0.0/16"]).trusts(spelled)).toBe(plain.startsWith("5.6."));
  },
);
