/** Approvals that a file replaces or renews: those for selected members, and those that are over. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setAppPolicy } from "../../src/admin/index.ts";
import { exportConfiguration } from "../../src/configuration/index.ts";
import { join } from "../storage/support/company-builders.ts";
import { aStoredPerson } from "../storage/support/record-builders.ts";
import { aDatabase, apply, planOf, steps, type TestDatabase, WHOLE } from "./support/test-configuration.ts";

const YEAR = 31_536_000;
const withRule = (fields: string) => WHOLE.replace("web: {rule: allow, scope: photos:view}", `web: {${fields}}`);
const none = WHOLE.replace("    web: {rule: allow, scope: photos:view}\n", "");

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  beforeAll(async () => {
    at = await aDatabase(kind);
    await apply(WHOLE, at.admin);
    const { storage } = at.admin;
    const company = await storage.companies.find({ slug: "acme" });
    if (company === undefined) throw new Error("acme is not there");
    for (const username of ["bob", "ada"]) await join(storage, company, await aStoredPerson(storage, { username }));
  });
  afterAll(() => at.close());

  const decide = (policy: Omit<Parameters<typeof setAppPolicy>[1], "clientId">) =>
    setAppPolicy("acme", { clientId: "web", members: "keep", ...policy }, at.admin);
  const stored = async () => {
    const { partition = 0, companyId = "" } = (await at.admin.storage.companies.find({ slug: "acme" })) ?? {};
    const rules = await at.admin.storage.companyApps.listRules({ partition, companyId });
    return rules.find(({ clientId }) => clientId === "web");
  };
  const changeOf = async (text: string) => (await planOf(text, at.admin)).changes[0];
  const dayOf = (at: number | null | undefined) => new Date(at ?? 0).toISOString().slice(0, 10);

  describe("for selected members", () => {
    beforeEach(async () => {
      await decide({ rule: "allow", scopes: ["photos:view"], selected: ["bob", "ada"] });
    });

    test("the file allows the app → a change of the approval, with a question; it keeps its end", async () => {
      const { endsAt } = (await stored()) ?? {};
      const plan = await planOf(WHOLE, at.admin);
      expect(plan.changes).toEqual([
        {
          ...{ action: "update", section: "policies", noun: "policy", key: "acme/web" },
          fields: [{ field: "for", before: "ada, bob", after: "everybody" }],
          question: "allows the app for all members of the company, and its admins chose to allow it only for ada, bob",
        },
      ]);
      await apply(WHOLE, at.admin);
      expect(await stored()).toMatchObject({ rule: "allow", endsAt });
      expect(await stored()).not.toHaveProperty("forSelected");
      expect((await planOf(WHOLE, at.admin)).changes).toEqual([]);
    });

    test.each(["ask", "block"])(
      "the file says %s → a change that takes the approval away, with a question",
      async (rule) => {
        expect(await changeOf(withRule(`rule: ${rule}`))).toMatchObject({
          action: "update",
          fields: [
            { field: "rule", before: "allow", after: rule },
            { field: "scope", before: "photos:view", after: null },
            { field: "for", before: "ada, bob", after: null },
          ],
          question: "ends the approval that admins of the company gave only to ada, bob",
        });
      },
    );

    test("the file no longer has the rule → prune leaves it; the export has none of it", async () => {
      expect((await planOf(none, at.admin, { prune: true })).changes).toEqual([]);
      expect(await exportConfiguration(at.admin)).not.toMatch(/^ {4}web:\n {6}rule/m);
    });
  });

  test("no rule → a new one shows its rule and its end, and asks nothing", async () => {
    await decide({ rule: "none" });
    const asks = await changeOf(withRule("rule: ask"));
    expect(asks).toMatchObject({ action: "create", fields: [{ field: "rule", after: "ask" }] });
    expect(asks).not.toHaveProperty("question");
    const plan = await apply(WHOLE, at.admin);
    expect(steps(plan)).toEqual(["create policies acme/web"]);
    expect(plan.changes[0]?.fields.map(({ field }) => field)).toEqual(["rule", "scope"]);
    expect(plan.notes).toEqual([`policy acme/web: The approval ends on ${dayOf((await stored())?.endsAt)}.`]);
  });

  test("an approval for an hour, exported → the file has its lifetime and end; after the end, the plan says that it renews", async () => {
    await decide({ rule: "allow", scopes: ["photos:view"], lifetime: 3600 });
    const end = new Date((await stored())?.endsAt ?? 0).toISOString().replace("T", " ").slice(0, 16);
    const text = await exportConfiguration(at.admin);
    expect(text).toMatch(/^ {4}web:\n {6}rule: allow\n {6}scope: photos:view\n {6}lifetime: 3600\n/m);
    expect(text).toContain(`      # This approval ends on ${end} UTC. Applied later, this file renews it.\n`);
    const file = withRule("rule: allow, scope: photos:view, lifetime: 3600");
    expect(await planOf(file, at.admin)).toMatchObject({ changes: [], notes: [] });

    const later = { ...at.admin, now: () => at.admin.now() + 3_601_000 };
    const plan = await planOf(file, later);
    expect(plan.changes).toMatchObject([
      {
        action: "update",
        fields: [{ field: "rule", before: `allow, which ended on ${end} UTC`, after: "allow" }],
      },
    ]);
    const until = new Date(later.now() + 3_600_000).toISOString().replace("T", " ").slice(0, 16);
    expect(plan.notes).toEqual([
      `policy acme/web: This renews the approval that ended on ${end} UTC: until ${until} UTC.`,
    ]);
    const year = await planOf(WHOLE, later);
    expect(year.notes).toEqual([
      `policy acme/web: This renews the approval that ended on ${end} UTC: until ${dayOf(later.now() + YEAR * 1000)}.`,
    ]);
    expect(await exportConfiguration(later)).not.toMatch(/^ {4}web:\n {6}rule/m);
    expect((await planOf(none, later, { prune: true })).changes).toEqual([]);
  });

  test("an approval for a year → the export has no lifetime, and its end", async () => {
    await decide({ rule: "none" });
    await apply(WHOLE, at.admin);
    const text = await exportConfiguration(at.admin);
    expect(text).not.toContain("lifetime: 315");
    expect(text).toContain(`# This approval ends on ${dayOf((await stored())?.endsAt)}. Applied later`);
  });
});
