/** The endpoints of the protocol (RFC 6749 §3, RFC 8414 §2). */

/** Paths of the endpoints, relative to the issuer. */
export const endpoints = {
  authorization: "/authorize",
  token: "/token",
  revocation: "/revoke",
  introspection: "/introspect",
  deviceAuthorization: "/device_authorization",
  jwks: "/jwks",
} as const;
