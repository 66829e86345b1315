/** The storage port of owners: people, sessions, sign-in attempts, consents. Each verb is one transaction. */

import type { Consent, ListedGrant, Millis } from "../oauth/model.ts";
import type { DeviceApproval, DeviceRequest, IssueOutcome, UserCodeKey } from "../oauth/storage.ts";
import type { ByLesser, InSession, PauseOutcome, Pausing } from "./change-conditions.ts";
import type { Approve } from "./consent-approval.ts";
import type { HistoryEntry } from "./history-entry.ts";
import type { DeviceSeen, DeviceSighting } from "./known-device-storage.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { DetailChanges, Person } from "./person.ts";
import type { ForeignSubject, SubjectLinkStorage, UpstreamSignIn } from "./subject-link-storage.ts";

import type { DisabledBy, UpstreamChanged, UpstreamChangeOutcome } from "./upstream-change-storage.ts";

export type { Approve, ChosenDuration, ConsentDuration, OfferedDuration } from "./consent-approval.ts";
export type { CompanyHappening, EndCause, HistoryEntry, HistoryKind, OwnSignInStep } from "./history-entry.ts";
export type { DetailChanges, Person } from "./person.ts";

/** The sign-in of one person in one browser. */
export interface Session {
  readonly partition: number;
  readonly sessionId: string;
  readonly personId: string;
  readonly authTime: Millis;
  readonly acr: string | null;
  readonly amr: readonly string[];
  readonly createdAt: Millis;
  readonly lastSeenAt: Millis;
  readonly idleUntil: Millis;
  readonly absoluteUntil: Millis;
  readonly userAgent: string | null;
  readonly address: string | null;
  /** The browser's known device. Null: the session is older than known devices. */
  readonly deviceId: string | null;
}

export interface NewSession extends Omit<Session, "createdAt" | "lastSeenAt" | "deviceId"> {
  readonly device: DeviceSighting;
  readonly secretHash: Uint8Array;
  /** The person's state at the sign-in. If the password has changed since, the sign-in does not count. */
  readonly passwordChangedAt: Millis | null;
  readonly now: Millis;
  /** The session that this sign-in replaces; it ends in the same transaction. */
  readonly replaces: { readonly partition: number; readonly sessionId: string } | null;
  /** The person's language from now on. Absent: unchanged. */
  readonly language?: string;
  /** Messages about this sign-in. */
  readonly mails?: readonly StoredMail[];
  /** Absent: the person signed in here, or `amr` says `fed`, and the replaced session of theirs knows where. */
  readonly upstream?: UpstreamSignIn;
  /** For the event. Absent: the session replaces one whose person has changed their password or factors. */
  readonly recorded?: RecordedSignIn;
}

/** What the event of a sign-in has for a trial of policies. */
export interface RecordedSignIn {
  readonly when: "sign_in" | "sign_up";
  /** The app that waited. Null: none. */
  readonly clientId: string | null;
  readonly knownDevice: boolean;
}

/** The session whose answer a device request accepts: the one that entered its code. */
export interface DeviceClaim extends UserCodeKey {
  readonly sessionId: string;
  readonly now: Millis;
}

/** An owner's consent to a device: the consent record, and the data from which the next poll makes the grant. */
export interface ApproveDevice extends DeviceClaim, Omit<Approve, "grant" | "now"> {
  readonly clientId: string;
  readonly approval: DeviceApproval;
  /** As in `NewGrant`. */
  readonly ceiling: Millis | null;
}

/** An owner's answer "Don't allow". `personId`: the person who answered, perhaps for a company. */
export interface Refuse extends ConsentKey {
  readonly personId: string;
  readonly via: "browser" | "device";
  readonly clientName: string;
  /** The scopes that the page named, and the text of each in the language of the page. */
  readonly scopes: readonly string[];
  readonly shown: NonNullable<HistoryEntry["record"]["shown"]>;
  /** The longest time for which an answer to the client can hold. Null: no limit. */
  readonly ceiling: Millis | null;
  /** As in `Approve`. */
  readonly trustedFrom: Millis;
  readonly now: Millis;
}

/**
 * `allowed`, `denied`: this session has answered so before, and that answer stays. `unknown`: the request does not
 * exist, is over, or belongs to another session.
 */
export type DecideDeviceOutcome = "decided" | "allowed" | "denied" | "unknown";

export interface ConsentKey {
  readonly partition: number;
  readonly ownerId: string;
  readonly clientId: string;
}

/** When an app last got a token for a scope, recorded if it asked for fewer scopes than it has. */
export interface ScopeUse {
  readonly clientId: string;
  readonly scope: string;
  readonly lastUsedAt: Millis;
}

/** When an app last used an API, recorded where its grants alone don't tell. */
export interface ApiUse {
  readonly clientId: string;
  /** The identifier of the API. */
  readonly api: string;
  readonly lastUsedAt: Millis;
}

/** When the last access token of some grants of one app was issued, as far as this is recorded. */
export interface LastIssue {
  readonly clientId: string;
  /** As in `Grant`. */
  readonly audience: string | null;
  readonly refreshable: boolean;
  readonly lastUsedAt: Millis;
  /** When the last of these grants ended. `NEVER`: one of them is still active. */
  readonly openUntil: Millis;
}

/** A page of an owner's history. */
export interface HistoryPage {
  readonly partition: number;
  readonly ownerId: string;
  /** The last entry of the previous page. Null: the newest entries. */
  readonly before: { readonly at: Millis; readonly entryId: string } | null;
  readonly limit: number;
}

/** `entryId`: the history entry of the change. */
export type RevokeConsentOutcome =
  | {
      readonly kind: "revoked";
      readonly grantsEnded: number;
      readonly lastUsedAt: Millis | null;
      readonly entryId: string;
    }
  | { readonly kind: "unknown" };

export type NarrowConsentOutcome =
  | { readonly kind: "narrowed"; readonly left: number; readonly entryId: string }
  /** Nothing was left, so the consent and its grants ended. */
  | { readonly kind: "revoked"; readonly entryId: string }
  | { readonly kind: "unknown" };

/** One application on the dashboard. */
export interface ConsentWithGrants {
  readonly consent: Consent;
  /** Live grants, and those that ended as `theft` or `replayed` in the last 30 days. */
  readonly grants: readonly ListedGrant[];
}

/** An app with what its live grants hold: one entry for each API. */
export interface ConsentWithHeld {
  readonly consent: Consent;
  readonly held: readonly {
    /** The identifier of the API. Null: grants for several. */
    readonly api: string | null;
    /** True: the app can get new access without the owner until its scope `offline_access` ends. */
    readonly refreshableByScope: boolean;
    /** True: it didn't ask for that scope, and can get new access without the owner until its last scope ends. */
    readonly refreshableAlways: boolean;
    /** Null: no code was redeemed. */
    readonly lastUsedAt: Millis | null;
  }[];
}

/** A counter of attempts, and its limit. */
export interface Attempt {
  /** The key of the counter, hashed by the caller: an account, an address, or an account on a known device. */
  readonly key: string;
  readonly limit: number;
  /** The limit when the first ceiling is reached, the second, … Absent: the limit stays. */
  readonly narrowed?: readonly number[];
  /** Milliseconds from the first attempt to the window's end. */
  readonly window: number;
}

/** `level`: the position of the last ceiling that is reached; 0: none is reached. */
export type AttemptOutcome =
  /** `counted`: the keys under which the attempt was counted. */
  | { readonly kind: "allowed"; readonly level: number; readonly counted: readonly string[] }
  /** One of the limits is reached, and the attempt was not counted. `full`: the keys of these limits. */
  | { readonly kind: "throttled"; readonly until: Millis; readonly level: number; readonly full: readonly string[] };

export type CreatePersonOutcome =
  | { readonly kind: "created" }
  | { readonly kind: "taken"; readonly what: "username" | "email" };

/** The fields of a person that the caller changes. Absent: unchanged. */
export interface PersonChanges {
  /** A new address is unverified unless `emailVerifiedAt` says otherwise. */
  readonly email?: string;
  readonly emailVerifiedAt?: Millis | null;
  readonly name?: string | null;
  readonly details?: DetailChanges;
  readonly operator?: readonly string[];
  readonly mustChangePassword?: boolean;
}

export interface OwnerStorage {
  readonly people: {
    /**
     * Reserves both names (canonical), creates, activates. Only an operator can give an address that is owed to
     * another.
     */
    create(args: {
      readonly person: Person;
      readonly byOperator?: boolean;
      readonly now: Millis;
    }): Promise<CreatePersonOutcome>;
    /** Finds by canonical username or e-mail address. */
    findByName(args: { readonly name: string }): Promise<Person | undefined>;
    get(args: { readonly partition: number; readonly personId: string }): Promise<Person | undefined>;
    /** Oldest first. */
    list(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Person[]>;
    update(
      args: {
        readonly partition: number;
        readonly personId: string;
        readonly changes: PersonChanges;
        /** The record on which the changes are based. Absent: whatever it is. */
        readonly expected?: Person;
        readonly now: Millis;
      } & InSession,
    ): Promise<{ readonly kind: "updated" | "unknown" | "taken" | "changed" }>;
    /**
     * Ends sessions except `keep` (unless `endSessions` is false), with `endGrants` all grants. False: nobody to
     * change.
     */
    setPassword(
      args: InSession &
        ByLesser & {
          readonly partition: number;
          readonly personId: string;
          readonly passwordHash: string;
          /** When the replaced password was set, which the person proved to know. Absent: any password. */
          readonly replacing?: Millis | null;
          readonly mustChange: boolean;
          readonly endGrants: boolean;
          /** True: the consents are revoked, too. Otherwise apps get access again without a page. */
          readonly revokeConsents?: boolean;
          readonly endSessions?: boolean;
          /** True: the links that undo a change of the address or a removal of factors end, too. */
          readonly endWaysBack?: boolean;
          /** Messages about the change. */
          readonly mails?: readonly StoredMail[];
          readonly keepSessionId: string | null;
          readonly now: Millis;
        },
    ): Promise<boolean>;
    /**
     * Stores another hash of the same password, after a change of parameters, or because the operator's application
     * keeps it, or does so no more (null). Ends nothing.
     */
    rehashPassword(args: {
      readonly partition: number;
      readonly personId: string;
      readonly from: string | null;
      readonly to: string | null;
    }): Promise<void>;
    /** Disabling ends the person's sessions and grants (`owner_ended`) in the same transaction. */
    setStatus(
      args: ByLesser & {
        readonly partition: number;
        readonly personId: string;
        readonly status: "active" | "disabled";
        readonly now: Millis;
      },
    ): Promise<boolean>;
    /** What another system says of a person whom it knows. Repeating a call changes nothing. */
    upstreamChanged(args: UpstreamChanged): Promise<UpstreamChangeOutcome>;
    /** The systems that have disabled the person. Empty: none has, or an operator has. */
    disabledBy(args: { readonly partition: number; readonly personId: string }): Promise<readonly DisabledBy[]>;
    /** Deletes the person, sessions and consents. Grants end, and their rows stay until housekeeping deletes them. */
    delete(
      args: ByLesser & { readonly partition: number; readonly personId: string; readonly now: Millis },
    ): Promise<boolean>;
  };
  readonly subjectLinks: SubjectLinkStorage;
  readonly sessions: {
    /** Undefined: nothing was made, because the person was deleted or disabled, or has another password meanwhile. */
    create(args: NewSession): Promise<DeviceSeen | undefined>;
    /** The live session, if the person is active and the hash is right. Extends `idle_until`, every 5 minutes. */
    use(args: {
      readonly partition: number;
      readonly sessionId: string;
      readonly secretHash: Uint8Array;
      readonly now: Millis;
      readonly idleUntil: Millis;
    }): Promise<{ readonly session: Session; readonly person: Person } | undefined>;
    end(args: { readonly partition: number; readonly sessionId: string; readonly now: Millis }): Promise<boolean>;
    /** Ends all sessions, or all but one, and unbinds their devices. Returns the number of sessions. */
    endAll(
      args: Pick<Session, "partition" | "personId"> &
        InSession &
        ByLesser & { readonly keepSessionId?: string; readonly now: Millis },
    ): Promise<number>;
    /**
     * Ends one session of a person. Its device is not bound any more, unless the session that asks has the same device.
     * False: there is no such session, or the one that asks has ended.
     */
    endOne(args: {
      readonly partition: number;
      readonly personId: string;
      readonly ends: string;
      readonly sessionId: string;
      readonly now: Millis;
    }): Promise<boolean>;
    /** Ends one session by its id alone, for an operator. Its device is nobody's own from then on. False: no such session exists. */
    revoke(args: { readonly partition: number; readonly sessionId: string; readonly now: Millis }): Promise<boolean>;
    /**
     * Ends sessions that began with a sign-in at a provider: those of that subject there, of that session there, or of
     * both. Returns the number of ended sessions of each person. `sid`: its `subject` is the provider's `sid`. `name`: of
     * the provider, for the history.
     */
    endUpstream(args: {
      readonly name: string;
      readonly subject: ForeignSubject | null;
      readonly sid: ForeignSubject | null;
      readonly now: Millis;
    }): Promise<readonly { readonly personId: string; readonly ended: number }[]>;
    /** Whether a session has not ended that was live when its request began. */
    isOpen(args: { readonly partition: number; readonly sessionId: string }): Promise<boolean>;
    list(args: Pick<Session, "partition" | "personId"> & { readonly now: Millis }): Promise<readonly Session[]>;
  };
  readonly attempts: {
    /** Counts one attempt under all keys or none, before the check of the password: simultaneous guesses count. */
    count(args: {
      readonly attempts: readonly Attempt[];
      /** They count too, but refuse nothing: each full one lowers the limits, in the order of `narrowed`. */
      readonly ceilings?: readonly Attempt[];
      readonly now: Millis;
    }): Promise<AttemptOutcome>;
    /** After a success: sets the `reset` counters to zero, and takes this attempt off the `undo` counters. */
    forgive(args: { readonly reset: readonly string[]; readonly undo: readonly string[] }): Promise<void>;
  };
  readonly deviceRequests: {
    /**
     * Claims the live request with that user code for this session. Undefined: there is none, or it is over, answered,
     * or claimed by another session.
     */
    claim(
      args: DeviceClaim & {
        /** A session of the same browser that had claimed it before. */
        readonly before: string | null;
      },
    ): Promise<DeviceRequest | undefined>;
    /** `no_consent`: the person may not answer so for the owner. */
    approve(args: ApproveDevice): Promise<DecideDeviceOutcome | "no_consent">;
    deny(args: DeviceClaim): Promise<DecideDeviceOutcome>;
    /** The outcome that an answer would have now; writes nothing. `decided`: the request would take it. */
    previewAnswer(args: DeviceClaim): Promise<DecideDeviceOutcome>;
  };
  readonly grants: {
    approve(args: Approve): Promise<IssueOutcome>;
    /** Records the answer "Don't allow" in the owner's history. It changes nothing else. */
    refuse(args: Refuse): Promise<{ readonly kind: "noted" | "unknown" }>;
  };
  readonly consents: {
    find(args: ConsentKey): Promise<Consent | undefined>;
    list(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly now: Millis;
    }): Promise<readonly ConsentWithGrants[]>;
    /** The active consents of an owner, with what the apps hold under them; of expired ones, those that are paused. */
    listHeld(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly now: Millis;
    }): Promise<readonly ConsentWithHeld[]>;
    /** Revokes the consent and its grants in one transaction. */
    revoke(
      args: ConsentKey & InSession & { readonly revokedBy: string; readonly now: Millis },
    ): Promise<RevokeConsentOutcome>;
    /** Sets the end of the record and its live grants. Null: until revoked. `ceiling`: as in `NewGrant`. */
    changeEnd(
      args: ConsentKey &
        InSession & {
          readonly end: Millis | null;
          readonly ceiling: Millis | null;
          readonly by: string;
          readonly now: Millis;
        },
    ): Promise<{ readonly kind: "changed"; readonly entryId: string } | { readonly kind: "unknown" }>;
    /** Stops the app until it is resumed, or lets it go on. Nothing of the owner's decision changes. */
    setPaused(
      args: ConsentKey & InSession & Pausing & { readonly by: string; readonly now: Millis },
    ): Promise<PauseOutcome>;
    /**
     * For grants that were used since then, ended ones included. `personId`: only those that this person made. If the
     * database was restored since then, each consent that had not ended before counts as used until the restore, by
     * grants that the database does not know. `restoredAt`: 0: never restored.
     */
    lastIssues(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly personId: string | null;
      readonly since: Millis;
      readonly restoredAt: Millis;
    }): Promise<readonly LastIssue[]>;
    /** Number of owners with an active consent to the client, counted up to `most`. */
    countOwners(args: { readonly clientId: string; readonly most: number }): Promise<number>;
    /** Forgets what the owner declined: the app can ask for it again. */
    forgetDeclined(
      args: ConsentKey & InSession & { readonly now: Millis },
    ): Promise<{ readonly kind: "changed" | "unknown" }>;
    /** The next request of the app asks for whom, if the person can answer for a company. Nothing ends. */
    forgetChoice(args: ConsentKey & InSession): Promise<{ readonly kind: "done" | "unknown" }>;
    narrow(
      args: ConsentKey & InSession & { readonly remove: readonly string[]; readonly by: string; readonly now: Millis },
    ): Promise<NarrowConsentOutcome>;
  };
  readonly scopeUses: {
    list(args: { readonly partition: number; readonly ownerId: string }): Promise<readonly ScopeUse[]>;
  };
  readonly apiUses: {
    list(args: { readonly partition: number; readonly ownerId: string }): Promise<readonly ApiUse[]>;
  };
  readonly history: {
    list(args: HistoryPage): Promise<readonly HistoryEntry[]>;
    /** Undefined: the entry does not exist, or belongs to another owner. */
    get(args: { readonly ownerId: string; readonly entryId: string }): Promise<HistoryEntry | undefined>;
    /** The apps that the owner resumed since then, and when they last did. `wasPaused`: the app was paused at that time. */
    resumedSince(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly since: Millis;
    }): Promise<readonly { readonly clientId: string; readonly at: Millis; readonly wasPaused: boolean }[]>;
    /** Keeps the public key of a signed receipt for good. True: the key was new. */
    keepReceiptKey(args: { readonly kid: string; readonly publicJwk: string; readonly now: Millis }): Promise<boolean>;
    /** The public JWKs, as JSON, of all keys that ever signed a receipt. */
    listReceiptKeys(): Promise<readonly string[]>;
  };
}
