/** REL-26, REL-27, REL-30: independent processes on one database know the same within a second, start on an empty one together, and share their limits. */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  deleteIssuer,
  type OpenedAdmin,
  openAdmin,
  setUserStatus,
  updateClient,
} from "../../packages/server/src/admin/index.ts";
import { configOf } from "../../packages/server/src/index.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf } from "../support/assertion-requests.ts";
import { bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { Guesser } from "../support/password-guesser.ts";
import { cyclesOf, figure, inReliability, quantile } from "../support/reliability-cycles-and-figures.ts";
import { Nodes, rowsOf } from "../support/server-nodes.ts";
import {
  authorizePath,
  ISSUER,
  nextCode,
  type Prepared,
  prepareData,
  signedInAgent,
} from "../support/server-process.ts";
import { PASSWORD, registering, type TestClient } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

const ROUNDS = cyclesOf(5, 2);

describe("three processes on one database", () => {
  let data: Prepared<"keeping" | "robot">;
  let nodes: Nodes;
  /** Does what the operator's command does, beside the serving processes. */
  let admin: OpenedAdmin;

  beforeAll(async () => {
    data = await prepareData({ keeping: {}, robot: { grantTypes: [JWT_BEARER] } });
    nodes = new Nodes(data.dataDir);
    await nodes.start(3);
    admin = await openAdmin(configOf({ issuer: ISSUER, dataDir: data.dataDir }));
  });
  afterAll(async () => {
    await admin.close();
    await nodes.end();
    rmSync(dirname(data.dataDir), { recursive: true, force: true });
  });

  async function refreshToken(client: TestClient): Promise<string> {
    const agent = await signedInAgent(nodes.url(), data.person, authorizePath(client));
    const form = codeForm(client, await nextCode(agent, authorizePath(client)));
    return bodyOf(await send(nodes.url(), { path: "/token", client, form }))["refresh_token"] ?? "";
  }

  /** Milliseconds until every process answers with this status. It asks all the time. */
  async function everywhere(status: number, ask: (url: string) => Promise<number>): Promise<number> {
    const startedAt = performance.now();
    const times = nodes.urls.map(async (url) => {
      while ((await ask(url)) !== status) await sleep(10);
      return performance.now() - startedAt;
    });
    return Math.max(...(await Promise.all(times)));
  }

  const refreshes = (client: TestClient, token: string) => async (url: string) =>
    (await send(url, { path: "/token", client, form: refreshForm(token) })).status;

  function tell(what: string, times: readonly number[]): void {
    figure("REL-26", `${what}, effective on 3 processes, ${times.length} rounds`, {
      "ms at most": Math.max(...times),
      "ms median": quantile(times, 0.5),
    });
    expect(Math.max(...times)).toBeLessThan(1000);
  }

  test("REL-26 a grant is revoked at one → dead at all at once", byTheClock, async () => {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const client = data.clients.keeping;
      const token = await refreshToken(client);
      await everywhere(200, refreshes(client, token));
      expect((await send(nodes.url(round), { path: "/revoke", client, form: { token } })).status).toBe(200);
      times.push(await everywhere(400, refreshes(client, token)));
    }
    tell("revocation", times);
  });

  test("REL-26 a person is disabled → no refresh, no sign-in anywhere", {
    ...byTheClock,
    timeout: 30_000 + ROUNDS * 3_000,
  }, async () => {
    const times: number[] = [];
    const { username } = data.person;
    const client = data.clients.keeping;
    for (let round = 0; round < ROUNDS; round += 1) {
      const token = await refreshToken(client);
      await everywhere(200, refreshes(client, token));
      await setUserStatus(username, "disabled", admin);
      times.push(await everywhere(400, refreshes(client, token)));
      const answers = await Promise.all(nodes.urls.map((url) => new Guesser(url).try(username, PASSWORD)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      await setUserStatus(username, "active", admin);
    }
    tell("person disabled", times);
  });

  test("REL-26 a client is disabled, and enabled → the same", {
    ...byTheClock,
    timeout: 30_000 + ROUNDS * 4_000,
  }, async () => {
    const times: number[] = [];
    const client = data.clients.keeping;
    const asked = (url: string) =>
      send(url, { path: "/token", client, form: refreshForm("rt_x") }).then(({ status }) => status);
    for (let round = 0; round < ROUNDS; round += 1) {
      await everywhere(400, asked);
      await updateClient(client.clientId, { status: "disabled" }, admin);
      times.push(await everywhere(401, asked));
      await updateClient(client.clientId, { status: "active" }, admin);
      times.push(await everywhere(400, asked));
    }
    tell("client disabled or enabled", times);
  });

  test("REL-26 an issuer is no longer trusted → its assertions are refused", {
    ...byTheClock,
    timeout: 30_000 + ROUNDS * 4_000,
  }, async () => {
    const times: number[] = [];
    const client = data.clients.robot;
    for (let round = 0; round < ROUNDS; round += 1) {
      const issuer = aJwtIssuer(`https://idp-${round}.test`);
      const record = {
        ...({
          id: `record-${round}`,
          issuer: issuer.issuer,
          type: "jwt",
          status: "active",
          jwks: issuer.jwks,
        } as const),
        ...{ jwksUri: null, certificates: [], scopes: ["read"], clients: [], audience: null, maxLifetime: 3600 },
        ...({
          mapSubject: "username",
          subjects: [],
          subjectClaim: null,
          emailDomains: [],
          createOwners: false,
          createdAt: Date.now(),
        } as const),
      };
      await admin.storage.issuers.put({ issuer: record, create: true });
      const asserted = (url: string) => {
        const claims = claimsFor({ issuer: ISSUER, now: Date.now }, issuer, data.person.username);
        const form = { grant_type: JWT_BEARER, assertion: jwtOf(issuer, claims), scope: "read" };
        return send(url, { path: "/token", client, form }).then(({ status }) => status);
      };
      times.push(await everywhere(200, asserted));
      await deleteIssuer(issuer.issuer, admin);
      times.push(await everywhere(400, asserted));
    }
    tell("trust in an issuer begun or ended", times);
  });

  test("REL-30 wrong secrets at all three → 60 a minute are looked at, also after a restart; the right one is taken", {
    timeout: 60_000,
  }, async () => {
    const client = await registering(admin, Date.now).addClient();
    await everywhere(200, async (url) => {
      const { status } = await send(url, { path: "/token", client, form: refreshForm("rt_x") });
      return status === 400 ? 200 : status;
    });
    const wrong = { clientId: client.clientId, secret: "wrong" };
    const tryAll = async (times: number) => {
      const answers = await Promise.all(
        Array.from({ length: times }, (_, at) =>
          send(nodes.url(at), { path: "/token", client: wrong, form: refreshForm("rt_x") }),
        ),
      );
      return answers.map(({ status }) => status);
    };
    const before = await tryAll(150);
    await nodes.restart("SIGKILL");
    const after = await tryAll(30);
    const looked = [...before, ...after].filter((status) => status === 401).length;
    expect(new Set([...before, ...after])).toEqual(new Set([401, 429]));
    expect(looked).toBe(60);
    expect((await send(nodes.url(), { path: "/token", client, form: refreshForm("rt_x") })).status).toBe(400);
    figure("REL-30", "wrong client secrets at 3 processes, and after kill -9 of all", {
      "looked at": looked,
      "of the limit": looked / 60,
    });
  });

  test("REL-30 wrong passwords at all three → 10 are looked at; the lock survives kill -9 of all", {
    timeout: 60_000,
  }, async () => {
    const tryAll = async (times: number) => {
      const guessers = nodes.urls.map((url) => new Guesser(url));
      await Promise.all(guessers.map((one) => one.try("", "")));
      const pages = await Promise.all(
        Array.from({ length: times }, (_, at) => guessers[at % 3]?.try("someone-else", `wrong ${at}`)),
      );
      return pages.map((page) => page?.status);
    };
    const before = await tryAll(60);
    await nodes.restart("SIGKILL");
    const after = await tryAll(9);
    expect(Object.groupBy(before, String)).toEqual({ 200: Array(10).fill(200), 429: Array(50).fill(429) });
    expect(after).toEqual(Array(9).fill(429));
    figure("REL-30", "wrong passwords at 3 processes", {
      "looked at": 10,
      "of the limit": 1,
      "after kill -9 of all": 0,
    });
  });
});

const STARTED = inReliability ? 10 : 4;

describe(`REL-27 ${STARTED} processes start at the same time on an empty database`, () => {
  const rounds = Math.max(1, Math.ceil(cyclesOf(1) / 2));

  test(`${rounds} round(s) → one schema, one key, one secret; all serve`, {
    timeout: 60_000 + rounds * 60_000,
  }, async () => {
    let slowest = 0;
    for (let round = 0; round < rounds; round += 1) {
      const folder = mkdtempSync(join(tmpdir(), "assent-cold-"));
      const dataDir = join(folder, "data");
      mkdirSync(dataDir, { mode: 0o700 });
      const nodes = new Nodes(dataDir);
      await nodes.start(STARTED);
      const sets = await Promise.all(nodes.urls.map(async (url) => (await fetch(`${url}/jwks`)).text()));
      expect(new Set(sets).size).toBe(1);
      expect((JSON.parse(sets[0] ?? "") as { keys: unknown[] }).keys).toHaveLength(1);
      expect(await rowsOf(dataDir, "SELECT name FROM migrations GROUP BY name HAVING COUNT(*) > 1")).toEqual([]);
      slowest = Math.max(slowest, ...nodes.starts);
      expect((await nodes.end()).map(({ code }) => code)).toEqual(Array(STARTED).fill(0));
      rmSync(folder, { recursive: true, force: true });
    }
    figure("REL-27", `${STARTED} processes on an empty SQLite file`, {
      rounds,
      "with other than one key": 0,
      "ms until ready at most": slowest,
    });
  });
});
