/** Kinds of settings: how to read each from text, and which values an embedder may give. */

import { isIP } from "node:net";
import type { SmtpServer } from "./mail/smtp.ts";
import { canonicalEmail } from "./owners/canonical-login.ts";
import type { OfferedDuration } from "./owners/storage.ts";
import { isPostgresUrl, parseAddress } from "./storage/postgres/database-url.ts";

/** One kind of value. */
export interface Kind<T> {
  /** The required form of a value, as the docs and error messages say it. */
  readonly wanted: string;
  /** Reads a value from the environment or a file. Undefined: the text does not have the required form. */
  parse(text: string): T | undefined;
  /** Whether a value from a program is within the same limits. */
  accepts(value: T): boolean;
  /** What is wrong with a text, if this can be said without repeating the text. */
  problem?(text: string): string | undefined;
}

export const DAY = 86_400;

/** A kind whose values are texts: a program's text is checked like a user's. */
function textual(wanted: string, parse: (text: string) => string | undefined): Kind<string> {
  return { wanted, parse, accepts: (value) => parse(value) === value };
}

function whole(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** A whole number of seconds, stored as milliseconds. */
export function seconds(least: number, most: number): Kind<number> {
  return {
    wanted: `a whole number of seconds, ${least} to ${most}`,
    parse(text) {
      const value = whole(text, least, most);
      return value === undefined ? undefined : value * 1000;
    },
    accepts: (value) => Number.isSafeInteger(value) && value >= least * 1000 && value <= most * 1000,
  };
}

/** The same, or a word. */
export function secondsOr<const Word extends string>(least: number, most: number, word: Word): Kind<number | Word> {
  const { wanted, parse, accepts } = seconds(least, most);
  return {
    wanted: `${wanted}, or ${word}`,
    parse: (text) => (text === word ? word : parse(text)),
    accepts: (value) => (typeof value === "string" ? value === word : accepts(value)),
  };
}

/** A whole number, or a word that means one. */
export function count(least: number, most: number, word: string, meant: () => number): Kind<number> {
  return {
    wanted: `a number from ${least} to ${most}, or ${word}`,
    parse: (text) => (text === word ? meant() : whole(text, least, most)),
    accepts: (value) => Number.isSafeInteger(value) && value >= least && value <= most,
  };
}

export function oneOf<const T extends string>(...allowed: readonly T[]): Kind<T> {
  const last = allowed.at(-1) ?? "";
  return {
    wanted: `${allowed.slice(0, -1).join(", ")} or ${last}`,
    parse: (text) => allowed.find((one) => one === text),
    accepts: (value) => allowed.includes(value),
  };
}

export const yesOrNo: Kind<boolean> = {
  wanted: "true or false",
  parse: (text) => (text === "true" ? true : text === "false" ? false : undefined),
  accepts: (value) => typeof value === "boolean",
};

/** A path; `wanted` describes the file. */
export function path(wanted = "a path"): Kind<string> {
  return textual(wanted, (text) => text || undefined);
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

export const issuerUrl = textual(
  "an https URL without query, fragment or final slash (http for loopback hosts alone)",
  (text) => {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
      return undefined;
    if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) return undefined;
    // RFC 8414 §3.3 compares issuers as strings, so only the plain spelling is accepted.
    const plain = url.pathname === "/" ? url.origin : url.origin + url.pathname;
    return text === plain && !plain.endsWith("/") ? plain : undefined;
  },
);

/** The address at which a server listens. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/** `example`: an address for the text of the required form. */
export function hostAndPort(example: string): Kind<Endpoint> {
  return {
    wanted: `host:port, for example ${example}`,
    parse(text) {
      // A single bracket must not leave an empty host, which would mean every address of the machine.
      const [, ipv6, name, digits] = /^(?:\[([0-9a-fA-F:.]+)\]|([^:\s\p{C}[\]]+)):(\d{1,5})$/u.exec(text) ?? [];
      const host = ipv6 ?? name;
      const port = Number(digits);
      return host === undefined || port > 65_535 || (ipv6 !== undefined && isIP(ipv6) !== 6)
        ? undefined
        : { host, port };
    },
    accepts: ({ host, port }) => typeof host === "string" && host !== "" && isPort(port),
  };
}

function isPort(port: number): boolean {
  return Number.isSafeInteger(port) && port >= 0 && port <= 65_535;
}

export const twoPorts: Kind<readonly [number, number]> = {
  wanted: "two port numbers, separated by a comma",
  parse(text) {
    const [first, second, ...rest] = text.split(",").map((one) => whole(one.trim(), 0, 65_535));
    return first === undefined || second === undefined || rest.length > 0 ? undefined : [first, second];
  },
  accepts: (ports) => ports.length === 2 && ports.every(isPort),
};

export const databaseUrl: Kind<string> = {
  ...textual("sqlite:<path> or postgres://user:password@host:port/database", (text) =>
    /^sqlite:.+/.test(text) || (isPostgresUrl(text) && databaseProblem(text) === undefined) ? text : undefined,
  ),
  problem: databaseProblem,
};

function databaseProblem(text: string): string | undefined {
  if (!isPostgresUrl(text)) return undefined;
  try {
    parseAddress(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : undefined;
  }
}

/** Minimum length of a secret in bytes. */
const SHORTEST_SECRET = 32;

export const secretList: Kind<readonly Buffer[]> = {
  wanted: "32 or more random bytes in base64, or a comma-separated list of such",
  parse(text) {
    const secrets = text.split(",").map((one) => one.trim());
    if (!secrets.every((one) => /^[A-Za-z0-9+/_-]{43,}={0,2}$/.test(one))) return undefined;
    return secrets.map((one) => Buffer.from(one, "base64"));
  },
  accepts: (secrets) => secrets.length > 0 && secrets.every(({ length }) => length >= SHORTEST_SECRET),
};

/** A kind whose values are lists, separated by commas. */
function list<T>(
  wanted: string,
  parseOne: (text: string) => T | undefined,
  accepts: (one: T) => boolean,
): Kind<readonly T[]> {
  return {
    wanted,
    parse(text) {
      const items = text.split(",").map((one) => parseOne(one.trim()));
      return items.every((one) => one !== undefined) ? [...new Set(items)] : undefined;
    },
    accepts: (values) => Array.isArray(values) && values.every(accepts),
  };
}

export const LONGEST_CONSENT: number = 100 * 366 * DAY;

function duration(text: string): OfferedDuration | undefined {
  return text === "once" || text === "forever" || text === "today" ? text : whole(text, 1, LONGEST_CONSENT);
}

export const durations: Kind<readonly OfferedDuration[]> = {
  ...list(
    "a comma-separated list of seconds, once, today and forever",
    duration,
    (one) => duration(String(one)) === one,
  ),
};

function cidr(text: string): string | undefined {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  const whichBits = bits === undefined || whole(bits, 0, family === 4 ? 32 : 128) !== undefined;
  return family !== 0 && rest.length === 0 && whichBits ? text : undefined;
}

export const cidrs = list(
  "a comma-separated list of CIDRs, for example 10.0.0.0/8",
  cidr,
  (one) => cidr(one) !== undefined,
);

function grantTypeName(text: string): string | undefined {
  return /^[\u0021-\u007e]{1,200}$/.test(text) ? text : undefined;
}

/** The names as written. Whether they exist can be checked only when an embedder's grant types are known, too. */
export const grantTypeNames = list(
  "a comma-separated list of names as they stand in grant_types_supported, for example authorization_code,refresh_token",
  grantTypeName,
  (one) => grantTypeName(one) !== undefined,
);

/** As for grant types: which scopes exist is known only while the server runs. */
export const scopeNames = list(
  "a comma-separated list of scopes, for example read,write",
  grantTypeName,
  (one) => grantTypeName(one) !== undefined,
);

export const issuerNames = list(
  "a comma-separated list of identifiers of issuers, for example https://software.example",
  grantTypeName,
  (one) => grantTypeName(one) !== undefined,
);

/** A host as in a URL, with its port unless it is 443, or the scheme of an app. */
export function isRedirectHost(text: string): boolean {
  if (/^[a-z][a-z0-9+.-]{0,99}:$/.test(text)) return text.includes(".");
  return isHost(text);
}

export const redirectHosts = list(
  "a comma-separated list of hosts (app.example.com, 127.0.0.1) and schemes (com.example.app:)",
  (text) => (isRedirectHost(text) ? text : undefined),
  isRedirectHost,
);

export const brandName = textual("1 to 40 visible characters", (text) =>
  text.trim() !== "" && [...text].length <= 40 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) ? text.trim() : undefined,
);

export const emailAddress = textual("an e-mail address", canonicalEmail);

/** `smtp://` and `smtps://` URLs with name and password. */
export const smtpUrl: Kind<SmtpServer> = {
  wanted: "smtp://[user:password@]host[:port], or smtps:// for TLS from the start",
  parse(text) {
    const url = /^smtps?:\/\/[^/?#\s\p{C}]+\/?$/u.test(text) && URL.canParse(text) ? new URL(text) : undefined;
    if (url === undefined || url.hostname === "") return undefined;
    const secure = url.protocol === "smtps:";
    try {
      return {
        host: url.hostname.replace(/^\[|\]$/g, ""),
        port: url.port === "" ? (secure ? 465 : 587) : Number(url.port),
        secure,
        user: url.username === "" ? null : decodeURIComponent(url.username),
        password: url.password === "" ? null : decodeURIComponent(url.password),
        loopback: isLoopbackHost(url.hostname),
      };
    } catch {
      return undefined;
    }
  },
  accepts: ({ host, port }) => host !== "" && isPort(port),
};

/** `off`, `on`, or hosts as the parser of URLs writes them. */
export const documentHosts: Kind<"off" | "on" | readonly string[]> = {
  wanted: "off, on, or a comma-separated list of hosts, for example claude.ai,vscode.dev",
  parse(text) {
    if (text === "off" || text === "on") return text;
    const hosts = text.split(",").map((one) => one.trim());
    return hosts.every(isHost) ? [...new Set(hosts)] : undefined;
  },
  accepts: (value) =>
    typeof value === "string" ? ["off", "on"].includes(value) : value.length > 0 && value.every(isHost),
};

function isHost(text: string): boolean {
  const url = `https://${text}`;
  return text.length <= 255 && URL.canParse(url) && new URL(url).host === text && !text.endsWith(".");
}

/** The name of a header (RFC 9110 §5.1). */
export const headerName: Kind<string> = {
  wanted: "the name of a header, for example Client-Cert",
  parse: (text) => (HEADER_NAME.test(text) ? text : undefined),
  accepts: (value) => HEADER_NAME.test(value),
};
const HEADER_NAME = /^[A-Za-z0-9][A-Za-z0-9-]{0,98}$/;
