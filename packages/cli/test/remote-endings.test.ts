/** Before a command on a server ends access, it says what ends, with the same words and numbers as on the server's machine. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminToken } from "../../../test/support/admin-api.ts";
import type { TestServer } from "../../../test/support/test-server.ts";
import { aCompanyGrant } from "../../server/test/storage/support/company-builders.ts";
import { aGrant, anApproval, aRedemption, aSession } from "../../server/test/storage/support/record-builders.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

let server: TestServer;
let at: Workspace;
let env: Record<string, string>;
const ids: Record<string, string> = {};
const HOUR = 3_600_000;
const [MAIL, IDP] = ["https://as.mail.test", "https://idp.test"];

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  const json = async (...args: readonly string[]) => at.json(args);
  await json("resource", "create", "--identifier", "https://photos.test", "--name", "Photos");
  await json("resource", "create", "--identifier", "https://used.test", "--name", "Used");
  await json("scope", "create", "use", "--description", "Use", "--resource", "https://used.test");
  await json("scope", "create", "see", "--description", "See");
  for (const username of ["ada", "bob", "dan"])
    await json("user", "create", "--username", username, "--email", `${username}@x.test`, "--generate-password");
  await json("company", "create", "--name", "Acme", "--slug", "acme", "--default-rule", "members");
  await json("company", "add-member", "acme", "ada", "--role", "admin");
  await json("company", "add-member", "acme", "bob");
  const kind = ["--type", "confidential", "--redirect-uri", "https://app.test/cb"];
  const exchange = [
    "--grant-type",
    "authorization_code",
    "--grant-type",
    "refresh_token",
    "--grant-type",
    "token-exchange",
  ];
  const made = await json("client", "create", "--name", "Printer", ...kind, ...exchange, "--scope", "see");
  ids["CLIENT"] = String(made["client_id"]);
  const idle = await json("client", "create", "--name", "Idle", ...kind);
  ids["IDLE"] = String(idle["client_id"]);
  await json("client", "disable", ids["IDLE"], "--yes");
  const there = ["client", "connect", ids["CLIENT"], "--audience", MAIL, "--client-id-there", "w"];
  await json(...there, "--scope", "mail:read", "--offer", "Mail");
  await json(
    "issuer",
    "create",
    "--type",
    "jwt",
    "--issuer",
    IDP,
    "--jwks-uri",
    `${IDP}/jwks`,
    "--map-subject",
    "link",
  );
  await json("issuer", "link", IDP, "00u1", "--user", "ada");
  const provider = ["--name", "ID", "--issuer", "https://accounts.test", "--client-id", "me"];
  ids["PROVIDER"] = String(
    (await at.json(["provider", "create", ...provider, "--client-secret-stdin"], { input: "s" }))["id"],
  );
  ids["HOOK"] = String((await json("webhook", "create", "--url", "https://hooks.test/in", "--kind", "user.*"))["id"]);
  ({ server, remote: env } = await serveWorkspace(at));
  await use();
  ids["IDENTITY"] = String((await at.json<{ id: string }[]>(["user", "identities", "ada"]))[0]?.id);
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

/** Ada allows the app for herself, Bob for the company, whose admin connected it with another server. */
async function use() {
  const { storage } = server.assent;
  const [ada, bob, company] = await Promise.all([
    storage.people.findByName({ name: "ada" }),
    storage.people.findByName({ name: "bob" }),
    storage.companies.find({ slug: "acme" }),
  ]);
  if (ada === undefined || bob === undefined || company === undefined) throw new Error("somebody is not there");
  const now = server.now();
  const common = { clientId: ids["CLIENT"] ?? "", scopes: ["see"], authTime: now, codeUntil: now + HOUR };
  for (const grant of [aGrant(ada, common), aCompanyGrant(company, bob, common)]) {
    await storage.grants.approve(anApproval(grant, { now }));
    await storage.grants.redeem(aRedemption(grant, { now }));
  }
  const session = aSession(ada, { now, authTime: now, idleUntil: now + HOUR, absoluteUntil: now + HOUR });
  ids["SESSION"] = session.sessionId;
  await storage.sessions.create(session);
  const { partition, companyId } = company;
  const put = await storage.companyConnections.put({
    ...{ partition, companyId, clientId: common.clientId, audience: MAIL },
    ...{ endsAt: now + HOUR, seen: null, by: null, now },
    record: {
      ...{ clientIdThere: "w", scopes: ["mail:read"], resources: [], clientName: "Printer", serverName: "Mail" },
      texts: {},
    },
  });
  expect(put).toBe("stored");
}

const withIds = (args: readonly string[]) => args.map((word) => ids[word] ?? word);

/** The command, and a part of what it says. */
const COMMANDS: readonly (readonly [readonly string[], string])[] = [
  [["client", "disable", "CLIENT"], "ends 2 grants. They don't come back"],
  [["client", "update", "CLIENT", "--status", "disabled"], "this disconnects 1 company with 2 members at"],
  [["client", "delete", "CLIENT"], "It ends 1 connection of a company with other servers"],
  [["client", "exchange", "CLIENT", "--off"], "ends the connections with other servers: 1 company with 2 members at"],
  [["client", "connect", "CLIENT", "--audience", MAIL, "--off"], "Withdrawing this offer disconnects 1 company with"],
  [["user", "disable", "ada"], "ends 1 session and 1 grant."],
  [["user", "delete", "ada"], "ends 1 session, 1 grant, 1 consent and 1 company membership."],
  [["user", "delete", "ada"], "No active admin is left in acme"],
  [["user", "disconnect", "ada", "IDENTITY"], "ends sign-in with that identity"],
  [["company", "update", "acme", "--status", "disabled"], "Disabling Acme (acme) ends 1 grant."],
  [["company", "delete", "acme"], "Deleting Acme (acme) ends 2 memberships, 1 grant and 1 consent."],
  [["company", "remove-member", "acme", "bob"], "ends the membership and 1 grant that the person made for the company"],
  [["company", "remove-member", "acme", "ada"], "No active admin is left in acme"],
  [["company", "add-member", "acme", "ada"], "ada is the only active admin of Acme (acme)"],
  [["company", "policy", "acme", "CLIENT", "--rule", "block"], "ends the access that 1 member gave it"],
  [
    ["company", "policy", "acme", "CLIENT", "--rule", "block"],
    `gets no new access at Mail (${MAIL}) for members while`,
  ],
  [["company", "revoke", "acme", "CLIENT"], "ends the access that 1 member gave it"],
  [["company", "revoke", "acme", "CLIENT"], "To prevent that, run: assent company policy acme CLIENT --rule block\n"],
  [["consent", "revoke", "ada", "CLIENT"], "to Printer (CLIENT) ends 1 grant."],
  [["consent", "revoke", "acme", "CLIENT", "--company"], "ends the access that 1 member gave it"],
  [["session", "revoke", "--user", "ada"], "ends 1 session. Apps keep their access."],
  [["session", "revoke", "SESSION"], "signs out one browser. Apps keep their access."],
  [["scope", "delete", "see"], "1 client (CLIENT) stays registered for it"],
  [["resource", "delete", "https://photos.test"], "Deleting Photos (https://photos.test) ends its introspection"],
  [["issuer", "delete", IDP], "ends 1 link of its subjects to users"],
  [["provider", "delete", "PROVIDER"], "Deleting the provider ID disconnects 0 people."],
  [["webhook", "delete", "HOOK"], "Deleting the webhook for https://hooks.test/in"],
];

/** The change, how to undo it, and a part of what the command says. */
const CHANGES: readonly (readonly [readonly string[], readonly string[], string])[] = [
  [
    ["issuer", "update", IDP, "--status", "disabled"],
    ["issuer", "update", IDP, "--status", "active"],
    "The server refuses its assertions now. Issued access tokens work until they expire.",
  ],
  [
    ["provider", "update", "PROVIDER", "--status", "disabled"],
    ["provider", "update", "PROVIDER", "--status", "active"],
    "Nobody can sign in there now. Sessions that began there stay, and apps keep their access.",
  ],
  [
    ["client", "update", "CLIENT", "--first-party"],
    ["client", "update", "CLIENT", "--no-first-party"],
    "warning: --first-party: the server does not ask owners for consent to this client",
  ],
  [
    ["client", "update", "CLIENT", "--consent-ceiling", "3600"],
    ["client", "update", "CLIENT", "--no-consent-ceiling"],
    "It is 3,600 seconds from the owner's last answer. 2 consents will end at this limit, or before.",
  ],
];

describe("over the network", () => {
  test.each(COMMANDS)("%j → asked with the server and the same sentence as on its machine", async (args, part) => {
    const asked = { input: "n\n", terminal: true };
    const [own, remote] = [await at.run(withIds(args), asked), await at.run(withIds(args), { ...asked, env })];
    expect(own.stderr).toContain(part.replaceAll(/[A-Z]{4,}/g, (word) => ids[word] ?? word));
    expect([remote.code, remote.stderr]).toEqual([1, `On ${server.issuer}: ${own.stderr}`]);
  });

  test("what is disabled already → no question, and the same note; enabled → what counts again", async () => {
    const { code, stderr } = await at.run(withIds(["client", "disable", "IDLE"]), { env });
    expect([code, stderr]).toEqual([0, `Idle (${ids["IDLE"]}) was disabled already. Nothing was ended.\n`]);
    expect((await at.run(withIds(["client", "enable", "IDLE"]), { env })).stderr).toBe(
      `Enabled Idle (${ids["IDLE"]}). Sessions and grants that ended stay ended.\n`,
    );
  });

  test.each(CHANGES)("%j → the same warnings and notes as on its machine", async (change, undo, part) => {
    const runs: string[] = [];
    for (const options of [{}, { env }]) {
      const { code, stderr } = await at.run(withIds(change), options);
      expect([code, stderr]).toEqual([0, expect.stringContaining(part)]);
      runs.push(stderr);
      expect(await at.run(withIds(undo), options)).toMatchObject({ code: 0 });
    }
    expect(runs[1]).toBe(runs[0]);
  });

  test("an unknown record → said at once, without a question", async () => {
    for (const args of [
      ["client", "delete", "nobody"],
      ["client", "disable", "nobody"],
      ["scope", "delete", "nobody"],
      ["issuer", "delete", "https://nobody.test"],
      ["provider", "delete", "nobody"],
    ]) {
      const { code, stderr } = await at.run(args, { env, terminal: true });
      expect([args, code, stderr]).toEqual([args, 1, expect.not.stringContaining("[y/N]")]);
    }
  });

  test.each([
    [["consent", "revoke", "dan", "CLIENT"], '"dan" has no active consent for "CLIENT"'],
    [["consent", "revoke", "acme", "IDLE", "--company"], '"acme" has no active consent for "IDLE"'],
    [["company", "revoke", "acme", "nosuch"], '"acme" has no active consent for "nosuch"'],
    [["company", "remove-member", "acme", "dan"], '"dan" is not a member of "acme"'],
    [["company", "policy", "acme", "CLIENT", "--rule", "allow", "--for", "dan"], '"dan" is not a member of "acme"'],
  ])("%j → refused in the words of the machine, and the stored refusal has no internal id", async (args, problem) => {
    const [own, remote] = [await at.run(withIds(args)), await at.run(withIds(args), { env })];
    const told = problem.replaceAll(/[A-Z]{4,}/g, (word) => ids[word] ?? word);
    expect(own.stderr).toMatch(/^error: /);
    expect(own.stderr).toContain(told);
    expect([remote.code, remote.stderr]).toEqual([1, own.stderr]);
    const asked = { clientId: null, condition: null, before: null, limit: 1 };
    const last = async () => (await server.assent.storage.refusals.list(asked))[0]?.detail;
    await expect.poll(last).toContain(told);
  });

  test("client create, client show → the warnings of the machine", async () => {
    const warnings = ({ stderr }: { readonly stderr: string }) => stderr.match(/^warning: .*$/gm);
    const create = ["client", "create", "--name", "Printer", "--type", "confidential", "--first-party"];
    const flags = ["--redirect-uri", "https://app.test/cb", "--grant-type", "authorization_code"];
    const runs: unknown[] = [];
    for (const options of [{}, { env }]) {
      const made = await at.run([...create, ...flags, "--grant-type", "client_credentials"], options);
      const id = /^client_id +(\S+)$/m.exec(made.stdout)?.[1] ?? "";
      const shown = await at.run(["client", "show", id], options);
      runs.push([warnings(made), warnings(shown), Object.keys(await at.json(["client", "show", id], options))]);
      await at.json(["client", "delete", id, "--yes"]);
    }
    expect(runs[0]).toEqual([
      [
        "warning: this client has no scope, but every request needs one: add --scope",
        expect.stringMatching(/^warning: --own-scope: this client has no scope of its own/),
        expect.stringMatching(/^warning: --first-party: /),
        expect.stringMatching(/^warning: --name: owners may confuse this client .*: \S+ \(Printer\)$/),
      ],
      [expect.stringContaining("no scope"), expect.stringContaining("of its own"), expect.anything()],
      expect.not.arrayContaining(["warnings"]),
    ]);
    expect(runs[1]).toEqual(runs[0]);
  });

  test("an API that has scopes → refused before the question, as on the server's machine", async () => {
    for (const flags of [[], ["--yes"]]) {
      const args = ["resource", "delete", "https://used.test", ...flags];
      const own = await at.run(args, { terminal: true, input: "y\n" });
      expect(own.stderr).toBe("error: identifier: scopes belong to it (use): delete or move them first\n");
      expect(await at.run(args, { env, terminal: true, input: "y\n" })).toEqual(own);
    }
    const { code, stderr } = await at.run(["resource", "delete", "https://none.test"], { env, terminal: true });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*there is no API "https:\/\/none\.test"/)]);
  });

  test("the rights of a caller → those for reading the record", async () => {
    const narrow = { ...env, ASSENT_TOKEN: await adminToken(server, "admin:users:read") };
    const { code, stderr } = await at.run(withIds(["client", "delete", "CLIENT"]), { env: narrow, terminal: true });
    expect([code, stderr]).toEqual([1, expect.stringContaining("does not have the scope admin:clients:read")]);
  });

  test("done → the same note as on the server's machine", async () => {
    const deleted = await at.run(["user", "delete", "bob", "--yes"], { env });
    expect([deleted.code, deleted.stdout]).toEqual([
      0,
      "Deleted bob. Ended 1 company grant and 1 company membership. Issued access tokens work until they expire.\n",
    ]);
    const client = await at.run(withIds(["client", "delete", "CLIENT", "--yes"]), { env });
    expect(client.stdout).toContain("Ended 2 consents, 1 grant and 1 company connection. Disconnected: 1 company");
  });
});

describe("a server of an earlier version, which doesn't count", () => {
  let old: Server;
  const deleted: string[] = [];
  beforeAll(async () => {
    old = createServer((request, response) => {
      const isDeletion = request.method === "DELETE";
      if (isDeletion) deleted.push(String(request.url));
      response.writeHead(isDeletion ? 204 : 404, { "content-type": "application/problem+json" });
      const problem = "there is no operation with this path; openapi.json lists all";
      response.end(isDeletion ? "" : JSON.stringify({ title: "No record", errors: [{ field: null, problem }] }));
    });
    await new Promise<void>((resolve) => old.listen(0, "127.0.0.1", resolve));
  });
  afterAll(() => old.close());

  test("asked without numbers, and done", async () => {
    const address = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const options = { env: { ASSENT_SERVER: address, ASSENT_TOKEN: "token" } };
    const asked = await at.run(["client", "delete", "app"], options);
    expect([asked.code, asked.stderr, deleted]).toEqual([
      2,
      expect.stringContaining(
        `On ${address}: Deleting app ends access. The server has an earlier version and doesn't say how much.`,
      ),
      [],
    ]);
    const done = await at.run(["client", "delete", "app", "--yes"], options);
    expect([done.code, done.stdout]).toEqual([0, "Deleted app. Issued access tokens work until they expire.\n"]);
    expect(deleted).toEqual(["/admin/api/v1/clients/app"]);
  });
});

test("the server fails while it counts → the command fails, and the only admin stays one", async () => {
  // Passes everything on, but the operation that counts.
  const between = createServer(async (request, response) => {
    const { method = "GET", url = "/", headers } = request;
    if (url.endsWith("/impact")) {
      response.writeHead(503, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ title: "Overloaded", code: "overloaded", request_id: "r" }));
      return;
    }
    const body = await Array.fromAsync(request, String);
    const sent = { authorization: String(headers.authorization), "content-type": headers["content-type"] ?? "" };
    const asked = await fetch(server.issuer + url, {
      method,
      headers: sent,
      body: body.length === 0 ? null : body.join(""),
    });
    response.writeHead(asked.status, { "content-type": asked.headers.get("content-type") ?? "" });
    response.end(await asked.text());
  });
  await new Promise<void>((resolve) => between.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(between.address() as AddressInfo).port}`;
  const { code, stderr } = await at.run(["company", "add-member", "acme", "ada"], {
    env: { ...env, ASSENT_SERVER: address },
  });
  between.close();
  expect([code, stderr]).toEqual([1, expect.stringContaining("Overloaded (overloaded; request r)")]);
  const { members } = await at.json<{ members: { username: string; role: string }[] }>(["company", "show", "acme"]);
  expect(members.find(({ username }) => username === "ada")?.role).toBe("admin");
});
