/**
 * REL-11 on SQLite, where this machine's clock decides: it jumps a year ahead and comes back, and the process is killed in
 * between. Nothing that was acknowledged is lost, and nothing waits for that year.
 */

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { rowsOf } from "../support/server-nodes.ts";
import {
  authorizePath,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import { API } from "../support/test-server.ts";

const YEAR = 365 * 86_400_000;

let data: Prepared<"rotating">;
let folder: string;
let clock: string;

beforeAll(async () => {
  data = await prepareData({ rotating: { refresh: "rotate" } });
  folder = mkdtempSync(join(tmpdir(), "assent-clock-"));
  clock = join(folder, "clock");
});
afterAll(() => {
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

const preload = join(import.meta.dirname, "..", "support", "clock-skew.js");
const start = () => startProcess(data.dataDir, { ASSENT_TEST_CLOCK: clock }, ["--import", preload]);

async function set(offset: number): Promise<void> {
  writeFileSync(clock, String(offset));
  // Longer than the process takes to read it.
  await sleep(100);
}

async function tokensFrom(server: ServerProcess) {
  const client = data.clients.rotating;
  const agent = await signedInAgent(server.url, data.person, authorizePath(client));
  const form = codeForm(client, await nextCode(agent, authorizePath(client)));
  return bodyOf(await send(server.url, { path: "/token", client, form }));
}

const refresh = (server: ServerProcess, token: string | undefined) =>
  send(server.url, { path: "/token", client: data.clients.rotating, form: refreshForm(token ?? "") });

async function isActive(server: ServerProcess, token: string | undefined): Promise<unknown> {
  const api = { clientId: API.id, secret: API.secret };
  return bodyOf(await send(server.url, { path: "/introspect", client: api, form: { token: token ?? "" } }))["active"];
}

/** Events that have no place in the log yet. */
async function unsealed(): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(data.dataDir, "SELECT COUNT(*) AS count FROM events_waiting");
  return Number(row?.count);
}

test("REL-11 a year ahead, killed, and back → earlier and later tokens work, people sign in, events get their place", {
  timeout: 60_000,
}, async () => {
  await set(0);
  const first = await start();
  const before = await tokensFrom(first);
  await set(YEAR);
  const ahead = await tokensFrom(first);
  expect(await isActive(first, ahead["access_token"])).toBe(true);
  expect(await isActive(first, before["access_token"])).toBe(false);
  await first.end("SIGKILL");
  // A start with the wrong clock: the signing key is a year old, so it makes the next one.
  const wrong = await start();
  const later = await tokensFrom(wrong);
  await expect.poll(unsealed, { timeout: 10_000 }).toBe(0);
  await wrong.end("SIGKILL");

  await set(0);
  const second = await start();
  for (const token of [before, ahead, later]) {
    const answer = await refresh(second, token["refresh_token"]);
    expect(answer.status).toBe(200);
    expect(await isActive(second, bodyOf(answer)["access_token"])).toBe(true);
  }
  const after = await tokensFrom(second);
  expect(await isActive(second, after["access_token"])).toBe(true);
  await expect.poll(unsealed, { timeout: 10_000 }).toBe(0);
  await second.end("SIGTERM");
});
