/** The metadata of a stored client (RFC 7591 §2), to which an operator's changes are added. */

import type { ClientMetadata } from "../oauth/client-registration/metadata.ts";
import type { Client } from "../oauth/model.ts";

/** The client's registration in the form of RFC 7591. */
export function metadataOf(client: Client): ClientMetadata {
  return {
    client_name: client.name,
    redirect_uris: client.redirectUris,
    grant_types: client.grantTypes,
    response_types: client.responseTypes,
    scope: client.scopes.join(" "),
    token_endpoint_auth_method: client.authMethod,
    jwks: client.jwks === null ? null : JSON.parse(client.jwks),
    jwks_uri: client.jwksUri,
    ...(client.tlsSubject === null ? {} : { [client.tlsSubject.field]: client.tlsSubject.value }),
    tls_client_certificate_bound_access_tokens: client.certificateBound,
    id_token_signed_response_alg: client.idTokenAlg ?? null,
    post_logout_redirect_uris: client.postLogoutRedirectUris ?? [],
    backchannel_logout_uri: client.backchannelLogoutUri ?? null,
    backchannel_logout_session_required: client.backchannelLogoutSessionRequired ?? null,
    client_uri: client.clientUri,
    policy_uri: client.policyUri,
    tos_uri: client.tosUri,
    optional_scope: client.optionalScopes?.join(" ") ?? null,
    ...Object.fromEntries(Object.entries(client.names ?? {}).map(([tag, name]) => [`client_name#${tag}`, name])),
  };
}
