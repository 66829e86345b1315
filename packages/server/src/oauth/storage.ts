/** The storage port of the protocol: each verb is one transaction, its outcome a value; an exception is an outage. */

import type {
  Client,
  Consent,
  Grant,
  GrantedScope,
  GrantStatus,
  Millis,
  Resource,
  Scope,
  Soon,
  TrustedIssuer,
} from "./model.ts";

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
  /** Empty where no code leads to it: the hash of no salt is. */
  readonly codeSaltHash: Uint8Array;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: "S256" | "plain" | null;
  readonly scopes: readonly string[];
  /** How long an owner's answer to its client holds at most, in milliseconds; null: as long as it says. */
  readonly ceiling: Millis | null;
  readonly audience: string | null;
  readonly authTime: Millis | null;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** How long a second click is answered like the first; where there is a code, how long that lives. */
  readonly codeUntil: Millis;
  /** Null: a code redeems it. Else it is born redeemed (RFC 6749 §4.2), and this is the end of the last access token that it may get. */
  readonly accessUntil: Millis | null;
}

export interface IssueGrant {
  readonly grant: NewGrant;
  readonly address: string | null;
  /** Its scopes end then at the latest; absent: as the consent says. */
  readonly endsBy?: Millis | null;
  /** True: the owner was chosen on a page. */
  readonly chosen?: boolean;
  /** From when the acting person's sessions count, as it was seen beside this one's: another since, and it has ended. Absent: there is none. */
  readonly trustedFrom?: Millis;
  readonly now: Millis;
}

/**
 * `issued`: the row is there; `repeated`: it was there already and can be answered again (a double click);
 * `spent`: it was there and its code is spent or dead; `no_consent`: nothing covers these scopes any more.
 */
export type IssueOutcome =
  | { readonly kind: "issued"; readonly scopes: readonly GrantedScope[] }
  | { readonly kind: "repeated"; readonly scopes: readonly GrantedScope[] }
  | { readonly kind: "spent" }
  | { readonly kind: "no_consent" };

export interface RedeemCode {
  /** As of `RefreshGrant`. */
  readonly network?: string;
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

/** That an app got a token for some of what it may. */
export interface RecordScopeUses {
  readonly partition: number;
  readonly ownerId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly now: Millis;
}

export interface RefreshGrant {
  /** The token is for all that the grant holds; absent: it is for less. */
  readonly whole?: boolean;
  /** The network that the request came from, coarse; absent: not known. */
  readonly network?: string;
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
  /** A grant that its owner decided about at that time or before is over, by the ceiling of its client; -1: there is none. */
  readonly decidedAfter: Millis;
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

/** A grant without a code: a password, an assertion or an approved device stands in its place. The row is born redeemed, at generation 1. */
export interface IssueDirect {
  readonly grant: Omit<
    NewGrant,
    "codeSaltHash" | "redirectUri" | "codeChallenge" | "codeChallengeMethod" | "codeUntil" | "accessUntil"
  >;
  readonly via: Consent["via"];
  /** As of `IssueGrant`, for an owner who was recognized by a password: with another since, they weren't. Absent: it was by something else. */
  readonly trustedFrom?: Millis;
  /** Hash of the salt of its refresh tokens; null where it has none. */
  readonly refreshSaltHash: Uint8Array | null;
  /** When its access token ends; the row of a grant without refresh tokens lives as long. */
  readonly accessUntil: Millis;
  readonly idleUntil: Millis;
  /** When the consent that this writes ends; null: never by itself. A longer standing one stays. */
  readonly consentUntil: Millis | null;
  readonly shown: Consent["shown"];
  readonly address: string | null;
  readonly now: Millis;
}

/** `blocked`: the owner took their consent back; only a page can give it again. `exists`: the grant's id is there already. `no_owner`: they, or the client, are disabled or gone, or have another password. */
export type IssueDirectOutcome =
  | { readonly kind: "issued"; readonly grant: Grant }
  | { readonly kind: "blocked" }
  | { readonly kind: "exists" }
  | { readonly kind: "no_owner" };

/** Something that may be accepted once: a `jti` (RFC 7523 §3), an assertion's ID (RFC 7522 §3). */
export interface SingleUse {
  /** Whose namespace: e.g. `client jti`, `issuer jti`, `saml id`. */
  readonly kind: string;
  /** SHA-256 of the sender and the id, base64url. */
  readonly key: string;
  /** Forgotten after that. */
  readonly until: Millis;
  readonly now: Millis;
}

/** Where a device authorization request is stored. */
export interface DeviceKey {
  readonly partition: number;
  readonly requestId: string;
}

/** How a user code leads to its request. A code may have several: one for each of the server's secrets. */
export interface UserCodeKey {
  readonly partition: number;
  /** Keyed hash of the code. */
  readonly userCodeHash: string;
}

/** A device's request for authorization (RFC 8628 §3.1). */
export interface NewDeviceRequest extends DeviceKey, UserCodeKey {
  /** Of the device code. */
  readonly saltHash: Uint8Array;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** Where the device asked from. */
  readonly address: string | null;
  /** How long it must wait between two polls. */
  readonly interval: Millis;
  readonly expiresAt: Millis;
  readonly now: Millis;
}

/** A request that waits for its owner's answer, as the one who entered its code may see it. */
export interface DeviceRequest extends DeviceKey {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly address: string | null;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** What an owner's yes leaves for the next poll. */
export interface DeviceApproval {
  /** Of the owner. */
  readonly partition: number;
  /** Derives from the request and the owner. */
  readonly grantId: string;
  readonly ownerId: string;
  readonly personId: string;
  readonly refreshable: boolean;
  readonly scopes: readonly string[];
  readonly audience: string | null;
  readonly authTime: Millis;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** Allowed this once: when it ends; null: the consent record says. */
  readonly onceUntil: Millis | null;
  /** Its scopes end then at the latest; absent: as the consent says. */
  readonly endsBy?: Millis | null;
  readonly approvedAt: Millis;
}

export interface PollDevice extends DeviceKey {
  readonly saltHash: Uint8Array;
  readonly clientId: string;
  readonly now: Millis;
}

/** `unknown`: no such request of this client. `spent`: its tokens have been handed out, or can't be any more. */
export type PollDeviceOutcome =
  | { readonly kind: "pending" | "slow_down" | "denied" | "expired" | "spent" | "unknown" }
  | { readonly kind: "approved"; readonly approval: DeviceApproval };

export interface RedeemDevice extends DeviceKey {
  readonly clientId: string;
  readonly approval: DeviceApproval;
  /** As of `NewGrant`. */
  readonly ceiling: Millis | null;
  /** Of the refresh tokens to come. */
  readonly refreshSaltHash: Uint8Array;
  readonly accessUntil: Millis;
  readonly idleUntil: Millis;
  readonly now: Millis;
}

/** `taken`: another poll got the grant; nothing is changed. `blocked`: the consent ended since. `no_owner`: they, or the client, are disabled or gone, or they have another password. */
export type RedeemDeviceOutcome =
  | { readonly kind: "issued"; readonly grant: Grant }
  | { readonly kind: "taken" | "blocked" | "no_owner" };

/** Verbs of the device flow at the back channel (RFC 8628 §§3.1, 3.4). */
export interface DeviceStorage {
  readonly deviceRequests: {
    /** False: a request has that user code, draw another one. */
    create(args: NewDeviceRequest): Promise<boolean>;
    /** One poll. Too early a one makes the interval longer for good (§3.5); that a request is approved, denied or over is told however early. */
    poll(args: PollDevice): Promise<PollDeviceOutcome>;
    /** Makes the grant of an approved request; of all callers one gets it. */
    redeem(args: RedeemDevice): Promise<RedeemDeviceOutcome>;
  };
}

/** Verbs of grants (RFC 6749 §§4.1, 6; RFC 7009; RFC 7662). */
export interface GrantStorage {
  readonly grants: {
    /** A grant and its consent record in one transaction, without a page. */
    issueWithoutCode(args: IssueDirect): Promise<IssueDirectOutcome>;
    /** A code without a page: locks the active consent, which must cover every scope for 30 s more, and inserts the row. */
    issue(args: IssueGrant): Promise<IssueOutcome>;
    redeem(args: RedeemCode): Promise<RedeemOutcome>;
    refresh(args: RefreshGrant): Promise<RefreshOutcome>;
    find(args: FindGrant): Promise<Grant | undefined>;
    end(args: EndGrant): Promise<EndOutcome>;
  };
  readonly replayCache: {
    /** True for the first of all callers, on all processes; false: it was there. */
    useOnce(args: SingleUse): Promise<boolean>;
  };
  readonly scopeUses: {
    record(args: RecordScopeUses): Promise<void>;
  };
}

/** What rarely changes, cached in each process and at most 1 s old. Values may be kept for one request, not longer. */
export interface Catalog {
  client(clientId: string): Soon<Client | undefined>;
  /** All scopes, by name. */
  scopes(): Soon<ReadonlyMap<string, Scope>>;
  /** All resources, by identifier. */
  resources(): Soon<ReadonlyMap<string, Resource>>;
  /** Trusted issuers of assertions, by their identifier. */
  issuers(): Soon<ReadonlyMap<string, TrustedIssuer>>;
  /** True: the person was disabled or removed, and a company that they act for may not have ended their grants yet. */
  isSuspended(personId: string): Soon<boolean>;
  /** True: there may be somebody like that. */
  someSuspended(): Soon<boolean>;
  /** When a scope was last removed; grants older than that are judged before they are refreshed. */
  scopesReducedAt(): Soon<Millis | null>;
}
