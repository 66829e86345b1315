/** A script reads what a command ended, what stays, and what comes back: the question is not asked there. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStorage, type Storage } from "../../server/src/storage/open.ts";
import { partitionOf } from "../../server/src/storage/partition.ts";
import { aCompanyGrant } from "../../server/test/storage/support/company-builders.ts";
import { aGrant, anApproval, aRedemption, aSession } from "../../server/test/storage/support/record-builders.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let clientId: string;
const HOUR = 3_600_000;

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  for (const username of ["alice", "bob", "carol"])
    await at.json(["user", "create", "--username", username, "--email", `${username}@x.test`, "--generate-password"]);
  for (const name of ["read", "write"]) await at.json(["scope", "create", name, "--description", name]);
  const made = ["--type", "confidential", "--redirect-uri", "https://app.test/cb", "--scope", "read write"];
  clientId = String((await at.json(["client", "create", "--name", "Printer", ...made]))["client_id"]);
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme", "--default-rule", "members"]);
  await at.json(["company", "add-member", "acme", "alice", "--role", "admin"]);
  for (const username of ["bob", "carol"]) await at.json(["company", "add-member", "acme", username]);
});
afterAll(() => at.remove());

async function stored(work: (storage: Storage) => Promise<void>): Promise<void> {
  const storage = await openStorage({ url: `sqlite:${join(at.dataDir, "assent.db")}`, writer: "main" });
  try {
    await work(storage);
  } finally {
    await storage.close();
  }
}

/** The person allows the app to read, for themselves or for the company, and signs in at one browser. */
async function use(
  username: string,
  { company, signsIn = false, app = clientId }: { company?: string; signsIn?: boolean; app?: string } = {},
) {
  const found = company === undefined ? undefined : await at.json(["company", "show", company]);
  await stored(async (storage) => {
    const person = await storage.people.findByName({ name: username });
    if (person === undefined) throw new Error(`${username} is not there`);
    const now = storage.now();
    const [authTime, codeUntil] = [now, now + HOUR];
    const common = { clientId: app, scopes: ["read"], authTime, codeUntil };
    const companyId = String(found?.["id"]);
    const owner = found && (await storage.companies.get({ partition: partitionOf(companyId), companyId }));
    const grant = owner === undefined ? aGrant(person, common) : aCompanyGrant(owner, person, common);
    expect((await storage.grants.approve(anApproval(grant, { now }))).kind).toBe("issued");
    await storage.grants.redeem(aRedemption(grant, { now }));
    if (signsIn)
      await storage.sessions.create(
        aSession(person, { now, authTime, idleUntil: codeUntil, absoluteUntil: codeUntil }),
      );
  });
}

const said = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await at.run(args);
  expect([args, code]).toEqual([args, 0]);
  return stdout + stderr;
};
const TOKENS = "Issued access tokens work until they expire.";

test("user disable → what ended and what stays; again → nothing; enable → what counts again", async () => {
  await use("alice", { signsIn: true });
  await use("alice", { company: "acme" });
  expect(await said("user", "disable", "alice")).toContain(
    `Disabled alice (alice@x.test). Ended 1 session, 1 grant and 1 company grant. They don't come back when you enable the person again. Kept: 1 consent. ${TOKENS} No active admin is left in acme`,
  );
  expect(await said("user", "disable", "alice")).toContain(
    "alice (alice@x.test) was disabled already. Nothing was ended.",
  );
  expect(await said("user", "enable", "alice")).toContain(
    "Enabled alice (alice@x.test). Sessions and grants that ended stay ended. These count again: 1 consent. With them, apps get access without asking the owner.",
  );
});

test("user set-password, reset-second-factor, session revoke → what apps still have", async () => {
  await use("bob", { signsIn: true });
  expect(await said("session", "revoke", "--user", "bob")).toContain("Ended 1 session. Apps keep their access.");
  expect(await said("user", "reset-second-factor", "bob")).toContain("Ended 0 sessions. Apps keep their access.");
  expect(await said("user", "set-password", "bob", "--generate-password")).toContain(
    `All sessions and grants have ended. ${TOKENS} Apps can connect again without asking`,
  );
});

test("company policy → whom a block hit; what another rule means, and whose access stays", async () => {
  await use("bob", { company: "acme" });
  const policy = (...flags: readonly string[]) => said("company", "policy", "acme", clientId, ...flags);
  expect(await policy("--rule", "ask")).toBe(
    `The rule of acme for Printer (${clientId}) is now "ask": members ask an admin before they connect the app.\nThe app still acts for 1 person in the company's name, until that access ends. To end it now, run: assent company revoke acme ${clientId}\n`,
  );
  expect(await policy("--rule", "allow", "--lifetime", "864000")).toMatch(
    /is now "allow": all members can connect the app without asking an admin, with read, write, until (\d{4}-\d\d-\d\d)\.\nFor 1 person, access to [a-z, ]+ now ends sooner: \1 \d\d:\d\d UTC\.\n$/,
  );
  expect(await policy("--rule", "allow", "--scope", "write")).toMatch(
    /with write, until .*\.\nAccess that members gave no longer has read\. Issued access tokens/,
  );
  expect(await policy("--rule", "allow", "--for", "bob")).toMatch(
    /: bob can connect the app without asking an admin, with read, write, until [^ ]*\. Other members ask an admin\.\n/,
  );
  await policy("--rule", "none");
  await use("alice", { company: "acme" });
  await policy("--rule", "allow");
  // Alice is an admin, so her access keeps the permission.
  expect(await policy("--rule", "allow", "--scope", "write")).not.toContain("no longer has");
  await policy("--rule", "none", "--members", "keep");
  await use("bob", { company: "acme" });
  await policy("--rule", "allow", "--for", "alice");
  // Bob has had no approval since then, so he loses none.
  expect(await policy("--rule", "allow", "--for", "alice", "--for", "carol")).toMatch(/: alice, carol can connect/);
  await policy("--rule", "none");
  expect(await policy("--rule", "block")).toBe(
    `Blocked Printer (${clientId}) for Acme (acme). Ended 2 grants of 2 members. ${TOKENS} To lift the block, run: assent company policy acme ${clientId} --rule none. The ended access doesn't come back with it.\n`,
  );
  expect(await policy("--rule", "none")).toContain(
    'is now "none": the company\'s default counts, so members decide by themselves.\n',
  );
});

test("company update → a stricter default leaves the apps that are in; disabled, enabled → what ended", async () => {
  await use("bob", { company: "acme" });
  const stricter = async () => {
    await said("company", "update", "acme", "--default-rule", "members");
    return said("company", "update", "acme", "--default-rule", "ask");
  };
  const keep = "The new default rule is for new connections. Members keep the apps that they already use:";
  expect(await stricter()).toContain(
    `${keep} 1 consent, to Printer (${clientId}). To end it, run: assent company revoke acme ${clientId}\n`,
  );
  const kind = ["--type", "confidential", "--redirect-uri", "https://app.test/cb", "--scope", "read"];
  const others = ["Album", "Backup"].map((name) => at.json(["client", "create", "--name", name, ...kind]));
  const [album = "", backup = ""] = (await Promise.all(others)).map((one) => String(one["client_id"]));
  await said("company", "update", "acme", "--default-rule", "members");
  for (const app of [album, backup]) await use("bob", { company: "acme", app });
  const several = await stricter();
  expect(several).toContain(`${keep} 3 consents, to `);
  for (const name of [`Printer (${clientId})`, `Album (${album})`, `Backup (${backup})`])
    expect(several).toContain(name);
  expect(several).toContain(". To end one, run: assent company revoke acme CLIENT_ID\n");
  await said("company", "update", "acme", "--default-rule", "members");
  expect(await said("company", "revoke", "acme", album)).toMatch(
    new RegExp(
      `so they can connect the app again\\. To prevent that, run: assent company policy acme ${album} --rule block\n$`,
    ),
  );
  for (const app of [album, backup]) await said("client", "delete", app, "--yes");
  expect(await said("company", "update", "acme", "--status", "disabled")).toContain(
    `Disabled Acme (acme). Ended 1 grant. They don't come back when you enable the company again. Kept: 1 consent. ${TOKENS}`,
  );
  expect(await said("company", "update", "acme", "--status", "active")).toContain("These count again: 1 consent.");
  expect(await said("company", "remove-member", "acme", "bob")).toContain(`The company's consents stay. ${TOKENS}`);
});

test("scope, resource, issuer, provider → what still works after a change", async () => {
  await use("alice");
  expect(await said("scope", "update", "read", "--owner-role", "admin")).toMatch(
    /The new requirement is for new sign-ins and consents\. Apps keep the access of grants that they have: the scope is in \d consents? of owners/,
  );
  expect(await said("scope", "update", "read", "--description", "Read all")).toMatch(
    /\nThe scope is in \d consents? of owners, given for the earlier description\. There it now means what the new one says, and nobody is asked again\.\n$/,
  );
  for (const flag of ["--sensitive", "--no-sensitive", "--optional"])
    expect(await said("scope", "update", "read", flag)).toMatch(
      /\nThe consent page shows the change to owners who are asked from now on\. The scope is in \d consents? of owners, and nobody is asked again\.\n$/,
    );
  await said("scope", "update", "read", "--no-owner-role");
  await said("resource", "create", "--identifier", "https://api.test", "--name", "API");
  expect(await said("scope", "update", "read", "--resource", "https://api.test")).toMatch(
    /\nThe scope is in \d consents? of owners\. From now on, apps use it to get tokens for https:\/\/api\.test, without asking anybody, and none for this server itself\. If an app now has scopes of several APIs, it gets a token only if it names one of these APIs \(resource\)\. Issued access/,
  );
  expect(await said("scope", "update", "read", "--no-resource")).toContain(
    "get tokens for this server itself, without asking anybody, and none for https://api.test.",
  );
  expect(await said("resource", "update", "https://api.test", "--new-secret", "--token-lifetime", "60")).toMatch(
    /The old introspection secret no longer works\.\nThe new settings are for new access tokens\./,
  );
  expect(await said("resource", "update", "https://api.test", "--grant-bound", "--token-format", "opaque")).toMatch(
    /\nThe new settings are for new access tokens\. Issued ones keep their format, algorithm and lifetime\.\nIntrospection reports a token as inactive as soon as its grant ends, also a token that was issued before\.\n$/,
  );
  expect(await said("resource", "update", "https://api.test", "--no-grant-bound")).toContain(
    "Tokens that were issued before still end with their grants. New ones are active until they expire.",
  );
  expect(await said("resource", "delete", "https://api.test", "--yes")).toContain(
    `The server issues no new access tokens for it. ${TOKENS}`,
  );
  const keys = ["--type", "jwt", "--jwks-uri", "https://idp.test/jwks", "--scope", "read"];
  await said("issuer", "create", "--issuer", "https://idp.test", ...keys);
  for (const change of [
    ["update", "https://idp.test", "--status", "disabled"],
    ["delete", "https://idp.test", "--yes"],
  ])
    expect(await said("issuer", ...change)).toContain(`The server refuses its assertions now. ${TOKENS}`);
  const there = ["--name", "Okta", "--issuer", "https://okta.test", "--client-id", "assent"];
  const { id } = await at.json(["provider", "create", ...there]);
  expect(await said("provider", "update", String(id), "--status", "disabled")).toContain(
    "Nobody can sign in there now. Sessions that began there stay, and apps keep their access.\n",
  );
  expect(await said("provider", "delete", String(id), "--yes")).toBe("Deleted Okta. Accounts and sessions stay.\n");
});

test("scope create --reuse → for which API apps now get tokens", async () => {
  await use("alice");
  await said("resource", "create", "--identifier", "https://other.test", "--name", "Other");
  await said("scope", "delete", "read", "--yes");
  const create = ["scope", "create", "read", "--description", "Read", "--resource", "https://other.test"];
  expect(await said(...create, "--reuse")).toMatch(
    /\nThe scope is in \d consents? of owners\. From now on, apps use it to get tokens for https:\/\/other\.test, without asking anybody, also if the deleted scope belonged to another API\. /,
  );
  await said("scope", "update", "read", "--no-resource");
});

test("client update --consent-ceiling → how many consents end now; the lists show these ends; raised → they hold again", async () => {
  await use("alice", { company: "acme" });
  await said("company", "policy", "acme", clientId, "--rule", "allow", "--scope", "read");
  const short = await said("client", "update", clientId, "--consent-ceiling", "3600");
  expect(short).toMatch(
    /It is 3,600 seconds from the owner's last answer\. \d consents? will end at this limit, or before\./,
  );
  await new Promise((resolve) => setTimeout(resolve, 1100));
  const file = join(at.folder, "assent.yaml");
  const { stdout: yaml } = await at.run(["export", "--format", "yaml"]);
  writeFileSync(file, yaml.replace("consent_ceiling: 3600", "consent_ceiling: 1"));
  expect((await at.run(["apply", "-f", file, "--plan"])).stdout).toMatch(/~ client \S+ \(ends \d consents?\)/);
  const now = await said("client", "update", clientId, "--consent-ceiling", "1");
  expect(now).toMatch(
    /The limit also counts for consents from before\. If you raise it, consents that it ended hold again\. .* \d consents? of owners ended now, with the grants\./,
  );
  const listed = await at.json<{ status: string; expires_at: string }[]>(["consent", "list", "--client", clientId]);
  const ends = listed.filter(({ status }) => status === "expired").map(({ expires_at: end }) => Date.parse(end));
  expect([ends.length > 0, ends.every((end) => end <= Date.now())]).toEqual([true, true]);
  expect(await said("consent", "list", "--client", clientId)).toMatch(/Printer +expired +- /);
  const { rules } = await at.json<{ rules: { expires_at: string }[] }>(["company", "show", "acme"]);
  expect(rules.map(({ expires_at: end }) => Date.parse(end) <= Date.now())).toEqual([true]);
  const raised = await said("client", "update", clientId, "--no-consent-ceiling");
  expect(raised).not.toContain("The limit");
  expect(raised).toMatch(
    /The earlier limit had ended these, and they count again: \d consents?\. With them, the app gets/,
  );
  expect(await said("consent", "list", "--client", clientId)).toMatch(/Printer +active +read/);
  await said("company", "policy", "acme", clientId, "--rule", "none", "--members", "keep");
});

test("client update --remove-scope → what tokens and consents have now; disable, enable, delete → what ended", async () => {
  await use("alice");
  expect(await said("client", "update", clientId, "--remove-scope", "write")).toContain(
    `New tokens don't contain write, also those of existing grants. ${TOKENS} Consents still name what owners allowed: if you add a scope again, these consents count again.`,
  );
  // No consent names it.
  expect(await said("client", "update", clientId, "--add-scope", "write")).not.toContain("count again");
  await said("client", "update", clientId, "--remove-scope", "read");
  expect(await said("client", "update", clientId, "--add-scope", "read")).toMatch(
    /These count again for read: \d consents?\. With them, the app gets this access without asking the owner, also with refresh tokens from before\./,
  );
  const grantType = (flag: string) => said("client", "update", clientId, flag, "refresh_token");
  expect(await grantType("--remove-grant-type")).toContain(
    `The refresh tokens of the client stop working now. They work again if you add the grant type refresh_token again before they expire. ${TOKENS}`,
  );
  const again = await grantType("--add-grant-type");
  expect(again).toContain("Refresh tokens from before work again, until they expire.");
  expect(again).not.toContain("stop working");
  const own = ["--type", "confidential", "--grant-type", "client_credentials", "--own-scope", "read"];
  const { client_id: robot } = await at.json(["client", "create", "--name", "Robot", ...own]);
  expect(await said("client", "disable", String(robot), "--yes")).toContain(
    `No access had to end. The client gets no more tokens. ${TOKENS}`,
  );
  expect(await said("client", "disable", clientId, "--yes")).toMatch(
    /Disabled Printer \(.*\)\. Ended \d grants?\. .* Kept: \d consents? of owners\. The client gets no more tokens\. Issued/,
  );
  expect(await said("client", "enable", clientId)).toMatch(/Enabled Printer .* These count again: \d consents?\./);
  expect(await said("client", "delete", clientId, "--yes")).toMatch(
    /^Deleted Printer \(.*\)\. Ended \d consents?( and \d grants?)?\. Issued access tokens work until they expire\.\n$/,
  );
});

test("db restore --keep-consents → counts the consents that stay, and none as ended", async () => {
  const made = ["--type", "confidential", "--redirect-uri", "https://app.test/cb", "--scope", "read"];
  const add = async (name: string) =>
    String((await at.json(["client", "create", "--name", name, ...made]))["client_id"]);
  const apps = [await add("Before"), await add("Since")] as const;
  await use("alice", { app: apps[0] });
  const active = async () =>
    (await at.json<readonly { status: string }[]>(["consent", "list"])).filter(({ status }) => status === "active")
      .length;
  await at.json(["db", "backup", "kept.db"]);
  const kept = await active();
  const consents = kept === 1 ? "1 consent" : `${kept} consents`;
  await use("alice", { app: apps[1] });
  const told = await said("db", "restore", "kept.db", "--keep-consents", "--yes");
  expect(told).toMatch(/^Ended with the replaced data: \d+ grants and \d+ sessions?\.$/m);
  expect(told).toContain(
    `Consents (${consents}) and companies' approvals are as they were at the backup: those that were given since then are gone. Revoke again`,
  );
  expect(await active()).toBe(kept);
  expect(await said("db", "epoch", "--keep-consents", "--yes")).toContain(`Consents (${consents})`);
  expect(await said("db", "restore", "kept.db", "--yes")).toMatch(
    new RegExp(`^Ended with the replaced data: 0 grants, ${consents} and 0 sessions\\.$`, "m"),
  );
});
