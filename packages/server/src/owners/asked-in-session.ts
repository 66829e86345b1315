/** Who asks for a change of an account, as far as that must still hold when it happens. */

import type { Millis } from "../oauth/model.ts";

/** Who changes something of an account. */
export interface InSession {
  /** The session that asks for it: if it has ended meanwhile, nothing is changed. Absent: an operator. */
  readonly sessionId?: string;
}

/** The same, for what takes the password. */
export interface Asked extends InSession {
  /** When the password was chosen that was proved: with another since, nothing is changed. Absent: none was asked for. */
  readonly passwordChangedAt?: Millis | null;
}
