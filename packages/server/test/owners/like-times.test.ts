/** Wrong sign-ins take equally long, whoever checks the password. */

import { expect, test } from "vitest";
import { LikeTimes } from "../../src/owners/identities/like-times.ts";

/** The clock moves only when somebody waits. */
function aClock(chance = 0) {
  let at = 0;
  const slept: number[] = [];
  const times = new LikeTimes({
    clock: () => at,
    sleep: async (time) => {
      slept.push(time);
      at += time;
    },
    random: () => chance,
  });
  const took = (by: "ours" | "theirs", time: number) =>
    times.of(by, async () => {
      at += time;
    });
  return { times, slept, took };
}

test("nothing is known yet → nobody waits", async () => {
  const { times, slept } = aClock();
  await times.wait("nobody", times.now());
  expect([times.known, slept]).toEqual([false, []]);
});

test("a check here took 50 ms, one there 250 ms → all three take 250 ms", async () => {
  const { times, slept, took } = aClock();
  await took("ours", 50);
  await took("theirs", 250);
  expect(times.known).toBe(true);
  await times.wait("nobody", times.now());
  const ours = times.now();
  await took("ours", 50);
  await times.wait("ours", ours);
  const theirs = times.now();
  await took("theirs", 250);
  await times.wait("theirs", theirs);
  expect(slept).toEqual([250, 200]);
});

test("a check that failed → its time is not kept", async () => {
  const { times } = aClock();
  const failed = times.of("theirs", () => Promise.reject(new Error("away")));
  await expect(failed).rejects.toThrow("away");
  expect(times.known).toBe(false);
});

test("1,000 checks → the last 64 count", async () => {
  const { times, slept, took } = aClock();
  await took("theirs", 10_000);
  for (let at = 0; at < 64; at += 1) await took("theirs", 1);
  await times.wait("ours", times.now());
  expect(slept).toEqual([1]);
});
