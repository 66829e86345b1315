/** CpuSemaphore for work that keeps a core busy. */

import { availableParallelism } from "node:os";
import { afterEach, expect, test } from "vitest";
import { CpuSemaphore, shareCores } from "../../src/crypto/cpu-semaphore.ts";

afterEach(() => shareCores(1));

/** Work that ends when the test says so. */
function work() {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  return { ask: () => promise, end: resolve, fail: reject };
}

/** Waits until a free place has been given to the next caller. */
const soon = () => new Promise((resolve) => setImmediate(resolve));

test("more work than places → the rest waits, and is done in the order in which it came", async () => {
  const places = new CpuSemaphore(0);
  shareCores(1_000_000);
  const works = Array.from({ length: 3 }, work);
  const ended: number[] = [];
  for (const [at, { ask }] of works.entries()) void places.inTurn(ask).then(() => ended.push(at));
  expect([places.running, places.waiting]).toEqual([1, 2]);
  for (const { end } of works.toReversed()) end();
  await soon();
  expect(ended).toEqual([0, 1, 2]);
  expect([places.running, places.waiting]).toEqual([0, 0]);
});

test("work that fails → its place goes to the next", async () => {
  const places = new CpuSemaphore(0);
  shareCores(1_000_000);
  const [one, other] = [work(), work()];
  const failed = places.inTurn(one.ask);
  const done = places.inTurn(other.ask);
  one.fail(new Error("broken"));
  await expect(failed).rejects.toThrow("broken");
  expect([places.running, places.waiting]).toEqual([1, 0]);
  other.end();
  await done;
  expect(places.running).toBe(0);
});

test("so many cores left to others → as many places as there are besides, and never none", async () => {
  for (const left of [0, 1, 1_000_000]) {
    const places = new CpuSemaphore(left);
    const works = Array.from({ length: availableParallelism() + 1 }, work);
    const all = Promise.all(works.map(({ ask }) => places.inTurn(ask)));
    expect(places.running).toBe(Math.max(1, availableParallelism() - left));
    for (const { end } of works) end();
    await all;
  }
});
