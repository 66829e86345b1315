/** REL-16: the previous version and this one on one database, at the same time, under load. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { sql } from "../../packages/server/src/storage/define-verbs.ts";
import { migrations } from "../../packages/server/src/storage/migrations/index.ts";
import { migrate } from "../../packages/server/src/storage/migrations/migrate.ts";
import type { Migration } from "../../packages/server/src/storage/migrations/migration.ts";
import { openPostgres } from "../../packages/server/src/storage/postgres/engine.ts";
import { openSqlite } from "../../packages/server/src/storage/sqlite/engine.ts";
import { bodyOf, codeForm, refreshForm, send } from "../support/keep-alive-requests.ts";
import { cyclesOf, figure } from "../support/reliability-cycles-and-figures.ts";
import {
  authorizePath,
  ISSUER,
  NotStarted,
  nextCode,
  type Prepared,
  prepareData,
  type ServerProcess,
  signedInAgent,
  startProcess,
} from "../support/server-process.ts";
import { onPostgres, PASSWORD, postgresOf } from "../support/test-server.ts";

const root = join(import.meta.dirname, "..", "..");
/** Seconds for which both versions serve. */
const SECONDS = cyclesOf(3);

const running: ServerProcess[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((one) => one.end("SIGKILL")));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

async function start(dataDir: string, checkout?: string): Promise<ServerProcess> {
  const one = await startProcess(dataDir, {}, [], checkout);
  running.push(one);
  return one;
}

async function aDatabase(): Promise<Prepared<"rotating">> {
  const data = await prepareData({ rotating: { refresh: "rotate" } });
  folders.push(dirname(data.dataDir));
  return data;
}

/** Redeems codes and rotates refresh tokens until it is stopped. Each request goes to another server. */
function load(data: Prepared<"rotating">, urls: string[]) {
  const client = data.clients.rotating;
  const path = authorizePath(client);
  const wrong: string[] = [];
  let answered = 0;
  let stopped = false;
  const ask = async (turn: number, form: Record<string, string>) => {
    let answer = await send(urls[turn % urls.length] ?? "", { path: "/token", client, form });
    // The busy server refused early, before it read anything. Clients try again.
    for (let again = 0; answer.status === 503 && again < 50; again += 1) {
      await sleep(50);
      answer = await send(urls[turn % urls.length] ?? "", { path: "/token", client, form });
    }
    answered += 1;
    if (answer.status !== 200) wrong.push(`${answer.status} ${answer.text}`.slice(0, 200));
    return bodyOf(answer)["refresh_token"] ?? "";
  };
  const one = async (offset: number) => {
    const agent = await signedInAgent(urls[0] ?? "", data.person, path);
    for (let turn = offset; !stopped; turn += 1) {
      let token = await ask(turn, codeForm(client, await nextCode(agent, path)));
      for (let refresh = 1; refresh <= 4 && !stopped; refresh += 1)
        token = await ask(turn + refresh, refreshForm(token));
    }
  };
  const done = Promise.all([0, 1, 2].map(one));
  return {
    async stop() {
      stopped = true;
      await done;
      return { answered, wrong };
    },
  };
}

/** Migrates a database as a program with these migrations would. */
async function migrateTo(
  dataDir: string,
  known: readonly Migration[],
  reach: "expand" | "contract",
): Promise<readonly string[]> {
  const url = postgresOf(dataDir);
  const engine =
    url === undefined
      ? await openSqlite({ path: join(dataDir, "assent.db"), writer: "main", readonly: false })
      : openPostgres({ url, readonly: false });
  try {
    return await migrate(engine, Date.now(), known, reach);
  } finally {
    await engine.close();
  }
}

const id = migrations.length + 1;
/** A migration that a next version could have. */
const expanding: Migration = {
  id,
  name: "of the next version",
  phase: "expand",
  statements: [
    sql`ALTER TABLE grants ADD COLUMN note TEXT`,
    sql`CREATE TABLE notes (partition INTEGER NOT NULL, grant_id TEXT NOT NULL, note TEXT, PRIMARY KEY (partition, grant_id))`,
    { kind: "index", name: "grants_noted", table: "grants", on: sql`(partition, note) WHERE note IS NOT NULL` },
  ],
};
const contracting: Migration = {
  id: id + 1,
  name: "of the version after",
  phase: "contract",
  floor: id,
  statements: [sql`UPDATE grants SET note = 'x' WHERE partition >= 0 AND note IS NULL`],
};

test("the schema is expanded under a server that doesn't know it → it goes on, another starts beside it; contracted → none starts any more", {
  timeout: 60_000 + SECONDS * 2000,
}, async () => {
  const data = await aDatabase();
  const before = await start(data.dataDir);
  const urls = [before.url];
  const loading = load(data, urls);
  await sleep(SECONDS * 300);
  expect(await migrateTo(data.dataDir, [...migrations, expanding, contracting], "expand")).toEqual([expanding.name]);
  await sleep(SECONDS * 300);
  urls.push((await start(data.dataDir)).url);
  await sleep(SECONDS * 400);
  const { answered, wrong } = await loading.stop();
  expect(wrong).toEqual([]);
  expect(answered).toBeGreaterThan(10);
  const where = onPostgres ? "PostgreSQL" : "SQLite";
  figure("REL-16", `a server and a schema one version ahead of it, ${where}`, {
    "requests answered": answered,
    refused: wrong.length,
  });

  await migrateTo(data.dataDir, [...migrations, expanding, contracting], "contract");
  const refused = await startProcess(data.dataDir).then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(refused).toBeInstanceOf(NotStarted);
  expect((refused as NotStarted).output).toMatch(/of the version after.*removed what this version of Assent needs/);
});

/** The newest release before this commit, or the value of ASSENT_TEST_UPGRADE_FROM. Undefined: there is none. */
function earlierVersion(): string | undefined {
  const named = process.env["ASSENT_TEST_UPGRADE_FROM"];
  if (named !== undefined) return named;
  const tags = execFileSync(
    "git",
    ["tag", "--list", "v*", "--merged", "HEAD", "--no-contains", "HEAD", "--sort=-version:refname"],
    {
      cwd: root,
      encoding: "utf8",
    },
  );
  return tags.split("\n")[0] || undefined;
}

/** A checkout of that version with its dependencies. */
function checkoutOf(version: string): string {
  const folder = mkdtempSync(join(tmpdir(), "assent-earlier-"));
  folders.push(folder);
  const archive = execFileSync("git", ["archive", "--format=tar", version], { cwd: root, maxBuffer: 1 << 30 });
  execFileSync("tar", ["-x", "-C", folder], { input: archive });
  execFileSync("npm", ["ci", "--omit=dev", "--prefer-offline", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "ignore",
  });
  return folder;
}

test("the release before on a database that this version expands, then both at once → no request fails; and back again", {
  timeout: 180_000 + SECONDS * 2000,
}, async ({ skip }) => {
  const version = earlierVersion();
  if (version === undefined) {
    console.info("REL-16 there is no earlier release to compare with");
    return skip("no release was tagged before this commit: there is nothing to upgrade from");
  }
  const earlier = checkoutOf(version);
  const dataDir = join(mkdtempSync(join(tmpdir(), "assent-upgrade-")), "data");
  folders.push(dirname(dataDir));
  const data = await aDatabaseOf(earlier, dataDir);
  const before = await start(dataDir, earlier);
  const urls = [before.url];
  const loading = load(data, urls);
  await sleep(SECONDS * 300);
  await migrateTo(dataDir, migrations, "expand");
  await sleep(SECONDS * 300);
  const after = await start(dataDir);
  urls.push(after.url);
  await sleep(SECONDS * 400);
  const { answered, wrong } = await loading.stop();
  expect(wrong).toEqual([]);
  figure("REL-16", `${version} and this version on one database`, {
    "requests answered": answered,
    refused: wrong.length,
  });
  // A downgrade: this version ends, and the earlier one starts again.
  await Promise.all([before.end("SIGTERM"), after.end("SIGTERM")]);
  const again = load(data, [(await start(dataDir, earlier)).url]);
  await sleep(1000);
  expect((await again.stop()).wrong).toEqual([]);
});

/** A client and a person, created by that version's command. */
async function aDatabaseOf(checkout: string, dataDir: string): Promise<Prepared<"rotating">> {
  const json = (args: readonly string[], input = ""): Record<string, string> => {
    const command = [join(checkout, "packages", "cli", "bin", "assent.js"), ...args, "--json"];
    const env = {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      HOME: dirname(dataDir),
      ASSENT_DATA_DIR: dataDir,
      ASSENT_ISSUER: ISSUER,
    };
    return JSON.parse(execFileSync(process.execPath, command, { encoding: "utf8", input, env, cwd: dirname(dataDir) }));
  };
  json(["scope", "create", "read", "--description", "See"]);
  const [redirectUri, username] = ["https://app.test/cb", "alice"];
  const client = json([
    ...["client", "create", "--name", "Printer", "--type", "confidential", "--refresh", "rotate"],
    ...["--redirect-uri", redirectUri, "--scope", "read"],
  ]);
  json(["user", "create", "--username", username, "--email", "alice@example.test", "--password-stdin"], PASSWORD);
  return {
    dataDir,
    clients: {
      rotating: { clientId: client["client_id"], secret: client["client_secret"], redirectUris: [redirectUri] },
    },
    person: { username },
  } as unknown as Prepared<"rotating">;
}
