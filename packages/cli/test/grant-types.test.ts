/** A client can be registered only for grant types that the configuration allows. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
});
afterAll(() => at.remove());

const POLICY = { ASSENT_GRANT_TYPES: "authorization_code,refresh_token,client_credentials" };
const create = ["client", "create", "--name", "Old Importer", "--type", "confidential"];

test("a grant type that is switched off → refused, with the setting; exit code 1, no client", async () => {
  const { code, stdout, stderr } = await at.run([...create, "--grant-type", "password"], { env: POLICY });
  expect([code, stdout]).toEqual([1, ""]);
  expect(stderr).toBe('error: --grant-type: "password" is switched off on this server (ASSENT_GRANT_TYPES)\n');
  expect(await at.json(["client", "list"])).toEqual([]);
});

test("a client from before → doctor and show say that it can't use it", async () => {
  const { client_id } = await at.json<{ client_id: string }>([...create, "--grant-type", "password"]);
  const doctor = await at.run(["doctor"], { env: POLICY });
  expect(doctor.stdout).toContain(`${client_id} (Old Importer): password is switched off on this server`);
  const shown = await at.run(["client", "show", client_id], { env: POLICY });
  expect(shown.stderr).toContain("warning: grant_types: password is switched off");
  const renamed = ["client", "update", client_id, "--name", "Importer"];
  expect(await at.json(renamed, { env: POLICY })).toMatchObject({ client_name: "Importer", grant_types: ["password"] });
});

test("a name that isn't one → every command stops, with what there is", async () => {
  const { code, stderr } = await at.run(["client", "list"], { env: { ASSENT_GRANT_TYPES: "pasword" } });
  expect(code).toBe(1);
  expect(stderr).toMatch(/^error: ASSENT_GRANT_TYPES: found "pasword", wanted names of authorization_code, /);
});

test("grant types of one's own in assent.config.ts → known to every command; a wrong one stops them, by name", async () => {
  const file = (name: string) =>
    `export default { customGrants: [{ grantType: ${JSON.stringify(name)}, parameters: {}, redeem: () => ({ for: "client" }) }] };`;
  writeFileSync(join(at.folder, "own.config.ts"), file("urn:example:badge"));
  const env = { ASSENT_CONFIG: "own.config.ts" };
  const made = await at.json([...create, "--grant-type", "urn:example:badge"], { env });
  expect(made).toMatchObject({ grant_types: ["urn:example:badge"], redirect_uris: [] });
  const shown = await at.run(["client", "show", String(made["client_id"])]);
  expect(shown.stderr).toContain("urn:example:badge is unknown to this server, so this client can't use it");
  const off = await at.run([...create, "--grant-type", "urn:example:badge"], { env: { ...env, ...POLICY } });
  expect(off.stderr).toContain('"urn:example:badge" is switched off on this server');

  writeFileSync(join(at.folder, "wrong.config.ts"), file("badge"));
  const wrong = await at.run(["client", "list"], { env: { ASSENT_CONFIG: "wrong.config.ts" } });
  expect([wrong.code, wrong.stderr]).toEqual([
    1,
    expect.stringMatching(/^error: customGrants\[0\]\.grantType: wanted an absolute URI/),
  ]);
  writeFileSync(join(at.folder, "wrong.config.json"), JSON.stringify({ customGrants: [{ grantType: "urn:a:b" }] }));
  const json = await at.run(["doctor"], { env: { ASSENT_CONFIG: "wrong.config.json" } });
  expect(json.stdout).toContain("customGrants[0].redeem: wanted a function");
});

test("--own-scope with a scope that only people with a role may grant → warned about, on update as well", async () => {
  await at.json(["scope", "create", "reports", "--description", "Read reports", "--owner-role", "admin"]);
  const args = [...create, "--grant-type", "client_credentials"];
  const made = await at.run([...args, "--own-scope", "reports", "--json"]);
  expect([made.code, made.stderr]).toEqual([0, expect.stringMatching(/^warning: --own-scope: reports \(admin\): /)]);
  const { client_id } = await at.json<{ client_id: string }>(args);
  const changed = await at.run(["client", "update", client_id, "--own-scope", "reports"]);
  expect([changed.code, changed.stderr]).toEqual([
    0,
    expect.stringMatching(/^warning: --own-scope: reports \(admin\): /),
  ]);
});
