/** Verbs of webhooks and their deliveries. */

import type { Swept } from "../../admin/storage.ts";
import type { SealedEvent } from "../../events/event.ts";
import type { Millis } from "../../oauth/model.ts";
import type { DeliveryKey, Settled, StoredWebhook, WebhookStorage } from "../../webhooks/storage.ts";
import {
  DELIVERIES_KEPT,
  type Delivery,
  type DeliveryAttempt,
  type DeliveryStatus,
  FAILING_FOR,
  FAILING_TIMES,
  MOST_DELIVERIES,
  TEST_KIND,
  TRIED_FOR,
  type Webhook,
  wants,
} from "../../webhooks/webhook.ts";
import { query, type Row, sql, statement, steps, type Tx, transaction } from "../define-verbs.ts";
import { forgetConfigured, hold } from "../operator/catalog-versions.ts";
import { HOUR, isStill, json, text, textOrNull, whole, wholeOrNull } from "../row-conversion.ts";
import { tell } from "./tell.ts";

type Port = WebhookStorage["webhooks"];
type Args<Name extends keyof Port> = Parameters<Port[Name]>[0];

export const listWebhooks = query<void, readonly StoredWebhook[]>({
  sql: sql`SELECT record, failing_since, failures, disabled_reason FROM webhooks`,
  bind: () => ({}),
  outcome: (rows) =>
    rows
      .map((row) => ({
        webhook: json<Webhook>(row, "record"),
        health: {
          failingSince: wholeOrNull(row, "failing_since"),
          failures: whole(row, "failures"),
          disabledReason: textOrNull(row, "disabled_reason"),
        },
      }))
      .sort(({ webhook: a }, { webhook: b }) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)),
});

/** A change by an operator begins a new count of failures. */
export const putWebhook = transaction<Args<"put">, Awaited<ReturnType<Port["put"]>>>(
  async (tx, { webhook, create, most, expected, told }) => {
    await hold(tx);
    const { id, status } = webhook;
    const present = (await tx.all(sql`SELECT record FROM webhooks`)).map((row) => json<Webhook>(row, "record"));
    const replaced = present.find((one) => one.id === id);
    if (!create && replaced === undefined) return "unknown";
    if (replaced !== undefined && (create || !isStill(replaced, expected))) return "conflict";
    if (create && present.length >= most) return "full";
    await tx.run(
      sql`INSERT INTO webhooks (id, record, status, failing_since, failures, disabled_reason)
        VALUES (:id, :record, :status, NULL, 0, NULL)
        ON CONFLICT (id) DO UPDATE SET record = excluded.record, status = excluded.status,
          failing_since = NULL, failures = 0, disabled_reason = NULL`,
      { id, record: JSON.stringify(webhook), status },
    );
    await tell(tx, { kind: told, by: "operator", details: { webhook: id } });
    return "stored";
  },
);

/** Number of deliveries that one transaction deletes. */
const DELETED_AT_ONCE = 500;

/** The record goes first. Then nothing sends its deliveries, and nothing makes new ones. */
export const deleteWebhook = steps<Args<"delete">, boolean>(async (call, { id }) => {
  if (!(await call(removeWebhook, { id }))) return false;
  while ((await call(removeDeliveries, { id, limit: DELETED_AT_ONCE })) === DELETED_AT_ONCE);
  return true;
});

export const removeWebhook = transaction<{ readonly id: string }, boolean>(async (tx, { id }) => {
  if ((await tx.one(sql`DELETE FROM webhooks WHERE id = :id RETURNING id`, { id })) === undefined) return false;
  forgetConfigured(tx, "webhooks", id);
  await tell(tx, { kind: "webhook.deleted", by: "operator", details: { webhook: id } });
  return true;
});

export const removeDeliveries = transaction<{ readonly id: string; readonly limit: number }, number>((tx, args) =>
  tx.run(
    sql`DELETE FROM webhook_deliveries WHERE webhook_id = :id AND seq IN
      (SELECT seq FROM webhook_deliveries WHERE webhook_id = :id ORDER BY seq LIMIT :limit)`,
    { ...args },
  ),
);

export const testWebhook = transaction<Args<"test">, boolean>(async (tx, { id }) => {
  if ((await tx.one(sql`SELECT id FROM webhooks WHERE id = :id`, { id })) === undefined) return false;
  await tell(tx, { kind: TEST_KIND, by: "operator", details: { webhook: id } });
  return true;
});

/** In the transaction that seals the events. Returns true if there are deliveries. */
export async function queueDeliveries(tx: Tx, events: readonly SealedEvent[], now: Millis): Promise<boolean> {
  const rows = await tx.all(sql`SELECT record FROM webhooks WHERE status = 'active'`);
  const webhooks = rows.map((row) => json<Webhook>(row, "record"));
  let queued = false;
  for (const webhook of webhooks) {
    for (const { seq, eventId, kind } of events.filter((event) => wants(webhook, event))) {
      queued = true;
      tx.later(
        sql`INSERT INTO webhook_deliveries (webhook_id, seq, event_id, kind, status, created_at, due_at, until, tries, attempts)
          VALUES (:webhookId, :seq, :eventId, :kind, 'waiting', :now, :now, :until, 0, '[]')
          ON CONFLICT (webhook_id, seq) DO NOTHING`,
        { webhookId: webhook.id, seq, eventId, kind, now, until: now + TRIED_FOR },
      );
    }
  }
  return queued;
}

export const replayDeliveries = transaction<Args<"replay">, void>(async (tx, { webhookId, events, now, told }) => {
  for (const { seq, eventId, kind } of events) {
    // A process that sends it now goes on.
    tx.later(
      sql`INSERT INTO webhook_deliveries (webhook_id, seq, event_id, kind, status, created_at, due_at, until, tries, attempts)
        VALUES (:webhookId, :seq, :eventId, :kind, 'waiting', :now, :now, :until, 0, '[]')
        ON CONFLICT (webhook_id, seq) DO UPDATE SET status = 'waiting', due_at = :now, settled_at = NULL, until = :until
          WHERE webhook_deliveries.status <> 'sending' OR webhook_deliveries.due_at <= :now`,
      { webhookId, seq, eventId, kind, now, until: now + TRIED_FOR },
    );
  }
  if (told === null) return;
  await tell(tx, { kind: "webhook.replayed", at: now, by: "operator", details: { webhook: webhookId, count: told } });
});

export const dueWebhooks = query<Args<"due">, readonly Webhook[]>({
  sql: sql`SELECT record FROM webhooks WHERE status = 'active' AND
    (SELECT MIN(due_at) FROM webhook_deliveries WHERE webhook_id = webhooks.id AND due_at IS NOT NULL) <= :now`,
  bind: ({ now }) => ({ now }),
  outcome: (rows) => rows.map((row) => json<Webhook>(row, "record")),
});

const columns = sql`webhook_id, seq, event_id, kind, status, created_at, due_at, until, tries, attempts`;

function deliveryOf(row: Row): Delivery {
  return {
    ...keyOf(row),
    eventId: text(row, "event_id"),
    kind: text(row, "kind"),
    status: text(row, "status") as DeliveryStatus,
    createdAt: whole(row, "created_at"),
    dueAt: wholeOrNull(row, "due_at"),
    until: whole(row, "until"),
    tries: whole(row, "tries"),
    attempts: json<readonly DeliveryAttempt[]>(row, "attempts"),
  };
}

function keyOf(row: Row): DeliveryKey {
  return { webhookId: text(row, "webhook_id"), seq: whole(row, "seq") };
}

/** Reads first: usually nothing is due, and then nothing is written. */
export const claimDeliveries = steps<Args<"claim">, readonly Delivery[]>(async (call, args) => {
  const due = await call(dueDeliveries, args);
  const { now, until } = args;
  const claimed = await Promise.all(due.map((key) => call(claimDelivery, { ...key, now, until })));
  return claimed.filter((one) => one !== undefined);
});

export const dueDeliveries = query<Args<"claim">, readonly DeliveryKey[]>({
  sql: sql`SELECT webhook_id, seq FROM webhook_deliveries
    WHERE webhook_id = :webhookId AND due_at <= :now ORDER BY due_at, seq LIMIT :limit`,
  bind: ({ webhookId, now, limit }) => ({ webhookId, now, limit }),
  outcome: (rows) => rows.map(keyOf),
});

/** Of several callers, one moves the due time and gets the delivery. */
export const claimDelivery = statement<
  DeliveryKey & { readonly now: Millis; readonly until: Millis },
  Delivery | undefined
>({
  lock: null,
  sql: sql`UPDATE webhook_deliveries SET status = 'sending', due_at = :until, tries = tries + 1
    WHERE webhook_id = :webhookId AND seq = :seq AND due_at <= :now RETURNING ${columns}`,
  bind: ({ webhookId, seq, now, until }) => ({ webhookId, seq, now, until }),
  outcome: (row) => row && deliveryOf(row),
});

const STATUS = { delivered: "delivered", given_up: "given_up", again: "waiting" } as const;

export const settleDelivery = transaction<Settled, "settled" | "disabled" | "lost">(async (tx, args) => {
  const { webhookId, seq, tries, now, attempts, outcome } = args;
  const settled = await tx.run(
    sql`UPDATE webhook_deliveries SET status = :status, due_at = :dueAt, settled_at = :settledAt, attempts = :attempts
      WHERE webhook_id = :webhookId AND seq = :seq AND tries = :tries`,
    {
      ...{ webhookId, seq, tries, status: STATUS[outcome.kind], attempts: JSON.stringify(attempts) },
      dueAt: outcome.kind === "again" ? outcome.at : null,
      settledAt: outcome.kind === "again" ? null : now,
    },
  );
  if (settled === 0) return "lost";
  if (outcome.kind === "delivered") {
    tx.later(sql`UPDATE webhooks SET failing_since = NULL, failures = 0 WHERE id = :webhookId AND failures > 0`, {
      webhookId,
    });
    return "settled";
  }
  return outcome.failed ? noteFailure(tx, args) : "settled";
});

async function noteFailure(tx: Tx, { webhookId, now, outcome, fault }: Settled): Promise<"settled" | "disabled"> {
  const row = await tx.one(
    sql`UPDATE webhooks SET failing_since = COALESCE(failing_since, :now), failures = failures + 1
      WHERE id = :webhookId AND status = 'active' RETURNING record, failing_since, failures`,
    { webhookId, now },
  );
  if (row === undefined) return "settled";
  const gone = outcome.kind === "given_up" && outcome.gone;
  const hopeless = now - whole(row, "failing_since") >= FAILING_FOR && whole(row, "failures") >= FAILING_TIMES;
  if (!gone && !hopeless) return "settled";
  const webhook: Webhook = { ...json<Webhook>(row, "record"), status: "disabled" };
  await tx.run(
    sql`UPDATE webhooks SET status = 'disabled', record = :record, disabled_reason = :fault WHERE id = :webhookId`,
    { webhookId, record: JSON.stringify(webhook), fault },
  );
  await tell(tx, { kind: "webhook.disabled", at: now, details: { webhook: webhookId, reason: fault } });
  return "disabled";
}

const part = ({ webhookId, before, limit }: Args<"deliveries">) => ({
  ...{ webhookId, limit, before: before ?? Number.MAX_SAFE_INTEGER },
});

export const everyDelivery = query<Args<"deliveries">, readonly Delivery[]>({
  sql: sql`SELECT ${columns} FROM webhook_deliveries
    WHERE webhook_id = :webhookId AND seq < :before ORDER BY seq DESC LIMIT :limit`,
  bind: part,
  outcome: (rows) => rows.map(deliveryOf),
});

export const deliveriesByStatus = query<Args<"deliveries">, readonly Delivery[]>({
  sql: sql`SELECT ${columns} FROM webhook_deliveries
    WHERE webhook_id = :webhookId AND status = :status AND seq < :before ORDER BY seq DESC LIMIT :limit`,
  bind: (args) => ({ ...part(args), status: args.status }),
  outcome: (rows) => rows.map(deliveryOf),
});

export const listDeliveries = steps<Args<"deliveries">, readonly Delivery[]>((call, args) =>
  call(args.status === null ? everyDelivery : deliveriesByStatus, args),
);

/** A delivery that nobody could try in time, for example because its webhook is disabled, is given up after this. */
const GRACE: Millis = HOUR;

/** Gives up what nobody tried in time. Deletes deliveries that are too old, and the oldest ones beyond their number. */
export const collectDeliveries = transaction<{ readonly now: Millis; readonly limit: number }, Swept>(
  async (tx, { now, limit }) => {
    const late = await tx.run(
      sql`UPDATE webhook_deliveries SET status = 'given_up', due_at = NULL, settled_at = :now
        WHERE (webhook_id, seq) IN (SELECT webhook_id, seq FROM webhook_deliveries
          WHERE due_at IS NOT NULL AND until <= :before ORDER BY until LIMIT :limit)`,
      { now, before: now - GRACE, limit },
    );
    const old = now - DELIVERIES_KEPT;
    const last = await tx.one(
      sql`SELECT settled_at FROM webhook_deliveries WHERE settled_at > :old ORDER BY settled_at DESC LIMIT 1 OFFSET :most`,
      { old, most: MOST_DELIVERIES },
    );
    const before = last === undefined ? old : whole(last, "settled_at");
    const removed = await tx.run(
      sql`DELETE FROM webhook_deliveries WHERE (webhook_id, seq) IN (SELECT webhook_id, seq FROM webhook_deliveries
        WHERE settled_at <= :before ORDER BY settled_at LIMIT :limit)`,
      { before, limit },
    );
    return { seen: Math.max(late, removed), removed };
  },
);
