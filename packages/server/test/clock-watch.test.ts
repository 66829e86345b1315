import { expect, test } from "vitest";
import { ClockWatch } from "../src/clock-watch.ts";

const [MINUTE, HOUR, YEAR] = [60_000, 3_600_000, 365 * 86_400_000];

/** A clock that runs, and can be set. */
function aClock() {
  let [at, offset] = [1000, 1_700_000_000_000];
  const watch = new ClockWatch(
    () => at + offset,
    () => at,
  );
  return {
    isSteady: () => watch.isSteady(),
    after: (time: number) => {
      at += time;
      return watch.isSteady();
    },
    set: (by: number) => {
      offset += by;
    },
  };
}

test("time goes by, corrected by a little each time → steady", () => {
  const clock = aClock();
  for (let hour = 0; hour < 100; hour += 1) {
    clock.set(4 * MINUTE);
    expect(clock.after(HOUR)).toBe(true);
  }
});

test("a jump ahead → not steady for an hour from when it was seen; then the new time counts", () => {
  const clock = aClock();
  clock.set(YEAR);
  expect(clock.isSteady()).toBe(false);
  expect(clock.after(HOUR - 1)).toBe(false);
  expect(clock.after(1)).toBe(true);
  expect(clock.after(MINUTE)).toBe(true);
});

test("another jump meanwhile → the hour begins again; back where it was → steady at once, and watched as before", () => {
  const clock = aClock();
  clock.set(YEAR);
  expect(clock.isSteady()).toBe(false);
  clock.set(YEAR);
  expect(clock.after(HOUR)).toBe(false);
  expect(clock.after(MINUTE)).toBe(false);
  clock.set(-2 * YEAR);
  expect(clock.after(MINUTE)).toBe(true);
  clock.set(HOUR);
  expect(clock.isSteady()).toBe(false);
});

test("set back → steady; ahead again to the time before → not", () => {
  const clock = aClock();
  clock.set(-YEAR);
  expect(clock.isSteady()).toBe(true);
  clock.set(YEAR);
  expect(clock.isSteady()).toBe(false);
});
