import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { aPostgresDatabase, type TestDatabase } from "../../../test/support/postgres-database.ts";
import { aWorkspace, type Workspace } from "./support/run-command.ts";

let at: Workspace;
let database: TestDatabase;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  at = aWorkspace();
  database = await aPostgresDatabase("empty");
  env = {
    ASSENT_ISSUER: "http://localhost:9",
    ASSENT_DATABASE_URL: database.url,
    ASSENT_SECRET: randomBytes(32).toString("base64"),
  };
});
afterAll(async () => {
  at.remove();
  await database.drop();
});

const json = <T = Record<string, unknown>>(args: readonly string[], input?: string) =>
  at.json<T>(args, { env, ...(input === undefined ? {} : { input }) });

test("without a secret → 2, the variable and how to make one; a URL that is wrong isn't repeated", async () => {
  const { ASSENT_DATABASE_URL = "" } = env;
  const without = await at.run(["db", "status"], { env: { ASSENT_DATABASE_URL } });
  expect(without.code).not.toBe(0);
  expect(without.stderr).toContain("ASSENT_SECRET");
  expect(without.stderr).toContain("openssl rand -base64 32");
  const wrong = await at.run(["db", "status"], { env: { ...env, ASSENT_DATABASE_URL: "postgres://u:hunter2@h:x/d" } });
  expect(wrong.code).not.toBe(0);
  expect(wrong.stderr).toContain("ASSENT_DATABASE_URL");
  expect(wrong.stderr).not.toContain("hunter2");
});

test("an empty database: status, plan, migrate → as on a file", async () => {
  expect(await json(["db", "status"])).toMatchObject({ database: "postgres", path: null });
  const { applied } = await json<{ applied: readonly string[] }>(["db", "migrate"]);
  expect(applied.length).toBeGreaterThan(5);
  expect(await json(["db", "migrate"])).toMatchObject({ applied: [] });
  expect(await json(["db", "status"])).toMatchObject({ pending: 0 });
});

test("what an operator makes is there for the next command, and gone when it is removed", {
  timeout: 60_000,
}, async () => {
  await json(["resource", "create", "--identifier", "https://api.example.com", "--name", "Photos"]);
  await json(["scope", "create", "read", "--description", "See your photos", "--resource", "https://api.example.com"]);
  const made = await json<{ client_id: string }>([
    ...["client", "create", "--name", "Printer", "--type", "confidential"],
    ...["--redirect-uri", "https://app.example.com/cb", "--scope", "read"],
  ]);
  await json(
    ["user", "create", "--username", "alice", "--email", "alice@example.com", "--password-stdin"],
    "correct horse battery staple\n",
  );
  expect(await json(["client", "show", made.client_id])).toMatchObject({ client_name: "Printer" });
  expect(await json(["user", "show", "alice"])).toMatchObject({ username: "alice" });
  await json(["key", "rotate"]);
  expect(await json(["db", "gc"])).toMatchObject({ removed: 0 });
  await json(["client", "delete", made.client_id, "--yes"]);
  const gone = await at.run(["client", "show", made.client_id], { env });
  expect(gone.code).not.toBe(0);
});

test("import over data: no --yes → refused, names the database without its password and what it holds; a server runs → refused; else replaced", {
  timeout: 120_000,
}, async () => {
  await json(["export", "all.jsonl"]);
  await json(["resource", "create", "--identifier", "https://late.example.com", "--name", "Late"]);
  const url = new URL(database.url);
  url.password = "hunter2";
  const { code, stderr } = await at.run(["import", "all.jsonl"], { env: { ...env, ASSENT_DATABASE_URL: url.href } });
  expect(code).toBe(2);
  for (const words of ["replaces all data", "1 person", "assent export", "Nothing was changed", "--yes"]) {
    expect(stderr).toContain(words);
  }
  expect(stderr).not.toContain("hunter2");
  expect(await json(["db", "status"])).toMatchObject({ importing: false });
  expect(await json(["resource", "list"])).toHaveLength(2);
  const server = at.start(["serve"], { env: { ...env, ASSENT_LISTEN: "127.0.0.1:0" } });
  await server.event("started");
  const beside = await at.run(["import", "all.jsonl", "--yes"], { env });
  expect([beside.code, beside.stderr]).toEqual([1, expect.stringMatching(/uses this database; stop it first/)]);
  server.child.kill("SIGTERM");
  await server.ended();
  expect(await json(["resource", "list"])).toHaveLength(2);
  expect(await json(["import", "all.jsonl", "--yes"])).toMatchObject({ replaced: null, ended: { grants: 0 } });
  expect(await json(["resource", "list"])).toHaveLength(1);
  expect(await json(["user", "show", "alice"])).toMatchObject({ username: "alice" });
});

test("doctor → the server and its schema are looked at, and its URL has no password", async () => {
  const { findings } = await json<{ findings: readonly { check: string; status: string; detail: string }[] }>([
    "doctor",
  ]);
  expect(findings).toContainEqual(
    expect.objectContaining({
      check: "database",
      status: "ok",
      detail: expect.stringMatching(/^PostgreSQL \d+ at 127/),
    }),
  );
});

test("the server → serves on it, says which kind it is, and stops in order", async () => {
  const server = at.start(["serve"], { env: { ...env, ASSENT_LISTEN: "127.0.0.1:0" } });
  expect(await server.event("started")).toMatchObject({ database: "postgres" });
  server.child.kill("SIGTERM");
  expect((await server.ended()).code).toBe(0);
  expect(server.stdout() + server.stderr()).not.toContain(database.url);
});
