/** A request and an answer as the endpoints see them: parsed once, free of the HTTP library. */

import type { ClientCertificate } from "../oauth/client-authentication/client-certificate.ts";
import type { Parameters } from "../oauth/parameters.ts";

export interface HttpRequest {
  readonly method: string;
  /** Path without the query, as it came. */
  readonly path: string;
  /** Named parts of the route's path. */
  readonly params: Readonly<Record<string, string>>;
  /** Raw query, without the question mark. */
  readonly query: string;
  /** The body as text; empty where there is none. */
  readonly body: string;
  /** Value of a header that came once or was joined; undefined: it didn't come. */
  header(name: string): string | undefined;
  /** Every occurrence of a header. */
  headers(name: string): readonly string[];
  /** The peer, or whom a trusted proxy names. */
  readonly address: string;
  /** True where a trusted proxy says that the request came without TLS. */
  readonly insecure: boolean;
  /** The certificate with which the client opened its connection; undefined: there is none. Read anew each time. */
  certificate(): ClientCertificate | undefined;
  readonly id: string;
}

export interface Answer {
  readonly status: number;
  /** Names in lower case. Frozen: shared by many answers, so that their lines are made once. */
  readonly headers: Readonly<Record<string, string>>;
  readonly cookies?: readonly string[];
  readonly body: string | Uint8Array;
}

const NO_STORE = { "cache-control": "no-store", pragma: "no-cache" } as const;

/** Opened in a browser's tab, it is text and nothing else. */
const JSON_TYPE = {
  "content-type": "application/json; charset=utf-8",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const;

const JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({ ...JSON_TYPE, ...NO_STORE });

const CACHED_JSON_HEADERS: Readonly<Record<string, string>> = Object.freeze({
  ...JSON_TYPE,
  "cache-control": "public, max-age=300",
});

/** JSON that no cache keeps (RFC 6749 §5.1). */
export function json(status: number, body: unknown, headers?: Readonly<Record<string, string>>): Answer {
  return {
    status,
    headers: headers === undefined ? JSON_HEADERS : { ...JSON_HEADERS, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  };
}

/** JSON that may be cached for five minutes: metadata and keys. */
export function cachedJson(body: string): Answer {
  return { status: 200, headers: CACHED_JSON_HEADERS, body };
}

/** `form-action` stays out where a form leads to a client's redirect: browsers apply it to the whole chain. */
export type FormLeads = "here" | "to a client";

const CSP =
  "default-src 'none'; style-src 'self'; img-src 'self' data:; script-src 'self'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";

/** A page: never framed, never cached, no script or style but our own files. */
export function page(status: number, html: string, leads: FormLeads = "here", cookies: readonly string[] = []): Answer {
  return {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": leads === "here" ? `${CSP}; form-action 'self'` : CSP,
      "x-frame-options": "DENY",
      "cross-origin-opener-policy": "same-origin",
      // A sibling of our host is the same site: its pages' requests carry our cookies.
      "cross-origin-resource-policy": "same-origin",
      "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=()",
      ...NO_STORE,
    },
    cookies,
    body: html,
  };
}

/** 302 to a client's redirect_uri (RFC 6749 §4.1.2), 303 to a page of ours after a POST; never 307 (RFC 9700 §4.12). */
export function redirect(status: 302 | 303, location: string, cookies: readonly string[] = []): Answer {
  return { status, headers: { location, ...NO_STORE }, cookies, body: "" };
}

/** The values of a page's form; fields such as `scope` may repeat. Bounded by the body's limit. */
export function formOf(request: HttpRequest): URLSearchParams {
  const type = request.header("content-type")?.split(";", 1)[0]?.trim().toLowerCase();
  return new URLSearchParams(type === "application/x-www-form-urlencoded" ? request.body : "");
}

/** The parameters of a query as they are again in a link to it. */
export function queryOf(parameters: Parameters, resource: readonly string[]): string {
  const query = new URLSearchParams([...parameters]);
  for (const one of resource) query.append("resource", one);
  return query.toString();
}

/** On every answer. */
export function commonHeaders(issuer: string): Readonly<Record<string, string>> {
  return {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    ...(issuer.startsWith("https:") ? { "strict-transport-security": "max-age=31536000; includeSubDomains" } : {}),
  };
}
