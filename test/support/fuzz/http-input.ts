/** Parsers of HTTP input, and the properties of each. */

import assert from "node:assert/strict";
import { isIP, SocketAddress } from "node:net";
import { hashes } from "../../../packages/server/src/crypto/node-hashes.ts";
import { languageOf, writeChoice } from "../../../packages/server/src/http/choose-language.ts";
import {
  coarse,
  coarseNetworkOf,
  networkOf,
  TrustedProxies,
} from "../../../packages/server/src/http/connections/client-address.ts";
import { Cookies } from "../../../packages/server/src/http/cookies.ts";
import { isEncoded, isFormType } from "../../../packages/server/src/http/form-body.ts";
import type { HttpRequest } from "../../../packages/server/src/http/http-message.ts";
import { readMultipart } from "../../../packages/server/src/http/pictures/multipart-form.ts";
import { browserName, deviceOf } from "../../../packages/server/src/http/user-agent.ts";
import { readBasic } from "../../../packages/server/src/oauth/client-authentication/client-secret-basic.ts";
import { OAuthError } from "../../../packages/server/src/oauth/errors.ts";
import { parseParameters } from "../../../packages/server/src/oauth/parameters.ts";
import {
  consentHost,
  formEncode,
  isUnverifiedRedirect,
  matchesRedirectUri,
  redirectHost,
  redirectUriProblem,
  withQuery,
} from "../../../packages/server/src/oauth/redirect-uri.ts";
import { audienceOf } from "../../../packages/server/src/oauth/resource-indicator.ts";
import { parseScope } from "../../../packages/server/src/oauth/scope.ts";
import { readUserCode, showUserCode, USER_CODE_LETTERS } from "../../../packages/server/src/oauth/user-code.ts";
import { locales } from "../../../packages/server/src/pages/index.ts";
import type { Parser } from "./harness.ts";

const HOSTILE = ["\0", "\r\n", "\u202e", "\ud800", "😀", "é", "\u00a0", "\ufeff", "__proto__", "constructor"];

/** The result of a check. Undefined: it refused with an `OAuthError`. Other errors are thrown. */
function orRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof OAuthError) return undefined;
    throw error;
  }
}

const parameters: Parser = {
  name: "parameters",
  longest: 65_536,
  pieces: [
    ...[
      "a",
      "b",
      "scope",
      "state",
      "resource",
      "password",
      "token",
      "code",
      "=",
      "&",
      "+",
      "%",
      "%20",
      "%00",
      "%0d%0a",
    ],
    ...["%C3%A9", "%ff", "%ed%a0%80", "%u0041", "%2", ";", "?", "#", "[]", "=1&", "&&", "x".repeat(50), ...HOSTILE],
  ],
  check(input) {
    const { single, resource, problem } = parseParameters(input);
    assert.ok(single.size + resource.length <= 100);
    for (const [name, value] of [...single, ...resource.map((one) => ["resource", one] as const)]) {
      assert.ok(value !== "" && value.length <= 65_536 && value.isWellFormed() && !value.includes("\0"));
      if (!["state", "password", "scope"].includes(name))
        assert.ok([...value].every((one) => one > "\u001f" && one !== "\u007f"));
    }
    if (problem === null) {
      // For a form without faults, our parser and the platform's give the same result.
      const theirs = [...new URLSearchParams(input.startsWith("?") ? `&${input}` : input)].filter(
        ([, value]) => value !== "",
      );
      const ours = [...single, ...resource.map((one) => ["resource", one] as const)];
      assert.deepEqual(ours.map(String).sort(), theirs.map(String).sort());
    }
    // Encoding as a form and parsing again gives the same result.
    const again = parseParameters(formEncode(Object.fromEntries(single)));
    assert.deepEqual([...again.single].sort(), [...single].sort());
    assert.equal(again.problem, null);
  },
};

const basic: Parser = {
  name: "basic-header",
  longest: 16_384,
  pieces: [
    ...["Basic", "basic", "Bearer", " ", "  ", "\t", "YTpi", "YQ==", "Og==", "YTo=", "OmI=", "=", "YTpi=", "Y T", "%"],
    ...["w6k6w6k=", "/w==", "AAAA", "YQA6Yg==", ",", '"', ...HOSTILE],
  ],
  check(input) {
    const read = orRefused(() => readBasic(input, hashes));
    if (read === undefined) return;
    assert.ok(read.clientId !== "" && read.secret !== "");
    assert.match(input, /^basic +[A-Za-z0-9+/]+={0,2}$/i);
    // Encoding by RFC 6749 §2.3.1 and parsing again gives the same result.
    const text = `${encodeURIComponent(read.clientId)}:${encodeURIComponent(read.secret)}`;
    assert.deepEqual(readBasic(`Basic ${Buffer.from(text).toString("base64")}`, hashes), read);
  },
};

/** A request with only these headers. */
function requestWith(headers: Readonly<Record<string, string>>): HttpRequest {
  return { header: (name: string) => headers[name] } as HttpRequest;
}

const cookies: Parser = {
  name: "cookies",
  longest: 16_384,
  pieces: [
    ...["__Host-assent_session", "__Host-assent_browser", "assent_session", "=", ";", "; ", " ", "a", '"', ",", "=="],
    ...["__Host-assent_session=a", "__HOST-assent_session=b", "\t", ...HOSTILE],
  ],
  check(input) {
    const read = new Cookies("https://id.test").read(requestWith({ cookie: input }), "session");
    if (read === undefined) return;
    assert.ok(!read.includes(";"));
    assert.equal(input.split("__Host-assent_session=").length >= 2, true);
    // If a second one is added to the first, neither is accepted.
    const twice = requestWith({ cookie: `${input}; __Host-assent_session=x` });
    assert.equal(new Cookies("https://id.test").read(twice, "session"), undefined);
  },
};

const language: Parser = {
  name: "accept-language",
  longest: 16_384,
  pieces: [
    ...["de", "en-GB", "ja", "zh-Hant-TW", "x-klingon", "*", ",", ", ", ";", "q=", ";q=0.5", ";q=1.000", ";q=-1", "-"],
    ...[";q=NaN", ";q=0", " ", "\t", "a", "1", "de.0", "de.zzzzzzzzzz", ...HOSTILE],
  ],
  check(input) {
    const hints = { uiLocales: null, startedAt: 0, chosen: undefined, acceptLanguage: undefined };
    for (const one of [{ acceptLanguage: input }, { uiLocales: input }, { chosen: input }])
      assert.ok(locales.includes(languageOf({ ...hints, ...one })));
    const chosen = writeChoice("ja", 5);
    assert.equal(languageOf({ ...hints, chosen, acceptLanguage: input, uiLocales: input }), "ja");
  },
};

const userAgent: Parser = {
  name: "user-agent",
  longest: 16_384,
  pieces: [
    ...[
      "Mozilla/5.0",
      " ",
      "(",
      ")",
      "Firefox/",
      "Chrome/",
      "Safari/",
      "Edg/",
      "Windows",
      "Mac OS X",
      "Android",
      "Linux",
    ],
    ...["iPhone", ";", "/", "a", ...HOSTILE],
  ],
  check(input) {
    const { browser, system } = deviceOf(input);
    assert.match(browser ?? "", /^[A-Za-z ]*$/);
    assert.match(system ?? "", /^[A-Za-z]*$/);
    assert.equal(browserName(input) === null, browser === null && system === null);
  },
};

const PROXIES = ["10.0.0.0/8", "fd00::/8"];

const forwarded: Parser = {
  name: "forwarded",
  longest: 16_384,
  pieces: [
    ...[
      "for=",
      "For=",
      "proto=",
      "by=",
      "host=",
      "https",
      "http",
      "=",
      ";",
      ",",
      ", ",
      '"',
      "[",
      "]",
      ":",
      "::",
      ":8080",
    ],
    ...[
      "10.1.2.3",
      "203.0.113.9",
      "[2001:db8::1]",
      "2001:db8::1",
      "fd00::1",
      "::ffff:10.0.0.1",
      "%eth0",
      "unknown",
      "_x",
    ],
    ...["256.1.1.1", "1.2.3", "0x7f.1", "::1", " ", ...HOSTILE],
  ],
  check(input) {
    for (const header of ["forwarded", "x-forwarded-for", "x-forwarded-proto"]) {
      const headers = { [header]: input };
      const proxies = new TrustedProxies(PROXIES, header === "forwarded" ? header : "x-forwarded-for");
      // A header that the operator doesn't name is ignored.
      const other = new TrustedProxies(PROXIES, header === "forwarded" ? "x-forwarded-for" : "forwarded");
      assert.deepEqual(other.resolve("10.0.0.1", headers), { address: "10.0.0.1", proto: undefined });
      // From a stranger, the header is ignored. From a proxy, it gives an address or nothing.
      assert.deepEqual(proxies.resolve("198.51.100.1", headers), { address: "198.51.100.1", proto: undefined });
      const { address } = proxies.resolve("10.0.0.1", headers);
      assert.ok(isIP(address) !== 0, address);
      networkOf(address);
    }
  },
};

const address: Parser = {
  name: "address",
  longest: 64,
  pieces: [
    ...[
      "0",
      "1",
      "00ff",
      "ff",
      "FFFF",
      "2001",
      "db8",
      ":",
      "::",
      "1.2.3.4",
      "255",
      ".",
      "ffff:",
      "%",
      "eth0",
      "[",
      "]",
    ],
    ...["::ffff:1.2.3.4", "/64"],
  ],
  check(input) {
    coarse(input);
    const network = networkOf(input);
    if (isIP(input) !== 6 || input.includes("%")) return;
    // All spellings of an address give the same network, and that network contains the address.
    const spelled = new SocketAddress({ address: input, family: "ipv6" }).address;
    assert.equal(networkOf(spelled), network, spelled);
    assert.equal(networkOf(input.toUpperCase()), network);
    const start = network.replace("::/64", "");
    assert.match(start, /^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){3}$/);
    const inside = new SocketAddress({ address: `${start}:1:2:3:4`, family: "ipv6" }).address;
    assert.equal(networkOf(inside), network);
    assert.match(coarseNetworkOf(input), /^[0-9a-f]{1,4}(:[0-9a-f]{1,4}){2}::\/48$/);
  },
};

const contentType: Parser = {
  name: "content-type",
  longest: 16_384,
  pieces: [
    ...["application/x-www-form-urlencoded", "application/json", "text/plain", ";", "; ", "charset=", "utf-8", "UTF-8"],
    ...['"utf-8"', "utf-16", "boundary=x", "=", ",", " ", "gzip", "identity", "br", ...HOSTILE],
  ],
  check(input) {
    if (isFormType(input)) {
      assert.equal(input.split(";")[0]?.trim().toLowerCase(), "application/x-www-form-urlencoded");
      assert.doesNotMatch(input, /charset=\s*"?utf-16/i);
    }
    assert.equal(isEncoded(input), !["", "identity"].includes(input.trim().toLowerCase()));
  },
};

const multipart: Parser = {
  name: "multipart",
  longest: 65_536,
  pieces: [
    ...["--x", "\r\n", "--", "\r\n\r\n", 'Content-Disposition: form-data; name="csrf"', "; filename=", '"me.png"'],
    ...["content-disposition:form-data;name=", "Content-Type: image/png", "abc", "\u0000", "ÿ", ...HOSTILE],
  ],
  check(input) {
    const body = Buffer.from(input, "latin1");
    const read = readMultipart(body, "multipart/form-data; boundary=x");
    if (read === undefined) return;
    assert.ok(input.startsWith("--x\r\n") && input.includes("\r\n--x--"));
    assert.ok([...read.fields].length <= 8);
    for (const [, value] of read.fields) assert.ok(Buffer.byteLength(value) <= 1024 && !value.includes("\r\n--x"));
    if (typeof read.file !== "string") {
      const file = Buffer.from(read.file).toString("latin1");
      assert.ok(input.includes(file) && !file.includes("\r\n--x"));
    }
  },
};

const scope: Parser = {
  name: "scope",
  longest: 4096,
  pieces: [
    "read",
    "write",
    "photos:read",
    " ",
    "  ",
    '"',
    "\\",
    "a",
    "!",
    "~",
    "\t",
    "\u007f",
    "x".repeat(129),
    ...HOSTILE,
  ],
  check(input) {
    const names = orRefused(() => parseScope(input));
    if (names === undefined) return;
    // RFC 6749 §3.3, appendix A.4.
    assert.match(input, /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/);
    assert.equal(new Set(names).size, names.length);
    assert.deepEqual(parseScope(names.join(" ")), names);
  },
};

const redirectUri: Parser = {
  name: "redirect-uri",
  longest: 4096,
  pieces: [
    ...[
      "https://",
      "http://",
      "HTTPS://",
      "com.example.app:",
      "javascript:",
      "data:",
      "127.0.0.1",
      "[::1]",
      "localhost",
    ],
    ...[
      "app.test",
      "evil.test",
      "@",
      ":",
      ":443",
      ":80",
      ":8443",
      ":99999",
      "/",
      "//",
      "/cb",
      "/../",
      "/./",
      "%2e",
      "%2f",
    ],
    ...["?", "?x=1", "&code=", "#", "\\", "*", ".", "..", " ", "\t", "xn--e1aybc", "a-", "-a", "é.test", ...HOSTILE],
  ],
  check(input) {
    redirectHost(input);
    consentHost(input);
    if (redirectUriProblem(input) !== undefined) return;
    assert.match(input, /^[\x21-\x7e]+$/);
    assert.ok(matchesRedirectUri([input], input));
    const url = new URL(input);
    assert.ok(url.hash === "" && url.username === "" && url.password === "");
    if (url.protocol !== "https:" && url.protocol !== "http:") return assert.ok(isUnverifiedRedirect(input));
    // The owner reads the host that a browser goes to, in the browser's spelling.
    assert.equal(redirectHost(input).replace(url.protocol === "https:" ? /:443$/ : /:80$/, ""), url.host);
    const answered = new URL(withQuery(input, { code: "c d", state: "&=" }));
    assert.deepEqual([answered.origin, answered.pathname], [url.origin, url.pathname]);
    assert.deepEqual([answered.searchParams.getAll("code"), answered.searchParams.get("state")], [["c d"], "&="]);
    // Another text is another URI, unless only the port of this device differs.
    if (!/^http:\/\/(127\.0\.0\.1|\[::1\])/.test(input))
      for (const other of [`${input}/`, input.toUpperCase(), `${input}?`, ` ${input}`])
        assert.equal(matchesRedirectUri([input], other), other === input);
  },
};

const resource: Parser = {
  name: "resource-indicator",
  longest: 2048,
  pieces: ["https://api.test", "https://api.test/", "https://id.test", "/", "#", " ", "A", "%41", ...HOSTILE],
  check(input) {
    const api = { identifier: "https://api.test" } as Parameters<typeof audienceOf>[2] extends ReadonlyMap<
      string,
      infer R
    >
      ? R
      : never;
    const known = new Map([["https://api.test", api]]);
    const read = { name: "read", description: "", resource: "https://api.test" } as Parameters<
      typeof audienceOf
    >[0][number];
    const audience = orRefused(() => audienceOf([read], [input], known, "https://id.test"));
    // Nothing is normalized. Only the exact text names the API.
    assert.equal(audience, input === "https://api.test" ? input : undefined);
  },
};

const userCode: Parser = {
  name: "user-code",
  longest: 200,
  pieces: [
    ..."BCDFGHJKLMNPQRSTVWXZ",
    "-",
    " ",
    "–",
    "\u200d",
    "a",
    "b",
    "Ｂ",
    "ﬀ",
    "ß",
    "0",
    "BCDFGHJK",
    "bcdf-ghjk",
    ...HOSTILE,
  ],
  check(input) {
    const code = readUserCode(input);
    if (code === undefined) return;
    assert.ok(code.length === 8 && [...code].every((one) => USER_CODE_LETTERS.includes(one)));
    assert.equal(readUserCode(code), code);
    assert.equal(readUserCode(showUserCode(code)), code);
  },
};

export const httpParsers: readonly Parser[] = [
  ...[parameters, basic, cookies, language, userAgent, forwarded, address, contentType, multipart],
  ...[scope, redirectUri, resource, userCode],
];
