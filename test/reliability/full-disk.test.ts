/**
 * REL-12, REL-13, REL-21: the disk is full, somebody else holds the file, the power fails. Nothing that was acknowledged is lost, nothing is half done,
 * and the server goes on by itself.
 */

import { randomInt } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createAdminToken } from "../../packages/server/src/admin/api-access/tokens.ts";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { Journal } from "../support/durable-journal.ts";
import { canLimitFiles, copyAtOnce, largestFile, limitFiles } from "../support/fault-injection.ts";
import { type BackChannelAnswer, bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";
import { integrityOf, rowsOf } from "../support/server-nodes.ts";
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
import { API } from "../support/test-server.ts";

const LINES = 8;

/** An acknowledged rotation: its line of tokens, and its number in the line. */
interface Entry {
  readonly line: number;
  readonly step: number;
}

let data: Prepared<"rotating">;
let server: ServerProcess;

beforeAll(async () => {
  data = await prepareData({ rotating: { refresh: "rotate" } });
  // A retry must be possible after an outage, however long it was.
  server = await startProcess(data.dataDir, { ASSENT_RETRY_WINDOW: "600" });
});
afterAll(async () => {
  await server.end("SIGTERM");
  rmSync(dirname(data.dataDir), { recursive: true, force: true });
});

async function firstTokens(count: number): Promise<{ access: string; refresh: string }[]> {
  const client = data.clients.rotating;
  const agent = await signedInAgent(server.url, data.person, authorizePath(client));
  return Promise.all(
    Array.from({ length: count }, async () => {
      const form = codeForm(client, await nextCode(agent, authorizePath(client)));
      const body = bodyOf(await send(server.url, { path: "/token", client, form }));
      return { access: body["access_token"] ?? "", refresh: body["refresh_token"] ?? "" };
    }),
  );
}

function refresh(token: string): Promise<BackChannelAnswer> {
  return send(server.url, { path: "/token", client: data.clients.rotating, form: refreshForm(token) });
}

interface Load {
  on: boolean;
  readonly answers: BackChannelAnswer[];
  /** Acknowledged rotations of each line. */
  readonly steps: number[];
}

/** Rotates each line as fast as answers come. After a 503, it repeats the request with the same token. */
async function rotate(tokens: string[], load: Load, journal?: Journal<Entry>): Promise<void> {
  await Promise.all(
    tokens.map(async (_, line) => {
      while (load.on) {
        const answer = await refresh(tokens[line] ?? "");
        load.answers.push(answer);
        if (answer.status !== 200) {
          await sleep(20);
          continue;
        }
        const step = (load.steps[line] ?? 0) + 1;
        load.steps[line] = step;
        journal?.record({ line, step });
        tokens[line] = bodyOf(answer)["refresh_token"] ?? "";
      }
    }),
  );
}

function statuses(answers: readonly BackChannelAnswer[]): Record<string, number> {
  const counted: Record<string, number> = {};
  for (const { status } of answers) counted[status] = (counted[status] ?? 0) + 1;
  return counted;
}

/** Requests that only read still get their normal answers. */
async function expectReadsGoOn(access: string): Promise<void> {
  for (const path of ["/jwks", "/.well-known/oauth-authorization-server", "/health/live"])
    expect((await fetch(`${server.url}${path}`)).status, path).toBe(200);
  const api = { clientId: API.id, secret: API.secret };
  const seen = await send(server.url, { path: "/introspect", client: api, form: { token: access } });
  expect(bodyOf(seen)["active"]).toBe(true);
}

/** Resolves when one more answer with this status has come. */
async function answered({ answers }: Load, wanted: number): Promise<void> {
  let seen = answers.length;
  for (;;) {
    for (; seen < answers.length; seen += 1) if (answers[seen]?.status === wanted) return;
    await sleep(2);
  }
}

/** Bytes. At 16 MiB, SQLite starts its log from the beginning again, and the file doesn't grow. */
const LONG_LOG = 4 * 2 ** 20;

/** Makes the log short, so that the next writes make the file longer. */
function shortenLog(): void {
  const path = join(data.dataDir, "assent.db");
  if (statSync(`${path}-wal`).size < LONG_LOG) return;
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

const canLimit = canLimitFiles();
const NO_LIMIT = "the program prlimit (util-linux) is missing, so no disk can be made full";

describe("REL-12 the disk is full under load, then has room again", () => {
  const rounds = cyclesOf(100, 10);

  test(`${rounds} time(s) → only 503 with Retry-After meanwhile, then by itself as before`, {
    timeout: 60_000 + rounds * 2_000,
  }, async ({ skip }) => {
    if (!canLimit) return skip(`${NO_LIMIT}: REL-12`);
    const made = await firstTokens(LINES);
    const tokens = made.map((one) => one.refresh);
    const load: Load = { on: true, answers: [], steps: [] };
    const rotating = rotate(tokens, load);
    let recovery = 0;
    for (let round = 0; round < rounds; round += 1) {
      await sleep(randomInt(40));
      shortenLog();
      limitFiles(server.pid, largestFile(data.dataDir) + randomInt(8_192));
      await answered(load, 503);
      await answered(load, 503);
      await expectReadsGoOn(made[0]?.access ?? "");
      limitFiles(server.pid, undefined);
      const freed = performance.now();
      await answered(load, 200);
      recovery = Math.max(recovery, performance.now() - freed);
    }
    load.on = false;
    await rotating;
    const seen = statuses(load.answers);
    expect(Object.keys(seen).toSorted()).toEqual(["200", "503"]);
    for (const { status, headers } of load.answers)
      if (status === 503) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    for (const token of tokens) expect((await refresh(token)).status, "acknowledged and lost").toBe(200);
    expect(integrityOf(join(data.dataDir, "assent.db"))).toBe("ok");
    expect(recovery).toBeLessThan(10_000);
    figure("REL-12", "disk full under load", {
      times: rounds,
      "answers 200": seen["200"] ?? 0,
      "answers 503": seen["503"] ?? 0,
      "other answers": 0,
      "lost tokens": 0,
      "ms to recover at most": recovery,
    });
  });
});

describe("EV-09 the disk is full while an operator changes things", () => {
  const rounds = cyclesOf(20, 3);

  /** The names of the scopes that are stored, and those of the events about new scopes. */
  async function stored() {
    const scopes = await rowsOf<{ name: string }>(data.dataDir, "SELECT name FROM scopes WHERE name LIKE 'full:%'");
    const events = await rowsOf<{ record: string }>(
      data.dataDir,
      `SELECT record FROM events WHERE kind = 'scope.created' AND record LIKE '%full:%'
        UNION ALL SELECT record FROM events_waiting WHERE record LIKE '%scope.created%' AND record LIKE '%full:%'`,
    );
    const told = events.map(({ record }) => /full:\d+/.exec(record)?.[0] ?? "");
    return { scopes: scopes.map(({ name }) => name).toSorted(), told: told.toSorted() };
  }

  test(`${rounds} time(s) → 503 with Retry-After meanwhile; every acknowledged change is there with its event, no other one has one`, {
    timeout: 60_000 + rounds * 3_000,
  }, async ({ skip }) => {
    if (!canLimit) return skip(`${NO_LIMIT}: EV-09`);
    const storage = await openStorage({ url: `sqlite:${join(data.dataDir, "assent.db")}` });
    const { accessToken } = await createAdminToken(
      { scopes: ["admin:scopes:write"], lifetime: 3600 },
      adminOf(storage, ISSUER, () => Date.now()),
    );
    await storage.close();
    const acknowledged: string[] = [];
    const refused: { readonly type: string | null; readonly retry: number }[] = [];
    const create = async () => {
      const name = `full:${acknowledged.length + refused.length}`;
      const body = JSON.stringify({ name, description: "x".repeat(200), resource: null });
      const headers = { authorization: `Bearer ${accessToken}`, "content-type": "application/json" };
      const answer = await fetch(`${server.url}/admin/api/v1/scopes`, { method: "POST", headers, body });
      await answer.text();
      if (answer.status === 201) acknowledged.push(name);
      else {
        expect(answer.status).toBe(503);
        refused.push({
          type: answer.headers.get("content-type"),
          retry: Number(answer.headers.get("retry-after")),
        });
      }
      return answer.status;
    };
    for (let round = 0; round < rounds; round += 1) {
      shortenLog();
      limitFiles(server.pid, largestFile(data.dataDir) + randomInt(8_192));
      while ((await create()) !== 503);
      expect(await create()).toBe(503);
      limitFiles(server.pid, undefined);
      while ((await create()) !== 201) await sleep(20);
    }
    for (const { type, retry } of refused)
      expect([type?.split(";")[0], retry > 0]).toEqual(["application/problem+json", true]);
    const { scopes, told } = await stored();
    expect(told).toEqual(scopes);
    expect(acknowledged.filter((name) => !scopes.includes(name))).toEqual([]);
    expect(integrityOf(join(data.dataDir, "assent.db"))).toBe("ok");
    figure("EV-09", "disk full during an operator's changes", {
      ...{ times: rounds, acknowledged: acknowledged.length, "answers 503": refused.length, "lost or half done": 0 },
    });
  });
});

describe("REL-13 nobody may write: another program holds the file", () => {
  test("→ writes 503, reads go on, nothing is lost", { timeout: 40_000 }, async () => {
    const [made] = await firstTokens(1);
    // The server may still write for a moment after an answer, so this waits for the lock.
    const other = new DatabaseSync(join(data.dataDir, "assent.db"), { timeout: 5_000 });
    other.exec("BEGIN IMMEDIATE");
    const asked = refresh(made?.refresh ?? "");
    await expectReadsGoOn(made?.access ?? "");
    const answer = await asked;
    expect(answer.status).toBe(503);
    expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    other.exec("ROLLBACK");
    other.close();
    expect((await refresh(made?.refresh ?? "")).status).toBe(200);
    figure("REL-13", "SQLite held by another program", { "ms until 503": answer.took, lost: 0 });
  });
});

/** The end of the last commit in a write-ahead log (https://www.sqlite.org/fileformat2.html#walformat). */
function endOfLastCommit(wal: Buffer): number {
  if (wal.length < 32) return wal.length;
  const frame = 24 + wal.readUInt32BE(8);
  let end = 32;
  for (let at = 32; at + frame <= wal.length; at += frame) {
    // A frame with another salt is from an earlier use of the log.
    if (wal.readUInt32BE(at + 8) !== wal.readUInt32BE(16) || wal.readUInt32BE(at + 12) !== wal.readUInt32BE(20)) break;
    if (wal.readUInt32BE(at + 4) !== 0) end = at + frame;
  }
  return end;
}

describe("REL-21 the power fails under load", () => {
  const images = cyclesOf(100, 10);

  test(`${images} images of the files at random instants → each opens whole, with all that was acknowledged`, {
    timeout: 60_000 + images * 500,
  }, async () => {
    const tokens = (await firstTokens(LINES)).map((one) => one.refresh);
    const client = data.clients.rotating.clientId;
    const grants = await rowsOf<{ grant_id: string }>(
      data.dataDir,
      "SELECT grant_id FROM grants WHERE client_id = ? AND generation = 1 ORDER BY created_at DESC LIMIT ?",
      client,
      LINES,
    );
    const folder = mkdtempSync(join(tmpdir(), "assent-image-"));
    const journal = new Journal<Entry>(join(folder, "journal"));
    const load: Load = { on: true, answers: [], steps: [] };
    const rotating = rotate(tokens, load, journal);
    let acknowledged = 0;
    let torn = 0;
    for (let image = 0; image < images; image += 1) {
      await sleep(randomInt(40));
      const sure = load.steps.reduce((sum, step) => sum + step, 0);
      copyAtOnce(server.pid, data.dataDir, folder);
      const wal = readFileSync(join(folder, "assent.db-wal"));
      const end = endOfLastCommit(wal);
      if (image % 2 === 1) {
        // The bytes after the last commit were never flushed, so the disk may have any content there.
        for (let at = end; at < wal.length; at += 1) wal[at] = (wal[at] ?? 0) ^ 0x5a;
        writeFileSync(join(folder, "assent.db-wal"), wal);
        torn += 1;
      }
      expect(integrityOf(join(folder, "assent.db")), `image ${image}`).toBe("ok");
      const steps = await rowsOf<{ steps: number }>(
        folder,
        `SELECT SUM(generation - 1) AS steps FROM grants WHERE grant_id IN (${grants.map(() => "?").join(", ")})`,
        ...grants.map(({ grant_id }) => grant_id),
      );
      expect(steps[0]?.steps, `image ${image}: acknowledged and lost`).toBeGreaterThanOrEqual(sure);
      acknowledged += sure;
      for (const end of ["", "-wal", "-shm"]) rmSync(join(folder, `assent.db${end}`), { force: true });
    }
    load.on = false;
    await rotating;
    journal.close();
    rmSync(folder, { recursive: true, force: true });
    expect(statuses(load.answers)).toEqual({ 200: load.answers.length });
    figure("REL-21", "images of db and wal at random instants", {
      images,
      "of them torn behind the last commit": torn,
      corrupt: 0,
      "acknowledged rotations looked for": acknowledged,
      lost: 0,
    });
  });
});
