import { describe, expect, test } from "vitest";
import { forgottenDevices } from "../../src/owners/excess-known-devices.ts";
import { MOST_KNOWN_DEVICES } from "../../src/owners/known-device-storage.ts";
import { DAY, MINUTE, NOW } from "../storage/support/record-builders.ts";

const device = (deviceId: string, appearedAt: number, lastSeenAt = appearedAt, oldest = false) => ({
  ...{ deviceId, appearedAt, lastSeenAt, oldest },
});
const several = (count: number, make: (at: number) => ReturnType<typeof device>) =>
  Array.from({ length: count }, (_, at) => make(at));
const settled = (count: number) =>
  several(count, (at) => device(`old ${at}`, NOW - 30 * DAY, NOW - (count - at) * DAY));
const fresh = (count: number) => several(count, (at) => device(`new ${at}`, NOW - (count - at) * MINUTE));

describe("of more devices than are kept", () => {
  test("no more than are kept → none is forgotten", () => {
    expect(forgottenDevices(settled(MOST_KNOWN_DEVICES), "old 0", NOW)).toEqual([]);
  });

  test("all are old → the one that was unused for longest goes, but not that of the sign-in, nor the account's oldest", () => {
    const all = settled(MOST_KNOWN_DEVICES + 1);
    expect(forgottenDevices(all, "new", NOW)).toEqual(["old 0"]);
    expect(forgottenDevices(all, "old 0", NOW)).toEqual(["old 1"]);
    const [oldest, ...rest] = all;
    if (oldest === undefined) throw new Error("no device");
    expect(forgottenDevices([{ ...oldest, oldest: true }, ...rest], "old 1", NOW)).toEqual(["old 2"]);
  });

  test("most are new → the latest of them goes, not the earliest, and none of the old", () => {
    const all = [...settled(3), ...fresh(8)];
    expect(forgottenDevices(all, "new 7", NOW)).toEqual(["new 6"]);
  });

  test("each new device more → the earliest new ones stay, with as many old ones as have room", () => {
    let all = settled(MOST_KNOWN_DEVICES);
    for (let at = 0; at < 40; at += 1) {
      all = [...all, device(`new ${at}`, NOW + at)];
      const gone = new Set(forgottenDevices(all, `new ${at}`, NOW + at));
      all = all.filter(({ deviceId }) => !gone.has(deviceId));
    }
    expect(all.map(({ deviceId }) => deviceId)).toEqual([
      ...["old 5", "old 6", "old 7", "old 8", "old 9", "new 0", "new 1", "new 2", "new 3", "new 39"],
    ]);
  });
});
