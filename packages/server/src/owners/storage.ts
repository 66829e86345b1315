/** The storage port of owners: people, sessions, sign-in attempts, consents. Each verb is one transaction. */

import type { Consent, Grant, GrantedScope, Millis } from "../oauth/model.ts";
import type { DeviceApproval, DeviceRequest, IssueOutcome, NewGrant, UserCodePlace } from "../oauth/storage.ts";
import type { InSession } from "./asked-in-session.ts";
import type { Role } from "./company-storage.ts";
import type { DeviceSeen, DeviceSighting } from "./known-device-storage.ts";
import type { StoredMail } from "./mail/storage.ts";
import type { Person } from "./person.ts";

export type { Person } from "./person.ts";

/** A signed-in browser. */
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
  /** Of the browser, among the person's known devices; null: the session is older than those. */
  readonly deviceId: string | null;
}

export interface NewSession extends Omit<Session, "createdAt" | "lastSeenAt" | "deviceId"> {
  readonly device: DeviceSighting;
  readonly secretHash: Uint8Array;
  /** Of the person, as they were when they signed in: with another password since, this sign-in is none. */
  readonly passwordChangedAt: Millis | null;
  readonly now: Millis;
  /** The session that this sign-in takes the place of; ended in the same transaction. */
  readonly replaces: { readonly partition: number; readonly sessionId: string } | null;
  /** The language that the person reads, from now on; absent: as it was. */
  readonly language?: string;
  /** Messages about this sign-in. */
  readonly mails?: readonly StoredMail[];
}

/** How long a consent lasts: seconds, until revoked, or for this one authorization. */
export type ConsentDuration = number | "forever" | "once";

/** An owner's answer on the consent page: the consent record and the grant under it, in one transaction. */
export interface Approve {
  readonly grant: NewGrant;
  readonly grantedBy: string;
  readonly via: Consent["via"];
  /** What the page offered as a choice and the owner left out: leaves the record and every live grant under it. */
  readonly declined: readonly string[];
  readonly duration: ConsentDuration;
  /** Scopes that last another time than the rest; absent: none. */
  readonly durations?: Readonly<Record<string, ConsentDuration>>;
  /** What the owner read about each scope, for the history; absent: no page was shown. */
  readonly texts?: Readonly<Record<string, string>>;
  /** End of a `once`: when its access token ends. */
  readonly onceUntil: Millis;
  readonly shown: Consent["shown"];
  readonly address: string | null;
  /** As of `IssueGrant`. */
  readonly trustedFrom?: Millis;
  readonly now: Millis;
}

/** Whose answer a device request takes: the session that entered its code. */
export interface DeviceClaim extends UserCodePlace {
  readonly sessionId: string;
  readonly now: Millis;
}

/** An owner's yes to a device: the consent record, and what the next poll makes the grant of. */
export interface ApproveDevice extends DeviceClaim, Omit<Approve, "grant" | "now"> {
  readonly clientId: string;
  readonly approval: DeviceApproval;
  /** As of `NewGrant`. */
  readonly ceiling: Millis | null;
}

/** `allowed`, `denied`: this session has answered so before; that stands. `unknown`: no such request, over, or another session's. */
export type DecideDeviceOutcome = "decided" | "allowed" | "denied" | "unknown";

export interface ConsentKey {
  readonly partition: number;
  readonly ownerId: string;
  readonly clientId: string;
}

/**
 * What an entry of the history tells. `allowed`: an owner's yes, or the first access without a page. `reconnected`: other grants within what
 * stood, told once a day. `given_up`: by the app (RFC 7009). `alarm`: a spent code or token came back, and its grant ended. `ended`: by something
 * that was not about the app alone. Of a company, about no app: `member_joined` (by an invitation, or added by the operator), `member_role`, `member_left`
 * (by themselves, or removed), `member_invited`, `invitation_withdrawn`; about an app: `rule_changed`, where it is no approval (that is an `allowed`).
 */
export type HistoryKind =
  | "allowed"
  | "reconnected"
  | "narrowed"
  | "end_changed"
  | "revoked"
  | "given_up"
  | "alarm"
  | "ended"
  | CompanyHappening;

export type CompanyHappening =
  | ("member_joined" | "member_role" | "member_left" | "member_invited" | "invitation_withdrawn")
  | "rule_changed";

/**
 * Why grants `ended` while what the owner had allowed stood. `account`: it was disabled; `leaving`: it is to be deleted; `app`: it was switched off
 * or removed; `company`: it was disabled; `member`: they left, were disabled, or have another password; `stopped`: a member wanted no more of it;
 * `crowded`: a newer one took its place; `approval`: a company no longer lets the app act for all its members.
 */
export type EndCause =
  | ("password" | "account" | "leaving" | "app" | "company" | "member" | "stopped" | "crowded")
  | "approval";

/** What happened between an owner and a client: written in the transaction in which it happened, never changed. */
export interface HistoryEntry {
  readonly partition: number;
  /** Of an `allowed` the grant's id; else it derives from the entry. */
  readonly entryId: string;
  readonly ownerId: string;
  readonly at: Millis;
  readonly kind: HistoryKind;
  /** Empty: it is about no app. */
  readonly clientId: string;
  readonly record: {
    /** As it called itself then; null: not noted. */
    readonly clientName: string | null;
    /** A person's id, `operator`, `client`, or `server`. */
    readonly by: string;
    /** How an `allowed` came about; null: of no concern. */
    readonly via: Consent["via"] | null;
    /** What was allowed now; what is left after a change; what ended. Each with its own end. */
    readonly scopes: readonly GrantedScope[];
    /** What was taken away. */
    readonly removed: readonly string[];
    /** End of the whole; null: until revoked. */
    readonly expiresAt: Millis | null;
    /** Of an `allowed`: the redirect hosts that the answer was for; absent: none. */
    readonly hosts?: readonly string[];
    /** Those of them that were new to a consent that stood. */
    readonly newHosts?: readonly string[];
    /** Of an `allowed`: all of it was for this once. `expiresAt` is when what the app got then has run out. */
    readonly once?: true;
    /** Of a `revoked`: when the app was last seen to use it; null: never. */
    readonly lastUsedAt?: Millis | null;
    /** Of an `ended`. */
    readonly cause?: EndCause;
    /** Of an `ended` in a company: whose grants these were; of a `member_…`: whom it is about. */
    readonly personId?: string;
    /** The role that a `member_joined`, `member_role` or `member_invited` gave or offered. */
    readonly role?: Role;
    /** Tells invitations apart. To whom it went is not noted: whoever never joins is named nowhere for years. */
    readonly invitationId?: string;
    /** Of a `rule_changed`: what holds for the app since; `unblocked`, `none`: the company's default. */
    readonly rule?: "blocked" | "unblocked" | "ask" | "none";
    /** The grant that ended, where it was one of several. */
    readonly grantId?: string;
    /** What the owner read about each scope, and in which language; absent: nothing was shown. */
    readonly shown?: { readonly locale: string; readonly texts: Readonly<Record<string, string>> };
  };
}

/** When an app last got a token for a scope of its own, where it asked for less than it may. */
export interface ScopeUse {
  readonly clientId: string;
  readonly scope: string;
  readonly lastUsedAt: Millis;
}

/** When the last access token of some grants of one app was made, as far as it is written. */
export interface LastIssue {
  readonly clientId: string;
  /** As of `Grant`. */
  readonly audience: string | null;
  readonly refreshable: boolean;
  readonly lastUsedAt: Millis;
  /** When the last of these grants ended; `NEVER`: one of them stands. */
  readonly openUntil: Millis;
}

/** A page of an owner's history. */
export interface HistoryPage {
  readonly partition: number;
  readonly ownerId: string;
  /** The last entry of the page before; null: the newest. */
  readonly before: { readonly at: Millis; readonly entryId: string } | null;
  readonly limit: number;
}

/** `entryId`: the entry of the history that tells of it. */
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
  /** Nothing was left: the consent and its grants ended. */
  | { readonly kind: "revoked"; readonly entryId: string }
  | { readonly kind: "unknown" };

/** One application on the dashboard. */
export interface ConsentWithGrants {
  readonly consent: Consent;
  /** Live ones, and those that ended as `theft` or `replayed` in the last 30 days. */
  readonly grants: readonly Grant[];
}

/** A counter of attempts, and how many it takes. */
export interface Attempt {
  /** What is counted, hashed by the caller: an account, an address, an account from a known device. */
  readonly key: string;
  readonly limit: number;
  /** What the limit becomes when the first ceiling is full, the second, … Absent: it stays. */
  readonly narrowed?: readonly number[];
  /** Milliseconds from the first attempt to the window's end. */
  readonly window: number;
}

/** `level`: how many ceilings are full, up to the last one that is; 0 below all. */
export type AttemptOutcome =
  /** `counted`: the keys that it was counted under. */
  | { readonly kind: "allowed"; readonly level: number; readonly counted: readonly string[] }
  /** One of the limits is reached; nothing was counted. `full`: the keys whose limit it is. */
  | { readonly kind: "throttled"; readonly until: Millis; readonly level: number; readonly full: readonly string[] };

export type CreatePersonOutcome =
  | { readonly kind: "created" }
  | { readonly kind: "taken"; readonly what: "username" | "email" };

/** A subject as its issuer means it: two that differ in any character are two. */
export interface ForeignSubject {
  /** Of the issuer's record. */
  readonly issuerId: string;
  /** The claim or attribute that the subject is the value of; null: `sub`, or the NameID. */
  readonly claim: string | null;
  readonly subject: string;
}

/** A foreign subject that is an owner of ours. */
export interface SubjectLink extends ForeignSubject {
  readonly partition: number;
  readonly ownerId: string;
  /** What stands for the subject in keys. */
  readonly link: string;
  readonly madeBy: "operator" | "first use";
  readonly createdAt: Millis;
}

/** `known`: it was so before. `taken`: another owner is that subject. `other`: the owner is another subject of that issuer. `unknown`: no such person. */
export interface LinkOutcome {
  readonly kind: "linked" | "known" | "taken" | "other" | "unknown";
}

export type CreateLinkedOutcome =
  | { readonly kind: "created" | "linked"; readonly person: Person }
  /** Somebody began before: to be called again with this id. */
  | { readonly kind: "begun"; readonly personId: string }
  /** None of the names is free, or the subject went to another. */
  | { readonly kind: "taken" };

/** What the caller may change of a person; absent: as it was. */
export interface PersonChanges {
  /** A new one is unverified unless `emailVerifiedAt` says otherwise. */
  readonly email?: string;
  readonly emailVerifiedAt?: Millis | null;
  readonly name?: string | null;
  readonly operator?: readonly string[];
  readonly mustChangePassword?: boolean;
}

export interface OwnerStorage {
  readonly people: {
    /**
     * Reserves username and e-mail (already canonical), creates, activates. Only an operator gives somebody an address that another account has left in
     * the last days and can have back.
     */
    create(args: {
      readonly person: Person;
      readonly byOperator?: boolean;
      readonly now: Millis;
    }): Promise<CreatePersonOutcome>;
    /** By canonical username or e-mail. */
    findByName(args: { readonly name: string }): Promise<Person | undefined>;
    get(args: { readonly partition: number; readonly personId: string }): Promise<Person | undefined>;
    /** Oldest first. */
    list(args: { readonly limit: number; readonly after: string | null }): Promise<readonly Person[]>;
    update(
      args: {
        readonly partition: number;
        readonly personId: string;
        readonly changes: PersonChanges;
        readonly now: Millis;
      } & InSession,
    ): Promise<{ readonly kind: "updated" } | { readonly kind: "unknown" } | { readonly kind: "taken" }>;
    /** Ends all sessions but `keep`, unless `endSessions` is false; ends all grants too where `endGrants`. False: nobody, or not the one to be replaced. */
    setPassword(
      args: InSession & {
        readonly partition: number;
        readonly personId: string;
        readonly passwordHash: string;
        /** When the password was set that this takes the place of, which the person proved to know; absent: whichever there is. */
        readonly replacing?: Millis | null;
        readonly mustChange: boolean;
        readonly endGrants: boolean;
        readonly endSessions?: boolean;
        /** Messages about it. */
        readonly mails?: readonly StoredMail[];
        readonly keepSessionId: string | null;
        readonly now: Millis;
      },
    ): Promise<boolean>;
    /** A better hash of the same password (parameters changed); ends nothing. */
    rehashPassword(args: {
      readonly partition: number;
      readonly personId: string;
      readonly from: string;
      readonly to: string;
    }): Promise<void>;
    /** Disabling ends the person's sessions and grants (`owner_ended`) in the same transaction. */
    setStatus(args: {
      readonly partition: number;
      readonly personId: string;
      readonly status: "active" | "disabled";
      readonly now: Millis;
    }): Promise<boolean>;
    /** Removes the person, sessions and consents; grants end and their rows stay until garbage collection. */
    delete(args: { readonly partition: number; readonly personId: string; readonly now: Millis }): Promise<boolean>;
  };
  readonly subjectLinks: {
    findPerson(args: { readonly subject: ForeignSubject }): Promise<Person | undefined>;
    /** `sole`: only if no other subject of that issuer is this owner. `email`: by which they were found; with another since, nothing is linked. */
    link(args: {
      readonly partition: number;
      readonly personId: string;
      readonly subject: ForeignSubject;
      readonly sole: boolean;
      readonly email?: string;
      readonly madeBy: SubjectLink["madeBy"];
      readonly now: Millis;
    }): Promise<LinkOutcome>;
    /** Of the people, who differ in their names alone, the first whose names are free, linked. Many at once make one owner. */
    createPerson(args: {
      readonly people: readonly Person[];
      readonly subject: ForeignSubject;
      readonly now: Millis;
    }): Promise<CreateLinkedOutcome>;
    /** The owner's id; undefined: the subject was nobody's. */
    unlink(args: { readonly subject: ForeignSubject; readonly now: Millis }): Promise<string | undefined>;
    /** What one person is known by elsewhere, oldest first. */
    ofPerson(args: { readonly partition: number; readonly personId: string }): Promise<readonly SubjectLink[]>;
    /** Oldest first. */
    list(args: {
      readonly issuerId: string;
      readonly limit: number;
      readonly after: Pick<SubjectLink, "createdAt" | "link"> | null;
    }): Promise<readonly SubjectLink[]>;
  };
  readonly sessions: {
    /** Undefined: nothing was made, since the person is gone, disabled, or has another password meanwhile. */
    create(args: NewSession): Promise<DeviceSeen | undefined>;
    /** The live session of an active person, if the secret's hash is right. Moves `idle_until`, at most every 5 minutes. */
    use(args: {
      readonly partition: number;
      readonly sessionId: string;
      readonly secretHash: Uint8Array;
      readonly now: Millis;
      readonly idleUntil: Millis;
    }): Promise<{ readonly session: Session; readonly person: Person } | undefined>;
    end(args: { readonly partition: number; readonly sessionId: string }): Promise<boolean>;
    /** How many ended: all, or all but one. The devices of those that ended are not bound any more. */
    endAll(
      args: {
        readonly partition: number;
        readonly personId: string;
        readonly keepSessionId?: string;
        readonly now: Millis;
      } & InSession,
    ): Promise<number>;
    /**
     * Ends one session of a person, whose device is not bound any more, unless the session that asks is of it, too. False: there is no such session, or
     * the one that asks has ended.
     */
    endOne(args: {
      readonly partition: number;
      readonly personId: string;
      readonly ends: string;
      readonly sessionId: string;
      readonly now: Millis;
    }): Promise<boolean>;
    /** Whether a session has not ended; for one that was live when its request began. */
    isOpen(args: { readonly partition: number; readonly sessionId: string }): Promise<boolean>;
    list(args: {
      readonly partition: number;
      readonly personId: string;
      readonly now: Millis;
    }): Promise<readonly Session[]>;
  };
  readonly attempts: {
    /** Counts one attempt under each key, all or none, before the password is looked at: parallel guesses count, too. */
    count(args: {
      readonly attempts: readonly Attempt[];
      /** Counted as well, and refuse nothing: each that is full narrows the limits. In the order of `narrowed`. */
      readonly ceilings?: readonly Attempt[];
      readonly now: Millis;
    }): Promise<AttemptOutcome>;
    /** A success: `reset` keys are emptied, `undo` keys lose the one that was counted. */
    forgive(args: { readonly reset: readonly string[]; readonly undo: readonly string[] }): Promise<void>;
  };
  readonly deviceRequests: {
    /** The live request with that user code, from now on this session's alone; undefined: none, over, answered, or another session's. */
    claim(
      args: DeviceClaim & {
        /** A session of the same browser that had it before. */
        readonly before: string | null;
      },
    ): Promise<DeviceRequest | undefined>;
    approve(args: ApproveDevice): Promise<DecideDeviceOutcome>;
    deny(args: DeviceClaim): Promise<DecideDeviceOutcome>;
    /** What an answer of this session would meet; writes nothing. `decided`: it would be taken. */
    standing(args: DeviceClaim): Promise<DecideDeviceOutcome>;
  };
  readonly consents: {
    approve(args: Approve): Promise<IssueOutcome>;
    find(args: ConsentKey): Promise<Consent | undefined>;
    list(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly now: Millis;
    }): Promise<readonly ConsentWithGrants[]>;
    /** The consent first, then its grants, in one transaction. */
    revoke(
      args: ConsentKey & InSession & { readonly revokedBy: string; readonly now: Millis },
    ): Promise<RevokeConsentOutcome>;
    /** Everything that stands ends then, in the record and in its live grants; null: when it is revoked. `ceiling`: as of `NewGrant`. */
    changeEnd(
      args: ConsentKey &
        InSession & {
          readonly end: Millis | null;
          readonly ceiling: Millis | null;
          readonly by: string;
          readonly now: Millis;
        },
    ): Promise<{ readonly kind: "changed"; readonly entryId: string } | { readonly kind: "unknown" }>;
    /** Of grants that were used since then, ended ones too; `personId`: of those alone that this person made. */
    lastIssues(args: {
      readonly partition: number;
      readonly ownerId: string;
      readonly personId: string | null;
      readonly since: Millis;
    }): Promise<readonly LastIssue[]>;
    /** Owners whose consent to the client stands, counted up to `most`. */
    countOwners(args: { readonly clientId: string; readonly most: number }): Promise<number>;
    narrow(
      args: ConsentKey & InSession & { readonly remove: readonly string[]; readonly by: string; readonly now: Millis },
    ): Promise<NarrowConsentOutcome>;
  };
  readonly scopeUses: {
    list(args: { readonly partition: number; readonly ownerId: string }): Promise<readonly ScopeUse[]>;
  };
  readonly history: {
    list(args: HistoryPage): Promise<readonly HistoryEntry[]>;
    /** Undefined: there is none, or it is another owner's. */
    get(args: { readonly ownerId: string; readonly entryId: string }): Promise<HistoryEntry | undefined>;
    /** Keeps the public key of a signed receipt for good. True: it was new. */
    keepReceiptKey(args: { readonly kid: string; readonly publicJwk: string; readonly now: Millis }): Promise<boolean>;
    /** Public JWKs, serialized, of all keys that ever signed a receipt. */
    listReceiptKeys(): Promise<readonly string[]>;
  };
}
