/** What an operator reads when a scope or a company's consent ends, on the server's machine and over the network. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestServer } from "../../../test/support/test-server.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";
import { serveWorkspace } from "./support/serve-workspace.ts";

let server: TestServer;
let at: Workspace;
let remote: Record<string, string>;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  ({ server, remote } = await serveWorkspace(at));
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

  test("scope delete → the clients stay registered; the same name again → they may ask for it, and how to take it away", async () => {
    await said("scope", "create", scope, "--description", "See");
    const [one, two] = [await aClient(`One ${id}`, "--scope", scope), await aClient(`Two ${id}`, "--scope", scope)];
    const both = [one, two].toSorted().join(", ");
    const asked = await at.run(["scope", "delete", scope], { env: envOf() });
    expect(asked.stderr).toContain(`2 clients (${both}) stay registered for it: the server refuses their requests`);
    expect(asked.stderr).not.toContain("removes it");
    const deleted = await said("scope", "delete", scope, "--yes");
    expect(deleted).toContain(`2 clients (${both}) stay registered for it`);
    expect(deleted).toContain(`assent client update CLIENT_ID --remove-scope ${scope}`);
    const shown = await at.json(["client", "show", one], { env: envOf() });
    expect(shown["scope"]).toBe(scope);

    await said("client", "update", two, "--remove-scope", scope);
    expect(await said("scope", "create", scope, "--description", "Shred")).toContain(
      `1 client (${one}) is registered for a deleted scope of this name, and may ask for the new one now. To take the scope from a client, run: assent client update CLIENT_ID --remove-scope ${scope}`,
    );
    await said("client", "update", one, "--remove-scope", scope);
    await said("scope", "delete", scope, "--yes");
    expect(await said("scope", "create", scope, "--description", "See")).not.toContain("registered");
  });

  test("a scope that replaces one of the server's → the server's own comes back, and clients keep it", async () => {
    await aClient(`Reader ${id}`, "--scope", "email");
    expect(await said("scope", "create", "email", "--description", "Read your address")).not.toContain("registered");
    const asked = await at.run(["scope", "delete", "email"], { env: envOf() });
    expect(asked.stderr).toContain("The server's own scope of this name replaces it, and clients and tokens keep it.");
    const deleted = await said("scope", "delete", "email", "--yes");
    expect(deleted).toContain("Deleted email. The server's own scope of this name replaces it.");
    expect(deleted).not.toContain("refuses");
  });

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
