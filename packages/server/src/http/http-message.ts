/** A request and a response as endpoints see them: parsed once, independent of the HTTP library. */

import type { ClientCertificate } from "../oauth/client-authentication/client-certificate.ts";
import type { Millis } from "../oauth/model.ts";
import type { Parameters } from "../oauth/parameters.ts";

export interface HttpRequest {
  readonly method: string;
  /** The path without the query, as it was sent. */
  readonly path: string;
  /** Named parts of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** The raw query without the question mark. */
  readonly query: string;
  /** The body as text; empty if there is none. */
  readonly body: string;
  /** The form with a file, at endpoints that take one. */
  readonly upload?: Upload | undefined;
  /** The value of a header that was sent once or was joined. Undefined: it was not sent. */
  header(name: string): string | undefined;
  /** Every occurrence of a header. */
  headers(name: string): readonly string[];
  /** The address of the peer, or the one that a trusted proxy names. */
  readonly address: string;
  /** True if a trusted proxy says that the request came without TLS. */
  readonly insecure: boolean;
  /** The certificate of the client's connection. Undefined: there is none. Reads it again at each call. */
  certificate(): ClientCertificate | undefined;
  readonly id: string;
}

/** A form with a file. */
export interface Upload {
  /** Empty if the form could not be read. */
  readonly fields: URLSearchParams;
  /** `busy`: too many files arrive at once. */
  readonly file: Uint8Array | "none" | "too_large" | "busy";
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. Frozen, because many responses share them, so that their lines are made once. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string | Uint8Array;
}

const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** With these headers, a browser shows it as text and never runs it. */
const JSON_TYPE = {
  "content-type": "application/json; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({ ...JSON_TYPE, ...NO_STORE });

const CACHED_JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...JSON_TYPE,
  "cache-control": "public, max-age=300",
});

/** JSON that no cache may keep (RFC 6749 §5.1). */
export function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** JSON that caches may keep for five minutes: metadata and keys. */
export function cachedJson(body: string): Answer {
  return { status: 200, headers: CACHED_JSON_HEADERS, body };
}

/**
 * A form that leads to a client's redirect has no `form-action`, because browsers apply it to the whole chain of
 * redirects.
 */
export type FormLeads = "here" | "to a client";

const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** A page: never framed, never cached, with scripts and styles from this server's own files only. */
export function page(status: number, html: string, leads: FormLeads = "here", cookies: readonly string[] = []): Answer {
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": leads === "here" ? `${CSP}; form-action 'self'` : CSP,
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      // A sibling of this host is the same site, so its pages' requests carry this server's cookies.
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      ...NO_STORE,
    },
    cookies,
    body: html,
  };
}

/**
 * 302 to a client's redirect_uri (RFC 6749 §4.1.2), 303 to a page of this server after a POST; never 307 (RFC 9700
 * §4.12).
 */
export function redirect(status: 302 | 303, location: string, cookies: readonly string[] = []): Answer {
  return { status, headers: { location, ...NO_STORE }, cookies, body: "" };
}

/** The same answer, with the seconds after which another try makes sense (RFC 9110 §10.2.3). */
export function later(answer: Answer, seconds: number): Answer {
  return { ...answer, headers: { ...answer.headers, "retry-after": String(seconds) } };
}

/** How long somebody has to wait, as a page and a header say it: at least 1. */
export function waitUntil(until: Millis, now: Millis): { readonly minutes: number; readonly seconds: number } {
  const wait = Math.max(1, until - now);
  return { minutes: Math.ceil(wait / 60_000), seconds: Math.ceil(wait / 1000) };
}

/** The values of a page's form. Fields such as `scope` may repeat. The body's limit bounds them. */
export function formOf(request: HttpRequest): URLSearchParams {
  if (request.upload !== undefined) return request.upload.fields;
  const type = request.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return new URLSearchParams(type === "application/x-www-form-urlencoded" ? request.body : "");
}

/** The parameters of a query in the form of a link. */
export function queryOf(parameters: Parameters, resource: readonly string[]): string {
  const query = new URLSearchParams([...parameters]);
  for (const one of resource) query.append("resource", one);
  return query.toString();
}

/** Headers of every response. */
export function commonHeaders(issuer: string): Readonly<Record<string, string>> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...(issuer.startsWith("https:") ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}
