/** What this service writes to people, before it is put into words. */

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
  | "companyRefused"
  | "companyRemoved"
  | "companyInvitation";

/** One message to one mailbox. */
export interface MailDraft {
  readonly kind: MailKind;
  /** Canonical address. */
  readonly to: string;
  /** BCP 47; one that isn't spoken here is English. */
  readonly language: string;
  /** Where its button leads: an absolute URL. */
  readonly link: string;
  /** What its sentences speak of, whoever chose it: shown as text, without hidden characters. */
  readonly values: {
    readonly person?: string;
    readonly email?: string;
    readonly at?: Millis;
    readonly browser?: string | null;
    readonly address?: string | null;
    readonly company?: string;
    readonly app?: string;
    readonly by?: string;
    readonly reason?: string;
    /** What its owner calls a passkey. */
    readonly key?: string;
    /** Recovery codes that are unused. */
    readonly left?: number;
    /** What a recovery did to the ways to sign in, and to the access of apps. */
    readonly recovery?: RecoveryNews;
  };
}

/** A way to sign in, as a message names it. */
export interface NamedFactor {
  readonly kind: "passkey" | "authenticator" | "codes";
  /** What its owner calls a passkey; else null. */
  readonly name: string | null;
}

/** Names of apps and companies: as many as a message has room for, and how many more there are. */
export interface NamedApps {
  readonly names: readonly string[];
  readonly more: number;
}

export interface RecoveryNews {
  readonly removed: readonly NamedFactor[];
  readonly kept: readonly NamedFactor[];
  readonly ended: NamedApps;
  readonly keptApps: NamedApps;
}

/** Writes messages for the outbox. */
export interface Postbox {
  /** False: this server sends none, and `write` yields nothing. */
  readonly enabled: boolean;
  /**
   * The message as storage takes it. `partition`: of the transaction that it is written in. `cause`: the same for the same cause, which is told
   * once. `uselessAfter`: when a link in it has run out.
   */
  write(
    draft: MailDraft,
    about: { readonly partition: number; readonly cause: readonly string[]; readonly uselessAfter?: Millis },
  ): readonly StoredMail[];
  /** Something was written: it is sent at once. */
  kick(): void;
}

export interface NewMailLink {
  readonly link: MailLink;
  readonly saltHash: Uint8Array;
  /** As it stands in the message. */
  readonly url: string;
  /** As a form carries it. */
  readonly token: string;
}

/** Makes links for messages. */
export interface MailLinks {
  /**
   * A link to `path` for a person or, at `sign-up`, for the person who will have that id. `cause`: the link's id derives from it, so that one cause has
   * one link.
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

/** How long a link holds. */
export const RECOVER_TTL: Millis = 15 * 60_000;
export const CONFIRM_TTL: Millis = 60 * 60_000;
/** From the wish to delete an account to its end. */
export const DELETION_DELAY: Millis = 14 * 86_400_000;
