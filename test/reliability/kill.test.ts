/**
 * `kill -9` at random while codes are redeemed and tokens refreshed: what was acknowledged stays, nothing happens twice, and who lost an answer
 * gets the same one again. The journal of the client, outside the server, is what the server is held against.
 */

import { randomInt } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, pkce } from "../support/browser-like.ts";
import { Journal } from "../support/journal.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive.ts";
import {
  authorizePath,
  killDuringStart,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/processes.ts";
import type { TestClient } from "../support/server.ts";

/** Kills in all, half of them during redemption, half during refresh. */
const CYCLES = Number(process.env["ASSENT_TEST_KILL_CYCLES"] ?? 30);
/** Requests under way at each kill, sent one after another within `SPREAD` milliseconds. */
const UNDER_WAY = 8;
const SPREAD = 40;
const READY_WITHIN = 5_000;

/** `sent`: a request went out; `acknowledged`: its whole answer came. `credential`: the code or token that was presented. */
interface Entry {
  readonly event: "sent" | "acknowledged";
  readonly credential: string;
  readonly successor?: string;
}

let data: Prepared<"keeping" | "rotating">;
let server: ServerProcess;
let slowest = 0;
const cookies = new Map<string, string>();
const verifier = pkce();

beforeAll(async () => {
  data = await prepareData({ keeping: {}, rotating: { refresh: "rotate" } });
  await start();
  for (const client of Object.values(data.clients)) {
    const { cookies: kept } = await signedInAgent(server.url, data.person, requestOf(client));
    for (const [name, value] of kept) cookies.set(name, value);
  }
});
afterAll(async () => {
  await server.end("SIGKILL");
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
});

function requestOf(client: TestClient): string {
  return authorizePath(client, { code_challenge: verifier.challenge, code_challenge_method: "S256" });
}

async function start(): Promise<void> {
  server = await startProcess(data.dataDir);
  slowest = Math.max(slowest, server.readyAfter);
  expect(server.readyAfter).toBeLessThan(READY_WITHIN);
}

/** The same browser, whichever process answers it: its session outlives the kills, too. */
async function codes(client: TestClient, count: number): Promise<string[]> {
  const agent = new Agent(server.url);
  for (const [name, value] of cookies) agent.cookies.set(name, value);
  return Promise.all(Array.from({ length: count }, () => nextCode(agent, requestOf(client))));
}

function post(client: TestClient, form: Record<string, string>, sent?: () => void): Promise<BackChannelAnswer> {
  return send(server.url, { path: "/token", client, form, ...(sent === undefined ? {} : { sent }) });
}

function redeem(client: TestClient, code: string, sent?: () => void): Promise<BackChannelAnswer> {
  return post(client, codeForm(client, code, verifier.verifier), sent);
}

function refresh(client: TestClient, token: string | undefined, sent?: () => void): Promise<BackChannelAnswer> {
  return post(client, refreshForm(token), sent);
}

/** Presents each credential, kills the server at a random moment, starts it again. The successor of each, where it was acknowledged. */
async function presentAndKill(
  credentials: readonly string[],
  journal: Journal<Entry>,
  present: (credential: string, sent: () => void) => Promise<BackChannelAnswer>,
): Promise<ReadonlyMap<string, string | undefined>> {
  const under: Promise<unknown>[] = credentials.map(async (credential) => {
    await sleep(randomInt(SPREAD));
    const answer = await present(credential, () => journal.record({ event: "sent", credential }));
    expect([0, 200], answer.text).toContain(answer.status);
    if (answer.status === 200)
      journal.record({ event: "acknowledged", credential, successor: bodyOf(answer)["refresh_token"] ?? "" });
  });
  await sleep(randomInt(51));
  await server.end("SIGKILL");
  await Promise.all(under);
  await start();
  const acknowledged = journal.entries().filter(({ event }) => event === "acknowledged");
  return new Map(
    credentials.map((credential) => [credential, acknowledged.find((one) => one.credential === credential)?.successor]),
  );
}

/** Every grant that the database holds for a client, straight from the file. */
function grantsOf(client: TestClient): { status: string; generation: number; uses: number }[] {
  const database = new DatabaseSync(join(data.dataDir, "assent.db"), { readOnly: true });
  try {
    const statement = database.prepare("SELECT status, generation, uses FROM grants WHERE client_id = ?");
    return statement.all(client.clientId) as unknown as { status: string; generation: number; uses: number }[];
  } finally {
    database.close();
  }
}

/** The figures of a run by hand. */
function tell(what: string, seen: Readonly<Record<string, number>>): void {
  if (process.env["ASSENT_TEST_KILL_CYCLES"] === undefined) return;
  console.info(`${what}: ${JSON.stringify(seen)}, ready after at most ${Math.round(slowest)} ms`);
}

describe(`kill -9, ${CYCLES} times`, () => {
  const timeout = 20_000 + CYCLES * 3_000;

  test("during redemption → acknowledged tokens work, no code is redeemed twice", { timeout }, async () => {
    const client = data.clients.keeping;
    const journal = new Journal<Entry>(join(dirname(data.dataDir), "redeemed.jsonl"));
    const seen = { acknowledged: 0, committed: 0, untouched: 0 };
    for (let cycle = 0; cycle < Math.ceil(CYCLES / 2); cycle += 1) {
      const successors = await presentAndKill(await codes(client, UNDER_WAY), journal, (code, sent) =>
        redeem(client, code, sent),
      );
      for (const [code, token] of successors) {
        if (token === undefined) {
          // Either nothing of the request had happened, or all of it: then the code is spent, and its grant ends with this replay.
          const again = await redeem(client, code);
          expect([again.status, bodyOf(again)["error"]]).toEqual(
            again.status === 200 ? [200, undefined] : [400, "invalid_grant"],
          );
          seen[again.status === 200 ? "untouched" : "committed"] += 1;
          if (again.status === 200) expect((await redeem(client, code)).status, "a second success").toBe(400);
          continue;
        }
        seen.acknowledged += 1;
        expect((await refresh(client, token)).status, "acknowledged and lost").toBe(200);
        expect((await redeem(client, code)).status, "a second success").toBe(400);
      }
    }
    journal.close();
    const grants = grantsOf(client).filter(({ generation }) => generation > 0);
    expect(grants.filter(({ generation }) => generation !== 1)).toEqual([]);
    expect(grants).toHaveLength(seen.acknowledged + seen.committed + seen.untouched);
    tell("redemption", seen);
  });

  test("during refresh → the same successor after the restart, no chain ends", { timeout }, async () => {
    const client = data.clients.rotating;
    const journal = new Journal<Entry>(join(dirname(data.dataDir), "refreshed.jsonl"));
    const seen = { acknowledged: 0, unacknowledged: 0 };
    let tokens = await Promise.all(
      (await codes(client, UNDER_WAY)).map(async (code) => bodyOf(await redeem(client, code))["refresh_token"] ?? ""),
    );
    const cycles = Math.floor(CYCLES / 2);
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const successors = await presentAndKill(tokens, journal, (token, sent) => refresh(client, token, sent));
      tokens = await Promise.all(
        [...successors].map(async ([token, acknowledged]) => {
          seen[acknowledged === undefined ? "unacknowledged" : "acknowledged"] += 1;
          const answers = [await refresh(client, token), await refresh(client, token)];
          expect(
            answers.map(({ status }) => status),
            `cycle ${cycle}: the owner would have to sign in again`,
          ).toEqual([200, 200]);
          const made = new Set(answers.map((answer) => bodyOf(answer)["refresh_token"]));
          if (acknowledged !== undefined) made.add(acknowledged);
          expect(made.size, `cycle ${cycle}: a fork`).toBe(1);
          return [...made][0] ?? "";
        }),
      );
    }
    journal.close();
    const grants = grantsOf(client).filter(({ generation }) => generation > 0);
    expect(grants.map(({ status }) => status)).toEqual(Array(UNDER_WAY).fill("active"));
    // One step for the code and one for each cycle: no refresh was lost, none counted twice.
    expect(grants.map(({ generation }) => generation)).toEqual(Array(UNDER_WAY).fill(1 + cycles));
    expect(grants.map(({ uses }) => uses)).toEqual(Array(UNDER_WAY).fill(1 + cycles));
    tell("refresh", seen);
  });
});

describe("kill -9 during the first start", () => {
  test("at three moments → the next start is ready, with one signing key", { timeout: 60_000 }, async () => {
    const folder = mkdtempSync(join(tmpdir(), "assent-first-start-"));
    for (const moment of [300, 550, 800]) {
      const dataDir = join(folder, String(moment));
      mkdirSync(dataDir, { mode: 0o700 });
      await killDuringStart(dataDir, moment + randomInt(100));
      const next = await startProcess(dataDir);
      expect(next.readyAfter).toBeLessThan(READY_WITHIN);
      const keys = (await (await fetch(`${next.url}/jwks`)).json()) as { keys: unknown[] };
      expect(keys.keys).toHaveLength(1);
      await next.end("SIGTERM");
    }
    rmSync(folder, { recursive: true, force: true });
  });
});
