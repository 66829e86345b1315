/** Policies whose change takes access from members, or lets them in: what the plan says, and what it asks. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { addMember, setAppPolicy } from "../../src/admin/index.ts";
import type { Company } from "../../src/owners/company-storage.ts";
import type { Person } from "../../src/owners/storage.ts";
import { aLiveCompanyGrant, join } from "../storage/support/company-builders.ts";
import { aStoredPerson } from "../storage/support/record-builders.ts";
import { aDatabase, apply, planOf, steps, type TestDatabase, WHOLE } from "./support/test-configuration.ts";

const BOTH = "photos:view photos:delete";
const withRule = (fields: string) => WHOLE.replace("web: {rule: allow, scope: photos:view}", `web: {${fields}}`);

describe.each(["sqlite", "postgres"] as const)("on %s", (kind) => {
  let at: TestDatabase;
  let company: Company;
  const people: Person[] = [];
  beforeAll(async () => {
    at = await aDatabase(kind);
    await apply(withRule(`rule: allow, scope: ${BOTH}`), at.admin);
    const { storage } = at.admin;
    const found = await storage.companies.find({ slug: "acme" });
    if (found === undefined) throw new Error("acme is not there");
    company = found;
    for (const username of ["ada", "bob"]) {
      const person = await aStoredPerson(storage, { username });
      await join(storage, company, person, "admin");
      people.push(person);
    }
  });
  afterAll(() => at.close());

  const held = () => {
    const { partition, companyId } = company;
    const key = { partition, companyId, clientId: "web", ceiling: null, now: at.admin.now() };
    return at.admin.storage.companyApps.liveAccess(key);
  };
  const namesOf = async (person: Person | undefined) =>
    (await held()).filter(({ personId }) => personId === person?.personId).map(({ name }) => name);

  describe("another scope in the file", () => {
    beforeEach(async () => {
      await apply(withRule(`rule: allow, scope: ${BOTH}`), at.admin);
    });

    test("nobody uses the app → no question", async () => {
      const narrower = await planOf(withRule("rule: allow, scope: photos:view"), at.admin);
      expect(narrower.changes).toMatchObject([{ key: "acme/web" }]);
      expect(narrower.changes[0]).not.toHaveProperty("ends");
    });

    test("the scope is narrower → the plan counts what members lose, not admins; a wider one does not bring it back", async () => {
      const scopes = BOTH.split(" ");
      // An admin connects the app under any rule; Bob is an admin no longer, and keeps the access.
      for (const person of people)
        await aLiveCompanyGrant(at.admin.storage, company, person, { clientId: "web", scopes });
      await addMember("acme", "bob", "member", at.admin);
      const narrower = withRule("rule: allow, scope: photos:view");
      const plan = await planOf(narrower, at.admin);
      expect(plan.changes).toMatchObject([{ key: "acme/web", ends: { permissions_of_members: 1 } }]);
      expect(await namesOf(people[1])).toEqual(expect.arrayContaining(scopes));
      await apply(narrower, at.admin);
      expect(await namesOf(people[1])).toEqual(["photos:view"]);
      expect(await namesOf(people[0])).toEqual(expect.arrayContaining(scopes));
      const wider = await apply(withRule(`rule: allow, scope: ${BOTH}`), at.admin);
      expect(wider.changes[0]).not.toHaveProperty("ends");
      expect(await namesOf(people[1])).toEqual(["photos:view"]);
    });
  });

  test("scope and lifetime changed together → the plan says that the lifetime doesn't count yet, and the command", async () => {
    await apply(withRule(`rule: allow, scope: ${BOTH}`), at.admin);
    const file = withRule("rule: allow, scope: photos:view, lifetime: 86400");
    const command = `assent company policy acme web --rule allow --scope "photos:view" --lifetime 86400`;
    const { notes } = await apply(file, at.admin);
    expect(notes).toEqual([
      expect.stringMatching(/^policy acme\/web: The approval still ends on /),
      `policy acme/web: The file's lifetime counts from the next approval. To renew it now, run: ${command}`,
    ]);
    expect((await planOf(file, at.admin)).notes).toEqual([expect.stringContaining(command)]);
  });

  test("a new approval with a lifetime → its end, and no command", async () => {
    await setAppPolicy("acme", { clientId: "web", rule: "none", members: "end" }, at.admin);
    const { notes } = await apply(withRule("rule: allow, scope: photos:view, lifetime: 86400"), at.admin);
    expect(notes.join()).not.toContain("To renew it now");
  });

  test.each([
    ["block", "lifts the block of the app: the company's default counts, so members decide by themselves"],
    ["ask", "removes the company's rule about the app: the company's default counts, so members decide by themselves"],
  ])("prune deletes a rule that says %s → the question says what members may do then", async (rule, question) => {
    const members = (text: string) => text.replace("name: Acme\n", "name: Acme\n    default_rule: members\n");
    const file = members(WHOLE.replace("phone: {rule: block}", `phone: {rule: ${rule}}`));
    await apply(file, at.admin);
    const without = members(WHOLE.replace("    phone: {rule: block}\n", ""));
    const plan = await planOf(without, at.admin, { prune: true });
    expect(steps(plan)).toEqual(["delete policies acme/phone"]);
    expect(plan.changes).toMatchObject([{ ends: {}, question }]);

    const noClient = without.replace(/ {2}phone:\n[\s\S]*?(?= {2}backup:)/, "");
    const both = await planOf(noClient, at.admin, { prune: true });
    expect(steps(both)).toContain("delete policies acme/phone");
    for (const change of both.changes) expect(change).not.toHaveProperty("question");
  });

  test("prune deletes an approval → no question of its own: members keep their access until it would have ended", async () => {
    const plan = await planOf(WHOLE.replace(/ {4}web: \{rule: allow[^\n]*\n/, ""), at.admin, { prune: true });
    expect(plan.changes.find(({ key }) => key === "acme/web")).not.toHaveProperty("question");
  });
});
