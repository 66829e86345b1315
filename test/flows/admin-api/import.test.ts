/** People of another system are imported by the admin API, and sign in with the passwords that they had there. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { IMPORTED } from "../../../packages/server/src/crypto/foreign-password-hashes.ts";
import { type AdminApi, adminApi, adminToken } from "../../support/admin-api.ts";
import { Agent } from "../../support/http-browser.ts";
import { startServer, type TestServer } from "../../support/test-server.ts";

const PASSWORD = "correct horse battery staple";
/** Made by Python's hashlib, bcrypt and argon2-cffi. */
const HASHES: Readonly<Record<string, string>> = {
  argon: "$argon2id$v=19$m=64,t=1,p=1$VMbcrWmLdgYbOhApbuIW7A$O2lQQB4/UeEFHtWJ73kb5ZU6htZDuvWKyKT0Aysnez4",
  bcrypt: "$2b$04$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa",
  scrypt: "$scrypt$ln=10,r=8,p=1$c2FsdHNhbHRzYWx0c2FsdA$bHXojks4sm1uMH4CDw9EcLZ/muyLxbYYc9xGzvNAnuQ",
  pbkdf: "$pbkdf2-sha256$1000$c2FsdHNhbHRzYWx0c2FsdA$31ltvuXrbs8POP2F4tw9851NSNQCQpm0sCwu2eEvId8",
  django: "pbkdf2_sha256$1000$NaCl4Django$p3Ki6qkJy8oYjfVSchYYmBLlD8q9akqb1w77yHTw9x8=",
};

let server: TestServer;
let api: AdminApi;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server, "admin:users:write");
});
afterAll(() => server.stop());

interface Told {
  readonly line: number;
  readonly result: string;
  readonly id?: string;
  readonly code?: string;
  readonly errors?: readonly { readonly field: string | null }[];
}

const NDJSON = { "content-type": "application/x-ndjson" };
const aLine = (username: string, more: object = {}) =>
  JSON.stringify({ username, email: `${username}@old.test`, email_verified: true, ...more });

async function send(raw: string | Uint8Array, headers = NDJSON) {
  const answer = await api.call("POST", "/users/import", { raw, headers });
  const told = answer.status === 200 ? answer.text.trim().split("\n").filter(Boolean) : [];
  return { answer, told: told.map((line) => JSON.parse(line) as Told) };
}

const found = (name: string) => server.assent.storage.people.findByName({ name });

async function signsIn(login: string, password: string): Promise<boolean> {
  const agent = new Agent(server.issuer);
  const [form] = (await agent.get("/login")).forms;
  if (form === undefined) throw new Error("no sign-in form");
  await agent.submit(form, { username: login, password });
  return (await agent.get("/account/apps")).status === 200;
}

test("lines that can't be imported → each says why, in order; the others are imported", async () => {
  const lines = [
    "no json",
    `{"username":"a","username":"b","email":"a@old.test"}`,
    `["username"]`,
    aLine("x".repeat(20_000)),
    aLine("roles", { operator: ["admin"] }),
    aLine("ids", { id: "mine", created_at: 1 }),
    aLine("types", { email_verified: "yes", name: 5 }),
    JSON.stringify({ username: "noaddress" }),
    aLine("md5", { password_hash: "5f4dcc3b5aa765d61d8327deb882cf99" }),
    aLine("costly", { password_hash: "$2b$31$I9BOAT0Qb6oilF.roTcaC.4OI7emPm/qEaV0hLuqIwAi6vZXbeWXa" }),
    aLine("own", { password_hash: `${IMPORTED}${HASHES["bcrypt"]}` }),
    aLine("no spaces please"),
    "",
    aLine("fine"),
    aLine("fine", { email: "other@old.test" }),
    `{"username":"nul\\u0000","email":"n@old.test"}`,
  ];
  const { told } = await send(lines.join("\r\n"));
  const refusals = told.map(({ line, result, code, errors }) => [line, result, code, errors?.[0]?.field]);
  expect(refusals).toEqual([
    [1, "refused", "line_malformed", null],
    [2, "refused", "line_malformed", null],
    [3, "refused", "line_malformed", null],
    [4, "refused", "line_malformed", null],
    [5, "refused", "invalid", "operator"],
    [6, "refused", "invalid", "id"],
    [7, "refused", "invalid", "email_verified"],
    [8, "refused", "invalid", "email"],
    [9, "refused", "invalid", "password_hash"],
    [10, "refused", "invalid", "password_hash"],
    [11, "refused", "invalid", "password_hash"],
    [12, "refused", "invalid", "username"],
    [14, "created", undefined, undefined],
    [15, "refused", "taken", "username"],
    [16, "refused", "invalid", "username"],
  ]);
  expect(JSON.stringify(told)).not.toContain("5f4dcc3b");
});

test("another type, JSON, compressed, no scope, too many lines, too long → refused, and nobody is imported", async () => {
  const line = aLine("never");
  expect((await send(line, { "content-type": "application/json" })).answer.status).toBe(415);
  expect((await send(line, { ...NDJSON, "content-encoding": "gzip" } as typeof NDJSON)).answer.status).toBe(415);
  expect((await send(`${line}\n`.repeat(2001))).answer.status).toBe(400);
  expect((await send(`${line}${" ".repeat(1_100_000)}`)).answer.status).toBe(413);
  const token = await adminToken(server, "admin:users:read admin:clients:write");
  const call = (raw: string) => api.call("POST", "/users/import", { raw, token, headers: NDJSON });
  expect((await call(line)).status).toBe(403);
  expect((await call(`${line}${" ".repeat(100_000)}`)).status).toBe(403);
  expect(await found("never")).toBeUndefined();
});

test("a hash of each kind → the right password signs in, a wrong one does not, and the hash is renewed", async () => {
  const names = Object.keys(HASHES);
  const { told } = await send(names.map((name) => aLine(name, { password_hash: HASHES[name] })).join("\n"));
  expect(told.map(({ result }) => result)).toEqual(names.map(() => "created"));
  for (const name of names) {
    expect(await signsIn(name, `${PASSWORD}!`), name).toBe(false);
    expect((await found(name))?.passwordHash).toBe(IMPORTED + HASHES[name]);
    expect(await signsIn(name, PASSWORD), name).toBe(true);
    expect((await found(name))?.passwordHash).toMatch(/^\$argon2id\$/);
    expect(await signsIn(`${name}@old.test`, PASSWORD), name).toBe(true);
  }
});

test("all fields → stored; no hash → no password; a repetition, also with a key → changes nothing", async () => {
  const line = aLine("ada", { name: "Ada Lovelace", given_name: "Ada", phone_number: "+49 30 123456", country: null });
  const bare = JSON.stringify({ username: "bare", email: "bare@old.test" });
  const first = await send(`${line}\n${bare}\n`);
  expect(first.told.map(({ result }) => result)).toEqual(["created", "created"]);
  const person = await api.get(`/users/${first.told[0]?.id}`);
  expect(person.body).toMatchObject({
    ...{ username: "ada", name: "Ada Lovelace", given_name: "Ada", email_verified: true, has_password: false },
  });
  expect((await api.get(`/users/${first.told[1]?.id}`)).body).toMatchObject({ email_verified: false, operator: [] });
  const endless = { ...NDJSON, "idempotency-key": "k".repeat(201) };
  expect((await send(line, endless)).answer.status).toBe(400);
  const headers = { ...NDJSON, "idempotency-key": "again" };
  for (const again of [await send(`${line}\n${bare}\n`, headers), await send(`${line}\n${bare}\n`, headers)]) {
    expect(again.told.map(({ result }) => result)).toEqual(["exists", "exists"]);
    expect(again.told.map(({ id }) => id)).toEqual(first.told.map(({ id }) => id));
  }
});

test("1,000 lines of 200 names at once → one person for each name", async () => {
  const lines = Array.from({ length: 1000 }, (_, at) => aLine(`many${at % 200}`));
  const { told } = await send(lines.join("\n"));
  expect(told.map(({ line }) => line)).toEqual(lines.map((_, at) => at + 1));
  const count = (result: string) => told.filter((one) => one.result === result).length;
  expect([count("created"), count("exists")]).toEqual([200, 800]);
});
