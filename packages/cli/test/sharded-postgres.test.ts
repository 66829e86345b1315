/** Tables that are partitioned by the documented statements, and the commands and pages that use them afterwards. */

import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { Client } from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { Agent, consentForm } from "../../../test/support/http-browser.ts";
import { bodyOf, refreshForm, send } from "../../../test/support/keep-alive-requests.ts";
import { aPostgresDatabase, type TestDatabase } from "../../../test/support/postgres-database.ts";
import { spreadTables } from "../../../test/support/postgres-sharded.ts";
import { migrations } from "../../server/src/storage/migrations/index.ts";
import { migrate } from "../../server/src/storage/migrations/migrate.ts";
import { openPostgres } from "../../server/src/storage/postgres/engine.ts";
import { aWorkspace, type Running, type Workspace } from "./support/run-command.ts";

const PASSWORD = "correct horse battery staple";
let at: Workspace;
const databases: TestDatabase[] = [];
let server: Running | undefined;

beforeEach(() => {
  at = aWorkspace();
});
afterEach(async () => {
  server?.child.kill("SIGKILL");
  await server?.ended();
  server = undefined;
  for (const database of databases.splice(0)) await database.drop();
  at.remove();
});

async function anEmptyDatabase(): Promise<string> {
  const database = await aPostgresDatabase("empty");
  databases.push(database);
  return database.url;
}

async function count(url: string, from: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`SELECT COUNT(*) AS n FROM ${from}`);
  await client.end();
  return Number(rows[0].n);
}

test("a table has rows → the statements refuse, and nothing is changed", async () => {
  const url = await anEmptyDatabase();
  const env = { ASSENT_DATABASE_URL: url, ASSENT_SECRET: randomBytes(32).toString("base64") };
  await at.json(["db", "migrate"], { env });
  await at.json(["user", "create", "--username", "a", "--email", "a@x.test", "--generate-password"], { env });
  await expect(spreadTables(url)).rejects.toThrow(/has rows: export, spread an empty database, import/);
  expect(await count(url, "pg_class WHERE relkind = 'p'")).toBe(0);
});

test("an older schema, spread → migrated by `db migrate`, served, an authorization from page to refresh, moved away and back", {
  timeout: 120_000,
}, async () => {
  const url = await anEmptyDatabase();
  const engine = openPostgres({ url, readonly: false });
  await migrate(engine, Date.now(), migrations.slice(0, 6));
  await engine.close();
  await spreadTables(url);
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const env = {
    ASSENT_ISSUER: origin,
    ASSENT_LISTEN: `127.0.0.1:${port}`,
    ASSENT_DATABASE_URL: url,
    ASSENT_SECRET: randomBytes(32).toString("base64"),
  };
  const { applied } = await at.json<{ applied: readonly string[] }>(["db", "migrate"], { env });
  expect(applied).toEqual(migrations.slice(6).map(({ name }) => name));
  // Running the statements again partitions only new tables.
  await spreadTables(url);
  await spreadTables(url);
  expect(await count(url, "pg_class WHERE relkind = 'p'")).toBe(
    await count(
      url,
      "pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'partition' WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition",
    ),
  );
  expect(await at.json(["db", "status"], { env })).toMatchObject({ pending: 0 });
  expect(await at.json(["db", "migrate"], { env })).toMatchObject({ applied: [] });

  await at.json(["scope", "create", "read", "--description", "See your photos"], { env });
  const client = await at.json<{ client_id: string; client_secret: string }>(
    [
      ...["client", "create", "--name", "Printer", "--type", "confidential", "--scope", "read"],
      ...["--redirect-uri", "https://app.test/cb"],
    ],
    { env },
  );
  const user = ["user", "create", "--username", "alice", "--email", "alice@example.com", "--password-stdin"];
  await at.json(user, { env, input: `${PASSWORD}\n` });
  server = at.start(["serve"], { env });
  await server.event("started");

  const agent = new Agent(origin);
  const [signIn] = (await agent.get("/login")).forms;
  if (signIn === undefined) throw new Error("no form");
  await agent.submit(signIn, { username: "alice", password: PASSWORD });
  const asked = `/authorize?response_type=code&client_id=${client.client_id}&scope=read&redirect_uri=https%3A%2F%2Fapp.test%2Fcb`;
  const consent = await agent.get(asked);
  const { location } = await agent.submit(consentForm(consent), { decision: "allow", duration: "forever" });
  const code = location?.searchParams.get("code") ?? "";
  const known = { clientId: client.client_id, secret: client.client_secret };
  const form = { grant_type: "authorization_code", code, redirect_uri: "https://app.test/cb" };
  const tokens = await send(origin, { path: "/token", client: known, form });
  expect(tokens.status).toBe(200);
  const refreshed = await send(origin, {
    path: "/token",
    client: known,
    form: refreshForm(bodyOf(tokens)["refresh_token"]),
  });
  expect(refreshed.status).toBe(200);
  server.child.kill("SIGTERM");
  expect((await server.ended()).code).toBe(0);

  const [first, second] = [join(at.folder, "first.jsonl"), join(at.folder, "second.jsonl")];
  const exported = await at.json<{ rows: Record<string, number> }>(["export", first], { env });
  const other = await anEmptyDatabase();
  const there = { ...env, ASSENT_DATABASE_URL: other };
  await at.json(["db", "migrate"], { env: there });
  await spreadTables(other);
  expect(await at.json(["import", first], { env: there })).toMatchObject({ verified: true });
  expect(await at.json(["export", second], { env: there })).toMatchObject({ rows: exported.rows });
  expect(await count(other, "pg_class WHERE relname = 'grants' AND relkind = 'p'")).toBe(1);
});
