/** What the protocol is given from outside: time, randomness, keys (RFC 6749 §10.10). It reaches for nothing itself. */

import type { Millis } from "./model.ts";
import type { Catalog, GrantStorage } from "./storage.ts";

/** What a credential is for; a code is never taken for a refresh token, nor either for anything else. */
export type CredentialKind = "code" | "refresh_token";

/** What a genuine credential says of itself. */
export interface Credential {
  readonly partition: number;
  readonly grantId: string;
  /** 0: a code; n ≥ 1: the n-th refresh token. */
  readonly generation: number;
  readonly salt: Uint8Array;
  readonly saltHash: Uint8Array;
}

/** Makes and recognizes codes and refresh tokens: derived by HMAC, never stored. */
export interface Credentials {
  /** Always with the first secret; the same arguments make the same credential again. */
  make(kind: CredentialKind, grantId: string, generation: number, salt: Uint8Array): string;
  /** Undefined: not one of ours, without touching the database. */
  read(kind: CredentialKind, token: string): Credential | undefined;
  /** The partition that a grant's id begins with. */
  partitionOf(grantId: string): number;
  /** 32 random bytes and their hash. */
  newSalt(): { readonly salt: Uint8Array; readonly hash: Uint8Array };
}

/** The claims of an access token (RFC 9068 §2.2), before `iss`, `iat` and `jti` are added. */
export interface AccessTokenClaims {
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
  /** Where a person took part. */
  readonly person: { readonly authTime: Millis; readonly acr: string | null; readonly amr: readonly string[] } | null;
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
  verify(token: string, now: Millis): Promise<VerifiedAccessToken | undefined>;
}

export interface Hashes {
  /** SHA-256 of UTF-8 text, base64url. */
  sha256(text: string): string;
  /** Compares two equal-length texts in constant time; false at once where the lengths differ. */
  equal(a: string, b: string): boolean;
  /** The text that canonical, padded base64 stands for; undefined: not that, or not UTF-8. */
  base64Text(encoded: string): string | undefined;
}

/** Lifetimes and switches of the server, in milliseconds unless the name says otherwise. */
export interface Policy {
  readonly codeTtl: Millis;
  readonly accessTtl: Millis;
  readonly refreshIdlePublic: Millis;
  readonly refreshIdleConfidential: Millis;
  readonly retryWindow: Millis;
  readonly retryWindowPublic: Millis;
  /** All clients must use PKCE. */
  readonly requirePkce: boolean;
}

/** Everything that the protocol's functions are given. */
export interface OAuthContext {
  readonly issuer: string;
  readonly policy: Policy;
  readonly catalog: Catalog;
  readonly storage: GrantStorage;
  readonly credentials: Credentials;
  readonly accessTokens: AccessTokens;
  readonly hashes: Hashes;
  now(): Millis;
  /** An event for the operator's log: never a secret in it. */
  event(name: string, fields: Readonly<Record<string, string | number | null>>): void;
}
