/** Delivers events to webhooks while the server runs. The parts that send are loaded when a delivery is due. */

import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AdminStorage } from "./admin/storage.ts";
import type { EventStorage } from "./events/storage.ts";
import { withoutCredentials } from "./http/refusal.ts";
import { PeriodicWork } from "./mail/periodic-work.ts";
import type { Millis } from "./oauth/model.ts";
import { GuardedFetcher } from "./outbound/guarded-fetch.ts";
import type { Postbox } from "./owners/mail/mail-content.ts";
import type { MailStorage } from "./owners/mail/storage.ts";
import type { Uses } from "./storage-subset.ts";
import type { Deliverer, DelivererParts } from "./webhooks/deliverer.ts";
import type { WebhookStorage } from "./webhooks/storage.ts";
import type { Webhook } from "./webhooks/webhook.ts";

/** Longest time for which the end of the server waits for messages. The next process sends those again. */
const PATIENCE: Millis = 5000;
/** Messages that are sent at the same time. The deliverer limits those to one webhook. */
const PARALLEL = { total: 80, perHost: 80 };

type Given = "secrets" | "issuer" | "now" | "monotonic" | "event" | "alarm";

export interface DeliveringParts extends Pick<DelivererParts, Given> {
  readonly storage: WebhookStorage &
    EventStorage &
    Uses<AdminStorage, "directory.people"> &
    Uses<MailStorage, "mail.post">;
  readonly mail: Postbox;
  readonly outboundAllow: readonly string[];
}

export class WebhookDelivery {
  readonly #parts: DeliveringParts;
  readonly #work: PeriodicWork;
  #deliverer: Deliverer | undefined;

  constructor(parts: DeliveringParts) {
    this.#parts = parts;
    this.#work = new PeriodicWork(
      () => this.#round(),
      (error) => parts.event("webhooks_unreachable", { fault: error instanceof Error ? error.name : "unknown" }),
    );
  }

  start(): void {
    this.#work.start();
  }

  /** Deliveries wait. */
  kick(): void {
    this.#work.kick();
  }

  async stop(): Promise<void> {
    await this.#work.stop();
    const ended = new AbortController();
    const patience = sleep(PATIENCE, undefined, { signal: ended.signal, ref: false }).catch(() => undefined);
    await Promise.race([this.#deliverer?.settle(), patience]);
    ended.abort();
  }

  async #round(): Promise<number> {
    if (this.#deliverer === undefined) {
      const { storage, now } = this.#parts;
      if ((await storage.webhooks.due({ now: now() })).length === 0) return 0;
      this.#deliverer = await this.#load();
    }
    return this.#deliverer.round();
  }

  async #load(): Promise<Deliverer> {
    const { Deliverer, SEND_TIMEOUT } = await import("./webhooks/deliverer.ts");
    const { outboundAllow, mail: _mail, ...parts } = this.#parts;
    const fetcher = new GuardedFetcher({
      now: parts.monotonic,
      alsoAllowed: outboundAllow,
      parallel: PARALLEL,
      timeout: SEND_TIMEOUT,
      // The deliverer has its own pauses for a receiver that fails.
      leftAlone: 0,
    });
    return new Deliverer({
      ...parts,
      ...{ fetcher, withoutCredentials },
      random: () => randomInt(1_000_000) / 1_000_000,
      free: () => this.#work.kick(),
      disabled: (webhook, fault) => this.#tellOperators(webhook, fault),
    });
  }

  async #tellOperators(webhook: Webhook, fault: string): Promise<void> {
    const { storage, mail, issuer, now } = this.#parts;
    const { tellOfDisabledWebhook } = await import("./owners/mail/webhook-disabled.ts");
    await tellOfDisabledWebhook(webhook, fault, {
      ...{ issuer, mail, now },
      operators: (limit) => storage.directory.people({ sort: "operators", prefix: "", after: null, limit }),
      post: (mails) => storage.mail.post({ mails, now: now() }),
    });
  }
}
