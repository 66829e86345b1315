/**
 * Output must be hard to misunderstand: each number has a unit, a directory without permission is not reported as a
 * fault of the program, and accounts that will be deleted are marked. After registering a client, the output names the
 * next step.
 */

import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { settingOf } from "../../server/src/config-settings.ts";
import { openStorage } from "../../server/src/storage/open.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["scope", "create", "read", "--description", "See"]);
});
afterAll(() => at.remove());

test("doctor → each time in seconds, as configured, also the defaults", async () => {
  const times = Object.values(settingOf).filter(
    ({ meaning }) => /seconds/i.test(meaning) && !/durations/.test(meaning),
  );
  const env = Object.fromEntries(times.map(({ variable }) => [variable, "7"]));
  expect(Object.keys(env).length).toBeGreaterThan(6);
  const { stdout } = await at.run(["doctor", "--json"], { env });
  expect(JSON.parse(stdout).configuration).toMatchObject(Object.fromEntries(Object.keys(env).map((name) => [name, 7])));
  for (const { shown } of times) expect(shown).not.toMatch(/day|hour|minute/);
});

/** Values that each setting can have besides its default. */
const SETTINGS = {
  ...{ ASSENT_LISTEN: "[::1]:9477", ASSENT_METRICS_LISTEN: "127.0.0.1:9478", ASSENT_DEMO_PORTS: "9501,9502" },
  ...{ ASSENT_SIGN_UP: "true", ASSENT_HOUSEKEEPING: "false", ASSENT_CLIENT_ID_METADATA: "a.test,b.test" },
  ...{ ASSENT_CONSENT_DURATIONS: "once,3600,forever", ASSENT_CONSENT_CEILING: "none", ASSENT_EVENTS_KEPT: "forever" },
  ...{ ASSENT_BRAND_COLORS: "#0d6b56,#64d0b3", ASSENT_BRAND_NAME: "Acme ID", ASSENT_REFRESH_IDLE: "86400" },
  ...{ ASSENT_TRUST_PROXY: "10.0.0.0/8,192.168.1.4", ASSENT_GRANT_TYPES: "authorization_code,refresh_token" },
  ...{ ASSENT_MAIL_FROM: "id@acme.test", ASSENT_SMTP_URL: "smtp://ada:pa55@127.0.0.1:2525" },
};

test.each([
  ["the defaults", {}],
  ["other values", SETTINGS],
])("doctor with %s → the settings accept the values that it prints", async (_, env) => {
  const { stdout } = await at.run(["doctor"], { env });
  const printed = [...stdout.matchAll(/^(ASSENT_\w+) +(.+)$/gm)].flatMap(([, name = "", value = ""]) =>
    value.startsWith("(") ? [] : [[name, value]],
  );
  expect(printed.length).toBeGreaterThan(15);
  for (const { variable, parse } of Object.values(settingOf)) {
    const value = printed.find(([name]) => name === variable)?.[1];
    if (value !== undefined) expect(parse(value), `${variable} ${value}`).not.toBeUndefined();
  }
  expect(Object.fromEntries(printed)).toMatchObject(
    Object.fromEntries(Object.entries(env).filter(([name]) => name !== "ASSENT_SMTP_URL")),
  );
  expect(stdout).not.toContain("pa55");
});

test("a data directory that can't be created → the setting, the path, the user, and what to do", async () => {
  const dataDir = join(at.folder, "data", "assent.db", "data");
  for (const args of [["serve"], ["db", "migrate"]]) {
    const { code, stderr } = await at.run(args, { env: { ASSENT_DATA_DIR: dataDir } });
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error: ASSENT_DATA_DIR: the user \S+ \(uid \d+\) can't create the directory [^\n]*: create it [^\n]*\n$/,
    );
    expect(stderr).toContain(dataDir);
  }
});

test("a data directory that is readable and not writable → the same, with the command that fixes it", () => {
  const dataDir = join(at.folder, "locked");
  mkdirSync(dataDir);
  chmodSync(at.folder, 0o755);
  chmodSync(dataDir, 0o700);
  const script = `
    import { configOf } from ${JSON.stringify(join(import.meta.dirname, "../../server/src/config.ts"))};
    import { prepareDataDir } from ${JSON.stringify(join(import.meta.dirname, "../../server/src/data-dir.ts"))};
    import { userInfo } from "node:os";
    const config = configOf({ dataDir: ${JSON.stringify(dataDir)}, secret: [Buffer.alloc(32)], databaseUrl: ${JSON.stringify(`sqlite:${dataDir}/x.db`)} });
    if (process.getuid() === 0) process.setuid(65534);
    else (await import("node:fs")).chmodSync(${JSON.stringify(dataDir)}, 0o500);
    try { prepareDataDir(config); } catch (error) { console.log(error.message); }
  `;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(stdout).toMatch(/can't write to \S+locked \(EACCES\): give it to this user \(chown \d+ \S+; chmod 700 \S+\)/);
});

test("user list and show → which accounts will be deleted and when, and the second factors", async () => {
  for (const name of ["ada", "ben"]) {
    await at.json(["user", "create", "--username", name, "--email", `${name}@x.test`, "--generate-password"]);
  }
  const storage = await openStorage({ url: `sqlite:${join(at.dataDir, "assent.db")}`, writer: "main" });
  const person = await storage.people.findByName({ name: "ada" });
  if (person === undefined) throw new Error("ada is not there");
  const deletesAt = Date.UTC(2031, 4, 6);
  await storage.people.setDeletion({ ...person, at: deletesAt, keepSessionId: null, mails: [], now: Date.now() });
  await storage.close();
  const [ada, ben] = await at.json<Record<string, unknown>[]>(["user", "list"]);
  expect(ada).toMatchObject({ username: "ada", deletes_at: "2031-05-06T00:00:00.000Z", second_factors: [] });
  expect(ben).toMatchObject({ username: "ben", deletes_at: null });
  const { stdout } = await at.run(["user", "list"]);
  expect(stdout).toMatch(/ada .*active, deleted on 2031-05-06/);
  expect(stdout).toContain("second factors");
  expect(await at.json(["user", "show", "ada"])).toMatchObject({ second_factors: [] });
});

const CREATE = [
  "client",
  "create",
  "--name",
  "Printer",
  "--type",
  "confidential",
  "--redirect-uri",
  "https://app.test/cb",
];

test("client create → ends with the next step; the JSON has no additional member", async () => {
  const without = await at.run(CREATE);
  expect(without.stderr).toMatch(
    /Next: add the scopes that the client may request: assent client update \S+ --add-scope SCOPE[^\n]*\n$/,
  );
  const env = { ASSENT_ISSUER: "https://id.example.com/tenant" };
  const { stderr } = await at.run([...CREATE, "--name", "Scanner", "--scope", "read"], { env });
  expect(stderr).toMatch(
    /Next: put the issuer https:\/\/id\.example\.com\/tenant, client_id and client_secret into[^\n]*\n$/,
  );
  expect(stderr).toContain("https://id.example.com/.well-known/oauth-authorization-server/tenant");
  expect((await at.run([...CREATE, "--name", "Copier", "--scope", "read", "--json"])).stderr).not.toContain("Next:");
});

test("times in the text output → dates; a secret without an end → never", async () => {
  const { stdout } = await at.run([...CREATE, "--name", "Plotter", "--scope", "read"]);
  expect(stdout).toMatch(/client_id_issued_at +20\d\d-\d\d-\d\dT/);
  expect(stdout).toMatch(/client_secret_expires_at +never/);
});
