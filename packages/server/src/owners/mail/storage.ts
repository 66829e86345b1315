/** The storage port of mail: the outbox, the links that messages carry, and what following one does. Each verb is one transaction. */

import type { Millis } from "../../oauth/model.ts";
import type { Asked } from "../asked-in-session.ts";
import type { Person } from "../person.ts";

/** A message as it waits: what it says is sealed, since it may hold a link. */
export interface StoredMail {
  /** Of what causes it: it is written in the same transaction. */
  readonly partition: number;
  /** The same for the same cause, which is told once. */
  readonly mailId: string;
  readonly kind: string;
  readonly sealed: Uint8Array;
  /** After that nobody has any use for it. */
  readonly uselessAfter: Millis;
}

/** A message that the caller is to send now. */
export interface ClaimedMail extends StoredMail {
  /** How often it was taken on, this time included. */
  readonly tries: number;
}

/** A request for mail as it waits: sealed, since it holds what somebody typed. */
export interface StoredMailRequest {
  readonly partition: number;
  readonly requestId: string;
  readonly sealed: Uint8Array;
}

/** A request that the caller is to answer now. */
export interface ClaimedMailRequest extends StoredMailRequest {
  /** How often it was taken on, this time included. */
  readonly tries: number;
  readonly createdAt: Millis;
}

/** What following a link does. */
/** `undo`: of a change of the address; `restore`: of a removal of factors by recovery. */
export type MailLinkPurpose = "recover" | "sign-up" | "verify" | "change" | "undo" | "restore";

/** A link that stands in one message. */
export interface MailLink {
  readonly partition: number;
  readonly linkId: string;
  /** For `sign-up` the id that the person will have. */
  readonly personId: string;
  readonly purpose: MailLinkPurpose;
  /** Canonical: the address that it is about, which is not always the one that it is sent to. */
  readonly address: string;
  readonly expiresAt: Millis;
  /** Of `restore` the removal; of `undo` which browsers it works in (`OWN_BROWSER_ONLY`), null: in any; else null. */
  readonly about: string | null;
}

/** A link as somebody presents it. */
export interface MailLinkKey {
  readonly partition: number;
  readonly linkId: string;
  readonly saltHash: Uint8Array;
  readonly purpose: MailLinkPurpose;
  readonly now: Millis;
}

export type SettledMail =
  | { readonly kind: "sent" }
  | { readonly kind: "again"; readonly at: Millis; readonly fault: string }
  | { readonly kind: "dead"; readonly fault: string };

/** `unknown`: the link was used, is too old, or never was; or the person may not sign in. `taken`: another account has the address. */
export type FollowLinkOutcome =
  | { readonly kind: "done"; readonly person: Person }
  | { readonly kind: "unknown" | "taken" };

interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

export interface MailStorage {
  readonly mail: {
    /** Puts messages of one partition into the outbox; those that are there already stay as they are. */
    post(args: { readonly mails: readonly StoredMail[]; readonly now: Millis }): Promise<void>;
    /** Takes on what is due, until `until`: no other caller gets it before. Oldest first. */
    claim(args: {
      readonly now: Millis;
      readonly limit: number;
      readonly until: Millis;
    }): Promise<readonly ClaimedMail[]>;
    /** What became of a message that was taken on; false: another caller has taken it on since. What it said is forgotten unless it is tried again. */
    settle(
      args: Pick<ClaimedMail, "partition" | "mailId" | "tries"> & { readonly outcome: SettledMail },
    ): Promise<boolean>;
  };
  readonly mailRequests: {
    /** Stores a request for mail. False: `most` requests and messages wait already, and nothing is stored. Callers at the same moment may exceed it by their number. */
    add(args: { readonly request: StoredMailRequest; readonly most: number; readonly now: Millis }): Promise<boolean>;
    /** Requests and messages that wait, each counted up to `most`. */
    countWaiting(args: { readonly most: number }): Promise<number>;
    /** Takes on requests that are due: no other caller gets them for `pause`, and for as much longer each time. Oldest first. */
    claim(args: {
      readonly now: Millis;
      readonly limit: number;
      readonly pause: Millis;
    }): Promise<readonly ClaimedMailRequest[]>;
    /** Removes a request that was answered; false: another caller has taken it on since. */
    remove(args: Pick<ClaimedMailRequest, "partition" | "requestId" | "tries">): Promise<boolean>;
  };
  readonly mailLinks: {
    /**
     * A link and the message that carries it. Neither, where the person has another password since they asked for it, or where a link with this id exists
     * (the same request is answered a second time).
     */
    create(args: {
      readonly link: MailLink;
      readonly saltHash: Uint8Array;
      /** Of the person, as they were when they asked; absent: whoever reads the message may follow the link, whoever asked. */
      readonly passwordChangedAt?: Millis | null;
      readonly mails: readonly StoredMail[];
      readonly now: Millis;
    }): Promise<void>;
    /** The link, if it holds; it still does afterwards. */
    find(args: MailLinkKey): Promise<MailLink | undefined>;
    /** The link, used up. */
    take(args: MailLinkKey): Promise<MailLink | undefined>;
    /** The person's address is the link's, and theirs. */
    verifyEmail(args: Omit<MailLinkKey, "purpose">): Promise<FollowLinkOutcome>;
    /**
     * Gives the person the link's address, with a link to take that back. Going back to an address that they had before the one of now, it is one for the
     * owner's own browser alone: the address of now may be an intruder's. Other links that went to younger addresses end then.
     */
    changeEmail(
      args: Omit<MailLinkKey, "purpose"> & {
        /** The address that the messages were written for. */
        readonly before: string;
        /** Null: nobody vouched for the address before, or the person goes back to an older one with their own browser. */
        readonly undo: { readonly link: MailLink; readonly saltHash: Uint8Array } | null;
        readonly mails: readonly StoredMail[];
      },
    ): Promise<FollowLinkOutcome>;
  };
  readonly people: {
    /** When the account goes (null: it stays). Going, its other sessions and all of its grants end now. False: no such person, or not asked for any more. */
    setDeletion(
      args: PersonKey &
        Asked & {
          readonly at: Millis | null;
          readonly keepSessionId: string | null;
          readonly mails: readonly StoredMail[];
          readonly now: Millis;
        },
    ): Promise<boolean>;
    /** Companies whose only admin the person is: without them nobody could change anything. */
    soleAdminOf(args: PersonKey): Promise<readonly { readonly name: string; readonly slug: string }[]>;
  };
}
