/**
 * All settings, each with its variable, kind, default and meaning. The type of the configuration, its parsers and the
 * docs derive from them.
 */

import { availableParallelism } from "node:os";
import { type BrandColors, readBrandColors } from "./pages/branding.ts";
import {
  brandName,
  cidrs,
  count,
  DAY,
  databaseUrl,
  documentHosts,
  durations,
  emailAddress,
  grantTypeNames,
  headerName,
  hostAndPort,
  issuerNames,
  issuerUrl,
  type Kind,
  LONGEST_CONSENT,
  oneOf,
  path,
  redirectHosts,
  scopeNames,
  seconds,
  secondsOr,
  secretList,
  smtpUrl,
  twoPorts,
  yesOrNo,
} from "./setting-kinds.ts";

/** The facts about a setting that don't depend on its kind. */
interface Facts {
  /** The environment variable. */
  readonly variable: string;
  /** The default, as the docs show it. */
  readonly shown: string;
  readonly meaning: string;
  /** True: messages never repeat the value, not even a wrong one. */
  readonly secret?: true;
}

/** One setting. */
export interface Setting<T> extends Kind<T>, Facts {
  readonly initial: T;
}

function setting<T>(kind: Kind<T>, facts: Facts & { readonly initial: NoInfer<T> }): Setting<T> {
  return { ...kind, ...facts };
}

/** A setting without a default value. */
function optional<T>(kind: Kind<T>, facts: Facts): Setting<T | null> {
  return { ...kind, ...facts, accepts: (value) => value === null || kind.accepts(value), initial: null };
}

const brandColors: Kind<BrandColors> = {
  wanted: "#rrggbb or #rrggbb,#rrggbb, each with a contrast of 4.5:1 to its ground (WCAG 2.2 AA)",
  parse: readBrandColors,
  accepts: ({ light, dark }) => readBrandColors(`${light},${dark}`) !== undefined,
};

/** Every setting, by its key in assent.config. Times are in milliseconds. */
export const settings = {
  issuer: setting(issuerUrl, {
    variable: "ASSENT_ISSUER",
    initial: "http://localhost:9400",
    shown: "http://localhost:9400",
    meaning: "The issuer URL in metadata and tokens.",
  }),
  listen: setting(hostAndPort("127.0.0.1:9400 or [::]:9400"), {
    variable: "ASSENT_LISTEN",
    initial: { host: "127.0.0.1", port: 9400 },
    shown: "127.0.0.1:9400",
    meaning: "The address and port on which the server listens.",
  }),
  /** `sqlite:<path>` or `postgres://user:password@host:port/database`. */
  databaseUrl: optional(databaseUrl, {
    variable: "ASSENT_DATABASE_URL",
    shown: "sqlite:<data dir>/assent.db",
    secret: true,
    meaning: "The database: a file, or a PostgreSQL server (several hosts are allowed).",
  }),
  /** Decoded. Null: generated into the data directory. */
  secret: optional(secretList, {
    variable: "ASSENT_SECRET",
    shown: "generated into <data dir>/secret; PostgreSQL needs it set",
    secret: true,
    meaning:
      "The secret that all keys are derived from. A comma-separated list rotates: the first one signs and seals, all of them verify and open.",
  }),
  workers: setting(count(1, 256, "auto", availableParallelism), {
    variable: "ASSENT_WORKERS",
    initial: 1,
    shown: "1",
    meaning: "Server processes on this machine, all on one port. auto: one for each core.",
  }),
  dataDir: setting(path(), {
    variable: "ASSENT_DATA_DIR",
    initial: "data",
    shown: "./data",
    meaning: "The directory of the SQLite database and of the generated secret.",
  }),
  demoPorts: setting(twoPorts, {
    variable: "ASSENT_DEMO_PORTS",
    initial: [9401, 9402],
    shown: "9401,9402",
    meaning: "Ports of the demo's client and API.",
  }),
  codeTtl: setting(seconds(1, 600), {
    variable: "ASSENT_CODE_TTL",
    initial: 60_000,
    shown: "60",
    meaning: "Lifetime of an authorization code, in seconds.",
  }),
  accessTtl: setting(seconds(1, DAY), {
    variable: "ASSENT_ACCESS_TTL",
    initial: 600_000,
    shown: "600",
    meaning: "Lifetime of an access token, in seconds. An API may have its own (--token-lifetime).",
  }),
  /** Null: 14 days for public clients, 90 for confidential ones. */
  refreshIdle: optional(seconds(1, 10 * 366 * DAY), {
    variable: "ASSENT_REFRESH_IDLE",
    shown: "1209600 for public clients, 7776000 for confidential ones",
    meaning: "Seconds without use after which a refresh token ends.",
  }),
  /** Null: 10 s for public clients, 30 s for confidential ones. */
  retryWindow: optional(seconds(1, 3600), {
    variable: "ASSENT_RETRY_WINDOW",
    shown: "10 for public clients, 30 for confidential ones",
    meaning: "Seconds in which a client that repeats a refresh gets the same new refresh token again.",
  }),
  deviceTtl: setting(seconds(1, 3600), {
    variable: "ASSENT_DEVICE_TTL",
    initial: 600_000,
    shown: "600",
    meaning: "Lifetime of a device code, in seconds.",
  }),
  deviceInterval: setting(seconds(1, 60), {
    variable: "ASSENT_DEVICE_INTERVAL",
    initial: 5000,
    shown: "5",
    meaning: "Seconds that a device waits between two polls.",
  }),
  consentDurations: setting(durations, {
    variable: "ASSENT_CONSENT_DURATIONS",
    initial: ["once", 3600, "today", DAY, 7 * DAY, 30 * DAY, 90 * DAY, 365 * DAY, "forever"],
    shown: "once,3600,today,86400,604800,2592000,7776000,31536000,forever",
    meaning:
      "The durations that owners can choose from: seconds, once, today (until midnight where they are), forever.",
  }),
  /** Null: a year for public clients, none for confidential ones. */
  consentCeiling: optional(secondsOr(1, LONGEST_CONSENT, "none"), {
    variable: "ASSENT_CONSENT_CEILING",
    shown: "31536000 for public clients, none for confidential ones",
    meaning:
      "The most seconds that a consent lasts, even if ASSENT_CONSENT_DURATIONS offers more. A client may have its own limit (--consent-ceiling).",
  }),
  /** The name of this service. Null: Assent. */
  brandName: optional(brandName, {
    variable: "ASSENT_BRAND_NAME",
    shown: "Assent",
    meaning: "The name of this service on its pages.",
  }),
  brandColors: optional(brandColors, {
    variable: "ASSENT_BRAND_COLORS",
    shown: "none",
    meaning: "The accent colour of pages. A second colour is for dark mode; without it one is derived.",
  }),
  /** Paths; null: none. */
  brandLogo: optional(path(), {
    variable: "ASSENT_BRAND_LOGO",
    shown: "none",
    meaning: "The logo on pages: PNG, JPEG or WebP, up to 256 KiB.",
  }),
  brandCss: optional(path(), {
    variable: "ASSENT_BRAND_CSS",
    shown: "none",
    meaning: "A style sheet that pages load after Assent's own, up to 64 KiB.",
  }),
  /** Names of the offered grant types. Null: all. */
  grantTypes: optional(grantTypeNames, {
    variable: "ASSENT_GRANT_TYPES",
    shown: "all",
    meaning:
      "The grant types that this server offers. All others are switched off, even for clients that are registered for them, and the metadata does not list them.",
  }),
  clientIdMetadata: setting(documentHosts, {
    variable: "ASSENT_CLIENT_ID_METADATA",
    initial: "off",
    shown: "off",
    meaning:
      "Clients that nobody registered may identify themselves by the address of a client ID metadata document: off, on (documents of any host), or only those of the listed hosts.",
  }),
  registration: setting(oneOf("off", "token", "open"), {
    variable: "ASSENT_REGISTRATION",
    initial: "off",
    shown: "off",
    meaning:
      "Clients may register themselves (RFC 7591): off, token (with an initial access token), or open (anybody, within limits).",
  }),
  registrationGrantTypes: setting(grantTypeNames, {
    variable: "ASSENT_REGISTRATION_GRANT_TYPES",
    initial: ["authorization_code", "refresh_token"],
    shown: "authorization_code,refresh_token",
    meaning: "The grant types for which clients may register themselves.",
  }),
  /** Null: all that every owner may grant. */
  registrationScopes: optional(scopeNames, {
    variable: "ASSENT_REGISTRATION_SCOPES",
    shown: "all that every owner may grant",
    meaning: "The scopes for which clients may register themselves.",
  }),
  /** Null: all. */
  registrationRedirectHosts: optional(redirectHosts, {
    variable: "ASSENT_REGISTRATION_REDIRECT_HOSTS",
    shown: "all",
    meaning: "The only hosts in redirect URIs of clients that register themselves.",
  }),
  registrationDefaultScopes: setting(scopeNames, {
    variable: "ASSENT_REGISTRATION_DEFAULT_SCOPES",
    initial: [],
    shown: "none",
    meaning: "The scopes of a request that names none, from a client that registered itself.",
  }),
  registrationStatementIssuers: setting(issuerNames, {
    variable: "ASSENT_REGISTRATION_STATEMENT_ISSUERS",
    initial: [],
    shown: "none",
    meaning: "The trusted issuers (assent issuer create --type jwt) whose software statements are accepted.",
  }),
  requirePkce: setting(yesOrNo, {
    variable: "ASSENT_REQUIRE_PKCE",
    initial: false,
    shown: "false",
    meaning: "Confidential clients must also use PKCE.",
  }),
  passwordRefresh: setting(yesOrNo, {
    variable: "ASSENT_PASSWORD_REFRESH",
    initial: false,
    shown: "false",
    meaning: "The password grant also issues refresh tokens to clients that are registered for them.",
  }),
  /** True: this process rotates signing keys and deletes expired rows. */
  housekeeping: setting(yesOrNo, {
    variable: "ASSENT_HOUSEKEEPING",
    initial: true,
    shown: "true",
    meaning:
      "This process makes signing keys in time and deletes expired rows. Where it is off on every node, run `assent db gc` every 15 minutes.",
  }),
  eventsKept: setting(secondsOr(1, 20 * 366 * DAY, "forever"), {
    variable: "ASSENT_EVENTS_KEPT",
    initial: 400 * DAY * 1000,
    shown: "34560000",
    meaning:
      "Seconds for which events are kept. A signed note then says up to where the server has deleted them. While there is a reason to keep all of them, set forever.",
  }),
  /** CIDRs whose forwarded headers the server believes. */
  trustProxy: setting(cidrs, {
    variable: "ASSENT_TRUST_PROXY",
    initial: [],
    shown: "none",
    meaning:
      "Addresses of proxies. The server reads the headers of ASSENT_PROXY_HEADER and ASSENT_CLIENT_CERT_HEADER only from these addresses.",
  }),
  /** CIDRs of addresses that are not public, to which the guarded fetcher may connect all the same. */
  outboundAllow: setting(cidrs, {
    variable: "ASSENT_OUTBOUND_ALLOW",
    initial: [],
    shown: "none",
    meaning:
      "Addresses that are not public, to which the server may still send requests: for JWK Sets of clients and issuers, back-channel logout, sign-in at other providers. To loopback addresses it then also uses http. Anybody who may register such an address can reach services there through the server.",
  }),
  /** The header that names the client's address; the server reads no other one. */
  proxyHeader: setting(oneOf("x-forwarded-for", "forwarded"), {
    variable: "ASSENT_PROXY_HEADER",
    initial: "x-forwarded-for",
    shown: "x-forwarded-for",
    meaning:
      "The header in which a trusted proxy names the client's address. With x-forwarded-for, the scheme is read from X-Forwarded-Proto; with forwarded, from proto in Forwarded. The other header is ignored.",
  }),
  /** Null: no header is read. */
  clientCertHeader: optional(headerName, {
    variable: "ASSENT_CLIENT_CERT_HEADER",
    shown: "none",
    meaning:
      "The header in which a trusted proxy passes the client's certificate, in the form of RFC 9440. The proxy must set or delete it on every request.",
  }),
  /** PEM files of the certificate and key with which the server ends TLS. Null: TLS ends before this server. */
  tlsCert: optional(path("the path of a PEM file"), {
    variable: "ASSENT_TLS_CERT",
    shown: "none",
    meaning: "The certificate chain of the server. If it is set, the server ends TLS itself. Needs ASSENT_TLS_KEY.",
  }),
  tlsKey: optional(path("the path of a PEM file"), {
    variable: "ASSENT_TLS_KEY",
    shown: "none",
    meaning: "The private key of the certificate in ASSENT_TLS_CERT.",
  }),
  /** PEM file of the authorities that issue clients' certificates. Null: none are named. */
  tlsClientCa: optional(path("the path of a PEM file"), {
    variable: "ASSENT_TLS_CLIENT_CA",
    shown: "none",
    meaning: "The authorities that issue clients' certificates, for tls_client_auth.",
  }),
  /** Milliseconds between "not ready" and the end of listening. */
  drainDelay: setting(seconds(0, 300), {
    variable: "ASSENT_DRAIN_DELAY",
    initial: 0,
    shown: "0",
    meaning: "Seconds that the server continues to listen after SIGTERM. During this time /health/ready answers 503.",
  }),
  /** The mail server. Null: no mail is sent. */
  smtpUrl: optional(smtpUrl, {
    variable: "ASSENT_SMTP_URL",
    shown: "none",
    secret: true,
    meaning:
      "The mail server. TLS is required (smtps, or STARTTLS) unless its host is loopback. Without it no mail is sent, so nobody can sign up or recover a password.",
  }),
  /** Null: `no-reply@` the issuer's host. */
  mailFrom: optional(emailAddress, {
    variable: "ASSENT_MAIL_FROM",
    shown: "no-reply@<host of the issuer>",
    meaning: "The sender address of messages.",
  }),
  /** True: anybody may create an account. */
  signUp: setting(yesOrNo, {
    variable: "ASSENT_SIGN_UP",
    initial: false,
    shown: "false",
    meaning:
      "Anybody with an e-mail address may create an account. Needs ASSENT_SMTP_URL, because the link is sent by mail.",
  }),
  companies: setting(oneOf("operators", "anyone"), {
    variable: "ASSENT_COMPANIES",
    initial: "operators",
    shown: "operators",
    meaning: "Who may create companies: operators alone, or anyone with an account (5 per person).",
  }),
  /** Null: no metrics are published. */
  metricsListen: optional(hostAndPort("127.0.0.1:9464"), {
    variable: "ASSENT_METRICS_LISTEN",
    shown: "none",
    meaning: "Address of the Prometheus metrics, at /metrics, on a port of their own.",
  }),
  logLevel: setting(oneOf("trace", "debug", "info", "warn", "error", "fatal", "silent"), {
    variable: "ASSENT_LOG_LEVEL",
    initial: "info",
    shown: "info",
    meaning:
      "The lowest level that the log contains. The log is JSON lines on stdout, or formatted text on a terminal.",
  }),
  sqliteWriter: setting(oneOf("thread", "main"), {
    variable: "ASSENT_SQLITE_WRITER",
    initial: "thread",
    shown: "thread",
    meaning: "The thread that writes to SQLite. thread keeps the event loop free on slow disks.",
  }),
};

/** The key of a setting. */
export type SettingKey = keyof typeof settings;

/** The values of all settings. */
export type SettingValues = {
  readonly [Key in SettingKey]: (typeof settings)[Key] extends Setting<infer T> ? T : never;
};

/** The same settings with a type that connects each key with its value. */
export const settingOf: { readonly [Key in SettingKey]: Setting<SettingValues[Key]> } = settings;

export const settingKeys = Object.keys(settings) as readonly SettingKey[];
