/** What clients that register themselves may have, for all or for one initial access token (RFC 7591 §1.2, §5). */

/** What a client that registered itself may be. */
export interface RegistrationPolicy {
  readonly grantTypes: readonly string[];
  /** Null: all scopes that every owner may grant. */
  readonly scopes: readonly string[] | null;
  /** Hosts of redirect URIs, as `redirectHostOf` writes them. Null: all. */
  readonly redirectHosts: readonly string[] | null;
  /** The scopes of its requests that name none. */
  readonly defaultScopes: readonly string[];
}

/** What an operator decides about the clients of one initial access token. Without a token, each has its default. */
export interface ClientTerms {
  /** True: as if the operator had reviewed the client. A client that changes its name or its host loses it. Default false. */
  readonly reviewed: boolean;
  /** False: confidential clients may leave out PKCE. Default true. */
  readonly requirePkce: boolean;
  /** True: the token endpoint's URL is also accepted as the audience of their assertions. Default false. */
  readonly tokenEndpointAudience: boolean;
}

/** Which parts of the server's policy an initial access token replaces, and its terms. */
export type OwnPolicy = {
  readonly [Part in keyof RegistrationPolicy]: RegistrationPolicy[Part] | null;
} & Partial<ClientTerms>;
