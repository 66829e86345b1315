import { afterAll, beforeAll, expect, test } from "vitest";
import { openStorage } from "../../server/src/storage/open.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let clientId: string;

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  for (const username of ["ada", "bob"]) {
    await at.json(["user", "create", "--username", username, "--email", `${username}@x.test`, "--generate-password"]);
  }
  await at.json(["scope", "create", "read", "--description", "Read"]);
  const create = ["client", "create", "--name", "Photos", "--type", "confidential", "--scope", "read"];
  ({ client_id: clientId } = await at.json<{ client_id: string }>([
    ...create,
    "--redirect-uri",
    "https://app.test/cb",
  ]));
});
afterAll(() => at.remove());

const failure = async (...args: string[]) => {
  const { code, stderr } = await at.run(args);
  return [code, stderr] as const;
};

test("create: without name or slug → wrong usage; a slug that can't be one, a name with hidden characters → both told", async () => {
  expect((await failure("company", "create", "--name", "Acme"))[0]).toBe(2);
  const [code, stderr] = await failure("company", "create", "--name", "Ac\u202eme", "--slug", "a/b");
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: --name: .*\nerror: --slug: "a\/b" is not a slug/);
});

test("create → the record; a slug that is taken → refused", async () => {
  expect(await at.json(["company", "create", "--name", "Acme", "--slug", "Acme"])).toMatchObject({
    ...{ slug: "acme", name: "Acme", status: "active", default_rule: "ask", id: expect.any(String) },
  });
  expect(await failure("company", "create", "--name", "Acme 2", "--slug", "acme")).toEqual([
    1,
    'error: --slug: "acme" belongs to another company\n',
  ]);
});

test("add-member: to or of nobody, with another role → refused; else listed; once more → the new role", async () => {
  expect((await failure("company", "add-member", "nobody", "ada", "--role", "admin"))[1]).toMatch(
    /no company "nobody"/,
  );
  expect((await failure("company", "add-member", "acme", "eve", "--role", "admin"))[1]).toMatch(/no user "eve"/);
  expect((await failure("company", "add-member", "acme", "ada", "--role", "owner"))[0]).toBe(2);
  const add = (user: string, role: string) => at.json(["company", "add-member", "acme", user, "--role", role]);
  expect(await add("ada", "admin")).toMatchObject({ username: "ada", role: "admin", added_by: "operator" });
  expect(await add("bob@x.test", "member")).toMatchObject({ username: "bob", role: "member" });
  expect(await add("bob", "admin")).toMatchObject({ role: "admin" });
  expect(await at.json(["company", "show", "acme"])).toMatchObject({
    slug: "acme",
    members: [
      { username: "ada", role: "admin" },
      { username: "bob", role: "admin" },
    ],
    rules: [],
  });
});

test("remove-member → gone, even the last admin; once more → refused", async () => {
  expect(await at.json(["company", "remove-member", "acme", "bob"])).toMatchObject({ removed: true, grants_ended: 0 });
  expect((await failure("company", "remove-member", "acme", "bob"))[1]).toMatch(/"bob" is not a member of "acme"/);
  await at.json(["company", "add-member", "acme", "bob"]);
  const staffed = await at.run(["company", "remove-member", "acme", "bob"]);
  expect([staffed.code, staffed.stderr]).toEqual([0, ""]);
  const lesser = await at.run(["company", "add-member", "acme", "ada", "--role", "member"]);
  expect([lesser.code, lesser.stderr]).toEqual([0, expect.stringContaining("Acme has no admin now")]);
  expect((await at.run(["company", "add-member", "acme", "ada", "--role", "admin"])).stderr).toBe("");
  const last = await at.run(["company", "remove-member", "acme", "ada"]);
  expect([last.code, last.stderr + last.stdout]).toEqual([0, expect.stringContaining("has no admin now")]);
});

test("remove-member of somebody whose account the company's own provider made → says that the next sign-in there brings them back", async () => {
  await at.json(["company", "create", "--name", "Delta", "--slug", "delta"]);
  await at.json(["company", "add-member", "delta", "bob"]);
  const storage = await openStorage({ url: `sqlite:${at.dataDir}/assent.db`, writer: "main" });
  const company = await storage.companies.find({ slug: "delta" });
  const person = await storage.people.findByName({ name: "bob" });
  if (company === undefined || person === undefined) throw new Error("not there");
  const now = storage.now();
  const provider = {
    ...{ id: "p".repeat(22), name: "Delta ID", issuer: "https://login.delta.test", clientId: "assent" },
    ...{ sealedSecret: null, scopes: ["openid"], roles: null, triedAt: now, createdAt: now, changedAt: now },
    status: "active",
  } as const;
  const { partition, companyId } = company;
  await storage.companySignIn.putProvider({
    ...{ partition, companyId, provider, by: null, seen: null, most: 10, step: null, now },
  });
  const subject = { issuerId: provider.id, claim: provider.issuer, subject: "bob" };
  const { personId } = person;
  await storage.subjectLinks.link({
    ...{ partition: person.partition, personId, subject, sole: true, madeBy: "first use", now },
  });
  await storage.close();
  const remove = ["company", "remove-member", "delta", "bob"];
  const asked = await at.run(remove, { input: "n\n", terminal: true });
  expect(asked.stderr).toContain("The next sign-in with Delta ID makes the person a member again.");
  expect(asked.stderr).not.toContain("needs a new invitation");
  const done = await at.run(remove);
  expect([done.code, done.stdout + done.stderr]).toEqual([
    0,
    expect.stringContaining("The next sign-in with Delta ID makes the person a member again."),
  ]);
  await at.json(["company", "delete", "delta", "--yes"]);
});

test("policy: of no client, with a scope that it may not request, with flags that don't go together → refused", async () => {
  const policy = (...more: string[]) => failure("company", "policy", "acme", ...more);
  expect((await policy("c-none", "--rule", "allow"))[1]).toMatch(/no client "c-none"/);
  expect((await policy(clientId, "--rule", "allow", "--scope", "write"))[1]).toMatch(
    /--scope: write: the client may not/,
  );
  expect((await policy(clientId, "--rule", "block", "--scope", "read"))[0]).toBe(2);
  expect((await policy(clientId))[0]).toBe(2);
  expect((await policy(clientId, "--rule", "ask", "--for", "ada"))[0]).toBe(2);
  expect((await policy(clientId, "--rule", "allow", "--members", "end"))[0]).toBe(2);
  expect((await policy(clientId, "--rule", "allow", "--for", "ada"))[1]).toMatch(/"ada" is not a member of "acme"/);
});

test("policy allow --for → only these members; without it → all members again", async () => {
  await at.json(["company", "add-member", "acme", "bob"]);
  const rule = async () => (await at.json<{ rules: object[] }>(["company", "show", "acme"])).rules;
  const { id } = await at.json<{ id: string }>(["user", "show", "bob"]);
  await at.json(["company", "policy", "acme", clientId, "--rule", "allow", "--for", "bob"]);
  expect(await rule()).toMatchObject([{ rule: "allow", members: [id] }]);
  await at.json(["company", "policy", "acme", clientId, "--rule", "allow"]);
  expect(await rule()).toMatchObject([{ rule: "allow", members: null }]);
  await at.json(["company", "policy", "acme", clientId, "--rule", "none"]);
});

test("policy allow → a rule that ends in a year; revoke → none; block, none", async () => {
  const policy = (...more: string[]) => at.json(["company", "policy", "acme", clientId, ...more]);
  await policy("--rule", "allow");
  const { rules } = await at.json<{ rules: Record<string, string>[] }>(["company", "show", "acme"]);
  expect(rules).toMatchObject([{ client_id: clientId, rule: "allow", scope: "read" }]);
  const days = (Date.parse(rules[0]?.["expires_at"] ?? "") - Date.now()) / 86_400_000;
  expect(Math.round(days)).toBe(365);
  expect(await at.json(["company", "revoke", "acme", clientId])).toMatchObject({ revoked: true, grants_ended: 0 });
  expect((await failure("company", "revoke", "acme", clientId))[1]).toMatch(/has no active consent/);
  expect(await policy("--rule", "block")).toMatchObject({ rule: "block" });
  await policy("--rule", "none");
  expect(await at.json(["company", "show", "acme"])).toMatchObject({ rules: [] });
});

test("update → what is named changes; nothing named → wrong usage; renamed → found by the new slug alone", async () => {
  expect((await failure("company", "update", "acme"))[0]).toBe(2);
  const changed = await at.json([
    "company",
    "update",
    "acme",
    "--slug",
    "acme-corp",
    "--default-rule",
    "block",
    "--status",
    "disabled",
  ]);
  expect(changed).toMatchObject({ slug: "acme-corp", name: "Acme", default_rule: "block", status: "disabled" });
  expect((await failure("company", "show", "acme"))[1]).toBe('error: slug: there is no company "acme"\n');
  const add = await failure("company", "add-member", "acme-corp", "ada", "--role", "admin");
  expect(add[1]).toMatch(/the company is disabled/);
});

test("list and delete → gone, for a table, too", async () => {
  expect((await at.run(["company", "list"])).stdout).toMatch(/acme-corp +Acme +disabled +block/);
  expect(await at.json(["company", "delete", "acme-corp", "--yes"])).toMatchObject({ deleted: true });
  expect(await at.json<unknown[]>(["company", "list"])).toEqual([]);
});

test("revoke → says that an approval ends too, and by which rule the app can come back", async () => {
  await at.json(["company", "create", "--name", "Revoking", "--slug", "revoking"]);
  const revoked = async () => {
    await at.json(["company", "policy", "revoking", clientId, "--rule", "allow"]);
    return (await at.run(["company", "revoke", "revoking", clientId])).stdout;
  };
  expect(await revoked()).toMatch(/The approval has ended, too\. Members ask an admin/);
  await at.json(["company", "update", "revoking", "--default-rule", "members"]);
  expect(await revoked()).toMatch(/members decide, so they can connect the app again.*--rule block/);
});

test("the only admin is disabled, or deleted → the output names the company; with another active admin → nothing", async () => {
  await at.json(["company", "create", "--name", "Alone", "--slug", "alone"]);
  for (const username of ["eva", "max"]) {
    await at.json(["user", "create", "--username", username, "--email", `${username}@x.test`, "--generate-password"]);
    await at.json(["company", "add-member", "alone", username, "--role", "admin"]);
  }
  expect((await at.run(["user", "disable", "eva"])).stderr).not.toContain("No active admin");
  const { stderr } = await at.run(["user", "disable", "max"]);
  expect(stderr).toContain("No active admin is left in alone");
  await at.run(["user", "enable", "max"]);
  expect((await at.run(["user", "delete", "max"])).stderr).toContain("No active admin is left in alone");
  expect((await at.run(["user", "delete", "max", "--yes"])).stdout).toContain("No active admin is left in alone");
});
