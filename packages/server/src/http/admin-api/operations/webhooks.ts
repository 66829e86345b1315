/** Operations on webhooks: servers that are told of events. */

import { type Static, Type } from "typebox";
import { deliveriesPage, MOST_REPLAYED, replayDeliveries } from "../../../admin/webhooks/deliveries.ts";
import { deliveryRecord, webhookRecord, webhookSettingsRecord } from "../../../admin/webhooks/records.ts";
import {
  allWebhooks,
  createWebhook,
  DEFAULT_WEBHOOK_OVERLAP,
  deleteWebhook,
  MAX_WEBHOOK_DESCRIPTION,
  MAX_WEBHOOK_KINDS,
  MAX_WEBHOOK_OVERLAP,
  MAX_WEBHOOK_URL,
  rotateWebhookSecret,
  testWebhook,
  updateWebhook,
  type Webhook,
  type WebhookChanges,
  webhookOf,
} from "../../../admin/webhooks/webhooks.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import { refuseFields } from "../problem.ts";
import * as records from "../records.ts";
import { body, given, ids, oneOf, orNull, record, remarksIn, text, texts, time } from "../schemas.ts";
import { timeOf } from "../times.ts";

const maybe = Type.Optional;
const STATUSES = ["waiting", "sending", "delivered", "given_up"] as const;

const url = text(MAX_WEBHOOK_URL, "https; no redirect is followed");
const kinds = texts(MAX_WEBHOOK_KINDS, 100, "kinds of events: a name, a group such as consent.*, or *");
const filters = {
  description: maybe(text(MAX_WEBHOOK_DESCRIPTION)),
  client_id: maybe(orNull(text(300), "only events about this client")),
  subject: maybe(orNull(text(200), "only events about this person or company")),
};
const chosen = maybe(
  Type.String({ maxLength: 100, writeOnly: true, description: "the secret (whsec_…); default: a random one" }),
);
const newWebhook = body({ url, kinds, ...filters, secret: chosen });
const webhookChanges = body({
  ...{ url: maybe(url), kinds: maybe(kinds), ...filters },
  status: maybe(oneOf(["active", "disabled"])),
});

const settings = {
  id: ids,
  url: text(MAX_WEBHOOK_URL),
  description: text(MAX_WEBHOOK_DESCRIPTION),
  kinds: texts(MAX_WEBHOOK_KINDS, 100),
  client_id: orNull(text(300)),
  subject: orNull(ids),
  status: oneOf(["active", "disabled"]),
  secrets: Type.Array(record({ fingerprint: text(20), created_at: time, expires_at: orNull(time) }), {
    description: "newest first; each of them signs until its end",
  }),
  created_at: time,
};
const health = {
  failing_since: orNull(time, "the first failure since the last success"),
  failures: Type.Integer({ description: "since the last success" }),
  disabled_reason: orNull(text(400), "why the server disabled it"),
};
const webhookSchema = record({ ...settings, ...health });
const createdSchema = record({
  ...{ ...settings, ...health, ...records.withRemarks },
  secret: text(100, "shown only in the answer that makes it"),
});

const deliverySchema = record({
  event_id: text(100, "also the header webhook-id"),
  event_seq: Type.Integer(),
  kind: text(100),
  status: oneOf(STATUSES),
  created_at: time,
  next_try_at: orNull(time),
  given_up_at: time,
  tries: Type.Integer(),
  attempts: Type.Array(
    record({
      at: time,
      duration_ms: Type.Integer(),
      status: orNull(Type.Integer()),
      fault: orNull(text(400)),
      answer: text(400, "the beginning of the answer"),
    }),
    { description: "the last 20, oldest first" },
  ),
});

function changesIn({ client_id: clientId, ...asked }: Static<typeof webhookChanges>): WebhookChanges {
  return given({ ...asked, clientId });
}

const idOf = (params: Readonly<Record<string, string>>) => params["id"] ?? "";

const webhookOperations = [
  operation({
    ...at("webhooks.list", "GET /webhooks"),
    ...reads("webhooks"),
    summary: "List webhooks",
    notes: "There are few, so the answer has all.",
    command: "webhook list",
    result: pageOf(webhookSchema),
    answer: async ({ admin }) => ({
      record: { items: (await allWebhooks(admin)).map((one) => webhookRecord(one)), next: null },
    }),
  }),
  operation({
    ...at("webhooks.create", "POST /webhooks", 201),
    ...writes("webhooks"),
    summary: "Create a webhook; its secret is in this answer only",
    command: "webhook create",
    body: newWebhook,
    result: createdSchema,
    tagged: true,
    async answer({ body: { url: to, kinds: wanted, secret: given_, ...asked }, admin }) {
      const input = { ...changesIn(asked), url: to, kinds: wanted, ...given({ secret: given_ }) };
      const { webhook, secret, remarks } = await createWebhook(input, admin);
      return {
        record: { ...webhookRecord({ webhook }, secret), ...remarksIn(remarks) },
        tagged: webhookSettingsRecord(webhook),
        location: `/webhooks/${webhook.id}`,
      };
    },
  }),
  operation({
    ...at("webhooks.show", "GET /webhooks/{id}"),
    ...reads("webhooks"),
    summary: "Read a webhook; its secrets are never shown",
    command: "webhook show",
    result: webhookSchema,
    tagged: true,
    async answer({ params, admin }) {
      const found = await webhookOf(idOf(params), admin);
      return { record: webhookRecord(found), tagged: webhookSettingsRecord(found.webhook) };
    },
  }),
  operation({
    ...at("webhooks.update", "PATCH /webhooks/{id}"),
    ...writes("webhooks"),
    summary: "Change a webhook, or enable it again",
    notes: "Fields that the body does not have stay. Failures are counted anew.",
    command: "webhook update",
    body: webhookChanges,
    result: record({ ...settings, ...health, ...records.withRemarks }),
    tagged: true,
    matches: true,
    async answer({ params, body: asked, admin, match }) {
      const check = (present: Webhook) => match(webhookSettingsRecord(present));
      const { webhook, remarks } = await updateWebhook(idOf(params), changesIn(asked), admin, check);
      return {
        record: { ...webhookRecord({ webhook }), ...remarksIn(remarks) },
        tagged: webhookSettingsRecord(webhook),
      };
    },
  }),
  operation({
    ...at("webhooks.delete", "DELETE /webhooks/{id}", 204),
    ...writes("webhooks"),
    summary: "Delete a webhook with its deliveries, also those that wait",
    command: "webhook delete",
    async answer({ params, admin }) {
      await deleteWebhook(idOf(params), admin);
      return {};
    },
  }),
  operation({
    ...at("webhooks.rotate-secret", "POST /webhooks/{id}/rotate-secret"),
    ...writes("webhooks"),
    summary: "Give a webhook a new secret",
    notes: "The previous secrets sign for `overlap` seconds more, too; default a day; 0: not at all.",
    command: "webhook rotate-secret",
    body: body({
      overlap: maybe(Type.Integer({ minimum: 0, maximum: MAX_WEBHOOK_OVERLAP / 1000, description: "seconds" })),
      secret: chosen,
    }),
    result: createdSchema,
    tagged: true,
    async answer({ params, body: asked, admin }) {
      const overlap = asked.overlap === undefined ? DEFAULT_WEBHOOK_OVERLAP : asked.overlap * 1000;
      const { webhook, secret } = await rotateWebhookSecret(idOf(params), overlap, admin, asked.secret);
      return { record: webhookRecord({ webhook }, secret), tagged: webhookSettingsRecord(webhook) };
    },
  }),
];

const deliveryOperations = [
  operation({
    ...at("webhooks.deliveries", "GET /webhooks/{id}/deliveries"),
    ...reads("webhooks"),
    summary: "List deliveries, newest event first",
    command: "webhook deliveries",
    query: listQuery({ status: maybe(oneOf(STATUSES)) }),
    result: pageOf(deliverySchema),
    async answer({ params, query, admin, tools }) {
      const id = idOf(params);
      const cursors = new Cursors(`deliveries of ${id}`, query, tools);
      const { limit = DEFAULT_LIMIT, status, after } = query;
      const place = cursors.open(after);
      const before = place === null ? null : Number(place.key);
      const page = await deliveriesPage(id, { before, limit, ...given({ status }) }, admin);
      const next = page.before === null ? null : { key: page.before, id: "" };
      return { record: { items: page.deliveries.map(deliveryRecord), next: cursors.seal(next) } };
    },
  }),
  operation({
    ...at("webhooks.replay", "POST /webhooks/{id}/replay"),
    ...writes("webhooks"),
    summary: "Deliver one event again, or all events of a time that fit the webhook",
    notes: `Send either \`event_id\`, or \`since\` and perhaps \`until\`. At most ${MOST_REPLAYED} events. They keep their ids.`,
    command: "webhook replay",
    body: body({ event_id: maybe(text(100)), since: maybe(text(40)), until: maybe(text(40)) }),
    result: record({ replayed: Type.Integer() }),
    async answer({ params, body: { event_id: eventId, since, until }, admin }) {
      const from = timeOf("since", since);
      if ((eventId === undefined) === (from === undefined) || (eventId !== undefined && until !== undefined)) {
        return refuseFields([{ field: "event_id", problem: "send either event_id, or since and perhaps until" }]);
      }
      const what = eventId === undefined ? { since: from ?? 0, until: timeOf("until", until) } : { eventId };
      return { record: { replayed: await replayDeliveries(idOf(params), what, admin) } };
    },
  }),
  operation({
    ...at("webhooks.test", "POST /webhooks/{id}/test"),
    ...writes("webhooks"),
    summary: "Send an event to this webhook alone, to try it out",
    notes: "The delivery is in its list within a second.",
    command: "webhook test",
    result: record({ queued: Type.Boolean() }),
    async answer({ params, admin }) {
      await testWebhook(idOf(params), admin);
      return { record: { queued: true } };
    },
  }),
];

export const webhooks = [...webhookOperations, ...deliveryOperations];
