/** Floods of the front channel, and what its requests write into the log (CWE-400, RFC 9700 §4.3). */

import { statSync } from "node:fs";
import { Agent as HttpAgent, request as httpRequest } from "node:http";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import {
  expectGoesOn,
  expectPage400,
  expectRedirectError,
  logSince,
  rowCounts,
  send,
} from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, redeem, signIn } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  // The test keeps every line of the log in memory. Lower levels would write thousands.
  server = await startServer({ config: { logLevel: "info" } });
  client = await server.addClient();
});
afterAll(() => server.stop());

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const connections = new HttpAgent({ keepAlive: true, maxSockets: 16 });
afterAll(() => connections.destroy());

/** Returns only status and length, so that memory doesn't grow. */
function ask(path: string, headers: Record<string, string> = {}): Promise<{ status: number; size: number }> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      server.issuer + path,
      { agent: connections, headers: { accept: "text/html", ...headers } },
      (response) => {
        let size = 0;
        response.on("data", (chunk: Buffer) => {
          size += chunk.length;
        });
        response.on("end", () => resolve({ status: response.statusCode ?? 0, size }));
      },
    );
    sent.on("error", reject).end();
  });
}

async function flood(count: number, one: (at: number) => Promise<unknown>): Promise<void> {
  for (let at = 0; at < count; at += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - at) }, (_, step) => one(at + step)));
}

const authorizePath = (extra: Record<string, string>) => {
  const url = new URL(authorizeUrl(server, client, extra));
  return url.pathname + url.search;
};
const files = () => ["assent.db", "assent.db-wal"].map((name) => statSync(join(server.dataDir, name)).size);

describe("DS-06 parameters without end", () => {
  const many = (count: number) => Array.from({ length: count }, (_, at) => `p${at}=x`).join("&");

  test("/authorize: 101 by GET, after the client's own → invalid_request to the client; before them → 400 page", async () => {
    const url = authorizeUrl(server, client, { state: "s" });
    expectGoesOn(await new Agent(server.issuer).get(`${url}&${many(95)}`));
    expectRedirectError(await new Agent(server.issuer).get(`${url}&${many(96)}`), server, "invalid_request", {
      state: "s",
    });
    const { search } = new URL(url);
    expectPage400(await new Agent(server.issuer).get(`/authorize?${many(101)}&${search.slice(1)}`));
  });

  test.each(["/authorize", "/login", "/consent", "/login/switch", "/account/apps/revoke"])(
    "%s: 10,000 by POST → refused, quickly; 100 kB → 413",
    byTheClock,
    async (path) => {
      const headers = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
      for (const [count, statuses] of [
        [6000, [303, 400, 403]],
        [10_000, [413]],
      ] as const) {
        const body = many(count);
        const started = performance.now();
        const answer = await send(server.issuer, { method: "POST", path, headers, body });
        expect(statuses, `${answer.status}`).toContain(answer.status);
        expect(performance.now() - started).toBeLessThan(500);
      }
    },
  );
});

test("DS-09 3,000 requests without a cookie → nothing is stored of any, in no table and no file", async () => {
  await ask(authorizePath({}));
  // Refusals of the tests before are stored a moment after their answers, and their events are sealed in seconds.
  await expect
    .poll(() => byHand(`sqlite:${join(server.dataDir, "assent.db")}`, ["SELECT event_id FROM events_waiting"]))
    .toEqual([]);
  const rows = async () => ({ ...(await rowCounts(server.dataDir)), refusals: null });
  const before = { rows: await rows(), files: files() };
  await flood(3000, async (at) => {
    const { status } = await ask(authorizePath({ state: `${at}`, login_hint: `user${at}` }), {
      "user-agent": `agent ${at}`,
    });
    if (status !== 200) throw new Error(`answered ${status}`);
  });
  expect(await rows()).toEqual(before.rows);
  // A heartbeat every ten seconds writes one page of the database's log. 3,000 requests that write would write
  // thousands.
  for (const [at, size] of files().entries()) expect(size - (before.files[at] ?? 0)).toBeLessThan(50_000);
});

test("DS-10 3,000 languages, clients, conditions and pages that don't exist → memory stays where it was", async () => {
  const one = async (at: number) => {
    const headers = { "accept-language": `x-${at}-${"l".repeat(100)}` };
    const plain = await ask(authorizePath({ ui_locales: `x-${at}` }), headers);
    await ask(`/authorize?client_id=unknown-${at}-${"c".repeat(200)}`, headers);
    await ask(`/errors/condition-${at}`, headers);
    await ask(`/nothing/${at}`, headers);
    return plain.size;
  };
  // A first flood fills the caches, also those of unknown ids, so that they don't count.
  await flood(1500, one);
  server.log.length = 0;
  collect();
  const before = process.memoryUsage().heapUsed;
  const sizes = new Set<number>();
  await flood(1500, async (at) => sizes.add(await one(at + 1500)));
  server.log.length = 0;
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(6_000_000);
  // The page is the same for every requested language. A longer language tag makes the sealed request a few bytes
  // longer.
  expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(16);
});

describe("LG-02 the log", () => {
  test("a whole flow, and each way it can fail → no query, code, token, state, password, cookie or secret in it", async () => {
    const mark = server.log.length;
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const secret = { state: "canary-state", login_hint: "canary-hint", nonce: "canary-nonce" };
    const login = await agent.get(authorizeUrl(server, client, secret));
    await agent.submit(login.forms[0] ?? noForm(), { username, password: "canary-wrong" });
    const consent = await signIn(agent, username, login);
    const answer = await agent.submit(consentForm(consent), { decision: "allow" });
    await agent.get("/nothing?canary=canary-query");
    await agent.get("/consent?request=canary-request");
    await agent.get(authorizeUrl(server, client, { ...secret, scope: "nothing" }));
    // The log names an unregistered redirect URI for the operator, without its query.
    await agent.get(
      authorizeUrl(server, client, { ...secret, redirect_uri: "https://evil.test/cb?x=canary-redirect" }),
    );
    const tokens = await redeem(server, client, answer.location ?? "");
    await redeem(server, client, answer.location ?? "");
    await redeem(server, { ...client, secret: "canary-secret" }, "canary-code", { code_verifier: "canary-verifier" });
    const text = logSince(server, mark);
    expect(text).toContain('"event":"grant_issued"');
    expect(text).toContain('"condition":"redirect_uri_mismatch"');
    expect(text).not.toContain("canary");
    expect(text).not.toMatch(/[?&](code|state|request)=/);
    const held = [
      ...agent.cookies.values(),
      tokens.body.access_token,
      tokens.body.refresh_token,
      client.secret,
      PASSWORD,
    ];
    held.push(
      answer.location?.searchParams.get("code") ?? undefined,
      consentForm(consent).fields.get("request") ?? undefined,
    );
    for (const value of held) {
      expect(value).toEqual(expect.stringMatching(/.{16}/));
      expect(text).not.toContain(value);
    }
  });
});

function noForm(): never {
  throw new Error("no form");
}
