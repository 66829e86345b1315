/** Webhooks: events are queued when they are sealed, taken by one process, settled, replayed and given up. */

import { describe, expect, test } from "vitest";
import { adminOf } from "../../../src/admin/context.ts";
import { listEvents, sealWaiting } from "../../../src/admin/events.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import type { NewEvent } from "../../../src/events/event.ts";
import type { Settled } from "../../../src/webhooks/storage.ts";
import {
  DELIVERIES_KEPT,
  type Delivery,
  FAILING_FOR,
  FAILING_TIMES,
  TRIED_FOR,
} from "../../../src/webhooks/webhook.ts";
import { backends, type Opened } from "../support/backends.ts";
import { anId, DAY, HOUR, MINUTE, NOW } from "../support/record-builders.ts";
import { aWebhook } from "../support/webhook-builders.ts";

/** A database of its own, because the log is one for all. */
async function aLog(create: () => Promise<Opened>) {
  const opened = await create();
  const { storage } = opened;
  const secrets = new Secrets([Buffer.alloc(32, 1)]);
  const at = { now: NOW };
  const context = {
    ...adminOf(
      storage,
      "https://login.test",
      () => at.now,
      () => secrets,
    ),
    secrets: () => secrets,
  };
  let made = 0;
  const put = (webhook = aWebhook()) =>
    storage.webhooks.put({ webhook, create: true, most: 20, told: "webhook.created" });
  return {
    ...{ storage, at, context, put },
    /** A later one is created later. */
    async webhook(changes: Parameters<typeof aWebhook>[0] = {}) {
      made += 1;
      const webhook = aWebhook({ createdAt: NOW + made, ...changes });
      expect(await put(webhook)).toBe("stored");
      return webhook;
    },
    async note(...events: readonly Partial<NewEvent>[]) {
      await storage.events.note({ events: events.map((one) => ({ kind: "key.created", at: at.now, ...one })) });
      await sealWaiting(context);
    },
    claim: (webhookId: string, limit = 100) =>
      storage.webhooks.claim({ webhookId, now: at.now, until: at.now + MINUTE, limit }),
    list: (webhookId: string, status: Delivery["status"] | null = null) =>
      storage.webhooks.deliveries({ webhookId, status, before: null, limit: 100 }),
    settle: (delivery: Delivery, outcome: Settled["outcome"], fault = "status 500") => {
      const { webhookId, seq, tries, attempts } = delivery;
      return storage.webhooks.settle({ webhookId, seq, tries, attempts, now: at.now, outcome, fault });
    },
    collect: () => storage.housekeeping.collect({ what: "webhook_deliveries", now: at.now, limit: 100 }),
    kinds: async () => (await listEvents({ limit: 100 }, context)).map(({ kind }) => kind),
    [Symbol.asyncDispose]: () => opened.remove(),
  };
}

const again = (at: number): Settled["outcome"] => ({ kind: "again", at, failed: true });

describe.each(backends)("webhooks: $name", ({ create }) => {
  test("no webhook, a disabled one → no deliveries", async () => {
    await using log = await aLog(create);
    const disabled = aWebhook({ status: "disabled" });
    await log.put(disabled);
    await log.note({});
    expect(await log.list(disabled.id)).toEqual([]);
    expect(await log.storage.webhooks.due({ now: log.at.now })).toEqual([]);
  });

  test("created twice, changed from an old record, unknown, too many → refused", async () => {
    await using log = await aLog(create);
    const webhook = aWebhook();
    expect(await log.put(webhook)).toBe("stored");
    expect(await log.put(webhook)).toBe("conflict");
    const change = { ...webhook, description: "x" };
    const changed = { webhook: change, create: false, most: 1, told: "webhook.updated" } as const;
    expect(await log.storage.webhooks.put({ ...changed, expected: change })).toBe("conflict");
    expect(await log.storage.webhooks.put({ ...changed, expected: webhook })).toBe("stored");
    expect(await log.storage.webhooks.put({ ...changed, webhook: aWebhook() })).toBe("unknown");
    expect(await log.storage.webhooks.put({ ...changed, webhook: aWebhook(), create: true })).toBe("full");
    expect((await log.storage.webhooks.list()).map((one) => one.webhook)).toEqual([change]);
  });

  test("events are sealed → those that fit the filters wait, each once, in the order of the log", async () => {
    await using log = await aLog(create);
    const subject = anId();
    const all = await log.webhook({ kinds: ["key.*", "scope.created"] });
    const ofClient = await log.webhook({ clientId: "c", kinds: ["scope.*"] });
    const ofSubject = await log.webhook({ subject, kinds: ["*"] });
    await log.note(
      { kind: "scope.created", clientId: "c" },
      { kind: "scope.deleted", clientId: "other" },
      { kind: "key.created" },
      { kind: "key.retired", subject },
      { kind: "webhook.tested", details: { webhook: ofClient.id } },
    );
    const kinds = async (id: string) => (await log.list(id)).map(({ kind }) => kind).toReversed();
    expect(await kinds(all.id)).toEqual(["scope.created", "key.created", "key.retired"]);
    expect(await kinds(ofClient.id)).toEqual(["scope.created", "webhook.tested"]);
    expect(await kinds(ofSubject.id)).toEqual(["key.retired"]);
    const [newest] = await log.list(all.id);
    const event = await log.storage.events.get({ eventId: newest?.eventId ?? "" });
    expect(newest).toMatchObject({ seq: event?.seq, status: "waiting", tries: 0, dueAt: NOW, until: NOW + TRIED_FOR });
    expect((await log.storage.webhooks.due({ now: NOW })).map(({ id }) => id).toSorted()).toEqual(
      [all.id, ofClient.id, ofSubject.id].toSorted(),
    );
  });

  test("twenty callers at once → each delivery goes to one; it is due again if its process dies", async () => {
    await using log = await aLog(create);
    const { id } = await log.webhook({ kinds: ["key.created"] });
    await log.note({}, {}, {});
    const claimed = (await Promise.all(Array.from({ length: 20 }, () => log.claim(id)))).flat();
    expect(claimed.map(({ seq }) => seq).toSorted()).toEqual((await log.list(id)).map(({ seq }) => seq).toSorted());
    expect(claimed.map(({ status, tries }) => [status, tries])).toEqual(Array(3).fill(["sending", 1]));
    log.at.now += MINUTE - 1;
    expect(await log.claim(id)).toEqual([]);
    log.at.now += 1;
    expect((await log.claim(id)).map(({ tries }) => tries)).toEqual([2, 2, 2]);
    const [first] = claimed;
    if (first === undefined) throw new Error("nothing was claimed");
    expect(await log.settle(first, { kind: "delivered" })).toBe("lost");
  });

  test("delivered, put off, given up → the state, and the health of the receiver", async () => {
    await using log = await aLog(create);
    const { id } = await log.webhook({ kinds: ["key.created"] });
    await log.note({}, {}, {}, {});
    const [one, two, three, four] = await log.claim(id);
    if (one === undefined || two === undefined || three === undefined || four === undefined) throw new Error("few");
    const health = async () => (await log.storage.webhooks.list())[0]?.health;
    log.at.now += 5;
    expect(await log.settle(two, again(NOW + HOUR))).toBe("settled");
    expect(await log.settle(three, { kind: "given_up", failed: true, gone: false })).toBe("settled");
    expect(await health()).toEqual({ failingSince: NOW + 5, failures: 2, disabledReason: null });
    expect(await log.settle(four, { kind: "given_up", failed: false, gone: false })).toBe("settled");
    expect(await health()).toMatchObject({ failures: 2 });
    expect(await log.settle(one, { kind: "delivered" })).toBe("settled");
    expect(await health()).toEqual({ failingSince: null, failures: 0, disabledReason: null });
    const states = async () => (await log.list(id)).map(({ status, dueAt }) => [status, dueAt]).toReversed();
    expect(await states()).toEqual([
      ["delivered", null],
      ["waiting", NOW + HOUR],
      ["given_up", null],
      ["given_up", null],
    ]);
    expect(await log.list(id, "given_up")).toHaveLength(2);
    expect(await log.claim(id)).toEqual([]);
    log.at.now = NOW + HOUR;
    expect((await log.claim(id)).map(({ seq, tries }) => [seq, tries])).toEqual([[two.seq, 2]]);
  });

  test("WH-08 it fails for days → disabled once, with an event; it wants no more → disabled at once", async () => {
    await using log = await aLog(create);
    const failing = await log.webhook({ kinds: ["key.created"] });
    await log.note({});
    const fail = async () => {
      const [delivery] = await log.claim(failing.id);
      if (delivery === undefined) throw new Error("nothing is due");
      return log.settle(delivery, again(log.at.now));
    };
    await fail();
    log.at.now += FAILING_FOR;
    for (let times = 2; times < FAILING_TIMES; times += 1) expect(await fail()).toBe("settled");
    expect(await fail()).toBe("disabled");
    const [stored] = await log.storage.webhooks.list();
    expect(stored).toMatchObject({ webhook: { status: "disabled" }, health: { disabledReason: "status 500" } });
    expect(await log.storage.webhooks.due({ now: log.at.now })).toEqual([]);
    const gone = await log.webhook({ kinds: ["key.created"] });
    await log.note({});
    const [delivery] = await log.claim(gone.id);
    if (delivery === undefined) throw new Error("nothing is due");
    expect(await log.settle(delivery, { kind: "given_up", failed: true, gone: true }, "status 410")).toBe("disabled");
    await sealWaiting(log.context);
    expect((await log.kinds()).filter((kind) => kind === "webhook.disabled")).toHaveLength(2);
    // An operator enables it: it starts anew.
    await log.storage.webhooks.put({ webhook: gone, create: false, most: 20, told: "webhook.updated" });
    expect((await log.storage.webhooks.list())[1]?.health).toMatchObject({ failures: 0, disabledReason: null });
  });

  test("replayed → due again with the same event; one that is being sent goes on; new ones are added", async () => {
    await using log = await aLog(create);
    await log.note({ kind: "scope.created" });
    const [before] = await log.storage.events.chain({ after: 0, limit: 1 });
    const { id } = await log.webhook({ kinds: ["key.created"] });
    await log.note({}, {});
    const [done, sending] = await log.claim(id);
    if (done === undefined || sending === undefined || before === undefined) throw new Error("too few");
    await log.settle(done, { kind: "delivered" });
    const later = NOW + 10;
    const events = [done, sending, before].map(({ seq, eventId, kind }) => ({ seq, eventId, kind }));
    await log.storage.webhooks.replay({ webhookId: id, events, now: later, told: 3 });
    const states = (await log.list(id)).map(({ eventId, status, until }) => [eventId, status, until]).toReversed();
    expect(states).toEqual([
      [before.eventId, "waiting", later + TRIED_FOR],
      [done.eventId, "waiting", later + TRIED_FOR],
      [sending.eventId, "sending", NOW + TRIED_FOR],
    ]);
    await sealWaiting(log.context);
    expect(await log.kinds()).toContain("webhook.replayed");
  });

  test("housekeeping → gives up what nobody tried in time, deletes old deliveries, and nothing that waits", async () => {
    await using log = await aLog(create);
    const { id } = await log.webhook({ kinds: ["key.created"] });
    await log.note({}, {});
    const [done] = await log.claim(id, 1);
    if (done === undefined) throw new Error("nothing is due");
    await log.settle(done, { kind: "delivered" });
    log.at.now = NOW + TRIED_FOR;
    await log.collect();
    expect((await log.list(id)).map(({ status }) => status)).toEqual(["waiting", "delivered"]);
    log.at.now += HOUR;
    await log.collect();
    expect((await log.list(id)).map(({ status }) => status)).toEqual(["given_up", "delivered"]);
    log.at.now = NOW + DELIVERIES_KEPT;
    await log.collect();
    expect((await log.list(id)).map(({ status }) => status)).toEqual(["given_up"]);
    log.at.now += 2 * DAY;
    await log.collect();
    expect(await log.list(id)).toEqual([]);
  });

  test("deleted → its deliveries go, too; the events stay; a second time → false", async () => {
    await using log = await aLog(create);
    const [kept, deleted] = [await log.webhook({ kinds: ["key.created"] }), await log.webhook()];
    await log.note(...Array.from({ length: 600 }, () => ({})));
    expect(await log.storage.webhooks.delete({ id: deleted.id })).toBe(true);
    expect(await log.storage.webhooks.delete({ id: deleted.id })).toBe(false);
    expect(await log.storage.webhooks.test({ id: deleted.id })).toBe(false);
    expect(await log.list(deleted.id)).toEqual([]);
    expect(await log.list(kept.id)).toHaveLength(100);
    await sealWaiting(log.context);
    expect(await log.kinds()).toContain("webhook.deleted");
  });
});
