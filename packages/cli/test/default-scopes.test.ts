/** `--default-scope` of clients and APIs: what a request without `scope` asks for (RFC 6749 §3.3). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  for (const host of ["a", "b"]) {
    const identifier = `https://${host}.test`;
    await at.json(["resource", "create", "--identifier", identifier, "--name", host]);
    for (const name of ["read", "write"])
      await at.json(["scope", "create", `${host}:${name}`, "--description", "May", "--resource", identifier]);
  }
});
afterAll(() => at.remove());

describe("of a client", () => {
  const flags = ["--type", "confidential", "--redirect-uri", "https://app.test/cb", "--scope", "a:read a:write openid"];
  const create = (...more: string[]) => ["client", "create", "--name", `App ${Math.random()}`, ...flags, ...more];

  test.each([
    ["another API's scope", "b:read", '--default-scope: "b:read": the client has no such scope; add it first'],
    ["an unknown scope", "nothing", '--default-scope: "nothing": the client has no such scope; add it first'],
    ["no scope name", 'a"b', "--default-scope"],
    ["a very long list", "a:read ".repeat(400), ""],
  ])("%s → refused, or each name once", async (_, scope, problem) => {
    const { code, stderr } = await at.run(create("--default-scope", scope));
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem === "" ? "characters" : problem)]);
  });

  test("→ shown, changed in part, emptied; a scope that the client loses leaves it", async () => {
    const made = await at.json(create("--default-scope", "a:read openid", "--own-scope", "b:read"));
    const id = String(made["client_id"]);
    const update = (...more: string[]) => at.run(["client", "update", id, ...more]);
    const shown = async () => (await at.json(["client", "show", id]))["default_scope"];
    expect(made["default_scope"]).toBe("a:read openid");
    await update("--add-default-scope", "a:write b:read", "--remove-default-scope", "openid");
    expect(await shown()).toBe("a:read a:write b:read");
    await update("--remove-scope", "a:write", "--remove-own-scope", "b:read");
    expect(await shown()).toBe("a:read");
    expect((await update("--remove-scope", "a:read", "--default-scope", "a:read")).stderr).toContain("--default-scope");
    expect(await shown()).toBe("a:read");
    await update("--default-scope", "");
    expect(await shown()).toBeUndefined();
  });
});

describe("of an API", () => {
  const update = (...more: string[]) => at.run(["resource", "update", "https://a.test", ...more, "--json"]);
  const shown = async () => {
    const all = await at.json<{ identifier: string; default_scope?: string }[]>(["resource", "list"]);
    return all.find(({ identifier }) => identifier === "https://a.test")?.default_scope;
  };

  test.each([
    ["another API's scope", "b:read", '--default-scope: "b:read" is not a scope of this API'],
    ["a scope of OpenID Connect", "openid", '--default-scope: "openid" is not a scope of this API'],
    ["an unknown scope", "nothing", '--default-scope: "nothing": there is no such scope; create it first'],
    ["no scope name", 'a"b', "is not a valid scope name (RFC 6749 §3.3)"],
  ])("%s → refused, nothing is changed", async (_, scope, problem) => {
    const { code, stderr } = await update("--default-scope", scope);
    expect([code, stderr]).toEqual([1, expect.stringContaining(problem)]);
    expect(await shown()).toBeUndefined();
  });

  test("a new API → its default may name scopes that come later, but none of another API", async () => {
    const create = (scope: string) => [
      ...["resource", "create", "--identifier", "https://c.test", "--name", "C", "--default-scope", scope],
    ];
    expect((await at.run(create("b:read"))).stderr).toContain('"b:read" is not a scope of this API');
    expect(await at.json(create("c:read"))).toMatchObject({ default_scope: "c:read" });
  });

  test("→ shown, replaced, emptied; a deleted scope doesn't stop other changes", async () => {
    await update("--default-scope", "a:read", "--default-scope", "a:write");
    expect(await shown()).toBe("a:read a:write");
    await at.run(["scope", "delete", "a:write", "--yes"]);
    expect((await update("--name", "Another")).code).toBe(0);
    expect(await shown()).toBe("a:read a:write");
    await update("--no-default-scope");
    expect(await shown()).toBeUndefined();
  });
});
