/** Failed client authentications: how many are counted for a network and for its neighbours. */

import { expect, test } from "vitest";
import { originOf } from "../../src/http/connections/client-address.ts";
import { FailedClients } from "../../src/owners/client-authentication-failures.ts";
import { onEveryBackend } from "../storage/support/backends.ts";
import { NOW } from "../storage/support/record-builders.ts";

onEveryBackend("clients that fail", (storage) => {
  test("one from each /64 of a /48 → so many; another /48, and IPv4, have their own", async () => {
    const keys = new Set<string>();
    const failed = new FailedClients({
      storage: storage(),
      attemptKey: (...parts) => {
        const key = JSON.stringify(["failed-clients.test", ...parts]);
        keys.add(key);
        return key;
      },
      isOutage: () => false,
      now: () => NOW,
      monotonic: () => 0,
    });
    const exceeded = (address: string) => failed.exceeded(originOf(address), "somebody");
    const many = async (count: number, first: number) => {
      const all = Array.from({ length: count }, (_, at) => exceeded(`2001:db8:1:${(first + at).toString(16)}::1`));
      return (await Promise.all(all)).filter(Boolean).length;
    };
    expect(await many(FailedClients.LIMIT_OF_PROVIDER, 0)).toBe(0);
    expect(await many(10, 5_000)).toBe(10);
    const before = keys.size;
    // No further request goes to the database.
    expect(await many(100, 6_000)).toBe(100);
    expect(keys.size).toBe(before);
    expect([await exceeded("2001:db8:2::1"), await exceeded("203.0.113.9")]).toEqual([false, false]);
  });
});
