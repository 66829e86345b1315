/**
 * The lists of a trusted issuer and of token exchange: a change of one value keeps the others, a replaced list says what it
 * lost, and no command removes a limit by mistake. On the database of this machine, and on a server.
 */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { adminToken } from "../../../test/support/admin-api.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

let server: TestServer;
let at: Workspace;
let envs: Readonly<Record<string, Readonly<Record<string, string>>>>;
const ISSUER = "https://idp.test";
const [MAIL, CALENDAR] = ["https://mail.test", "https://calendar.test"];

beforeAll(async () => {
  server = await startServer();
  at = aWorkspace();
  envs = {
    "this machine": { ASSENT_DATA_DIR: server.dataDir, ASSENT_ISSUER: server.issuer },
    "a server": { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: await adminToken(server) },
  };
  const env = envs["this machine"] ?? {};
  const done = (...args: readonly string[]) => at.json(args, { env });
  for (const api of [MAIL, CALENDAR]) {
    await done("resource", "create", "--identifier", api, "--name", api);
    await done("scope", "create", `${new URL(api).host}:read`, "--description", "May", "--resource", api);
  }
  await done("issuer", "create", "--type", "jwt", "--issuer", ISSUER, "--jwks-uri", `${ISSUER}/jwks`);
  for (const id of ["batch", "batch2", "report"]) await server.addClient({ clientId: id });
  const agent = await done(
    ...["client", "create", "--name", "Agent", "--type", "confidential", "--grant-type", "token-exchange"],
  );
  client = String(agent["client_id"]);
});
afterAll(async () => {
  at.remove();
  await server.stop();
});
let client = "";

describe.each(["this machine", "a server"])("on %s", (where) => {
  const run = (...args: readonly string[]) => at.run(args, { env: envs[where] ?? {} });
  const issuer = (...flags: readonly string[]) => run("issuer", "update", ISSUER, ...flags, "--json");
  const exchange = (...flags: readonly string[]) => run("client", "exchange", client, ...flags, "--json");
  const shownIssuer = async () => JSON.parse((await run("issuer", "list", "--json")).stdout)[0];

  describe("issuer update", () => {
    beforeEach(async () => {
      const lists = [
        "--client",
        "batch",
        "--client",
        "report",
        "--subject",
        "@corp.test",
        "--email-domain",
        "",
        "--yes",
      ];
      expect((await issuer(...lists)).code).toBe(0);
    });

    test.each([
      [["--client", "a", "--add-client", "b"], 2, "--client replaces the whole list"],
      [["--add-client", "a", "--remove-client", "a"], 2, "both name a"],
      [["--remove-client", "nobody"], 1, '--remove-client: "nobody" is not in the list: it has batch, report'],
      [["--remove-client", "batch", "--remove-client", "report"], 1, "--remove-client: the list would be empty"],
      [["--remove-subject", "@corp.test"], 1, 'which means no limit. If you want that, use --subject ""'],
    ])("%j → refused, nothing is changed", async (flags, wanted, words) => {
      const before = await shownIssuer();
      const { code, stderr } = await issuer(...flags);
      expect([code, stderr]).toEqual([wanted, expect.stringContaining(words)]);
      expect(await shownIssuer()).toEqual(before);
    });

    test("one client added and one removed → the others stay, and nothing is said", async () => {
      const { stdout, stderr } = await issuer("--add-client", "batch2", "--remove-client", "report");
      expect(JSON.parse(stdout)).toMatchObject({ clients: ["batch", "batch2"], subjects: ["@corp.test"] });
      expect(stderr).not.toContain("list");
    });

    test("a list replaced → the command names what it lost; emptied → that there is no limit", async () => {
      expect((await issuer("--client", "batch2")).stderr).toContain(
        "--client: the new list no longer has batch, report; to add to the list instead, use --add-client",
      );
      expect((await issuer("--client", "", "--yes")).stderr).toContain(
        "--client: the new list no longer has batch2. An empty list means no limit",
      );
    });

    test("a list emptied without --yes → what is possible then, and nothing is changed; with it → done, and the same is said", async () => {
      const before = await shownIssuer();
      const told =
        "Without a list of clients, any client with the grant type can use the issuer's assertions. Without a list of subjects, the issuer's assertions can be about anybody.";
      const refused = await issuer("--client", "", "--subject", "");
      expect([refused.code, refused.stderr]).toEqual([
        2,
        expect.stringContaining(`This change of issuer ${ISSUER} takes away a limit. ${told} Nothing was changed.`),
      ]);
      expect(await shownIssuer()).toEqual(before);
      const done = await run("issuer", "update", ISSUER, "--client", "", "--subject", "", "--yes");
      expect([done.code, await shownIssuer()]).toMatchObject([0, { clients: [], subjects: [] }]);
      for (const sentence of told.split(/(?<=\.) /)) expect(done.stderr).toContain(sentence);
      expect(await issuer("--client", "", "--max-lifetime", "60")).toMatchObject({ code: 0 });
    });

    test("the first value of a list → the command says that there is a limit now", async () => {
      const { stdout, stderr } = await issuer("--add-email-domain", "corp.test");
      expect(JSON.parse(stdout)).toMatchObject({ email_domains: ["corp.test"] });
      expect(stderr).toContain(
        "--add-email-domain: the list was empty, which meant no limit. Now it allows only corp.test",
      );
    });
  });

  describe("client exchange", () => {
    beforeEach(async () => {
      const lists = ["--subject", "access_token", "--source", MAIL, "--audience", MAIL, "--scope", "mail.test:read"];
      expect((await exchange(...lists)).code).toBe(0);
    });
    const policy = (stdout: string) => JSON.parse(stdout).token_exchange;

    test.each([
      [["--audience", MAIL, "--add-audience", CALENDAR], 2, "--audience replaces the whole list"],
      [["--off", "--add-audience", CALENDAR], 2, "--off alone"],
      [["--remove-audience", CALENDAR], 1, `--remove-audience: "${CALENDAR}" is not in the list: it has ${MAIL}`],
      [["--add-audience", "https://nobody.test"], 1, "there is no such API"],
      [["--add-subject", "saml"], 1, '"saml": use access_token'],
    ])("%j → refused", async (flags, wanted, words) => {
      const { code, stderr } = await exchange(...flags);
      expect([code, stderr]).toEqual([wanted, expect.stringContaining(words)]);
    });

    test("an API and a scope added → the others stay", async () => {
      const { stdout, stderr } = await exchange("--add-audience", CALENDAR, "--add-scope", "calendar.test:read");
      expect(policy(stdout)).toMatchObject({ audiences: [MAIL, CALENDAR], scope: "mail.test:read calendar.test:read" });
      expect(stderr).toBe("");
    });

    test("a list replaced → the command names what it lost", async () => {
      const { stdout, stderr } = await exchange("--audience", CALENDAR);
      expect(policy(stdout)).toMatchObject({ audiences: [CALENDAR] });
      expect(stderr).toContain(
        `--audience: the new list no longer has ${MAIL}; to add to the list instead, use --add-audience`,
      );
    });
  });
});

test("concurrent additions → all are stored", { timeout: 30_000 }, async () => {
  const env = envs["this machine"] ?? {};
  expect((await at.run(["issuer", "update", ISSUER, "--client", "", "--yes"], { env })).code).toBe(0);
  const add = (name: string) => at.run(["issuer", "update", ISSUER, "--add-client", name], { env, alone: true });
  const codes = await Promise.all(["batch", "batch2", "report"].map(add));
  expect(codes.map(({ code }) => code)).toEqual([0, 0, 0]);
  const [{ clients }] = JSON.parse((await at.run(["issuer", "list", "--json"], { env })).stdout);
  expect(clients).toEqual(expect.arrayContaining(["batch", "batch2", "report"]));
});
