/** Changes at another system that count for a person here: the port to the database. */

import type { Millis } from "../oauth/model.ts";
import type { ForeignSubject } from "./subject-link-storage.ts";

/** `signed_out`: the person signed out there, or was signed out. */
export type UpstreamChange = "disabled" | "enabled" | "deleted" | "signed_out";

/** What happens here when a person is disabled there. */
export const WHEN_DISABLED = ["keep", "pause", "end"] as const;
/**
 * `keep`: the sessions that began with this identity end. `pause`: also, the person can't sign in, and their grants
 * give no tokens, until they are enabled there. `end`: as `pause`, but the grants end.
 */
export type WhenDisabled = (typeof WHEN_DISABLED)[number];

/** A system that has disabled a person. */
export interface DisabledBy {
  /** The `issuerId` of its subjects. */
  readonly source: string;
  /** What people call it. */
  readonly name: string;
  readonly change: "disabled" | "deleted";
  readonly grants: "paused" | "ended";
  readonly at: Millis;
}

export interface UpstreamChanged {
  readonly partition: number;
  readonly personId: string;
  /** The person must still be linked to it. */
  readonly subject: ForeignSubject;
  readonly change: UpstreamChange;
  readonly whenDisabled: WhenDisabled;
  /** What people call the other system. */
  readonly name: string;
  /** True: every sign-in of this person is one of that system's, also by password. */
  readonly wholePerson: boolean;
  readonly now: Millis;
}

/** `unchanged`: it was so before, or an operator has disabled the person. `unknown`: nobody has this identity any more. */
export interface UpstreamChangeOutcome {
  readonly kind: "changed" | "unchanged" | "unknown";
  readonly sessionsEnded: number;
}
