/** Operations on consents, sessions and signing keys. */

import { Type } from "typebox";
import { consentsPage, revokeConsent } from "../../../admin/consents.ts";
import { impactOfConsent } from "../../../admin/deletion-impact.ts";
import { consentImpactRecord } from "../../../admin/impact-records.ts";
import { type KeyState, listKeys, retireKey, rotateKey } from "../../../admin/keys.ts";
import { consentRecord, keyRecord, sessionRecord } from "../../../admin/output-records.ts";
import { checkSession, revokeSession, revokeSessionsOf, sessionsOf } from "../../../admin/people.ts";
import { Cursors, DEFAULT_LIMIT, listQuery, pageInMemory, pageOf } from "../lists.ts";
import { at, operation, reads, writes } from "../operation.ts";
import { refuseFields } from "../problem.ts";
import * as records from "../records.ts";
import { body, given, ids, oneOf, orNull, record, text, texts, time } from "../schemas.ts";

const maybe = Type.Optional;

const consentSchema = record({
  owner_id: ids,
  client_id: ids,
  client_name: text(500),
  status: text(50, "active, expired or revoked"),
  via: text(200),
  granted_by: text(300),
  scopes: Type.Array(
    record({
      ...{ name: text(128), granted_at: time, expires_at: orNull(time) },
      redirect_hosts: orNull(texts(100, 2048, "null: any")),
    }),
  ),
  taken_back: texts(1000, 128),
  created_at: time,
  updated_at: time,
  expires_at: orNull(time),
  paused_at: orNull(time),
  last_used_at: orNull(time),
  uses: Type.Integer(),
  revoked_at: orNull(time),
  revoked_by: orNull(text(300)),
});

const consentOperations = [
  operation({
    ...at("consents.list", "GET /consents"),
    ...reads("consents"),
    summary: "List what owners granted: of one owner, or of one client",
    command: "consent list",
    query: listQuery({
      user_id: maybe(text(200)),
      company_id: maybe(text(200)),
      client_id: maybe(text(200)),
    }),
    result: pageOf(consentSchema),
    async answer({ query, admin, tools }) {
      const { limit = DEFAULT_LIMIT, after, user_id: user, company_id: company, client_id: clientId } = query;
      const cursors = new Cursors("consents", query, tools);
      if (user !== undefined && company !== undefined)
        refuseFields([{ field: "company_id", problem: "name one owner: user_id or company_id" }]);
      const page = await consentsPage(
        {
          ...(user === undefined ? {} : { owner: { user: { id: user } } }),
          ...(company === undefined ? {} : { owner: { company: { id: company } } }),
          ...given({ clientId }),
          ...{ limit, after: cursors.open(after) },
        },
        admin,
      );
      return {
        record: { items: page.items.map((one) => consentRecord(one, admin.now())), next: cursors.seal(page.next) },
      };
    },
  }),
  operation({
    ...at("consents.impact", "GET /consents/impact"),
    ...reads("consents"),
    summary: "Count what would end with a person's consent",
    notes: "For a company's: `GET /companies/{id}/rules/{client_id}/impact`.",
    command: "consent revoke",
    query: body({ user_id: text(200, "the person"), client_id: text(200) }),
    result: records.consentImpactRecord,
    async answer({ query: { user_id: id, client_id: clientId }, admin }) {
      return { record: consentImpactRecord(await impactOfConsent({ id }, clientId, admin)) };
    },
  }),
  operation({
    ...at("consents.revoke", "POST /consents/revoke"),
    ...writes("consents"),
    summary: "End a consent and every grant under it",
    notes: "For a company, this also ends the company's approval of the client.",
    command: "consent revoke",
    body: body({ client_id: text(200), user_id: maybe(text(200)), company_id: maybe(text(200)) }),
    result: record({ grants_ended: Type.Integer() }),
    async answer({ body: { client_id: clientId, user_id: user, company_id: company }, admin }) {
      if ((user === undefined) === (company === undefined))
        return refuseFields([{ field: "user_id", problem: "name one owner: user_id or company_id" }]);
      const owner = user === undefined ? { company: { id: company ?? "" } } : { user: { id: user } };
      return { record: { grants_ended: await revokeConsent(owner, clientId, admin) } };
    },
  }),
];

const sessionSchema = record({
  id: ids,
  user_id: ids,
  created_at: time,
  last_seen_at: time,
  expires_at: time,
  auth_time: Type.Integer(),
  amr: texts(20, 50),
  address: orNull(text(100)),
  user_agent: orNull(text(1000)),
});

const sessionOperations = [
  operation({
    ...at("sessions.list", "GET /sessions"),
    ...reads("sessions"),
    summary: "List the sessions of a person",
    command: "session list",
    query: Type.Object(
      { ...listQuery({}).properties, user_id: text(200, "the person") },
      { additionalProperties: false },
    ),
    result: pageOf(sessionSchema),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("sessions", query, tools);
      const { limit = DEFAULT_LIMIT } = query;
      const { sessions } = await sessionsOf({ id: query.user_id }, admin);
      const page = pageInMemory(sessions, (one) => one.sessionId, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map(sessionRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("sessions.revoke", "DELETE /sessions/{id}", 204),
    ...writes("sessions"),
    summary: "Sign out one browser",
    command: "session revoke",
    async answer({ params, admin }) {
      const id = params["id"] ?? "";
      await checkSession(id, admin);
      await revokeSession(id, admin);
      return {};
    },
  }),
  operation({
    ...at("sessions.revoke-all", "POST /sessions/revoke"),
    ...writes("sessions"),
    summary: "Sign a person out everywhere",
    command: "session revoke",
    body: body({ user_id: text(200) }),
    result: record({ sessions_ended: Type.Integer() }),
    answer: async ({ body: { user_id: id }, admin }) => ({
      record: { sessions_ended: await revokeSessionsOf({ id }, admin) },
    }),
  }),
];

const keySchema = record({
  kid: text(200),
  alg: text(20),
  status: oneOf(["signing", "next", "verifying", "past"]),
  created_at: time,
  signs_from: time,
  published_until: orNull(time),
  retired_at: orNull(time),
});

const keyOperations = [
  operation({
    ...at("keys.list", "GET /keys"),
    ...reads("keys"),
    summary: "List the keys that sign tokens, and their state",
    command: "key list",
    query: listQuery({ status: maybe(oneOf(["signing", "next", "verifying", "past"])) }),
    result: pageOf(keySchema),
    async answer({ query, admin, tools }) {
      const cursors = new Cursors("keys", query, tools);
      const { limit = DEFAULT_LIMIT, status } = query;
      const all = (await listKeys(admin)).filter((one) => status === undefined || one.status === status);
      const page = pageInMemory(all, ({ key }) => key.kid, { limit, after: cursors.open(query.after) });
      return { record: { items: page.items.map(keyRecord), next: cursors.seal(page.next) } };
    },
  }),
  operation({
    ...at("keys.rotate", "POST /keys/rotate", 201),
    ...writes("keys"),
    summary: "Create the next key; it signs a day later, or at once",
    command: "key rotate",
    body: body({ alg: maybe(text(20)), immediately: maybe(Type.Boolean()) }),
    result: keySchema,
    async answer({ body: { alg, immediately = false }, admin }) {
      const made = await rotateKey({ immediately, ...given({ alg }) }, admin);
      const state = (await listKeys(admin)).find(({ key }) => key.kid === made.kid);
      const fresh: KeyState = { key: made, status: "next", publishedUntil: null };
      return { record: keyRecord(state ?? fresh) };
    },
  }),
  operation({
    ...at("keys.retire", "POST /keys/{kid}/retire", 204),
    ...writes("keys"),
    summary: "Stop signing with a key; with immediately: true, its tokens are refused",
    command: "key retire",
    body: body({ immediately: maybe(Type.Boolean()) }),
    async answer({ params, body: { immediately = false }, admin }) {
      await retireKey(params["kid"] ?? "", { immediately }, admin);
      return {};
    },
  }),
];

export const grantsAndKeys = [...consentOperations, ...sessionOperations, ...keyOperations];
