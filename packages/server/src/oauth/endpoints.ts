/** The endpoints of the protocol (RFC 6749 §3, RFC 8414 §2). */

/** Paths of the endpoints, relative to the issuer. */
export const endpoints = {
  authorization: "/authorize",
  token: "/token",
  revocation: "/revoke",
  introspection: "/introspect",
  deviceAuthorization: "/device_authorization",
  jwks: "/jwks",
  userInfo: "/userinfo",
  endSession: "/logout",
  registration: "/register",
} as const;

/** Path of the metadata for OpenID Connect, below the issuer (OpenID Connect Discovery §4). */
export const OPENID_CONFIGURATION = "/.well-known/openid-configuration";

/** Path of the metadata (RFC 8414 §3.1), from the host's root. `basePath`: the issuer's path without a slash at its end. */
export function metadataPath(basePath: string): string {
  return `/.well-known/oauth-authorization-server${basePath}`;
}
