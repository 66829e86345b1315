/** `--workload-…` of clients: wrong settings are refused; a client gets the method and no secret. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
const CI = "https://ci.example";
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["scope", "create", "read", "--description", "May"]);
  await at.json(["issuer", "create", "--type", "jwt", "--issuer", CI, "--jwks-uri", `${CI}/jwks`]);
});
afterAll(() => at.remove());

const create = (...flags: readonly string[]) => [
  ...["client", "create", "--name", `Job ${Math.random()}`, "--type", "confidential"],
  ...["--grant-type", "client_credentials", "--own-scope", "read", ...flags],
];

test.each([
  [["--workload-issuer", CI], 2, /use --workload-issuer and --workload-subject together/],
  [["--workload-audience", "x"], 2, /together/],
  [["--auth-method", "workload_jwt"], 1, /workload_identity: missing: workload_jwt needs the issuer and the subject/],
  [
    ["--workload-issuer", "https://x.example", "--workload-subject", "job"],
    1,
    /--workload-issuer: .* is not a trusted issuer/,
  ],
  [["--workload-issuer", CI, "--workload-subject", "*"], 1, /--workload-subject: must begin with a part without \*/],
  [["--workload-issuer", CI, "--workload-subject", "a:**"], 1, /--workload-subject: at most one \*/],
  [["--workload-issuer", CI, "--workload-subject", "a", "--workload-audience", "a b"], 1, /--workload-audience: /],
])("%j → refused", async (flags, code, words) => {
  const said = await at.run(create(...flags));
  expect([said.code, said.stdout]).toEqual([code, ""]);
  expect(said.stderr).toMatch(words);
});

test("issuer and subject → the method, no secret; another method → the workload is not shown any more", async () => {
  const made = await at.json(create("--workload-issuer", CI, "--workload-subject", "job:*"));
  expect(made).toMatchObject({
    token_endpoint_auth_method: "workload_jwt",
    workload_identity: { issuer: CI, subject: "job:*" },
    client_secrets: [],
  });
  expect(made).not.toHaveProperty("client_secret");
  const id = String(made["client_id"]);
  const changed = await at.json(["client", "update", id, "--auth-method", "client_secret_basic"]);
  expect(changed).not.toHaveProperty("workload_identity");
  expect(changed["client_secret"]).toMatch(/^cs_/);
});

test("a file with workload_identity and no method → the method; applied again → nothing changes", async () => {
  const file = join(at.folder, "assent.yaml");
  writeFileSync(
    file,
    `version: 1
name: jobs
clients:
  job:
    client_name: Job of the file
    type: confidential
    grant_types: [client_credentials]
    own_scope: read
    workload_identity: {issuer: ${CI}, subject: "file:1"}
`,
  );
  await at.run(["apply", "-f", file]);
  expect(await at.json(["client", "show", "job"])).toMatchObject({ token_endpoint_auth_method: "workload_jwt" });
  expect(await at.run(["apply", "-f", file, "--plan"])).toMatchObject({ code: 0 });
});
