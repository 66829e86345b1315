import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { DatabaseClock } from "../../../src/storage/postgres/database-clock.ts";

const TRUTH = 1_800_000_000_000;
let clock: DatabaseClock;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date", "performance"], now: TRUTH - 300_000 });
  clock = new DatabaseClock();
});
afterEach(() => {
  vi.useRealTimers();
});

/** Records a reading that took `tookMs` milliseconds. The database's clock showed `read` halfway through. */
function measure(shown: number, tookMs: number): void {
  vi.advanceTimersByTime(tookMs / 2);
  const read = Math.floor(shown);
  vi.advanceTimersByTime(tookMs / 2);
  clock.measured({ clock: read, tookMs });
}

test("not measured yet → this machine's clock", () => {
  expect(clock.now()).toBe(TRUTH - 300_000);
  expect(clock.stale).toBe(true);
});

test("measured → the database's clock, corrected by half of the round trip, and counted on", () => {
  measure(TRUTH, 100);
  expect(Math.abs(clock.now() - (TRUTH + 50))).toBeLessThanOrEqual(1);
  vi.advanceTimersByTime(10_000);
  expect(Math.abs(clock.now() - (TRUTH + 10_050))).toBeLessThanOrEqual(1);
  expect(clock.localAhead).toBeLessThan(-299_000);
});

test("this machine's clock is changed by an hour → no effect", () => {
  measure(TRUTH, 2);
  vi.setSystemTime(TRUTH - 3_900_000);
  expect(Math.abs(clock.now() - TRUTH)).toBeLessThanOrEqual(2);
});

test("an imprecise reading within its error → the known time stays; outside its error → the time moves as little as possible", () => {
  measure(TRUTH, 2);
  const before = clock.now();
  measure(TRUTH + 900, 1000);
  expect(clock.now() - before).toBe(1000);
  measure(TRUTH + 1000 + 500, 2);
  expect(clock.now() - before).toBeGreaterThan(1400);
});

test("the database's clock goes back 5 seconds (another server) → time stands still until the clock catches up; by an hour → followed", () => {
  measure(TRUTH, 2);
  const before = clock.now();
  measure(TRUTH - 5000, 2);
  expect(clock.now()).toBe(before);
  vi.advanceTimersByTime(6000);
  expect(clock.now()).toBeGreaterThan(before);
  measure(TRUTH - 3_600_000, 2);
  expect(clock.now()).toBeLessThan(TRUTH - 3_000_000);
});

test("a second after a measurement → stale, so the next one is due; an invalid reading → ignored", () => {
  measure(TRUTH, 2);
  expect(clock.stale).toBe(false);
  vi.advanceTimersByTime(1001);
  expect(clock.stale).toBe(true);
  const before = clock.now();
  clock.measured({ clock: Number.NaN, tookMs: 1 });
  expect(clock.now()).toBe(before);
});
