/** The parts of the sign-in page about other providers. */

import type { Messages } from "./messages/index.ts";

/** Why a sign-in at another provider did not lead to one here. */
export type ElsewhereProblem = keyof Messages["elsewhere"]["problem"];

/** The sign-in at a provider did not lead to one here. */
export interface NotSignedInElsewhere {
  readonly kind: "elsewhere";
  readonly why: ElsewhereProblem;
  readonly provider: string;
  /** True: there is no other way to sign in. Absent: false. */
  readonly only?: boolean;
}

/** Somebody who is signed in, and could not sign in again now: no password, no passkey, no active provider. */
export interface NoWayIn {
  /** `unknown`: nobody knows it. */
  readonly password: "none" | "unknown";
  /** Names of the connected providers that are disabled. */
  readonly providers: readonly string[];
  /** `by mail`: a link to their verified address lets them choose a password. `now`: they can choose one without it. */
  readonly how: "by mail" | "now" | "ask";
}

export interface ProviderButton {
  readonly id: string;
  readonly name: string;
}
