/** The settings: for each its variable, its key in assent.config, how it is read, its default. The docs' table is made from this one. */

import { isIP } from "node:net";
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import type { SmtpServer } from "./mail/transport.ts";
import { canonicalEmail } from "./owners/names.ts";
import { readBrandColors } from "./pages/brand.ts";
import { isPostgresUrl, parseAddress } from "./storage/postgres/address.ts";

export interface Setting {
  readonly variable: string;
  readonly key: string;
  /** Undefined: the text is not what is wanted. */
  readonly parse: (text: string) => unknown;
  readonly wanted: string;
  /** What is wrong with a text that is not what is wanted, where that can be said without repeating it. */
  readonly problem?: (text: string) => string | undefined;
  /** As the docs show it. */
  readonly default: string;
  readonly meaning: string;
  readonly secret?: true;
}

const DAY = 86_400;

function whole(text: string, least: number, most: number): number | undefined {
  const value = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

function seconds(most: number): (text: string) => number | undefined {
  return (text) => {
    const value = whole(text, 1, most);
    return value === undefined ? undefined : value * 1000;
  };
}

function secondsOrNone(most: number): (text: string) => number | undefined {
  return (text) => (text === "0" ? 0 : seconds(most)(text));
}

function oneOf<T extends string>(...allowed: readonly T[]): (text: string) => T | undefined {
  return (text) => allowed.find((one) => one === text);
}

export function isLoopbackHost(host: string): boolean {
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function issuer(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || url.search !== "" || url.hash !== "" || url.username !== "" || url.password !== "")
    return undefined;
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isLoopbackHost(url.hostname))) return undefined;
  // RFC 8414 §3.3 compares issuers as strings: only the plain spelling is taken.
  const plain = url.pathname === "/" ? url.origin : url.origin + url.pathname;
  return text === plain && !plain.endsWith("/") ? plain : undefined;
}

function listen(text: string): { host: string; port: number } | undefined {
  const match = /^(\[[0-9a-fA-F:]+\]|[^:\s\p{C}]+):(\d{1,5})$/u.exec(text);
  const port = Number(match?.[2]);
  return match?.[1] === undefined || port > 65_535 ? undefined : { host: match[1].replace(/^\[|\]$/g, ""), port };
}

function databaseUrl(text: string): string | undefined {
  return /^sqlite:.+/.test(text) || (isPostgresUrl(text) && databaseProblem(text) === undefined) ? text : undefined;
}

function databaseProblem(text: string): string | undefined {
  if (!isPostgresUrl(text)) return undefined;
  try {
    parseAddress(text);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : undefined;
  }
}

function secretList(text: string): Buffer[] | undefined {
  const secrets = text.split(",").map((one) => one.trim());
  if (!secrets.every((one) => /^[A-Za-z0-9+/_-]{43,}={0,2}$/.test(one))) return undefined;
  return secrets.map((one) => Buffer.from(one, "base64"));
}

function ports(text: string): [number, number] | undefined {
  const [client, api, ...rest] = text.split(",").map((one) => whole(one.trim(), 0, 65_535));
  return client === undefined || api === undefined || rest.length > 0 ? undefined : [client, api];
}

function durations(text: string): (number | "once" | "forever")[] | undefined {
  const list = text
    .split(",")
    .map((one) => one.trim())
    .map((one) => (one === "once" || one === "forever" ? one : whole(one, 1, 100 * 366 * DAY)));
  return list.length > 0 && list.every((one) => one !== undefined) ? list : undefined;
}

function cidrs(text: string): string[] | undefined {
  const list = text.split(",").map((one) => one.trim());
  return list.every(isCidr) ? list : undefined;
}

function isCidr(text: string): boolean {
  const [address = "", bits, ...rest] = text.split("/");
  const family = isIP(address);
  return (
    family !== 0 && rest.length === 0 && (bits === undefined || whole(bits, 0, family === 4 ? 32 : 128) !== undefined)
  );
}

/** Names as they are; which of them there are is seen when an embedder's own are known, too. */
function names(text: string): string[] | undefined {
  const list = text.split(",").map((one) => one.trim());
  return list.every((one) => /^[\u0021-\u007e]{1,200}$/.test(one)) ? [...new Set(list)] : undefined;
}

function yesOrNo(text: string): boolean | undefined {
  return text === "true" ? true : text === "false" ? false : undefined;
}

const number = (text: string) => `a whole number of seconds, 1 to ${text}`;

/** `smtp://` and `smtps://`, name and password in them. */
function smtpUrl(text: string): SmtpServer | undefined {
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
}

export const settings: readonly Setting[] = [
  {
    variable: "ASSENT_ISSUER",
    key: "issuer",
    parse: issuer,
    default: "http://localhost:9400",
    meaning: "The issuer URL, as it stands in metadata and tokens.",
    wanted: "an https URL without query, fragment or final slash (http for loopback hosts alone)",
  },
  {
    variable: "ASSENT_LISTEN",
    key: "listen",
    parse: listen,
    default: "127.0.0.1:9400",
    meaning: "Where the server listens.",
    wanted: "host:port, for example 127.0.0.1:9400 or [::]:9400",
  },
  {
    variable: "ASSENT_DATABASE_URL",
    key: "databaseUrl",
    parse: databaseUrl,
    default: "sqlite:<data dir>/assent.db",
    meaning: "The database: a file, or a PostgreSQL server, of which several hosts may be named.",
    wanted: "sqlite:<path> or postgres://user:password@host:port/database",
    problem: databaseProblem,
    secret: true,
  },
  {
    variable: "ASSENT_SECRET",
    key: "secret",
    parse: secretList,
    default: "generated into <data dir>/secret; PostgreSQL needs it set",
    meaning: "What all keys are derived from. A comma-separated list rotates: the first makes, all verify.",
    wanted: "32 or more random bytes in base64, or a comma-separated list of such",
    secret: true,
  },
  {
    variable: "ASSENT_WORKERS",
    key: "workers",
    parse: (text) => (text === "auto" ? availableParallelism() : whole(text, 1, 256)),
    default: "1",
    meaning: "Server processes on this machine, all on one port; auto: one for each core.",
    wanted: "a number from 1 to 256, or auto",
  },
  {
    variable: "ASSENT_DATA_DIR",
    key: "dataDir",
    parse: (text) => text || undefined,
    default: "./data",
    meaning: "Where the embedded database and the secret live.",
    wanted: "a path",
  },
  {
    variable: "ASSENT_DEMO_PORTS",
    key: "demoPorts",
    parse: ports,
    default: "9401,9402",
    meaning: "Ports of the demo's client and API.",
    wanted: "two port numbers, separated by a comma",
  },
  {
    variable: "ASSENT_CODE_TTL",
    key: "codeTtl",
    parse: seconds(600),
    default: "60",
    meaning: "Seconds that an authorization code lives.",
    wanted: number("600"),
  },
  {
    variable: "ASSENT_ACCESS_TTL",
    key: "accessTtl",
    parse: seconds(DAY),
    default: "600",
    meaning: "Seconds that an access token lives, unless its resource says otherwise.",
    wanted: number("86400"),
  },
  {
    variable: "ASSENT_REFRESH_IDLE",
    key: "refreshIdle",
    parse: seconds(10 * 366 * DAY),
    default: "14 days for public clients, 90 days for confidential ones",
    meaning: "Seconds without use after which a refresh token ends.",
    wanted: number(String(10 * 366 * DAY)),
  },
  {
    variable: "ASSENT_RETRY_WINDOW",
    key: "retryWindow",
    parse: seconds(3600),
    default: "10 for public clients, 30 for confidential ones",
    meaning: "Seconds in which a rotated refresh token is answered again with the same successor.",
    wanted: number("3600"),
  },
  {
    variable: "ASSENT_DEVICE_TTL",
    key: "deviceTtl",
    parse: seconds(3600),
    default: "600",
    meaning: "Seconds that a device waits for its owner.",
    wanted: number("3600"),
  },
  {
    variable: "ASSENT_DEVICE_INTERVAL",
    key: "deviceInterval",
    parse: seconds(60),
    default: "5",
    meaning: "Seconds between two polls of a device.",
    wanted: number("60"),
  },
  {
    variable: "ASSENT_CONSENT_DURATIONS",
    key: "consentDurations",
    parse: durations,
    default: "once,3600,86400,604800,2592000,7776000,31536000,forever",
    meaning: "How long owners may grant: seconds, once, forever.",
    wanted: "a comma-separated list of seconds, once and forever",
  },
  {
    variable: "ASSENT_BRAND_NAME",
    key: "brandName",
    parse: (text) =>
      text.trim() !== "" && [...text].length <= 40 && !/[\p{C}\p{Zl}\p{Zp}]/u.test(text) ? text.trim() : undefined,
    default: "Assent",
    meaning: "What this service calls itself on its pages.",
    wanted: "1 to 40 visible characters",
  },
  {
    variable: "ASSENT_BRAND_COLORS",
    key: "brandColors",
    parse: readBrandColors,
    default: "none",
    meaning: "The accent colour of pages; a second one for dark ground, or it is made of the first.",
    wanted: "#rrggbb or #rrggbb,#rrggbb, each with a contrast of 4.5:1 to its ground (WCAG 2.2 AA)",
  },
  {
    variable: "ASSENT_BRAND_LOGO",
    key: "brandLogo",
    parse: (text) => text || undefined,
    default: "none",
    meaning: "A picture in place of our mark: PNG, JPEG or WebP, up to 256 KiB.",
    wanted: "a path",
  },
  {
    variable: "ASSENT_BRAND_CSS",
    key: "brandCss",
    parse: (text) => text || undefined,
    default: "none",
    meaning: "A style sheet of yours, loaded behind ours, up to 64 KiB.",
    wanted: "a path",
  },
  {
    variable: "ASSENT_GRANT_TYPES",
    key: "grantTypes",
    parse: names,
    default: "all",
    meaning:
      "The grant types that this server offers, whatever clients are registered for; the others are switched off, and are in no list of the metadata.",
    wanted:
      "a comma-separated list of names as they stand in grant_types_supported, for example authorization_code,refresh_token",
  },
  {
    variable: "ASSENT_REQUIRE_PKCE",
    key: "requirePkce",
    parse: yesOrNo,
    default: "false",
    meaning: "Confidential clients must use PKCE, too.",
    wanted: "true or false",
  },
  {
    variable: "ASSENT_PASSWORD_REFRESH",
    key: "passwordRefresh",
    parse: yesOrNo,
    default: "false",
    meaning: "The password grant gives refresh tokens, too, to clients that are registered for them.",
    wanted: "true or false",
  },
  {
    variable: "ASSENT_HOUSEKEEPING",
    key: "housekeeping",
    parse: yesOrNo,
    default: "true",
    meaning:
      "This process makes signing keys in time and removes rows that guard nothing any more. Where it is off on every node, run `assent db gc` each quarter of an hour.",
    wanted: "true or false",
  },
  {
    variable: "ASSENT_TRUST_PROXY",
    key: "trustProxy",
    parse: cidrs,
    default: "none",
    meaning: "Addresses whose X-Forwarded-*, Forwarded and Client-Cert headers are believed.",
    wanted: "a comma-separated list of CIDRs, for example 10.0.0.0/8",
  },
  {
    variable: "ASSENT_TLS_CERT",
    key: "tlsCert",
    parse: (text) => text || undefined,
    default: "none",
    meaning:
      "The server's certificate and those between it and its authority: TLS ends here. Goes with ASSENT_TLS_KEY.",
    wanted: "the path of a PEM file",
  },
  {
    variable: "ASSENT_TLS_KEY",
    key: "tlsKey",
    parse: (text) => text || undefined,
    default: "none",
    meaning: "The private key of that certificate.",
    wanted: "the path of a PEM file",
  },
  {
    variable: "ASSENT_TLS_CLIENT_CA",
    key: "tlsClientCa",
    parse: (text) => text || undefined,
    default: "none",
    meaning: "The authorities that issue clients' certificates, for tls_client_auth.",
    wanted: "the path of a PEM file",
  },
  {
    variable: "ASSENT_DRAIN_DELAY",
    key: "drainDelay",
    parse: secondsOrNone(300),
    default: "0",
    meaning:
      "Seconds between the first answer of /health/ready that says no and the end of listening, once the server is told to stop.",
    wanted: "a whole number of seconds, 0 to 300",
  },
  {
    variable: "ASSENT_SMTP_URL",
    key: "smtpUrl",
    parse: smtpUrl,
    default: "none",
    meaning:
      "The server that takes messages to people. TLS is required (smtps, or STARTTLS) unless its host is loopback. Without it no mail is sent: nobody signs up or recovers a password by themselves.",
    wanted: "smtp://[user:password@]host[:port], or smtps:// for TLS from the start",
    secret: true,
  },
  {
    variable: "ASSENT_MAIL_FROM",
    key: "mailFrom",
    parse: canonicalEmail,
    default: "no-reply@<host of the issuer>",
    meaning: "The address that messages come from.",
    wanted: "an e-mail address",
  },
  {
    variable: "ASSENT_SIGN_UP",
    key: "signUp",
    parse: yesOrNo,
    default: "false",
    meaning:
      "Anybody with an e-mail address may create an account. Takes ASSENT_SMTP_URL: the link to go on goes by mail.",
    wanted: "true or false",
  },
  {
    variable: "ASSENT_METRICS_LISTEN",
    key: "metricsListen",
    parse: listen,
    default: "none",
    meaning: "Where figures for Prometheus are read, at /metrics: a port of its own.",
    wanted: "host:port, for example 127.0.0.1:9464",
  },
  {
    variable: "ASSENT_LOG_LEVEL",
    key: "logLevel",
    parse: oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"),
    default: "info",
    meaning: "JSON lines on stdout; pretty on a terminal.",
    wanted: "trace, debug, info, warn, error, fatal or silent",
  },
  {
    variable: "ASSENT_SQLITE_WRITER",
    key: "sqliteWriter",
    parse: oneOf("thread", "main"),
    default: "thread",
    meaning: "Where SQLite writes: a thread keeps the event loop free on slow disks.",
    wanted: "thread or main",
  },
];

/** The defaults, relative to a working directory. */
export function defaultsOf(cwd: string): Record<string, unknown> {
  return {
    issuer: "http://localhost:9400",
    listen: { host: "127.0.0.1", port: 9400 },
    databaseUrl: undefined,
    secret: null,
    workers: 1,
    dataDir: resolve(cwd, "data"),
    demoPorts: [9401, 9402],
    codeTtl: 60_000,
    accessTtl: 600_000,
    refreshIdle: null,
    retryWindow: null,
    deviceTtl: 600_000,
    deviceInterval: 5000,
    consentDurations: ["once", 3600, DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY, "forever"],
    brandName: null,
    brandColors: null,
    brandLogo: null,
    brandCss: null,
    grantTypes: null,
    customGrants: [],
    requirePkce: false,
    passwordRefresh: false,
    housekeeping: true,
    trustProxy: [],
    tlsCert: null,
    tlsKey: null,
    tlsClientCa: null,
    drainDelay: 0,
    smtpUrl: null,
    mailFrom: null,
    signUp: false,
    metricsListen: null,
    logLevel: "info",
    sqliteWriter: "thread",
    warnings: [],
  };
}
