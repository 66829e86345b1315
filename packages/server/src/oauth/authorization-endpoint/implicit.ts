/** The implicit grant: an access token in place of a code (RFC 6749 §4.2.2, RFC 9700 §2.1.2). */

import { issueAccessToken, subjectOf } from "../access-token.ts";
import type { GrantedScope, Millis } from "../model.ts";
import type { OAuthContext } from "../ports.ts";
import type { NewGrant } from "../storage.ts";
import type { AuthorizationRequest } from "./request.ts";
import { type AuthorizationResponse, codeResponse, implicitResponse } from "./response.ts";

/** When the last token of a grant that is answered without a code has ended: that of a second click, made as late as it may come. Epoch milliseconds. */
export function implicitUntil({ policy, now }: Pick<OAuthContext, "policy" | "now">): Millis {
  return now() + policy.codeTtl + policy.implicitTtl;
}

/**
 * The answer to a request that was granted. `grant`, `scopes`: as they were stored. `makeCode` is asked only where the request wants a code:
 * for a token there never is one.
 */
export async function grantedResponse(
  request: AuthorizationRequest,
  grant: NewGrant,
  scopes: readonly GrantedScope[],
  makeCode: () => string,
  context: OAuthContext,
): Promise<AuthorizationResponse> {
  if (request.responseType === "code") return codeResponse(request, makeCode(), context.issuer);
  // The request's scopes are of one API, and so are those that the owner granted of them.
  const audience = request.audience ?? context.issuer;
  const { implicitTtl } = context.policy;
  const parts = { subject: subjectOf(grant), client: request.client, scopes, audience, most: implicitTtl };
  const { token, expiresIn, scope } = await issueAccessToken(parts, context);
  return implicitResponse(request, { accessToken: token, expiresIn, scope }, context.issuer);
}
