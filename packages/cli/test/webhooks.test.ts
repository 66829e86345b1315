/** `assent webhook …`: what an operator types, and what is refused. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

interface Hook {
  readonly id: string;
  readonly secret?: string;
  readonly [field: string]: unknown;
}

let at: Workspace;
beforeAll(async () => {
  at = aWorkspace();
  expect((await at.run(["db", "migrate"])).code).toBe(0);
});
afterAll(() => at.remove());

const URL = "https://hooks.example.com/assent";
const create = (...more: readonly string[]) =>
  at.json<Hook>(["webhook", "create", "--url", URL, "--kind", "user.*", ...more]);

test("no kind, an unknown kind, a wrong URL, replay of nothing, deletion without a yes → refused, with what is right", async () => {
  expect((await at.run(["webhook", "create", "--url", URL])).code).toBe(2);
  const unknown = await at.run(["webhook", "create", "--url", "http://hooks.example.com", "--kind", "user.born"]);
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain("--kind: there is no kind");
  expect(unknown.stderr).toContain("--url: must be an https URL");
  const { id } = await create();
  expect((await at.run(["webhook", "replay", id])).code).toBe(2);
  expect((await at.run(["webhook", "replay", id, "event", "--since", "1h"])).code).toBe(2);
  expect((await at.run(["webhook", "update", id])).code).toBe(2);
  expect((await at.run(["webhook", "delete", id])).code).toBe(2);
  expect((await at.run(["webhook", "show", "nothing"])).stderr).toContain('there is no webhook "nothing"');
});

test("created, shown, changed, rotated, replayed, deleted → the record each time; the secret only where it is made", async () => {
  const { id, secret, ...made } = await create("--description", "CRM");
  expect(secret).toMatch(/^whsec_/);
  expect(made).toMatchObject({ url: URL, kinds: ["user.*"], description: "CRM", client_id: null, status: "active" });
  const text = await at.run(["webhook", "create", "--url", URL, "--kind", "*"]);
  expect(text.stderr).toContain("shown only once");
  const shown = await at.json<Hook>(["webhook", "show", id]);
  expect(shown).toEqual({ id, ...made });
  const words = ["--kind", "key.created", "--kind", "key.*", "--status", "disabled"];
  expect(await at.json<Hook>(["webhook", "update", id, ...words])).toMatchObject({
    ...{ kinds: ["key.created", "key.*"], status: "disabled", description: "CRM" },
  });
  expect((await at.run(["webhook", "test", id])).stderr).toContain(`assent webhook update ${id} --status active`);
  await at.run(["webhook", "update", id, "--status", "active", "--kind", "scope.*"]);
  const rotated = await at.json<Hook>(["webhook", "rotate-secret", id, "--overlap", "60"]);
  expect(rotated["secrets"]).toHaveLength(2);
  expect(rotated.secret).not.toBe(secret);
  await at.run(["scope", "create", "photos", "--description", "See your photos"]);
  await at.json(["events", "list"]);
  expect(await at.json<readonly Hook[]>(["webhook", "deliveries", id])).toEqual([
    expect.objectContaining({ kind: "scope.created", status: "waiting", tries: 0, attempts: [] }),
  ]);
  expect((await at.run(["webhook", "deliveries", id])).stdout).toMatch(/scope\.created +waiting +0 +-/);
  expect(await at.json(["webhook", "replay", id, "--since", "1h"])).toEqual({ id, replayed: 1 });
  expect((await at.run(["webhook", "list"])).stdout).toContain(URL);
  expect(await at.json(["webhook", "delete", id, "--yes"])).toEqual({ id, deleted: true });
});

test("a secret that can't be decrypted, a disabled webhook → doctor says so, and what to do", async () => {
  const { id } = await create();
  const doctor = async (env = {}) => (await at.run(["doctor"], { env })).stdout;
  expect(await doctor()).toMatch(/webhooks/);
  const other = await doctor({ ASSENT_SECRET: Buffer.alloc(32, 7).toString("base64") });
  expect(other).toContain(`assent webhook rotate-secret ${id}`);
});
