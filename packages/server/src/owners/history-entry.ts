/** What the history keeps of each decision of an owner and of what came of it. */

import type { Consent, GrantedScope, Millis } from "../oauth/model.ts";
import type { ConnectionStep } from "./company-connection-storage.ts";
import type { DefaultRule, Role } from "./company-storage.ts";

/**
 * The kind of a history entry. `allowed`: an owner's consent, or the first access without a page. `reconnected`:
 * another grant under an existing consent. `delegated`: a client got a token through an app
 * that the owner allowed (RFC 8693). Both are recorded once a day, and again for permissions that no such entry of the day names. `vouched`: an app that the owner allowed got an ID-JAG for another
 * server, recorded once a day. `connected`: a member's answer on a page under their
 * company's approval. `refused`: the owner pressed "Don't allow"; equal refusals of a day (UTC) are recorded once. `paused`, `resumed`: the owner stopped the app for a while, and let it go on. `given_up`: the app revoked its token (RFC 7009).
 * `alarm`: a spent code or token came back, and its grant ended. `ended`: an event that was not about the app alone
 * ended the access. Without an app, named after another system, which is the `clientName`: it signed the person out
 * (`signed_out`), disabled them, or enabled them again; the operator can do the last, too. For a company, without an app: `member_joined` (by an invitation, or added by the operator),
 * `member_role`, `member_left` (left, removed, or their account was deleted), `member_invited`, `invitation_withdrawn`, `own_sign_in` (its own provider, which is the `clientName`), `rule_changed` (its default rule). For a company, about an
 * app: `rule_changed`, unless it is an approval (an `allowed`), and `connection` (with another server).
 */
export type HistoryKind =
  | "allowed"
  | "reconnected"
  | "delegated"
  | "vouched"
  | "connected"
  | "refused"
  | "narrowed"
  | "end_changed"
  | ("paused" | "resumed")
  | "revoked"
  | "given_up"
  | "alarm"
  | "ended"
  | ("signed_out" | "disabled" | "enabled")
  | CompanyHappening;

export type CompanyHappening =
  | ("member_joined" | "member_role" | "member_left" | "member_invited" | "invitation_withdrawn")
  | ("rule_changed" | "own_sign_in" | "connection");

/** Steps in the life of a company's own provider. */
export type OwnSignInStep = "connected" | "changed" | "on" | "off" | "removed";

/**
 * Why grants `ended` although the owner's decision did not change. `account`: it was disabled. `leaving`: it is to be
 * deleted. `app`: it was disabled or deleted. `company`: it was disabled. `member_…`: they left or were removed, their
 * account was disabled, deleted or is to be deleted, or they have a new password. `member`: any of these, in entries of
 * earlier versions. `stopped`: a member opted out. `crowded`: a newer grant replaced it. `approval`: a company no
 * longer approves the app for them. `upstream`: another system has disabled or deleted the person. `recent`,
 * `member_recent`: an intruder may have made these grants; the app can have older ones. `restore`: the database was
 * restored from a backup; also of a `revoked`, because the owner's decision ended with the grants. `recovery`: of a `revoked`, a
 * `narrowed` or a `paused` that the owner did not choose when they recovered the account or undid a removal of factors.
 */
export type EndCause =
  | ("password" | "account" | "leaving" | "app" | "company" | "member" | "stopped" | "crowded")
  | ("approval" | "upstream" | "recent" | "restore" | "recovery")
  | ("member_left" | "member_removed" | "member_disabled" | "member_deleted")
  | ("member_password" | "member_leaving" | "member_recent");

/** An event between an owner and a client. It is written in the transaction of the event and never changed. */
export interface HistoryEntry {
  readonly partition: number;
  /** For an `allowed` or a `connected`, the grant's id; otherwise it derives from the entry. */
  readonly entryId: string;
  readonly ownerId: string;
  readonly at: Millis;
  readonly kind: HistoryKind;
  /** Empty: the entry is about no app. */
  readonly clientId: string;
  readonly record: {
    /** The app's name at that time. Null: not recorded. */
    readonly clientName: string | null;
    /** A person's id, `operator`, `client`, or `server`. */
    readonly by: string;
    /** How an `allowed`, a `connected` or a `refused` came about. Null for other kinds. */
    readonly via: Consent["via"] | null;
    /** The scopes allowed now, left after a change, or ended, each with its own end. */
    readonly scopes: readonly GrantedScope[];
    /** The scopes that were removed. */
    readonly removed: readonly string[];
    /** For a `narrowed` by a company's rule: only members lost them. `scopes` has what admins still have. */
    readonly removedFor?: "members";
    /**
     * The end of all of it; of an `allowed` with a `personId`, of that person's access; of a company's approval, its end.
     * Null: until revoked.
     */
    readonly expiresAt: Millis | null;
    /** For a `refused`, a `narrowed` or an `end_changed`: the app was paused, and can use the scopes only after that. */
    readonly paused?: true;
    /** For a `refused`: the scopes that the app asked for. */
    readonly asked?: readonly string[];
    /** For a `delegated`: the app that the owner allowed, with its name at that time. For a `vouched` or a `connection`: the other server. */
    readonly through?: { readonly clientId: string; readonly clientName: string | null };
    /** For a `vouched` of a person: the company whose connection it was, with its name at that time. Absent: an operator's. */
    readonly company?: { readonly companyId: string; readonly name: string };
    /** For a `connection`. */
    readonly connection?: ConnectionStep;
    /** For a `delegated`: the token does not name the client as the actor. */
    readonly impersonation?: true;
    /** For an `allowed`: the redirect hosts that the answer holds for. Absent: none. */
    readonly hosts?: readonly string[];
    /** The hosts among them that were new to an existing consent. */
    readonly newHosts?: readonly string[];
    /**
     * For an `allowed`: the latest end of access that the owner allowed before, for other hosts or when the app looked
     * different, and that this answer leaves. Null: until revoked. Absent: there is none.
     */
    readonly earlierUntil?: Millis | null;
    /** For an `allowed` of a company: only for the members that its rule names. */
    readonly forSelected?: true;
    /** For an `allowed`: all scopes were for this once. `expiresAt` is the end of the app's access. */
    readonly once?: true;
    /** For a `revoked`: when the app last used it. Null: never. */
    readonly lastUsedAt?: Millis | null;
    /** For an `ended`, for a `revoked` by a restore, and for what a recovery did. */
    readonly cause?: EndCause;
    /**
     * For an `ended`, a `connected` or a `given_up` in a company: the member who made the grants. For an `allowed` of a
     * company: the member or admin who answered a page, for themselves. For a `member_…`: the person it is about.
     */
    readonly personId?: string;
    /** The role that a `member_joined`, `member_role` or `member_invited` gave or offered. */
    readonly role?: Role;
    /** Distinguishes invitations. The invited person is not recorded: people who never join are not named. */
    readonly invitationId?: string;
    /**
     * For a `rule_changed`: the rule from then on. `unblocked`, `none`: the company's default. `default_…`: this default
     * itself, in an entry about no app.
     */
    readonly rule?: "blocked" | "unblocked" | "ask" | "none" | `default_${DefaultRule}`;
    /** For an `own_sign_in`. */
    readonly ownSignIn?: OwnSignInStep;
    /** The grant that ended, if it was one of several. */
    readonly grantId?: string;
    /** The description of each scope that the owner read, and its language. Absent: no page was shown. */
    readonly shown?: { readonly locale: string; readonly texts: Readonly<Record<string, string>> };
  };
}
