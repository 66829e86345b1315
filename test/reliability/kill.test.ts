/**
 * REL-01, REL-02, REL-07: `kill -9` at random while codes are redeemed, tokens refreshed and tokens revoked. What was acknowledged stays, nothing
 * happens twice, and who lost an answer gets the same one again. The journal of the client, outside the server, is what the server is held against.
 */

import { randomInt } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, pkce } from "../support/browser-like.ts";
import { cyclesOf, figure, quantile } from "../support/figures.ts";
import { Journal } from "../support/journal.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive.ts";
import { integrityOf, Nodes, rowsOf } from "../support/nodes.ts";
import { authorizePath, nextCode, type Prepared, prepareData, signedInAgent } from "../support/processes.ts";
import { onPostgres, type TestClient } from "../support/server.ts";

const DATABASE = onPostgres ? "PostgreSQL" : "SQLite";
/** Of each kind, under way at each kill, sent one after another within `SPREAD` milliseconds. */
const UNDER_WAY = 4;
const SPREAD = 40;
const READY_WITHIN = 5_000;

type Kind = "redeem" | "refresh" | "revoke";

/** `sent`: a request went out; `acknowledged`: its whole answer came. `credential`: the code or token that was presented. */
interface Entry {
  readonly event: "sent" | "acknowledged";
  readonly kind: Kind;
  readonly credential: string;
  readonly successor?: string;
}

const verifier = pkce();

function requestOf(client: TestClient): string {
  return authorizePath(client, { code_challenge: verifier.challenge, code_challenge_method: "S256" });
}

/** The client's side of the cycles. */
class Caller {
  readonly #nodes: Nodes;
  readonly #data: Prepared<"keeping" | "rotating">;
  readonly #cookies = new Map<string, string>();
  readonly journal: Journal<Entry>;

  constructor(nodes: Nodes, data: Prepared<"keeping" | "rotating">, journal: Journal<Entry>) {
    this.#nodes = nodes;
    this.#data = data;
    this.journal = journal;
  }

  /** One browser for all: its session outlives the kills, too. */
  async signIn(): Promise<void> {
    for (const client of Object.values(this.#data.clients)) {
      const { cookies } = await signedInAgent(this.#nodes.url(), this.#data.person, requestOf(client));
      for (const [name, value] of cookies) this.#cookies.set(name, value);
    }
  }

  codes(client: TestClient, count: number): Promise<string[]> {
    return Promise.all(
      Array.from({ length: count }, (_, at) => {
        const agent = new Agent(this.#nodes.url(at));
        for (const [name, value] of this.#cookies) agent.cookies.set(name, value);
        return nextCode(agent, requestOf(client));
      }),
    );
  }

  /** Fresh refresh tokens, one for each new grant. */
  async tokens(client: TestClient, count: number): Promise<string[]> {
    const codes = await this.codes(client, count);
    return Promise.all(codes.map(async (code) => bodyOf(await this.ask("redeem", code))["refresh_token"] ?? ""));
  }

  ask(kind: Kind, credential: string, url = this.#nodes.url(), sent?: () => void): Promise<BackChannelAnswer> {
    const { keeping, rotating } = this.#data.clients;
    const told = sent === undefined ? {} : { sent };
    if (kind === "revoke") return send(url, { path: "/revoke", client: keeping, form: { token: credential }, ...told });
    if (kind === "refresh")
      return send(url, { path: "/token", client: rotating, form: refreshForm(credential), ...told });
    return send(url, {
      path: "/token",
      client: keeping,
      form: codeForm(keeping, credential, verifier.verifier),
      ...told,
    });
  }

  /** Whether a token of the keeping client is still good. */
  async isGood(token: string): Promise<boolean> {
    const answer = await send(this.#nodes.url(), {
      path: "/token",
      client: this.#data.clients.keeping,
      form: refreshForm(token),
    });
    expect([200, 400], answer.text).toContain(answer.status);
    return answer.status === 200;
  }

  /** Sends at a random moment and writes down what is certain. */
  async present(kind: Kind, credential: string, url: string): Promise<void> {
    await sleep(randomInt(SPREAD));
    const answer = await this.ask(kind, credential, url, () =>
      this.journal.record({ event: "sent", kind, credential }),
    );
    expect([0, 200], answer.text).toContain(answer.status);
    if (answer.status !== 200) return;
    const successor = kind === "revoke" ? "" : (bodyOf(answer)["refresh_token"] ?? "");
    this.journal.record({ event: "acknowledged", kind, credential, successor });
  }

  /** What was acknowledged of these: the successor of each. */
  acknowledged(kind: Kind, credentials: readonly string[]): ReadonlyMap<string, string | undefined> {
    const all = this.journal.entries().filter((one) => one.event === "acknowledged" && one.kind === kind);
    return new Map(credentials.map((one) => [one, all.find(({ credential }) => credential === one)?.successor]));
  }
}

async function checkRedeemed(caller: Caller, codes: readonly string[], seen: Record<string, number>): Promise<void> {
  for (const [code, token] of caller.acknowledged("redeem", codes)) {
    if (token !== undefined) {
      expect(await caller.isGood(token), "acknowledged and lost").toBe(true);
      expect((await caller.ask("redeem", code)).status, "a second success").toBe(400);
      count(seen, "acknowledged");
      continue;
    }
    // Either nothing of the request had happened, or all of it: then the code is spent, and its grant ends with this replay.
    const again = await caller.ask("redeem", code);
    expect([again.status, bodyOf(again)["error"]]).toEqual(
      again.status === 200 ? [200, undefined] : [400, "invalid_grant"],
    );
    count(seen, again.status === 200 ? "untouched" : "committed");
    if (again.status === 200) expect((await caller.ask("redeem", code)).status, "a second success").toBe(400);
  }
}

/** The successors. */
function checkRefreshed(caller: Caller, tokens: readonly string[], seen: Record<string, number>): Promise<string[]> {
  return Promise.all(
    [...caller.acknowledged("refresh", tokens)].map(async ([token, acknowledged]) => {
      count(seen, acknowledged === undefined ? "unacknowledged" : "acknowledged");
      const answers = [await caller.ask("refresh", token), await caller.ask("refresh", token)];
      expect(
        answers.map(({ status }) => status),
        "the owner would have to sign in again",
      ).toEqual([200, 200]);
      const made = new Set(answers.map((answer) => bodyOf(answer)["refresh_token"] ?? ""));
      if (acknowledged !== undefined) made.add(acknowledged);
      expect(made.size, "a fork").toBe(1);
      return [...made][0] ?? "";
    }),
  );
}

async function checkRevoked(caller: Caller, tokens: readonly string[], seen: Record<string, number>): Promise<void> {
  for (const [token, acknowledged] of caller.acknowledged("revoke", tokens)) {
    count(seen, acknowledged === undefined ? "unacknowledged" : "acknowledged");
    if (acknowledged === undefined) expect((await caller.ask("revoke", token)).status).toBe(200);
    expect(await caller.isGood(token), "a revoked token came back").toBe(false);
  }
}

function count(seen: Record<string, number>, name: string): void {
  seen[name] = (seen[name] ?? 0) + 1;
}

describe.each([
  { nodes: 1, cycles: cyclesOf(onPostgres ? 25 : 100) },
  { nodes: 3, cycles: cyclesOf(onPostgres ? 5 : 20) },
])("kill -9, $cycles times, $nodes process(es) on one database", ({ nodes: howMany, cycles }) => {
  let data: Prepared<"keeping" | "rotating">;
  let nodes: Nodes;
  let caller: Caller;

  beforeAll(async () => {
    data = await prepareData({ keeping: {}, rotating: { refresh: "rotate" } });
    nodes = new Nodes(data.dataDir);
    await nodes.start(howMany);
    caller = new Caller(nodes, data, new Journal<Entry>(join(dirname(data.dataDir), "journal.jsonl")));
    await caller.signIn();
  });
  afterAll(async () => {
    caller.journal.close();
    await nodes.end("SIGKILL");
    rmSync(dirname(data.dataDir), { recursive: true, force: true });
  });

  test("during redemption, refresh and revocation → nothing lost, nothing twice, nothing back", {
    timeout: 30_000 + cycles * 4_000,
  }, async () => {
    const { keeping, rotating } = data.clients;
    const redeemed: Record<string, number> = {};
    const refreshed: Record<string, number> = {};
    const revoked: Record<string, number> = {};
    const first = await caller.codes(rotating, UNDER_WAY);
    let tokens = await Promise.all(
      first.map(async (code) => {
        const form = codeForm(rotating, code, verifier.verifier);
        return bodyOf(await send(nodes.url(), { path: "/token", client: rotating, form }))["refresh_token"] ?? "";
      }),
    );
    for (let cycle = 0; cycle < cycles; cycle += 1) {
      const codes = await caller.codes(keeping, UNDER_WAY);
      const doomed = await caller.tokens(keeping, UNDER_WAY);
      const under = (["redeem", "refresh", "revoke"] as const).flatMap((kind) =>
        ({ redeem: codes, refresh: tokens, revoke: doomed })[kind].map((credential, at) =>
          caller.present(kind, credential, nodes.url(at)),
        ),
      );
      await sleep(randomInt(51));
      const { again } = await nodes.killOne();
      await Promise.all(under);
      await again();
      await checkRedeemed(caller, codes, redeemed);
      tokens = await checkRefreshed(caller, tokens, refreshed);
      await checkRevoked(caller, doomed, revoked);
    }
    const grants = await rowsOf<{ status: string; generation: number; uses: number }>(
      data.dataDir,
      "SELECT status, generation, uses FROM grants WHERE client_id = ? AND generation > 0",
      rotating.clientId,
    );
    expect(grants.map(({ status }) => status)).toEqual(Array(UNDER_WAY).fill("active"));
    // One step for the code and one for each cycle: no refresh was lost, none counted twice.
    expect(grants.map(({ generation }) => generation)).toEqual(Array(UNDER_WAY).fill(1 + cycles));
    expect(grants.map(({ uses }) => uses)).toEqual(Array(UNDER_WAY).fill(1 + cycles));
    const others = await rowsOf<{ generation: number }>(
      data.dataDir,
      "SELECT generation FROM grants WHERE client_id = ? AND generation > 1",
      keeping.clientId,
    );
    expect(others).toEqual([]);
    if (!onPostgres) expect(integrityOf(join(data.dataDir, "assent.db"))).toBe("ok");
    // The machine may be busy with something else at one of them.
    expect(quantile(nodes.starts, 0.9)).toBeLessThan(READY_WITHIN);
    const where = `kill -9, ${DATABASE}, ${howMany} process(es), ${cycles} cycles`;
    const ready = {
      "ms until ready, median": quantile(nodes.starts, 0.5),
      "ms at most": Math.max(...nodes.starts),
    };
    figure("REL-01", `redemption, ${where}`, { lost: 0, double: 0, ...redeemed, ...ready });
    figure("REL-02", `refresh, ${where}`, { forks: 0, "logged out": 0, ...refreshed });
    figure("REL-07", `revocation, ${where}`, { resurrected: 0, ...revoked });
  });
});
