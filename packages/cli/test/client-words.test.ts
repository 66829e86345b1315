/** What an operator reads about a client that was made or renamed: the same on the server's machine and over the network. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { TestServer } from "../../../test/support/test-server.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

let server: TestServer;
let at: Workspace;
let remote: Record<string, string>;
let local: Record<string, string>;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  ({ server, remote } = await serveWorkspace(at));
  local = { ASSENT_ISSUER: server.issuer };
  await at.json(["scope", "create", "see", "--description", "See"]);
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

/** What both say, without what differs from client to client. */
async function saidByBoth(argsOf: (where: string) => readonly string[] | Promise<readonly string[]>): Promise<string> {
  const [own, far] = [
    await at.run(await argsOf("near"), { env: local }),
    await at.run(await argsOf("far"), { env: remote }),
  ];
  const plain = ({ code, stdout, stderr }: typeof own) =>
    [code, stdout, stderr].join("\n").replaceAll(/[\w-]{22,}|20\d\d-[\dT:.Z-]+|\d{10}|\b(near|far)\b/g, "…");
  expect(plain(far)).toBe(plain(own));
  expect(own.code).toBe(0);
  return own.stdout + own.stderr;
}

const create = (name: string, type: string, ...more: readonly string[]) => {
  const uri = ["--redirect-uri", "https://app.test/cb"];
  return ["client", "create", "--name", name, "--type", type, ...uri, ...more];
};

test.each([
  ["without a scope", "confidential", [], "Next: add the scopes that the client may request: assent client update"],
  ["with a scope", "confidential", ["--scope", "see"], "client_id and client_secret into the app's configuration."],
  [
    "public",
    "public",
    ["--scope", "see"],
    "client_id into the app's configuration. Its library finds the rest at http",
  ],
])("a client is made, %s → the next step", async (what, type, more, next) => {
  expect(await saidByBoth((where) => create(`${what} ${where}`, type, ...more))).toContain(next);
});

test("a client that can leave out PKCE → how to require it; with --require-pkce → nothing", async () => {
  const open = await saidByBoth((where) => create(`Open ${where}`, "confidential"));
  expect(open).toMatch(/PKCE is optional for this client\. .*: assent client update [\w-]{22} --require-pkce\n/);
  const closed = await saidByBoth((where) => create(`Closed ${where}`, "confidential", "--require-pkce"));
  expect(closed).not.toContain("PKCE");
});

test("another client's name, also in another language → a warning; another setting → none", async () => {
  await at.json(create("Bank of Samples", "public"));
  const made = { near: "", far: "" };
  for (const where of ["near", "far"] as const)
    made[where] = String((await at.json(create(`Nothing like it ${where}`, "public")))["client_id"]);
  const update = (where: string, ...more: readonly string[]) => [
    ...["client", "update", made[where as keyof typeof made]],
    ...more,
  ];
  const undone = async (where: string) => at.json(update(where, "--name", `Nothing ${where}`, "--name-lang", "de="));
  for (const flags of [
    ["--name", "Bank 0f Samples"],
    ["--name-lang", "de=Bank of Samples"],
  ]) {
    for (const where of ["near", "far"]) {
      const { stderr } = await at.run(update(where, ...flags), { env: where === "near" ? local : remote });
      expect([where, stderr]).toEqual([
        where,
        expect.stringMatching(/--name: owners may confuse this client .*\(Bank of Samples\)/),
      ]);
      await undone(where);
    }
  }
  expect(await saidByBoth((where) => update(where, "--accent", "#123456"))).not.toContain("confuse");
});
