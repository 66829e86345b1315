/** `assent apply` and `assent export --format yaml` on a server over the network. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApi, adminApi, adminToken } from "../../../test/support/admin-api.ts";
import { Agent, authorize, authorizeUrl } from "../../../test/support/http-browser.ts";
import { startServer, type TestServer } from "../../../test/support/test-server.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

const SECRET = "kZ9vQ2mX7pL4tR8wY1sD6fG3hJ5nB0cA";
const SMALL = "version: 1\nname: small\nscopes:\n  notes:\n    description: Read your notes\n";
const WITH_CLIENT = `${SMALL}clients:
  printer:
    client_name: Printer
    type: confidential
    redirect_uris: [https://printer.test/cb]
    scope: notes
    client_secret: { env: PRINTER_SECRET }
`;

let server: TestServer;
let api: AdminApi;
let at: Workspace;
let env: Record<string, string>;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server);
  at = aWorkspace();
  env = { ASSENT_SERVER: server.issuer, ASSENT_TOKEN: await adminToken(server), PRINTER_SECRET: SECRET };
});
afterAll(async () => {
  at.remove();
  await server.stop();
});

const write = (name: string, text: string) => {
  writeFileSync(join(at.folder, name), text);
  return name;
};
const apply = (file: string, ...flags: readonly string[]) => at.run(["apply", "-f", file, ...flags], { env });

describe("refused, and nothing is changed", () => {
  test("a mistake in the file → its line, exit code 1, before anything is sent", async () => {
    const file = write("wrong.yaml", SMALL.replace("description", "descripton"));
    const { code, stderr } = await at.run(["apply", "-f", file], {
      env: { ...env, ASSENT_SERVER: "http://127.0.0.1:9" },
    });
    expect([code, stderr]).toEqual([1, expect.stringMatching(/wrong\.yaml:5:\d+: scopes\.notes\.descripton: /)]);
  });

  test("a mistake that only the server can find → the line all the same", async () => {
    const file = write("unknown.yaml", `${WITH_CLIENT.replace("scope: notes", "scope: nothing")}`);
    const { code, stdout, stderr } = await apply(file);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toMatch(/unknown\.yaml:\d+:\d+: clients\.printer\.scope: .*nothing/);
    expect((await api.get("/scopes/notes")).status).toBe(404);
  });

  test("a secret that is nowhere → says which variable", async () => {
    const { code, stderr } = await at.run(["apply", "-f", write("secret.yaml", WITH_CLIENT)], {
      env: { ...env, PRINTER_SECRET: "" },
    });
    expect([code, stderr]).toEqual([1, expect.stringContaining("PRINTER_SECRET is not set")]);
  });

  test("a token with less than admin → 403 with the scope", async () => {
    const narrow = { ...env, ASSENT_TOKEN: await adminToken(server, "admin:clients:write admin:scopes:write") };
    const { code, stderr } = await at.run(["apply", "-f", write("small.yaml", SMALL)], { env: narrow });
    expect([code, stderr]).toEqual([1, expect.stringContaining("does not have the scope admin")]);
  });

  test("the server's own environment and files answer no reference of a request", async () => {
    const text = WITH_CLIENT.replace("{ env: PRINTER_SECRET }", "{ file: /etc/hostname }");
    const answer = await api.post("/configurations/plan", { text });
    expect(answer.body).toMatchObject({ changes: [], problems: [{ field: "clients.printer.client_secret" }] });
    expect(answer.text).toContain("the request has no value for");
  });

  test("somebody changed something after the plan → 409, nothing is done", async () => {
    const { body = {} } = await api.post("/configurations/plan", { text: SMALL });
    await api.post("/scopes", { name: "notes", description: "Another" });
    const fingerprint = String(body["fingerprint"]);
    const refused = await api.post("/configurations/apply", { text: SMALL, fingerprint });
    expect([refused.status, refused.body?.["code"]]).toEqual([409, "record_conflict"]);
    expect((await api.get("/scopes/notes")).body?.["description"]).toBe("Another");
    await api.call("DELETE", "/scopes/notes");
  });

  test("100 aliases of aliases, and more than the limit → refused in words", async () => {
    const bomb = "a: &a [x,x]\nb: &b [*a,*a]\nversion: 1\nname: bomb\n";
    expect((await api.post("/configurations/plan", { text: bomb })).body?.["problems"]).not.toEqual([]);
    const large = await api.post("/configurations/plan", { text: "#".repeat(1_048_577) });
    expect(large.status).toBe(400);
  });
});

test("plan → 3 and nothing; apply → done; twice → no changes; prune asks; export → applies without changes", async () => {
  const file = write("app.yaml", WITH_CLIENT);
  const plan = await apply(file, "--plan");
  expect([plan.code, plan.stderr]).toEqual([3, ""]);
  expect(plan.stdout).toContain("+ scope notes");
  expect(plan.stdout).toContain("2 to create");
  expect(plan.stdout).not.toContain(SECRET);
  expect((await api.get("/clients/printer")).status).toBe(404);

  const done = await apply(file);
  expect([done.code, done.stdout]).toEqual([0, expect.stringContaining("2 created")]);
  expect((await api.get("/clients/printer")).body).toMatchObject({ client_name: "Printer", scope: "notes" });
  const events = async () => (await api.get("/events?kind=client.created&limit=1")).text;
  // Events get their place within a second.
  await expect.poll(events, { timeout: 20_000 }).toContain("configurations.apply");
  expect(await events()).not.toContain(SECRET);
  const signedIn = await fetch(`${server.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${Buffer.from(`printer:${SECRET}`).toString("base64")}` },
    body: new URLSearchParams({ grant_type: "refresh_token", refresh_token: "x" }),
  });
  expect(signedIn.status).toBe(400);

  const again = await apply(file);
  expect([again.code, again.stdout]).toEqual([0, "No changes. 2 records as the file says.\n"]);
  expect((await apply(file, "--plan")).code).toBe(0);

  // How much ends changes all the time where people use the app. What is done stays the same.
  const printer = { clientId: "printer", redirectUris: ["https://printer.test/cb"] };
  const planWithOneMore = async () => {
    const { username } = await server.addPerson();
    await authorize(new Agent(server.issuer), authorizeUrl(server, printer, { scope: "notes" }), username);
    return (await api.post("/configurations/plan", { text: SMALL, prune: true })).body ?? {};
  };
  const [before, since] = [await planWithOneMore(), await planWithOneMore()];
  expect(since["changes"]).not.toEqual(before["changes"]);
  expect(since["fingerprint"]).toBe(before["fingerprint"]);

  // A change that also ends something: the warning comes before the question.
  write(
    "app.yaml",
    WITH_CLIENT.replace("https://printer.test", "https://other.test").replace(
      "    scope",
      "    status: disabled\n    scope",
    ),
  );
  const moved = await apply("app.yaml");
  expect([moved.code, moved.stderr]).toEqual([
    2,
    expect.stringMatching(
      /^warning: client printer: redirect_uris: other\.test: the server asks owners again[\s\S]* add --yes/m,
    ),
  ]);

  write("app.yaml", SMALL);
  const pruned = await apply(file, "--prune");
  expect([pruned.code, (await api.get("/clients/printer")).status]).toEqual([2, 200]);
  expect((await apply(file, "--prune", "--yes")).code).toBe(0);
  expect((await api.get("/clients/printer")).status).toBe(404);

  const exported = await at.run(["export", "all.yaml", "--format", "yaml"], { env });
  expect(exported.code, exported.stderr).toBe(0);
  expect(readFileSync(join(at.folder, "all.yaml"), "utf8")).toContain("name: small");
  expect((await apply("all.yaml", "--plan")).code).toBe(0);
});

test("export of all data, and the schema → only on the machine of the database", async () => {
  const { code, stderr } = await at.run(["export", "all.assent"], { env });
  expect([code, stderr]).toEqual([2, expect.stringContaining("works only on the machine that has the database")]);
  expect(existsSync(join(at.folder, "all.assent"))).toBe(false);
  const local = { ...env, ASSENT_SERVER: "" };
  expect((await at.run(["apply", "--schema"], { env: local })).stdout).toContain('"$schema"');
});
