/** Adapter for node:http, and for frameworks on top of it: Express, Connect, Polka. */

import type { IncomingMessage, ServerResponse } from "node:http";
import type { AccessTokenClaims } from "./access-token.ts";
import { ResourceServerError } from "./bearer-errors.ts";
import { setClaims } from "./claims-of-request.ts";
import { metadataResponses } from "./metadata-response.ts";
import { scopeNames, signInRequirement } from "./option-values.ts";
import type { Requirement, ResourceServer } from "./resource-server.ts";

export { claimsOf } from "./claims-of-request.ts";

/**
 * Protects a handler by a token. The handler runs only for accepted requests and gets the token's claims; the adapter
 * answers all others. It doesn't catch errors of the handler.
 * @returns a listener for `http.createServer`.
 * @throws {TypeError} immediately, if the scope names are wrong.
 */
export function withToken<Req extends IncomingMessage, Res extends ServerResponse>(
  api: ResourceServer,
  requirement: Requirement,
  handler: (request: Req, response: Res, claims: AccessTokenClaims) => unknown,
): (request: Req, response: Res) => Promise<void> {
  scopeNames(requirement.scope);
  signInRequirement(requirement);
  return async (request, response) => {
    const claims = await claimsOrAnswer(api, requirement, request, response);
    if (claims !== null) await handler(request, response, claims);
  };
}

/**
 * The same as a middleware: it calls `next()` only for accepted requests, and `claimsOf(request)` has the claims.
 * @throws {TypeError} immediately, if the scope names are wrong.
 */
export function requireToken(
  api: ResourceServer,
  requirement: Requirement = {},
): (request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void) => void {
  scopeNames(requirement.scope);
  signInRequirement(requirement);
  return (request, response, next) => {
    // `next` runs outside the promise, so that this code doesn't catch errors of later handlers.
    claimsOrAnswer(api, requirement, request, response).then(
      (claims) => {
        if (claims !== null) process.nextTick(next);
      },
      (error: unknown) => process.nextTick(next, error),
    );
  };
}

/**
 * Serves the API's document (RFC 9728 §3.1), as a middleware: `next` gets all other requests. Without `next`, they get
 * 404. In Express, use it at the top of the app, before other routes.
 * @throws {TypeError} immediately, if the API has no option `metadata`.
 */
export function serveMetadata(
  api: ResourceServer,
): (request: IncomingMessage, response: ServerResponse, next?: () => void) => void {
  const answerTo = metadataResponses(api);
  return (request, response, next) => {
    // Express shortens `url` below a router.
    const { originalUrl = request.url } = request as IncomingMessage & { readonly originalUrl?: string };
    const answer = answerTo(request.method, originalUrl);
    if (answer !== undefined) response.writeHead(answer.status, answer.headers).end(answer.body);
    else if (next !== undefined) next();
    else response.writeHead(404).end();
  };
}

/** Answers a refused request (RFC 6750 §3). Use it in handlers that call `api.protect` themselves. */
export function sendRefusal(response: ServerResponse, error: ResourceServerError): void {
  response.writeHead(error.status, error.headers).end(JSON.stringify(error.body));
}

async function claimsOrAnswer(
  api: ResourceServer,
  requirement: Requirement,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<AccessTokenClaims | null> {
  try {
    const claims = await api.protect(request, requirement);
    setClaims(request, claims);
    return claims;
  } catch (error) {
    if (!(error instanceof ResourceServerError)) throw error;
    sendRefusal(response, error);
    return null;
  }
}
