/** The data for the pages about authentication factors other than the password. */

import type {
  ClientCard,
  FormSecrets,
  NotSignedInElsewhere,
  PasskeyOffer,
  ProviderButton,
  SignedInAs,
} from "./views.ts";

/** Where an action came from, as far as the server knows. */
export interface SeenFrom {
  readonly browser: string | null;
  readonly system: string | null;
  /** The network, not the exact address. */
  readonly place: string | null;
}

/** The second step of a sign-in. */
export interface SecondStepView {
  readonly form: FormSecrets;
  /** Field `partial`: the result of the first step, sealed. */
  readonly partial: string;
  readonly client: ClientCard | null;
  readonly person: SignedInAs;
  /** True if the person can enter a code. False if only a passkey is strong enough, or if a passkey is the only factor. */
  readonly codes: boolean;
  readonly passkey: PasskeyOffer | null;
  /** Providers whose second factor counts here. Absent: none. */
  readonly providers?: readonly ProviderButton[];
  /** Path at which the sign-in starts again, below the issuer's path. Null if somebody is signed in. */
  readonly over: string | null;
  readonly problem:
    | null
    | { readonly kind: "wrong" | "wrongRecovery" | "missing" | "stale" | "passkey" }
    | { readonly kind: "throttled"; readonly minutes: number }
    | NotSignedInElsewhere;
}

/** The page for a person who must set up a stronger factor before they can continue. */
export interface StrongerView {
  /** `csrf` and `request` of the consent form. Its button declines the request. Null if a device asks. */
  readonly form: FormSecrets | null;
  readonly client: ClientCard;
  readonly wanted: "mfa" | "phr";
  /** Providers whose second factor counts here, and the fields of their form. Absent: none. */
  readonly elsewhere?: { readonly providers: readonly ProviderButton[]; readonly form: FormSecrets };
  /** True if passkeys work at this address. */
  readonly passkeys: boolean;
  /** The sealed request, so that the person can return to it. Null if there is no request. */
  readonly request: string | null;
  /** Why the sign-in at a provider was no second step. */
  readonly problem: NotSignedInElsewhere | null;
}

/** `/account/security/passkeys`: the form that creates a passkey. */
export interface AddPasskeyView {
  readonly csrf: string;
  /** WebAuthn's `PublicKeyCredentialCreationOptions` as JSON. Null if passkeys don't work at this address. */
  readonly options: string | null;
  /** The challenge, sealed. */
  readonly challenge: string;
  readonly name: string;
  readonly request: string | null;
  readonly fault: "failed" | "taken" | "full" | "name" | null;
}

/** `/account/security/authenticator`: the secret that the person copies into an authenticator app. */
export interface AuthenticatorView {
  readonly csrf: string;
  /** The secret, sealed. The server stores it after the person has proved that the app has it. */
  readonly sealed: string;
  readonly uri: string;
  /** base32. */
  readonly secret: string;
  readonly request: string | null;
  readonly fault: "wrong" | "expired" | null;
}

/** Which recovery codes confirm who recovers the account by e-mail. */
export interface ProvingCodes {
  readonly codes: boolean;
  /** Those of the previous set. */
  readonly earlierCodes: boolean;
}

/** New recovery codes. The page shows them only once. */
export interface RecoveryCodesView {
  readonly codes: readonly string[];
  /** True if these codes replace earlier ones. */
  readonly renewed: boolean;
  /** Null if no recovery asks for codes. */
  readonly proving: ProvingCodes | null;
  /** Path of the next page, below the issuer's path. */
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
  /** Null if the authenticator didn't say its model, or the server doesn't know it. */
  readonly browser: string | null;
  readonly system: string | null;
  /** The network, not the exact address. Null if unknown. */
  readonly place: string | null;
  readonly since: number;
  readonly seenAt: number;
}

export interface AuthenticatorEntry extends SeenFrom {
  readonly since: number;
  /** True if the server keeps the factor that this one replaced, for recovery. */
  readonly earlier: boolean;
  /** `proving`: null if no recovery asks for codes. */
  readonly codes: SeenFrom & {
    readonly since: number;
    readonly left: number;
    readonly proving: ProvingCodes | null;
  };
}

/** The sections of `/account/security` about these factors. */
export interface FactorSections {
  readonly passkeys: { readonly available: boolean; readonly entries: readonly PasskeyEntry[] };
  /** Null if the factor is not set up. */
  readonly authenticator: AuthenticatorEntry | null;
  readonly sessions: readonly SessionEntry[];
  /** True if another browser is signed in, or is a known device whose session has ended. */
  readonly others: boolean;
}
