/** Authorization server metadata (RFC 8414 §2). It lists exactly what works. */

import { ACR_VALUES } from "./authentication-context.ts";
import { authenticationMethods } from "./client-authentication/index.ts";
import { endpoints } from "./endpoints.ts";
import { PUBLIC_KEY_ALGS, SECRET_ALGS } from "./foreign-jwk-set.ts";
import { type GrantRegistry, RESPONSE_TYPES } from "./grants/registry.ts";
import type { Scope } from "./model.ts";
import { openIdMetadata } from "./openid/metadata.ts";
import { tokenExchange } from "./token-exchange/index.ts";

/** Which client certificates the server can recognize (RFC 8705 §2). */
export interface CertificatesKnown {
  /** True: the certificate of a connection arrives, from any authority or none. */
  readonly any: boolean;
  /** True: the authority of certificates is verified. */
  readonly issued: boolean;
}

/** Where the response of each response type may be; a token is never in a query. */
const RESPONSE_MODES = { code: ["query", "form_post"], token: ["fragment", "form_post"] } as const;
/** In the order of the metadata document. */
const MODES = ["query", "fragment", "form_post"] as const;

/** The algs that can sign an assertion (RFC 8414 §2): the same at each endpoint. */
const SIGNING_ALGS = [...PUBLIC_KEY_ALGS, ...SECRET_ALGS];

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_JAG_PROFILE = "urn:ietf:params:oauth:grant-profile:id-jag";

export interface MetadataSettings {
  readonly customClaims: readonly { readonly claims: readonly string[] }[];
  /** `off`: an address is no client_id (draft-ietf-oauth-client-id-metadata-document-02 §6). Absent: off. */
  readonly clientIdMetadata?: "off" | "on" | readonly string[];
  /** `off`: clients can't register themselves (RFC 7591). Absent: off. */
  readonly registration?: "off" | "token" | "open";
}

/** `grants`: a grant type that is switched off appears in no list, and an endpoint that only it uses is left out. */
export function serverMetadata(
  issuer: string,
  scopes: Iterable<Scope>,
  grants: GrantRegistry,
  { any, issued }: CertificatesKnown = { any: false, issued: false },
  { customClaims, clientIdMetadata = "off", registration = "off" }: MetadataSettings = { customClaims: [] },
): Readonly<Record<string, unknown>> {
  const methods = authenticationMethods.filter(
    (method) => (any || method !== "self_signed_tls_client_auth") && (issued || method !== "tls_client_auth"),
  );
  return {
    issuer,
    ...(grants.leadsTo("authorization") ? { authorization_endpoint: issuer + endpoints.authorization } : {}),
    ...(grants.leadsTo("token") ? { token_endpoint: issuer + endpoints.token } : {}),
    jwks_uri: issuer + endpoints.jwks,
    scopes_supported: [...scopes].map(({ name }) => name).sort(),
    ...authorizationMetadata(grants),
    ...(clientIdMetadata !== "off" && grants.offers("authorization_code")
      ? { client_id_metadata_document_supported: true }
      : {}),
    ...(registration === "off" ? {} : { registration_endpoint: issuer + endpoints.registration }),
    grant_types_supported: grants.offered,
    // draft-ietf-oauth-identity-assertion-authz-grant-03 §7.2. It never tells which issuers are trusted.
    ...(grants.offers(JWT_BEARER) ? { authorization_grant_profiles_supported: [ID_JAG_PROFILE] } : {}),
    ...(grants.offers(tokenExchange.grantType) ? { identity_chaining_requested_token_types_supported: [ID_JAG] } : {}),
    token_endpoint_auth_methods_supported: methods,
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    revocation_endpoint: issuer + endpoints.revocation,
    revocation_endpoint_auth_methods_supported: methods,
    revocation_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    ...(grants.leadsTo("deviceAuthorization")
      ? { device_authorization_endpoint: issuer + endpoints.deviceAuthorization }
      : {}),
    introspection_endpoint: issuer + endpoints.introspection,
    introspection_endpoint_auth_methods_supported: methods.filter((method) => method !== "none"),
    introspection_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    ...(any ? { tls_client_certificate_bound_access_tokens: true } : {}),
    ...(grants.leadsTo("authorization")
      ? openIdMetadata(
          issuer,
          customClaims.flatMap(({ claims }) => claims),
        )
      : {}),
  };
}

/** What the authorization endpoint supports. Without that endpoint, only `response_types_supported` is required. */
function authorizationMetadata(grants: GrantRegistry): Readonly<Record<string, unknown>> {
  const types = (["code", "token"] as const).filter((type) => grants.offers(RESPONSE_TYPES[type]));
  if (types.length === 0) return { response_types_supported: [] };
  const modes = new Set<string>(types.flatMap((type) => RESPONSE_MODES[type]));
  return {
    response_types_supported: types,
    response_modes_supported: MODES.filter((mode) => modes.has(mode)),
    ...(types.includes("code") ? { code_challenge_methods_supported: ["S256"] } : {}),
    authorization_response_iss_parameter_supported: true,
    acr_values_supported: [...ACR_VALUES],
    prompt_values_supported: ["none", "login", "consent", "select_account"],
  };
}
