/** Webhooks and deliveries as operators see them. */

import type { StoredWebhook } from "../../webhooks/storage.ts";
import type { Delivery, Webhook } from "../../webhooks/webhook.ts";

const time = (at: number | null) => (at === null ? null : new Date(at).toISOString());

/** The settings alone, without what changes by itself. A secret is never shown again. */
export function webhookSettingsRecord({
  id,
  url,
  description,
  kinds,
  clientId,
  subject,
  status,
  secrets,
  createdAt,
}: Webhook) {
  return {
    ...{ id, url, description, kinds, client_id: clientId, subject, status },
    secrets: secrets.map(({ fingerprint, createdAt: made, until }) => ({
      ...{ fingerprint, created_at: time(made), expires_at: time(until) },
    })),
    created_at: time(createdAt),
  };
}

/** `secret`: only in the answer that makes it. */
export function webhookRecord(
  { webhook, health }: Pick<StoredWebhook, "webhook"> & Partial<StoredWebhook>,
  secret?: string,
) {
  const { failingSince = null, failures = 0, disabledReason = null } = health ?? {};
  return {
    ...webhookSettingsRecord(webhook),
    ...{ failing_since: time(failingSince), failures, disabled_reason: disabledReason },
    ...(secret === undefined ? {} : { secret }),
  };
}

export function deliveryRecord({ seq, eventId, kind, status, createdAt, dueAt, until, tries, attempts }: Delivery) {
  return {
    ...{ event_id: eventId, event_seq: seq, kind, status, created_at: time(createdAt) },
    next_try_at: status === "waiting" ? time(dueAt) : null,
    ...{ given_up_at: time(until), tries },
    attempts: attempts.map(({ at, ms, status: answered, fault, answer }) => ({
      ...{ at: time(at), duration_ms: ms, status: answered, fault, answer },
    })),
  };
}
