/**
 * Three processes on one database: of many simultaneous requests exactly one succeeds (RFC 6749 §4.1.2), and one
 * refresh token has one successor.
 */

import { rmSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { dirname } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, consentForm, pkce } from "../support/http-browser.ts";
import { bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { Guesser } from "../support/password-guesser.ts";
import { cyclesOf, figure, inFull } from "../support/reliability-cycles-and-figures.ts";
import {
  authorizePath,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import { onPostgres, type TestClient } from "../support/test-server.ts";

const ROUNDS = cyclesOf(100, 10);
/** The short form on PostgreSQL sends fewer at once, in the same number of rounds. */
const AT_ONCE = onPostgres && !inFull ? 20 : 50;

let data: Prepared<"keeping" | "rotating">;
let processes: readonly ServerProcess[];
const connections = new HttpAgent({ keepAlive: true, maxSockets: AT_ONCE });

beforeAll(async () => {
  data = await prepareData({ keeping: {}, rotating: { refresh: "rotate" } });
  processes = await Promise.all([1, 2, 3].map(() => startProcess(data.dataDir)));
});
afterAll(async () => {
  connections.destroy();
  const ended = await Promise.all(processes.map((one) => one.end("SIGTERM")));
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
  expect(ended.map(({ code }) => code)).toEqual([0, 0, 0]);
});

/** Sends the same form `times` at once, to all processes. */
function atOnce(client: TestClient, form: Record<string, string>, times = AT_ONCE) {
  return Promise.all(
    Array.from({ length: times }, (_, at) => send(urlOf(at), { path: "/token", client, form }, connections)),
  );
}

function urlOf(at: number): string {
  return processes[at % processes.length]?.url ?? "";
}

function refreshed(client: TestClient, token: string | undefined) {
  return send(urlOf(0), { path: "/token", client, form: refreshForm(token) }, connections);
}

function redeemed(client: TestClient, code: string) {
  return send(urlOf(0), { path: "/token", client, form: codeForm(client, code) }, connections);
}

/** Number of answers of each kind: `200`, `400 invalid_grant`, … */
function counted(answers: readonly { status: number; text: string; problem: string }[]): Record<string, number> {
  const names = answers.map(({ status, text, problem }) =>
    status === 200 ? "200" : `${status} ${problem || (/"error":"(\w+)"/.exec(text)?.[1] ?? text)}`,
  );
  return Object.fromEntries(
    Object.entries(Object.groupBy(names, (one) => one)).map(([one, all = []]) => [one, all.length]),
  );
}

describe("parallel redemptions of one code", () => {
  test(`${ROUNDS} rounds → exactly one 200 each, and its grant has ended`, {
    timeout: 120_000 + ROUNDS * 1_000,
  }, async () => {
    const client = data.clients.keeping;
    const { challenge, verifier } = pkce();
    const path = authorizePath(client, { code_challenge: challenge, code_challenge_method: "S256" });
    const agent = await signedInAgent(urlOf(0), data.person, path);
    for (let round = 0; round < ROUNDS; round += 1) {
      const code = await nextCode(agent, path);
      const answers = await atOnce(client, codeForm(client, code, verifier));
      expect(counted(answers), `round ${round}`).toEqual({ 200: 1, "400 invalid_grant": AT_ONCE - 1 });
      const winner = answers.find(({ status }) => status === 200);
      const after = await refreshed(client, winner && bodyOf(winner)["refresh_token"]);
      expect([after.status, bodyOf(after)["error"]], `round ${round}`).toEqual([400, "invalid_grant"]);
    }
    figure("REL-04", `${AT_ONCE} parallel redemptions of a code, 3 processes`, {
      rounds: ROUNDS,
      "with other than one success": 0,
    });
  });

  test("alone → 200, and its grant lives", async () => {
    const client = data.clients.keeping;
    const agent = await signedInAgent(urlOf(1), data.person, authorizePath(client));
    const answer = await redeemed(client, await nextCode(agent, authorizePath(client)));
    expect((await refreshed(client, bodyOf(answer)["refresh_token"])).status).toBe(200);
  });
});

describe("one browser at three processes", () => {
  /** Signs in at one process, and uses the cookies at all. */
  async function everywhere(client: TestClient): Promise<Agent[]> {
    const first = await signedInAgent(urlOf(0), data.person, authorizePath(client));
    return processes.map(({ url }) => {
      const agent = new Agent(url);
      for (const [name, value] of first.cookies) agent.cookies.set(name, value);
      return agent;
    });
  }

  test("the answer on the consent page sent to all at once, 20 rounds → one code", async () => {
    const agents = await everywhere(data.clients.keeping);
    for (let round = 0; round < 20; round += 1) {
      const page = await agents[0]?.get(authorizePath(data.clients.keeping, { prompt: "consent" }));
      if (page === undefined) throw new Error("no page");
      const answers = await Promise.all(
        [...agents, ...agents].map((agent) => agent.submit(consentForm(page), { decision: "allow" })),
      );
      const codes = new Set(answers.map(({ location }) => location?.searchParams.get("code")));
      expect([...codes]).toEqual([expect.stringMatching(/^ac_/)]);
    }
  });

  test("100 wrong passwords at once, spread over all → ten are looked at", async () => {
    const guessers = processes.map(({ url }) => new Guesser(url));
    await Promise.all(guessers.map((one) => one.try("", "")));
    const tries = Array.from({ length: 100 }, (_, at) =>
      guessers[at % guessers.length]?.try("somebody", `wrong ${at}`),
    );
    const statuses = (await Promise.all(tries)).map((page) => page?.status);
    expect(Object.groupBy(statuses, String)).toEqual({ 200: Array(10).fill(200), 429: Array(90).fill(429) });
  });
});

describe("parallel refreshes of one rotating token", () => {
  let agent: Agent;
  beforeAll(async () => {
    agent = await signedInAgent(urlOf(2), data.person, authorizePath(data.clients.rotating));
  });

  async function firstToken(): Promise<string> {
    const client = data.clients.rotating;
    const answer = await redeemed(client, await nextCode(agent, authorizePath(client)));
    return bodyOf(answer)["refresh_token"] ?? "";
  }

  test("many at once → four answers with one successor; the rest is theft, and the successor is dead", {
    timeout: 20_000 + ROUNDS * 300,
  }, async () => {
    const client = data.clients.rotating;
    for (let round = 0; round < Math.ceil(ROUNDS / 5); round += 1) {
      const answers = await atOnce(client, refreshForm(await firstToken()));
      const good = answers.filter(({ status }) => status === 200);
      expect(counted(answers), `round ${round}`).toEqual({ 200: 4, "400 invalid_grant": AT_ONCE - 4 });
      const successors = new Set(good.map((answer) => bodyOf(answer)["refresh_token"]));
      expect(successors.size, `round ${round}`).toBe(1);
      const after = await refreshed(client, [...successors][0]);
      expect([after.status, bodyOf(after)["error"]], `round ${round}`).toEqual([400, "invalid_grant"]);
    }
    const rounds = Math.ceil(ROUNDS / 5);
    figure("REL-03", `${AT_ONCE} parallel refreshes of a token, 3 processes`, {
      rounds,
      "with more than one live lineage": 0,
    });
  });

  test("4 at once → all get the one successor, and it lives", { timeout: 20_000 + ROUNDS * 300 }, async () => {
    const client = data.clients.rotating;
    for (let round = 0; round < Math.ceil(ROUNDS / 5); round += 1) {
      const token = await firstToken();
      const answers = await atOnce(client, refreshForm(token), 4);
      expect(counted(answers), `round ${round}`).toEqual({ 200: 4 });
      const successors = new Set(answers.map((answer) => bodyOf(answer)["refresh_token"]));
      expect(successors.size, `round ${round}`).toBe(1);
      expect([...successors][0]).not.toBe(token);
      expect((await refreshed(client, [...successors][0])).status, `round ${round}`).toBe(200);
    }
  });

  test("many at once of a kept token → all 200, the same token", async () => {
    const client = data.clients.keeping;
    const keeper = await signedInAgent(urlOf(0), data.person, authorizePath(client));
    const token = bodyOf(await redeemed(client, await nextCode(keeper, authorizePath(client))))["refresh_token"] ?? "";
    const answers = await atOnce(client, refreshForm(token));
    expect(counted(answers)).toEqual({ 200: AT_ONCE });
    expect(new Set(answers.map((answer) => bodyOf(answer)["refresh_token"]))).toEqual(new Set([token]));
  });
});
