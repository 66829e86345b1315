/**
 * A flood of sign-ins: the queue for hashing is limited, requests beyond it are refused at once, and other requests
 * don't wait.
 */

import { rmSync } from "node:fs";
import { Agent as HttpAgent } from "node:http";
import { dirname } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, type Form } from "../support/http-browser.ts";
import { type BackChannelAnswer, bodyOf, codeForm, send } from "../support/keep-alive-requests.ts";
import { networks } from "../support/password-guesser.ts";
import { hashPasswordsAtRealCost } from "../support/real-password-cost.ts";
import {
  authorizePath,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import { API, PASSWORD } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

hashPasswordsAtRealCost();

let data: Prepared<"app">;
let server: ServerProcess;
let anonymous: Agent;
let form: Form;

beforeAll(async () => {
  data = await prepareData({ app: {} });
  server = await startProcess(data.dataDir, { ASSENT_TRUST_PROXY: "127.0.0.1" });
  anonymous = new Agent(server.url);
  const [shown] = (await anonymous.get("/login")).forms;
  if (shown === undefined) throw new Error("no sign-in form");
  form = shown;
});
afterAll(async () => {
  await server.end("SIGTERM");
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
});

function signIn(
  username: string,
  password: string,
  address: string,
  connection?: HttpAgent,
  agent = anonymous,
): Promise<BackChannelAnswer> {
  const cookie = [...agent.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const fields = { ...Object.fromEntries(form.fields), username, password };
  const headers = { cookie, "x-forwarded-for": address, accept: "text/html" };
  return send(server.url, { path: "/login", form: fields, headers }, connection);
}

/** Repeats a request until `running.on` is false. Returns all answers. */
async function probe(ask: () => Promise<BackChannelAnswer>, running: { on: boolean }): Promise<BackChannelAnswer[]> {
  const answers: BackChannelAnswer[] = [];
  while (running.on) {
    answers.push(await ask());
    await sleep(5);
  }
  return answers;
}

function quantile(list: readonly number[], share: number): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? 0;
}

describe("DS-01 500 wrong sign-ins at once", () => {
  test("→ about a hundred are looked at, the rest is 503 with Retry-After at once; keys and introspection stay quick", {
    ...byTheClock,
    timeout: 60_000,
  }, async () => {
    const agent = await signedInAgent(server.url, data.person, authorizePath(data.clients.app));
    const code = await nextCode(agent, authorizePath(data.clients.app));
    const client = data.clients.app;
    const token =
      bodyOf(await send(server.url, { path: "/token", client, form: codeForm(client, code) }))["access_token"] ?? "";
    const probes = new HttpAgent({ keepAlive: true });
    const running = { on: true };
    const others = Promise.all([
      probe(() => send(server.url, { method: "GET", path: "/jwks" }, probes), running),
      probe(
        () =>
          send(
            server.url,
            { path: "/introspect", client: { clientId: API.id, secret: API.secret }, form: { token } },
            probes,
          ),
        running,
      ),
    ]);
    // Prevents an "unhandled rejection". The test sees the failure when it awaits the promise below.
    others.catch(() => {});
    await sleep(100);
    // Opens the connections first, so that the measured time is the server's.
    const flood = new HttpAgent({ keepAlive: true, maxFreeSockets: 500 });
    await Promise.all(networks(500).map(() => send(server.url, { method: "GET", path: "/health/live" }, flood)));
    await sleep(200);
    const answers = await Promise.all(
      networks(500).map((address, at) => signIn(`nobody-${at}`, "not it", address, flood)),
    );
    running.on = false;
    const probed = await others;
    flood.destroy();
    probes.destroy();

    const looked = answers.filter(({ status }) => status === 200);
    const turnedAway = answers.filter(({ status }) => status === 503);
    expect(looked.length + turnedAway.length).toBe(500);
    // A hundred wait in the queue, some are being hashed, and some take places that became free.
    expect(looked.length).toBeGreaterThanOrEqual(100);
    expect(looked.length).toBeLessThan(250);
    for (const { headers } of turnedAway) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    // Compared with the duration of the flood, because absolute times depend on other work of this machine.
    const whole = Math.max(...answers.map(({ took }) => took));
    const refusals = turnedAway.map(({ took }) => took);
    expect(quantile(refusals, 0.5), `of ${whole} ms`).toBeLessThan(whole / 2);
    for (const all of probed) {
      const took = all.filter(({ status }) => status === 200).map((answer) => answer.took);
      expect(took.length).toBeGreaterThan(20);
      // On a busy machine, the server may refuse one or two of these requests at the start of the flood.
      expect(took.length / all.length, all.find(({ status }) => status !== 200)?.problem).toBeGreaterThan(0.9);
      expect(quantile(took, 0.5), `of ${whole} ms`).toBeLessThan(whole / 20);
      expect(quantile(took, 0.9), `of ${whole} ms`).toBeLessThan(whole / 4);
    }
  });

  test("a person in the crowd → tries that nobody looked at, because of the crowd, are not counted", {
    timeout: 60_000,
  }, async () => {
    let turnedAway = 0;
    // On a busy machine, the requests may arrive too slowly to fill the queue, so this repeats.
    for (let round = 0; round < 5 && turnedAway === 0; round += 1) {
      const crowd = networks(400).map((address, at) => signIn(`nobody-else-${at}`, "not it", address));
      const [home = ""] = networks(1);
      const tries = (times: number) =>
        Promise.all(Array.from({ length: times }, () => signIn(`somebody-${round}`, "not it", home)));
      const statuses = (await tries(15)).map(({ status }) => status);
      await Promise.all(crowd);
      expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
      turnedAway = statuses.filter((status) => status === 503).length;
      const looked = statuses.filter((status) => status === 200).length;
      expect((await tries(12)).filter(({ status }) => status === 200)).toHaveLength(10 - looked);
    }
    expect(turnedAway).toBeGreaterThan(0);
  });
});

describe("DS-01 one /48, a fresh /64 and a name that nobody has for each try", () => {
  test("→ an owner elsewhere signs in, long before the flood's own tries are done", {
    timeout: 120_000,
  }, async () => {
    const pool = new HttpAgent({ keepAlive: true });
    let [tries, looked, on] = [0, 0, true];
    const statuses = new Set<number>();
    const attackers = Array.from({ length: 130 }, async () => {
      while (on) {
        tries += 1;
        const address = `2001:db8:77:${tries.toString(16)}::1`;
        const { status } = await signIn(`nobody-${tries}`, "not it", address, pool);
        statuses.add(status);
        if (status === 200) looked += 1;
        else await sleep(100);
      }
    });
    await expect.poll(() => statuses.has(503), { timeout: 20_000 }).toBe(true);
    const home = networks(8);
    for (const address of home) {
      const before = looked;
      expect((await signIn(data.person.username, PASSWORD, address)).status).toBe(303);
      // In the order of arrival, a hundred others would come first. Sign-ins that are hashed before this one is queued
      // count here, too.
      expect(looked - before).toBeLessThan(50);
    }
    on = false;
    await Promise.all(attackers);
    pool.destroy();
  });
});

describe("DS-03 long passwords", () => {
  test.each([
    ["1,000,000 letters", "x".repeat(1_000_000), 413],
    ["60,000 letters", "x".repeat(60_000), 200],
    ["1,025 letters", "x".repeat(1025), 200],
    ["1,026 bytes in 342 characters", "\u20ac".repeat(342), 200],
  ])("%s → refused before anything is hashed or counted", async (_, password, status) => {
    const [address = ""] = networks(1);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => signIn(data.person.username, password, address)),
    );
    expect(answers.map((answer) => answer.status)).toEqual(Array(12).fill(status));
    expect((await signIn(data.person.username, PASSWORD, address)).status).toBe(303);
  });

  test("1,024 letters → looked at", async () => {
    const [address = ""] = networks(1);
    expect((await signIn(data.person.username, "x".repeat(1024), address)).status).toBe(200);
  });
});
