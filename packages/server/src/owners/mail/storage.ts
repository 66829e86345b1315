/**
 * The storage port of mail: the outbox, the links in messages, and the changes that links make. Each verb is one
 * transaction.
 */

import type { Millis } from "../../oauth/model.ts";
import type { Asked } from "../change-conditions.ts";
import type { Person } from "../person.ts";

/** A waiting message. Its content is sealed, because it may hold a link. */
export interface StoredMail {
  /** The partition of its cause: both are written in the same transaction. */
  readonly partition: number;
  /** Equal for equal causes, each of which sends one message. */
  readonly mailId: string;
  readonly kind: string;
  readonly sealed: Uint8Array;
  /** After this time the message has no use. */
  readonly uselessAfter: Millis;
}

/** A message that the caller must send now. */
export interface ClaimedMail extends StoredMail {
  /** Number of times that it was claimed, including this one. */
  readonly tries: number;
}

/** A waiting request for mail. It is sealed, because it holds typed text. */
export interface StoredMailRequest {
  readonly partition: number;
  readonly requestId: string;
  readonly sealed: Uint8Array;
}

/** A request that the caller must answer now. */
export interface ClaimedMailRequest extends StoredMailRequest {
  /** Number of times that it was claimed, including this one. */
  readonly tries: number;
  readonly createdAt: Millis;
}

/**
 * The effect of a link. `undo`: undoes a change of the address. `restore`: undoes a removal of factors by recovery.
 * `sign-in`: has none, and leads to the sign-in page and what waits behind it. `used`: a link that was taken has none
 * either, and still tells what waits.
 */
export type MailLinkPurpose = "recover" | "sign-up" | "sign-in" | "verify" | "change" | "undo" | "restore" | "used";

/** A link in one message. */
export interface MailLink {
  readonly partition: number;
  readonly linkId: string;
  /** For `sign-up`, the id that the person will have. */
  readonly personId: string;
  readonly purpose: MailLinkPurpose;
  /** The canonical address that the link is about. The message may go to another address. */
  readonly address: string;
  readonly expiresAt: Millis;
  /**
   * Of `restore` the removal; of `undo` which browsers it works in (`OWN_BROWSER_ONLY`), null: in any; of `recover`,
   * `sign-up` and `sign-in` what waits behind it (`keepForLink`), null: nothing; else null.
   */
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

/**
 * `unknown`: the link was used, has expired, or never existed; or the person may not sign in. `taken`: another account
 * has the address.
 */
export type FollowLinkOutcome =
  | { readonly kind: "done"; readonly person: Person }
  | { readonly kind: "unknown" | "taken" };

interface PersonKey {
  readonly partition: number;
  readonly personId: string;
}

export interface MailStorage {
  readonly mail: {
    /** Puts messages of one partition into the outbox. A message that exists already stays as it is. */
    post(args: { readonly mails: readonly StoredMail[]; readonly now: Millis }): Promise<void>;
    /** Claims messages that are due, until `until`: no other caller gets them before. Oldest first. */
    claim(args: {
      readonly now: Millis;
      readonly limit: number;
      readonly until: Millis;
    }): Promise<readonly ClaimedMail[]>;
    /**
     * Stores the result of sending a claimed message, and deletes its content unless it will be tried again. False:
     * another caller has claimed it since.
     */
    settle(
      args: Pick<ClaimedMail, "partition" | "mailId" | "tries"> & { readonly outcome: SettledMail },
    ): Promise<boolean>;
  };
  readonly mailRequests: {
    /**
     * Stores a request for mail. False: `most` requests and messages wait already, and nothing is stored. Simultaneous
     * callers may exceed the limit by their number.
     */
    add(args: { readonly request: StoredMailRequest; readonly most: number; readonly now: Millis }): Promise<boolean>;
    /** Number of waiting requests and of waiting messages, each counted up to `most`. */
    countWaiting(args: { readonly most: number }): Promise<number>;
    /**
     * Claims requests that are due: no other caller gets them for `pause`, which becomes longer each time. Oldest
     * first.
     */
    claim(args: {
      readonly now: Millis;
      readonly limit: number;
      readonly pause: Millis;
    }): Promise<readonly ClaimedMailRequest[]>;
    /** Deletes an answered request. False: another caller has claimed it since. */
    remove(args: Pick<ClaimedMailRequest, "partition" | "requestId" | "tries">): Promise<boolean>;
  };
  readonly mailLinks: {
    /**
     * Stores a link and its message. Stores neither if the person has another password since they asked, or if a link
     * with this id exists (the request was answered before).
     */
    create(args: {
      readonly link: MailLink;
      readonly saltHash: Uint8Array;
      /** The person's `passwordChangedAt` when they asked. If absent, anybody who reads the message may follow the link. */
      readonly passwordChangedAt?: Millis | null;
      /** True: only if the account still owes the link's address that link (`isOwed`). */
      readonly owed?: boolean;
      readonly mails: readonly StoredMail[];
      readonly now: Millis;
    }): Promise<void>;
    /** The link, if it is valid. It stays valid. */
    find(args: MailLinkKey): Promise<MailLink | undefined>;
    /** The link, which is used up now: until it expires, its purpose is `used`. */
    take(args: MailLinkKey): Promise<MailLink | undefined>;
    /** The person's address becomes the link's, and verified. */
    verifyEmail(args: Omit<MailLinkKey, "purpose">): Promise<FollowLinkOutcome>;
    /**
     * Gives the person the link's address, with a link to take that back. Going back to an address that they had before the one of now, it is one for the
     * owner's own browser alone: the address of now may be an intruder's. Other links that went to younger addresses end then.
     */
    changeEmail(
      args: Omit<MailLinkKey, "purpose"> & {
        /** The address for which the messages were written. */
        readonly before: string;
        /** Null: nobody vouched for the address before, or the person goes back to an older one with their own browser. */
        readonly undo: { readonly link: MailLink; readonly saltHash: Uint8Array } | null;
        readonly mails: readonly StoredMail[];
      },
    ): Promise<FollowLinkOutcome>;
  };
  readonly people: {
    /**
     * When the account will be deleted (null: it stays). If it will be deleted, its other sessions and all of its
     * grants end now. False: the person does not exist, or the session that asks has ended.
     */
    setDeletion(
      args: PersonKey &
        Asked & {
          readonly at: Millis | null;
          readonly keepSessionId: string | null;
          readonly mails: readonly StoredMail[];
          readonly now: Millis;
        },
    ): Promise<boolean>;
    /** Companies whose only admin is this person: without them nobody could change the company. */
    soleAdminOf(args: PersonKey): Promise<readonly { readonly name: string; readonly slug: string }[]>;
  };
}
