/** The token endpoint: the checks that all grant types share (RFC 6749 §3.2). */

import type { ClientCertificate } from "../client-authentication/client-certificate.ts";
import { authenticateClient } from "../client-authentication/index.ts";
import { refuse } from "../errors.ts";
import type { GrantRequest, GrantTypeDescriptor } from "../grants/grant-type.ts";
import type { GrantRegistry } from "../grants/registry.ts";
import type { TokenResponse } from "../issue-access-token.ts";
import type { Client } from "../model.ts";
import { type Parameters, type ParsedParameters, parseOrRefuse } from "../parameters.ts";
import type { OAuthContext, SenderConstraint } from "../ports.ts";
import { issue } from "./issue.ts";

/** A token request from HTTP, with its method, size and content type checked. */
export interface TokenRequest {
  readonly body: string;
  /** Each Authorization header of the request. */
  readonly authorization: readonly string[];
  /** The IP address of the request. */
  readonly address: string;
  /** The certificate of the client's connection (RFC 8705). Undefined: there is none. */
  certificate(): ClientCertificate | undefined;
}

/** Counts the issued tokens. */
export interface IssueObserver {
  tokenIssued(grantType: string): void;
}

export interface TokenEndpointContext extends OAuthContext {
  readonly grants: GrantRegistry;
}

/**
 * Answers a token request, or refuses it. The order is fixed: form, grant_type present, one credential, client
 * authenticated, grant type known, client registered for it; then the grant type's parameters, scope, resource, and the
 * row.
 */
export async function exchange(
  request: TokenRequest,
  context: TokenEndpointContext,
  observer: IssueObserver,
): Promise<TokenResponse> {
  const parameters = parseOrRefuse(request.body);
  const { single } = parameters;
  const name = single.get("grant_type") ?? refuse("grant_type_missing");
  const client = await authenticateClient({ ...request, parameters: single }, context);
  const constraint = constraintOf(client, request);
  const grantType = context.grants.redeemer(name) ?? refuse("unsupported_grant_type");
  if (!client.grantTypes.includes(name)) refuse("grant_type_not_registered", name);
  checkParameters(grantType, single);
  const asked: GrantRequest = {
    ...{ client, address: request.address, single },
    ...{ resource: oneResource(parameters), audiences: parameters.audience },
    thumbprint: () => request.certificate()?.thumbprint,
  };
  const response = await issue(await grantType.entitle(asked, context), asked, constraint, context);
  observer.tokenIssued(name);
  if (grantType.issuedTokenType === undefined) return response;
  return { ...response, issued_token_type: grantType.issuedTokenType(asked) };
}

/** RFC 8705 §3: an API takes the tokens of this client only over a connection with the client's certificate. */
function constraintOf(client: Client, request: TokenRequest): SenderConstraint {
  if (!client.certificateBound) return UNCONSTRAINED;
  return { certificateThumbprint: request.certificate()?.thumbprint ?? refuse("certificate_needed") };
}

const UNCONSTRAINED: SenderConstraint = {};

function checkParameters({ parameters }: GrantTypeDescriptor, single: Parameters): void {
  for (const name in parameters) {
    const missing = parameters[name];
    if (missing && !single.has(name)) refuse(missing, name);
  }
}

/** One token has one audience, so a token request names at most one API (RFC 8707 §2.2). */
function oneResource({ resource }: ParsedParameters): string | undefined {
  if (resource.length > 1 && new Set(resource).size > 1)
    refuse("resource_needed", "several resources in one token request");
  return resource[0];
}
