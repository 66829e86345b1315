/** What the authorization server talks about: clients, scopes, resources, grants, consents (RFC 6749 §1). Types only. */

/** How many partitions owners are spread over; the first two bytes of an owner's, grant's or session's id name one. Never changes. */
export const PARTITIONS = 1024;

/** Milliseconds since the epoch. */
export type Millis = number;

/** A value that is there already, or will be: what is held in memory makes nobody wait. */
export type Soon<T> = T | Promise<T>;

/** A time so far ahead that it never comes: what "forever" is in a column that must hold a number. */
export const NEVER: Millis = 9_007_199_254_740_991;

export type ClientAuthMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "tls_client_auth"
  | "self_signed_tls_client_auth"
  | "none";

/** What a certificate must say of its subject (RFC 8705 §2.1.2): one of them. */
export interface TlsSubject {
  readonly field:
    | "tls_client_auth_subject_dn"
    | "tls_client_auth_san_dns"
    | "tls_client_auth_san_uri"
    | "tls_client_auth_san_ip"
    | "tls_client_auth_san_email";
  readonly value: string;
}

/** One secret of a client. The secret itself is known to the client alone; 256 random bits need no slow hash. */
export interface ClientSecret {
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  readonly createdAt: Millis;
  /** Set when a rotation gave it a last day. */
  readonly expiresAt: Millis | null;
}

/** A registered client (RFC 6749 §2; RFC 7591 §2 names the fields on the wire). */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly type: "confidential" | "public";
  readonly status: "active" | "disabled";
  readonly redirectUris: readonly string[];
  /** The redirect URIs that it had when consents began to note their hosts: consents from before hold for these. Absent: none. */
  readonly earlierRedirectUris?: readonly string[];
  readonly grantTypes: readonly string[];
  readonly responseTypes: readonly string[];
  /** Scopes that it may ask of owners. */
  readonly scopes: readonly string[];
  /** Scopes that it holds for itself (client credentials). */
  readonly ownScopes: readonly string[];
  readonly authMethod: ClientAuthMethod;
  readonly secrets: readonly ClientSecret[];
  /** The secret of a `client_secret_jwt` client, sealed under a key outside the database: HMAC needs it whole. base64url; null for all others. */
  readonly sealedSecret: string | null;
  /** Its public keys, a JWK Set in JSON (RFC 7591 §2); null: none, or at `jwksUri`. Never both. */
  readonly jwks: string | null;
  readonly jwksUri: string | null;
  /** Null: it does not authenticate by `tls_client_auth`. */
  readonly tlsSubject: TlsSubject | null;
  /** Its access tokens are bound to its certificate (RFC 8705 §3). */
  readonly certificateBound: boolean;
  /** Operator's exception: an assertion's `aud` may be the token endpoint's URL, for clients older than rfc7523bis. */
  readonly tokenEndpointAudience: boolean;
  readonly requirePkce: boolean;
  /** Operator's exception: `plain` challenges are accepted from this client (RFC 7636 §4.2). */
  readonly allowPlainPkce: boolean;
  /** Consent is recorded without a page. */
  readonly firstParty: boolean;
  /** The longest that an owner's answer to it holds, in seconds, or `none`; absent or null: as the server says for its type. */
  readonly consentCeiling?: number | "none" | null;
  /** What a refresh does to the refresh token. Public clients rotate whatever this says. */
  readonly refresh: "rotate" | "keep";
  /** SHA-256 of the stored logo, base64url; the page shows `/logos/{logo}`. */
  readonly logo: string | null;
  readonly clientUri: string | null;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  /** Its name in other languages (RFC 7591 §2.2, `client_name#de`), by BCP 47 tag in lower case; absent: none. */
  readonly names?: Readonly<Record<string, string>>;
  /** Scopes that it can do without: owners may leave them out; absent: none. */
  readonly optionalScopes?: readonly string[];
  /** Who makes it, as the operator knows; absent or null: not said. */
  readonly publisher?: string | null;
  /** Its accent on the pages of its requests, `#rrggbb,#rrggbb`: on light ground and on dark; absent or null: the server's. */
  readonly accent?: string | null;
  /** The operator has looked at it; absent: no. */
  readonly verified?: boolean;
  /** False: it came without an operator, as by registering itself, and nobody has looked at it yet; absent: an operator made it. */
  readonly reviewed?: boolean;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** When the client last lost a scope or a grant type; grants older than that are judged before they are refreshed. */
  readonly reducedAt: Millis | null;
}

/** How surely a person was recognized, from weak to strong: one factor, two factors, one that no look-alike site can pass on (OpenID EAP ACR Values `phr`). */
export type Acr = "1fa" | "mfa" | "phr";

export type ScopeAccess = "read" | "write" | "delete";

/** A permission that the operator lists (RFC 6749 §3.3). */
export interface Scope {
  readonly name: string;
  /** What the owner reads on the consent page. */
  readonly description: string;
  /** Identifier of the API that it belongs to; null: of the authorization server itself. */
  readonly resource: string | null;
  readonly optional: boolean;
  readonly sensitive: boolean;
  /** What it lets an app do with the data; absent or null: not said. */
  readonly access?: ScopeAccess | null;
  /** The description in other languages, by BCP 47 tag in lower case; absent: none. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Only owners with this role may grant it. */
  readonly ownerRole: string | null;
  /** How surely its owner must have been recognized; absent or null: by any sign-in. */
  readonly acr?: Acr | null;
  /** Seconds that the owner's sign-in may be old when they grant it; absent or null: any age. */
  readonly maxAge?: number | null;
}

export type SigningAlg = "ES256" | "ES384" | "EdDSA" | "PS256" | "RS256";

/** A resource server, an API (RFC 8707's resource). */
export interface Resource {
  /** Absolute URI; becomes the `aud` of its tokens. */
  readonly identifier: string;
  readonly name: string;
  readonly tokenFormat: "jwt" | "opaque";
  /** Seconds; null: the server's default. */
  readonly tokenLifetime: number | null;
  readonly alg: SigningAlg;
  /** Introspection answers inactive as soon as the grant ended. */
  readonly grantBound: boolean;
  readonly introspectionClientId: string;
  /** SHA-256 of the introspection secret, base64url. */
  readonly introspectionSecretHash: string;
  readonly createdAt: Millis;
}

/** Somebody else whose assertions are believed (RFC 7521 §3): an identity provider. */
export interface TrustedIssuer {
  /** Of this record: another one of the same issuer, after this was deleted, has another. */
  readonly id: string;
  /** Its `iss`, or the entity id of its SAML assertions. */
  readonly issuer: string;
  readonly type: "jwt" | "saml";
  readonly status: "active" | "disabled";
  /** JWT: a JWK Set in JSON; null: at `jwksUri`. */
  readonly jwks: string | null;
  readonly jwksUri: string | null;
  /** SAML: its signing certificates, PEM; any of them may have signed. Never empty. */
  readonly certificates: readonly string[];
  /** What its assertions may ask for. */
  readonly scopes: readonly string[];
  /** Clients that may present them; empty: all that are registered for the grant. */
  readonly clients: readonly string[];
  /** Who its assertions must be for, besides this server's issuer identifier; null: nobody else. */
  readonly audience: string | null;
  /** Seconds that an assertion may live at most. */
  readonly maxLifetime: number;
  /** What its subject names an owner by; `link`: nothing of ours, only a link tells who it is. */
  readonly mapSubject: "username" | "email" | "id" | "link";
  /** The claim (JWT) or attribute (SAML) whose value is the subject; null: `sub`, or the NameID. */
  readonly subjectClaim: string | null;
  /** Domains, in lower case, whose addresses it gives out itself: believed without being called verified, and no others are. Empty: it says which are. */
  readonly emailDomains: readonly string[];
  /** Whom it may speak for: subjects, or `@domain` for every address of a domain; empty: all owners but operators. */
  readonly subjects: readonly string[];
  /** An owner who isn't there yet is made with the first assertion. */
  readonly createOwners: boolean;
  readonly createdAt: Millis;
}

/** One granted scope and its own end (null: until revoked). */
export interface GrantedScope {
  readonly name: string;
  readonly expiresAt: Millis | null;
}

/**
 * Why a grant stands or ended. `burned`: its code was presented wrongly. `replayed`: its code was presented twice. `theft`: a spent refresh token
 * came back. `revoked`: its consent ended. `client_revoked`: RFC 7009. `superseded`: the 51st live grant of an (owner, client) pushed it out.
 * `state_lost`: the database was put back to a time at which it was still alive, so that nobody knows what became of it since.
 */
export type GrantStatus =
  | "active"
  | "burned"
  | "replayed"
  | "theft"
  | "revoked"
  | "client_revoked"
  | "superseded"
  | "owner_ended"
  | "client_ended"
  | "state_lost";

/** One authorization, from the code to the last refresh: one row. */
export interface Grant {
  readonly partition: number;
  readonly grantId: string;
  readonly clientId: string;
  /** Who owns it: becomes `sub`. */
  readonly ownerId: string;
  /** The person who acted (the owner, unless the owner is a company). */
  readonly personId: string;
  readonly status: GrantStatus;
  /** 0: a code; n ≥ 1: the n-th refresh token is the live one. */
  readonly generation: number;
  readonly refreshable: boolean;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: "S256" | "plain" | null;
  readonly scopes: readonly GrantedScope[];
  /** The one API that its tokens are for; null: several, and each token request names one (RFC 8707 §2.2). */
  readonly audience: string | null;
  /** When the person proved who they are; null: nobody here knows, since somebody else vouches for them. */
  readonly authTime: Millis | null;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly createdAt: Millis;
  /** When an owner last decided how long it holds: a ceiling counts from then. */
  readonly decidedAt: Millis;
  readonly codeUntil: Millis;
  readonly rotatedAt: Millis | null;
  readonly retries: number;
  readonly lastUsedAt: Millis | null;
  /** When it was last refreshed for all of its scopes; null: never. */
  readonly wholeUsedAt: Millis | null;
  /** The network that it was last used from; null: not known. */
  readonly usedFrom: string | null;
  readonly uses: number;
  readonly idleUntil: Millis;
  readonly absoluteUntil: Millis;
  readonly endedAt: Millis | null;
}

/** A scope inside a consent record. */
export interface ConsentedScope extends GrantedScope {
  readonly grantedAt: Millis;
  /** When the owner last decided how long it holds; absent: when the record was last changed. */
  readonly decidedAt?: Millis;
  /** The redirect hosts that it was given for, as `consentHost` writes them; empty: none, as by a device. Absent: given before hosts were noted. */
  readonly hosts?: readonly string[];
}

/** What an owner granted a client, for how long: one record for each (owner, client). */
export interface Consent {
  readonly partition: number;
  readonly ownerId: string;
  readonly clientId: string;
  readonly status: "active" | "revoked";
  readonly grantedBy: string;
  readonly via: "browser" | "device" | "first party" | "company policy" | "password" | "operator policy" | "admin";
  /** Standing scopes: these skip the page. A `once` adds none. */
  readonly scopes: readonly ConsentedScope[];
  /** Names of scopes that the owner said no to, one by one: nothing brings them but a page. */
  readonly removed: readonly string[];
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** When the last of it ends; null: never by itself. */
  readonly expiresAt: Millis | null;
  readonly lastUsedAt: Millis | null;
  readonly lastUsedAddress: string | null;
  readonly uses: number;
  readonly revokedAt: Millis | null;
  readonly revokedBy: string | null;
  /** What the owner saw when they decided. */
  readonly shown: {
    readonly locale: string;
    readonly clientName: string;
    readonly logo: string | null;
    /** Scopes that came without a page, by the operator's rules: the app may get them again, although none of them stands. Absent: none. */
    readonly byRules?: readonly string[];
  };
}
