/** The data for the pages about a person's own account. */

import type { FactorSections } from "../factor-views.ts";
import type { Messages } from "../messages/index.ts";
import type { FormSecrets, NoWayIn, SignedInAs } from "../views.ts";
import type { Waiting } from "../waiting-view.ts";

/** Notices that the page's address can name, and whether each one is a warning. */
export const SECURITY_NOTICES = {
  password: "done",
  "password-and-apps": "done",
  "passkey-added": "done",
  "passkey-removed": "done",
  "passkey-last": "danger",
  "authenticator-removed": "done",
  "codes-newer": "danger",
  "identity-removed": "done",
  "identity-last": "danger",
  "account-connected": "done",
  "account-known": "done",
  "account-taken": "danger",
  "account-other": "danger",
  "account-failed": "danger",
  "account-closed": "danger",
  "account-disconnected": "done",
  "account-last": "danger",
  "account-held": "danger",
  "session-ended": "done",
  "others-ended": "done",
} as const;

/** `/account/security`: one member for each section. */
export interface SecurityView extends FactorSections {
  readonly csrf: string;
  readonly person: SignedInAs;
  /** Epoch milliseconds. */
  readonly now: number;
  /** The action that the person has just taken. */
  readonly notice: keyof typeof SECURITY_NOTICES | null;
  /** Minutes for which an app whose access the person has just revoked still has it. 0: none has. */
  readonly appsEndIn: number;
  /** Null: nobody signs in here with a password. */
  readonly password: PasswordSection | null;
  readonly identities: readonly IdentityEntry[];
  /** Why nobody could sign in to this account again after signing out. Absent: the person could. */
  readonly noWay?: NoWayIn;
  /** Providers at which the person can sign in, or could after connecting an account there. */
  readonly providers: readonly ProviderEntry[];
}

export interface IdentityEntry {
  readonly id: string;
  /** The issuer's identifier, usually a URL. */
  readonly issuer: string;
  readonly since: number;
}

export interface ProviderEntry {
  readonly provider: string;
  readonly name: string;
  /** The person's identity there. Null: none is connected. */
  readonly identity: { readonly id: string; readonly since: number } | null;
  /** False: nobody can connect an account there any more. */
  readonly offered: boolean;
  /** True: it is the only way to sign in, so it stays. Absent: false. */
  readonly fixed?: boolean;
}

/** `/account/security/connect`: the identity that a sign-in at a provider has proved, before it is connected. */
export interface ConnectIdentityView {
  readonly csrf: string;
  /** The identity, sealed. */
  readonly identity: string;
  readonly provider: string;
  /** The company whose own provider it is. Null: it is the operator's. */
  readonly company: string | null;
  /** The person there: an address or a name. Null: the provider told none. */
  readonly account: string | null;
  readonly person: SignedInAs;
}

export interface DisconnectIdentityView {
  readonly csrf: string;
  readonly id: string;
  readonly provider: string;
  /** True: a sign-in there can find the account by its address, and connect it again. */
  readonly reconnects: boolean;
  /** True: a sign-in there can create another account. */
  readonly creates: boolean;
}

/** The page after signing out. */
export interface SignedOutView {
  /** Path of the sign-in page, below the issuer's path. */
  readonly signIn: string;
  /** Names of the providers that may still sign this browser in. */
  readonly providers: readonly string[];
}

/** `/account/security/passkeys/remove` */
export interface RemovePasskeyView {
  readonly csrf: string;
  readonly id: string;
  readonly name: string;
  /** The ways to sign in that stay. Empty: the passkey is the only one, so it stays. */
  readonly left: readonly WayLeft[];
}

/** `/account/security/authenticator/remove` */
export interface RemoveAuthenticatorView {
  readonly csrf: string;
}

/** `account`: the name of a provider, or of the operator's application that keeps the password. */
export type WayLeft = { readonly kind: "password" } | { readonly kind: "passkey" | "account"; readonly name: string };

export interface RemoveIdentityView extends Pick<IdentityEntry, "id" | "issuer"> {
  readonly csrf: string;
}

export interface PasswordSection {
  /** False if this account has no password. */
  readonly set: boolean;
  readonly changedAt: number | null;
  /** Present if nobody knows the password, with the way to a new one: a link by mail, or the people who run the server. */
  readonly unknown?: "by mail" | "ask";
  /** When the account left an address to which a link can take it back, if nobody knows the password. Absent: there is none. */
  readonly movedAt?: number;
  /** The operator's application, if it keeps the person's password. Absent: it doesn't. */
  readonly keeper?: PasswordPlace;
}

/** Why the server refused a new password, or the proof that the account's owner chooses it. */
export type PasswordFault =
  /** The current password is wrong. `noCurrent`: it is missing. */
  | { readonly kind: "current" | "noCurrent" }
  /** Nobody knows the current password. */
  | { readonly kind: "unknown" }
  | { readonly kind: "missing" }
  | { readonly kind: "throttled"; readonly minutes: number }
  /** The last sign-in is too old, and the account has no password that the page could ask for. */
  | { readonly kind: "stale" }
  /** The two fields differ. */
  | { readonly kind: "differ" }
  | { readonly kind: "same" }
  | { readonly kind: "malformed" | "short" | "long" | "name" | "common" };

export interface ChangePasswordView {
  readonly csrf: string;
  readonly person: SignedInAs;
  /** True if the account has a password. The form then asks for it. */
  readonly has: boolean;
  /** True if the person must choose another password before they can continue. */
  readonly must: boolean;
  /** Fields of what waits for the new password: a sealed authorization request, a device's code, or an invitation. Null if nothing waits. */
  readonly request: string | null;
  readonly device: string | null;
  readonly invitation: string | null;
  readonly fault: PasswordFault | null;
  /** The checkboxes, as the person set them. */
  readonly endSessions: boolean;
  readonly endApps: boolean;
}

/** `full`: too many messages are waiting, and the server accepted none. */
type Asked = { readonly kind: "missing" | "stale" | "full" } | { readonly kind: "throttled"; readonly minutes: number };

/** `/recover`, `/sign-up`. */
export interface AskView {
  readonly what: "recover" | "signUp";
  readonly form: FormSecrets;
  readonly waiting: Waiting | null;
  /** Path of the sign-in, below the issuer's path. It leads to what waits. */
  readonly back: string;
  readonly typed: string;
  readonly fault: Asked | null;
  /** For `recover`: the operator's application, where people get a new password. Absent: passwords are here. */
  readonly keeper?: PasswordPlace;
  /** False: this server sends no mail, so the page has no form. Absent: true. */
  readonly mail?: boolean;
}

/** The operator's application that keeps passwords, and the address to go to. */
export interface PasswordPlace {
  readonly name: string;
  readonly address: string;
}

/** `/account/security/password` for somebody whose password the operator's application keeps. */
export interface KeptPasswordView {
  readonly csrf: string;
  readonly keeper: PasswordPlace;
}

/** The page after asking. `email`: null if the page does not show the address. */
export interface SentView extends Pick<AskView, "waiting" | "back"> {
  readonly email: string | null;
}

export interface CreateAccountView {
  readonly form: FormSecrets;
  readonly waiting: Waiting | null;
  readonly link: string;
  readonly email: string;
  readonly username: string;
  readonly name: string;
  readonly fault:
    | null
    | { readonly stale: true }
    | { readonly username: "wrong" | "taken" }
    | { readonly name: "wrong" }
    | { readonly password: PasswordFault };
}

/** The page after an account was made from which nothing goes on in this browser. */
export interface AccountReadyView {
  readonly person: string;
  readonly waiting: Waiting;
}

export interface ConfirmView {
  readonly what: "verify" | "change";
  /** True: the account has no address yet, so that none changes. Absent: false. */
  readonly first?: boolean;
  readonly csrf: string;
  readonly link: string;
  readonly email: string;
  readonly person: string;
  readonly stale: boolean;
}

export type DoneView =
  | { readonly what: "taken" | "anotherBrowser" }
  | { readonly what: "confirmed"; readonly email: string; readonly person: string }
  /** `again`: the page on which the person asks for another link. Null for the profile page. */
  | {
      readonly what: "gone";
      readonly again: "/recover" | null;
      /** True: the link restores removed ways to sign in, so there is no other one. Absent: false. */
      readonly restores?: boolean;
      readonly end: LinkEnded;
      readonly now: number;
      /** True: somebody is signed in. Absent: false. */
      readonly signedIn?: boolean;
    };

/** Why a link is not valid. `ended`: it was used or has expired. `overtaken`: the same, or a change of the account ended it. */
export type LinkEnded =
  | { readonly kind: "incomplete" | "used" | "ended" | "overtaken" }
  | { readonly kind: "expired"; readonly at: number };

/** The page of a link to make or to recover an account that does not hold any more. */
export interface GoneLinkView {
  readonly what: "signUp" | "recover";
  /** `used`: an account was made or recovered with it. */
  readonly end: LinkEnded;
  readonly now: number;
  readonly waiting: Waiting | null;
  /** Path of the sign-in, below the issuer's path. It leads to what waits. */
  readonly signIn: string;
  /** The form that leads to the sign-in of another account. Null: nobody else is signed in, or nothing waits. */
  readonly switch: FormSecrets | null;
  /** The username of the person who is signed in. `own`: the link was for their account. Null: nobody is signed in. */
  readonly signedIn: { readonly person: string; readonly own: boolean } | null;
  /** What a new link takes along. */
  readonly carried: Readonly<Record<string, string>>;
}

/** If a sign-in is too old, the server asks for a new one. That fault is not shown here. */
type ProofFault = Extract<PasswordFault, { readonly kind: "current" | "noCurrent" | "unknown" | "throttled" }>;

/** What a person can add to their profile. */
export type DetailName = keyof Messages["profile"]["details"];

export interface ProfileView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly now: number;
  readonly name: string;
  readonly nameWrong: boolean;
  /** Why the last upload changed nothing. Null: it did, or there was none. */
  readonly pictureWrong: keyof Messages["profile"]["pictureWrong"] | null;
  /** The details as they are stored, or as the person typed them. */
  readonly details: Readonly<Partial<Record<DetailName, string>>>;
  /** The details that can't be stored. */
  readonly detailsWrong: readonly DetailName[];
  readonly phoneVerified: boolean;
  /** Null: the person has told none. */
  readonly email: string | null;
  readonly verified: boolean;
  /** True if the server sends e-mail, so that a person can verify an address. */
  readonly mail: boolean;
  readonly hasPassword: boolean;
  /** As in `PasswordSection`. */
  readonly movedAt?: number;
  /** The operator's application, if it sets the person's name and address. Absent: it doesn't. */
  readonly keeper?: string;
  /** The new address, as the person typed it. */
  readonly typed: string;
  readonly fault: null | { readonly kind: "wrongEmail" } | { readonly kind: "sameEmail" } | ProofFault;
  readonly notice:
    | null
    | { readonly kind: "name" | "details" | "picture" | "no_picture" | "kept" | "tooMany" | "full" }
    | { readonly kind: "verify" | "change"; readonly email: string };
}

export interface ExportView {
  readonly csrf: string;
}

export interface DeleteView {
  readonly csrf: string;
  /** When the server would delete the account. */
  readonly at: number;
  readonly hasPassword: boolean;
  /** Maximum number of minutes for which an app still has access. */
  readonly stopsIn: number;
  readonly fault: ProofFault | null;
  /** Companies that would have no admin left. */
  readonly soleAdminOf: readonly string[];
}
