/** The log of events goes on only after its last event, and only this server's checkpoints prove something. */

import { describe, expect, test } from "vitest";
import { CheckpointKeys, chained } from "../../../src/events/chain.ts";
import { GENESIS, SEALER_LEASE } from "../../../src/events/event.ts";
import { backends } from "../support/backends.ts";
import { aLog } from "../support/log-of-events.ts";
import { HOUR, NOW } from "../support/record-builders.ts";

describe.each(backends)("checkpoints of the log of events: $name", ({ create }) => {
  /** What a process would append that has read the log when `head` was its end. */
  async function late(log: Awaited<ReturnType<typeof aLog>>, head: { readonly seq: number; readonly hash: string }) {
    const { newest, events: waiting } = await log.storage.events.waiting({ limit: 10 });
    const events = chained(head, waiting);
    const last = events.at(-1);
    if (last === undefined || newest === null) throw new Error("nothing waits");
    const checkpoint = new CheckpointKeys(log.secrets, log.context.issuer).sign("sealed", last, NOW);
    const done = waiting.map(({ partition, eventId }) => ({ partition, eventId }));
    return { holder: "late", now: NOW, head, events, done, checkpoint, replaces: newest };
  }

  test("EV-01 a process seals after an earlier event than the last → it is told that it lost, nothing is written twice or over another", async () => {
    await using log = await aLog(create);
    await log.note();
    await log.seal();
    const { newest: first } = await log.storage.events.waiting({ limit: 1 });
    await log.note();
    await log.seal();
    await log.note();
    await log.storage.leases.claim({ name: SEALER_LEASE, holder: "late", until: NOW + HOUR, now: NOW });
    for (const head of [GENESIS, first ?? GENESIS]) {
      expect(await log.storage.events.seal(await late(log, head))).toBe("lost");
      expect(await log.verify()).toMatchObject({ fault: null, checked: 2, unsealed: { count: 1 } });
    }
    const { newest } = await log.storage.events.waiting({ limit: 1 });
    expect(await log.storage.events.seal(await late(log, newest ?? GENESIS))).not.toBe("lost");
    expect(await log.verify()).toMatchObject({ fault: null, checked: 3, unsealed: { count: 0 } });
  });

  test("EV-01 a checkpoint of another issuer, with the same secret → no proof: not as a copy, and not in the log", async () => {
    await using log = await aLog(create);
    await log.note();
    await log.seal();
    const { newest } = await log.verify();
    if (newest === null) throw new Error("no checkpoint");
    const elsewhere = new CheckpointKeys(log.secrets, "https://other.test").sign("sealed", newest, newest.at);
    expect({ ...elsewhere, signed: "" }).toEqual({ ...newest, signed: "" });
    await expect(log.verify(elsewhere.signed)).rejects.toMatchObject({ kind: "invalid" });
    expect(await log.verify(newest.signed)).toMatchObject({ fault: null });
    await log.byHand("UPDATE event_checkpoints SET signed = $1", elsewhere.signed);
    const { fault } = await log.verify();
    expect(fault).toMatchObject({ seq: 1, problem: expect.stringContaining("not signed by this server") });
  });
});
