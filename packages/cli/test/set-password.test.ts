import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
});
afterAll(() => at.remove());

test("a new password days after the address changed → says so, and how to set the right one; given again → nothing", async () => {
  const person = ["--username", "finn", "--email", "finn@x.test"];
  await at.json(["user", "create", ...person, "--generate-password"]);
  const setPassword = async () => (await at.run(["user", "set-password", "finn", "--generate-password"])).stderr;
  expect(await setPassword()).toContain("All sessions and grants have ended");
  const database = new DatabaseSync(join(at.dataDir, "assent.db"));
  database
    .prepare(
      `INSERT INTO former_addresses (partition, person_id, address, since, until)
        SELECT partition, person_id, 'before@x.test', NULL, ? FROM people`,
    )
    .run(Date.now() - 86_400_000);
  database.close();
  const said = await setPassword();
  expect(said).toContain("The e-mail address was changed from before@x.test to finn@x.test on ");
  expect(said).toContain("assent user update finn --email <address>");
  await at.json(["user", "update", "finn", "--email", "finn@x.test"]);
  expect(await setPassword()).not.toContain("before@x.test");
});
