/** The operator's use-cases of deliveries to webhooks: the log of them, and delivering events again. */

import { DISORDER } from "../../events/event.ts";
import type { Millis } from "../../oauth/model.ts";
import type { Delivery, DeliveryStatus, Webhook } from "../../webhooks/webhook.ts";
import { wants } from "../../webhooks/webhook.ts";
import { refuse } from "../admin-error.ts";
import type { AdminContext } from "../context.ts";
import { refuseDisabled, webhookOf } from "./webhooks.ts";

/** Number of events that one replay can deliver, and that it reads to find them. */
export const MOST_REPLAYED = 10_000;
const MOST_READ = 1_000_000;
const READ_AT_ONCE = 1000;
const QUEUED_AT_ONCE = 200;

/** Newest event first. `before`: the number of an event. Throws `unknown`. */
export async function deliveriesPage(
  id: string,
  query: { readonly status?: DeliveryStatus; readonly before: number | null; readonly limit: number },
  context: AdminContext,
): Promise<{ readonly deliveries: readonly Delivery[]; readonly before: number | null }> {
  await webhookOf(id, context);
  const { status = null, before, limit } = query;
  const found = await context.storage.webhooks.deliveries({ webhookId: id, status, before, limit: limit + 1 });
  const deliveries = found.slice(0, limit);
  return { deliveries, before: found.length > limit ? (deliveries.at(-1)?.seq ?? null) : null };
}

/** One event, or all events of a time that fit the webhook. */
export type WhatToReplay =
  | { readonly eventId: string }
  | { readonly since: Millis; readonly until?: Millis | undefined };

/**
 * Events go to the webhook's present URL, with their ids. Returns their number. Throws `unknown`, `invalid` if the webhook
 * does not get this event or if there are too many, `conflict` if the webhook is disabled.
 */
export async function replayDeliveries(id: string, what: WhatToReplay, context: AdminContext): Promise<number> {
  const { webhook } = await webhookOf(id, context);
  refuseDisabled(webhook);
  const events =
    "eventId" in what ? [await oneEvent(webhook, what.eventId, context)] : await between(webhook, what, context);
  const now = context.now();
  for (let at = 0; at < events.length; at += QUEUED_AT_ONCE) {
    const some = events.slice(at, at + QUEUED_AT_ONCE);
    await context.storage.webhooks.replay({ webhookId: id, events: some, now, told: at === 0 ? events.length : null });
  }
  return events.length;
}

type Replayed = Parameters<AdminContext["storage"]["webhooks"]["replay"]>[0]["events"][number];

async function oneEvent(webhook: Webhook, eventId: string, { storage }: AdminContext): Promise<Replayed> {
  const event = await storage.events.get({ eventId });
  const named = JSON.stringify(eventId.slice(0, 100));
  if (event === undefined) return refuse("unknown", "event_id", `there is no event ${named}`);
  if (!wants(webhook, event)) return refuse("invalid", "event_id", `the webhook gets no events like ${named}`);
  return { seq: event.seq, eventId, kind: event.kind };
}

/** Oldest first. */
async function between(
  webhook: Webhook,
  { since, until = Number.MAX_SAFE_INTEGER }: { readonly since: Millis; readonly until?: Millis | undefined },
  { storage }: AdminContext,
): Promise<readonly Replayed[]> {
  const found: Replayed[] = [];
  const first = await storage.events.seqAt({ at: Math.max(0, since - DISORDER) });
  if (first === undefined) return found;
  for (let after = first - 1, read = 0; ; ) {
    const some = await storage.events.chain({ after, limit: READ_AT_ONCE });
    for (const event of some) {
      if (event.at < since || event.at >= until || !wants(webhook, event)) continue;
      found.push({ seq: event.seq, eventId: event.eventId, kind: event.kind });
    }
    const last = some.at(-1);
    read += some.length;
    const isLast = last === undefined || some.length < READ_AT_ONCE || last.at >= until + DISORDER;
    if (found.length > MOST_REPLAYED || (!isLast && read >= MOST_READ)) {
      refuse("invalid", "since", `there are more than ${MOST_REPLAYED} events in this time: choose a shorter one`);
    }
    if (isLast) return found;
    after = last.seq;
  }
}
