/** `assent user update` asks before operators take the role admin from themselves, or the last one loses it. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { decide } from "../../../test/support/device-actor.ts";
import { Agent } from "../../../test/support/http-browser.ts";
import type { TestServer } from "../../../test/support/test-server.ts";
import { createAdminToken } from "../../server/src/admin/api-access/tokens.ts";
import { adminOf } from "../../server/src/admin/context.ts";
import { aWorkspaceWithDatabase, type RunOptions, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

let server: TestServer;
let at: Workspace;
let env: Record<string, string>;

beforeEach(async () => {
  at = await aWorkspaceWithDatabase();
  ({ server, remote: env } = await serveWorkspace(at));
});
afterEach(async () => {
  await server.stop();
  at.remove();
});

const operatorsOf = async (name: string) => (await at.json(["user", "show", name]))["operator"];

/** A token of the admin API with this maker. */
async function tokenBy(createdBy: string) {
  const made = await createAdminToken(
    { scopes: ["admin"], createdBy },
    adminOf(server.assent.storage, server.issuer, server.now),
  );
  return { id: made.token.tokenId, env: { ...env, ASSENT_TOKEN: made.accessToken } };
}

/** Refused without a terminal; not done after a no; done with --yes. Returns the question. */
async function asked(args: readonly string[], name: string, { env: own = {} }: RunOptions): Promise<string> {
  const before = await operatorsOf(name);
  const { code, stderr } = await at.run(args, { env: own });
  expect([code, stderr]).toEqual([2, expect.stringMatching(/Nothing was changed\. To continue, add --yes\.\n$/)]);
  const no = await at.run(args, { env: own, input: "n\n", terminal: true });
  expect([no.code, no.stderr]).toEqual([1, expect.stringContaining("Continue? [y/N]")]);
  expect(await operatorsOf(name)).toEqual(before);
  const done = await at.run([...args, "--yes"], { env: own });
  expect([done.code, done.stderr]).toEqual([0, ""]);
  return stderr.replace(/^error: /, "").replace(" Nothing was changed. To continue, add --yes.\n", "");
}

test("the last person with the role admin loses it → asked, on the server's machine and over the network", async () => {
  await server.addPerson({ username: "ada", operator: ["admin", "read"] });
  await server.addPerson({ username: "off", operator: ["admin"], status: "disabled" });
  await server.addPerson({ username: "rea", operator: ["read"] });
  for (const args of [["--no-operator"], ["--operator", "users"]]) {
    const own = await asked(["user", "update", "ada", ...args], "ada", {});
    expect(own).toBe(
      "This takes the roles admin, read from ada. No other active person has the role admin. Only a command on the server's machine, or a program with the scope admin, can give them back: assent user update ada --operator admin --operator read",
    );
    await at.json(["user", "update", "ada", "--operator", "admin", "--operator", "read"]);
    expect(await asked(["user", "update", "ada", ...args], "ada", { env })).toBe(`On ${server.issuer}: ${own}`);
    await at.json(["user", "update", "ada", "--operator", "admin", "--operator", "read"]);
  }
});

test("another active person has the role, no role is lost, the person is disabled → not asked", async () => {
  await server.addPerson({ username: "ada", operator: ["admin"] });
  await server.addPerson({ username: "off", operator: ["admin"], status: "disabled" });
  for (const options of [{}, { env }]) {
    await server.addPerson({ username: `eve${Object.keys(options).length}`, operator: ["admin"] });
    const eve = `eve${Object.keys(options).length}`;
    for (const args of [
      [eve, "--no-operator"],
      [eve, "--operator", "read"],
      [eve, "--no-operator"],
      ["ada", "--operator", "admin", "--operator", "read", "--name", "Ada"],
      ["ada", "--operator", "admin"],
      ["off", "--operator", "read"],
      ["off", "--operator", "admin"],
    ])
      expect(await at.run(["user", "update", ...args], options)).toMatchObject({ code: 0, stderr: "" });
  }
});

test("a token that the person made, or that such a token made → asked before they lose their own role", async () => {
  await server.addPerson({ username: "eve", operator: ["admin"] });
  const ada = await server.addPerson({ username: "ada", operator: ["admin"] });
  const first = await tokenBy(`user:${ada.personId}`);
  const second = await tokenBy(`token:${first.id}`);
  for (const one of [first, second]) {
    expect(await asked(["user", "update", "ada", "--operator", "read"], "ada", one)).toBe(
      `On ${server.issuer}: This takes the role admin from you (ada). From then on, the server refuses your commands over the network that need it. Tokens of the admin API that you made end, too. Another person with the role admin, or a command on the server's machine, can give it back: assent user update ada --operator admin`,
    );
    expect((await at.run(["user", "list"], one)).stderr).toContain("refused the token");
    await at.json(["user", "update", "ada", "--operator", "admin"]);
  }
});

test("the person keeps the role admin, which allows everything → not asked; without it → asked about every lost role", async () => {
  const ada = await server.addPerson({ username: "ada", operator: ["admin", "users"] });
  const own = await tokenBy(`user:${ada.personId}`);
  const update = (...roles: readonly string[]) => [
    "user",
    "update",
    "ada",
    ...roles.flatMap((one) => ["--operator", one]),
  ];
  expect(await at.run(update("admin"), own)).toMatchObject({ code: 0, stderr: "" });
  await at.json(update("admin", "users", "clients"));
  expect(await at.run(update("admin", "read"), own)).toMatchObject({ code: 0, stderr: "" });
  await server.addPerson({ username: "eve", operator: ["admin"] });
  expect(await asked(update("users"), "ada", own)).toContain("This takes the roles admin, read from you (ada).");
}, 60_000);

test("signed in as this person → asked before they lose their own role admin", async () => {
  await at.json(["admin", "allow-login"]);
  await server.addPerson({ username: "eve", operator: ["admin"] });
  await server.addPerson({ username: "ada", operator: ["admin", "users"] });
  const login = at.start(["login", server.issuer]);
  let code: string | undefined;
  const codeShown = () => {
    code = /type the code {2}(\S+)/.exec(login.stderr())?.[1];
    return code;
  };
  await expect.poll(codeShown, { timeout: 20_000 }).toBeDefined();
  await decide(new Agent(server.issuer), code ?? "", "ada");
  expect((await login.ended()).code).toBe(0);
  const question = async (...args: readonly string[]) => (await at.run(["user", "update", "ada", ...args])).stderr;
  expect(await question("--operator", "users")).toContain("This takes the role admin from you (ada).");
  expect(await question("--no-operator")).toContain("This takes the roles admin, users from you (ada).");
  expect(await at.run(["user", "update", "ada", "--operator", "users", "--yes"])).toMatchObject({ code: 0 });
  expect((await at.run(["user", "update", "ada", "--no-operator"])).stderr).toContain("admin");
  expect(await at.json(["user", "show", "ada", "--local"])).toMatchObject({ operator: ["users"] });
}, 60_000);
