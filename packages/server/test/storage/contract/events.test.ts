/** The log of events: written with its cause, sealed by one process, checked against every change. */

import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { listEvents, sealWaiting, verifyEvents } from "../../../src/admin/events.ts";
import { Secrets } from "../../../src/crypto/server-secret.ts";
import { because, type Cause } from "../../../src/events/event.ts";
import type { Sealer } from "../../../src/events/sealer.ts";
import { backends } from "../support/backends.ts";
import { aLog } from "../support/log-of-events.ts";
import {
  aClient,
  aGrant,
  anApproval,
  anId,
  aPerson,
  aRefresh,
  aScope,
  aSession,
  aStoredPerson,
  DAY,
  HOUR,
  NOW,
} from "../support/record-builders.ts";

const CAUSE: Cause = {
  ...{ actor: "token:t1", door: "api", operation: "scopes.create", fields: ["name"], address: "203.0.113.9" },
  ...{ at: NOW, requestId: "r1" },
};

describe.each(backends)("the log of events: $name", ({ create }) => {
  test("an empty log → valid", async () => {
    await using log = await aLog(create);
    expect(await log.verify()).toMatchObject({ fault: null, checked: 0, unsealed: { count: 0 } });
  });

  test("the first events, also of the next process in the same hour → no line in the server's log; of the next hour → one", async () => {
    await using log = await aLog(create);
    const lines: string[] = [];
    const round = async (sealer: Sealer) => {
      await log.note({ at: log.at.now });
      await sealer.round();
    };
    const first = log.sealer(log.secrets, (name) => lines.push(name));
    await round(first);
    await round(first);
    await first.release();
    const second = log.sealer(log.secrets, (name) => lines.push(name));
    await round(second);
    expect(lines).toEqual([]);
    log.at.now += HOUR;
    await round(second);
    await round(second);
    expect(lines).toEqual(["event_checkpoint"]);
    log.at.now += HOUR;
    await log.note({ at: log.at.now });
    await log.seal();
    await round(second);
    expect(lines).toEqual(["event_checkpoint", "event_checkpoint"]);
  });

  test("EV-01 2000 events → valid, counted, with head and a signed checkpoint; those that wait are reported", async () => {
    await using log = await aLog(create);
    for (let n = 0; n < 20; n += 1) await Promise.all(Array.from({ length: 100 }, () => log.note()));
    expect((await log.verify()).unsealed).toEqual({ count: 2000, oldest: NOW });
    await log.seal();
    await log.note({ at: NOW + 5 });
    const report = await log.verify();
    expect(report).toMatchObject({
      fault: null,
      checked: 2000,
      head: { seq: 2000 },
      unsealed: { count: 1, oldest: NOW + 5 },
    });
    expect(await log.verify(report.newest?.signed)).toMatchObject({ fault: null });
  });

  describe("tampering", () => {
    const tampered: readonly (readonly [string, string, number])[] = [
      ["a record is changed", "UPDATE events SET record = REPLACE(record, 'anonymous', 'operator') WHERE seq = 3", 3],
      ["a column is changed", "UPDATE events SET actor = 'operator' WHERE seq = 3", 3],
      ["an event is cut out", "DELETE FROM events WHERE seq = 3", 3],
      ["the first event is cut off", "DELETE FROM events WHERE seq = 1", 1],
      ["the last event is cut off", "DELETE FROM events WHERE seq = 5", 5],
      ["all events are cut off", "DELETE FROM events", 1],
      ["two events are exchanged", "UPDATE events SET seq = 3 + 4 - seq + 100 WHERE seq IN (3, 4)", 3],
      ["a hash is changed", "UPDATE events SET hash = 'x' WHERE seq = 5", 5],
      ["the checkpoint is changed", "UPDATE event_checkpoints SET hash = 'x'", 5],
      ["the checkpoints are deleted", "DELETE FROM event_checkpoints", 5],
    ];
    test.each(tampered)("EV-01 %s → noticed, and where", async (_, statement, seq) => {
      await using log = await aLog(create);
      for (let n = 0; n < 5; n += 1) await log.note({ by: "anonymous", at: NOW + n });
      await log.seal();
      expect(await log.verify()).toMatchObject({ fault: null, checked: 5 });
      await log.byHand(statement);
      if (statement.includes("100")) await log.byHand("UPDATE events SET seq = seq - 100 WHERE seq > 100");
      expect((await log.verify()).fault).toMatchObject({ seq });
    });

    test("EV-01 an event is added with the right hash, but without the secret → noticed", async () => {
      await using log = await aLog(create);
      for (let n = 0; n < 3; n += 1) await log.note();
      await log.seal();
      const other = await aLog(create);
      await log.note({ by: "anonymous" });
      const { newest, events } = await log.storage.events.waiting({ limit: 1 });
      const { chained } = await import("../../../src/events/chain.ts");
      const [forged] = chained(newest ?? { seq: 0, hash: "" }, events);
      expect(forged).toBeDefined();
      const { seq, eventId, at, kind, actor, record, hash } = forged ?? Object.create(null);
      await log.byHand(
        "INSERT INTO events (seq, event_id, at, kind, actor, record, hash) VALUES ($1, $2, $3, $4, $5, $6, $7)",
        ...[seq, eventId, at, kind, actor, record, hash],
      );
      expect((await log.verify()).fault).toMatchObject({ seq: 4, problem: expect.stringContaining("no checkpoint") });
      await other[Symbol.asyncDispose]();
    });

    test("EV-01 events go on after a forged checkpoint → it stays as evidence", async () => {
      await using log = await aLog(create);
      await log.note();
      await log.seal();
      await log.byHand("UPDATE event_checkpoints SET hash = 'x'");
      await log.note();
      await log.seal();
      expect((await log.verify()).fault).toMatchObject({ seq: 1, problem: expect.stringContaining("not signed") });
    });

    test("EV-01 the whole log is put back to an earlier state → a copy of a checkpoint shows it", async () => {
      await using log = await aLog(create);
      await log.note();
      await log.seal();
      log.at.now += HOUR;
      await log.note();
      await log.seal();
      const copy = (await log.verify()).newest?.signed;
      await log.byHand("DELETE FROM events WHERE seq = 2");
      await log.byHand("DELETE FROM event_checkpoints WHERE seq = 2");
      expect(await log.verify()).toMatchObject({ fault: null, checked: 1 });
      expect((await log.verify(copy)).fault).toMatchObject({ seq: 2 });
      await expect(log.verify("nonsense")).rejects.toMatchObject({ kind: "invalid" });
    });

    test("EV-01 the secret is replaced without an overlap → nothing proves the earlier events, until the earlier secret is given, too", async () => {
      await using log = await aLog(create);
      await log.note();
      await log.seal();
      const next = randomBytes(32);
      const rotated = new Secrets([next]);
      const context = { ...log.context, secrets: () => rotated };
      const unknown = { problem: expect.stringContaining("ASSENT_SECRET") };
      expect((await verifyEvents({}, context)).fault).toMatchObject(unknown);
      log.at.now += HOUR;
      await log.note();
      // A command leaves the events to a server, which has the right secret.
      await sealWaiting(context);
      expect((await verifyEvents({}, context)).unsealed.count).toBe(1);
      await log.sealer(rotated).round();
      expect(await verifyEvents({}, context)).toMatchObject({ fault: { seq: 1, ...unknown }, unknownKeys: 1 });
      const both = new Secrets([next, log.raw]);
      expect(await verifyEvents({}, { ...context, secrets: () => both })).toMatchObject({ fault: null, checked: 2 });
    });

    test("EV-01 the secret is rotated with an overlap → checkpoints are signed again, and the log stays valid without the earlier secret", async () => {
      await using log = await aLog(create, 90 * DAY);
      for (let n = 0; n < 3; n += 1) {
        await log.note();
        await log.seal();
        log.at.now += 80 * DAY;
      }
      await log.note();
      await log.sealer().round();
      const next = randomBytes(32);
      const [rotated, both] = [new Secrets([next]), new Secrets([next, log.raw])];
      await log.note();
      const sealer = log.sealer(both);
      log.at.now += HOUR;
      await sealer.round();
      expect(await verifyEvents({}, { ...log.context, secrets: () => rotated })).toMatchObject({
        ...{ fault: null, unknownKeys: 0, dropped: { seq: 2 }, checked: 3 },
      });
    });

    test("EV-01 somebody without the secret writes another log with right hashes → no server signs it as if it were good", async () => {
      for (const signed of ["x.unknown.y", ""]) {
        await using log = await aLog(create);
        for (let n = 0; n < 3; n += 1) await log.note({ details: { what: `true ${n}` } });
        await log.seal();
        const { chained } = await import("../../../src/events/chain.ts");
        const events = await log.storage.events.chain({ after: 0, limit: 10 });
        const record = (text: string) => text.replace("true", "forged");
        const forged = chained(
          { seq: 0, hash: "" },
          events.map((one) => ({ partition: 0, known: false, ...one, record: record(one.record) })),
        );
        for (const { seq, record: text, hash } of forged)
          await log.byHand("UPDATE events SET record = $1, hash = $2 WHERE seq = $3", text, hash, seq);
        await log.byHand("UPDATE event_checkpoints SET hash = $1, signed = $2", forged.at(-1)?.hash ?? "", signed);
        await log.note();
        await log.sealer().round();
        expect((await log.verify()).fault).toMatchObject({ seq: 3 });
        await log.byHand("DELETE FROM event_checkpoints WHERE seq = 3");
        log.at.now += HOUR;
        await log.note();
        const sealer = log.sealer();
        await sealer.round();
        expect((await log.verify()).fault).toMatchObject({ seq: 3, problem: expect.stringContaining("is missing") });
      }
    });

    test("EV-08 a forged note about deleted events, or a forged old checkpoint → nothing is deleted by it unnoticed", async () => {
      await using log = await aLog(create, 90 * DAY);
      for (let n = 0; n < 3; n += 1) await log.note();
      await log.seal();
      const [, second] = await log.storage.events.chain({ after: 0, limit: 10 });
      const row = (kind: string) => [kind, 2, NOW - 200 * DAY, second?.hash ?? "", "x.unknown.y"] as const;
      const insert = "INSERT INTO event_checkpoints (kind, seq, at, hash, signed) VALUES ($1, $2, $3, $4, $5)";
      await log.byHand(insert, ...row("sealed"));
      log.at.now += 2 * HOUR;
      const sealer = log.sealer();
      await sealer.round();
      await log.note();
      await sealer.round();
      await log.byHand("DELETE FROM event_checkpoints WHERE signed = 'x.unknown.y'");
      expect(await log.verify()).toMatchObject({ fault: null, checked: 4, dropped: null });
      await log.byHand(insert, ...row("dropped"));
      await log.byHand("DELETE FROM events WHERE seq <= 2");
      expect((await log.verify()).fault).toMatchObject({ seq: 2, problem: expect.stringContaining("note") });
    });

    test("EV-01 the end is cut off while a server runs → its log says so, with the checkpoint that is missing", async () => {
      await using log = await aLog(create);
      const told: (readonly [string, object])[] = [];
      const sealer = log.sealer(log.secrets, (name, fields) => told.push([name, fields]));
      await log.note();
      await sealer.round();
      log.at.now += HOUR;
      await log.note();
      await sealer.round();
      await log.byHand("DELETE FROM events WHERE seq = 2");
      await log.byHand("DELETE FROM event_checkpoints WHERE seq = 2");
      await log.note();
      await sealer.round();
      expect(told).toContainEqual(["event_log_cut", expect.objectContaining({ seq: 2 })]);
    });
  });

  describe("while a server works", () => {
    /** The same storage, on which something happens after the first page of events is read. */
    function meanwhile(log: Awaited<ReturnType<typeof aLog>>, work: () => Promise<unknown>) {
      let once = true;
      const { events } = log.storage;
      const chain: typeof events.chain = async (args) => {
        const page = await events.chain(args);
        if (once) {
          once = false;
          await work();
        }
        return page;
      };
      return { ...log.context, storage: { ...log.storage, events: { ...events, chain } } };
    }

    test("events are sealed during the check → the log is whole", async () => {
      await using log = await aLog(create);
      await log.note();
      await log.seal();
      const context = meanwhile(log, async () => {
        await log.note();
        await log.seal();
      });
      expect(await verifyEvents({}, context)).toMatchObject({ fault: null, checked: 2 });
    });

    test("retention deletes events during the check → the log is whole", async () => {
      await using log = await aLog(create, 90 * DAY);
      for (let n = 0; n < 1500; n += 100)
        await Promise.all(Array.from({ length: 100 }, () => log.note({ at: NOW + n })));
      await log.seal();
      log.at.now = NOW + 2 * DAY;
      await log.note();
      await log.seal();
      const context = meanwhile(log, async () => {
        log.at.now = NOW + 91 * DAY;
        const sealer = log.sealer();
        await log.note();
        await sealer.round();
        await sealer.release();
      });
      expect(await verifyEvents({}, context)).toMatchObject({ fault: null, checked: 2, dropped: { seq: 1500 } });
    });
  });

  test("two sealers at once, many times → one order, no event twice", async () => {
    await using log = await aLog(create);
    const sealers = [log.sealer(), log.sealer(), log.sealer()];
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(Array.from({ length: 7 }, () => log.note()));
      await Promise.all(sealers.map((sealer) => sealer.round()));
      for (const sealer of sealers) await sealer.release();
    }
    await log.seal();
    expect(await log.verify()).toMatchObject({ fault: null, checked: 70, unsealed: { count: 0 } });
  });

  test("a sealer that has lost its lease → appends nothing", async () => {
    await using log = await aLog(create);
    await log.note();
    const { newest, events } = await log.storage.events.waiting({ limit: 10 });
    expect(newest).toBeNull();
    const done = events.map(({ partition, eventId }) => ({ partition, eventId }));
    const late = {
      holder: "late",
      now: NOW,
      head: { seq: 0, hash: "" },
      events: [],
      done,
      checkpoint: null,
      replaces: null,
    };
    expect(await log.storage.events.seal(late)).toBe("lost");
    expect((await log.verify()).unsealed.count).toBe(1);
  });

  test("an event with an id that was sealed before → is there once", async () => {
    await using log = await aLog(create);
    const eventId = anId();
    await log.note({ eventId });
    await log.seal();
    await log.note({ eventId });
    await log.seal();
    expect(await log.verify()).toMatchObject({ fault: null, checked: 1, unsealed: { count: 0 } });
  });

  test("EV-08 retention → what is too old goes, a signed note keeps the rest valid; one day younger stays", async () => {
    await using log = await aLog(create, 90 * DAY);
    await log.note();
    await log.seal();
    log.at.now = NOW + 2 * DAY;
    await log.note();
    await log.seal();
    log.at.now = NOW + 91 * DAY;
    await log.note();
    await log.sealer().round();
    expect(await log.verify()).toMatchObject({ fault: null, checked: 2, dropped: { seq: 1 }, head: { seq: 3 } });
    await log.byHand("DELETE FROM events WHERE seq = 2");
    expect((await log.verify()).fault).toMatchObject({ seq: 2 });
  });

  test("EV-08 everything is too old → the log goes on after its last event", async () => {
    await using log = await aLog(create, 90 * DAY);
    await log.note();
    await log.seal();
    log.at.now = NOW + 200 * DAY;
    await log.sealer().round();
    await log.note();
    const sealer = log.sealer();
    await sealer.round();
    await sealer.release();
    expect(await log.verify()).toMatchObject({ fault: null, checked: 1, head: { seq: 2 } });
    await log.byHand("UPDATE event_checkpoints SET seq = 2 WHERE kind = 'dropped'");
    expect((await log.verify()).fault).not.toBeNull();
  });

  test("EV-08 a person is deleted → nobody can read their facts, the log stays valid", async () => {
    await using log = await aLog(create);
    const person = await aStoredPerson(log.storage);
    await log.storage.sessions.create(aSession(person, { address: "198.51.100.7", userAgent: "Browser" }));
    await log.seal();
    const shown = async () => (await listEvents({ kind: "sign_in.succeeded", limit: 1 }, log.context))[0]?.personal;
    expect(await shown()).toEqual({ address: "198.51.100.7", user_agent: "Browser" });
    const { partition, personId } = person;
    await log.storage.people.delete({ partition, personId, now: NOW });
    expect(await shown()).toBe("erased");
    await log.seal();
    expect(await log.verify()).toMatchObject({ fault: null });
    expect(await log.kinds()).toEqual(["user.created", "sign_in.succeeded", "user.deleted"]);
  });

  test("EV-05 hostile texts → cut with a mark, storable, equal on every database", async () => {
    await using log = await aLog(create);
    const what = `x\n{"kind":"key.created"}\u2028\u001b[31m\ud800\0${"y".repeat(100_000)}`;
    await log.note({ details: { what, reason: Array.from({ length: 60 }, () => "z") }, eventId: "fixed" });
    await log.seal();
    const [event] = await log.storage.events.chain({ after: 0, limit: 1 });
    expect(event?.record).not.toContain("\n");
    expect(event?.record.length).toBeLessThan(1000);
    expect(event?.hash).toBe("3u3BRG8AR4GVBUKqTnfTKuecQj8ymIx4Q0xFj3rcFs4");
  });

  test("EV-14 an operator changes something → the event has actor, door, operation, fields and address, never a value", async () => {
    await using log = await aLog(create);
    await because(log.storage, CAUSE).scopes.put({ scope: aScope({ name: "read", resource: null }), create: true });
    await log.seal();
    const [event] = await listEvents({ limit: 10 }, log.context);
    expect(event).toMatchObject({
      ...{ kind: "scope.created", actor: "token:t1", at: NOW, subject: null, personal: null },
      details: {
        ...{ scope: "read", door: "api", operation: "scopes.create", fields: ["name"], request_id: "r1" },
        address: "203.0.113.9",
      },
    });
  });

  test("EV-14 the operator is a person → their address is sealed with their key", async () => {
    await using log = await aLog(create);
    const operator = await aStoredPerson(log.storage);
    const person = aPerson();
    const cause = { ...CAUSE, actor: `user:${operator.personId}` };
    await because(log.storage, cause).people.create({ person, byOperator: true, now: NOW });
    await log.seal();
    const [event] = await listEvents({ subject: person.personId, limit: 1 }, log.context);
    expect(event).toMatchObject({ actor: cause.actor, personal: { address: CAUSE.address }, kind: "user.created" });
    expect(event?.details).not.toHaveProperty("address");
    const records = await log.storage.events.chain({ after: 0, limit: 10 });
    expect(JSON.stringify(records)).not.toContain(CAUSE.address);
  });

  test("a refused change → no event; a change of steps → one event of its inner transaction", async () => {
    await using log = await aLog(create);
    const client = aClient();
    expect(await log.storage.clients.put({ client, expect: 7 })).toEqual({ kind: "conflict" });
    await log.storage.clients.put({ client, expect: 0 });
    await log.storage.clients.put({ client: { ...client, status: "disabled" }, expect: null });
    await log.storage.clients.delete({ clientId: client.clientId, now: NOW });
    await log.seal();
    expect(await log.kinds()).toEqual(["client.created", "client.disabled", "client.deleted"]);
  });

  test("an app connects again without a page → one event a day, with its scopes", async () => {
    await using log = await aLog(create);
    const person = await aStoredPerson(log.storage);
    await log.storage.grants.approve(anApproval(aGrant(person)));
    for (const now of [NOW, NOW + 1]) await log.storage.grants.issue({ grant: aGrant(person), now });
    await log.seal();
    const told = await listEvents({ kind: "consent.reconnected", limit: 2 }, log.context);
    expect(told).toMatchObject([{ details: { scope: "read" } }]);
  });

  describe("a refresh token comes back", () => {
    async function stolen(log: Awaited<ReturnType<typeof aLog>>) {
      const person = await aStoredPerson(log.storage);
      const grant = aGrant(person);
      await log.storage.grants.approve(anApproval(grant));
      return { person, grant };
    }

    test("the event is written once, whoever writes it; housekeeping writes it if the process died", async () => {
      await using log = await aLog(create);
      const { grant } = await stolen(log);
      await log.byHand(
        `UPDATE grants SET status = 'theft', ended_at = ${NOW + 1}, collect_at = ${NOW + 60_000} WHERE grant_id = '${grant.grantId}'`,
      );
      await log.storage.housekeeping.collect({ what: "grants", now: NOW + 61_000, limit: 10 });
      await log.storage.events.noteReuse(grant);
      await log.seal();
      await log.storage.events.noteReuse(grant);
      await log.storage.housekeeping.collect({ what: "grants", now: NOW + 62_000, limit: 10 });
      await log.seal();
      expect((await log.kinds()).filter((kind) => kind === "grant.reuse_detected")).toHaveLength(1);
      expect(aRefresh(grant).grantId).toBe(grant.grantId);
    });
  });

  describe("lists", () => {
    test("each filter and their combinations, page by page, newest first", async () => {
      await using log = await aLog(create);
      const subject = anId();
      for (let n = 0; n < 30; n += 1) {
        await log.note({
          ...{ at: NOW + n * 600_000, kind: n % 2 === 0 ? "key.created" : "key.retired" },
          ...{ by: n % 3 === 0 ? "operator" : "server", subject: n % 5 === 0 ? subject : null },
          clientId: n % 10 === 0 ? "app" : null,
        });
      }
      await log.seal();
      const list = async (query: object) =>
        (await listEvents({ ...query, limit: 100 }, log.context)).map(({ seq }) => seq - 1);
      expect(await list({})).toEqual(Array.from({ length: 30 }, (_, n) => 29 - n));
      expect(await list({ subject })).toEqual([25, 20, 15, 10, 5, 0]);
      expect(await list({ subject, kind: "key.created" })).toEqual([20, 10, 0]);
      expect(await list({ clientId: "app", actor: "operator" })).toEqual([0]);
      expect(await list({ actor: "operator", kind: "key.retired" })).toEqual([27, 21, 15, 9, 3]);
      expect(await list({ since: NOW + 10 * 600_000, until: NOW + 13 * 600_000 })).toEqual([12, 11, 10]);
      expect(await list({ since: NOW + 10 ** 12 })).toEqual([]);
      const filter = { kind: null, actor: null, subject: null, clientId: null, since: null, until: null };
      const first = await log.storage.events.page({ ...filter, before: null, limit: 20 });
      expect(first.events).toHaveLength(20);
      const second = await log.storage.events.page({ ...filter, before: first.before, limit: 20 });
      expect([second.events.length, second.before]).toEqual([10, null]);
      // No server ran for some hours, so an old event has a late place.
      await log.note({ kind: "key.removed", at: NOW + 12 * 600_000 + 1 });
      await log.seal();
      expect(await list({ since: NOW + 10 * 600_000, until: NOW + 13 * 600_000 })).toEqual([30, 12, 11, 10]);
      expect(await list({ since: NOW + 12 * 600_000 + 1, kind: "key.retired" })).toContain(13);
      await expect(list({ kind: "key.lost" })).rejects.toMatchObject({ kind: "invalid" });
    });
  });
});
