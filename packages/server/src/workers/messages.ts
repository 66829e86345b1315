/** What the supervisor and its workers tell each other over the channel that the parent process opened. */

import type { Snapshot } from "../metrics/figures.ts";

/** How many workers serve, of how many there should be. */
export interface Crew {
  readonly live: number;
  readonly of: number;
}

export type ToWorker =
  /** Stop listening. */
  | { readonly assent: "stop" }
  /** Nobody listens any more: end what is open. */
  | { readonly assent: "drain" }
  | { readonly assent: "crew"; readonly crew: Crew }
  | { readonly assent: "measure"; readonly id: number };

export type FromWorker =
  /** It listens and has opened everything that it needs. */
  | { readonly assent: "serving" }
  /** It listens no more, and waits to be told to drain. */
  | { readonly assent: "closed" }
  | { readonly assent: "measured"; readonly id: number; readonly snapshot: Snapshot };

/** The message, if it is one of ours: the channel carries Node's own, too. */
export function ours<T extends ToWorker | FromWorker>(message: unknown): T | undefined {
  return typeof message === "object" && message !== null && "assent" in message ? (message as T) : undefined;
}
