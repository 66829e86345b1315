/** Every operation of the OpenAPI document succeeds at least once, and its answer is the documented one. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { operations } from "../../../packages/server/src/http/admin-api/operations/index.ts";
import { find } from "../../../packages/server/src/http/admin-api/routes.ts";
import { compared } from "../../support/admin-answer-schemas.ts";
import { type AdminAnswer, type AdminApi, adminApi } from "../../support/admin-api.ts";
import { Agent, authorize, authorizeUrl } from "../../support/http-browser.ts";
import { rowsOf } from "../../support/server-nodes.ts";
import { startServer, type TestServer } from "../../support/test-server.ts";

let server: TestServer;
let api: AdminApi;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server);
});
afterAll(() => server.stop());

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const jwk = {
  ...{ kty: "EC", crv: "P-256", kid: "k" },
  ...{ x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" },
};
const aClient = { client_name: "App", type: "confidential", redirect_uris: ["https://app.test/cb"] };
const picture = { raw: PNG, headers: { "content-type": "image/png" } };

/** Of the log, with those that wait for their place in it. */
async function eventCount(): Promise<number> {
  const text = "SELECT (SELECT COUNT(*) FROM events) + (SELECT COUNT(*) FROM events_waiting) AS count";
  const [row] = await rowsOf<{ readonly count: number }>(server.dataDir, text);
  return row?.count ?? 0;
}

/** Operations that may change nothing here. */
const CHANGE_NOTHING = [
  // The file describes nothing.
  ...["configurations.apply", "configurations.plan"],
  // The person has neither sessions nor a second step.
  ...["sessions.revoke-all", "users.reset-second-factor"],
  // The log may have no event yet that the webhook would get.
  "webhooks.replay",
];

/** Calls that must succeed. Their operations are collected. */
class Caller {
  readonly done = new Set<string>();
  /** Those that changed something without an event. */
  readonly silent = new Set<string>();

  async #did(method: string, path: string, ask: () => Promise<AdminAnswer>): Promise<AdminAnswer> {
    const changes = method !== "GET";
    const before = changes ? await eventCount() : 0;
    const got = await ask();
    expect(got.status, `${method} ${path}: ${got.text}`).toBeLessThan(300);
    const found = find(path.split("?")[0] ?? "", method);
    if (found.kind !== "found") return got;
    this.done.add(found.operation.id);
    if (changes && (await eventCount()) === before) this.silent.add(found.operation.id);
    return got;
  }

  call = (method: string, path: string, body?: unknown) =>
    this.#did(method, path, () => api.call(method, path, { body }));
  post = (path: string, body?: unknown) => this.call("POST", path, body);
  put = (path: string) => this.#did("PUT", path, () => api.call("PUT", path, picture));
  patch = (path: string, body: unknown) => this.#did("PATCH", path, () => api.patch(path, body));
  lines = (path: string, raw: string) =>
    this.#did("POST", path, () => api.call("POST", path, { raw, headers: { "content-type": "application/x-ndjson" } }));

  /** Creates a record, reads it, and returns its path. */
  async made(path: string, body: unknown, id: string): Promise<string> {
    const { body: record } = await this.post(path, body);
    const own = `${path}/${encodeURIComponent(String(record?.[id]))}`;
    if (!path.endsWith("tokens")) await this.call("GET", own);
    await this.call("GET", path);
    return own;
  }

  /** The first entry of a list, once there is one: some are written in the background. */
  async first(path: string): Promise<Readonly<Record<string, unknown>>> {
    let items: readonly Readonly<Record<string, unknown>>[] = [];
    await expect
      .poll(async () => {
        items = (await this.call("GET", path)).body?.["items"] as typeof items;
        return items.length;
      })
      .toBeGreaterThan(0);
    return items[0] ?? {};
  }
}

async function clientsAndApis(caller: Caller): Promise<void> {
  const client = await caller.made("/clients", aClient, "client_id");
  await caller.patch(client, { client_name: "Other" });
  for (const action of ["disable", "enable"]) await caller.post(`${client}/${action}`);
  await caller.post(`${client}/rotate-secret`, {});
  await caller.put(`${client}/logo`);
  await caller.call("DELETE", `${client}/logo`);
  await caller.call("GET", `${client}/impact`);
  await caller.call("DELETE", client);
  const resource = await caller.made("/resources", { identifier: "https://a.test", name: "A" }, "identifier");
  await caller.patch(resource, { name: "B" });
  await caller.post(`${resource}/rotate-secret`);
  const scope = await caller.made("/scopes", { name: "a", description: "A", resource: "https://a.test" }, "name");
  await caller.patch(scope, { description: "B" });
  await caller.call("GET", `${scope}/impact`);
  await caller.call("DELETE", scope);
  await caller.call("GET", `${resource}/impact`);
  await caller.call("DELETE", resource);
}

async function peopleAndIssuers(caller: Caller): Promise<void> {
  const user = await caller.made("/users", { username: "ada", email: "ada@a.test", generate_password: true }, "id");
  const id = user.split("/")[2];
  await caller.patch(user, { name: "Ada" });
  for (const action of ["disable", "enable"]) await caller.post(`${user}/${action}`);
  await caller.post(`${user}/set-password`, { generate_password: true });
  await caller.post(`${user}/reset-second-factor`, {});
  await caller.put(`${user}/picture`);
  await caller.call("DELETE", `${user}/picture`);
  await caller.lines("/users/import", `${JSON.stringify({ username: "bob", email: "bob@a.test" })}\n`);
  const trusted = { issuer: "https://i.test", type: "jwt", jwks: { keys: [jwk] }, map_subject: "link" };
  const issuer = await caller.made("/issuers", trusted, "issuer");
  await caller.patch(issuer, { max_lifetime: 60 });
  for (const subject of ["1", "2"]) await caller.post(`${issuer}/links`, { subject, user_id: id });
  await caller.call("GET", `${issuer}/links`);
  await caller.call("DELETE", `${issuer}/links/1`);
  const { id: identity } = await caller.first(`${user}/identities`);
  await caller.call("DELETE", `${user}/identities/${encodeURIComponent(String(identity))}`);
  await caller.call("GET", `${issuer}/impact`);
  await caller.call("DELETE", issuer);
  await caller.call("GET", `/sessions?user_id=${id}`);
  await caller.post("/sessions/revoke", { user_id: id });
  await caller.call("GET", `${user}/impact`);
  await caller.call("DELETE", user);
}

async function companies(caller: Caller): Promise<void> {
  const company = await caller.made("/companies", { name: "Acme", slug: "acme" }, "id");
  await caller.patch(company, { name: "Acme 2" });
  for (const action of ["disable", "enable"]) await caller.post(`${company}/${action}`);
  const { personId, username } = await server.addPerson();
  await caller.post(`${company}/members`, { user_id: personId, role: "admin" });
  await caller.call("GET", `${company}/members`);
  const client = await server.addClient();
  const agent = new Agent(server.issuer);
  await caller.call("PUT", `${company}/rules/${client.clientId}`, { rule: "allow", scope: "read" });
  await caller.call("GET", `${company}/rules`);
  await caller.call("GET", `${company}/connections`);
  const owner = { owner: company.split("/")[2] ?? "" };
  await authorize(agent, authorizeUrl(server, client), username, owner);
  await caller.call("GET", `${company}/rules/${client.clientId}/impact`);
  await caller.call("GET", `${company}/members/${personId}/impact`);
  await caller.post(`${company}/revoke`, { client_id: client.clientId });
  await caller.call("DELETE", `${company}/members/${personId}`);
  await caller.call("PUT", `${company}/own-provider`, { allowed: true });
  const domain = `${company}/email-domains/acme.test`;
  await caller.call("PUT", domain);
  const provider = { name: "ID", issuer: "https://accounts.test", client_id: "me", client_secret: "s" };
  const own = await caller.made("/providers", provider, "id");
  await caller.patch(own, { name: "Other" });
  await caller.call("GET", `${own}/impact`);
  await caller.call("DELETE", own);
  await caller.call("DELETE", domain);
  await caller.call("GET", `${company}/impact`);
  await caller.call("DELETE", company);
}

async function webhooks(caller: Caller): Promise<void> {
  const webhook = await caller.made("/webhooks", { url: "https://hooks.test/in", kinds: ["user.*"] }, "id");
  await caller.patch(webhook, { status: "disabled" });
  await caller.patch(webhook, { status: "active" });
  await caller.post(`${webhook}/rotate-secret`, { overlap: 0 });
  await caller.post(`${webhook}/test`);
  await caller.post(`${webhook}/replay`, { since: new Date(0).toISOString() });
  await caller.call("GET", `${webhook}/deliveries`);
  await caller.call("DELETE", webhook);
}

async function accessAndLogs(caller: Caller): Promise<void> {
  const { personId, username } = await server.addPerson();
  const client = await server.addClient();
  await authorize(new Agent(server.issuer), authorizeUrl(server, client), username);
  await caller.call("GET", `/consents?user_id=${personId}`);
  await caller.call("GET", `/consents/impact?user_id=${personId}&client_id=${client.clientId}`);
  await caller.post("/consents/revoke", { user_id: personId, client_id: client.clientId });
  const session = await caller.first(`/sessions?user_id=${personId}`);
  await caller.call("DELETE", `/sessions/${session["id"]}`);
  await caller.call("GET", "/keys");
  const { body: key } = await caller.post("/keys/rotate", {});
  await caller.post(`/keys/${key?.["kid"]}/retire`, {});
  const event = await caller.first("/events");
  await caller.call("GET", `/events/${event["id"]}`);
  for (const what of ["tail", "export", "verify"]) await caller.call("GET", `/events/${what}`);
  await fetch(`${server.issuer}/authorize?client_id=${client.clientId}&redirect_uri=https://evil.test`);
  const refusal = await caller.first("/refusals");
  await caller.call("GET", `/refusals/${refusal["request_id"]}`);
  await caller.call("GET", "/settings");
  await caller.call("DELETE", await caller.made("/registration_tokens", { uses: 1 }, "id"));
  const file = { text: "version: 1\nname: every-operation\n" };
  const { body: plan } = await caller.post("/configurations/plan", file);
  await caller.post("/configurations/apply", { ...file, fingerprint: plan?.["fingerprint"] });
  await caller.call("GET", "/configurations/export");
  await caller.call("GET", "/tokens/current");
  await caller.call("DELETE", await caller.made("/tokens", { scope: "admin:users:read" }, "id"));
}

test("each example of the document, sent as it is → makes a record", async () => {
  const made = operations.filter(({ body }) => (body as { examples?: unknown } | undefined)?.examples !== undefined);
  expect(made.map(({ id }) => id).filter((id) => id.endsWith(".create"))).toHaveLength(8);
  for (const { path, body } of made) {
    for (const example of (body as unknown as { examples: readonly object[] }).examples) {
      const answer = await api.post(path, example);
      expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
    }
  }
});

test("AD-18 each operation is called → each succeeds, fits its schema, and each change has an event at once", async () => {
  const caller = new Caller();
  await clientsAndApis(caller);
  await peopleAndIssuers(caller);
  await companies(caller);
  await webhooks(caller);
  await accessAndLogs(caller);
  const all = operations.map(({ id }) => id);
  expect(all.filter((id) => !caller.done.has(id))).toEqual([]);
  expect(all.filter((id) => !compared.has(id))).toEqual([]);
  expect([...caller.silent].filter((id) => !CHANGE_NOTHING.includes(id))).toEqual([]);
});
