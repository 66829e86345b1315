/**
 * The dependencies of the protocol: time, randomness, keys (RFC 6749 §10.10). The protocol takes nothing from its
 * surroundings itself.
 */

import type { AssertedOwner, AssertedOwners } from "./map-asserted-subject.ts";
import type {
  Acr,
  Client,
  EarlierLifetime,
  Grant,
  GrantedScope,
  Millis,
  PersonDetails,
  Resource,
  Scope,
  SigningAlg,
  Soon,
} from "./model.ts";
import type { SamlReader } from "./saml-assertion-model.ts";
import type { Catalog, DeviceStorage, GrantStorage, UserCodeKey } from "./storage.ts";
import type { DelegationStorage } from "./token-exchange/storage.ts";

/** The purpose of a credential. The server never accepts a credential of one kind as another kind. */
export type CredentialKind = "code" | "refresh_token" | "device_code";

/** The content of a genuine credential. */
export interface Credential {
  readonly partition: number;
  readonly id: string;
  /** 0: a code; n ≥ 1: the n-th refresh token. */
  readonly generation: number;
  readonly salt: Uint8Array;
  readonly saltHash: Uint8Array;
}

/** Makes and recognizes codes and refresh tokens: derived by HMAC, never stored. */
export interface Credentials {
  /** Uses the first secret. Equal arguments make an equal credential. */
  make(kind: CredentialKind, id: string, generation: number, salt: Uint8Array): string;
  /** Undefined: the token is not from this server. Needs no query. */
  read(kind: CredentialKind, token: string): Credential | undefined;
  /** The partition that a grant's id begins with. */
  partitionOf(grantId: string): number;
  /** 32 random bytes and their hash. */
  newSalt(): { readonly salt: Uint8Array; readonly hash: Uint8Array };
}

/** The codes that people type (RFC 8628 §6.1). */
export interface UserCodes {
  /** Draws a new code in its canonical form, with its place, and the id of a request there. */
  draw(): { readonly userCode: string; readonly requestId: string } & UserCodeKey;
  /** The places where the request of a canonical code may be, newest secret first. */
  keysOf(userCode: string): readonly UserCodeKey[];
}

/** The client and the network that ask for a device. */
export interface DeviceAsker {
  readonly clientId: string;
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The provider of the network. */
  readonly provider: string;
}

/** The key that a sender must prove to have if a token is bound to one. Empty: any bearer can use the token. */
export interface SenderConstraint {
  /** SHA-256 of the client's certificate (RFC 8705 §3.1), base64url. */
  readonly certificateThumbprint?: string;
}

/** The claims of an access token (RFC 9068 §2.2), before `iss` and `jti` are added. */
export interface AccessTokenClaims extends SenderConstraint {
  readonly sub: string;
  /** One API; with the scope `openid` also the UserInfo endpoint. */
  readonly aud: string | readonly string[];
  readonly clientId: string;
  readonly scope: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** The grant of the token, so that a grant-bound API learns when it ended. Null: no grant. */
  readonly grantId: string | null;
  /** The format that its API accepts: a JWT, or a text that only this server can read. */
  readonly format: Resource["tokenFormat"];
  /** The algorithm of its signature, if it is a JWT. */
  readonly alg: SigningAlg;
  /** The person who acted for the company that `sub` names (RFC 8693 §4.1). Null: the owner, or nobody. */
  readonly actor: string | null;
  /** The clients that act for the subject by token exchange, the latest first. Absent: none. */
  readonly agents?: readonly string[];
  /** Present if a person took part. Unknown details of their sign-in are left out (§2.2.1). */
  readonly person: {
    readonly authTime: Millis | null;
    readonly acr: string | null;
    readonly amr: readonly string[];
  } | null;
}

/** An access token of this server that verifies and has not expired. */
export interface VerifiedAccessToken {
  readonly claims: Readonly<Record<string, unknown>> & {
    readonly sub: string;
    readonly aud: string | readonly string[];
    readonly client_id: string;
    readonly scope: string;
    readonly exp: number;
    readonly iat: number;
    readonly jti: string;
  };
  readonly grantId: string | null;
}

export interface AccessTokens {
  sign(claims: AccessTokenClaims): Promise<string>;
  /** Undefined: the token is not from this server, or has expired. */
  verify(token: string, now: Millis): Soon<VerifiedAccessToken | undefined>;
}

/** What an ID token says (OpenID Connect Core §2), before `iss` and `at_hash` are added. */
export interface IdTokenContent {
  readonly alg: SigningAlg;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The access token that is issued with it. */
  readonly accessToken: string;
}

export interface IdTokens {
  sign(content: IdTokenContent): Promise<string>;
  /** A logout token (OpenID Connect Back-Channel Logout §2.4). Adds `iss` to the claims. */
  signLogout(alg: SigningAlg, claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** An ID-JAG. Adds `iss` to the claims. */
  signIdentityAssertion(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /** The claims of an ID token of this server, also of an expired one. Undefined: it is something else. */
  verify(token: string): Promise<Readonly<Record<string, unknown>> | undefined>;
}

/** Everything that an ID token depends on. */
export interface IdTokenParts {
  readonly subject: Pick<AccessTokenClaims, "sub" | "actor" | "person">;
  readonly client: Pick<Client, "clientId" | "idTokenAlg">;
  readonly nonce?: Grant["nonce"];
  /** The granted scopes: no claim comes without its scope. */
  readonly scopes: readonly Pick<GrantedScope, "name">[];
  /** As in `Grant`. Absent or null: no claims about the person. */
  readonly claims?: Grant["claims"];
  /** As `OpenId.ownClaims` gave them. Absent: it is called. */
  readonly ownClaims?: Readonly<Record<string, unknown>> | undefined;
  readonly sid?: Grant["sid"];
}

/** What the parameter `claims` asks for (OpenID Connect Core §5.5). */
export interface RequestedClaims {
  /** The scopes that its claims belong to. */
  readonly scopes: readonly string[];
  /** The claims for the ID token. */
  readonly idToken: readonly string[];
  /** The only people who may sign in (§5.5.1 `sub`). Null: anybody. */
  readonly people: readonly string[] | null;
  /** As in an authorization request. */
  readonly acr: Acr | null;
  /** True: the client insists on a level that this server doesn't know. */
  readonly acrUnknown: boolean;
}

/** OpenID Connect: what the protocol calls for requests with the scope `openid`. */
export interface OpenId {
  /** The scopes for which the configuration gives claims. */
  readonly claimScopes: ReadonlySet<string>;
  /** Makes the first key for this client's ID tokens if there is none. Never rejects, and nobody has to wait. */
  prepare(client: Pick<Client, "idTokenAlg">): Promise<void>;
  /** The person that an ID token names to its client. Undefined: it is no ID token of this server for this client. */
  personOf(idToken: string, client: Pick<Client, "clientId">): Promise<string | undefined>;
  /** Reads the parameter `claims`, or refuses it. */
  readClaims(text: string): Promise<RequestedClaims>;
  /** The claims of an ID token of this server, also of an expired one. Undefined: it is something else. */
  claimsOf(idToken: string): Promise<Readonly<Record<string, unknown>> | undefined>;
  /** The app and the person that an ID token names. Undefined: it is no ID token of this server. */
  readHint(idToken: string): Promise<HintedSignIn | undefined>;
  logoutToken(ended: EndedSignIn, client: Pick<Client, "clientId" | "idTokenAlg">): Promise<string>;
  /** An ID-JAG for another server. */
  identityAssertion(claims: Readonly<Record<string, unknown>>): Promise<string>;
  /**
   * The configuration's claims for an ID token. Call it before a code or token is used up: if the claims can't be had,
   * it refuses the request.
   */
  ownClaims(parts: Omit<IdTokenParts, "nonce" | "sid">): Promise<Readonly<Record<string, unknown>>>;
  /** The ID token beside this access token. Undefined: it is unknown when the person signed in. */
  idToken(parts: IdTokenParts, accessToken: string): Promise<string | undefined>;
  /**
   * The claims that UserInfo answers. Refuses a token that is not for it. `thumbprint`: of the connection's certificate
   * (RFC 8705 §3). Undefined: it has none.
   */
  userInfo(token: string, thumbprint: string | undefined): Promise<Readonly<Record<string, unknown>>>;
}

/** A sign-in whose session has ended. */
export interface EndedSignIn {
  readonly personId: string;
  readonly sid: string;
  /** The same for each try to tell one client. */
  readonly jti: string;
}

/** A sign-in that an ID token remembers. */
export interface HintedSignIn {
  readonly clientId: string;
  readonly personId: string;
}

/** What UserInfo and ID tokens can say about a person (OpenID Connect Core §5.1). */
export interface PersonFacts {
  readonly personId: string;
  readonly username: string;
  readonly name: string | null;
  /** Null: the person has told none. */
  readonly email: string | null;
  readonly emailVerified: boolean;
  /** BCP 47. Null: unknown. */
  readonly language: string | null;
  /** The address of their picture. Null: they have none. */
  readonly picture: string | null;
  readonly details: PersonDetails;
  readonly updatedAt: Millis;
}

export interface Hashes {
  /** SHA-256 of UTF-8 text, base64url. */
  sha256(text: string): string;
  /** Compares two texts of equal length in constant time. False at once if the lengths differ. */
  equal(a: string, b: string): boolean;
  /** The text of canonical, padded base64. Undefined: it is something else, or not UTF-8. */
  base64Text(encoded: string): string | undefined;
}

/** A signed JWT of somebody else as it was read. Nothing in it is verified yet (RFC 7519). */
export interface ForeignJwt {
  readonly text: string;
  readonly typ: string | undefined;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** The keys or shared secrets, one of which must have signed the JWT. */
export type VerifiedBy =
  | {
      readonly algs: readonly string[];
      /** A JWK Set in JSON. Null: it is at `jwksUri`. */
      readonly jwks: string | null;
      readonly jwksUri: string | null;
    }
  | { readonly algs: readonly string[]; readonly secrets: readonly string[] };

/**
 * `alg_refused`: not one of `algs`. `key_unknown`: no key, or several, of that kind and `kid`. `keys_unavailable`:
 * `jwksUri` did not return keys. `keys_busy`: too many requests wait for its response. `wrong`: that key did not sign.
 */
export type SignatureOutcome = "verified" | "alg_refused" | "key_unknown" | "keys_unavailable" | "keys_busy" | "wrong";

/** Reads and verifies JWTs that others signed (RFC 8725). */
export interface ForeignJwts {
  /** Undefined: it is no signed JWT in strict form, has more than 8 KiB, or has critical header parameters. */
  read(text: string): ForeignJwt | undefined;
  verify(jwt: ForeignJwt, by: VerifiedBy): Promise<SignatureOutcome>;
  /** Takes as long as `verify` with a key: for a client that does not exist. */
  pretend(jwt: ForeignJwt): Promise<void>;
}

/** An owner who gave their password to a client. */
export interface PasswordOwner {
  readonly partition: number;
  readonly ownerId: string;
  /** The `trustedFrom` of the password that they were recognized by. */
  readonly trustedFrom: Millis;
  mayGrant(scope: Scope): boolean;
}

/** The data that a client sends, and their purpose. */
export interface OwnerPasswordAsked {
  readonly username: string;
  readonly password: string;
  /** The address of the client. */
  readonly address: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

/**
 * `refused`: `condition` and `reason` are for the log only. `throttled`: nothing was checked; `until` is the end of the
 * limit.
 */
export type OwnerPasswordOutcome =
  | { readonly kind: "owner"; readonly owner: PasswordOwner }
  | {
      readonly kind: "refused";
      readonly condition: "owner_password_wrong" | "owner_must_change_password" | "owner_consent_revoked";
      readonly reason: string;
    }
  | { readonly kind: "throttled"; readonly until: Millis };

/** Lifetimes and switches of the server. Times are in milliseconds unless the name says otherwise. */
export interface Policy {
  readonly codeTtl: Millis;
  readonly accessTtl: Millis;
  /** The value of `accessTtl` that servers had before they started with another one. Absent: none is known. */
  readonly earlierAccessTtl?: EarlierLifetime | null;
  /** Maximum lifetime of an access token in a redirect (RFC 9700 §2.1.2). */
  readonly implicitTtl: Millis;
  readonly refreshIdlePublic: Millis;
  readonly refreshIdleConfidential: Millis;
  readonly retryWindow: Millis;
  readonly retryWindowPublic: Millis;
  /** How long a device waits for its owner. */
  readonly deviceTtl: Millis;
  /** How long a device waits between two polls. */
  readonly deviceInterval: Millis;
  /** Maximum time for which an owner's answer to a public, or to a confidential, client holds. Null: no maximum. */
  readonly consentCeilingPublic: Millis | null;
  readonly consentCeilingConfidential: Millis | null;
  /** True: all clients must use PKCE. */
  readonly requirePkce: boolean;
  /** True: the password grant gives refresh tokens to clients that are registered for them. */
  readonly passwordRefresh: boolean;
}

/** The grant types that the server offers. */
export interface OfferedGrants {
  offers(grantType: string): boolean;
}

/** The networks of an address, from narrow to wide, as limits count them. */
export interface RequestOrigin {
  readonly network: string;
  readonly provider: string;
}

/** Clients whose id is the address of a document that describes them. */
export interface DocumentClients {
  /** Undefined: the id is no address. Rejects with a refusal if there is no such client here. */
  client(clientId: string, condition: "client_document_unusable" | "client_unknown"): Promise<Client> | undefined;
  /** Counts a document that would be fetched for this caller. Undefined: within the limits. Otherwise: seconds to wait. */
  admit(clientId: string, origin: RequestOrigin): Promise<number | undefined>;
  /** Stores the client, because an owner answers it. */
  keep(client: Client): Promise<void>;
}

/** Everything that the protocol's functions are given. */
/** Counts tokens at introspection and revocation that are unknown, or that the caller may not see. */
export interface TokenMisses {
  /** Counts one. Undefined: within the limit. Otherwise: the seconds until the caller may present another one. */
  count(caller: string): number | undefined;
  /** True: one more would exceed the limit. */
  isOver(caller: string): boolean;
}

/** A token that is about to be issued. */
export interface IssueRequest {
  readonly clientId: string;
  readonly clientName: string;
  /** `implicit`, or the value of `grant_type`. */
  readonly grantType: string;
  /** As in the token. For a client in its own name, its id. */
  readonly sub: string;
  /** The person who acts for a company. Null: nobody does. */
  readonly actor: string | null;
  readonly scopes: readonly string[];
  /** The API's identifier, or the issuer. */
  readonly audience: string;
  /** How the person signed in. Null and empty: no person did, or it is unknown. */
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly authTime: Millis | null;
}

/** What a token may have at most. */
export interface IssueDecision {
  readonly scopes: readonly string[];
  /** Its longest lifetime in milliseconds. */
  readonly most: Millis;
}

/** The operator's policy about tokens. It refuses by throwing. */
export interface TokenPolicy {
  decide(request: IssueRequest): Promise<IssueDecision>;
}

export interface OAuthContext {
  readonly issuer: string;
  readonly policy: Policy;
  readonly grants: OfferedGrants;
  readonly catalog: Catalog;
  /** Null: client ID metadata documents are switched off. */
  readonly documents: DocumentClients | null;
  readonly storage: GrantStorage & DeviceStorage & DelegationStorage;
  readonly credentials: Credentials;
  readonly accessTokens: AccessTokens;
  readonly openId: OpenId;
  /** Null: every token is issued as the owner allowed it. */
  readonly issuePolicy: TokenPolicy | null;
  readonly userCodes: UserCodes;
  readonly foreignJwts: ForeignJwts;
  readonly saml: SamlReader;
  readonly assertedOwners: AssertedOwners;
  /** A person by the id in tokens, or by username. Undefined: there is none. */
  findOwner(by: "id" | "username", value: string): Promise<AssertedOwner | undefined>;
  readonly hashes: Hashes;
  /** A new random id of a grant in its owner's partition. */
  newGrantId(partition: number): string;
  /**
   * The secrets of a `client_secret_jwt` client, from `Client.sealedSecret`. Undefined: they are sealed under a key
   * that was removed.
   */
  openClientSecrets(clientId: string, sealed: string): readonly string[] | undefined;
  /** Checks an owner's password as the sign-in page does: it counts the try, and every refusal does the same work. */
  ownerPassword(asked: OwnerPasswordAsked): Promise<OwnerPasswordOutcome>;
  now(): Millis;
  /** The network of an address, in the coarse form that owners may see. */
  networkOf(address: string): string;
  /** Records that a token for fewer scopes than the grant has was issued, at most once in a few minutes. */
  noteUse(grant: Grant, scopes: readonly string[]): Promise<void>;
  /** Records that somebody asked about a live token of a grant, at most once a minute. The caller does not wait. */
  noteIntrospection(grantId: string): void;
  /** Records that a grant was used at an API, at most once a minute. The caller does not wait. */
  noteApiUse(grantId: string, api: string): void;
  /** When the database was last restored; 0: never. It is unknown which assertions were accepted before that. */
  readonly restoredAt: Millis;
  /** Counts a request for a device. False: too many of them are pending. */
  admitDevice(asker: DeviceAsker): Promise<boolean>;
  readonly misses: TokenMisses;
  /** Writes an event to the operator's log; it must not have a secret. */
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}
