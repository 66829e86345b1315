/** Tells clients which authorization server an API trusts: protected resource metadata (RFC 9728 §2). */

export interface ProtectedResourceOptions {
  readonly issuer: string;
  /** The API's identifier: an https URL without fragment (§1.2). */
  readonly audience: string;
  /** The scopes that clients may ask for. */
  readonly scopes?: readonly string[];
  /** The API's name for people. */
  readonly name?: string;
}

export interface ProtectedResourceMetadata {
  readonly resource: string;
  readonly authorization_servers: readonly string[];
  readonly bearer_methods_supported: readonly ["header"];
  readonly scopes_supported?: readonly string[];
  readonly resource_name?: string;
}

/** The document to serve as JSON at `protectedResourceMetadataUrl(audience)`. */
export function protectedResourceMetadata(options: ProtectedResourceOptions): ProtectedResourceMetadata {
  return {
    resource: options.audience,
    authorization_servers: [options.issuer],
    bearer_methods_supported: ["header"],
    ...(options.scopes === undefined ? {} : { scopes_supported: options.scopes }),
    ...(options.name === undefined ? {} : { resource_name: options.name }),
  };
}

/**
 * The URL at which clients look for the document (§3.1): the well-known part is between host and path.
 * @throws {TypeError} `audience` is no URL.
 */
export function protectedResourceMetadataUrl(audience: string): string {
  const { origin, pathname, search } = new URL(audience);
  return `${origin}/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}${search}`;
}
