/** The content of messages to people, before it becomes text. */

import type { Millis } from "../../oauth/model.ts";
import type { MailLink, StoredMail } from "./storage.ts";

export type MailKind =
  | "recover"
  | "signUp"
  | "known"
  | "verify"
  | "change"
  | "changed"
  | "emailReturned"
  | "emailReturnedUndo"
  | "takeBack"
  | "passwordChanged"
  | "signIn"
  | "deletion"
  | "passkeyAdded"
  | "passkeyRemoved"
  | "identityAdded"
  | "identityDisconnected"
  | "identityRemoved"
  | "authenticatorOn"
  | "authenticatorOff"
  | "recoveryRenewed"
  | "recoveryUsed"
  | "passwordGuessed"
  | "codeGuessed"
  | "proofGuessed"
  | "recovered"
  | "factorsRemoved"
  | "factorsRemovedTold"
  | "factorsRestored"
  | "companyRequest"
  | "companyApproved"
  | "companyPartlyApproved"
  | "companyRefused"
  | "companyBlocked"
  | "companyRemoved"
  | "companySignIn"
  | "companyInvitation"
  | "webhookDisabled";

/** One message to one mailbox. */
export interface MailDraft {
  readonly kind: MailKind;
  /** Canonical address. */
  readonly to: string;
  /** BCP 47. For a language without a translation, the message is in English. */
  readonly language: string;
  /** The absolute URL of the message's button. */
  readonly link: string;
  /** The values in its sentences. Strangers may have chosen them, so they are shown as text without hidden characters. */
  readonly values: {
    readonly person?: string;
    readonly email?: string;
    readonly at?: Millis;
    readonly browser?: string | null;
    /**
     * True: somebody signed in with this browser before, but since then the password has changed, a passkey or an
     * authenticator was added, or the browser was signed out.
     */
    readonly seenBefore?: boolean;
    readonly address?: string | null;
    readonly company?: string;
    readonly app?: string;
    /** The app's address from which a member asked for it, as `redirectHost` writes it. */
    readonly host?: string | null;
    /** The username of the person who caused the message, and their display name. */
    readonly by?: string;
    readonly byName?: string | null;
    /** The role that an invitation offers. */
    readonly role?: "member" | "admin";
    /** The role that the invited person has already. Absent: none. */
    readonly was?: "member" | "admin";
    readonly reason?: string;
    /** The answer to a member's request, in words for owners. `until`: null: until an admin ends it. `paused`: the app is. `admin`: the member is an admin by now. */
    readonly answer?: {
      readonly allowed: readonly string[];
      readonly until: Millis | null;
      readonly refused: readonly string[];
      readonly waiting: readonly string[];
      readonly paused?: true;
      readonly admin?: true;
    };
    /** The owner's name for a passkey, or the issuer of an identity. */
    readonly key?: string;
    /** Number of unused recovery codes. */
    readonly left?: number;
    /** True: the authenticator replaced another one. */
    readonly replaced?: boolean;
    /** True: the recovery code was used in a recovery by mail, so nobody signed in. The codes left are not counted. */
    readonly inRecovery?: boolean;
    /** Which recovery codes confirm a recovery by mail, after new ones were made. Absent: recovery asks for none. */
    readonly proving?: { readonly codes: boolean; readonly earlierCodes: boolean };
    /** True: with the password, all apps lost their access. */
    readonly appsEnded?: boolean;
    /** Minutes for which an app whose access was revoked still has it. 0: none has. */
    readonly appsEndIn?: number;
    /** True: the account was to be deleted, and stays. */
    readonly accountStays?: boolean;
    /** The account left the address to which the message goes. `owed`: a link that is asked for with it takes it back. */
    readonly moved?: { readonly at: Millis; readonly owed: boolean };
    /** True: the person belongs to a company. Companies keep what was changed there since the removal that was undone. */
    readonly companiesKeep?: boolean;
    /** How a recovery changed the factors and the access of apps. */
    readonly recovery?: RecoveryNews;
  };
}

/** A factor as a message names it. */
export interface NamedFactor {
  readonly kind: "passkey" | "authenticator" | "codes";
  /** The owner's name for a passkey; otherwise null. */
  readonly name: string | null;
}

/** The apps that fit into a message, and the number of further ones. */
export interface NamedApps {
  readonly names: readonly string[];
  /** Names of companies for which the person connected apps. */
  readonly companies?: readonly string[];
  readonly more: number;
}

export interface RecoveryNews {
  readonly removed: readonly NamedFactor[];
  /** The kinds of the previous factors that work again. Absent: none. */
  readonly back?: readonly Exclude<NamedFactor["kind"], "passkey">[];
  readonly kept: readonly NamedFactor[];
  readonly ended: NamedApps;
  /** Apps that lost single permissions. Absent: none. */
  readonly narrowed?: NamedApps;
  readonly keptApps: NamedApps;
  /** Apps that get nothing, because the owner paused them. Absent: none. */
  readonly paused?: NamedApps;
  /** Apps that were resumed since the removal, and are paused again. Absent: none. */
  readonly pausedAgain?: NamedApps;
}

/** Writes messages for the outbox. */
export interface Postbox {
  /** False: this server sends no mail, and `write` returns nothing. */
  readonly enabled: boolean;
  /**
   * The message in the form that storage takes. `partition`: that of its transaction. `cause`: equal for equal causes,
   * each of which sends one message. `uselessAfter`: when a link in it expires.
   */
  write(
    draft: MailDraft,
    about: { readonly partition: number; readonly cause: readonly string[]; readonly uselessAfter?: Millis },
  ): readonly StoredMail[];
  /** Call this after a message was stored: it is sent at once. */
  kick(): void;
}

export interface NewMailLink {
  readonly link: MailLink;
  readonly saltHash: Uint8Array;
  /** The URL as it appears in the message. */
  readonly url: string;
  /** The token as a form carries it. */
  readonly token: string;
}

/** Makes the links of messages. */
export interface MailLinks {
  /**
   * A link to `path` for a person or, for `sign-up`, for the person who will have that id. `cause`: the link's id
   * derives from it, so that one cause has one link.
   */
  make(
    about: Pick<MailLink, "partition" | "personId" | "purpose" | "address"> & {
      readonly ttl: Millis;
      readonly about?: string | null;
    },
    path: string,
    cause?: string,
  ): NewMailLink;
}

/** How long a link is valid. */
export const RECOVER_TTL: Millis = 15 * 60_000;
export const CONFIRM_TTL: Millis = 60 * 60_000;
/** Time from the request to delete an account to its deletion. */
export const DELETION_DELAY: Millis = 14 * 86_400_000;
