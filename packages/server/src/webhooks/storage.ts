/** The storage port of webhooks and their deliveries. Each verb is one transaction. */

import type { Millis } from "../oauth/model.ts";
import type { Delivery, DeliveryAttempt, DeliveryStatus, Webhook, WebhookHealth } from "./webhook.ts";

export interface StoredWebhook {
  readonly webhook: Webhook;
  readonly health: WebhookHealth;
}

export interface DeliveryKey {
  readonly webhookId: string;
  readonly seq: number;
}

/** What one try led to. `failed`: it counts against the receiver. */
export interface Settled extends DeliveryKey {
  /** As it was claimed. */
  readonly tries: number;
  readonly now: Millis;
  readonly attempts: readonly DeliveryAttempt[];
  readonly outcome:
    | { readonly kind: "delivered" }
    /** `failed`: false if the receiver is not to blame. `gone`: the receiver wants no more events. */
    | { readonly kind: "given_up"; readonly failed: boolean; readonly gone: boolean }
    | { readonly kind: "again"; readonly at: Millis; readonly failed: boolean };
  /** The last fault, for the reason if the webhook is disabled now. */
  readonly fault: string;
}

export interface WebhookStorage {
  readonly webhooks: {
    /** Sorted by the time of creation. */
    list(): Promise<readonly StoredWebhook[]>;
    /**
     * `unknown`: there is none to replace. `full`: there are `most` already. `conflict`: it is not `expected` any more.
     * `told`: the kind of the event.
     */
    put(args: {
      readonly webhook: Webhook;
      readonly create: boolean;
      readonly most: number;
      readonly expected?: Webhook;
      readonly told: "webhook.created" | "webhook.updated" | "webhook.secret_rotated";
    }): Promise<"stored" | "unknown" | "full" | "conflict">;
    /** With its deliveries. */
    delete(args: { readonly id: string }): Promise<boolean>;
    /** Writes the event that tries it out. False: it does not exist. */
    test(args: { readonly id: string }): Promise<boolean>;
    /** Active webhooks with deliveries that are due. */
    due(args: { readonly now: Millis }): Promise<readonly Webhook[]>;
    /** Deliveries that are due. Until `until`, nobody else gets them. */
    claim(args: {
      readonly webhookId: string;
      readonly now: Millis;
      readonly until: Millis;
      readonly limit: number;
    }): Promise<readonly Delivery[]>;
    /** `lost`: another process has taken the delivery since. `disabled`: the webhook is disabled from now on. */
    settle(args: Settled): Promise<"settled" | "disabled" | "lost">;
    /** Newest event first. */
    deliveries(args: {
      readonly webhookId: string;
      readonly status: DeliveryStatus | null;
      readonly before: number | null;
      readonly limit: number;
    }): Promise<readonly Delivery[]>;
    /** Delivers events again, or for the first time. `told`: the number of all events of the replay, for its event. */
    replay(args: {
      readonly webhookId: string;
      readonly events: readonly { readonly seq: number; readonly eventId: string; readonly kind: string }[];
      readonly now: Millis;
      readonly told: number | null;
    }): Promise<void>;
  };
}
