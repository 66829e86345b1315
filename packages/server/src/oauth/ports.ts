/** What the protocol is given from outside: time, randomness, keys (RFC 6749 §10.10). It reaches for nothing itself. */

import type { AssertedOwner, AssertedOwners } from "./asserted-subject.ts";
import type { Grant, Millis, Resource, Scope, SigningAlg, Soon } from "./model.ts";
import type { SamlReader } from "./saml-assertion.ts";
import type { Catalog, DeviceStorage, GrantStorage, UserCodeKey } from "./storage.ts";

/** What a credential is for; a code is never taken for a refresh token, nor either for anything else. */
export type CredentialKind = "code" | "refresh_token" | "device_code";

/** What a genuine credential says of itself. */
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
  /** Always with the first secret; the same arguments make the same credential again. */
  make(kind: CredentialKind, id: string, generation: number, salt: Uint8Array): string;
  /** Undefined: not one of ours, without touching the database. */
  read(kind: CredentialKind, token: string): Credential | undefined;
  /** The partition that a grant's id begins with. */
  partitionOf(grantId: string): number;
  /** 32 random bytes and their hash. */
  newSalt(): { readonly salt: Uint8Array; readonly hash: Uint8Array };
}

/** The codes that people type in (RFC 8628 §6.1). */
export interface UserCodes {
  /** A new one, in its canonical form, its place, and the id of a request there. */
  draw(): { readonly userCode: string; readonly requestId: string } & UserCodeKey;
  /** Where the request of a canonical code may be, newest secret first. */
  keysOf(userCode: string): readonly UserCodeKey[];
}

/** Who asks for a device: a client from a network. */
export interface DeviceAsker {
  readonly clientId: string;
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The wider network that it belongs to. */
  readonly provider: string;
}

/** The key that a sender must prove to hold, where a token is bound to one. Empty: any bearer may use the token. */
export interface SenderConstraint {
  /** SHA-256 of the client's certificate (RFC 8705 §3.1), base64url. */
  readonly certificateThumbprint?: string;
}

/** The claims of an access token (RFC 9068 §2.2), before `iss` and `jti` are added. */
export interface AccessTokenClaims extends SenderConstraint {
  readonly sub: string;
  readonly aud: string;
  readonly clientId: string;
  readonly scope: string;
  /** Seconds since the epoch. */
  readonly exp: number;
  /** Seconds since the epoch. */
  readonly iat: number;
  /** The grant it came of, so that a grant-bound API can be told that it ended; null: of none. */
  readonly grantId: string | null;
  /** What its API takes: a JWT, or a text that only this server reads. */
  readonly format: Resource["tokenFormat"];
  /** What signs it, if it is a JWT. */
  readonly alg: SigningAlg;
  /** The person who acted for the company that `sub` names (RFC 8693 §4.1); null: the owner themselves, or nobody. */
  readonly actor: string | null;
  /** Where a person took part; what nobody knows of how they signed in isn't said (§2.2.1). */
  readonly person: {
    readonly authTime: Millis | null;
    readonly acr: string | null;
    readonly amr: readonly string[];
  } | null;
}

/** An access token of ours that verifies and has not expired. */
export interface VerifiedAccessToken {
  readonly claims: Readonly<Record<string, unknown>> & {
    readonly sub: string;
    readonly aud: string;
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
  /** Undefined: not ours, or expired. */
  verify(token: string, now: Millis): Soon<VerifiedAccessToken | undefined>;
}

export interface Hashes {
  /** SHA-256 of UTF-8 text, base64url. */
  sha256(text: string): string;
  /** Compares two equal-length texts in constant time; false at once where the lengths differ. */
  equal(a: string, b: string): boolean;
  /** The text that canonical, padded base64 stands for; undefined: not that, or not UTF-8. */
  base64Text(encoded: string): string | undefined;
}

/** A signed JWT of somebody else's, as it was read: nothing of it is proven yet (RFC 7519). */
export interface ForeignJwt {
  readonly text: string;
  readonly typ: string | undefined;
  readonly alg: string;
  readonly kid: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** Whose signature a JWT must bear: one of these keys, or one of these shared secrets. */
export type VerifiedBy =
  | {
      readonly algs: readonly string[];
      /** A JWK Set in JSON; null: at `jwksUri`. */
      readonly jwks: string | null;
      readonly jwksUri: string | null;
    }
  | { readonly algs: readonly string[]; readonly secrets: readonly string[] };

/**
 * `alg_refused`: not one of `algs`. `key_unknown`: no key, or several, of that kind and `kid`. `keys_unavailable`: `jwksUri` didn't answer with keys.
 * `keys_busy`: too many wait for its answer. `wrong`: not by that key.
 */
export type SignatureOutcome = "verified" | "alg_refused" | "key_unknown" | "keys_unavailable" | "keys_busy" | "wrong";

/** Reads and verifies what others signed (RFC 8725). */
export interface ForeignJwts {
  /** Undefined: no signed JWT in strict form, one of more than 8 KiB, or with header parameters that must be understood. */
  read(text: string): ForeignJwt | undefined;
  verify(jwt: ForeignJwt, by: VerifiedBy): Promise<SignatureOutcome>;
  /** Takes as long as `verify` with a key: where there is nobody whose key it could be. */
  pretend(jwt: ForeignJwt): Promise<void>;
}

/** An owner who gave their password to a client. */
export interface PasswordOwner {
  readonly partition: number;
  readonly ownerId: string;
  /** When the password was set that they were recognized by. */
  readonly trustedFrom: Millis;
  mayGrant(scope: Scope): boolean;
}

/** What a client hands over, and what for. */
export interface OwnerPasswordAsked {
  readonly username: string;
  readonly password: string;
  /** Who asks. */
  readonly address: string;
  readonly clientId: string;
  readonly scopes: readonly Scope[];
}

/** `refused`: `condition` and `reason` are for the log alone. `throttled`: nothing was looked at; `until` says how long. */
export type OwnerPasswordOutcome =
  | { readonly kind: "owner"; readonly owner: PasswordOwner }
  | {
      readonly kind: "refused";
      readonly condition: "owner_password_wrong" | "owner_must_change_password" | "owner_consent_revoked";
      readonly reason: string;
    }
  | { readonly kind: "throttled"; readonly until: Millis };

/** Lifetimes and switches of the server, in milliseconds unless the name says otherwise. */
export interface Policy {
  readonly codeTtl: Millis;
  readonly accessTtl: Millis;
  /** The most that an access token in a redirect lives (RFC 9700 §2.1.2). */
  readonly implicitTtl: Millis;
  readonly refreshIdlePublic: Millis;
  readonly refreshIdleConfidential: Millis;
  readonly retryWindow: Millis;
  readonly retryWindowPublic: Millis;
  /** How long a device waits for its owner. */
  readonly deviceTtl: Millis;
  /** How long a device waits between two polls. */
  readonly deviceInterval: Millis;
  /** How long an owner's answer to a public, or to a confidential client holds at most; null: as long as it says. */
  readonly consentCeilingPublic: Millis | null;
  readonly consentCeilingConfidential: Millis | null;
  /** All clients must use PKCE. */
  readonly requirePkce: boolean;
  /** The password grant gives refresh tokens to clients that are registered for them. */
  readonly passwordRefresh: boolean;
}

/** The grant types that the server offers. */
export interface OfferedGrants {
  offers(grantType: string): boolean;
}

/** Everything that the protocol's functions are given. */
/** Counts the tokens that callers of introspection and revocation present and that are nobody's, or not the caller's. */
export interface TokenMisses {
  /** Counts one. Undefined: within the limit; else the seconds until the caller may miss again. */
  count(caller: string): number | undefined;
  /** True: one more would be beyond the limit. */
  isOver(caller: string): boolean;
}

export interface OAuthContext {
  readonly issuer: string;
  readonly policy: Policy;
  readonly grants: OfferedGrants;
  readonly catalog: Catalog;
  readonly storage: GrantStorage & DeviceStorage;
  readonly credentials: Credentials;
  readonly accessTokens: AccessTokens;
  readonly userCodes: UserCodes;
  readonly foreignJwts: ForeignJwts;
  readonly saml: SamlReader;
  readonly assertedOwners: AssertedOwners;
  /** A person by the id that tokens call them by, or by username; undefined: there is none. */
  findOwner(by: "id" | "username", value: string): Promise<AssertedOwner | undefined>;
  readonly hashes: Hashes;
  /** A new random id of a grant in its owner's partition. */
  newGrantId(partition: number): string;
  /** The secrets of a `client_secret_jwt` client, from `Client.sealedSecret`; undefined: sealed under a key that isn't there. */
  openClientSecrets(clientId: string, sealed: string): readonly string[] | undefined;
  /** Looks at an owner's password as the sign-in page does: counted, and every refusal is the same work. */
  ownerPassword(asked: OwnerPasswordAsked): Promise<OwnerPasswordOutcome>;
  now(): Millis;
  /** The network of an address, as coarse as owners may be shown it. */
  networkOf(address: string): string;
  /** Notes that a token for less than all was given out: seldom, and never twice in a few minutes. */
  noteUse(grant: Grant, scopes: readonly string[]): Promise<void>;
  /** When the database was last put back to an earlier time; 0: never. Which assertions were accepted before that is forgotten. */
  readonly restoredAt: Millis;
  /** Counts a request for a device; false: too many of them are under way. */
  admitDevice(asker: DeviceAsker): Promise<boolean>;
  readonly misses: TokenMisses;
  /** An event for the operator's log: never a secret in it. */
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}
