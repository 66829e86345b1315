/** The token endpoint: what all grants share (RFC 6749 §3.2). */

import type { TokenResponse } from "../access-token.ts";
import { authenticateClient } from "../client-authentication/index.ts";
import { refuse } from "../errors.ts";
import { grantTypes } from "../grants/index.ts";
import { parseOrRefuse } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";

/** A token request as it came over HTTP: method, size and content type have been checked. */
export interface TokenRequest {
  readonly body: string;
  /** Each Authorization header of the request. */
  readonly authorization: readonly string[];
}

/**
 * Answers a token request, or refuses it. The order is fixed: form, grant_type present, one credential, client authenticated,
 * grant type known, registered for it; then the grant's own parameters, scope, resource, and the row.
 */
export async function exchange(request: TokenRequest, context: OAuthContext): Promise<TokenResponse> {
  const parameters = parseOrRefuse(request.body);
  const name = parameters.single.get("grant_type") ?? refuse("grant_type_missing");
  const sent = { authorization: request.authorization, parameters: parameters.single };
  const client = await authenticateClient(sent, context);
  const grantType = grantTypes.get(name) ?? refuse("unsupported_grant_type");
  if (!client.grantTypes.includes(name)) refuse("grant_type_not_registered", name);
  return grantType.redeem({ ...parameters, client }, context);
}
