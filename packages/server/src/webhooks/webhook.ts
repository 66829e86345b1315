/** Webhooks: servers of others that are told of events. */

import type { Millis } from "../oauth/model.ts";

/** A secret that signs. It is sealed under a key outside the database. */
export interface WebhookSecret {
  /** Base64url. */
  readonly sealed: string;
  /** Recognizes the secret, and says nothing else about it. */
  readonly fingerprint: string;
  readonly createdAt: Millis;
  /** When it stops signing, because another one took over. Null: it is the newest. */
  readonly until: Millis | null;
}

export interface Webhook {
  readonly id: string;
  readonly url: string;
  readonly description: string;
  /** Kinds of events: a name, `group.*`, or `*`. */
  readonly kinds: readonly string[];
  /** Only events about this client. Null: about any. */
  readonly clientId: string | null;
  /** Only events about this person or company. Null: about any. */
  readonly subject: string | null;
  readonly status: "active" | "disabled";
  /** Newest first. */
  readonly secrets: readonly WebhookSecret[];
  readonly createdAt: Millis;
}

/** How the receiver did lately. */
export interface WebhookHealth {
  /** The first failure since the last success. */
  readonly failingSince: Millis | null;
  /** Failures since the last success. */
  readonly failures: number;
  /** Why the server disabled it. Null: it did not. */
  readonly disabledReason: string | null;
}

/** `waiting`: it is due at a time. `sending`: a process sends it now. `given_up`: nobody tries again by itself. */
export type DeliveryStatus = "waiting" | "sending" | "delivered" | "given_up";

/** One try to deliver an event. */
export interface DeliveryAttempt {
  readonly at: Millis;
  /** Duration in milliseconds. */
  readonly ms: number;
  /** The HTTP status. Null: there was no answer. */
  readonly status: number | null;
  /** Why it failed. Null: it did not. */
  readonly fault: string | null;
  /** The beginning of the answer's body. */
  readonly answer: string;
}

export interface Delivery {
  readonly webhookId: string;
  /** The event's number in the log. */
  readonly seq: number;
  readonly eventId: string;
  readonly kind: string;
  readonly status: DeliveryStatus;
  readonly createdAt: Millis;
  /** When it is tried next. Null: it is settled. */
  readonly dueAt: Millis | null;
  /** When the server gives it up. */
  readonly until: Millis;
  /** Number of times that a process took it. */
  readonly tries: number;
  /** Oldest first. Only the newest ones. */
  readonly attempts: readonly DeliveryAttempt[];
}

const HOUR: Millis = 3_600_000;

/** Limits. */
export const MAX_WEBHOOKS = 20;
/** How long the server tries to deliver an event. */
export const TRIED_FOR: Millis = 24 * HOUR;
/** A webhook is disabled if its receiver has failed for so long, and so often, without one success. */
export const FAILING_FOR: Millis = 72 * HOUR;
export const FAILING_TIMES = 10;
/** How long settled deliveries are kept, and how many. Beyond it, housekeeping deletes the oldest. */
export const DELIVERIES_KEPT: Millis = 7 * 24 * HOUR;
export const MOST_DELIVERIES = 100_000;
/** Number of attempts that a delivery remembers. */
export const MOST_ATTEMPTS = 20;

/** The kind of the event that tries one webhook out. It goes to that webhook alone, whatever its kinds are. */
export const TEST_KIND = "webhook.tested";

interface Fact {
  readonly kind: string;
  readonly subject: string | null;
  readonly clientId: string | null;
  /** The event as JSON. */
  readonly record: string;
}

export function wants({ id, kinds, clientId, subject }: Webhook, event: Fact): boolean {
  if (event.kind === TEST_KIND) {
    return (JSON.parse(event.record) as { details: { webhook?: unknown } }).details.webhook === id;
  }
  return (
    kinds.some((kind) => fitsKind(kind, event.kind)) &&
    (clientId === null || clientId === event.clientId) &&
    (subject === null || subject === event.subject)
  );
}

function fitsKind(wanted: string, kind: string): boolean {
  return wanted === "*" || wanted === kind || (wanted.endsWith(".*") && kind.startsWith(wanted.slice(0, -1)));
}
