/** The implicit grant: an access token instead of a code (RFC 6749 §4.2.2, RFC 9700 §2.1.2). */

import { issueAccessToken, longest, policyAbout, subjectOf, withinPolicy } from "../issue-access-token.ts";
import type { GrantedScope, Millis } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import type { NewGrant } from "../storage.ts";
import type { AuthorizationRequest } from "./request.ts";
import { type AuthorizationResponse, codeResponse, implicitResponse } from "./response.ts";

/**
 * When the last token of a grant without a code has expired, including the token of a second click at the last moment.
 * Epoch milliseconds.
 */
export function implicitUntil({ policy, now }: Pick<OAuthContext, "policy" | "now">): Millis {
  return now() + policy.codeTtl + policy.implicitTtl;
}

/**
 * The response to a request that was granted. `grant`, `scopes`: as stored. Calls `makeCode` only if the request wants
 * a code; a grant for a token has none.
 */
export async function grantedResponse(
  request: AuthorizationRequest,
  grant: NewGrant,
  scopes: readonly GrantedScope[],
  makeCode: () => string,
  context: OAuthContext,
): Promise<AuthorizationResponse> {
  if (request.responseType === "code") return codeResponse(request, makeCode(), context.issuer);
  // The request's scopes belong to one API, and so do those that the owner granted.
  const audience = request.audience ?? context.issuer;
  const { implicitTtl } = context.policy;
  const { client } = request;
  const question = { subject: subjectOf(grant), client, scopes, audience };
  const decision = await policyAbout({ ...question, grantType: "implicit" }, context);
  const parts = { ...question, scopes: withinPolicy(decision, scopes), ...longest(decision, implicitTtl) };
  const { token, expiresIn, scope } = await issueAccessToken(parts, context);
  return implicitResponse(request, { accessToken: token, expiresIn, scope }, context.issuer);
}
