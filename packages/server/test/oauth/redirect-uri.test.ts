/** Redirection URIs: which ones can be registered, which ones match, and how answers are added. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  consentHost,
  isUnverifiedRedirect,
  matchesRedirectUri,
  redirectHost,
  redirectUriProblem,
  withQuery,
} from "../../src/oauth/redirect-uri.ts";

describe("registration", () => {
  test.each([
    ["", "ASCII"],
    ["/cb", "absolute"],
    ["//app.test/cb", "absolute"],
    ["https://", "host"],
    ["https:app.test/cb", "host"],
    ["com.example.app://user@x/cb", "absolute"],
    ["http://app.test/cb", "loopback"],
    ["http://192.168.0.2/cb", "loopback"],
    ["http://127.0.0.1.evil.test/cb", "loopback"],
    ["http://localhost.evil.test/cb", "loopback"],
    ["https://app.test/cb#x", "fragment"],
    ["https://app.test/cb#", "fragment"],
    ["https://*.app.test/cb", "wildcard"],
    ["https://app.test/*", "wildcard"],
    ["https://user@app.test/cb", "absolute"],
    ["https://user:pw@app.test/cb", "absolute"],
    ["https://app.test\\cb", "backslash"],
    ["https://app.test/a/../b", "segments"],
    ["https://app.test/%2e%2e/b", "segments"],
    ["HTTPS://app.test/cb", "lower case"],
    ["https://APP.test/cb", "host"],
    ["https://app.test:99999/cb", "host"],
    ["https://app.test:0443/cb", "host"],
    ["https://2130706433/cb", "host"],
    ["https://127.1/cb", "host"],
    ["https://0x7f.1/cb", "host"],
    ["https://127.0.0.01/cb", "host"],
    ["https://1.2.3.256/cb", "host"],
    ["https://app.1/cb", "host"],
    ["https://[1:2:3]/cb", "host"],
    ["https://[1:2:3:4:5:6:7:8:9]/cb", "host"],
    ["https://[1::2::3]/cb", "host"],
    ["https://[:::]/cb", "host"],
    ["https://[2001:0db8::1]/cb", "host"],
    ["https://[0:0:0:0:0:0:0:1]/cb", "host"],
    ["https://[1::2:0:0:0:3]/cb", "host"],
    ["https://app.test/c b", "ASCII"],
    ["https://app.test/ü", "ASCII"],
    ["https://app.test/cb\n", "ASCII"],
    [" https://app.test/cb", "ASCII"],
    ["javascript:alert(1)", "not allowed"],
    ["JaVaScRiPt:alert(1)", "not allowed"],
    ["data:text/html,x", "not allowed"],
    ["vbscript:x", "not allowed"],
    ["file:///etc/passwd", "not allowed"],
    ["blob:https://app.test/x", "not allowed"],
    ["myapp:/cb", "reversed domain"],
    ["com.example.app://host:99999/cb", "port"],
    ["com.example.app://https:x/cb", "port"],
    ["com.example.app://:443/cb", "port"],
    ["com.example.app://[x]/cb", "port"],
    ["https://app.test/cb?code=evil", "code"],
    ["https://app.test/cb?x=1&state=", "state"],
    ["https://app.test/cb?iss=x", "iss"],
    ["https://app.test/cb?error=x", "error"],
    ["https://app.test/cb?response=x", "response"],
    ["https://app.test/cb?c%6fde=x", "encoded"],
    [`https://app.test/${"a".repeat(2048)}`, "ASCII"],
  ])("%j → refused: %s", (uri, why) => {
    expect(redirectUriProblem(uri)).toContain(why);
  });

  test.each([
    "https://app.test/cb",
    "https://app.test",
    "https://app.test:8443/cb",
    "https://app.test/cb?x=1",
    "https://203.0.113.9/cb",
    "https://[2001:db8::1]:8443/cb",
    "https://[1:2:3:4:5:6:7:8]/cb",
    "https://[1:0:2:3:4:5:6:7]/cb",
    "https://[::]/cb",
    "https://1.app.test/cb",
    "http://127.0.0.1/cb",
    "http://127.0.0.1:3000/cb",
    "http://[::1]/cb",
    "http://localhost:3000/cb",
    "com.example.app:/cb",
    "com.example.app://cb",
    "com.example.app://oauth_Callback:80/cb",
    "com.example.app:///cb",
  ])("%j → taken, and matches itself", (uri) => {
    expect(redirectUriProblem(uri)).toBeUndefined();
    expect(matchesRedirectUri([uri], uri)).toBe(true);
  });
});

describe("matching", () => {
  test.each([
    ["https://app.test/cb", "https://app.test/cb/"],
    ["https://app.test/cb", "https://app.test:443/cb"],
    ["https://app.test/cb", "https://APP.test/cb"],
    ["https://app.test/cb", "https://app.test/cb?x=1"],
    ["https://app.test/cb", "https://app.test/cb#"],
    ["https://foo.example.com/cb", "https://fooaexample.com/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:5/other"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:5/cb?q=1"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:99999/cb"],
    ["http://127.0.0.1/cb", "http://127.0.0.1:1@evil.test/cb"],
    ["http://127.0.0.1/cb", "http://[::1]:5/cb"],
    ["http://localhost/cb", "http://localhost:5/cb"],
    ["http://127.0.0.1/cb", "https://127.0.0.1:5/cb"],
  ])("%j registered, %j asked → no", (registered, asked) => {
    expect(matchesRedirectUri([registered], asked)).toBe(false);
  });

  test.each([
    ["http://127.0.0.1/cb", "http://127.0.0.1:51004/cb"],
    ["http://127.0.0.1:80/cb", "http://127.0.0.1/cb"],
    ["http://[::1]/cb", "http://[::1]:51004/cb"],
  ])("%j registered, %j asked → yes: only the port of a loopback address varies", (registered, asked) => {
    expect(matchesRedirectUri([registered], asked)).toBe(true);
  });

  test("any other string than the registered one → no", () => {
    const registered = "https://app.test/cb";
    fc.assert(fc.property(fc.string(), (asked) => matchesRedirectUri([registered], asked) === (asked === registered)));
  });
});

test("answers are added to a URI's own query, with one question mark", () => {
  expect(withQuery("https://a.test/cb", { code: "c", state: "a b+c&d" })).toBe(
    "https://a.test/cb?code=c&state=a%20b%2Bc%26d",
  );
  expect(withQuery("https://a.test/cb?x=1", { code: "c" })).toBe("https://a.test/cb?x=1&code=c");
  expect(withQuery("https://a.test/cb?", { code: "c" })).toBe("https://a.test/cb?code=c");
  expect(withQuery("https://a.test/cb?x?", { code: "c" })).toBe("https://a.test/cb?x?&code=c");
});

test("the receiver that an owner reads is the real host, or the app's scheme", () => {
  expect(redirectHost("https://app.test:8443/cb?x=https://other.test")).toBe("app.test:8443");
  expect(redirectHost("http://[::1]:5/cb")).toBe("[::1]:5");
  expect(redirectHost("com.example.app:/cb")).toBe("com.example.app:");
  // The app that owns the scheme gets the answer, whatever the host is.
  expect(redirectHost("com.example.app://photos.example/cb")).toBe("com.example.app:");
});

test.each([
  ["https://app.test/cb?x=https://other.test", "https://app.test"],
  ["https://app.test:443", "https://app.test"],
  ["https://app.test:8443/cb", "https://app.test:8443"],
  ["https://app.test?x", "https://app.test"],
  ["https://xn--pp-2ia.test/cb", "https://xn--pp-2ia.test"],
  ["https://[2001:db8::1]:443/cb", "https://[2001:db8::1]"],
  ["http://127.0.0.1:31337/cb", "http://127.0.0.1"],
  ["http://[::1]/cb", "http://[::1]"],
  ["http://[::1]:5/cb", "http://[::1]"],
  ["http://localhost:3000/cb", "http://localhost"],
  ["https://127.0.0.1/cb", "https://127.0.0.1"],
  ["com.example.app:/cb", "com.example.app:"],
  ["Com.Example.App://https://app.test/cb", "com.example.app:"],
  ["com.example.app:https://app.test", "com.example.app:"],
])("a consent at %s → is for %s", (uri, host) => {
  expect(consentHost(uri)).toBe(host);
  // A stored host is read back unchanged.
  expect(consentHost(host)).toBe(host);
});

test("only https redirects lead to somebody that the browser can be sure of", () => {
  expect(["https://a.test/", "http://127.0.0.1/", "com.example.app:/"].map(isUnverifiedRedirect)).toEqual([
    false,
    true,
    true,
  ]);
});
