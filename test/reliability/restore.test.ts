/** REL-20, REL-14: a backup made while the server serves, and a restore after which nothing comes back that ended meanwhile. */

import { execFile } from "node:child_process";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, trust } from "../support/assertion-requests.ts";
import { Agent } from "../support/http-browser.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { asked, cyclesOf, figure, quantile } from "../support/reliability-cycles-and-figures.ts";
import {
  authorizePath,
  ISSUER,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import * as clientKeys from "../support/signing-clients.ts";
import type { TestClient } from "../support/test-server.ts";

/** Grants of each kind. An owner can have 50 active ones of a client. */
const GRANTS = Math.min(20, cyclesOf(8));
/** Makes backups one after another for this time. 0: one backup. `--minutes N` sets it. */
const BACKING_UP = asked("minutes", 0) * 60_000;
const run = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const here = { issuer: ISSUER, now: () => Date.now() };
const idp = aJwtIssuer("https://idp.test");

let key: clientKeys.KeyPair;
let data: Prepared<"keeping" | "rotating" | "signing" | "asserting">;
let server: ServerProcess;

// Each test has its own key, because a restored server refuses assertions of the minute around the restore.
beforeEach(async () => {
  key = await clientKeys.aKeyPair();
  data = await prepareData(
    {
      keeping: {},
      rotating: { refresh: "rotate" },
      signing: {
        authMethod: "private_key_jwt",
        grantTypes: ["client_credentials"],
        ownScopes: ["read"],
        secrets: [],
        jwks: clientKeys.jwksOf(key),
      },
      asserting: { grantTypes: [JWT_BEARER], redirectUris: [] },
    },
    (one) => trust(one, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks }),
  );
  server = await startProcess(data.dataDir);
});
afterEach(async () => {
  await server.end("SIGKILL");
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
});

/** Runs a command to its end. This process continues to send requests. */
async function assent(...args: readonly string[]): Promise<Record<string, unknown>> {
  const { stdout } = await run(process.execPath, [join(root, "packages/cli/src/main.ts"), ...args, "--json"], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: data.dataDir,
      ASSENT_DATA_DIR: data.dataDir,
      ASSENT_ISSUER: ISSUER,
    },
  });
  return JSON.parse(stdout);
}

const token = (client: TestClient | undefined, form: Record<string, string>): Promise<BackChannelAnswer> =>
  send(server.url, { path: "/token", form, ...(client === undefined ? {} : { client }) });

/** A browser in which the owner has signed in and allowed this client. */
const browser = (client: TestClient): Promise<Agent> => signedInAgent(server.url, data.person, authorizePath(client));

/** The refresh token of a new authorization. */
async function granted(client: TestClient, agent: Agent): Promise<string> {
  const code = await nextCode(agent, authorizePath(client));
  return bodyOf(await token(client, codeForm(client, code)))["refresh_token"] ?? "";
}

const many = <T>(make: () => Promise<T>): Promise<T[]> => Promise.all(Array.from({ length: GRANTS }, make));

/** Two kinds of assertions. */
async function assertions() {
  const { signing, asserting } = data.clients;
  const now = Math.floor(Date.now() / 1000);
  return {
    ofClient: {
      grant_type: "client_credentials",
      client_assertion_type: clientKeys.JWT_BEARER,
      client_assertion: await clientKeys.sign(key, clientKeys.claimsOf(here, signing, { exp: now + 290 })),
    },
    asGrant: {
      client: asserting,
      form: {
        grant_type: JWT_BEARER,
        scope: "read",
        assertion: jwtOf(idp, claimsFor(here, idp, data.person.username)),
      },
    },
  };
}

test("backup under load, then all sorts of ends, then restore → 0 of what ended works, 0 of what could have", {
  timeout: 120_000 + GRANTS * 500 + 2 * BACKING_UP,
}, async () => {
  const { keeping, rotating } = data.clients;
  const agent = await browser(keeping);
  const other = await browser(rotating);
  const kept = await many(() => granted(keeping, agent));
  const spent = await many(() => granted(rotating, other));
  const revoked = await many(() => granted(rotating, other));

  // 200 refreshes per second continue during the backup.
  const latencies: number[] = [];
  const failures: string[] = [];
  let shed = 0;
  let next = 0;
  let underWay = 0;
  const load = setInterval(() => {
    next += 1;
    underWay += 1;
    void token(keeping, refreshForm(kept[next % kept.length])).then(({ status, text, took }) => {
      underWay -= 1;
      latencies.push(took);
      // The busy server refused early, without using the database.
      if (status === 503) shed += 1;
      else if (status !== 200) failures.push(text);
    });
  }, 5);
  await sleep(300);
  const backup = join(dirname(data.dataDir), "backup.db");
  const began = performance.now();
  const took: number[] = [];
  const backUp = async () => {
    const at = performance.now();
    await assent("db", "backup", backup);
    took.push(performance.now() - at);
  };
  while (performance.now() - began < BACKING_UP) {
    await backUp();
    rmSync(backup);
  }
  // Codes are valid for one minute.
  const codes = await many(() => nextCode(agent, authorizePath(keeping)));
  await backUp();
  await sleep(300);
  clearInterval(load);
  while (underWay > 0) await sleep(20);
  expect(failures).toEqual([]);
  expect(server.output.join("")).not.toMatch(/StorageUnavailable|SQLite:|database is locked/);
  figure("REL-14", "backup beside 200 requests a second", {
    answered: latencies.length,
    refused: failures.length,
    "refused early": shed,
    backups: took.length,
    "s of them": (performance.now() - began) / 1000,
    "ms of a command (median)": quantile(took, 0.5),
    "ms p99": quantile(latencies, 0.99),
  });

  // After the backup, credentials are spent, rotated, revoked and used.
  const redeemed = await Promise.all(codes.map((code) => token(keeping, codeForm(keeping, code))));
  expect(redeemed.every(({ status }) => status === 200)).toBe(true);
  const rotatedTo = await Promise.all(
    spent.map(async (one) => bodyOf(await token(rotating, refreshForm(one)))["refresh_token"] ?? ""),
  );
  for (const one of revoked) await send(server.url, { path: "/revoke", client: rotating, form: { token: one } });
  const { ofClient, asGrant } = await assertions();
  expect((await token(undefined, ofClient)).status).toBe(200);
  const granting = await token(asGrant.client, asGrant.form);
  expect(granting.status).toBe(200);
  await assent("consent", "revoke", data.person.username, keeping.clientId);

  await server.end("SIGTERM");
  const { ended } = (await assent("db", "restore", backup, "--yes")) as { ended: Record<string, number> };
  expect(ended["grants"]).toBeGreaterThanOrEqual(4 * GRANTS);
  server = await startProcess(data.dataDir);

  const tries = [
    ...[...kept, ...redeemed.map((answer) => bodyOf(answer)["refresh_token"] ?? "")].map((one) =>
      token(keeping, refreshForm(one)),
    ),
    ...[...spent, ...revoked, ...rotatedTo].map((one) => token(rotating, refreshForm(one))),
    ...codes.map((code) => token(keeping, codeForm(keeping, code))),
    token(undefined, ofClient),
    token(asGrant.client, asGrant.form),
  ];
  const answers = await Promise.all(tries);
  const accepted = answers.filter(({ status }) => status === 200);
  figure("REL-20", "tokens, codes and assertions tried after a restore", {
    tried: answers.length,
    accepted: accepted.length,
  });
  expect(accepted.map(({ text }) => text)).toEqual([]);
  // Nothing was taken for a theft.
  await expect.poll(() => server.output.join(""), { timeout: 20_000 }).toContain('"state_lost"');
  expect(server.output.join("")).not.toContain("refresh_token_replayed");

  // The owner signs in and answers the page, and the app works again.
  expect((await token(keeping, refreshForm(await granted(keeping, await browser(keeping))))).status).toBe(200);
});

test("import over data, of an export from before → 0 of what worked before works: refresh tokens, codes, sessions, assertions", {
  timeout: 120_000,
}, async () => {
  const { keeping, rotating } = data.clients;
  const agent = await browser(keeping);
  const other = await browser(rotating);
  const inFile = await granted(keeping, agent);
  const revoked = await granted(rotating, other);
  const exported = join(dirname(data.dataDir), "all.jsonl");
  await assent("export", exported);
  const since = await granted(keeping, await browser(keeping));
  await send(server.url, { path: "/revoke", client: rotating, form: { token: revoked } });
  const code = await nextCode(agent, authorizePath(keeping));
  const { ofClient } = await assertions();
  expect((await token(undefined, ofClient)).status).toBe(200);
  expect((await agent.get("/account/apps")).status).toBe(200);

  await server.end("SIGTERM");
  await assent("import", exported, "--yes");
  server = await startProcess(data.dataDir);

  const answers = await Promise.all([
    ...[inFile, since].map((one) => token(keeping, refreshForm(one))),
    token(rotating, refreshForm(revoked)),
    token(keeping, codeForm(keeping, code)),
    token(undefined, ofClient),
  ]);
  expect(answers.filter(({ status }) => status === 200).map(({ text }) => text)).toEqual([]);
  const visitor = new Agent(server.url);
  for (const [name, value] of agent.cookies) visitor.cookies.set(name, value);
  expect((await visitor.get("/account/apps")).location?.pathname).toBe("/login");
  expect(server.output.join("")).not.toContain("refresh_token_replayed");
  expect((await token(keeping, refreshForm(await granted(keeping, await browser(keeping))))).status).toBe(200);
});
