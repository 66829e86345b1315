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
  await said("company", "create", "--name", "Acme", "--slug", "acme", "--default-rule", "members");
  await said("company", "add-member", "acme", "ada", "--role", "admin");
  await said("company", "add-member", "acme", "bob");
});
afterAll(async () => {
  at.remove();
  await server.stop();
});

/** The person allows the app to see, for themselves, or to see and to change, for the company. */
async function use(username: string, { company }: { readonly company?: string } = {}) {
  const { storage } = server.assent;
  const person = await storage.people.findByName({ name: username });
  if (person === undefined) throw new Error(`${username} is not there`);
  const now = server.now();
  const common = {
    clientId: CLIENT,
    scopes: company === undefined ? ["see"] : ["see", "change"],
    authTime: now,
    codeUntil: now + HOUR,
  };
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

test("scope create --reuse → for which API apps now get tokens; a new name → nothing", async () => {
  await said("scope", "delete", "see", "--yes");
  const create = (name: string, ...flags: readonly string[]) =>
    said("scope", "create", name, "--description", "See", "--resource", "https://photos.test", ...flags);
  expect(await create("see", "--reuse")).toContain(
    `\nThe scope is in 1 consent of owners. From now on, apps use it to get tokens for https://photos.test, without asking anybody, also if the deleted scope belonged to another API. If an app now has scopes of several APIs, it gets a token only if it names one of these APIs (resource). ${TOKENS}\n`,
  );
  expect(await create("never-used", "--reuse")).not.toContain("The scope is in");
});

test("company policy → what the rule means, which scopes members lose, whose access stays; the plan says it, too", async () => {
  const policy = (...flags: readonly string[]) => said("company", "policy", "acme", CLIENT, ...flags);
  const still = `The app still acts for 1 person in the company's name, until that access ends. To end it now, run: assent company revoke acme ${CLIENT}\n`;
  await use("bob", { company: "acme" });
  expect(await policy("--rule", "allow", "--lifetime", "80")).toMatch(
    /^The rule of acme for Printer \(printer\) is now "allow": all members can connect the app without asking an admin, with see, change, until (\d{4}-\d\d-\d\d \d\d:\d\d UTC)\.\nFor 1 person, access to see, change now ends sooner: \1\.\n$/,
  );
  expect(await policy("--rule", "allow")).toMatch(/, until \d{4}-\d\d-\d\d\.\n$/);
  expect(await policy("--rule", "allow", "--scope", "see")).toMatch(
    /with see, until .*\.\nAccess that members gave no longer has change\. Issued access tokens work until they expire\.\n$/,
  );

  const file = join(at.folder, "policy.yaml");
  writeFileSync(file, `version: 1\nname: rules\npolicies:\n  acme:\n    ${CLIENT}:\n      rule: ask\n`);
  const plan = await at.run(["apply", "-f", file, "--plan"], { env });
  expect([plan.code, plan.stderr]).toEqual([3, `policy acme/${CLIENT}: ${still}`]);

  expect(await policy("--rule", "ask", "--members", "keep")).toBe(
    `The rule of acme for Printer (${CLIENT}) is now "ask": members ask an admin before they connect the app.\n${still}`,
  );
  expect(await policy("--rule", "block")).toBe(
    `Blocked Printer (${CLIENT}) for Acme (acme). Ended 1 grant of 1 member. ${TOKENS} To lift the block, run: assent company policy acme ${CLIENT} --rule none. The ended access doesn't come back with it.\n`,
  );
  await policy("--rule", "none");
});

test("key rotate --now, key retire → until when the earlier key stays published, and when APIs refuse its tokens", async () => {
  await said("key", "rotate", "--now");
  const rotated = await said("key", "rotate", "--now");
  expect(rotated).toContain("warning: the previous key stays published until its tokens expire; if it has leaked, run");
  const keys = await at.json<readonly Record<string, string>[]>(["key", "list"], { env });
  const kid = keys.find(({ status }) => status === "verifying")?.["kid"] ?? "";
  const asked = await at.run(["key", "retire", "--now", "--", kid], { env });
  expect([asked.code, asked.stderr]).toEqual([
    2,
    expect.stringContaining("as soon as it fetches the key set again, usually within minutes."),
  ]);
  expect(asked.stderr).not.toContain("at once");
  expect(await said("key", "retire", "--now", "--yes", "--", kid)).toContain(
    "warning: each API refuses the tokens of this key as soon as it fetches the key set again\n",
  );
});

test("members, people, companies, clients, APIs and webhooks → the notes of the machine", async () => {
  await use("bob", { company: "acme" });
  expect(await said("company", "update", "acme", "--default-rule", "block")).toContain(
    "The new default rule is for new connections. Members keep the apps that they already use: 1 consent, to Printer (printer). To end it, run: assent company revoke acme printer\n",
  );
  const demoted = await said("company", "add-member", "acme", "ada", "--role", "member");
  expect(demoted).toContain("Acme has no admin now, so nobody can change its rules. To add one, run: assent company");
  await said("company", "add-member", "acme", "ada", "--role", "admin");
  expect(await said("user", "disable", "ada")).toContain("No active admin is left in acme:");
  await said("user", "enable", "ada");
  expect(await said("company", "remove-member", "acme", "ada")).toMatch(
    /The company's consents stay\. .*\nAcme has no admin now/,
  );
  expect(await said("resource", "update", "https://health.test", "--token-lifetime", "60", "--new-secret")).toMatch(
    /\nThe old introspection secret no longer works\.\n[\s\S]*The new settings are for new access tokens\. Issued ones keep/,
  );
  expect(
    await said("client", "update", CLIENT, "--remove-scope", "change", "--remove-grant-type", "refresh_token"),
  ).toMatch(
    /\nNew tokens don't contain change, also those of existing grants\. [\s\S]*\nThe refresh tokens of the client stop working now\./,
  );
  expect(await said("client", "disable", CLIENT, "--yes")).toContain("The client gets no more tokens.");
  const hook = await said("webhook", "create", "--url", "https://hooks.test/in", "--kind", "user.*");
  expect(hook).toContain("secret: shown only once. Give it to the receiver, which checks the signatures with it.");
  expect(hook).not.toContain("hash");
  const { storage } = server.assent;
  const bob = await storage.people.findByName({ name: "bob" });
  if (bob === undefined) throw new Error("bob is not there");
  const deletesAt = Date.UTC(2031, 4, 6);
  await storage.people.setDeletion({ ...bob, at: deletesAt, keepSessionId: null, mails: [], now: server.now() });
  expect(await said("user", "list")).toContain("active, deleted on 2031-05-06");
});

test("whoami → what the server says of the token; refused there → an error", async () => {
  const whoami = (token: string, ...flags: readonly string[]) =>
    at.run(["whoami", ...flags], { env: { ...env, ASSENT_TOKEN: token } });
  const own = { user_id: null, username: null, client_id: null, token_id: null, server: server.issuer };
  const made = async (scope: string) => at.json(["admin", "create-token", "--scope", scope], { env });
  const narrow = await made("admin:keys:read");
  expect(JSON.parse((await whoami(String(narrow["access_token"]), "--json")).stdout)).toEqual({
    ...{ ...own, token_id: narrow["id"], scope: "admin:keys:read" },
  });
  await said("admin", "revoke-token", String(narrow["id"]));
  for (const token of [String(narrow["access_token"]), "garbage"]) {
    const { code, stdout, stderr } = await whoami(token);
    expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("refused the token (admin_token_invalid)")]);
  }
});
