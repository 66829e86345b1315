/** Adapter for Hono. It describes Hono's types instead of importing them, so that other APIs need not install Hono. */

import { ResourceServerError } from "./bearer-errors.ts";
import { setClaims } from "./claims-of-request.ts";
import { refusalResponse, serveMetadata as serve } from "./fetch.ts";
import { scopeNames, signInRequirement } from "./option-values.ts";
import type { Requirement, ResourceServer } from "./resource-server.ts";

export { claimsOf } from "./claims-of-request.ts";

/** The members of a Hono Context that the adapter uses. */
export interface HonoContextLike {
  readonly req: { readonly raw: Request };
}

/** A middleware as Hono calls it. */
// biome-ignore lint/suspicious/noConfusingVoidType: this is Hono's own type of a middleware.
export type HonoMiddleware = (context: HonoContextLike, next: () => Promise<void>) => Promise<Response | void>;

/**
 * Lets only accepted requests through; `claimsOf(c)` has the claims.
 * @throws {TypeError} immediately, if the scope names are wrong.
 */
export function requireToken(api: ResourceServer, requirement: Requirement = {}): HonoMiddleware {
  scopeNames(requirement.scope);
  signInRequirement(requirement);
  return async (context, next) => {
    try {
      setClaims(context, await api.protect(context.req.raw, requirement));
    } catch (error) {
      if (!(error instanceof ResourceServerError)) throw error;
      return refusalResponse(error);
    }
    await next();
    return undefined;
  };
}

/**
 * Serves the API's document (RFC 9728 §3.1): `app.use(serveMetadata(api))`.
 * @throws {TypeError} immediately, if the API has no option `metadata`.
 */
export function serveMetadata(api: ResourceServer): HonoMiddleware {
  const answerTo = serve(api);
  return async (context, next) => {
    const answer = answerTo(context.req.raw);
    if (answer !== undefined) return answer;
    await next();
    return undefined;
  };
}
