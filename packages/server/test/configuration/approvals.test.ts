/** Approvals of companies that a configuration describes: when they end. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { setAppPolicy } from "../../src/admin/index.ts";
import { aDatabase, apply, planOf, steps, type TestDatabase, WHOLE } from "./support/test-configuration.ts";

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  beforeAll(async () => {
    at = await aDatabase(kind);
  });
  afterAll(() => at.close());

  test("an approval until March 2027: another scope or lifetime in the file → it keeps its end, and the plan says so", async () => {
    await apply(WHOLE, at.admin);
    const { storage } = at.admin;
    const company = await storage.companies.find({ slug: "acme" });
    if (company === undefined) throw new Error("acme is not there");
    const key = { partition: company.partition, companyId: company.companyId };
    const endNow = async () =>
      (await storage.companyApps.listRules(key)).find(({ clientId }) => clientId === "web")?.endsAt;
    const lasting = (fields: string) => WHOLE.replace("web: {rule: allow, scope: photos:view}", `web: {${fields}}`);
    await setAppPolicy("acme", { clientId: "web", rule: "allow", lifetime: 8_640_000 }, at.admin);
    const end = await endNow();
    const day = new Date(Number(end)).toISOString().slice(0, 10);
    const narrowed = await apply(lasting("rule: allow, scope: photos:view"), at.admin);
    expect(steps(narrowed)).toEqual(["update policies acme/web"]);
    expect(narrowed.notes).toContain(`policy acme/web: The approval still ends on ${day}.`);
    expect(await endNow()).toBe(end);
    const shorter = await apply(lasting("rule: allow, scope: photos:view, lifetime: 3600"), at.admin);
    expect([shorter.changes, shorter.notes]).toEqual([
      [],
      [
        `policy acme/web: The approval ends on ${day}. The file's lifetime counts from the next approval. To renew it now, run: assent company policy acme web --rule allow --scope "photos:view" --lifetime 3600`,
      ],
    ]);
    expect(await endNow()).toBe(end);
    await setAppPolicy("acme", { clientId: "web", rule: "allow", scopes: ["photos:view"], lifetime: 3600 }, at.admin);
    const renewed = await planOf(lasting("rule: allow, scope: photos:view, lifetime: 3600"), at.admin);
    expect([renewed.changes, renewed.notes]).toEqual([[], []]);
    await apply(lasting("rule: ask"), at.admin);
    await apply(WHOLE, at.admin);
    expect(await endNow()).toBeGreaterThan(Number(end));
  });
});
