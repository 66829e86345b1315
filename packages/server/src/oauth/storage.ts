/**
 * The storage port of the protocol. Each verb is one transaction, and its outcome is a value; an exception is an
 * outage.
 */

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
  StoppedBy,
} from "./model.ts";
import type { TrustedIssuer } from "./trusted-issuer.ts";

/** Minimum time between two records of a use of one grant. A refresh token that rotates is written each time. */
export const USE_RECORDED_EVERY: Millis = 60_000;

/** A new authorization. Its ends come from its consent. */
export interface NewGrant {
  readonly partition: number;
  readonly grantId: string;
  readonly clientId: string;
  readonly ownerId: string;
  readonly personId: string;
  readonly refreshable: boolean;
  /** Empty if no code leads to it: no salt has an empty hash. */
  readonly codeSaltHash: Uint8Array;
  readonly redirectUri: string;
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: "S256" | "plain" | null;
  readonly scopes: readonly string[];
  /** Maximum time for which an owner's answer to its client holds, in milliseconds. Null: no maximum. */
  readonly ceiling: Millis | null;
  readonly audience: string | null;
  readonly authTime: Millis | null;
  readonly acr: string | null;
  readonly amr: readonly string[];
  /** As in `Grant`. Absent: none. */
  readonly nonce?: string | null;
  /** As in `Grant`. Absent: none. */
  readonly claims?: readonly string[] | null;
  /** As in `Grant`. Absent: none. */
  readonly sid?: string | null;
  /** True: its client wants to learn when the session `sid` ends. */
  readonly toldOfLogout?: boolean;
  /** How long a second click gets the same answer as the first; if there is a code, the lifetime of the code. */
  readonly codeUntil: Millis;
  /**
   * Null: a code redeems the grant. Otherwise it begins as redeemed (RFC 6749 §4.2), and this is the end of its last
   * access token.
   */
  readonly accessUntil: Millis | null;
}

export interface IssueGrant {
  readonly grant: NewGrant;
  /** The latest ends of single scopes. Null or absent: the consent decides. */
  readonly ends?: Readonly<Record<string, Millis | null>>;
  /** The answer of a member of a company on a page. Absent: no page was shown. */
  readonly answer?: {
    /** True: the choice of the company holds for the next time, too. */
    readonly chosen: boolean;
    /** Optional scopes that were declined. */
    readonly declined: readonly string[];
    /** Those of them that older grants of the member lose. Absent: all. */
    readonly lost?: readonly string[];
    /** Scopes that were for this once. Absent: none. */
    readonly once?: readonly string[];
    /** Scopes that end in older grants of the member no later than chosen now. Absent: none. */
    readonly newEnds?: readonly string[];
    /** Those of them that the member gave already: the new end can also be later. Absent: none. */
    readonly moved?: readonly string[];
    /** The description of each scope that the member read, and its language. */
    readonly read: { readonly locale: string; readonly texts: Readonly<Record<string, string>> };
  };
  /**
   * From when the acting person's sessions count, as read together with this session. If it has changed, the session
   * has ended. Absent: there is none.
   */
  readonly trustedFrom?: Millis;
  readonly now: Millis;
}

/**
 * `issued`: the row was inserted. `repeated`: it existed, and the same answer can be given again (a double click).
 * `spent`: it existed, and its code is spent or expired. `no_consent`: no active consent covers these scopes any more.
 */
export type IssueOutcome =
  | { readonly kind: "issued"; readonly scopes: readonly GrantedScope[] }
  | { readonly kind: "repeated"; readonly scopes: readonly GrantedScope[] }
  | { readonly kind: "spent" }
  | { readonly kind: "no_consent" };

export interface RedeemCode {
  /** As in `RefreshGrant`. */
  readonly network?: string;
  readonly partition: number;
  readonly grantId: string;
  readonly codeSaltHash: Uint8Array;
  readonly clientId: string;
  readonly redirectUri: string;
  /** The S256 value of the verifier (RFC 7636 §4.6). Null: none was sent. */
  readonly s256: string | null;
  /** The verifier itself, for `plain`. Null: none was sent. */
  readonly plain: string | null;
  /** True: the request names a resource, which was checked already. False: the row must name its one audience. */
  readonly resourceNamed: boolean;
  /** Hash of the salt of the new refresh tokens. */
  readonly refreshSaltHash: Uint8Array;
  readonly now: Millis;
  /** When it expires without use, if it can be refreshed. */
  readonly idleUntil: Millis;
  /** When the row can be deleted, if it can't be refreshed: the end of its access token. */
  readonly accessUntil: Millis;
}

/**
 * `burned`: the row has ended, because redirect_uri or verifier was wrong; compare `grant` to learn which. `replayed`:
 * a second use that was valid otherwise; the grant has ended. `replay_invalid`: a second use with wrong values; nothing
 * changed. `needs_resource`: several APIs and none named; nothing changed. `unknown`: this client has no such live
 * code.
 */
export type RedeemOutcome =
  | { readonly kind: "redeemed"; readonly grant: Grant }
  | { readonly kind: "burned"; readonly grant: Grant }
  | { readonly kind: "replayed"; readonly grant: Grant }
  | { readonly kind: "replay_invalid" }
  | { readonly kind: "needs_resource" }
  | { readonly kind: "unknown" };

/** An app got a token for some of its scopes. */
export interface RecordScopeUses {
  readonly partition: number;
  readonly ownerId: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly now: Millis;
}

/** An API was used with a grant, or asked about its token. */
export interface RecordApiUse {
  readonly partition: number;
  readonly grantId: string;
  /** The identifier of the API. */
  readonly api: string;
  readonly now: Millis;
}

export interface RefreshGrant {
  /** True: the token is for all scopes of the grant. Absent: for fewer. */
  readonly whole?: boolean;
  /** The network of the request in coarse form. Absent: unknown. */
  readonly network?: string;
  readonly partition: number;
  readonly grantId: string;
  readonly refreshSaltHash: Uint8Array;
  readonly clientId: string;
  /** The generation of the presented token, ≥ 1. */
  readonly generation: number;
  /**
   * True: the API of the token was checked already. False: the row must name its one audience, else `needs_resource`.
   */
  readonly resourceNamed: boolean;
  readonly rotate: boolean;
  /** The same token gets the same answer again if its successor was made at or after this time. */
  readonly retryFrom: Millis;
  /**
   * A grant that its owner decided about at this time or before has ended, by the ceiling of its client. -1: there is
   * no ceiling.
   */
  readonly decidedAfter: Millis;
  readonly now: Millis;
  readonly idleUntil: Millis;
}

/**
 * `needs_resource`: live, of this client, but for several APIs and none named; nothing changed, whatever the
 * generation. `ahead`: the token is newer than the row, because of a restored backup or a failover that lost writes: an
 * event for the operator, no theft. `unknown`: no row. After a restore, the token can be newer than the backup.
 */
export type RefreshOutcome =
  | { readonly kind: "kept" | "rotated" | "retried"; readonly grant: Grant }
  | { readonly kind: "theft"; readonly grant: Grant }
  | { readonly kind: "needs_resource"; readonly grant: Grant }
  | { readonly kind: "ahead" }
  | { readonly kind: "other_client"; readonly clientId: string }
  | { readonly kind: "ended"; readonly status: GrantStatus | "expired" | "paused" }
  /** The grant gives no refresh tokens any more: its owner took `offline_access` away. */
  | { readonly kind: "not_refreshable" }
  | { readonly kind: "unknown" };

export interface FindGrant {
  readonly partition: number;
  readonly grantId: string;
  /** Hash of the salt of the code or of the refresh tokens. Null: find by id only (a claim of an access token). */
  readonly saltHash: Uint8Array | null;
}

/** An API or the client asked about a token of a grant (RFC 7662). */
export interface RecordIntrospection {
  readonly partition: number;
  readonly grantId: string;
  readonly now: Millis;
}

export interface EndGrant {
  readonly partition: number;
  readonly grantId: string;
  /** The hash for the refresh tokens. */
  readonly saltHash: Uint8Array;
  readonly clientId: string;
  readonly now: Millis;
}

export type EndOutcome =
  | { readonly kind: "ended" }
  | { readonly kind: "already_ended" }
  | { readonly kind: "other_client" }
  | { readonly kind: "unknown" };

/**
 * A grant for which a password, an assertion or an approved device stands in place of a code. The row begins as
 * redeemed, at generation 1.
 */
export interface IssueDirect {
  readonly grant: Omit<
    NewGrant,
    "codeSaltHash" | "redirectUri" | "codeChallenge" | "codeChallengeMethod" | "codeUntil" | "accessUntil"
  >;
  readonly via: Consent["via"];
  /**
   * When the client was registered. By the operator's policy, a consent that somebody else than the owner ended before does
   * not keep the app away: the operator registered the app again. Absent: all that ended do.
   */
  readonly registeredAt?: Millis;
  /**
   * As in `IssueGrant`, for an owner who was recognized by a password: if the password changed since, the sign-in does
   * not count. Absent: they were recognized in another way.
   */
  readonly trustedFrom?: Millis;
  /** Hash of the salt of its refresh tokens. Null: it has none. */
  readonly refreshSaltHash: Uint8Array | null;
  /** When its access token ends; the row of a grant without refresh tokens lives as long. */
  readonly accessUntil: Millis;
  readonly idleUntil: Millis;
  /** When the consent that this writes ends. Null: it does not end by itself. A longer active consent stays. */
  readonly consentUntil: Millis | null;
  readonly shown: Consent["shown"];
  readonly address: string | null;
  readonly now: Millis;
}

/**
 * `blocked`: the owner's record keeps the app away, and only a page can give consent again. `exists`: the grant's id exists.
 * `no_owner`: the owner or the client is disabled or deleted, or the owner has another password.
 */
export type IssueDirectOutcome =
  | { readonly kind: "issued"; readonly grant: Grant }
  | { readonly kind: "blocked"; readonly by: StoppedBy }
  | { readonly kind: "exists" }
  | { readonly kind: "no_owner" };

/** A value that is accepted once: a `jti` (RFC 7523 §3), an assertion's ID (RFC 7522 §3). */
export interface SingleUse {
  /** The namespace, for example `client jti`, `issuer jti`, `saml id`. */
  readonly kind: string;
  /** SHA-256 of the sender and the id, base64url. */
  readonly key: string;
  /** The value is forgotten after this time. */
  readonly until: Millis;
  readonly now: Millis;
}

/** Where a device authorization request is stored. */
export interface DeviceKey {
  readonly partition: number;
  readonly requestId: string;
}

/** How a user code leads to its request. A code may have several keys: one for each secret of the server. */
export interface UserCodeKey {
  readonly partition: number;
  /** Keyed hash of the code. */
  readonly userCodeHash: string;
}

/** A device's request for authorization (RFC 8628 §3.1). */
export interface NewDeviceRequest extends DeviceKey, UserCodeKey {
  /** The hash for the device code. */
  readonly saltHash: Uint8Array;
  readonly clientId: string;
  readonly scopes: readonly string[];
  /** The address of the device. */
  readonly address: string | null;
  /** Minimum time between two polls. */
  readonly interval: Millis;
  readonly expiresAt: Millis;
  readonly now: Millis;
}

/** A request that waits for its owner's answer, as the person who entered its code may see it. */
export interface DeviceRequest extends DeviceKey {
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly address: string | null;
  readonly createdAt: Millis;
  readonly expiresAt: Millis;
}

/** The data of an owner's consent that the next poll needs. */
export interface DeviceApproval {
  /** The partition of the owner. */
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
  /** The end, if it was allowed for this once. Null: the consent record decides. */
  readonly onceUntil: Millis | null;
  /** The scopes that are only for this once. Absent: all, if `onceUntil` is set. */
  readonly once?: readonly string[];
  /** The latest ends of single scopes that are not only for this once. Absent: none. */
  readonly ends?: Readonly<Record<string, Millis>>;
  /** The latest end of all its scopes, in answers that an earlier version of the server stored. */
  readonly endsBy?: Millis | null;
  readonly approvedAt: Millis;
}

export interface PollDevice extends DeviceKey {
  readonly saltHash: Uint8Array;
  readonly clientId: string;
  readonly now: Millis;
}

/** `unknown`: this client has no such request. `spent`: its tokens were issued, or can't be issued any more. */
export type PollDeviceOutcome =
  /** `scopes`: the ones that the device asks for. */
  | { readonly kind: "pending"; readonly scopes: readonly string[] }
  | { readonly kind: "slow_down" | "denied" | "expired" | "spent" | "unknown" }
  | { readonly kind: "approved"; readonly approval: DeviceApproval };

export interface RedeemDevice extends DeviceKey {
  readonly clientId: string;
  readonly approval: DeviceApproval;
  /** As in `NewGrant`. */
  readonly ceiling: Millis | null;
  /** The hash for the new refresh tokens. */
  readonly refreshSaltHash: Uint8Array;
  readonly accessUntil: Millis;
  readonly idleUntil: Millis;
  readonly now: Millis;
}

/**
 * `taken`: another poll got the grant; nothing changed. `blocked`: the consent has ended since. `no_owner`: the owner
 * or the client is disabled or deleted, or the owner has another password.
 */
export type RedeemDeviceOutcome =
  | { readonly kind: "issued"; readonly grant: Grant }
  | { readonly kind: "taken" | "blocked" | "no_owner" };

/** Verbs of the device flow that the device causes (RFC 8628 §§3.1, 3.4). */
export interface DeviceStorage {
  readonly deviceRequests: {
    /** False: another request has that user code. Draw another one. */
    create(args: NewDeviceRequest): Promise<boolean>;
    /**
     * One poll. A poll that comes too early makes the interval longer for good (§3.5). It still learns that the request
     * is approved, denied or over.
     */
    poll(args: PollDevice): Promise<PollDeviceOutcome>;
    /** Makes the grant of an approved request. Of simultaneous callers, one gets it. */
    redeem(args: RedeemDevice): Promise<RedeemDeviceOutcome>;
  };
}

/** Verbs of grants (RFC 6749 §§4.1, 6; RFC 7009; RFC 7662). */
export interface GrantStorage {
  readonly grants: {
    /** A grant and its consent record in one transaction, without a page. */
    issueWithoutCode(args: IssueDirect): Promise<IssueDirectOutcome>;
    /**
     * A code without a page: locks the active consent, which must cover every scope for 30 s more, and inserts the row.
     */
    issue(args: IssueGrant): Promise<IssueOutcome>;
    redeem(args: RedeemCode): Promise<RedeemOutcome>;
    refresh(args: RefreshGrant): Promise<RefreshOutcome>;
    find(args: FindGrant): Promise<Grant | undefined>;
    end(args: EndGrant): Promise<EndOutcome>;
    /** False: nothing was written, because a use was recorded a moment ago or the grant has ended. */
    recordIntrospection(args: RecordIntrospection): Promise<boolean>;
  };
  readonly replayCache: {
    /** True for the first of all callers, on all processes. False: the value was used before. */
    useOnce(args: SingleUse): Promise<boolean>;
  };
  readonly scopeUses: {
    record(args: RecordScopeUses): Promise<void>;
  };
  readonly apiUses: {
    record(args: RecordApiUse): Promise<void>;
  };
}

/** Data that rarely changes, cached in each process and at most 1 s old. Keep a value for one request, not longer. */
export interface Catalog {
  client(clientId: string): Soon<Client | undefined>;
  /** All scopes, by name. */
  scopes(): Soon<ReadonlyMap<string, Scope>>;
  /** All resources, by identifier. */
  resources(): Soon<ReadonlyMap<string, Resource>>;
  /** Trusted issuers of assertions, by their identifier. */
  issuers(): Soon<ReadonlyMap<string, TrustedIssuer>>;
  /** True: the person was disabled or deleted, and a company may not have ended their grants yet. */
  isSuspended(personId: string): Soon<boolean>;
  /** True: there may be such a person. */
  someSuspended(): Soon<boolean>;
  /** When a scope was last deleted. Older grants are checked before they are refreshed. */
  scopesReducedAt(): Soon<Millis | null>;
}
