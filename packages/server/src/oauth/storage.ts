/** The storage port of the protocol: each verb is one transaction, its outcome a value; an exception is an outage. */

import type { Client, Grant, GrantedScope, GrantStatus, Millis, Resource, Scope } from "./model.ts";

/** How far `lastUsedAt` may lag behind the last use of a kept refresh token: not each of them is written. */
export const USE_RECORDED_EVERY: Millis = 300_000;

/** What a new authorization is; its ends come from the consent under which it is born. */
export interface NewGrant {
  readonly partition: number;
  readonly grantId: string;
  readonly clientId: string;
  readonly ownerId: string;
  readonly personId: string;
  readonly refreshable: boolean;
  readonly codeSaltHash: Uint8Array;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: "S256" | "plain" | null;
  readonly scopes: readonly string[];
  readonly audience: string | null;
  readonly authTime: Millis;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly codeUntil: Millis;
}

export interface IssueGrant {
  readonly grant: NewGrant;
  readonly address: string | null;
  readonly now: Millis;
}

/**
 * `issued`: the row is there; `repeated`: it was there already and its code is unspent (a double click);
 * `spent`: it was there and its code is spent or dead; `no_consent`: nothing covers these scopes any more.
 */
export type IssueOutcome =
  | { readonly kind: "issued"; readonly scopes: readonly GrantedScope[] }
  | { readonly kind: "repeated"; readonly scopes: readonly GrantedScope[] }
  | { readonly kind: "spent" }
  | { readonly kind: "no_consent" };

export interface RedeemCode {
  readonly partition: number;
  readonly grantId: string;
  readonly codeSaltHash: Uint8Array;
  readonly clientId: string;
  readonly redirectUri: string;
  /** What the verifier makes by S256 (RFC 7636 §4.6); null: none was sent. */
  readonly s256: string | null;
  /** The verifier itself, for `plain`; null: none was sent. */
  readonly plain: string | null;
  /** True: the request names a resource, already judged; false: the row must name its one audience. */
  readonly resourceNamed: boolean;
  /** Hash of the salt of the refresh tokens to come. */
  readonly refreshSaltHash: Uint8Array;
  readonly now: Millis;
  /** When it dies unused, if refreshable. */
  readonly idleUntil: Millis;
  /** When the row has served its purpose, if it isn't refreshable: the end of its access token. */
  readonly accessUntil: Millis;
}

/**
 * `burned`: the row is ended, because redirect_uri or verifier was wrong; compare `grant` to learn which.
 * `replayed`: an otherwise valid second use; the grant has ended. `replay_invalid`: a second use that proves nothing; untouched.
 * `needs_resource`: several APIs and none named; untouched. `unknown`: no such live code of this client.
 */
export type RedeemOutcome =
  | { readonly kind: "redeemed"; readonly grant: Grant }
  | { readonly kind: "burned"; readonly grant: Grant }
  | { readonly kind: "replayed"; readonly grant: Grant }
  | { readonly kind: "replay_invalid" }
  | { readonly kind: "needs_resource" }
  | { readonly kind: "unknown" };

export interface RefreshGrant {
  readonly partition: number;
  readonly grantId: string;
  readonly refreshSaltHash: Uint8Array;
  readonly clientId: string;
  /** The generation of the token presented, ≥ 1. */
  readonly generation: number;
  /** True: which API the token is for has been judged; false: the row must name its one audience, else `needs_resource`. */
  readonly resourceNamed: boolean;
  readonly rotate: boolean;
  /** The same token is answered again if its successor was made at or after this time. */
  readonly retryFrom: Millis;
  readonly now: Millis;
  readonly idleUntil: Millis;
}

/**
 * `needs_resource`: live, of this client, but for several APIs and none named; untouched, whatever the generation.
 * `ahead`: the token is newer than the row (a restored backup, a lost failover): an operator's event, no theft.
 */
export type RefreshOutcome =
  | { readonly kind: "kept" | "rotated" | "retried"; readonly grant: Grant }
  | { readonly kind: "theft"; readonly grant: Grant }
  | { readonly kind: "needs_resource"; readonly grant: Grant }
  | { readonly kind: "ahead" }
  | { readonly kind: "other_client"; readonly clientId: string }
  | { readonly kind: "ended"; readonly status: GrantStatus | "expired" }
  | { readonly kind: "unknown" };

export interface FindGrant {
  readonly partition: number;
  readonly grantId: string;
  /** Hash of the salt of the code or of the refresh tokens; null: by id alone (an access token's own claim). */
  readonly saltHash: Uint8Array | null;
}

export interface EndGrant {
  readonly partition: number;
  readonly grantId: string;
  /** Of the refresh tokens. */
  readonly saltHash: Uint8Array;
  readonly clientId: string;
  readonly now: Millis;
}

export type EndOutcome =
  | { readonly kind: "ended" }
  | { readonly kind: "already_ended" }
  | { readonly kind: "other_client" }
  | { readonly kind: "unknown" };

/** Verbs of grants (RFC 6749 §§4.1, 6; RFC 7009; RFC 7662). */
export interface GrantStorage {
  /** A code without a page: locks the active consent, which must cover every scope for 30 s more, and inserts the row. */
  issueGrant(args: IssueGrant): Promise<IssueOutcome>;
  redeemCode(args: RedeemCode): Promise<RedeemOutcome>;
  refreshGrant(args: RefreshGrant): Promise<RefreshOutcome>;
  findGrant(args: FindGrant): Promise<Grant | undefined>;
  endGrant(args: EndGrant): Promise<EndOutcome>;
}

/** What rarely changes, cached in each process and at most 1 s old. Values may be kept for one request, not longer. */
export interface Catalog {
  client(clientId: string): Promise<Client | undefined>;
  /** All scopes, by name. */
  scopes(): Promise<ReadonlyMap<string, Scope>>;
  /** All resources, by identifier. */
  resources(): Promise<ReadonlyMap<string, Resource>>;
  /** When a scope was last removed; grants older than that are judged before they are refreshed. */
  scopesReducedAt(): Promise<Millis | null>;
}
