/** WH-09: processes are killed while they change something, seal events and deliver them. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cyclesOf, figure } from "../../../../../test/support/reliability-cycles-and-figures.ts";
import { aWebhookReceiver } from "../../../../../test/support/webhook-receiver.ts";
import { adminOf } from "../../../src/admin/context.ts";
import { sealWaiting } from "../../../src/admin/events.ts";
import { createWebhook } from "../../../src/admin/webhooks/webhooks.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import { SEALER_LEASE } from "../../../src/events/event.ts";
import { GuardedFetcher } from "../../../src/outbound/guarded-fetch.ts";
import { Deliverer } from "../../../src/webhooks/deliverer.ts";
import { backends } from "../support/backends.ts";
import { byHand } from "../support/raw-statements.ts";

const SENDER = fileURLToPath(new URL("../support/webhook-sender-process.ts", import.meta.url));
const CYCLES = cyclesOf(200, 4);

describe.each(backends)("$name", ({ create }) => {
  test("WH-09 two processes are killed again and again → every change is delivered, with one id; nothing else is", async () => {
    const opened = await create();
    const { storage, url } = opened;
    const secrets = new Secrets([Buffer.alloc(32, 1)]);
    // Later than any claim of a killed process.
    const later = { by: 0 };
    const now = () => Date.now() + later.by;
    const context = { ...adminOf(storage, "https://login.test", now, () => secrets), secrets: () => secrets };
    const receiver = await aWebhookReceiver();
    const { webhook } = await createWebhook({ url: receiver.url, kinds: ["scope.created"] }, context);
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const children = ["a", "b"].map((name) => fork(SENDER, [url, `${name}${cycle}`], { execArgv: [] }));
      await Promise.all(children.map((child) => once(child, "message")));
      await sleep(20 + Math.random() * 200);
      await Promise.all(
        children.map((child) => {
          const exit = once(child, "exit");
          child.kill("SIGKILL");
          return exit;
        }),
      );
      // Otherwise each cycle would wait until the dead process's lease is over.
      await byHand(url, [`DELETE FROM leases WHERE name = '${SEALER_LEASE}'`]);
    }
    await sealWaiting(context);
    const before = receiver.messages.length;
    expect(before).toBeGreaterThan(0);
    later.by = 120_000;
    const monotonic = () => performance.now();
    const deliverer = new Deliverer({
      ...{ storage, secrets, issuer: "https://login.test", now, monotonic, random: () => 0.5 },
      fetcher: new GuardedFetcher({ now: monotonic, alsoAllowed: ["127.0.0.0/8"], leftAlone: 0 }),
      ...{ withoutCredentials: (text: string) => text, free: () => undefined },
      ...{ event: () => undefined, alarm: () => undefined, disabled: async () => undefined },
    });
    while ((await deliverer.round()) > 0) await deliverer.settle();
    const scopes = (await storage.scopes.list()).map(({ name }) => name);
    const ids = new Map<string, Set<string>>();
    for (const { id, body } of receiver.messages) {
      const scope = String((body.data["details"] as { readonly scope: string }).scope);
      ids.set(scope, (ids.get(scope) ?? new Set()).add(id));
    }
    expect([...ids.keys()].toSorted()).toEqual(scopes.toSorted());
    expect([...ids.values()].filter((some) => some.size > 1)).toEqual([]);
    const open = ["waiting", "sending", "given_up"] as const;
    for (const status of open) {
      expect(await storage.webhooks.deliveries({ webhookId: webhook.id, status, before: null, limit: 10 })).toEqual([]);
    }
    const twice = receiver.messages.length - scopes.length;
    figure("WH-09", "killed while it delivers", { cycles: CYCLES, events: scopes.length, "delivered twice": twice });
    receiver.stop();
    await opened.remove();
  }, 120_000);
});
