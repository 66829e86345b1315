/** A flood of changes by the admin API: what it does to the caller, and to everybody else. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { type AdminAnswer, type AdminApi, adminApi, adminToken } from "../support/admin-api.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let api: AdminApi;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server);
});
afterAll(() => server.stop());

/**
 * Many times the 200 that may wait: a fast machine serves one for every two that arrive. With the other callers, fewer than the
 * 1,024 connections that one address may have open, because the server closes others.
 */
const CROWD = 1000;
const aPerson = (name: string) => ({ username: name, email: `${name}@example.com`, generate_password: true });
const create = (name: string, caller = api) => caller.post("/users", aPerson(name));

test("DS-14, DS-17: 1,000 creations by one caller at once → 503 with Retry-After beyond those that wait; others are served, nothing acknowledged is lost", {
  timeout: 60_000,
}, async () => {
  const other = api.with(await adminToken(server, "admin:users:write"));
  let on = true;
  const probe = async (ask: () => Promise<number>) => {
    const statuses: number[] = [];
    while (on) statuses.push(await ask());
    return statuses;
  };
  const names = Array.from({ length: CROWD }, (_, at) => `crowd-${at}`);
  const flood = Promise.all(names.map((name) => create(name))).finally(() => {
    on = false;
  });
  let made = 0;
  const probes = Promise.all([
    probe(async () => (await fetch(`${server.issuer}/jwks`)).status),
    probe(async () => (await other.get("/users?limit=1")).status),
    // Another caller is not behind the whole crowd.
    probe(async () => (await create(`other-${made++}`, other)).status),
  ]);
  const answers = await flood;
  const [keys, lists, creations] = await probes;
  expect(new Set([...keys, ...lists])).toEqual(new Set([200]));
  expect(new Set(creations)).toEqual(new Set([201]));

  const kinds = (status: number) => answers.filter((answer) => answer.status === status);
  const refused = kinds(503);
  expect(kinds(201).length + refused.length).toBe(CROWD);
  expect(kinds(201).length).toBeGreaterThan(50);
  expect(refused.length).toBeGreaterThan(0);
  for (const { headers, body } of refused) {
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect(body?.["code"]).toBe("temporarily_unavailable");
  }
  const found = async (name: string) => (await server.assent.storage.people.findByName({ name })) !== undefined;
  const [kept, lost] = [names.filter(by(answers, 201)), names.filter(by(answers, 503))];
  expect(await Promise.all(kept.map(found))).toEqual(kept.map(() => true));
  // A refusal has no effect: the same request can come again.
  expect(await Promise.all(lost.map(found))).toEqual(lost.map(() => false));
  expect((await create(lost[0] ?? "")).status).toBe(201);
});

const by = (answers: readonly AdminAnswer[], status: number) => (_: string, at: number) =>
  answers[at]?.status === status;
