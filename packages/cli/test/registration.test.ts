/** `assent registration`. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
});
afterAll(() => at.remove());

test("a token is made with its policy, printed once, listed, revoked; wrong values → exit codes 1 and 2", async () => {
  const wrong = await at.run(["registration", "create-token", "--uses", "1001", "--scope", "nothing"]);
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/uses: must be 1 to 1000\n.*scope: "nothing"/s),
  ]);
  expect((await at.run(["registration", "create-token", "--uses", "x"])).code).toBe(2);
  const long = await at.run(["registration", "create-token", "--expires", "99999999"]);
  expect([long.code, long.stderr]).toEqual([1, expect.stringContaining("error: --expires: must be 1 to")]);
  const made = (await at.json([
    ...["registration", "create-token", "--uses", "5", "--expires", "60", "--scope", "openid email"],
    ...["--redirect-host", "app.example", "--grant-type", "authorization_code", "--default-scope", "openid"],
  ])) as Record<string, unknown>;
  const { initial_access_token: token, ...record } = made;
  expect(token).toMatch(/^iat_[\w-]{43}$/);
  expect(record).toMatchObject({
    ...{ uses: 5, used: 0, scope: "openid email", redirect_hosts: ["app.example"], default_scope: "openid" },
    ...{ grant_types: ["authorization_code"], created_by: "operator" },
  });
  expect(await at.json(["registration", "list"])).toEqual([record]);
  const id = String(record["id"]);
  expect((await at.run(["registration", "revoke", id, "--yes"])).stdout).toBe("Revoked the token.\n");
  expect((await at.run(["registration", "revoke", id, "--yes"])).code).toBe(1);
  expect(await at.json(["registration", "list"])).toEqual([]);
});
