/**
 * Adapter for Fastify. It describes Fastify's types instead of importing them, so that other APIs need not install
 * Fastify.
 */

import { ResourceServerError } from "./bearer-errors.ts";
import type { NodeRequest } from "./bearer-token.ts";
import { setClaims } from "./claims-of-request.ts";
import { metadataResponses } from "./metadata-response.ts";
import { scopeNames, signInRequirement } from "./option-values.ts";
import type { Requirement, ResourceServer } from "./resource-server.ts";

export { claimsOf } from "./claims-of-request.ts";

/** The members of a FastifyRequest that the adapter uses. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest & { readonly method?: string | undefined };
}

/** The members of a FastifyReply that the adapter uses. */
export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: unknown): unknown;
}

/**
 * A hook that lets only accepted requests through; `claimsOf(request)` has the claims. As the `onRequest` of a route it
 * protects that route. With `addHook("onRequest", …)` it protects every route of the plugin. Use `onRequest`, not
 * `preHandler`, so that the server doesn't read the bodies of refused requests.
 * @throws {TypeError} immediately, if the scope names are wrong.
 */
export function requireToken(
  api: ResourceServer,
  requirement: Requirement = {},
): (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown> {
  scopeNames(requirement.scope);
  signInRequirement(requirement);
  return async (request, reply) => {
    try {
      setClaims(request, await api.protect(request.raw, requirement));
      return undefined;
    } catch (error) {
      if (!(error instanceof ResourceServerError)) throw error;
      reply.code(error.status);
      reply.headers({ ...error.headers });
      reply.send(JSON.stringify(error.body));
      // Returning `reply` tells Fastify that the request is answered.
      return reply;
    }
  };
}

/**
 * Serves the API's document (RFC 9728 §3.1): `app.addHook("onRequest", serveMetadata(api))`, before other hooks.
 * @throws {TypeError} immediately, if the API has no option `metadata`.
 */
export function serveMetadata(
  api: ResourceServer,
): (request: FastifyRequestLike, reply: FastifyReplyLike) => Promise<unknown> {
  const answerTo = metadataResponses(api);
  return async ({ raw }, reply) => {
    const answer = answerTo(raw.method, raw.url);
    if (answer === undefined) return undefined;
    reply.code(answer.status);
    reply.headers({ ...answer.headers });
    reply.send(answer.body);
    return reply;
  };
}
