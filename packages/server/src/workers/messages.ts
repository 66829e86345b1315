/** The messages between the supervisor and its workers, on the channel that the parent process opened. */

import type { Snapshot } from "../metrics/prometheus-text.ts";

/** The number of workers that serve, and the number of all workers. */
export interface Crew {
  readonly live: number;
  readonly of: number;
}

export type ToWorker =
  /** Stop listening. */
  | { readonly assent: "stop" }
  /** No worker listens any more: end the open connections. */
  | { readonly assent: "drain" }
  | { readonly assent: "crew"; readonly crew: Crew }
  | { readonly assent: "measure"; readonly id: number };

export type FromWorker =
  /** The worker listens and has opened everything that it needs. */
  | { readonly assent: "serving" }
  /** The worker has stopped listening, and waits for the message to drain. */
  | { readonly assent: "closed" }
  | { readonly assent: "measured"; readonly id: number; readonly snapshot: Snapshot };

/** The message if it is one of these; the channel also carries Node's own messages. */
export function ours<T extends ToWorker | FromWorker>(message: unknown): T | undefined {
  return typeof message === "object" && message !== null && "assent" in message ? (message as T) : undefined;
}
