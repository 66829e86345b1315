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

export interface ProviderButton {
  readonly id: string;
  readonly name: string;
}
