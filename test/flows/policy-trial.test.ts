/** `assent policy try`: recorded sign-ins and consents are asked about again; nothing changes. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { aWorkspace, aWorkspaceWithDatabase } from "../../packages/cli/test/support/run-command.ts";
import { adminOf, type OpenedAdmin } from "../../packages/server/src/admin/context.ts";
import type { CustomClaims, Policies } from "../../packages/server/src/index.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { changeRecord, type Tried, tryPolicies } from "../../packages/server/src/policy-trial.ts";
import { addCompany, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const NOTHING: Tried = { policies: null, customClaims: [] };
const signInBy = (decide: NonNullable<Policies["signIn"]>["decide"]): Tried => ({
  policies: { signIn: { decide, timeout: 100 } },
  customClaims: [],
});
const issueBy = (decide: NonNullable<Policies["issue"]>["decide"]): Tried => ({
  policies: { issue: { decide } },
  customClaims: [],
});

let refuses = false;
let server: TestServer;
let app: TestClient;
let job: TestClient;
let person: Person;
let admin: OpenedAdmin;
beforeAll(async () => {
  const decide = () => (refuses ? { allow: false } : ({ allow: true } as const)) as { allow: true };
  server = await startServer({ config: { policies: { signIn: { decide } } } });
  app = await server.addClient({ scopes: ["read", "write"] });
  job = await server.addClient({ grantTypes: ["client_credentials"], responseTypes: [], ownScopes: ["read"] });
  person = await server.addPerson();
  await authorize(new Agent(server.issuer), authorizeUrl(server, app, { scope: "read write" }), person.username);
  refuses = true;
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username, await agent.get(authorizeUrl(server, app, {})));
  admin = adminOf(server.assent.storage, server.issuer, server.now) as OpenedAdmin;
  const { chain } = server.assent.storage.events;
  const kinds = async () => (await chain({ after: 0, limit: 1000 })).map(({ kind }) => kind);
  const wanted = expect.arrayContaining(["sign_in.succeeded", "sign_in.refused", "consent.given"]);
  await vi.waitFor(async () => expect(await kinds()).toEqual(wanted), { timeout: 20_000, interval: 100 });
}, 40_000);
afterAll(() => server.stop());

const tried = async (next: Tried, present = NOTHING, query = {}) => {
  const trial = await tryPolicies(present, next, { since: 0, ...query }, admin);
  return { ...trial, changes: trial.changes.map(changeRecord) };
};

test("the same rules → asked about everything, and nothing changes", async () => {
  const same = signInBy(({ acr }) => ({ allow: acr !== "1fa" }));
  expect(await tried(same, same)).toEqual({
    ...{ asked: { sign_ins: 2, tokens: 0, claims: 0, own_tokens: 0 }, changes: [], failures: 0, skipped: {} },
  });
});

test("a sign-in that worked and one that a policy refused → asked with what was known then", async () => {
  const asked: unknown[] = [];
  await tried(
    signInBy(({ signal: _, ...about }) => {
      asked.push(about);
      return { allow: true };
    }),
  );
  const common = {
    ...{ when: "sign_in", sub: person.personId, username: person.username, companies: [], acr: "1fa", amr: ["pwd"] },
    ...{ provider: null, authTime: expect.any(Number), clientId: app.clientId, address: "127.0.0.1" },
    ...{ knownDevice: false, at: expect.any(Number) },
  };
  expect(asked).toEqual([common, common]);
});

describe("rules that differ → each difference, both ways", () => {
  test("sign-ins", async () => {
    const denies = signInBy(() => ({ allow: false, reason: "secret" }));
    const { changes } = await tried(denies);
    const about = { about: "sign_in", sub: person.personId, client_id: app.clientId };
    expect(changes).toEqual([
      expect.objectContaining({ ...about, before: "allowed", after: "denied" }),
      expect.objectContaining({ ...about, before: "allowed", after: "denied" }),
    ]);
    expect((await tried(NOTHING, denies)).changes[0]).toMatchObject({ before: "denied", after: "allowed" });
    const stronger = signInBy(() => ({ allow: true, require: "mfa" }));
    expect((await tried(stronger)).changes[0]).toMatchObject({ after: "requires mfa" });
    expect((await tried(denies, NOTHING, { clientId: job.clientId })).changes).toEqual([]);
  });

  test("tokens: scopes, lifetime, refusal; a client in its own name as registered", async () => {
    const next = issueBy(({ grantType, scopes }) =>
      grantType === "client_credentials"
        ? { allow: false }
        : { allow: true, scopes: scopes.filter((name) => name !== "write"), lifetime: 60 },
    );
    const { changes, asked } = await tried(next);
    expect(asked).toEqual({ sign_ins: 0, tokens: 1, claims: 0, own_tokens: 1 });
    expect(changes).toContainEqual({
      ...{ about: "token", event: expect.any(String), at: expect.any(String), sub: person.personId },
      ...{ client_id: app.clientId, before: "allowed: read write", after: "allowed: read, at most 60 s" },
    });
    expect(changes).toContainEqual({
      ...{ about: "token", event: null, at: null, sub: job.clientId, client_id: job.clientId },
      ...{ before: "allowed: read", after: "denied" },
    });
  });

  test("claims → their names, without the values", async () => {
    const claims = (value: string): Tried => {
      const custom: CustomClaims = {
        scope: "read",
        claims: ["team", "floor"],
        give: () => ({ team: value, floor: 1 }),
      };
      return { policies: null, customClaims: [custom] };
    };
    const { changes, asked } = await tried(claims("red"), claims("blue"));
    expect(asked).toEqual({ sign_ins: 0, tokens: 0, claims: 1, own_tokens: 0 });
    expect(changes).toMatchObject([{ before: "floor team (differs)", after: "floor team (differs)" }]);
  });
});

test("the file throws, never answers, or answers nonsense → a failure each, also where it failed before", async () => {
  for (const [decide, why] of [
    [() => Promise.reject(new TypeError("secret")), "fails: the policy about sign-ins: the code threw TypeError"],
    [() => new Promise(() => undefined), "fails: the policy about sign-ins: no answer after 100 ms"],
    [() => "yes", "fails: the policy about sign-ins: the answer has no allow"],
  ] as const) {
    const bad = signInBy(decide as never);
    const { changes, failures } = await tried(bad, bad);
    expect([failures, changes.map(({ after }) => after)]).toEqual([2, [why, why]]);
  }
});

test("a trial → no event, no ticket, no row more", async () => {
  const { events, refusals } = server.assent.storage;
  const before = await events.chain({ after: 0, limit: 1000 });
  await tried(signInBy(() => ({ allow: false })));
  expect(await events.chain({ after: 0, limit: 1000 })).toEqual(before);
  expect(await refusals.list({ clientId: null, condition: null, before: null, limit: 10 })).toHaveLength(1);
});

test("an approval → left out, because nobody signed in for it; an admin for a company → asked with the admin as actor", async () => {
  const company = await addCompany(server);
  const { companyId } = company;
  const url = authorizeUrl(server, app, { scope: "read" });
  refuses = false;
  await authorize(new Agent(server.issuer), url, company.admin.username, { owner: companyId });
  await decide(server, company, app, {});
  const { chain } = server.assent.storage.events;
  const ofCompany = async () => (await chain({ after: 0, limit: 1000 })).filter(({ subject }) => subject === companyId);
  const given = async () => (await ofCompany()).filter(({ kind }) => kind === "consent.given");
  await vi.waitFor(async () => expect(await given()).toHaveLength(2), { timeout: 20_000, interval: 100 });
  const asked: unknown[] = [];
  const { skipped } = await tried(
    issueBy(({ sub, actor }) => {
      if (sub === companyId) asked.push(actor);
      return { allow: true };
    }),
  );
  expect(skipped).toEqual({ "an approval or an assertion: nobody signed in for it": 1 });
  expect(asked).toEqual([company.admin.personId]);
});

test("the command → 0 without a difference, 3 with one, 2 without a file, 1 for a wrong one", async () => {
  const at = await aWorkspaceWithDatabase();
  const run = (...flags: readonly string[]) => at.run(["policy", "try", ...flags]);
  const file = (name: string, text: string) => {
    writeFileSync(join(at.folder, name), text);
    return join(at.folder, name);
  };
  try {
    await at.run(["scope", "create", "jobs", "--description", "Jobs"]);
    const made = await at.run([
      "client",
      "create",
      "--name",
      "Job",
      "--type",
      "confidential",
      "--grant-type",
      "client_credentials",
      "--own-scope",
      "jobs",
    ]);
    expect(made.stderr).not.toContain("error");
    const same = await run("-f", file("same.ts", "export default { policies: {} };"));
    expect([same.code, same.stderr]).toEqual([0, expect.stringContaining("not recorded: refreshes")]);
    const no = file("no.ts", "export default { policies: { issue: { decide: () => ({ allow: false }) } } };");
    const differs = await run("-f", no, "--json");
    expect([differs.code, JSON.parse(differs.stdout)]).toMatchObject([
      3,
      { asked: { tokens: 0, own_tokens: 1 }, changes: [{ after: "denied" }] },
    ]);
    const waits = "export default { policies: { issue: { timeout: 300, decide: () => new Promise(() => {}) } } };";
    const late = await at.run(["policy", "try", "-f", file("late.ts", waits), "--json"], { alone: true });
    expect([late.code, JSON.parse(late.stdout)]).toMatchObject([3, { failures: 1 }]);
    expect((await run()).code).toBe(2);
    expect((await run("-f", file("wrong.ts", "export default { policies: { issue: 1 } };"))).code).toBe(1);
    expect((await run("-f", join(at.folder, "nowhere.ts"))).code).toBe(1);
  } finally {
    at.remove();
  }
}, 60_000);

test("the command, every recorded question left out → 1, and why: that is no trial", async () => {
  const site = await startServer();
  const at = aWorkspace();
  const env = {
    ASSENT_ISSUER: site.issuer,
    ASSENT_DATA_DIR: site.dataDir,
    ASSENT_DATABASE_URL: site.assent.config.databaseUrl,
  };
  try {
    const { username } = await site.addPerson();
    const gone = await site.addClient();
    await authorize(new Agent(site.issuer), authorizeUrl(site, gone), username);
    const kinds = async () =>
      (await site.assent.storage.events.chain({ after: 0, limit: 100 })).map(({ kind }) => kind);
    await vi.waitFor(async () => expect(await kinds()).toContain("consent.given"), { timeout: 20_000 });
    expect((await at.run(["client", "delete", gone.clientId, "--yes"], { env })).code).toBe(0);
    const deleted = await at.run(["user", "delete", username, "--yes"], { env });
    expect(deleted.code, deleted.stderr).toBe(0);
    const rules = join(at.folder, "rules.ts");
    writeFileSync(rules, "export default { policies: { signIn: { decide: () => ({ allow: false }) } } };");
    const { code, stderr } = await at.run(["policy", "try", "-f", rules], { env });
    expect([code, stderr]).toEqual([1, expect.stringContaining("1 left out: ")]);
    expect(stderr).toContain("error: nothing was tried");
    const none = join(at.folder, "none.ts");
    writeFileSync(none, "export default { policies: {} };");
    await site.addClient({ grantTypes: ["client_credentials"], responseTypes: [], ownScopes: ["read"] });
    const issue = (name: string, allow: boolean) => {
      const file = join(at.folder, name);
      const decide = `policies: { issue: { decide: () => ({ allow: ${allow} }) } }`;
      writeFileSync(file, `export default { ${decide} };`);
      return at.run(["policy", "try", "-f", file], { env });
    };
    // The client in its own name is asked about, but it is no person.
    const half = await issue("half.ts", true);
    expect([half.code, half.stderr]).toEqual([1, expect.stringContaining("1 tokens of clients in their own name")]);
    expect(half.stderr).toContain("error: nothing was tried about people: every recorded question was left out");
    const changed = await issue("changed.ts", false);
    expect([changed.code, changed.stderr]).toEqual([3, expect.stringContaining("nothing was tried about people")]);
    // Nothing asks about the consent of the deleted client, so nothing is left out.
    expect(await at.run(["policy", "try", "-f", none], { env })).toMatchObject({ code: 0 });
  } finally {
    at.remove();
    await site.stop();
  }
}, 60_000);
