/** The token endpoint: what all grants share (RFC 6749 §3.2). */

import type { TokenResponse } from "../access-token.ts";
import type { ClientCertificate } from "../client-authentication/client-certificate.ts";
import { authenticateClient } from "../client-authentication/index.ts";
import { refuse } from "../errors.ts";
import { parseOrRefuse } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";

/** A token request as it came over HTTP: method, size and content type have been checked. */
export interface TokenRequest {
  readonly body: string;
  /** Each Authorization header of the request. */
  readonly authorization: readonly string[];
  /** Where it came from. */
  readonly address: string;
  /** The certificate with which the client opened its connection (RFC 8705); undefined: there is none. */
  certificate(): ClientCertificate | undefined;
}

/** Who counts what was issued. */
export interface IssueObserver {
  tokenIssued(grantType: string): void;
}

/**
 * Answers a token request, or refuses it. The order is fixed: form, grant_type present, one credential, client authenticated,
 * grant type known, registered for it; then the grant's own parameters, scope, resource, and the row.
 */
export async function exchange(
  request: TokenRequest,
  context: OAuthContext,
  observer: IssueObserver,
): Promise<TokenResponse> {
  const parameters = parseOrRefuse(request.body);
  const name = parameters.single.get("grant_type") ?? refuse("grant_type_missing");
  const client = await authenticateClient({ ...request, parameters: parameters.single }, context);
  const bound = client.certificateBound ? boundTo(request.certificate(), context) : context;
  const grantType = context.grants.redeemer(name) ?? refuse("unsupported_grant_type");
  if (!client.grantTypes.includes(name)) refuse("grant_type_not_registered", name);
  const response = await grantType.redeem({ ...parameters, client, address: request.address }, bound);
  observer.tokenIssued(name);
  return response;
}

/**
 * RFC 8705 §3: every token of this request names the certificate, whatever grant it comes of; an API takes it over a connection with that certificate
 * alone.
 */
function boundTo(certificate: ClientCertificate | undefined, context: OAuthContext): OAuthContext {
  const certificateThumbprint = certificate?.thumbprint ?? refuse("certificate_needed");
  const { accessTokens } = context;
  return {
    ...context,
    accessTokens: {
      sign: (claims) => accessTokens.sign({ ...claims, certificateThumbprint }),
      verify: (token, now) => accessTokens.verify(token, now),
    },
  };
}
