/** Adapter for handlers of the Fetch standard: Deno, Bun, Cloudflare Workers, Next.js route handlers, SvelteKit. */

import type { AccessTokenClaims } from "./access-token.ts";
import { ResourceServerError } from "./bearer-errors.ts";
import { metadataResponses } from "./metadata-response.ts";
import { scopeNames, signInRequirement } from "./option-values.ts";
import type { Requirement, ResourceServer } from "./resource-server.ts";

/**
 * Protects a handler by a token. The handler runs only for accepted requests and gets the token's claims; the adapter
 * answers all others. Further arguments of the runtime follow the claims.
 * @throws {TypeError} immediately, if the scope names are wrong.
 */
export function withToken<Rest extends readonly unknown[]>(
  api: ResourceServer,
  requirement: Requirement,
  handler: (request: Request, claims: AccessTokenClaims, ...rest: Rest) => Response | Promise<Response>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  scopeNames(requirement.scope);
  signInRequirement(requirement);
  return async (request, ...rest) => {
    let claims: AccessTokenClaims;
    try {
      claims = await api.protect(request, requirement);
    } catch (error) {
      if (!(error instanceof ResourceServerError)) throw error;
      return refusalResponse(error);
    }
    return handler(request, claims, ...rest);
  };
}

/** The response to a refused request (RFC 6750 §3). Use it in handlers that call `api.protect` themselves. */
export function refusalResponse(error: ResourceServerError): Response {
  return Response.json(error.body, { status: error.status, headers: error.headers });
}

/**
 * Serves the API's document (RFC 9728 §3.1).
 * @returns a function that answers requests for the document, and returns undefined for others.
 * @throws {TypeError} immediately, if the API has no option `metadata`.
 */
export function serveMetadata(api: ResourceServer): (request: Request) => Response | undefined {
  const answerTo = metadataResponses(api);
  return ({ method, url }) => {
    const answer = answerTo(method, url);
    if (answer === undefined) return undefined;
    const { status, headers, body } = answer;
    return new Response(body === "" || method === "HEAD" ? null : body, { status, headers });
  };
}
