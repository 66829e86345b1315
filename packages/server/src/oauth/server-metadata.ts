/** Authorization server metadata (RFC 8414 §2): exactly what works. */

import { grantTypes } from "./grants/index.ts";
import type { Scope } from "./model.ts";

/** Paths of the endpoints, relative to the issuer. */
export const endpoints = {
  authorization: "/authorize",
  token: "/token",
  revocation: "/revoke",
  introspection: "/introspect",
  jwks: "/jwks",
} as const;

const SECRET_METHODS = ["client_secret_basic", "client_secret_post"] as const;

export function serverMetadata(issuer: string, scopes: Iterable<Scope>): Readonly<Record<string, unknown>> {
  return {
    issuer,
    authorization_endpoint: issuer + endpoints.authorization,
    token_endpoint: issuer + endpoints.token,
    jwks_uri: issuer + endpoints.jwks,
    scopes_supported: [...scopes].map(({ name }) => name).sort(),
    response_types_supported: ["code"],
    response_modes_supported: ["query", "form_post"],
    grant_types_supported: [...grantTypes.keys()],
    token_endpoint_auth_methods_supported: [...SECRET_METHODS, "none"],
    revocation_endpoint: issuer + endpoints.revocation,
    revocation_endpoint_auth_methods_supported: [...SECRET_METHODS, "none"],
    introspection_endpoint: issuer + endpoints.introspection,
    introspection_endpoint_auth_methods_supported: [...SECRET_METHODS],
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ["none", "login", "consent", "select_account"],
  };
}
