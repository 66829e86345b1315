/** The types of the authorization server: clients, scopes, resources, grants, consents (RFC 6749 §1). */

import type { OwnPolicy } from "./client-registration/registration-policy.ts";

/**
 * Number of partitions of owners. The first two bytes of an owner's, grant's or session's id name the partition. Never
 * change this number.
 */
export const PARTITIONS = 1024;

/** Milliseconds since the epoch. */
export type Millis = number;

/** A value that is there already or will be: a caller does not have to wait for a value in memory. */
export type Soon<T> = T | Promise<T>;

/** "For ever" in a column that must hold a number: a time that never comes. */
export const NEVER: Millis = 9_007_199_254_740_991;

export type ClientAuthMethod =
  | "client_secret_basic"
  | "client_secret_post"
  | "client_secret_jwt"
  | "private_key_jwt"
  | "workload_jwt"
  | "tls_client_auth"
  | "self_signed_tls_client_auth"
  | "none";

/** The field that a certificate's subject must have (RFC 8705 §2.1.2): exactly one. */
export interface TlsSubject {
  readonly field:
    | "tls_client_auth_subject_dn"
    | "tls_client_auth_san_dns"
    | "tls_client_auth_san_uri"
    | "tls_client_auth_san_ip"
    | "tls_client_auth_san_email";
  readonly value: string;
}

/** The platform tokens by which a client authenticates (`workload_jwt`). */
export interface WorkloadIdentity {
  /** A trusted issuer of JWTs. */
  readonly issuer: string;
  /** The `sub` of its tokens. A `*` stands for one part between `/` and `:`. */
  readonly subject: string;
  /** The only `aud` of its tokens. Null: this server's issuer. */
  readonly audience: string | null;
}

/** One secret of a client. Only the client knows the secret itself. With 256 random bits it needs no slow hash. */
export interface ClientSecret {
  /** SHA-256 of the secret, base64url. */
  readonly hash: string;
  readonly createdAt: Millis;
  /** The end of a secret that was rotated. */
  readonly expiresAt: Millis | null;
}

/** A registered client (RFC 6749 §2; RFC 7591 §2 names the fields on the wire). */
export interface Client {
  readonly clientId: string;
  readonly name: string;
  readonly type: "confidential" | "public";
  readonly status: "active" | "disabled";
  readonly redirectUris: readonly string[];
  /**
   * The redirect URIs that the client had when consents began to record hosts: older consents hold for these. Absent:
   * none.
   */
  readonly earlierRedirectUris?: readonly string[];
  readonly grantTypes: readonly string[];
  readonly responseTypes: readonly string[];
  /** Scopes for which it may ask owners. */
  readonly scopes: readonly string[];
  /** Scopes that it has for itself (client credentials). */
  readonly ownScopes: readonly string[];
  readonly authMethod: ClientAuthMethod;
  readonly secrets: readonly ClientSecret[];
  /**
   * The secret of a `client_secret_jwt` client, sealed under a key outside the database, because HMAC needs the secret
   * itself. In base64url; null for all others.
   */
  readonly sealedSecret: string | null;
  /** Its public keys, a JWK Set in JSON (RFC 7591 §2). Null: it has none, or they are at `jwksUri`. Never both. */
  readonly jwks: string | null;
  readonly jwksUri: string | null;
  /** Absent or null: the client does not authenticate by `workload_jwt`. */
  readonly workload?: WorkloadIdentity | null;
  /** Null: the client does not authenticate by `tls_client_auth`. */
  readonly tlsSubject: TlsSubject | null;
  /** Its access tokens are bound to its certificate (RFC 8705 §3). */
  readonly certificateBound: boolean;
  /**
   * An exception by the operator: an assertion's `aud` may be the token endpoint's URL, for clients older than
   * rfc7523bis.
   */
  readonly tokenEndpointAudience: boolean;
  readonly requirePkce: boolean;
  /** An exception by the operator: the server accepts `plain` challenges from this client (RFC 7636 §4.2). */
  readonly allowPlainPkce: boolean;
  /** True: the consent is recorded without a page. */
  readonly firstParty: boolean;
  /**
   * Maximum time for which an owner's answer to it holds, in seconds, or `none`. Absent or null: the server's default
   * for its type.
   */
  readonly consentCeiling?: number | "none" | null;
  /** How a refresh treats the refresh token. Public clients always rotate. */
  readonly refresh: "rotate" | "keep";
  /** The algorithm that signs its ID tokens (OpenID Connect Registration §2). Absent: RS256. */
  readonly idTokenAlg?: SigningAlg;
  /** Where it may ask to send people after sign-out (OpenID Connect RP-Initiated Logout §3.1). Absent: nowhere. */
  readonly postLogoutRedirectUris?: readonly string[];
  /** Where it learns that a session has ended (OpenID Connect Back-Channel Logout §2.2). Absent or null: it is not told. */
  readonly backchannelLogoutUri?: string | null;
  /** True: it needs the `sid` of the session. Logout tokens always have it. Absent: false. */
  readonly backchannelLogoutSessionRequired?: boolean;
  /** SHA-256 of the stored logo, base64url; the page shows `/logos/{logo}`. */
  readonly logo: string | null;
  readonly clientUri: string | null;
  readonly policyUri: string | null;
  readonly tosUri: string | null;
  /** Its name in other languages (RFC 7591 §2.2, `client_name#de`), by BCP 47 tag in lower case. Absent: none. */
  readonly names?: Readonly<Record<string, string>>;
  /** Optional scopes, which owners may leave out. Absent: none. */
  readonly optionalScopes?: readonly string[];
  /** The tokens that it may exchange, and for what (RFC 8693). Absent or null: none. */
  readonly tokenExchange?: TokenExchangePolicy | null;
  /** The scopes of a request that names none (RFC 6749 §3.3). Absent or empty: the server refuses such a request. */
  readonly defaultScopes?: readonly string[];
  /** The publisher, as the operator knows it. Absent or null: unknown. */
  readonly publisher?: string | null;
  /**
   * Its accent colours on the pages of its requests, `#rrggbb,#rrggbb`: on light and on dark ground. Absent or null:
   * the server's.
   */
  readonly accent?: string | null;
  /** True: the operator has checked the client. Absent: no. */
  readonly verified?: boolean;
  /**
   * False: the client came without an operator, for example by registering itself, and nobody has reviewed it yet.
   * Absent: an operator created it.
   */
  readonly reviewed?: boolean;
  /** Set if the client's id is the address of a document that describes it. Absent: somebody registered it here. */
  readonly document?: DescribedBy;
  /** Set if the client registered itself (RFC 7591). Absent: an operator registered it, or a document describes it. */
  readonly registered?: SelfRegistered;
  /** The `max_age` of a request that names none, in seconds (OpenID Connect Registration §2). Absent or null: none. */
  readonly defaultMaxAge?: number | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** When the client last lost a scope or a grant type. Older grants are checked before they are refreshed. */
  readonly reducedAt: Millis | null;
}

/** The kinds of tokens that a client can exchange (RFC 8693 §3). `jwt`: of a trusted issuer. */
export type ExchangedKind = "access_token" | "refresh_token" | "id_token" | "jwt";

/** What a client may exchange. An empty list allows nothing. */
export interface TokenExchangePolicy {
  readonly subjects: readonly ExchangedKind[];
  /** Identifiers of the APIs whose access tokens it may present. */
  readonly sources: readonly string[];
  /** Identifiers of the APIs for which it may get tokens. */
  readonly audiences: readonly string[];
  /** The most that its tokens can have, in names of scopes. */
  readonly scopes: readonly string[];
  /** Other clients whose access tokens it may present as the actor. */
  readonly actors: readonly string[];
  /** True: without an actor token, the new token names no actor (RFC 8693 §1.1). */
  readonly impersonation: boolean;
  /** Other authorization servers for which it may get ID-JAGs. Absent: none. */
  readonly connections?: readonly Connection[];
}

/** An app that may act for people of this server at another authorization server, by ID-JAGs. */
export interface Connection {
  /** The issuer identifier of the other server. */
  readonly audience: string;
  /** The id of the company for whose members. Null: for everybody here. */
  readonly company: string | null;
  /** The app's client_id there. */
  readonly clientId: string;
  /** The most that an ID-JAG can have, in names of scopes there. Never empty. */
  readonly scopes: readonly string[];
  /** The APIs there that an ID-JAG can name. Empty: none. */
  readonly resources: readonly string[];
  /**
   * `offered`: it counts for nobody until a company's admin connects it for their company. Servers of an earlier version
   * take only `active` for a connection.
   */
  readonly status: "active" | "paused" | "offered";
  /** What people call the other server. Absent: its host. */
  readonly name?: string;
  /** What the scopes mean, in words for owners. Absent: a scope's name. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** A client that registered itself (RFC 7591, RFC 7592). */
export interface SelfRegistered {
  /** SHA-256 of its registration access token, base64url. */
  readonly tokenHash: string;
  /** The initial access token with which it came. Null: none was needed. */
  readonly initialTokenId: string | null;
  /** The policy of that token. Null: the server's. */
  readonly policy: OwnPolicy | null;
  /** What an operator left it: it can't register for more. Null: no operator changed it. */
  readonly ceiling: Pick<Client, "scopes" | "grantTypes"> | null;
  /** Changes with the name and the logo, so that the server asks owners again. */
  readonly appearance: string;
  readonly applicationType: "web" | "native";
  readonly contacts: readonly string[];
  readonly softwareId: string | null;
  readonly softwareVersion: string | null;
  /** Its software statement, and the trusted issuer that signed it (RFC 7591 §2.3). Null: it has none. */
  readonly statement: string | null;
  readonly statementIssuer: string | null;
  readonly requireAuthTime: boolean;
  /** Fetched once an operator has reviewed the client. Absent: it names none. */
  readonly logoUri?: string;
}

/** The document of a client (draft-ietf-oauth-client-id-metadata-document-02). */
export interface DescribedBy {
  /** When the document was last read. The stored time is at most a day behind. */
  readonly checkedAt: Millis;
  /** Changes with the name and the logo, so that the server asks owners again. */
  readonly appearance: string;
  readonly logoUri: string | null;
  /** The scopes that the document names. Null: it names none. */
  readonly scope: readonly string[] | null;
}

/**
 * How strongly a person was recognized, from weak to strong: one factor, two factors, one that no look-alike site can
 * use (OpenID EAP ACR Values `phr`).
 */
export type Acr = "1fa" | "mfa" | "phr";

export type ScopeAccess = "read" | "write" | "delete";

/** A permission that the operator created (RFC 6749 §3.3). */
export interface Scope {
  readonly name: string;
  /** What the owner reads on the consent page. */
  readonly description: string;
  /** Identifier of its API. Null: the authorization server itself. */
  readonly resource: string | null;
  readonly optional: boolean;
  readonly sensitive: boolean;
  /** What it lets an app do with data. Absent or null: not specified. */
  readonly access?: ScopeAccess | null;
  /** The description in other languages, by BCP 47 tag in lower case; absent: none. */
  readonly descriptions?: Readonly<Record<string, string>>;
  /** Only owners with this role may grant it. */
  readonly ownerRole: string | null;
  /** Other roles that may grant it, of a built-in scope. Not stored. Absent: none. */
  readonly alsoRoles?: readonly string[];
  /** The level of sign-in that its owner needs. Absent or null: any. */
  readonly acr?: Acr | null;
  /** Maximum age of the owner's sign-in when they grant it, in seconds. Absent or null: any age. */
  readonly maxAge?: number | null;
  /** The configuration has claims for it. Not stored. */
  readonly givesClaims?: boolean;
}

export type SigningAlg = "ES256" | "ES384" | "EdDSA" | "PS256" | "RS256";

/** A lifetime that tokens got until a change. */
export interface EarlierLifetime {
  readonly ttl: Millis;
  readonly changedAt: Millis;
}

/** A resource server, an API (RFC 8707's resource). */
export interface Resource {
  /** Absolute URI; becomes the `aud` of its tokens. */
  readonly identifier: string;
  readonly name: string;
  readonly tokenFormat: "jwt" | "opaque";
  /** In seconds. Null: the server's default. */
  readonly tokenLifetime: number | null;
  /** The lifetime before its last change, in seconds or null as above. Absent: it has not changed. */
  readonly earlierLifetime?: { readonly lifetime: number | null; readonly changedAt: Millis };
  readonly alg: SigningAlg;
  /** True: introspection answers inactive as soon as the grant ended. */
  readonly grantBound: boolean;
  /**
   * When it was last made not grant-bound. Tokens that were issued before stay bound: pages said that access ends at once, so a
   * token whose grant has ended must not become active again. Absent: it never was grant-bound before.
   */
  readonly grantBoundUntil?: Millis;
  /**
   * False: its tokens are never for the UserInfo endpoint, too. Absent: they are if they have the scope `openid`, so the
   * API can read what UserInfo says about the owner.
   */
  readonly userInfo?: boolean;
  /** The scopes of a request that names this API and no scope (RFC 6749 §3.3). Absent or empty: none. */
  readonly defaultScopes?: readonly string[];
  readonly introspectionClientId: string;
  /** SHA-256 of the introspection secret, base64url. */
  readonly introspectionSecretHash: string;
  readonly createdAt: Millis;
}

/** One granted scope and its own end (null: until revoked). */
export interface GrantedScope {
  readonly name: string;
  readonly expiresAt: Millis | null;
}

/**
 * Why a grant is active or has ended. `burned`: its code was presented with a wrong value. `replayed`: its code was
 * presented twice. `theft`: a spent refresh token came back. `revoked`: its consent ended. `client_revoked`: RFC 7009.
 * `superseded`: the 51st live grant of an owner and client replaced it. `state_lost`: the database was restored to a
 * time at which the grant was active, so its later fate is unknown.
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

/** Why a member's grant gives no tokens although its status is active, in the log's words. */
export const GRANTER_DISABLED = "who granted it was disabled";

/** One authorization, from the code to the last refresh: one row. */
export interface Grant {
  readonly partition: number;
  readonly grantId: string;
  readonly clientId: string;
  /** The owner; becomes `sub`. */
  readonly ownerId: string;
  /** The person who acted (the owner, unless the owner is a company). */
  readonly personId: string;
  readonly status: GrantStatus;
  /** 0: a code. n ≥ 1: the n-th refresh token is the live one. */
  readonly generation: number;
  readonly refreshable: boolean;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: "S256" | "plain" | null;
  readonly scopes: readonly GrantedScope[];
  /** The one API that its tokens are for. Null: several, and each token request names one (RFC 8707 §2.2). */
  readonly audience: string | null;
  /** When the person proved who they are. Null: unknown, because somebody else vouches for them. */
  readonly authTime: Millis | null;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** What its first ID token repeats (OpenID Connect Core §3.1.2.1). Null: nothing, or it has no ID token. */
  readonly nonce: string | null;
  /** The claims about the person that its ID tokens have, if their scopes are granted (§5.5). Null: none. */
  readonly claims: readonly string[] | null;
  /** The browser session in which it was made, as its ID tokens name it. Null: no browser, or it has no ID token. */
  readonly sid: string | null;
  /**
   * Since when it gives no tokens, because another system has disabled its person, or its owner has paused the app. It goes
   * on when neither is so any more, and can end meanwhile. Null: it is not paused.
   */
  readonly pausedAt: Millis | null;
  readonly createdAt: Millis;
  /** When an owner last decided how long it holds: the ceiling counts from then. */
  readonly decidedAt: Millis;
  readonly codeUntil: Millis;
  readonly rotatedAt: Millis | null;
  readonly retries: number;
  readonly lastUsedAt: Millis | null;
  /** When it was last refreshed for all of its scopes. Null: never. */
  readonly wholeUsedAt: Millis | null;
  /** The network that used it last. Null: unknown. */
  readonly usedFrom: string | null;
  readonly uses: number;
  readonly idleUntil: Millis;
  readonly absoluteUntil: Millis;
  readonly endedAt: Millis | null;
}

/** A grant as owners see it. */
export interface ListedGrant extends Grant {
  /** When an API last asked about one of its tokens. Null: never. */
  readonly introspectedAt: Millis | null;
}

/** A scope inside a consent record. */
export interface ConsentedScope extends GrantedScope {
  readonly grantedAt: Millis;
  /** When the owner last decided how long it holds. Absent: when the record last changed. */
  readonly decidedAt?: Millis;
  /**
   * The redirect hosts that it was given for, as `consentHost` writes them. Empty: none, as for a device. Absent: it
   * was given before hosts were recorded.
   */
  readonly hosts?: readonly string[];
  /** When it ends for single hosts, at the latest: the owner chose a shorter time there. `expiresAt` can be sooner. Absent: for none. */
  readonly hostEnds?: Readonly<Record<string, Millis>>;
  /** Hosts for which the owner declined it while it was active for others alone. Absent: none. */
  readonly declinedHosts?: readonly string[];
}

/** What an owner granted a client, and for how long: one record for each owner and client. */
export interface Consent {
  readonly partition: number;
  readonly ownerId: string;
  readonly clientId: string;
  readonly status: "active" | "revoked";
  readonly grantedBy: string;
  readonly via: "browser" | "device" | "first party" | "company policy" | "password" | "operator policy" | "admin";
  /** Active scopes: a request for these needs no page. A `once` adds none. */
  readonly scopes: readonly ConsentedScope[];
  /** Names of scopes that the owner declined or removed: only a page can give them again. */
  readonly removed: readonly string[];
  /** Optional scopes that the owner declined on a page. They count as answered for as long as the consent holds. */
  readonly declined: readonly string[];
  /** When a person last chose themselves as the owner, on a page. Negative: they have asked since to be asked again. Null: unknown. */
  readonly chosenAt: Millis | null;
  readonly createdAt: Millis;
  readonly updatedAt: Millis;
  /** When the last scope ends. Null: it does not end by itself. */
  readonly expiresAt: Millis | null;
  readonly lastUsedAt: Millis | null;
  readonly lastUsedAddress: string | null;
  readonly uses: number;
  readonly revokedAt: Millis | null;
  readonly revokedBy: string | null;
  /** Since when the owner has paused the app: nothing is issued until they resume it. Null: it is not paused. */
  readonly pausedAt: Millis | null;
  /** The texts that the owner saw when they decided. */
  readonly shown: {
    readonly locale: string;
    readonly clientName: string;
    readonly logo: string | null;
    /**
     * Scopes that came without a page, by the operator's rules: the app may get them again, although none of them is
     * active. Absent: none.
     */
    readonly byRules?: readonly string[];
    /**
     * Those of them that the owner removed, and allowed on a page afterwards. The history names them again when the
     * operator's rules give them the next time. Absent: none.
     */
    readonly returned?: readonly string[];
    /** True: a page asked for `offline_access` while this consent held. Absent: none, or one before this was recorded. */
    readonly offline?: true;
  };
}

/** Why an owner's consent record keeps a grant without a page away, in the log's words. */
export const STOPPED_BY = {
  owner: "the owner revoked the consent",
  paused: "the owner paused the app",
  pausedBefore: "the owner had paused the app when the consent ended",
  scopes: "the owner removed all of these scopes",
  operator: "an operator revoked the consent",
  restore: "the restore of a backup ended the consent",
  client: "the consent ended when the client was deleted",
} as const;

export type StoppedBy = keyof typeof STOPPED_BY;

/** What a person can add to their profile. The address is in five parts. */
export type DetailName =
  | "givenName"
  | "middleName"
  | "familyName"
  | "nickname"
  | "birthdate"
  | "gender"
  | "zoneinfo"
  | "locale"
  | "website"
  | "profileUrl"
  | "phoneNumber"
  | "street"
  | "locality"
  | "region"
  | "postalCode"
  | "country";

export type PersonDetails = Readonly<Partial<Record<DetailName, string>>> & {
  /** An operator vouches for the phone number. Absent: nobody does. */
  readonly phoneVerified?: true;
};
