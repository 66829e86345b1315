/**
 * A command that ends something needs a yes. On a terminal, it names what will end and asks. Without a terminal, it
 * refuses at once. It doesn't ask about something that is impossible.
 */

import { generateKeyPairSync } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStorage, type Storage } from "../../server/src/storage/open.ts";
import { aCompanyGrant, aStaffedCompany } from "../../server/test/storage/support/company-builders.ts";
import { aGrant, anApproval, aRedemption, aSession } from "../../server/test/storage/support/record-builders.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let clientId: string;
let kid: string;
let sessionId: string;

/** Stores a consent of the owner for the client. */
async function use(storage: Storage): Promise<void> {
  const person = await storage.people.findByName({ name: "alice" });
  if (person === undefined) throw new Error("alice is not there");
  const now = storage.now();
  const later = now + 3_600_000;
  for (let times = 0; times < 2; times += 1) {
    const grant = aGrant(person, { clientId, authTime: now, codeUntil: later });
    await storage.grants.approve(anApproval(grant, { now }));
    await storage.grants.redeem(aRedemption(grant, { now }));
  }
  const session = aSession(person, { now, authTime: now, idleUntil: later, absoluteUntil: later });
  sessionId = session.sessionId;
  await storage.sessions.create(session);
}

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  const idp = join(at.folder, "jwks.json");
  const jwk = generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" });
  writeFileSync(idp, JSON.stringify({ keys: [{ ...jwk, kid: "one" }] }));
  await at.json(["resource", "create", "--identifier", "https://api.test", "--name", "Photos"]);
  await at.json(["scope", "create", "read", "--description", "See"]);
  await at.json(["user", "create", "--username", "alice", "--email", "alice@x.test", "--generate-password"]);
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  await at.json(["company", "add-member", "acme", "alice", "--role", "admin"]);
  const issuer = [
    "issuer",
    "create",
    "--type",
    "jwt",
    "--issuer",
    "https://idp.test",
    "--jwks",
    idp,
    "--scope",
    "read",
  ];
  await at.json([...issuer, "--map-subject", "link"]);
  await at.json(["issuer", "link", "https://idp.test", "00u1", "--user", "alice"]);
  const made = ["--type", "public", "--redirect-uri", "https://app.test/cb", "--scope", "read"];
  clientId = String((await at.json(["client", "create", "--name", "Printer", ...made]))["client_id"]);
  await at.json(["company", "create", "--name", "Beta", "--slug", "beta"]);
  await at.json(["company", "policy", "beta", clientId, "--rule", "allow", "--scope", "read"]);
  kid = String((await at.json(["key", "rotate"]))["kid"]);
  await at.json(["key", "rotate", "--now"]);
  await at.json(["db", "backup", "b.db"]);
  await at.json(["export", "all.jsonl"]);
  const storage = await openStorage({ url: `sqlite:${join(at.dataDir, "assent.db")}`, writer: "main" });
  await use(storage);
  await storage.close();
});
afterAll(() => at.remove());

/** The command, its question, and a command whose output shows that nothing has ended. */
const COMMANDS: readonly (readonly [readonly string[], RegExp, readonly string[]])[] = [
  [
    ["client", "disable", "CLIENT"],
    /Printer \(CLIENT\) ends 2 grants\..* 2 consents of owners will stay/,
    ["client", "list"],
  ],
  [["client", "update", "CLIENT", "--status", "disabled"], /Printer \(CLIENT\) ends 2 grants/, ["client", "list"]],
  [
    ["client", "delete", "CLIENT"],
    /Printer \(CLIENT\) ends the consent of 2 people or companies, and 2 grants\. If you register the app again, they must consent again, except to access by assertions\. It ends 1 approval of a company: the members must then ask an admin\./,
    ["client", "list"],
  ],
  [
    ["user", "delete", "alice"],
    /alice .* ends 1 session, 2 grants, 1 consent and 1 company membership\./,
    ["user", "list"],
  ],
  [["company", "delete", "acme"], /Acme \(acme\) ends 1 membership\./, ["company", "list"]],
  [["resource", "delete", "https://api.test"], /Photos \(https:\/\/api.test\)/, ["resource", "list"]],
  [
    ["scope", "delete", "read"],
    /read takes it out of new tokens.* 1 client \(CLIENT\) stays registered for it/,
    ["scope", "list"],
  ],
  [["issuer", "delete", "https://idp.test"], /https:\/\/idp.test ends 1 link/, ["issuer", "list"]],
  [
    ["key", "retire", "KID"],
    /the key KID changes nothing for APIs, because it no longer signs\. .* its tokens work until they expire\. To end them sooner, add --now\./,
    ["key", "list"],
  ],
  [["key", "retire", "--now", "KID"], /each API refuses them as soon as it fetches the key set again/, ["key", "list"]],
  [
    ["db", "restore", "b.db"],
    /replaces the database at .*assent\.db \(1 person, 2 companies, 1 client, 2 grants, 2 consents, 1 session\)/,
    ["user", "list"],
  ],
  [
    ["import", "all.jsonl"],
    /replaces all data in the database at .*assent\.db \(1 person, 2 companies, 1 client, 2 grants, 2 consents, 1 session\)\. The command keeps a copy of that database beside it\. Everything that was created or changed since the export is then only in that copy, also passwords and settings: the server no longer has it\. .* were deleted since the export come back\. All sessions and grants end/,
    ["consent", "list"],
  ],
];

const withIds = (args: readonly string[]) =>
  args.map((one) => (one === "CLIENT" ? clientId : one === "SESSION" ? sessionId : one));
const filled = (args: readonly string[]) => args.map((one) => one.replace("CLIENT", clientId).replace("KID", kid));
/** `--` comes before the id, because an id may begin with a dash. */
const line = (args: readonly string[], ...flags: readonly string[]) => {
  const [noun = "", verb = "", ...rest] = filled(args);
  const named = rest.filter((one) => one.startsWith("--") || one === "disabled");
  return [noun, verb, ...flags, ...named, "--", ...rest.filter((one) => !named.includes(one))];
};

describe.each(COMMANDS.map(([args, ends, list]) => [args.join(" "), args, ends, list] as const))(
  "%s",
  (_, args, ends, list) => {
    const wanted = () => new RegExp(filled([ends.source])[0] ?? "");

    test.each([
      ["nobody at a terminal", { input: "y\n" }],
      ["nothing to read from", {}],
    ])("%s, no --yes → says what would end, exit code 2, and nothing ends", async (_who, options) => {
      const before = await at.json(list);
      const { code, stdout, stderr } = await at.run(line(args), options);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toMatch(/^error: [^\n]* Nothing was changed\. To continue, add --yes\.\n$/);
      expect(stderr).toMatch(wanted());
      expect(await at.json(list)).toEqual(before);
    });

    test.each(["\n", "n\n", "yess\n", ""])(
      "on a terminal, %j → asked with what ends, exit code 1, nothing ends",
      async (input) => {
        const before = await at.json(list);
        const { code, stdout, stderr } = await at.run(line(args), { input, terminal: true });
        expect([code, stdout]).toEqual([1, ""]);
        expect(stderr).toMatch(wanted());
        expect(stderr).toMatch(/Continue\? \[y\/N\] \n?error: cancelled: nothing was changed\n$/);
        expect(await at.json(list)).toEqual(before);
      },
    );
  },
);

describe.each([
  [["user", "disable", "alice"], /alice .* ends 1 session and 2 grants\..* 1 consent will stay/, ["user", "list"]],
  [["company", "update", "acme", "--status", "disabled"], /Acme \(acme\) ends no access\. Issued/, ["company", "list"]],
  [
    ["company", "remove-member", "acme", "alice"],
    /alice .* ends the membership\. To come back, the person needs a new invitation\. No active admin is left in acme: /,
    ["company", "show", "acme"],
  ],
  [
    ["company", "add-member", "acme", "alice", "--role", "member"],
    /alice is the only active admin of Acme \(acme\), and is about to become a member\. Then nobody can change its rules or invite members\. No active admin is left in acme: /,
    ["company", "show", "acme"],
  ],
  [["session", "revoke", "--user", "alice"], /alice .* ends 1 session\./, ["session", "list", "alice"]],
  [["session", "revoke", "SESSION"], /signs out one browser\./, ["session", "list", "alice"]],
  [["consent", "revoke", "alice", "CLIENT"], /alice to Printer \(.*\) ends 2 grants\./, ["consent", "list"]],
  [
    ["company", "revoke", "beta", "CLIENT"],
    /ends the approval and the access that 0 members gave it\. .* The app is not blocked: members can ask an admin to let it in again\./,
    ["company", "show", "beta"],
  ],
  [
    ["company", "policy", "acme", "CLIENT", "--rule", "block"],
    /Blocking Printer \(.*\) for Acme \(acme\) ends the access that 0 members gave it/,
    ["company", "show", "acme"],
  ],
] as const)("%j", (args, ends, list) => {
  test.each(["\n", "n\n", ""])("on a terminal, %j → asked with what ends, exit code 1, nothing ends", async (input) => {
    const before = await at.json(list);
    const { code, stdout, stderr } = await at.run(withIds(args), { input, terminal: true });
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(ends);
    expect(stderr).toMatch(/Continue\? \[y\/N\] \n?error: cancelled: nothing was changed\n$/);
    expect(await at.json(list)).toEqual(before);
  });
});

describe("what can't be done → said at once, without a question", () => {
  test.each([
    [["client", "delete", "nobody"], /there is no client/],
    [["client", "disable", "nobody"], /there is no client/],
    [["user", "delete", "nobody"], /there is no user/],
    [["user", "disable", "nobody"], /there is no user/],
    [["session", "revoke", "AAAA"], /there is no active session/],
    [["consent", "revoke", "alice", "nothing"], /has no active consent/],
    [["company", "revoke", "acme", "nothing"], /has no active consent/],
    [["company", "policy", "acme", "nothing", "--rule", "block"], /there is no client/],
    [["company", "delete", "nobody"], /there is no company/],
    [["scope", "delete", "nobody"], /there is no scope.*assent scope list/],
    [["scope", "delete", "profile"], /built into the server and can't be deleted.*--remove-scope profile/],
    [["resource", "delete", "https://nobody.test"], /there is no API.*assent resource list/],
    [["issuer", "delete", "https://nobody.test"], /nobody\.test/],
    [["key", "retire", "nobody"], /there is no key/],
    [["db", "restore", "nowhere.db"], /there is no backup/],
    [["db", "restore", "jwks.json"], /jwks\.json is no backup: it is not a database/],
    [["import", "nowhere.jsonl"], /there is no file at/],
    [["import", "jwks.json"], /cut off/],
  ] as const)("%j", async (args, problem) => {
    for (const terminal of [true, false]) {
      const { code, stderr } = await at.run(args, { terminal });
      expect([code, stderr]).toEqual([1, expect.stringMatching(problem)]);
      expect(stderr).not.toMatch(/\[y\/N\]|create/);
    }
  });

  test("an API that has scopes → they are named", async () => {
    const own = ["--description", "Write", "--resource", "https://api.test"];
    await at.json(["scope", "create", "write", ...own]);
    const { code, stderr } = await at.run(["resource", "delete", "https://api.test"], { terminal: true });
    expect([code, stderr]).toEqual([1, expect.stringContaining("scopes belong to it (write)")]);
    await at.json(["scope", "delete", "write", "--yes"]);
  });
});

test("a name with an escape sequence → none reaches the terminal", async () => {
  const { stderr } = await at.run(["client", "delete", "\u001b[2J"], { terminal: true });
  expect(stderr).not.toContain("\u001b");
});

test("yes on a terminal → done; --yes elsewhere → done; disabled already → no question; enabled again", async () => {
  const disable = ["client", "disable", clientId];
  expect((await at.run(disable, { input: "y\n", terminal: true })).code).toBe(0);
  expect(await at.json(["client", "show", clientId])).toMatchObject({ status: "disabled" });
  expect((await at.run(disable)).code).toBe(0);
  expect(await at.json(["client", "enable", clientId])).toMatchObject({ status: "active" });
  expect((await at.run(["user", "disable", "alice"], { input: "y\n", terminal: true })).code).toBe(0);
  expect((await at.run(["user", "disable", "alice"], { terminal: true })).code).toBe(0);
  expect(await at.json(["user", "enable", "alice"])).toMatchObject({ status: "active" });
  expect((await at.run(["user", "delete", "alice"], { input: "YES\n", terminal: true })).code).toBe(0);
  expect(await at.json(["user", "list"])).toEqual([]);
  expect(await at.json(["client", "delete", clientId, "--yes"])).toMatchObject({ deleted: true });
  const restored = await at.run(["db", "restore", "b.db"], { input: "y\n", terminal: true });
  expect([restored.code, restored.stderr]).toEqual([0, expect.stringContaining("0 people")]);
  expect(await at.json(["user", "list"])).toHaveLength(1);
});

test("restored where no database is → says so before it puts one there; for inspection → nothing to ask", async () => {
  const env = { ASSENT_DATA_DIR: join(at.folder, "new") };
  const refused = await at.run(["db", "restore", "b.db"], { env });
  expect([refused.code, refused.stderr]).toEqual([
    2,
    expect.stringContaining(`There is no database at ${env.ASSENT_DATA_DIR}`),
  ]);
  expect(existsSync(env.ASSENT_DATA_DIR)).toBe(false);
  expect((await at.run(["db", "restore", "b.db", "--yes"], { env })).code).toBe(0);
  const drill = { ASSENT_DATA_DIR: join(at.folder, "drill") };
  expect((await at.run(["db", "restore", "b.db", "--for-inspection"], { env: drill })).code).toBe(0);
});

test("somebody connected an app for a company; an issuer proves a client → said before they are deleted", async () => {
  const own = await aWorkspaceWithDatabase();
  try {
    const storage = await openStorage({ url: `sqlite:${join(own.dataDir, "assent.db")}`, writer: "main" });
    const { company, admin } = await aStaffedCompany(storage);
    const now = storage.now();
    const grant = aCompanyGrant(company, admin, { authTime: now, codeUntil: now + 3_600_000 });
    await storage.grants.approve(anApproval(grant, { now }));
    await storage.grants.redeem(aRedemption(grant, { now }));
    await storage.close();
    const deleting = await own.run(["user", "delete", "--", admin.username]);
    expect(deleting.stderr).toMatch(/ends 1 company grant and 1 company membership\./);
    const disabling = await own.run(["user", "disable", "--", admin.username], { input: "n\n", terminal: true });
    expect(disabling.stderr).toMatch(/ends 1 company grant\. They don't come back/);

    const keys = ["--type", "jwt", "--jwks-uri", "https://ci.test/jwks"];
    await own.json(["issuer", "create", "--issuer", "https://ci.test", ...keys]);
    await own.json(["scope", "create", "list", "--description", "See"]);
    const job = [
      "--name",
      "Job",
      "--type",
      "confidential",
      "--grant-type",
      "client_credentials",
      "--own-scope",
      "list",
    ];
    const proof = ["--workload-issuer", "https://ci.test", "--workload-subject", "repo:octo/app"];
    await own.json(["client", "create", ...job, ...proof]);
    const issuer = await own.run(["issuer", "delete", "https://ci.test"]);
    expect(issuer.stderr).toMatch(/1 client can no longer authenticate with its tokens: Job \(/);
  } finally {
    own.remove();
  }
});
