/** Reads the access token from a request: only from the Authorization header (RFC 6750 §2.1). */

import type { Refuse, ResourceServerError } from "./bearer-errors.ts";

/**
 * A request of node:http or http2, also Express' request. It reads `rawHeaders`, because `headers` hides a repeated
 * Authorization.
 */
export interface NodeRequest {
  readonly rawHeaders: readonly string[];
  readonly url?: string | undefined;
}

/** A request of the Fetch standard (Hono's `c.req.raw`, the argument of a Deno or Bun handler). */
export interface FetchRequest {
  readonly headers: { get(name: string): string | null };
  readonly url: string;
}

export type ProtectableRequest = NodeRequest | FetchRequest;

/**
 * The b64token of RFC 6750 §2.1 after any number of spaces (RFC 9110 §11.4). The scheme is case-insensitive (§11.1).
 */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The scheme Bearer at the start, or after the comma with which Fetch joins repeated headers, but not inside a longer
 * word.
 */
const NAMES_BEARER = /(?:^|,)[ \t]*bearer(?![\w!#$%&'*+.^`|~-])/i;

/**
 * The token of a request, or the refusal.
 * @throws {TypeError} `request` is neither kind of request. This is a mistake of the program, never of a client.
 */
export function bearerToken(request: ProtectableRequest, refuse: Refuse): string | ResourceServerError {
  const headers = authorizationHeaders(request);
  const [header, second] = headers;
  if (second !== undefined) return refuse("credentials_repeated", `${headers.length} Authorization headers`);
  if (header === undefined || header === "") return refuse("token_missing", "no Authorization header");
  if (!NAMES_BEARER.test(header)) {
    return refuse("token_missing", "the Authorization header has another scheme");
  }
  const token = BEARER.exec(header)?.[1];
  if (token === undefined) return refuse("credentials_malformed", "no single token after Bearer");
  if (hasQueryToken(request.url)) return refuse("token_sent_twice", "access_token in the query as well");
  return token;
}

function authorizationHeaders(request: ProtectableRequest): string[] {
  if ("rawHeaders" in request && Array.isArray(request.rawHeaders)) {
    const { rawHeaders } = request;
    return rawHeaders.filter((_, i) => i % 2 === 1 && rawHeaders[i - 1]?.toLowerCase() === "authorization");
  }
  if ("headers" in request && typeof request.headers?.get === "function") {
    // Fetch joins repeated headers with a comma, which no token contains. So they count as malformed.
    const header = request.headers.get("authorization");
    return header === null ? [] : [header];
  }
  throw new TypeError("protect() takes a node:http request or a Fetch Request (with Fastify: request.raw)");
}

/**
 * RFC 6750 §2 allows one way to send a token in a request. A token in the query is never used, but refused beside the
 * header.
 */
function hasQueryToken(url: string | undefined): boolean {
  const start = url?.indexOf("?") ?? -1;
  return url !== undefined && start >= 0 && new URLSearchParams(url.slice(start + 1)).has("access_token");
}
