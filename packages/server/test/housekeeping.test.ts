import { setTimeout as sleep } from "node:timers/promises";
import pino from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Housekeeping, type HousekeepingParts } from "../src/housekeeping.ts";
import { backends, type Opened } from "./storage/support/backends.ts";
import { aSession, aStoredPerson, DAY, MINUTE, NOW } from "./storage/support/builders.ts";

let opened: Opened;
let log: string[];
const LATE = NOW + 20 * DAY;

beforeEach(async () => {
  const [backend] = backends;
  if (backend === undefined) throw new Error("there is no backend");
  opened = await backend.create();
  log = [];
});
afterEach(() => opened.remove());

function housekeeping(changes: Partial<HousekeepingParts> = {}): Housekeeping {
  return new Housekeeping({
    storage: opened.storage,
    now: () => LATE,
    log: pino({ level: "info" }, { write: (line: string) => void log.push(line) }),
    alsoDue: async () => undefined,
    ...changes,
  });
}

async function expiredSessions(count: number): Promise<void> {
  const person = await aStoredPerson(opened.storage);
  await Promise.all(Array.from({ length: count }, () => opened.storage.createSession(aSession(person))));
}

const left = async () => (await opened.storage.backlog({ now: LATE, most: 1000 }))["sessions"];

test("another node has the lease → nothing is done; that node died → its lease ends, and the work is taken over", async () => {
  await expiredSessions(3);
  await opened.storage.claimLease({ name: "housekeeping", holder: "another", until: LATE + MINUTE, now: LATE });
  expect(await housekeeping().round()).toBe(0);
  expect(await left()).toBe(3);
  expect(await housekeeping({ now: () => LATE + 2 * MINUTE }).round()).toBe(3);
});

test("two at once → every row goes once, and both come to an end", async () => {
  await expiredSessions(150);
  const removed = await Promise.all([housekeeping().round(), housekeeping().round()]);
  expect(removed.toSorted((a, b) => a - b)).toEqual([0, 150]);
});

test("told to stop in the middle of much work → it stops behind the batch, gives the lease back, the rest is another's", async () => {
  await expiredSessions(400);
  const first = housekeeping({ every: 2 });
  first.start();
  while ((await left()) === 400) await sleep(1);
  await first.stop();
  const rest = (await left()) ?? 0;
  expect(rest).toBeGreaterThan(0);
  expect(await housekeeping().round()).toBe(rest);
});

test("started → it comes by itself, and a round that fails is not the last one", async () => {
  await expiredSessions(1);
  let rounds = 0;
  const working = housekeeping({
    every: 4,
    alsoDue: async () => {
      rounds += 1;
      if (rounds === 1) throw new Error("the database is away");
    },
  });
  working.start();
  while (rounds < 3) await sleep(2);
  await working.stop();
  expect(await left()).toBe(0);
  expect(log.filter((line) => line.includes("housekeeping failed"))).toHaveLength(1);
  expect(log.filter((line) => line.includes('"event":"garbage_collected"'))).toHaveLength(1);
});
