/** The response to a request for the API's own document (RFC 9728 §3), the same in every adapter. */

import type { ResourceServer } from "./resource-server.ts";

export interface MetadataResponse {
  readonly status: 200 | 204 | 405;
  readonly headers: Readonly<Record<string, string>>;
  /** Empty if the status allows no body. For HEAD, the server leaves it out. */
  readonly body: string;
}

/** Scripts of any site may read the document: it is public. */
const CORS = { "access-control-allow-origin": "*" } as const;
const METHODS = "GET, HEAD, OPTIONS";

/**
 * Prepares the responses of an API.
 * @returns the response to a method and a request target. Undefined: the target is another one. It compares the path
 * alone, so that no Host header and no forwarded header changes the answer.
 * @throws {TypeError} the API has no document.
 */
export function metadataResponses(
  api: Pick<ResourceServer, "metadata">,
): (method: string | undefined, target: string | undefined) => MetadataResponse | undefined {
  if (api.metadata === null) throw new TypeError("createResourceServer needs the option metadata");
  const { path, document } = api.metadata;
  const withQuery = path.includes("?");
  const headers = {
    ...CORS,
    "content-type": "application/json",
    "cache-control": "public, max-age=300",
    "x-content-type-options": "nosniff",
  };
  const found = { status: 200, headers, body: JSON.stringify(document) } as const;
  return (method = "GET", target = "") => {
    const asked = originForm(target);
    if ((withQuery ? asked : asked.split("?", 1)[0]) !== path) return undefined;
    if (method === "GET" || method === "HEAD") return found;
    if (method === "OPTIONS") {
      const allowed = { "access-control-allow-methods": METHODS, "access-control-allow-headers": "*" };
      return { status: 204, headers: { ...CORS, ...allowed, allow: METHODS }, body: "" };
    }
    return { status: 405, headers: { ...CORS, allow: METHODS }, body: "" };
  };
}

/** RFC 9112 §3.2: a request may name its target as a path or as a whole URL. */
function originForm(target: string): string {
  if (target.startsWith("/")) return target;
  const url = URL.parse(target);
  return url === null ? "" : url.pathname + url.search;
}
