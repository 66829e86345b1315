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

/** A reading that took this long, of a database whose clock shows this at its middle. */
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

test("measured → the database's, half of the way there and back subtracted, and counted on", () => {
  measure(TRUTH, 100);
  expect(Math.abs(clock.now() - (TRUTH + 50))).toBeLessThanOrEqual(1);
  vi.advanceTimersByTime(10_000);
  expect(Math.abs(clock.now() - (TRUTH + 10_050))).toBeLessThanOrEqual(1);
  expect(clock.localAhead).toBeLessThan(-299_000);
});

test("this machine's clock is set by an hour → nothing changes", () => {
  measure(TRUTH, 2);
  vi.setSystemTime(TRUTH - 3_900_000);
  expect(Math.abs(clock.now() - TRUTH)).toBeLessThanOrEqual(2);
});

test("a reading that came late contradicts nothing → what was known stays; one that contradicts it → moves as little as it must", () => {
  measure(TRUTH, 2);
  const before = clock.now();
  measure(TRUTH + 900, 1000);
  expect(clock.now() - before).toBe(1000);
  measure(TRUTH + 1000 + 500, 2);
  expect(clock.now() - before).toBeGreaterThan(1400);
});

test("the database's clock goes back a little (another server) → time stands still until it has caught up; by much → it is followed", () => {
  measure(TRUTH, 2);
  const before = clock.now();
  measure(TRUTH - 5000, 2);
  expect(clock.now()).toBe(before);
  vi.advanceTimersByTime(6000);
  expect(clock.now()).toBeGreaterThan(before);
  measure(TRUTH - 3_600_000, 2);
  expect(clock.now()).toBeLessThan(TRUTH - 3_000_000);
});

test("a second after a measurement → another is wished for; nonsense from the server changes nothing", () => {
  measure(TRUTH, 2);
  expect(clock.stale).toBe(false);
  vi.advanceTimersByTime(1001);
  expect(clock.stale).toBe(true);
  const before = clock.now();
  clock.measured({ clock: Number.NaN, tookMs: 1 });
  expect(clock.now()).toBe(before);
});
