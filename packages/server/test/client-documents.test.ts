/** Which addresses are documents, how long a document is used, and how many strangers can make the server fetch. */

import { describe, expect, test } from "vitest";
import { addressProblem } from "../src/client-documents/address.ts";
import { redirectProblem, withScopes } from "../src/client-documents/described-client.ts";
import { lifetimeOf } from "../src/client-documents/freshness.ts";
import { FetchLimits } from "../src/client-documents/limits.ts";
import type { Client, Scope } from "../src/oauth/model.ts";

const anywhere = { hosts: null, loopback: false };

describe("CM-03 CM-16 addresses", () => {
  test.each([
    ["http", "http://tool.test/c", "http is allowed only"],
    ["http on this machine", "http://127.0.0.1/c", "http is allowed only"],
    ["another scheme", "ftp://tool.test/c", "not an https URL"],
    ["no URL", "https://", "not an https URL"],
    ["no path", "https://tool.test", "canonical"],
    ["user and password", "https://u:p@tool.test/c", "user information"],
    ["a user", "https://u@tool.test/c", "user information"],
    ["an empty user", "https://@tool.test/c", "canonical"],
    ["a fragment", "https://tool.test/c#f", "fragment"],
    ["an empty fragment", "https://tool.test/c#", "fragment"],
    ["a dot segment", "https://tool.test/a/../c", "canonical"],
    ["an encoded dot segment", "https://tool.test/a/%2E%2e/c", "canonical"],
    ["an upper-case host", "https://TOOL.test/c", "canonical"],
    ["the usual port", "https://tool.test:443/c", "canonical"],
    ["a port with a zero in front", "https://tool.test:0444/c", "canonical"],
    ["a dot after the host", "https://tool.test./c", "ends with a dot"],
    ["Cyrillic letters", "https://gооgle.test/c", "canonical"],
    ["a number as host", "https://2130706433/c", "canonical"],
    ["an octal address", "https://0177.0.0.1/c", "canonical"],
    ["a mapped IPv6 address", "https://[::ffff:127.0.0.1]/c", "canonical"],
    ["a backslash", "https:\\\\tool.test\\c", "canonical"],
    ["a tab", "https://tool.test/\tc", "canonical"],
    ["a space", "https://tool.test/c ", "canonical"],
    ["256 characters", `https://tool.test/${"a".repeat(238)}`, "at most"],
  ])("%s → refused", (_, address, problem) => {
    expect(addressProblem(address, anywhere)).toContain(problem);
  });

  test("canonical ones, with a port, a query or punycode → accepted; http on this machine only where it is allowed", () => {
    for (const address of [
      "https://tool.test/",
      "https://tool.test/c?x=1",
      "https://tool.test:8443/c",
      "https://xn--ggle-55da.test/c",
      `https://tool.test/${"a".repeat(237)}`,
    ])
      expect(addressProblem(address, anywhere)).toBeUndefined();
    const here = { hosts: null, loopback: true };
    for (const host of ["127.0.0.1:8080", "localhost", "[::1]:1"])
      expect(addressProblem(`http://${host}/c`, here)).toBeUndefined();
    for (const host of ["127.0.0.1.tool.test", "localhost.test", "192.168.0.1"])
      expect(addressProblem(`http://${host}/c`, here)).toContain("http is allowed only");
  });

  test("CM-07 a list of hosts → another host, port or subdomain is refused, also as a redirect", () => {
    const listed = { hosts: ["tool.test"], loopback: false };
    expect(addressProblem("https://tool.test/c", listed)).toBeUndefined();
    for (const host of ["evil.test", "tool.test:8443", "a.tool.test", "tool.test.evil.test"]) {
      expect(addressProblem(`https://${host}/c`, listed)).toContain("is not one of");
      expect(redirectProblem("https://tool.test/c", ["http://127.0.0.1/", `https://${host}/`], listed.hosts)).toContain(
        host,
      );
    }
    const fine = ["https://tool.test/cb", "http://127.0.0.1/cb", "com.example.tool:/cb"];
    expect(redirectProblem("https://tool.test/c", fine, listed.hosts)).toBeUndefined();
    expect(redirectProblem("https://tool.test/c", ["https://evil.test/"], null)).toBeUndefined();
  });
});

describe("CM-14 how long a document is used", () => {
  test.each<readonly [string, Record<string, string>, number]>([
    ["nothing", {}, 300],
    ["max-age=600", { "cache-control": "max-age=600" }, 600],
    ["in capitals, among others", { "cache-control": "public, MAX-AGE=600, immutable" }, 600],
    ["a year", { "cache-control": "max-age=31536000" }, 86_400],
    ["a second", { "cache-control": "max-age=1" }, 60],
    ["half of it is over", { "cache-control": "max-age=600", age: "300" }, 300],
    ["Age above max-age", { "cache-control": "max-age=600", age: "9000" }, 60],
    ["Age that is no number", { "cache-control": "max-age=600", age: "-1e9" }, 600],
    ["no-store", { "cache-control": "max-age=600, no-store" }, 60],
    ["no-cache", { "cache-control": "no-cache" }, 60],
    ["Vary: *", { "cache-control": "max-age=600", vary: "*" }, 60],
    ["Vary: Accept", { "cache-control": "max-age=600", vary: "Accept" }, 600],
    ["negative", { "cache-control": "max-age=-1" }, 60],
    ["in quotes", { "cache-control": 'max-age="600"' }, 60],
    ["s-maxage is for shared caches", { "cache-control": "s-maxage=600" }, 300],
  ])("%s → within the bounds", (_, headers, seconds) => {
    expect(lifetimeOf(headers)).toBe(seconds * 1000);
  });
});

describe("CM-15 limits on new documents", () => {
  const limits = () => {
    const clock = { now: 0 };
    const all = new FetchLimits(() => clock.now);
    const count = (host: string, network: string, provider = network) => all.count(host, { network, provider });
    return { clock, count };
  };

  test("31st of a network in a minute → seconds to wait; a minute later → again", () => {
    const { clock, count } = limits();
    for (let n = 0; n < 30; n += 1) expect(count(`${n}.test`, "192.0.2.1")).toBeUndefined();
    clock.now = 20_500;
    expect(count("x.test", "192.0.2.1")).toBe(40);
    expect(count("x.test", "192.0.2.2")).toBeUndefined();
    clock.now = 60_000;
    expect(count("x.test", "192.0.2.1")).toBeUndefined();
  });

  test("61st of a host from many networks → refused; what a network's own limit refuses doesn't count for the host", () => {
    const { count } = limits();
    for (let n = 0; n < 100; n += 1) count("one.test", "192.0.2.1");
    for (let n = 0; n < 30; n += 1) expect(count("one.test", `198.51.100.${n}`)).toBeUndefined();
    expect(count("one.test", "203.0.113.1")).toBe(60);
    expect(count("two.test", "203.0.113.1")).toBeUndefined();
  });

  test("121st of an IPv6 provider from many of its networks → refused; neighbours in IPv4 are others", () => {
    const { count } = limits();
    for (let n = 0; n < 120; n += 1) expect(count(`${n}.test`, `2001:db8:0:${n}::`, "2001:db8::")).toBeUndefined();
    expect(count("x.test", "2001:db8:0:ffff::", "2001:db8::")).toBe(60);
    for (let n = 0; n < 130; n += 1) expect(count(`v${n}.test`, `192.0.2.${n}`, "192.0.0.0")).toBeUndefined();
  });
});

test("the scopes of such a client → those without a role, and among them those that its document names", () => {
  const scope = (name: string, ownerRole: string | null = null) => [name, { name, ownerRole } as Scope] as const;
  const known = new Map([scope("read"), scope("write"), scope("admin", "operator")]);
  const named = (scopes: readonly string[] | null) =>
    withScopes({ document: { scope: scopes } } as unknown as Client, known).scopes;
  expect(named(null)).toEqual(["read", "write"]);
  expect(named(["write", "admin", "unknown"])).toEqual(["write"]);
  expect(named([])).toEqual([]);
});
