import { describe, expect, test } from "vitest";
import { MOST_REFUSALS, REFUSALS_KEPT, type StoredRefusal } from "../../../src/admin/storage.ts";
import { onEveryBackend } from "../support/backends.ts";
import { byHand } from "../support/raw-statements.ts";
import { NOW } from "../support/record-builders.ts";

let numbers = 0;
function aRefusal(about: Partial<StoredRefusal> = {}): StoredRefusal {
  numbers += 1;
  return {
    requestId: `request-${numbers}`,
    at: NOW + numbers,
    condition: "redirect_uri_mismatch",
    clientId: "app",
    method: "GET",
    path: "/authorize",
    address: "203.0.113.5",
    parameter: "redirect_uri",
    received: "https://app.test/cb/",
    registered: ["https://app.test/cb"],
    ...about,
  };
}

onEveryBackend("refusals", (storage, opened) => {
  const add = async (about?: Partial<StoredRefusal>) => {
    const refusal = aRefusal(about);
    await storage().refusals.add({ refusal });
    return refusal;
  };
  const all = { clientId: null, condition: null, before: null, limit: 100 } as const;

  test("an unknown number → undefined", async () => {
    expect(await storage().refusals.get({ requestId: "nothing" })).toBeUndefined();
    expect(await storage().refusals.get({ requestId: "x".repeat(10_000) })).toBeUndefined();
  });

  test("stored → found by its number with all facts; a second one with the number changes nothing", async () => {
    const refusal = await add();
    await storage().refusals.add({ refusal: { ...refusal, condition: "scope_missing" } });
    expect(await storage().refusals.get({ requestId: refusal.requestId })).toEqual(refusal);
  });

  test("a list → newest first, by client and by condition, page by page", async () => {
    const mine = [
      await add({ clientId: "mine" }),
      await add({ clientId: "mine", condition: "scope_missing" }),
    ] as const;
    await add();
    const list = (about: object) => storage().refusals.list({ ...all, ...about });
    expect(await list({ clientId: "mine" })).toEqual([mine[1], mine[0]]);
    expect(await list({ clientId: "mine", condition: "scope_missing" })).toEqual([mine[1]]);
    expect(await list({ clientId: "mine", limit: 1 })).toEqual([mine[1]]);
    expect(await list({ clientId: "mine", before: mine[1] })).toEqual([mine[0]]);
    expect((await list({})).slice(1, 3)).toEqual([mine[1], mine[0]]);
    expect(await list({ clientId: "nobody" })).toEqual([]);
  });

  describe("housekeeping", () => {
    test("older than seven days → deleted; a younger one stays", async () => {
      const [old, young] = [await add({ at: NOW + 1000 }), await add({ at: NOW + 2000 })];
      const now = NOW + 1000 + REFUSALS_KEPT;
      await storage().housekeeping.collect({ what: "refusals", now, limit: 1000 });
      const found = (await storage().refusals.list(all)).map(({ requestId }) => requestId);
      expect(found).not.toContain(old.requestId);
      expect(found).toContain(young.requestId);
    });

    test("EV-12 more than are kept → the oldest ones are deleted", async () => {
      const at = NOW + 10_000;
      await byHand(opened().url, [
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${MOST_REFUSALS + 7})
          INSERT INTO refusals (partition, request_id, at, condition, client_id, record)
          SELECT i % 1024, 'many-' || i, ${at} + i, 'scope_missing', '', '{}' FROM n`,
      ]);
      const collect = () => storage().housekeeping.collect({ what: "refusals", now: at + 100_000, limit: 1000 });
      expect((await collect()).removed).toBeGreaterThanOrEqual(7);
      expect((await collect()).removed).toBe(0);
      const [row] = await byHand(opened().url, ["SELECT COUNT(*) AS rows, MIN(at) AS oldest FROM refusals"]);
      expect([Number(row?.["rows"]), Number(row?.["oldest"])]).toEqual([MOST_REFUSALS, at + 8]);
    });
  });
});
