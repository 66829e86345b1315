/** What an operator reads when a scope or a company's consent ends, on the server's machine and over the network. */

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminToken } from "../../../test/support/admin-api.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let server: TestServer;
let at: Workspace;
let remote: Record<string, string>;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  server = await startServer({
    dataDir: at.dataDir,
    config: { databaseUrl: `sqlite:${join(at.dataDir, "assent.db")}` },
  });
  remote = { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: await adminToken(server) };
});
afterAll(async () => {
  await server.stop();
  at.remove();
});

const aClient = async (name: string, ...flags: readonly string[]) => {
  const made = ["--type", "confidential", "--redirect-uri", "https://app.test/cb", ...flags];
  return String((await at.json(["client", "create", "--name", name, ...made]))["client_id"]);
};

describe.each([
  ["on the server's machine", () => ({})],
  ["over the network", () => remote],
])("%s", (where, envOf) => {
  const id = where === "over the network" ? "far" : "near";
  const said = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await at.run(args, { env: envOf() });
    expect([args, code]).toEqual([args, 0]);
    return stdout + stderr;
  };
  const scope = `${id}:see`;

  test("consent revoke of a company → the approval ends, too, and how members get the app again", async () => {
    const slug = `acme-${id}`;
    await at.json(["company", "create", "--name", `Acme ${id}`, "--slug", slug, "--default-rule", "members"]);
    const client = await aClient(`Printer ${id}`, "--scope", scope);
    await said("company", "policy", slug, client, "--rule", "allow");
    expect(await said("consent", "revoke", slug, client, "--company")).toMatch(
      /0 grants ended\. .* The approval has ended, too\. The company lets members decide, .*--rule block\n/,
    );
    const { rules } = await at.json(["company", "show", slug]);
    expect(rules).toEqual([]);
  });
});
