/** The process that sends events to webhooks, against real receivers and a real database. */

import { createServer, type RequestListener } from "node:http";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { Webhook as Checker } from "standardwebhooks";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { aWebhookReceiver, status, type WebhookReceiver } from "../../../../test/support/webhook-receiver.ts";
import { adminOf } from "../../src/admin/context.ts";
import { sealWaiting } from "../../src/admin/events.ts";
import { createWebhook, rotateWebhookSecret } from "../../src/admin/webhooks/webhooks.ts";
import { Secrets } from "../../src/crypto/server-secret.ts";
import type { NewEvent } from "../../src/events/event.ts";
import { GuardedFetcher } from "../../src/outbound/guarded-fetch.ts";
import { AT_ONCE, Deliverer, type DelivererParts } from "../../src/webhooks/deliverer.ts";
import { type Delivery, FAILING_FOR, TRIED_FOR } from "../../src/webhooks/webhook.ts";
import { backends, type Opened } from "../storage/support/backends.ts";
import { aStoredPerson, HOUR, MINUTE, NOW, SECOND } from "../storage/support/record-builders.ts";

const ISSUER = "https://login.test";
const [backend] = backends;
let opened: Opened;
let secrets: Secrets;
let clock: number;
let receiver: WebhookReceiver;
const logged: string[] = [];
const alarms: string[] = [];
/** The webhooks of which operators are told. */
const told: string[] = [];

beforeAll(async () => {
  if (backend === undefined) throw new Error("there is no database");
  opened = await backend.create();
});
afterAll(() => opened.remove());
beforeEach(async () => {
  secrets = new Secrets([Buffer.alloc(32, 1)]);
  clock = NOW;
  logged.splice(0);
  alarms.splice(0);
  told.splice(0);
  receiver = await aWebhookReceiver();
});
afterEach(async () => {
  receiver.stop();
  for (const { webhook } of await opened.storage.webhooks.list()) await opened.storage.webhooks.delete(webhook);
});

const context = () => ({
  ...adminOf(
    opened.storage,
    ISSUER,
    () => clock,
    () => secrets,
  ),
  secrets: () => secrets,
});
const fetcher = (settings: object = {}) =>
  new GuardedFetcher({
    ...{ now: () => performance.now(), alsoAllowed: ["127.0.0.0/8"], parallel: { total: 80, perHost: 80 } },
    ...{ timeout: 5000, leftAlone: 0, ...settings },
  });
function deliverer(parts: Partial<DelivererParts> = {}): Deliverer {
  return new Deliverer({
    ...{ storage: opened.storage, secrets, issuer: ISSUER, fetcher: fetcher(), now: () => clock },
    ...{ monotonic: () => clock, random: () => 0.5, withoutCredentials: (text) => text, free: () => undefined },
    disabled: async ({ id }, fault) => void told.push(`${id} ${fault}`),
    event: (name, fields) => void logged.push(`${name} ${JSON.stringify(fields)}`),
    alarm: (name, fields) => void alarms.push(`${name} ${JSON.stringify(fields)}`),
    ...parts,
  });
}

async function aHook(url = receiver.url, kinds = ["key.created"]) {
  const { webhook, secret } = await createWebhook({ url, kinds }, context());
  return { id: webhook.id, secret };
}

async function note(count = 1, about: Partial<NewEvent> = {}): Promise<void> {
  const event: NewEvent = { kind: "key.created", at: clock, details: { kid: "k" }, ...about };
  await opened.storage.events.note({ events: Array.from({ length: count }, () => event) });
  await sealWaiting(context());
}

async function round(by = deliverer()): Promise<void> {
  await by.round();
  await by.settle();
}

const listed = (webhookId: string, state: Delivery["status"] | null = null) =>
  opened.storage.webhooks.deliveries({ webhookId, status: state, before: null, limit: 1000 });
async function only(webhookId: string): Promise<Delivery> {
  const [one, ...others] = await listed(webhookId);
  if (one === undefined || others.length > 0) throw new Error("there is not exactly one delivery");
  return one;
}

describe("the message", () => {
  test("WH-01 an event → a signed POST with the event's id; 2xx ends it, and the log of deliveries has the answer", async () => {
    receiver.answer(status(202, {}, "thanks\u001b[31m\n"));
    const { id, secret } = await aHook();
    await note(1, { subject: null, clientId: "app", by: "server" });
    clock += 7 * SECOND;
    await round();
    const [message, ...others] = receiver.messages;
    if (message === undefined) throw new Error("nothing arrived");
    const delivery = await only(id);
    const event = await opened.storage.events.get({ eventId: delivery.eventId });
    expect(others).toEqual([]);
    expect(message.headers).toMatchObject({
      "webhook-id": delivery.eventId,
      "webhook-timestamp": String((NOW + 7 * SECOND) / 1000),
      "content-type": "application/json",
    });
    expect(message.body).toEqual({
      type: "key.created",
      timestamp: new Date(NOW).toISOString(),
      version: 1,
      issuer: ISSUER,
      data: {
        ...{ id: delivery.eventId, seq: event?.seq, actor: "server", subject: null, client_id: "app" },
        details: { kid: "k" },
      },
    });
    const signature = new Checker(secret).sign(message.id, new Date(clock), message.text);
    expect(message.headers["webhook-signature"]).toBe(signature);
    expect(delivery).toMatchObject({
      ...{ status: "delivered", tries: 1, dueAt: null },
      attempts: [{ at: clock, status: 202, fault: null, answer: "thanks [31m" }],
    });
    await round();
    expect(receiver.messages).toHaveLength(1);
  });

  test("WH-10 rotated with overlap, twice, at once → every valid secret signs, three at most; after the overlap one", async () => {
    const { id, secret } = await aHook();
    const all = [secret];
    const rotate = async (overlap: number) => {
      all.unshift((await rotateWebhookSecret(id, overlap, context())).secret);
    };
    const signedBy = async () => {
      await note();
      await round();
      const message = receiver.messages.at(-1);
      const found = String(message?.headers["webhook-signature"]).split(" ");
      const made = (one: string) => new Checker(one).sign(message?.id ?? "", new Date(clock), message?.text ?? "");
      expect(found.every((one) => all.some((each) => made(each) === one))).toBe(true);
      return found.map((one) => all.findIndex((each) => made(each) === one));
    };
    expect(await signedBy()).toEqual([0]);
    await rotate(HOUR);
    expect(await signedBy()).toEqual([0, 1]);
    await rotate(HOUR);
    await rotate(HOUR);
    expect(await signedBy()).toEqual([0, 1, 2]);
    clock += HOUR;
    expect(await signedBy()).toEqual([0]);
    await rotate(0);
    expect(await signedBy()).toEqual([0]);
  });

  test("the secret of the server is gone → nothing is sent, it is tried later, and the receiver is not to blame", async () => {
    const { id } = await aHook();
    await note();
    await round(deliverer({ secrets: new Secrets([Buffer.alloc(32, 2)]) }));
    expect(receiver.messages).toEqual([]);
    expect(await only(id)).toMatchObject({ status: "waiting", attempts: [] });
    expect((await opened.storage.webhooks.list())[0]?.health.failures).toBe(0);
    expect(logged.join()).toContain("its secret can't be decrypted");
  });
});

describe("WH-08 a receiver that fails", () => {
  test("500 → tried again with longer and longer pauses, the same id and a new time; given up after 24 hours", async () => {
    receiver.answer(status(500));
    const { id } = await aHook();
    await note();
    const pauses: number[] = [];
    for (;;) {
      await round();
      const { dueAt } = await only(id);
      if (dueAt === null) break;
      pauses.push((dueAt - clock) / SECOND);
      clock = dueAt - 1;
      await round();
      clock = dueAt;
    }
    const hours = [1, 2, 4, 4, 4, 4, 4].map((one) => one * 3600);
    expect(pauses).toEqual([5, 30, 120, 600, 1800, ...hours.slice(0, pauses.length - 5)]);
    expect(clock - NOW).toBeLessThan(TRIED_FOR);
    expect(clock - NOW).toBeGreaterThan(TRIED_FOR - 4 * HOUR);
    const delivery = await only(id);
    expect(delivery).toMatchObject({ status: "given_up", tries: pauses.length + 1 });
    expect(delivery.attempts).toHaveLength(pauses.length + 1);
    expect(delivery.attempts[0]).toMatchObject({ status: 500, fault: "status 500", answer: "" });
    expect(new Set(receiver.messages.map((one) => one.id)).size).toBe(1);
    const times = receiver.messages.map(({ headers }) => headers["webhook-timestamp"]);
    expect(new Set(times).size).toBe(times.length);
    expect(logged.at(-1)).toContain('"again":"no"');
  });

  test.each<[string, RequestListener, number, string]>([
    ["429 with Retry-After", status(429, { "retry-after": "600" }), 600, "status 429"],
    ["503 with a date", status(503, { "retry-after": new Date(NOW + 900_000).toUTCString() }), 900, "status 503"],
    ["Retry-After of a year", status(503, { "retry-after": "31536000" }), 3600, "status 503"],
    ["Retry-After of zero", status(503, { "retry-after": "0" }), 5, "status 503"],
    ["Retry-After without sense", status(503, { "retry-after": "soon" }), 5, "status 503"],
    ["a redirect", status(302, { location: "/elsewhere" }), 5, "status 302"],
    ["a reset connection", (request) => request.socket.resetAndDestroy(), 5, "unreachable"],
  ])("%s → the next try is after so many seconds", async (_, does, seconds, fault) => {
    receiver.answer(does);
    const { id } = await aHook();
    await note();
    await round();
    const { status: state, dueAt, attempts } = await only(id);
    expect([state, dueAt]).toEqual(["waiting", NOW + seconds * SECOND]);
    expect(attempts[0]?.fault).toContain(fault);
    expect(receiver.messages).toHaveLength(1);
  });

  test("no answer, an answer that comes too late, endless headers → a timeout or a fault, within the limit", async () => {
    const endless = createTcpServer((socket) => {
      socket.on("error", () => undefined);
      socket.write("HTTP/1.1 200 OK\r\n");
      const more = () => {
        while (!socket.destroyed && socket.write(`x-${"a".repeat(1000)}: b\r\n`));
      };
      socket.on("drain", more);
      more();
    });
    await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
    receiver.answer(() => undefined);
    const silent = await aHook();
    const long = await aHook(`http://127.0.0.1:${(endless.address() as AddressInfo).port}/`);
    await note();
    await round(deliverer({ fetcher: fetcher({ timeout: 300 }) }));
    expect((await only(silent.id)).attempts[0]?.fault).toContain("timeout");
    expect((await only(long.id)).attempts[0]?.fault).toContain("unreachable");
    endless.close();
  });

  test("200 with an endless body, 200 with an encoded one → delivered, and only the beginning is kept", async () => {
    const { id } = await aHook();
    const endless: RequestListener = (_, response) => {
      response.writeHead(200);
      const more = () => {
        while (!response.destroyed && response.write("y".repeat(65_536)));
      };
      response.on("drain", more);
      more();
    };
    receiver.answer(endless);
    await note();
    await round();
    const { status: state, attempts } = await only(id);
    expect([state, attempts[0]?.answer]).toEqual(["delivered", `${"y".repeat(200)}…`]);
    receiver.answer(status(200, { "content-encoding": "gzip" }, "not gzip"));
    await note();
    await round();
    expect((await listed(id))[0]).toMatchObject({ status: "delivered", attempts: [{ answer: "" }] });
  });

  test("410 → disabled at once with an alarm; it gets nothing more", async () => {
    receiver.answer(status(410));
    const { id } = await aHook();
    await note();
    await round();
    expect(await only(id)).toMatchObject({ status: "given_up" });
    expect((await opened.storage.webhooks.list())[0]).toMatchObject({
      ...{ webhook: { status: "disabled" }, health: { disabledReason: "status 410" } },
    });
    expect(alarms).toEqual([`webhook_disabled ${JSON.stringify({ webhook: id, fault: "status 410" })}`]);
    expect(told).toEqual([`${id} status 410`]);
    await note();
    await round();
    expect(receiver.messages).toHaveLength(1);
  });

  test("it fails for three days → disabled with an alarm", async () => {
    receiver.answer(status(500));
    const { id } = await aHook();
    for (let day = 0; day < 4 && alarms.length === 0; day += 1) {
      clock = NOW + (day * FAILING_FOR) / 3;
      await note(4);
      await round();
    }
    expect(alarms).toHaveLength(1);
    expect(told).toEqual([`${id} status 500`]);
    expect(clock).toBe(NOW + FAILING_FOR);
    expect((await opened.storage.webhooks.list())[0]?.webhook).toMatchObject({ id, status: "disabled" });
  });

  test("one receiver never answers, and has a hundred events → another one gets all of its own at once", async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const slow = await aHook(`http://127.0.0.1:${(silent.address() as AddressInfo).port}/`);
    const good = await aHook();
    await note(100);
    const by = deliverer();
    const delivered = async () => {
      await by.round();
      return (await listed(good.id, "delivered")).length;
    };
    await expect.poll(delivered, { timeout: 20_000, interval: 5 }).toBe(100);
    expect(await listed(slow.id, "sending")).toHaveLength(AT_ONCE);
    silent.closeAllConnections();
    silent.close();
    await by.settle();
  });

  test("it failed four times in a row → one message at a time, with pauses, until it works again", async () => {
    receiver.answer(status(500));
    const { id } = await aHook();
    await note(20);
    const by = deliverer();
    await round(by);
    expect(receiver.messages).toHaveLength(AT_ONCE);
    await round(by);
    expect(receiver.messages).toHaveLength(AT_ONCE);
    clock += 15 * SECOND;
    await round(by);
    expect(receiver.messages).toHaveLength(AT_ONCE + 1);
    receiver.answer(status(200));
    clock += 5 * MINUTE;
    await round(by);
    expect(receiver.messages).toHaveLength(AT_ONCE + 2);
    while ((await listed(id, "waiting")).length > 0) await round(by);
    expect(await listed(id, "delivered")).toHaveLength(20);
  });
});

describe("addresses", () => {
  test.each([
    ["a private address", "https://10.0.0.1/hook", "refused"],
    ["this machine by name", "https://localhost/hook", "refused"],
    ["cloud metadata", "https://169.254.169.254/latest", "refused"],
  ])("AD-15, DR-04 %s, not allowed by the operator → nothing is sent", async (_, url, fault) => {
    const { id } = await aHook(url);
    await note();
    await round(deliverer({ fetcher: fetcher({ alsoAllowed: [] }) }));
    expect((await only(id)).attempts[0]?.fault).toContain(fault);
  });
});

test("WH-07 events with facts about people → the message has ids and details, and no personal facts, also after deletion", async () => {
  await aHook(receiver.url, ["*"]);
  const person = await aStoredPerson(opened.storage);
  const about: Partial<NewEvent> = {
    ...{ kind: "sign_in.succeeded", by: `user:${person.personId}`, subject: person.personId },
    ...{
      details: { session_id: "s" },
      personal: { address: "203.0.113.77", user_agent: "Mozilla/5.0 secret-browser" },
    },
  };
  await note(1, about);
  await opened.storage.people.delete({ ...person, now: clock });
  await sealWaiting(context());
  for (let left = 3; left > 0; left -= 1) await round();
  const texts = receiver.messages.map(({ text }) => text).join();
  expect(texts).toContain("user.deleted");
  expect(texts).toContain("sign_in.succeeded");
  expect(texts).not.toMatch(/203\.0\.113\.77|Mozilla|personal|sealed/);
});
