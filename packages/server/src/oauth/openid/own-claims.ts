/** Claims that an operator adds to those of the server (OpenID Connect Core §5.1.2). */

/** The person whose claims somebody asks for. */
export interface ClaimsSubject {
  /** The person: the `sub` of ID tokens and UserInfo. */
  readonly sub: string;
  /** The company for which the person acts. Null: for themselves. */
  readonly organization: string | null;
  /** The client that gets the claims. */
  readonly clientId: string;
}

type Claims = Readonly<Record<string, unknown>>;

/** Both functions refuse with `custom_claims_failed` if claims can't be had. */
export interface OwnClaims {
  /** The scope that gives a claim. Undefined: it is none of these claims. */
  scopeOf(claim: string): string | undefined;
  /** All claims of these scopes. */
  ofScopes(scopes: readonly string[], about: ClaimsSubject): Promise<Claims>;
  /** The claims of these names. */
  named(names: readonly string[], about: ClaimsSubject): Promise<Claims>;
}
