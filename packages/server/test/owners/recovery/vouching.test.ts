import { describe, expect, test } from "vitest";
import { type DeviceAge, isVouched, SETTLED, vouchedFrom } from "../../../src/owners/recovery/vouching.ts";

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
