/** Sends events to webhooks: any process, until the receiver has them or 24 hours have passed. */

import type { Secrets } from "../crypto/server-secret.ts";
import { openWebhookSecret } from "../crypto/webhook-secrets.ts";
import { eventText } from "../events/event.ts";
import type { EventStorage } from "../events/storage.ts";
import type { Millis } from "../oauth/model.ts";
import type { Answered, GuardedFetcher } from "../outbound/guarded-fetch.ts";
import type { Uses } from "../storage-subset.ts";
import { payloadOf, signedHeaders } from "./message.ts";
import type { Settled, WebhookStorage } from "./storage.ts";
import { type Delivery, type DeliveryAttempt, MOST_ATTEMPTS, TRIED_FOR, type Webhook } from "./webhook.ts";

const SECOND: Millis = 1000;
const MINUTE: Millis = 60 * SECOND;
const HOUR: Millis = 60 * MINUTE;

/** The longest time for one try. */
export const SEND_TIMEOUT: Millis = 15 * SECOND;
/** After this time, another process can take a delivery whose process has died. */
const CLAIM: Millis = MINUTE;
/** Number of messages that one process sends to one webhook at the same time. A slow receiver delays only itself. */
export const AT_ONCE = 4;
/** The pause after each failed try; the last one repeats. */
const PAUSES: readonly Millis[] = [
  ...[5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR],
  4 * HOUR,
];
/** Longest time for which a receiver can put a try off by Retry-After. */
const MOST_PUT_OFF: Millis = HOUR;
/** After this many failures one after the other, the process sends to the webhook only one message at a time, with pauses. */
const FAILURES_IN_A_ROW = 4;
const RESTS: readonly Millis[] = [15 * SECOND, MINUTE, 5 * MINUTE];
/** Bytes of an answer that are read, and characters of it that are kept. */
const ANSWER_BYTES = 1024;
const ANSWER_TEXT = 200;

export interface DelivererParts {
  readonly storage: Uses<WebhookStorage, "webhooks.due" | "webhooks.claim" | "webhooks.settle"> &
    Uses<EventStorage, "events.get">;
  readonly secrets: Secrets;
  readonly issuer: string;
  readonly fetcher: Pick<GuardedFetcher, "ask">;
  readonly now: () => Millis;
  /** A clock that nobody sets. */
  readonly monotonic: () => Millis;
  /** From 0 to below 1. */
  readonly random: () => number;
  /** Replaces what looks like a token. */
  readonly withoutCredentials: (text: string) => string;
  /** A message was sent, so there is room for another one. */
  readonly free: () => void;
  readonly event: (name: string, fields: Readonly<Record<string, string | number | null>>) => void;
  /** The server has disabled the webhook. */
  readonly disabled: (webhook: Webhook, fault: string) => Promise<void>;
  /** Reports something that an operator must know. */
  readonly alarm: (name: string, fields: Readonly<Record<string, string | number>>, text: string) => void;
}

type Result = Pick<Settled, "outcome" | "fault"> & { readonly attempt: DeliveryAttempt | null };

export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #sending = new Map<string, Set<Promise<void>>>();
  readonly #failing = new Map<string, { readonly failures: number; readonly until: Millis }>();

  constructor(parts: DelivererParts) {
    this.#parts = parts;
  }

  /** Begins to send what is due. Returns the number of deliveries that it took. */
  async round(): Promise<number> {
    const { storage, now, monotonic } = this.#parts;
    const webhooks = await storage.webhooks.due({ now: now() });
    let taken = 0;
    for (const webhook of webhooks) {
      const limit = this.#roomFor(webhook.id, monotonic());
      if (limit <= 0) continue;
      const at = now();
      const claimed = await storage.webhooks.claim({ webhookId: webhook.id, now: at, until: at + CLAIM, limit });
      for (const delivery of claimed) this.#begin(webhook, delivery);
      taken += claimed.length;
    }
    return taken;
  }

  /** Resolves when all messages in progress are sent. */
  async settle(): Promise<void> {
    await Promise.all([...this.#sending.values()].flatMap((some) => [...some]));
  }

  #roomFor(id: string, at: Millis): number {
    const sending = this.#sending.get(id)?.size ?? 0;
    const { failures = 0, until = 0 } = this.#failing.get(id) ?? {};
    if (failures < FAILURES_IN_A_ROW) return AT_ONCE - sending;
    return at < until ? 0 : 1 - sending;
  }

  #begin(webhook: Webhook, delivery: Delivery): void {
    const sending = this.#sending.get(webhook.id) ?? new Set();
    this.#sending.set(webhook.id, sending);
    const work = this.#deliver(webhook, delivery)
      // Another process takes the delivery later.
      .catch((error: unknown) => {
        this.#parts.event("webhooks_unreachable", { fault: error instanceof Error ? error.name : "unknown" });
      })
      .finally(() => {
        sending.delete(work);
        if (sending.size === 0) this.#sending.delete(webhook.id);
        this.#parts.free();
      });
    sending.add(work);
  }

  async #deliver(webhook: Webhook, delivery: Delivery): Promise<void> {
    const { storage, event, alarm, disabled, now } = this.#parts;
    const { attempt, outcome, fault } = await this.#send(webhook, delivery);
    if (attempt !== null) this.#note(webhook.id, outcome.kind === "delivered");
    const { webhookId, seq, tries, kind, eventId } = delivery;
    const attempts = [...delivery.attempts, ...(attempt === null ? [] : [attempt])].slice(-MOST_ATTEMPTS);
    const settled = await storage.webhooks.settle({ webhookId, seq, tries, now: now(), attempts, outcome, fault });
    if (outcome.kind === "delivered") return;
    const again = outcome.kind === "again" ? "yes" : "no";
    event("webhook_failed", { webhook: webhookId, event_id: eventId, kind, tries, fault, again });
    if (settled === "disabled") {
      this.#failing.delete(webhookId);
      const text = `the webhook ${webhookId} is disabled, because its receiver fails: ${fault}; once it works again, run: assent webhook update ${webhookId} --status active`;
      alarm("webhook_disabled", { webhook: webhookId, fault }, text);
      await disabled(webhook, fault);
    }
  }

  #note(id: string, good: boolean): void {
    if (good) {
      this.#failing.delete(id);
      return;
    }
    const failures = (this.#failing.get(id)?.failures ?? 0) + 1;
    const rest = RESTS[Math.min(Math.max(0, failures - FAILURES_IN_A_ROW), RESTS.length - 1)] ?? 0;
    this.#failing.set(id, { failures, until: this.#parts.monotonic() + rest });
  }

  async #send(webhook: Webhook, delivery: Delivery): Promise<Result> {
    const { storage, secrets, issuer, fetcher, now, monotonic } = this.#parts;
    const found = await storage.events.get({ eventId: delivery.eventId });
    // Retention has deleted it.
    if (found === undefined) return givenUp("the event is gone");
    const at = now();
    const keys = webhook.secrets
      .filter(({ until }) => until === null || until > at)
      .flatMap(({ sealed }) => openWebhookSecret(secrets, webhook.id, sealed) ?? []);
    if (keys.length === 0) return this.#notTried(delivery, "its secret can't be decrypted");
    const body = payloadOf(found, issuer);
    const headers = signedHeaders({ id: delivery.eventId, body, at }, keys);
    const began = monotonic();
    const answer = await fetcher.ask(webhook.url, { method: "POST", headers, body, maxBytes: ANSWER_BYTES, cut: true });
    return this.#judge(delivery, answer, { at, ms: Math.round(monotonic() - began) });
  }

  #judge(delivery: Delivery, answer: Answered, { at, ms }: Pick<DeliveryAttempt, "at" | "ms">): Result {
    if (answer.kind === "failed") {
      // The receiver is not to blame for the many others that this process sends to.
      if (answer.fault === "busy") return this.#notTried(delivery, answer.fault);
      const fault = eventText(`${answer.fault}: ${answer.detail}`, ANSWER_TEXT);
      return this.#failed(delivery, { at, ms, status: null, fault, answer: "" }, 0);
    }
    const { status, headers, body } = answer;
    const attempt = { at, ms, status, answer: this.#textOf(body) };
    if (status >= 200 && status <= 299) {
      return { attempt: { ...attempt, fault: null }, outcome: { kind: "delivered" }, fault: "" };
    }
    const fault = `status ${status}`;
    if (status === 410) {
      return { attempt: { ...attempt, fault }, outcome: { kind: "given_up", failed: true, gone: true }, fault };
    }
    return this.#failed(delivery, { ...attempt, fault }, putOff(headers["retry-after"], at));
  }

  #failed(delivery: Delivery, attempt: DeliveryAttempt, putOffBy: Millis): Result {
    const fault = attempt.fault ?? "";
    const at = this.#nextTry(delivery, putOffBy);
    if (at === undefined) return { attempt, outcome: { kind: "given_up", failed: true, gone: false }, fault };
    return { attempt, outcome: { kind: "again", at, failed: true }, fault };
  }

  #notTried(delivery: Delivery, fault: string): Result {
    const at = this.#nextTry(delivery, 0);
    return at === undefined ? givenUp(fault) : { attempt: null, outcome: { kind: "again", at, failed: false }, fault };
  }

  /** Undefined: the next try would be too late. */
  #nextTry({ attempts, until }: Delivery, putOffBy: Millis): Millis | undefined {
    const { now, random } = this.#parts;
    const failed = attempts.filter(({ at }) => at >= until - TRIED_FOR).length;
    const pause = PAUSES[Math.min(failed, PAUSES.length - 1)] ?? HOUR;
    // Deliveries that failed together don't come back together.
    const at = now() + Math.max(Math.round(pause * (0.8 + 0.4 * random())), putOffBy);
    return at < until ? at : undefined;
  }

  #textOf(body: Buffer): string {
    const text = body
      .toString("utf8")
      .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
      .trim();
    return eventText(this.#parts.withoutCredentials(text), ANSWER_TEXT);
  }
}

function givenUp(fault: string): Result {
  return { attempt: null, outcome: { kind: "given_up", failed: false, gone: false }, fault };
}

/** Retry-After (RFC 9110 §10.2.3), within limits. */
function putOff(value: string | undefined, now: Millis): Millis {
  if (value === undefined) return 0;
  const time = /^\d{1,9}$/.test(value) ? Number(value) * SECOND : Date.parse(value) - now;
  return Number.isNaN(time) ? 0 : Math.min(Math.max(0, time), MOST_PUT_OFF);
}
