/** What the pages about one's own account are given. */

import type { FactorSections } from "../factor-views.ts";
import type { SignedInAs } from "../views.ts";

/** What may just have been done, as the page's address says it, and whether it is bad news. */
export const SECURITY_NOTICES = {
  password: "done",
  "passkey-added": "done",
  "passkey-removed": "done",
  "passkey-last": "warning",
  "authenticator-removed": "done",
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
