/** The URL of a PostgreSQL database: one or more hosts, the credentials, and the protection of the connection. */

import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import type { ConnectionOptions } from "node:tls";

export interface Host {
  /** A host name, an IP address, or the directory of a Unix socket. */
  readonly host: string;
  readonly port: number;
}

export type SslMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

export interface Address {
  /** At least one; tried in this order. */
  readonly hosts: readonly Host[];
  readonly user: string;
  readonly password: string | undefined;
  readonly database: string;
  readonly sslMode: SslMode;
  /** The PEM file of the authorities that the server trusts. Undefined: those that Node.js trusts. */
  readonly sslRootCert: string | undefined;
  readonly applicationName: string;
  /** Maximum number of connections that one process opens. */
  readonly maxConnections: number;
}

const PORT = 5432;
const MAX_CONNECTIONS = 12;
/** Two connections write, two read, and one runs transactions. */
const LEAST_CONNECTIONS = 5;
const URL_SHAPE = /^postgres(?:ql)?:\/\/(?:([^@/?]*)@)?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/;
const SSL_MODES = ["disable", "prefer", "require", "verify-ca", "verify-full"] as const;
/** All these values mean the same here: the server uses only a database server that takes writes. */
const SESSION_ATTRS = ["read-write", "primary", "any"];

/** True: the URL is meant for PostgreSQL, even if it is malformed. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:/.test(url);
}

/**
 * Reads `postgres://user:password@host:port,host:port/database?sslmode=…`. Throws a `TypeError` that says what is
 * wrong. The message does not repeat the URL, because the URL can hold a password.
 */
export function parseAddress(url: string): Address {
  const match = URL_SHAPE.exec(url);
  if (match === null) throw new TypeError("must have the form postgres://user:password@host:port/database");
  const [, signIn = "", authority = "", path = "", query = ""] = match;
  const parameters = parametersOf(query);
  const [user = "", password] = signIn.split(/:(.*)/s).map(decoded);
  const database = decoded(path);
  if (user === "") throw new TypeError("the user is missing");
  if (database === "") throw new TypeError("the database name is missing");
  const hosts = hostsOf(parameters.get("host") ?? authority, parameters.get("port"));
  const attrs = parameters.get("target_session_attrs") ?? "read-write";
  if (!SESSION_ATTRS.includes(attrs)) throw new TypeError("target_session_attrs must be read-write");
  return {
    hosts,
    user,
    password: parameters.get("password") ?? (password === "" ? undefined : password),
    database,
    sslMode: sslModeOf(parameters.get("sslmode"), hosts),
    sslRootCert: rootCertOf(parameters.get("sslrootcert")),
    applicationName: parameters.get("application_name") ?? "assent",
    maxConnections: connectionsOf(parameters.get("max_connections")),
  };
}

const PARAMETERS = [
  ...["host", "port", "password", "sslmode", "sslrootcert", "application_name"],
  ...["target_session_attrs", "max_connections"],
];

function parametersOf(query: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const pair of query.split("&").filter((each) => each !== "")) {
    const [name = "", value = ""] = pair.split(/=(.*)/s).map(decoded);
    if (!PARAMETERS.includes(name)) {
      throw new TypeError(`unknown parameter ${JSON.stringify(name)}; the known ones are ${PARAMETERS.join(", ")}`);
    }
    if (parameters.has(name)) throw new TypeError(`the parameter ${name} is given twice`);
    parameters.set(name, value);
  }
  return parameters;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new TypeError("a % begins no encoded character; write %25 for %");
  }
}

function hostsOf(list: string, ports: string | undefined): readonly Host[] {
  const given = ports?.split(",") ?? [];
  const hosts = list.split(",").map((each, at): Host => {
    const match = /^(\[[0-9a-fA-F:.]+\]|[^:]*)(?::(\d{1,5}))?$/.exec(each);
    const port = Number(match?.[2] ?? given[at] ?? given[0] ?? PORT);
    const host = decoded(match?.[1] ?? "").replace(/^\[|\]$/g, "");
    if (match === null || !/^(?:\/[^\0]*|[\w.:-]+)$/.test(host) || !(port >= 1 && port <= 65_535)) {
      throw new TypeError(`host ${at + 1} must be host:port`);
    }
    return { host, port };
  });
  if (hosts.length > 10) throw new TypeError("at most 10 hosts are allowed");
  return hosts;
}

/**
 * Anybody on the network can read a password that travels in clear text. So a server on another machine must prove its
 * identity, unless the URL says otherwise.
 */
function sslModeOf(text: string | undefined, hosts: readonly Host[]): SslMode {
  const local = hosts.every(({ host }) => isLocal(host));
  if (text === undefined) return local ? "prefer" : "verify-full";
  const mode = SSL_MODES.find((each) => each === text);
  if (mode === undefined) throw new TypeError(`sslmode must be one of ${SSL_MODES.join(", ")}`);
  if (mode === "prefer" && !local) {
    throw new TypeError(
      "sslmode=prefer lets an attacker on the network turn off encryption; use verify-full, or disable for no encryption",
    );
  }
  return mode;
}

function isLocal(host: string): boolean {
  return host.startsWith("/") || host === "localhost" || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

function rootCertOf(text: string | undefined): string | undefined {
  return text === undefined || text === "system" ? undefined : text;
}

function connectionsOf(text: string | undefined): number {
  if (text === undefined) return MAX_CONNECTIONS;
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 0;
  if (number < LEAST_CONNECTIONS || number > 500) {
    throw new TypeError(`max_connections must be a number from ${LEAST_CONNECTIONS} to 500`);
  }
  return number;
}

/**
 * The TLS options for `sslmode` (the names are libpq's). False: no TLS. Throws if the authorities' file can't be read.
 */
export function tlsOf({ sslMode, sslRootCert }: Address, { host }: Host): ConnectionOptions | false {
  if (sslMode === "disable" || host.startsWith("/")) return false;
  const ca = sslRootCert === undefined ? {} : { ca: readFileSync(sslRootCert) };
  // As in libpq, `require` verifies the server if the URL names authorities.
  const verifies = sslMode === "verify-full" || sslMode === "verify-ca" || sslRootCert !== undefined;
  if (!verifies) return { rejectUnauthorized: false };
  return {
    ...ca,
    rejectUnauthorized: true,
    ...(sslMode === "verify-full" ? {} : { checkServerIdentity: () => undefined }),
  };
}

/** The URL without its password, for messages. */
export function maskedUrl(url: string): string {
  let address: Address;
  try {
    address = parseAddress(url);
  } catch {
    return "postgres://…";
  }
  const hosts = address.hosts.map(({ host, port }) => `${isIP(host) === 6 ? `[${host}]` : host}:${port}`).join(",");
  return `postgres://${encodeURIComponent(address.user)}@${hosts}/${encodeURIComponent(address.database)}`;
}
