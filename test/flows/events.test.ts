/** What people and operators do is in the log of events, with who did it; and nobody else sees or changes the log. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { listEvents, type ShownEvent, verifyEvents } from "../../packages/server/src/admin/events.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretsOf } from "../../packages/server/src/data-dir.ts";
import { SECURITY } from "../../packages/server/src/event-reporting.ts";
import type { NewEvent } from "../../packages/server/src/events/event.ts";
import { eventKinds, isEventKind } from "../../packages/server/src/events/kinds.ts";
import { EventRecorder } from "../../packages/server/src/events/recorder.ts";
import { operations } from "../../packages/server/src/http/admin-api/operations/index.ts";
import { type AdminApi, adminApi, adminToken } from "../support/admin-api.ts";
import { Agent, authorize, authorizeUrl, postForm, redeem, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let api: AdminApi;
let client: TestClient;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server);
  client = await server.addClient({
    grantTypes: ["authorization_code", "refresh_token", "client_credentials"],
    ownScopes: ["read"],
  });
});
afterAll(() => server.stop());

const context = () => adminOf(server.assent.storage, server.issuer, server.now);
/** The sealed events that fit, oldest first, once there are `count`. */
async function eventsOf(query: object, count: number): Promise<readonly ShownEvent[]> {
  let found: readonly ShownEvent[] = [];
  await expect
    .poll(
      async () => {
        found = await listEvents({ ...query, limit: 100 }, context());
        return found.length;
      },
      { timeout: 10_000 },
    )
    .toBeGreaterThanOrEqual(count);
  return found.toReversed();
}

describe("people", () => {
  test("sign in, allow, refresh, a stolen token, sign out → one event each, sealed within seconds", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    const wrong = new Agent(server.issuer);
    const [form] = (await wrong.get("/login")).forms.filter(({ fields }) => fields.has("username"));
    if (form !== undefined) await wrong.submit(form, { username: person.username, password: "wrong" });
    await signIn(agent, person.username);
    const answer = await authorize(agent, authorizeUrl(server, client), person.username);
    const code = answer.searchParams.get("code");
    const tokens = await redeem(server, client, answer);
    const refresh = (token: unknown) =>
      postForm(server, "/token", client, { grant_type: "refresh_token", refresh_token: String(token) });
    expect(tokens.status).toBe(200);
    expect((await refresh(tokens.body["refresh_token"])).status).toBe(200);
    const personId = (await server.assent.storage.people.findByName({ name: person.username }))?.personId ?? "";
    const all = await eventsOf({ subject: personId }, 2);
    expect(all.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(["user.created", "sign_in.succeeded", "consent.given"]),
    );
    const [signedIn] = all.filter(({ kind }) => kind === "sign_in.succeeded");
    expect(signedIn).toMatchObject({ actor: `user:${personId}`, personal: { address: "127.0.0.1" } });
    const [given] = all.filter(({ kind }) => kind === "consent.given");
    expect(given).toMatchObject({
      actor: `user:${personId}`,
      clientId: client.clientId,
      details: { scope: expect.any(String) },
    });
    const [refused] = await eventsOf({ kind: "sign_in.refused" }, 1);
    expect(refused).toMatchObject({ actor: "anonymous", details: { step: "sign_in", reason: "password" } });
    const texts = JSON.stringify(await server.assent.storage.events.chain({ after: 0, limit: 1000 }));
    for (const secret of [PASSWORD, "wrong", code, tokens.body["access_token"], tokens.body["refresh_token"]])
      expect(texts).not.toContain(String(secret));
  });

  test("client credentials → no event at all", async () => {
    const before = (await eventsOf({}, 1)).length;
    for (let n = 0; n < 3; n += 1)
      expect((await postForm(server, "/token", client, { grant_type: "client_credentials" })).status).toBe(200);
    await new Promise((resolve) => setTimeout(resolve, 1200));
    expect((await listEvents({ limit: 1000 }, context())).length).toBe(before);
  });
});

describe("EV-14: operators", () => {
  test("a change by the API → actor, door, operation, names of fields, number of the request; no value, no actor from the request", async () => {
    const created = await api.post(
      "/clients",
      { client_name: "Secret Name", type: "public", redirect_uris: ["https://secret.test/cb"] },
      { "x-forwarded-for": "8.8.8.8" },
    );
    const clientId = String(created.body?.["client_id"]);
    const [event] = await eventsOf({ clientId }, 1);
    expect(event).toMatchObject({
      ...{ kind: "client.created", actor: expect.stringMatching(/^token:/), subject: null },
      details: {
        ...{ door: "api", operation: "clients.create", fields: ["client_name", "type", "redirect_uris"] },
        ...{ address: "127.0.0.1", request_id: created.headers.get("x-request-id"), type: "public" },
      },
    });
    expect(JSON.stringify(event)).not.toContain("ecret");
  });

  test("a refused change → no event", async () => {
    const refused = await api.post("/scopes", { name: "orphan", description: "x", resource: "https://nowhere.test" });
    expect(refused.status).toBe(400);
    await api.post("/scopes", { name: "kept", description: "x" });
    const events = await eventsOf({ kind: "scope.created" }, 4);
    expect(events.map(({ details }) => details["scope"])).not.toContain("orphan");
    expect(events.map(({ details }) => details["scope"])).toContain("kept");
  });
});

describe("EV-06, EV-07: the API", () => {
  test("EV-06 tokens of other groups → 403; one that reads → 200; nobody writes or deletes", async () => {
    const reader = await adminToken(server, "admin:events:read");
    for (const path of ["/events", "/events/tail", "/events/export", "/events/verify"]) {
      expect((await api.get(path, { token: await adminToken(server, "admin:users:write") })).status).toBe(403);
      expect((await api.get(path, { token: reader })).status).toBe(200);
      for (const method of ["POST", "PUT", "PATCH", "DELETE"]) expect((await api.call(method, path)).status).toBe(405);
    }
    expect(operations.filter(({ group, access }) => group === "events" && access === "write")).toEqual([]);
  });

  test("EV-07 wrong filters, forged cursors, cursors of other filters → 400; a page → goes on without a gap", async () => {
    const wrong = [
      "actor[$ne]=",
      "kind=%00",
      "kind=nonsense",
      "since=yesterday",
      "limit=1000000000",
      "limit=0",
      "after=eyJ9",
    ];
    for (const query of wrong) expect([query, (await api.get(`/events?${query}`)).status]).toEqual([query, 400]);
    const first = await api.get("/events?limit=2");
    const { items, next } = first.body as {
      readonly items: readonly { readonly seq: number }[];
      readonly next: string;
    };
    expect(items).toHaveLength(2);
    expect((await api.get(`/events?limit=2&kind=client.created&after=${next}`)).status).toBe(400);
    const second = (await api.get(`/events?limit=2&after=${next}`)).body as { readonly items: typeof items };
    expect(second.items[0]?.seq).toBe((items[1]?.seq ?? 0) - 1);
    expect((await api.get("/events?since=0001-01-01&until=9999-12-31")).status).toBe(200);
  });

  test("tail, export and one event → the same events, oldest first; an unknown one → 404", async () => {
    const tail = (await api.get("/events/tail?limit=3")).body as { readonly items: readonly { readonly id: string }[] };
    const lines = (await api.get("/events/export?limit=3")).text.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual(tail.items);
    expect((await api.get(`/events/${tail.items[0]?.id}`)).body).toEqual(tail.items[0]);
    expect((await api.get("/events/nothing")).status).toBe(404);
  });

  test("verify → the report of the whole log", async () => {
    const { body } = await api.get("/events/verify");
    expect(body).toMatchObject({
      valid: true,
      fault: null,
      checkpoint: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
    });
    const { config } = server.assent;
    const secrets = new Secrets(secretsOf(config));
    expect((await verifyEvents({}, { ...context(), secrets: () => secrets })).fault).toBeNull();
  });
});

describe("the catalogue", () => {
  test("each kind is a subject and what happened to it; unknown names are none", () => {
    for (const kind of Object.keys(eventKinds)) expect(kind).toMatch(/^[a-z_]+\.[a-z_]+$/);
    expect([isEventKind("toString"), isEventKind("key.created")]).toEqual([false, true]);
  });

  test("EV-09 a flood of refusals → at most 60 a minute for a network, 600 in all; each name of the log has its kind", async () => {
    const stored: NewEvent[] = [];
    const reused: string[] = [];
    const clock = { now: 0 };
    const recorder = new EventRecorder({
      storage: {
        events: {
          note: async ({ events }) => void stored.push(...events),
          noteReuse: async ({ grantId }) => void reused.push(grantId),
        },
      },
      networkOf: (address) => address,
      partitionOf: () => 0,
      monotonic: () => clock.now,
    });
    for (let n = 0; n < 1000; n += 1) recorder.note("sign_in_failed", { address: "one", reason: "password" }, n);
    for (let n = 0; n < 1000; n += 1) recorder.note("sign_in_failed", { address: `${n}`, reason: "password" }, n);
    await recorder.settle();
    expect(stored).toHaveLength(600);
    expect(stored.filter(({ details }) => details?.["network"] === "one")).toHaveLength(60);
    for (let n = 0; n < 100; n += 1) recorder.note("refresh_token_replayed", { grant_id: "one" }, n);
    for (let n = 0; n < 1000; n += 1) recorder.note("code_replayed", { grant_id: `${n}` }, n);
    await recorder.settle();
    expect(reused.filter((grantId) => grantId === "one")).toHaveLength(1);
    expect(reused).toHaveLength(600);
    clock.now = 60_000;
    for (const name of SECURITY) recorder.note(name, { client_id: "app" }, 1);
    await recorder.settle();
    expect(stored).toHaveLength(600 + SECURITY.size - 2);
    expect(new Set(stored.slice(600).map(({ kind }) => kind))).toEqual(
      new Set(["sign_in.refused", "sign_in.throttled", "security.suspicion"]),
    );
  });
});
