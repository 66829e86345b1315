/** Adapter for Fastify. Its types are described, not imported: an API without Fastify need not install it. */

import { setClaims } from "./accepted-claims.ts";
import type { NodeRequest } from "./bearer-token.ts";
import { ResourceServerError } from "./errors.ts";
import { scopeNames, signInRequirement } from "./options.ts";
import type { Requirement, ResourceServer } from "./resource-server.ts";

export { claimsOf } from "./accepted-claims.ts";

/** What is needed of a FastifyRequest. */
export interface FastifyRequestLike {
  readonly raw: NodeRequest;
}

/** What is needed of a FastifyReply. */
export interface FastifyReplyLike {
  code(status: number): unknown;
  headers(headers: Record<string, string>): unknown;
  send(body: unknown): unknown;
}

/**
 * A hook that lets accepted requests through alone; `claimsOf(request)` has the claims. As a route's `onRequest` it protects that
 * route, by `addHook("onRequest", …)` every route of the plugin. Use `onRequest`, not `preHandler`: the bodies of strangers
 * need not be read.
 * @throws {TypeError} at once, if the scope names are wrong.
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
      // Fastify's sign that the request is answered.
      return reply;
    }
  };
}
