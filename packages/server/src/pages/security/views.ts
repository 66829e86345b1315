/** What the pages about one's own account are given. */

import type { FactorSections } from "../factor-views.ts";
import type { SignedInAs } from "../views.ts";

/** What may just have been done, as the page's address says it, and whether it is bad news. */
export const SECURITY_NOTICES = {
  password: "done",
  "passkey-added": "done",
  "passkey-removed": "done",
  "passkey-last": "danger",
  "authenticator-removed": "done",
  "identity-removed": "done",
  "identity-last": "danger",
  "session-ended": "done",
  "others-ended": "done",
} as const;

/** `/account/security`: one member for each section. */
export interface SecurityView extends FactorSections {
  readonly csrf: string;
  readonly person: SignedInAs;
  /** Epoch milliseconds. */
  readonly now: number;
  /** What was just done. */
  readonly notice: keyof typeof SECURITY_NOTICES | null;
  readonly password: PasswordSection;
  readonly identities: readonly IdentityEntry[];
}

export interface IdentityEntry {
  readonly id: string;
  /** The identifier of the issuer, mostly an address. */
  readonly issuer: string;
  readonly since: number;
}

export interface RemoveIdentityView extends Pick<IdentityEntry, "id" | "issuer"> {
  readonly csrf: string;
}

export interface PasswordSection {
  /** False: this account signs in without a password. */
  readonly set: boolean;
  readonly changedAt: number | null;
}

/** What is wrong with a new password, or with the proof that it is really them who chooses it. */
export type PasswordFault =
  /** The one they have isn't that. */
  | { readonly kind: "current" }
  | { readonly kind: "missing" }
  | { readonly kind: "throttled"; readonly minutes: number }
  /** Signed in too long ago, without a password to ask for. */
  | { readonly kind: "stale" }
  /** The two fields differ. */
  | { readonly kind: "differ" }
  | { readonly kind: "same" }
  | { readonly kind: "malformed" | "short" | "long" | "name" | "common" };

export interface ChangePasswordView {
  readonly csrf: string;
  readonly person: SignedInAs;
  /** They have one, which is asked for. */
  readonly has: boolean;
  /** They can't go on before they have chosen another. */
  readonly must: boolean;
  /** Fields of what waits until a password is chosen: a sealed authorization request, or a device's code; null: nothing. */
  readonly request: string | null;
  readonly device: string | null;
  readonly fault: PasswordFault | null;
  /** The ticks, as they were set. */
  readonly endSessions: boolean;
  readonly endApps: boolean;
}

/** `full`: too many messages wait, and none was taken. */
type Asked = { readonly kind: "missing" | "stale" | "full" } | { readonly kind: "throttled"; readonly minutes: number };

/** `/recover`, `/sign-up`. */
export interface AskView {
  readonly what: "recover" | "signUp";
  readonly csrf: string;
  readonly typed: string;
  readonly fault: Asked | null;
}

export interface CreateAccountView {
  readonly csrf: string;
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

export interface ConfirmView {
  readonly what: "verify" | "change";
  readonly csrf: string;
  readonly link: string;
  readonly email: string;
  readonly person: string;
  readonly stale: boolean;
}

export type DoneView =
  | { readonly what: "taken" | "anotherBrowser" }
  | { readonly what: "confirmed"; readonly email: string; readonly person: string }
  /** `again`: where another link is asked for; null: on the profile. */
  | { readonly what: "gone"; readonly again: "/recover" | "/sign-up" | null };

/** A sign-in that is too old leads to another one, and isn't said here. */
type ProofFault = Extract<PasswordFault, { readonly kind: "current" | "throttled" }>;

export interface ProfileView {
  readonly csrf: string;
  readonly person: SignedInAs;
  readonly now: number;
  readonly name: string;
  readonly nameWrong: boolean;
  readonly email: string;
  readonly verified: boolean;
  /** Messages are sent from here: an address can be proved. */
  readonly mail: boolean;
  readonly hasPassword: boolean;
  /** The new address, as it was typed. */
  readonly typed: string;
  readonly fault: null | { readonly kind: "wrongEmail" } | { readonly kind: "sameEmail" } | ProofFault;
  readonly notice:
    | null
    | { readonly kind: "name" | "kept" | "tooMany" | "full" }
    | { readonly kind: "verify" | "change"; readonly email: string };
}

export interface ExportView {
  readonly csrf: string;
}

export interface DeleteView {
  readonly csrf: string;
  /** When it would be. */
  readonly at: number;
  readonly hasPassword: boolean;
  readonly fault: ProofFault | null;
  /** Companies that would be left without an admin. */
  readonly soleAdminOf: readonly string[];
}
