/** REL-29: `kill -9` while people allow and take back. No decision is without its entry in the history, and no entry without what it tells of. */

import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, consentForm } from "../support/browser-like.ts";
import { cyclesOf, figure } from "../support/figures.ts";
import { Nodes, rowsOf } from "../support/nodes.ts";
import { authorizePath, follow, type Prepared, prepareData, signedInAgent } from "../support/processes.ts";
import type { TestClient } from "../support/server.ts";

const CYCLES = cyclesOf(15);
const NAMES = ["a", "b", "c", "d", "e", "f"] as const;

let data: Prepared<(typeof NAMES)[number]>;
let nodes: Nodes;
let cookies: ReadonlyMap<string, string>;

beforeAll(async () => {
  data = await prepareData({ a: {}, b: {}, c: {}, d: {}, e: {}, f: {} });
  nodes = new Nodes(data.dataDir);
  await nodes.start(1);
  for (const client of Object.values<TestClient>(data.clients)) {
    const agent = await signedInAgent(nodes.url(), data.person, authorizePath(client));
    ({ cookies } = agent);
  }
});
afterAll(async () => {
  await nodes.end("SIGKILL");
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
});

function browser(): Agent {
  const agent = new Agent(nodes.url());
  for (const [name, value] of cookies) agent.cookies.set(name, value);
  return agent;
}

/** A form that is ready to be sent: an allowance, or the end of one. */
async function decision(client: TestClient): Promise<() => Promise<unknown>> {
  const agent = browser();
  const apps = await agent.get("/account/apps");
  const revoke = apps.forms.find(
    ({ action, fields }) => action.includes("/account/apps/revoke") && fields.get("client_id") === client.clientId,
  );
  if (revoke !== undefined) return () => agent.submit(revoke, { revoke: "" });
  const page = await follow(agent, await agent.get(authorizePath(client, { prompt: "consent" })));
  return () => agent.submit(consentForm(page), { decision: "allow", duration: "forever" });
}

interface Standing {
  readonly client_id: string;
  readonly status: string;
  readonly last: string | null;
}

/** Each app's record beside the last that the history tells of it. */
function standings(): Promise<Standing[]> {
  return rowsOf<Standing>(
    data.dataDir,
    `SELECT c.client_id, c.status, (SELECT h.kind FROM history h WHERE h.partition = c.partition AND h.owner_id = c.owner_id
      AND h.client_id = c.client_id ORDER BY h.at DESC LIMIT 1) AS last FROM consents c`,
  );
}

test(`${CYCLES} times → each record is as its last entry says, each grant has its entry`, {
  timeout: 60_000 + CYCLES * 4_000,
}, async () => {
  const seen: Record<string, number> = { allowed: 0, revoked: 0 };
  let before = new Map((await standings()).map((one) => [one.client_id, one.status]));
  for (let cycle = 0; cycle < CYCLES; cycle += 1) {
    const ready = await Promise.all(Object.values<TestClient>(data.clients).map(decision));
    const under = ready.map(async (send) => {
      await sleep(randomInt(30));
      await send().catch(() => undefined);
    });
    await sleep(randomInt(120));
    const { again } = await nodes.killOne();
    await Promise.all(under);
    await again();
    const now = await standings();
    expect(now).toHaveLength(NAMES.length);
    for (const { client_id, status, last } of now) {
      expect(last, `cycle ${cycle}`).toBe(status === "active" ? "allowed" : "revoked");
      if (before.get(client_id) !== status) seen[last ?? ""] = (seen[last ?? ""] ?? 0) + 1;
    }
    before = new Map(now.map((one) => [one.client_id, one.status]));
    const [orphans] = await rowsOf<{ n: number }>(
      data.dataDir,
      "SELECT COUNT(*) AS n FROM grants g WHERE NOT EXISTS (SELECT 1 FROM history h WHERE h.partition = g.partition AND h.entry_id = g.grant_id)",
    );
    expect(orphans?.n, `cycle ${cycle}: grants without an entry`).toBe(0);
  }
  figure("REL-29", `kill -9 while people allow and take back, ${CYCLES} cycles`, {
    "changes without an entry": 0,
    "entries without their change": 0,
    ...seen,
  });
});
