import { describe, expect, test } from "vitest";
import {
  type DeviceAge,
  isOwners,
  isVouched,
  SETTLED,
  STILL_OWN,
  vouchedFrom,
} from "../../../src/owners/recovery/factor-trust.ts";

const NOW = Date.UTC(2026, 6, 14);
const DAY = 86_400_000;
const aDevice = (changes: Partial<DeviceAge> = {}): DeviceAge => ({
  ...{ firstSeenAt: NOW - 30 * DAY, first: false, handedOut: false },
  ...changes,
});

describe("a device vouches for a factor", () => {
  test.each<[string, DeviceAge | undefined, number, number, number | null]>([
    ["unknown", undefined, NOW, NOW, null],
    ["known since a minute before", aDevice({ firstSeenAt: NOW - 60_000 }), NOW, NOW, null],
    ["known for a millisecond less than a week", aDevice({ firstSeenAt: NOW - SETTLED + 1 }), NOW, NOW, null],
    ["known for a week", aDevice({ firstSeenAt: NOW - SETTLED }), NOW, NOW, NOW],
    ["newer than the factor, used a year later", aDevice({ firstSeenAt: NOW + DAY }), NOW, NOW + 365 * DAY, null],
    ["that added it, used a year later", aDevice({ firstSeenAt: NOW }), NOW, NOW + 365 * DAY, null],
    ["older than the factor, used later", aDevice(), NOW, NOW + DAY, NOW + DAY],
    ["the account's first", aDevice({ firstSeenAt: NOW, first: true }), NOW, NOW, NOW],
    ["the first, handed out", aDevice({ firstSeenAt: NOW, first: true, handedOut: true }), NOW, NOW, NOW + SETTLED],
    [
      "the first, handed out, used after a week",
      aDevice({ firstSeenAt: NOW, first: true, handedOut: true }),
      ...([NOW, NOW + 8 * DAY, NOW + 8 * DAY] as const),
    ],
  ])("%s", (_, device, addedAt, now, wanted) => {
    expect(vouchedFrom(device, addedAt, now)).toBe(wanted);
  });

  test("nothing said, a time ahead → not vouched for; that time, or from before this was noted → vouched for", () => {
    const at = (from: number | null) => isVouched({ vouchedFrom: from }, NOW);
    expect([at(null), at(NOW + 1), at(NOW), at(0)]).toEqual([false, false, true, true]);
  });
});

describe("a browser was the owner's before something happened", () => {
  const young = { firstSeenAt: NOW - SETTLED + 1 };
  test.each<[string, Partial<DeviceAge>, number | null, boolean]>([
    ["known for a week then", { firstSeenAt: NOW - SETTLED }, null, true],
    ["for a millisecond less", young, null, false],
    ["the account's first", { ...young, first: true }, null, true],
    ["the first, seen after it", { firstSeenAt: NOW + 1, first: true }, null, false],
    ["the first, handed out", { ...young, first: true, handedOut: true }, null, false],
    ["the first, handed out a week before", { firstSeenAt: NOW - SETTLED, first: true, handedOut: true }, null, true],
    ["signed out a moment before", {}, NOW - 1, true],
    ["signed out within a week of its first sight", { firstSeenAt: NOW - SETTLED }, NOW - 1, false],
    ["signed out a millisecond less than a week ago", {}, NOW + DAY - STILL_OWN + 1, true],
    ["signed out a week ago", {}, NOW + DAY - STILL_OWN, false],
    ["signed out, nobody knows when", { first: true }, 0, false],
  ])("%s", (_, device, endedAt, wanted) => {
    expect(isOwners({ ...aDevice(device), endedAt }, NOW, NOW + DAY)).toBe(wanted);
  });
});
