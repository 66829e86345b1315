/** Grant types: how a grant type describes itself, and its decision about a token request (RFC 6749 §§1.3, 4). */

import type { ConditionName } from "../errors.ts";
import type { TokenParts, TokenResponse } from "../issue-access-token.ts";
import type { Client, Consent, Grant, Millis } from "../model.ts";
import type { Parameters } from "../parameters.ts";
import type { OAuthContext } from "../ports.ts";
import type { Within } from "./effective-scopes.ts";

/** The endpoint at which an owner's part of a flow begins. */
export type StartingEndpoint = "authorization" | "deviceAuthorization";

/** The facts about a grant type. The registry, the metadata, the registration rules and the docs are made from them. */
export interface GrantTypeDescriptor {
  /** The value of `grant_type`. */
  readonly grantType: string;
  /** Its own parameters at the token endpoint, with the condition that refuses a request without one. Null: the parameter is optional. */
  readonly parameters: Readonly<Record<string, ConditionName | null>>;
  /** False: no client gets a refresh token by this grant type alone. */
  readonly refreshable: boolean;
  /** Null: the flow begins at the token endpoint. */
  readonly startsAt: StartingEndpoint | null;
}

/** A grant type at the token endpoint. The endpoint does the work that all grant types share, and issues the tokens. */
export interface GrantType extends GrantTypeDescriptor {
  /** Refuses by throwing. The returned entitlement has used nothing up yet. */
  entitle(request: GrantRequest, context: OAuthContext): Promise<Entitlement> | Entitlement;
  /** The kind of token that was issued, for the response. Absent: the response doesn't say. */
  issuedTokenType?(request: GrantRequest): string;
}

/**
 * A token request. The endpoint has checked its form, the client, the client's right to the grant type, and the
 * required parameters.
 */
export interface GrantRequest {
  readonly client: Client;
  /** The IP address of the request. */
  readonly address: string;
  readonly single: Parameters;
  /** The API that the request names (RFC 8707 §2.2). Undefined: none. */
  readonly resource: string | undefined;
  /** The parameters `audience` (RFC 8693 §2.1). */
  readonly audiences: readonly string[];
  /** SHA-256 of the connection's certificate (RFC 8705 §3.1). Undefined: it has none. */
  thumbprint(): string | undefined;
}

/** The value of a parameter that the grant type's descriptor requires. */
export function required({ single }: GrantRequest, name: string): string {
  const value = single.get(name);
  if (value === undefined) throw new Error(`the grant type's descriptor does not require ${name}`);
  return value;
}

/** A grant type's decision. `issue` makes the row and the tokens from it. */
export type Entitlement =
  | GrantEntitlement
  | OwnerEntitlement
  | ClientEntitlement
  | TokenEntitlement
  | ForeignEntitlement;

/** An entitlement to something for another server, which is no token of this one. */
export interface ForeignEntitlement {
  readonly kind: "foreign";
  /** Asks the policy, records the use, and makes the response. */
  respond(): Promise<TokenResponse>;
}

/**
 * An entitlement to a grant that an owner's answer made: a code, a refresh token or a device code leads to the grant.
 */
export interface GrantEntitlement {
  readonly kind: "grant";
  /** The `scope` parameter, if this grant type has one. Undefined: all scopes of the grant. */
  readonly scope?: string | undefined;
  /** How long a scope must still last. Absent: any time. */
  readonly margin?: Millis;
  /** True: scope and API are checked before the row is changed, although the request names neither. */
  readonly checkScopesFirst: boolean;
  /**
   * Reads the grant and writes nothing. Undefined: this client has no such live grant, and `redeem` finds the exact
   * reason.
   */
  read(): Promise<(Pick<Grant, "scopes"> & Partial<Grant>) | undefined>;
  /** Runs one conditional statement that decides and writes. Throws a refusal for every outcome except these two. */
  redeem(terms: RedemptionTerms): Promise<Redemption>;
  /** The refresh token of the response. Absent: the first one, made from the fresh salt. */
  refreshToken?(grant: Grant): string;
}

/** Terms that the endpoint sets for a redemption. Times are epoch milliseconds. */
export interface RedemptionTerms {
  readonly now: Millis;
  /** When unused refresh tokens expire. */
  readonly idleUntil: Millis;
  /** When the last access token expires, if there are no refresh tokens. */
  readonly accessUntil: Millis;
  /** Hash of the fresh salt of the new refresh tokens. */
  readonly refreshSaltHash: Uint8Array;
  /** True: scope and API have been checked. */
  readonly scopesChecked: boolean;
}

/** `ambiguous`: nothing was written, because the grant covers several APIs and the request names none. */
export type Redemption = { readonly kind: "redeemed" | "ambiguous"; readonly grant: Grant };

/** An entitlement to a new grant of an owner, whom a password, an assertion or an embedder's grant type names. */
export interface OwnerEntitlement {
  readonly kind: "owner";
  /** Scopes and API of the request, within the limit of this grant type. Called before anything is used up. */
  within(): Promise<Within>;
  /** Checks the owner, and uses up what works once. */
  owner(within: Within): Promise<EntitledOwner>;
  /**
   * `record`: the grant writes its own consent record, of this origin. `consent`: the owner allowed this client on a page, and that consent must cover
   * the scopes.
   */
  readonly under: { readonly record: Consent["via"] } | "consent";
  /** True: a client that is registered for refresh tokens gets one. */
  readonly refreshable: boolean;
  /** The latest end of the access token. */
  readonly until: Millis;
  /** As in `AccessTokenClaims`. */
  readonly agents?: readonly string[];
  /** The address that the history shows. Null: none. */
  readonly address: string | null;
  /** The refusals of the row: the owner revoked the consent (or no consent covers the scopes), or the owner is gone. */
  readonly refusals: { readonly blocked: ConditionName; readonly noOwner: ConditionName };
  /** True: the response names the API of the token. Absent: it does not. */
  readonly namesResource?: true;
}

/** An owner, and how strongly they were recognized. */
export interface EntitledOwner {
  readonly partition: number;
  readonly ownerId: string;
  /** The person who acts for a company. Absent: the owner is a person. */
  readonly personId?: string;
  /** The scopes that this owner may grant. Absent: all requested ones. */
  readonly scopes?: readonly string[];
  /** The latest end of the access token, if it is sooner than that of the entitlement. Absent: it is not. */
  readonly until?: Millis;
  /** When the password that recognized them was set. Absent: they were recognized in another way. */
  readonly trustedFrom?: Millis;
  readonly authTime: Millis | null;
  readonly acr: string | null;
  readonly amr: readonly string[];
}

/** An entitlement to a token for the client itself (RFC 6749 §4.4). */
export interface ClientEntitlement {
  readonly kind: "client";
  /** Names of the scopes that it can have at most. */
  readonly scopes: readonly string[];
  /** The latest end of the token. */
  readonly until: Millis;
  /** Uses up what works once. */
  useUp?(): Promise<void>;
}

/** An entitlement to one more access token under a grant whose row does not change. */
export interface TokenEntitlement {
  readonly kind: "token";
  /** Records the use, or refuses because the grant has ended meanwhile. */
  record(): Promise<void>;
  /** Everything that the token depends on. A `constraint` replaces that of the client. */
  readonly parts: TokenParts;
}
