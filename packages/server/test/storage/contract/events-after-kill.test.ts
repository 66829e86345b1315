/** EV-03: processes are killed while they change something and seal events. */

import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cyclesOf } from "../../../../../test/support/reliability-cycles-and-figures.ts";
import { adminOf } from "../../../src/admin/context.ts";
import { sealWaiting, verifyEvents } from "../../../src/admin/events.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import type { StoredRecord } from "../../../src/events/event.ts";
import { SEALER_LEASE } from "../../../src/events/event.ts";
import { backends } from "../support/backends.ts";
import { byHand } from "../support/raw-statements.ts";

const WRITER = fileURLToPath(new URL("../support/event-writer-process.ts", import.meta.url));
const CYCLES = cyclesOf(100, 4);

function tooEarly([code]: unknown[]): never {
  throw new Error(`a writer ended with ${String(code)} before its first change`);
}

describe.each(backends)("$name", ({ create }) => {
  test("EV-03 two processes are killed again and again → every change has its event, every event its change, the log is whole", async () => {
    const opened = await create();
    const { storage, url } = opened;
    const secrets = new Secrets([Buffer.alloc(32, 1)]);
    const context = { ...adminOf(storage, "https://login.test", Date.now, () => secrets), secrets: () => secrets };
    for (let cycle = 0; cycle < CYCLES; cycle += 1) {
      const children = ["a", "b"].map((name) => {
        const child = fork(WRITER, [url, `${name}${cycle}`], { execArgv: [] });
        return { child, exit: once(child, "exit") };
      });
      await Promise.all(children.map(({ child, exit }) => Promise.race([once(child, "message"), exit.then(tooEarly)])));
      await sleep(20 + Math.random() * 200);
      for (const { child } of children) child.kill("SIGKILL");
      for (const { exit } of children) expect(await exit).toEqual([null, "SIGKILL"]);
      // Otherwise each cycle would wait until the dead process's lease is over.
      await byHand(url, [`DELETE FROM leases WHERE name = '${SEALER_LEASE}'`]);
    }
    await sealWaiting(context);
    expect(await verifyEvents({}, context)).toMatchObject({ fault: null, unsealed: { count: 0 } });
    const told: string[] = [];
    for (let after = 0; ; ) {
      const some = await storage.events.chain({ after, limit: 1000 });
      for (const { record } of some) told.push(String((JSON.parse(record) as StoredRecord).details["scope"]));
      const last = some.at(-1);
      if (last === undefined) break;
      after = last.seq;
    }
    const scopes = (await storage.scopes.list()).map(({ name }) => name);
    expect(scopes.length).toBeGreaterThan(0);
    expect(told.toSorted()).toEqual(scopes.toSorted());
    await opened.remove();
  }, 120_000);
});
