/** Commands on a server say the same about access that exists as commands on the database: what ended, and what stays. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { adminApi, adminToken } from "../../../test/support/admin-api.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aCompanyGrant } from "../../server/test/storage/support/company-builders.ts";
import { aGrant, anApproval, aRedemption } from "../../server/test/storage/support/record-builders.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

let server: TestServer;
let at: Workspace;
let env: Record<string, string>;
const HOUR = 3_600_000;
const CLIENT = "printer";
const TOKENS = "Issued access tokens work until they expire.";

const said = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await at.run(args, { env });
  expect([args, code, stderr]).toEqual([args, 0, stderr]);
  return stdout + stderr;
};

beforeAll(async () => {
  server = await startServer();
  at = aWorkspace();
  env = { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: await adminToken(server) };
  for (const username of ["ada", "bob"])
    await said("user", "create", "--username", username, "--email", `${username}@x.test`, "--generate-password");
  for (const name of ["Photos", "Health"])
    await said("resource", "create", "--identifier", `https://${name.toLowerCase()}.test`, "--name", name);
  for (const name of ["see", "change"])
    await said("scope", "create", name, "--description", name, "--resource", "https://photos.test");
  const app = { client_id: CLIENT, client_name: "Printer", type: "confidential", scope: "see change" };
  await (await adminApi(server)).post("/clients", { ...app, redirect_uris: ["https://app.test/cb"] });
  await said("company", "create", "--name", "Acme", "--slug", "acme");
  await said("company", "add-member", "acme", "ada", "--role", "admin");
  await said("company", "add-member", "acme", "bob");
});
afterAll(async () => {
  at.remove();
  await server.stop();
});

/** The person allows the app to see, for themselves or for the company. */
async function use(username: string, { company }: { readonly company?: string } = {}) {
  const { storage } = server.assent;
  const person = await storage.people.findByName({ name: username });
  if (person === undefined) throw new Error(`${username} is not there`);
  const now = server.now();
  const common = { clientId: CLIENT, scopes: ["see"], authTime: now, codeUntil: now + HOUR };
  const owner = company === undefined ? undefined : await storage.companies.find({ slug: company });
  const grant = owner === undefined ? aGrant(person, common) : aCompanyGrant(owner, person, common);
  expect((await storage.grants.approve(anApproval(grant, { now }))).kind).toBe("issued");
  await storage.grants.redeem(aRedemption(grant, { now }));
}

const ANOTHER_API =
  "The scope is in 1 consent of owners. From now on, apps use it to get tokens for https://health.test, without asking anybody, and none for https://photos.test. If an app now has scopes of several APIs, it gets a token only if it names one of these APIs (resource).";

test("scope update → what it means for consents; the same in the plan and after apply", async () => {
  await use("ada");
  expect(await said("scope", "update", "see", "--resource", "https://health.test")).toContain(ANOTHER_API);
  await said("scope", "update", "see", "--resource", "https://photos.test");
  const updated = async (...flags: readonly string[]) => said("scope", "update", "see", ...flags);
  expect(await updated("--description", "See all")).toContain(
    "in 1 consent of owners, given for the earlier description",
  );
  expect(await updated("--acr", "mfa")).toContain("Apps keep the access of grants that they have: the scope is in 1");
  expect(await updated("--no-acr", "--access", "delete")).toContain(
    "in 1 consent of owners, and nobody is asked again.",
  );
  expect(await at.json(["scope", "update", "see", "--no-access"], { env })).not.toHaveProperty("notes");

  const file = join(at.folder, "assent.yaml");
  writeFileSync(
    file,
    "version: 1\nname: notes\nscopes:\n  see:\n    description: See all\n    resource: https://health.test\n",
  );
  const plan = await at.run(["apply", "-f", file, "--plan"], { env });
  expect([plan.code, plan.stderr]).toEqual([3, expect.stringContaining(`scope see: ${ANOTHER_API} ${TOKENS}\n`)]);
  const done = await at.run(["apply", "-f", file], { env });
  expect([done.code, done.stderr]).toEqual([0, plan.stderr]);
});
