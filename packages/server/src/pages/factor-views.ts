/** What the pages about ways to sign in beside a password are given. */

import type { ClientCard, FormSecrets, PasskeyOffer, SignedInAs } from "./views.ts";

/** Where something was done from, as far as it is known. */
export interface SeenFrom {
  readonly browser: string | null;
  readonly system: string | null;
  /** The network, not the very address. */
  readonly place: string | null;
}

/** The second step of a sign-in. */
export interface SecondStepView {
  readonly form: FormSecrets;
  /** Field `partial`: the first step, sealed. */
  readonly partial: string;
  readonly client: ClientCard | null;
  readonly person: SignedInAs;
  /** False: a passkey alone is strong enough, or the only one there is. */
  readonly codes: boolean;
  readonly passkey: PasskeyOffer | null;
  /** Where the sign-in begins anew, below the issuer's path; null: nowhere, somebody is signed in. */
  readonly over: string | null;
  readonly problem:
    | null
    | { readonly kind: "wrong" | "wrongRecovery" | "missing" | "stale" | "passkey" }
    | { readonly kind: "throttled"; readonly minutes: number };
}

/** Somebody who may only go on with what they haven't set up. */
export interface StrongerView {
  /** `csrf` and `request` of the consent form: its button says no. Null: a device asks. */
  readonly form: FormSecrets | null;
  readonly client: ClientCard;
  readonly wanted: "mfa" | "phr";
  /** Passkeys work at this address. */
  readonly passkeys: boolean;
  /** The sealed request, for coming back to it; null: there is none. */
  readonly request: string | null;
}

/** `/account/security/passkeys`: the form that makes one. */
export interface AddPasskeyView {
  readonly csrf: string;
  /** As WebAuthn's `PublicKeyCredentialCreationOptions` in JSON; null: passkeys don't work at this address. */
  readonly options: string | null;
  /** The challenge, sealed. */
  readonly challenge: string;
  readonly name: string;
  readonly request: string | null;
  readonly fault: "failed" | "taken" | "full" | "name" | null;
}

/** `/account/security/authenticator`: the secret, to be taken over by an app. */
export interface AuthenticatorView {
  readonly csrf: string;
  /** The secret, sealed until it is proved that the app has it. */
  readonly sealed: string;
  readonly uri: string;
  /** base32. */
  readonly secret: string;
  readonly request: string | null;
  readonly fault: "wrong" | "expired" | null;
}

/** Recovery codes, this one time. */
export interface RecoveryCodesView {
  readonly codes: readonly string[];
  /** There were others before. */
  readonly renewed: boolean;
  /** Where to go on: a path below the issuer's. */
  readonly next: string;
}

export interface PasskeyEntry extends SeenFrom {
  readonly id: string;
  readonly name: string;
  readonly synced: boolean;
  readonly createdAt: number;
  readonly lastUsedAt: number | null;
}

export interface SessionEntry {
  readonly id: string;
  readonly here: boolean;
  /** Null: it didn't say, or nothing that we know. */
  readonly browser: string | null;
  readonly system: string | null;
  /** The network, not the very address; null: unknown. */
  readonly place: string | null;
  readonly since: number;
  readonly seenAt: number;
}

export interface AuthenticatorEntry extends SeenFrom {
  readonly since: number;
  /** Another one, which it took the place of, is kept for recovery. */
  readonly earlier: boolean;
  readonly codes: SeenFrom & { readonly since: number; readonly left: number };
}

/** Members of `/account/security`. */
export interface FactorSections {
  readonly passkeys: { readonly available: boolean; readonly entries: readonly PasskeyEntry[] };
  /** Null: it is not set up. */
  readonly authenticator: AuthenticatorEntry | null;
  readonly sessions: readonly SessionEntry[];
  /** Another browser is signed in, or is a known one although its session has ended. */
  readonly others: boolean;
}
