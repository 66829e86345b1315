/** `assent user import`, `user identities`, `setting list`. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
});
afterAll(() => at.remove());

const aLine = (username: string, more: object = {}) =>
  JSON.stringify({ username, email: `${username}@old.test`, ...more });

test("no file, a report that exists → exit code 1, and nobody is imported", async () => {
  const missing = await at.run(["user", "import", join(at.folder, "nothing.ndjson")]);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining("can't be read")]);
  const report = join(at.folder, "there.ndjson");
  writeFileSync(report, "mine");
  const refused = await at.run(["user", "import", "-", "--report", report], { input: aLine("ada") });
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining("can't be written")]);
  expect(readFileSync(report, "utf8")).toBe("mine");
  expect(await at.json(["user", "list"])).toEqual([]);
});

test("lines that are refused → exit code 1, their numbers and reasons; the others are imported once", async () => {
  const file = join(at.folder, "people.ndjson");
  const report = join(at.folder, "report.ndjson");
  const long = `{"username":"${"x".repeat(300_000)}"}`;
  const hash = "$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa";
  const lines = [aLine("ada", { password_hash: hash }), "{", long, aLine("bob", { operator: ["admin"] }), aLine("eve")];
  writeFileSync(file, `${lines.join("\n")}\n`);
  const first = await at.run(["user", "import", file, "--report", report]);
  expect([first.code, first.stdout]).toEqual([1, "Imported 2 people. 0 existed already. 3 refused.\n"]);
  expect(first.stderr).toMatch(/line 2: .*JSON.*\n.*line 3: .*longer.*\n.*line 4: operator: can't be set/);
  const results = readFileSync(report, "utf8").trim().split("\n");
  expect(results.map((one) => (JSON.parse(one) as { result: string }).result)).toEqual([
    ...["created", "refused", "refused", "refused", "created"],
  ]);
  const again = await at.run(["user", "import", "-", "--json"], { input: `${lines[0]}\n${lines[4]}` });
  expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { created: 0, exists: 2, refused: 0, refused_lines: [] }]);
  expect(await at.json(["user", "show", "ada"])).toMatchObject({ has_password: true, email_verified: false });
});

test("user identities of somebody without any → none; user disconnect of an unknown one → exit code 1", async () => {
  expect(await at.json(["user", "identities", "ada"])).toEqual([]);
  const { code, stderr } = await at.run(["user", "disconnect", "ada", "nothing"]);
  expect([code, stderr]).toEqual([1, expect.stringContaining('no identity "nothing"')]);
});

test("setting list → every setting; --changed → only those of this configuration; no secret", async () => {
  const env = { ASSENT_SMTP_URL: "smtps://me:hidden-word@mail.example.test" };
  const all = await at.json<{ variable: string; value: unknown }[]>(["setting", "list"], { env });
  expect(all.find(({ variable }) => variable === "ASSENT_SMTP_URL")?.value).toBe("(secret)");
  expect(JSON.stringify(all)).not.toContain("hidden-word");
  expect(all.find(({ variable }) => variable === "ASSENT_ACCESS_TTL")?.value).toBe(600);
  expect(all.find(({ variable }) => variable === "ASSENT_LISTEN")?.value).toMatch(/^[^{]+:\d+$/);
  const changed = await at.json<{ variable: string }[]>(["setting", "list", "--changed"], { env });
  expect(changed.map(({ variable }) => variable).sort()).toContain("ASSENT_SMTP_URL");
  expect(changed.length).toBeLessThan(all.length);
});
