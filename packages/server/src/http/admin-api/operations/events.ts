/** Operations on events. They only read: nobody changes or deletes an event. */

import { Type } from "typebox";
import {
  type EventQuery,
  eventLine,
  eventOf,
  eventRecord,
  eventsAfter,
  eventsPage,
  logReportRecord,
  verifyOnce,
} from "../../../admin/events.ts";
import { eventKinds } from "../../../events/kinds.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageOf } from "../lists.ts";
import { at, operation, reads } from "../operation.ts";
import { given, ids, oneOf, orNull, record, text, time } from "../schemas.ts";
import { timeOf } from "../times.ts";

const maybe = Type.Optional;

const filters = {
  kind: maybe(oneOf(Object.keys(eventKinds))),
  actor: maybe(text(300, "user:ID, client:ID, token:ID, operator, server, anonymous")),
  subject: maybe(text(200, "the person or company")),
  client_id: maybe(text(300)),
  since: maybe(text(40, "a time (ISO 8601)")),
  until: maybe(text(40, "a time (ISO 8601)")),
};

const eventSchema = record({
  seq: Type.Integer({ description: "its place in the log, without gaps" }),
  id: ids,
  at: time,
  kind: text(100),
  actor: text(300),
  subject: orNull(ids),
  client_id: orNull(text(300)),
  details: Type.Record(
    Type.String(),
    Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null(), Type.Array(Type.String())]),
  ),
  personal: orNull(Type.Record(Type.String(), Type.String())),
  personal_erased: Type.Boolean({ description: "the person was deleted, and their facts with them" }),
  hash: text(100),
});

interface Filters {
  readonly kind?: string;
  readonly actor?: string;
  readonly subject?: string;
  readonly client_id?: string;
  readonly since?: string;
  readonly until?: string;
}

function queryOf({ kind, actor, subject, client_id: clientId, since, until }: Filters): EventQuery {
  return given({ kind, actor, subject, clientId, since: timeOf("since", since), until: timeOf("until", until) });
}

const MOST_LINES = 10_000;
const READ_AT_ONCE = 500;

export const events = [
  operation({
    ...at("events.list", "GET /events"),
    ...reads("events"),
    summary: "List events, newest first",
    notes: "A page can have fewer events than its limit, or none, although `next` leads to more.",
    command: "events list",
    query: listQuery(filters),
    result: pageOf(eventSchema),
    async answer({ query, admin, tools }) {
      const { limit = DEFAULT_LIMIT, after } = query;
      const cursors = new Cursors("events", query, tools);
      const place = cursors.open(after);
      const before = place === null ? null : Number(place.key);
      const page = await eventsPage({ ...queryOf(query), before, limit }, admin);
      const next = page.before === null ? null : { key: page.before, id: "" };
      return { record: { items: page.events.map(eventRecord), next: cursors.seal(next) } };
    },
  }),
  operation({
    ...at("events.tail", "GET /events/tail"),
    ...reads("events"),
    summary: "List events that came after one, oldest first",
    notes: "Ask again with `after_seq` = `last`. `more` says that there are others already.",
    command: "events tail",
    query: Type.Object(
      {
        ...filters,
        after_seq: maybe(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        limit: maybe(Type.Integer({ minimum: 1, maximum: 1000, description: "events that are read; default 200" })),
      },
      { additionalProperties: false },
    ),
    result: record({ items: Type.Array(eventSchema), last: Type.Integer(), more: Type.Boolean() }),
    async answer({ query: { after_seq: after = 0, limit = 200, ...query }, admin }) {
      const page = await eventsAfter({ ...queryOf(query), after, limit }, admin);
      return { record: { items: page.events.map(eventRecord), last: page.last, more: page.more } };
    },
  }),
  operation({
    ...at("events.export", "GET /events/export"),
    ...reads("events"),
    summary: "Export events as NDJSON, oldest first",
    notes: `An answer has at most ${MOST_LINES} events. Ask again with \`after_seq\` = the \`seq\` of its last line.`,
    command: "events export",
    query: Type.Object(
      {
        ...filters,
        after_seq: maybe(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
        limit: maybe(Type.Integer({ minimum: 1, maximum: MOST_LINES })),
      },
      { additionalProperties: false },
    ),
    resultLine: eventSchema,
    async answer({ query: { after_seq: from = 0, limit = MOST_LINES, ...query }, admin }) {
      const lines: string[] = [];
      for (let after = from; lines.length < limit; ) {
        // Few lines may be far apart.
        const page = await eventsAfter({ ...queryOf(query), after, limit: READ_AT_ONCE }, admin);
        for (const event of page.events.slice(0, limit - lines.length)) lines.push(eventLine(event));
        after = page.last;
        if (!page.more) break;
      }
      return { lines: lines.join("") };
    },
  }),
  operation({
    ...at("events.verify", "GET /events/verify"),
    ...reads("events"),
    summary: "Check that no event was changed, cut out or put elsewhere",
    notes:
      "It reads the whole log, so it can take minutes. Keep `checkpoint` elsewhere: it shows later that the end of the log is not missing.",
    command: "events verify",
    result: record({
      valid: Type.Boolean(),
      fault: orNull(record({ event: Type.Integer(), problem: text(500) })),
      checked: Type.Integer(),
      head: orNull(record({ seq: Type.Integer(), hash: text(100) })),
      checkpoints: Type.Integer(),
      checkpoints_with_unknown_key: Type.Integer(),
      deleted_up_to: orNull(Type.Integer()),
      unsealed: Type.Integer(),
      unsealed_since: orNull(time),
      checkpoint: orNull(text(2000)),
      public_key: Type.Object({}),
    }),
    answer: async ({ admin }) => ({ record: logReportRecord(await verifyOnce(admin)) }),
  }),
  operation({
    ...at("events.show", "GET /events/{id}"),
    ...reads("events"),
    summary: "Show one event",
    command: null,
    result: eventSchema,
    answer: async ({ params, admin }) => ({ record: eventRecord(await eventOf(params["id"] ?? "", admin)) }),
  }),
];
