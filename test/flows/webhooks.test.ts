/** Webhooks of a running server: an operator creates one, events arrive, and only operators see and change it. */

import { Webhook as Checker } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { sealWaiting } from "../../packages/server/src/admin/events.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretsOf } from "../../packages/server/src/data-dir.ts";
import { type AdminApi, adminApi, adminToken } from "../support/admin-api.ts";
import { freePort } from "../support/free-port.ts";
import { aReader, commandsOf } from "../support/run-commands-of-example.ts";
import { startServer, type TestServer } from "../support/test-server.ts";
import { aWebhookReceiver, status, type WebhookReceiver } from "../support/webhook-receiver.ts";

let server: TestServer;
let api: AdminApi;
let receiver: WebhookReceiver;
let secrets: Secrets;
beforeAll(async () => {
  server = await startServer({ fetchFromLoopback: true });
  api = await adminApi(server);
  secrets = new Secrets(secretsOf(server.assent.config));
});
afterAll(() => server.stop());
beforeEach(async () => {
  receiver = await aWebhookReceiver();
});
afterEach(async () => {
  receiver.stop();
  const all = (await api.get("/webhooks")).body?.["items"] as readonly { readonly id: string }[];
  for (const { id } of all) expect((await api.call("DELETE", `/webhooks/${id}`)).status).toBe(204);
});

/** Also on a busy machine. */
const eventually = <T>(read: () => Promise<T>) => expect.poll(read, { timeout: 20_000 });

interface Hook {
  readonly id: string;
  readonly secret: string;
  readonly [field: string]: unknown;
}

async function aHook(kinds: readonly string[] = ["scope.created"], fields: object = {}): Promise<Hook> {
  // What happened before is no matter of this webhook.
  await sealWaiting({ ...adminOf(server.assent.storage, server.issuer), secrets: () => secrets });
  const made = await api.post("/webhooks", { url: receiver.url, kinds, ...fields });
  expect(made.status, made.text).toBe(201);
  return made.body as Hook;
}

let scopes = 0;
async function aScope(): Promise<string> {
  scopes += 1;
  const name = `hooked:${scopes}`;
  const made = await api.post("/scopes", { name, description: "Something", resource: null });
  expect(made.status, made.text).toBe(201);
  return name;
}

const items = async (path: string) =>
  ((await api.get(path)).body?.["items"] ?? []) as readonly Readonly<Record<string, unknown>>[];

describe("delivery", () => {
  test("WH-01 an operator changes something → the receiver has it in seconds, signed; the list of deliveries shows it", async () => {
    const hook = await aHook();
    const name = await aScope();
    const [message] = await receiver.until(1);
    const checked = new Checker(hook.secret).verify(message?.text ?? "", { ...message?.headers } as never);
    expect(checked).toMatchObject({
      type: "scope.created",
      issuer: server.issuer,
      data: { details: { scope: name, door: "api", operation: "scopes.create" } },
    });
    const path = `/webhooks/${hook.id}/deliveries`;
    await eventually(async () => (await items(path))[0]?.["status"]).toBe("delivered");
    expect((await items(path))[0]).toMatchObject({
      ...{ event_id: message?.id, kind: "scope.created", tries: 1, next_try_at: null },
      attempts: [{ status: 204, fault: null, duration_ms: expect.any(Number) }],
    });
    expect(await items(`${path}?status=given_up`)).toEqual([]);
    expect((await api.get(`${path}?status=other`)).status).toBe(400);
  });

  test("a test → this webhook alone gets it, whatever its kinds are; a disabled one → 409", async () => {
    const hook = await aHook(["key.created"]);
    const other = await aHook(["*"]);
    expect((await api.post(`/webhooks/${hook.id}/test`)).body).toEqual({ queued: true });
    const [message] = await receiver.until(1);
    expect(message?.body).toMatchObject({ type: "webhook.tested", data: { details: { webhook: hook.id } } });
    await api.patch(`/webhooks/${other.id}`, { status: "disabled" });
    expect((await api.post(`/webhooks/${other.id}/test`)).status).toBe(409);
    expect((await api.post("/webhooks/nothing/test")).status).toBe(404);
    expect((await items(`/webhooks/${other.id}/deliveries`)).map((one) => one["kind"])).not.toContain("webhook.tested");
  });

  test("filters by client → only events about it", async () => {
    const [client, another] = [await server.addClient(), await server.addClient()];
    const hook = await aHook(["client.*"], { client_id: client.clientId });
    for (const { clientId } of [another, client]) await api.patch(`/clients/${clientId}`, { client_name: "Renamed" });
    const [message] = await receiver.until(1);
    expect(message?.body).toMatchObject({ type: "client.updated", data: { client_id: client.clientId } });
    expect(await items(`/webhooks/${hook.id}/deliveries`)).toHaveLength(1);
  });
});

describe("replay", () => {
  test("WH-11 one event, a time → sent again to the present URL with the old id and a new time", async () => {
    const before = new Date(server.now()).toISOString();
    const hook = await aHook(["scope.*"]);
    const elsewhere = await aWebhookReceiver();
    await aScope();
    const [first] = await receiver.until(1);
    const changed = await api.patch(`/webhooks/${hook.id}`, { url: elsewhere.url });
    expect(changed.status).toBe(200);
    server.tick(2000);
    expect((await api.post(`/webhooks/${hook.id}/replay`, { event_id: first?.id })).body).toEqual({ replayed: 1 });
    const [again] = await elsewhere.until(1);
    expect(again?.text).toBe(first?.text);
    expect(again?.id).toBe(first?.id);
    expect(Number(again?.headers["webhook-timestamp"])).toBeGreaterThan(Number(first?.headers["webhook-timestamp"]));
    const path = `/webhooks/${hook.id}/deliveries`;
    await eventually(async () => (await items(path))[0]?.["status"]).toBe("delivered");
    const range = await api.post(`/webhooks/${hook.id}/replay`, { since: before });
    expect(range.body).toEqual({ replayed: 1 });
    await elsewhere.until(2);
    const none = await api.post(`/webhooks/${hook.id}/replay`, { since: before, until: before });
    expect(none.body).toEqual({ replayed: 0 });
    expect(receiver.messages).toHaveLength(1);
    elsewhere.stop();
  });

  test("WH-06, WH-11 an event that the webhook does not get, unknown, both, neither, by a token that only reads → refused", async () => {
    const hook = await aHook(["key.created"]);
    const path = `/webhooks/${hook.id}/replay`;
    await aScope();
    const kind = "kind=scope.created&limit=1";
    await eventually(async () => (await items(`/events?${kind}`)).length).toBe(1);
    const event = (await items(`/events?${kind}`))[0]?.["id"];
    expect((await api.post(path, { event_id: event })).status).toBe(400);
    expect((await api.post(path, { event_id: "none" })).status).toBe(404);
    expect((await api.post(path, { event_id: event, since: "2026-01-01" })).status).toBe(400);
    expect((await api.post(path, {})).status).toBe(400);
    expect((await api.post(path, { since: "yesterday" })).status).toBe(400);
    const reader = api.with(await adminToken(server, "admin:webhooks:read"));
    expect((await reader.post(path, { since: "2026-01-01" })).status).toBe(403);
    expect((await reader.get(`/webhooks/${hook.id}/deliveries`)).status).toBe(200);
  });
});

describe("the example of a receiver, as its page says", () => {
  test("WH-01, WH-02 genuine → handled once; old, changed, without the right signature, a header twice → 401", async () => {
    const port = await freePort();
    const { databaseUrl, secret: own } = server.assent.config;
    const env = {
      ...{ ASSENT_ISSUER: server.issuer, ASSENT_DATA_DIR: server.dataDir, PORT: String(port) },
      ASSENT_DATABASE_URL: databaseUrl,
      ...(own === null ? {} : { ASSENT_SECRET: own.map((one) => one.toString("base64")).join(",") }),
    };
    const reader = aReader(env, new Set());
    try {
      const [create = "", start = ""] = commandsOf("examples/webhooks/receiver.ts");
      await reader.run(create.replace("9403", String(port)));
      const program = await reader.start(start, /Waiting at/);
      const [id, secret] = [reader.printed.get("id") ?? "", reader.printed.get("secret") ?? ""];
      await reader.run(`npx assent webhook test ${id}`);
      const path = `/webhooks/${id}/deliveries`;
      await eventually(async () => (await items(path))[0]?.["status"]).toBe("delivered");
      const at = new Date();
      const body = JSON.stringify({
        type: "user.created",
        timestamp: at.toISOString(),
        data: { id: "m1", subject: "p" },
      });
      const send = async (text: string, signature: string, time = at, others: readonly [string, string][] = []) => {
        const headers = new Headers([
          ["webhook-id", "m1"],
          ["webhook-timestamp", String(Math.floor(time.getTime() / 1000))],
          ["webhook-signature", signature],
        ]);
        for (const [name, value] of others) headers.append(name, value);
        return (await fetch(`http://127.0.0.1:${port}/assent`, { method: "POST", headers, body: text })).status;
      };
      const good = new Checker(secret).sign("m1", at, body);
      const old = new Date(at.getTime() - 6 * 60_000);
      const wrong = new Checker(`whsec_${btoa("x".repeat(32))}`).sign("m1", at, body);
      expect(await send(body, new Checker(secret).sign("m1", old, body), old)).toBe(401);
      expect(await send(`${body} `, good)).toBe(401);
      expect(await send(body, good.replace("v1,", "v1a,"))).toBe(401);
      expect(await send(body, "")).toBe(401);
      expect(await send(body, wrong)).toBe(401);
      expect(await send(body, good, at, [["webhook-id", "m1"]])).toBe(401);
      expect(await send(body, `${wrong} ${good}`)).toBe(204);
      expect(await send(body, good)).toBe(204);
      await reader.leave();
      const { said } = await program.ended();
      expect(said.match(/webhook\.tested/g)).toHaveLength(1);
      expect(said.match(/user\.created p/g)).toHaveLength(1);
    } finally {
      await reader.leave();
    }
  });
});

describe("settings", () => {
  test.each([
    ["http at another machine", { url: "http://hooks.example.com/" }, "url"],
    ["no URL", { url: "hooks" }, "url"],
    ["a password in the URL", { url: "https://a:b@hooks.example.com/" }, "url"],
    ["a fragment", { url: "https://hooks.example.com/#x" }, "url"],
    ["another scheme", { url: "ftp://hooks.example.com/" }, "url"],
    ["no kind", { kinds: [] }, "kinds"],
    ["a kind that does not exist", { kinds: ["user.born"] }, "kinds"],
    ["a group that does not exist", { kinds: ["use.*"] }, "kinds"],
    ["a client that does not exist", { client_id: "none" }, "client_id"],
    ["a subject that is no id", { subject: "alice" }, "subject"],
    ["lines in the description", { description: "a\nb" }, "description"],
    ["fields of the server", { secrets: [] }, "secrets"],
  ])("%s → 400", async (_, wrong, field) => {
    const asked = { url: "https://hooks.example.com/", kinds: ["*"], ...wrong };
    const { status: answered, text } = await api.post("/webhooks", asked);
    expect(answered).toBe(400);
    expect(text).toContain(field);
  });

  test("WH-04 read, listed, exported, logged, in events → the secret is nowhere but in the answer that made it", async () => {
    const hook = await aHook(["*"]);
    const rotated = (await api.post(`/webhooks/${hook.id}/rotate-secret`, { overlap: 60 })).body as unknown as Hook;
    expect(hook.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(rotated.secret).not.toBe(hook.secret);
    await receiver.until(2);
    const reader = api.with(await adminToken(server, "admin:webhooks:read admin:events:read"));
    const shown = await reader.get(`/webhooks/${hook.id}`);
    expect(shown.body?.["secrets"]).toEqual([
      { fingerprint: expect.stringMatching(/^[0-9a-f]{12}$/), created_at: expect.any(String), expires_at: null },
      { fingerprint: expect.any(String), created_at: expect.any(String), expires_at: expect.any(String) },
    ]);
    const changed = await api.patch(`/webhooks/${hook.id}`, { description: "x" });
    const stored = JSON.stringify(await server.assent.storage.webhooks.list());
    const texts = [
      ...[shown.text, changed.text, (await reader.get("/webhooks")).text, (await reader.get("/events")).text],
      ...[(await reader.get(`/webhooks/${hook.id}/deliveries`)).text, stored, server.log.join("\n")],
      ...receiver.messages.map(({ text }) => text),
    ];
    for (const secret of [hook.secret, rotated.secret]) {
      expect(texts.filter((text) => text.includes(secret.slice("whsec_".length)))).toEqual([]);
    }
  });

  test("changed from an old record → 412; an overlap of a year → 400; created, changed, rotated, deleted → one event each", async () => {
    const hook = await aHook();
    const etag = (await api.get(`/webhooks/${hook.id}`)).headers.get("etag") ?? "";
    expect((await api.patch(`/webhooks/${hook.id}`, { description: "one" })).status).toBe(200);
    const stale = { body: { description: "two" }, headers: { "if-match": etag } };
    expect((await api.call("PATCH", `/webhooks/${hook.id}`, stale)).status).toBe(412);
    expect((await api.post(`/webhooks/${hook.id}/rotate-secret`, { overlap: 31_536_000 })).status).toBe(400);
    expect((await api.post(`/webhooks/${hook.id}/rotate-secret`, {})).status).toBe(200);
    expect((await api.call("DELETE", `/webhooks/${hook.id}`)).status).toBe(204);
    expect((await api.get(`/webhooks/${hook.id}`)).status).toBe(404);
    const about = async () =>
      (await items("/events?limit=200"))
        .filter((one) => (one["details"] as { readonly webhook?: string }).webhook === hook.id)
        .map((one) => one["kind"]);
    await eventually(async () => (await about()).toReversed()).toEqual([
      "webhook.created",
      "webhook.updated",
      "webhook.secret_rotated",
      "webhook.deleted",
    ]);
  });

  test("a private address → a warning; the receiver fails → the webhook says since when", async () => {
    const hook = await aHook(["scope.created"]);
    expect(hook["warnings"]).toEqual([{ field: "url", problem: expect.stringContaining("ASSENT_OUTBOUND_ALLOW") }]);
    receiver.answer(status(500, {}, `token=aat_${"x".repeat(43)}`));
    await aScope();
    await receiver.until(1);
    await eventually(async () => (await api.get(`/webhooks/${hook.id}`)).body?.["failures"]).toBe(1);
    const [delivery] = await items(`/webhooks/${hook.id}/deliveries`);
    expect(delivery).toMatchObject({ status: "waiting", next_try_at: expect.any(String) });
    expect(JSON.stringify(delivery)).not.toContain("xxxxxxxx");
    expect((await api.get(`/webhooks/${hook.id}`)).body).toMatchObject({ failing_since: expect.any(String) });
  });
});
