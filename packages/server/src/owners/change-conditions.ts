/** Who asks for a change of an account, and the conditions that must still hold when the change is made. */

import type { Millis } from "../oauth/model.ts";

/** The person or operator who changes an account. */
export interface InSession {
  /** The session that asks: if it has ended meanwhile, nothing changes. Absent: an operator asks. */
  readonly sessionId?: string;
}

/** The same for a change that needs the password. */
export interface Asked extends InSession {
  /**
   * When the password that was proved was chosen: if it has changed since, nothing changes. Absent: no password was
   * asked for.
   */
  readonly passwordChangedAt?: Millis | null;
}

/** A change by somebody who may change no operator. */
export interface ByLesser {
  /** True: refuse it if the person has a role, as the transaction finds them. */
  readonly unlessOperator?: boolean;
}

/** The pause of an app, or its end. `ceiling`: as in `NewGrant`, for the ends in the history. Absent: none. */
export interface Pausing {
  readonly clientId: string;
  readonly paused: boolean;
  readonly ceiling?: Millis | null | undefined;
}

/** `unchanged`: it is so already. `unknown`: there is no such consent, or nobody who may decide about it. */
export type PauseOutcome =
  | { readonly kind: "changed"; readonly entryId: string }
  | { readonly kind: "unchanged" }
  | { readonly kind: "unknown" };
