/**
 * Places where secrets must not be: the log at `trace`, the database and its write-ahead log, pages of other people,
 * messages about a failed start.
 */

import { createHash, createPrivateKey, randomBytes } from "node:crypto";
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { hashPassword } from "../../packages/server/src/crypto/password-hashing.ts";
import { configOf, createAssent, loadConfig } from "../../packages/server/src/index.ts";
import {
  Agent,
  authorizeUrl,
  consentForm,
  type Page,
  pkce,
  postForm,
  redeem,
  refresh,
} from "../support/http-browser.ts";
import { hashPasswordsAtRealCost } from "../support/real-password-cost.ts";
import { type Prepared, prepareData, startProcess } from "../support/server-process.ts";
import { API, sha256, startServer, type TestServer } from "../support/test-server.ts";

hashPasswordsAtRealCost();

/** Every secret value by its kind, collected while the flows run. */
const secrets = new Map<string, string>();
let server: TestServer;

const keep = (what: string, value: string | undefined | null) => {
  expect(value, what).toBeTruthy();
  secrets.set(what, value ?? "");
  return value ?? "";
};

beforeAll(async () => {
  server = await startServer({ config: { logLevel: "trace" } });
  await wholeFlows();
  await whatGoesWrong();
});
afterAll(() => server.stop());

const canary = (what: string) => keep(what, `canary-${randomBytes(9).toString("hex")}`);

function keepPage(what: string, page: Page): Page {
  for (const form of page.forms)
    for (const name of ["csrf", "request"]) {
      const value = form.fields.get(name);
      if (value !== null) keep(`${what}: ${name}`, value);
    }
  return page;
}

async function wholeFlows(): Promise<void> {
  const password = canary("password");
  const { username } = await server.addPerson({ passwordHash: await hashPassword(password) });
  const client = await server.addClient({ refresh: "rotate" });
  keep("client secret", client.secret);
  const proof = pkce();
  keep("verifier", proof.verifier);
  const agent = new Agent(server.issuer);
  const asked = {
    code_challenge: proof.challenge,
    code_challenge_method: "S256",
    state: canary("state"),
    nonce: canary("nonce"),
  };
  const login = keepPage("login", await agent.get(authorizeUrl(server, client, asked)));
  const [form] = login.forms;
  if (form === undefined) throw new Error("no sign-in form");
  const consent = keepPage("consent", await agent.follow(await agent.submit(form, { username, password })));
  const { location } = await agent.submit(consentForm(consent), { decision: "allow" });
  keep("code", location?.searchParams.get("code"));
  const tokens = await redeem(server, client, location ?? "", { code_verifier: proof.verifier });
  keep("access token", tokens.body.access_token);
  keep("refresh token", tokens.body.refresh_token);
  const next = await refresh(server, client, tokens.body.refresh_token);
  keep("second access token", next.body.access_token);
  keep("second refresh token", next.body.refresh_token);
  await refresh(server, client, tokens.body.refresh_token);
  await postForm(server, "/introspect", { clientId: API.id, secret: API.secret }, { token: next.body.access_token });
  keep("introspection secret", API.secret);
  keepPage("apps", await agent.get("/account/apps"));
  for (const name of ["session", "browser", "device"]) keep(`${name} cookie`, agent.cookies.get(`assent_${name}`));
  await postForm(server, "/revoke", client, { token: next.body.refresh_token });
  await agent.submit(keepPage("sign-out", await agent.get("/account/sign-out")).forms[0] ?? form);
}

/** Refusals write log lines. Each of these requests contains a secret that the log must not repeat. */
async function whatGoesWrong(): Promise<void> {
  const client = await server.addClient();
  const agent = new Agent(server.issuer);
  const [form] = (await agent.get("/login")).forms;
  if (form === undefined) throw new Error("no sign-in form");
  await agent.submit(form, { username: "nobody", password: canary("wrong password") });
  await agent.submit(form, { username: canary("password typed as the name"), password: "x" });
  await postForm(
    server,
    "/token",
    { ...client, secret: canary("wrong secret") },
    { grant_type: "refresh_token", refresh_token: canary("unknown token") },
  );
  await postForm(server, "/token", null, {
    client_id: client.clientId,
    client_secret: canary("wrong posted secret"),
    grant_type: "x",
  });
  await redeem(server, client, canary("unknown code"), { code_verifier: canary("bad verifier") });
  await redeem(server, client, secrets.get("code") ?? "", { code_verifier: secrets.get("verifier") });
  await postForm(server, "/token", client, {
    grant_type: "password",
    username: "x",
    password: canary("password grant"),
  });
  await postForm(server, "/introspect", client, { token: canary("introspected") });
  await postForm(server, "/revoke", client, { token: canary("revoked") });
  await fetch(`${server.issuer}/token`, {
    method: "POST",
    body: `{"client_secret":"${canary("secret in JSON")}"}`,
    headers: { "content-type": "application/json" },
  });
  await fetch(`${server.issuer}/token?client_secret=${canary("secret in the query")}`, { method: "POST" });
  await fetch(`${server.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Bearer ${canary("bearer")}`, "content-type": "application/x-www-form-urlencoded" },
    body: "grant_type=x",
  });
  await fetch(`${server.issuer}/token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${keep("broken Basic", Buffer.from("no colon canary").toString("base64"))}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=x",
  });
  await agent.get(
    authorizeUrl(server, client, {
      redirect_uri: `https://evil.test/cb?at=${canary("query of a foreign redirect_uri")}`,
      state: canary("its state"),
    }),
  );
  await agent.get(authorizeUrl(server, client, { scope: "unknown", state: canary("state of a refused request") }));
  await agent.get(`/consent?request=${canary("broken request")}`);
  await agent.get("/account/apps", { cookie: `assent_session=${canary("broken session")}` });
  await agent.get(`/nowhere?token=${canary("token in a query")}`);
}

/** The value itself, and its usual encodings. */
function spellings(value: string): Buffer[] {
  const texts = [
    value,
    encodeURIComponent(value),
    Buffer.from(value).toString("base64").replace(/=+$/, ""),
    Buffer.from(value).toString("hex"),
  ];
  // A salt makes its credential, so it is secret, too: bytes 25 to 57 of a credential.
  const credential = /^(?:ac_|rt_)?([\w-]{119})$/.exec(value)?.[1];
  const raw = credential === undefined ? [] : [Buffer.from(credential, "base64url").subarray(25, 57)];
  const [, , signature] = value.split(".");
  return [
    ...texts.map((text) => Buffer.from(text)),
    ...raw,
    ...(signature === undefined ? [] : [Buffer.from(signature)]),
  ];
}

function found(haystack: Buffer): string[] {
  return [...secrets]
    .filter(([, value]) => spellings(value).some((one) => haystack.includes(one)))
    .map(([what]) => what);
}

describe("LG-01 whole flows at level trace, then a look for what they were about", () => {
  test("the search finds a secret that is there, however it is written", () => {
    for (const spelt of [...secrets.values()].flatMap(spellings))
      expect(found(Buffer.concat([Buffer.from("<"), spelt]))).not.toEqual([]);
  });

  test("the log → events of the flows, and 0 hits", () => {
    const log = server.log.join("");
    for (const event of [
      "signed_in",
      "grant_issued",
      "refresh_retried",
      "grant_revoked_by_client",
      "sign_in_failed",
      "refused",
      "signed_out",
    ])
      expect(log).toContain(`"event":"${event}"`);
    expect(found(Buffer.from(log))).toEqual([]);
  });

  test.each(["assent.db", "assent.db-wal", "assent.db-shm"])("%s → 0 hits", (name) => {
    const bytes = readFileSync(join(server.dataDir, name));
    expect(bytes.length).toBeGreaterThan(0);
    expect(found(bytes)).toEqual([]);
  });

  test("the server's own secret → in its file, and neither in the log nor in the database", () => {
    const [text = ""] = readFileSync(join(server.dataDir, "secret"), "utf8").split("\n");
    for (const spelt of [Buffer.from(text), Buffer.from(text, "base64")]) {
      expect(server.log.join("").includes(spelt.toString("latin1"))).toBe(false);
      for (const name of ["assent.db", "assent.db-wal"])
        expect(readFileSync(join(server.dataDir, name)).includes(spelt)).toBe(false);
    }
  });

  test("LG-02 the log's lines of requests → paths without a query", () => {
    const paths = server.log
      .map((line) => (JSON.parse(line) as { path?: string }).path)
      .filter((path) => path !== undefined);
    expect(paths.length).toBeGreaterThan(10);
    expect(paths.filter((path) => path.includes("?"))).toEqual([]);
  });
});

describe("LG-03 what the columns hold", () => {
  const rows = (query: string) => {
    const database = new DatabaseSync(join(server.dataDir, "assent.db"), { readOnly: true });
    try {
      return database.prepare(query).all() as Record<string, unknown>[];
    } finally {
      database.close();
    }
  };
  const saltHash = (credential: string | undefined) =>
    createHash("sha256")
      .update(Buffer.from(credential?.slice(3) ?? "", "base64url").subarray(25, 57))
      .digest();

  test("codes and refresh tokens → the hash of their salt", () => {
    const [grant] = rows("SELECT code_salt_hash, refresh_salt_hash FROM grants");
    expect(Buffer.from(grant?.["code_salt_hash"] as Uint8Array)).toEqual(saltHash(secrets.get("code")));
    expect(Buffer.from(grant?.["refresh_salt_hash"] as Uint8Array)).toEqual(saltHash(secrets.get("refresh token")));
  });

  test("passwords → argon2id with 19 MiB and two passes; client secrets → SHA-256", () => {
    for (const { password_hash } of rows("SELECT password_hash FROM people"))
      expect(password_hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
    const records = rows("SELECT record FROM clients").map(
      ({ record }) => JSON.parse(String(record)) as { secrets: { hash: string }[] },
    );
    expect(records.flatMap(({ secrets }) => secrets).map(({ hash }) => hash)).toContain(
      sha256(secrets.get("client secret") ?? ""),
    );
  });

  test("signing keys → nothing that reads as a key", () => {
    for (const { sealed_private } of rows("SELECT sealed_private FROM signing_keys")) {
      const key = Buffer.from(sealed_private as Uint8Array);
      for (let from = 0; from < key.length; from += 1)
        expect(() => createPrivateKey({ key: key.subarray(from), format: "der", type: "pkcs8" })).toThrow();
      // The object identifier of P-256, which every such key contains.
      expect(key.includes(Buffer.from("2a8648ce3d030107", "hex"))).toBe(false);
    }
  });
});

describe("a data directory on its own", () => {
  let data: Prepared<never>;
  beforeAll(async () => {
    data = await prepareData({});
  });
  afterAll(() => rmSync(dirname(data.dataDir), { recursive: true, force: true }));

  /** A copy of the data directory, with the test's damage. */
  function copied(without: readonly string[] = []): string {
    const folder = mkdtempSync(join(tmpdir(), "assent-copy-"));
    for (const name of readdirSync(data.dataDir))
      if (!without.includes(name)) copyFileSync(join(data.dataDir, name), join(folder, name));
    return folder;
  }
  const message = (start: Promise<unknown>) =>
    start.then(
      () => "it started",
      (error: Error) => error.message,
    );

  test("LG-04 a copy of the database, without the secret or with another → it doesn't start, and says what it needs", async () => {
    const folder = copied(["secret"]);
    expect(await message(startProcess(folder))).toContain("ASSENT_SECRET");
    const wrong = randomBytes(32).toString("base64");
    const told = await message(startProcess(folder, { ASSENT_SECRET: wrong }));
    expect(told).toContain("ASSENT_SECRET");
    expect(told).not.toContain(wrong);
    const right = readFileSync(join(data.dataDir, "secret"), "utf8").trim();
    const server = await startProcess(folder, { ASSENT_SECRET: `${wrong},${right}` });
    expect((await server.end("SIGTERM")).code).toBe(0);
    rmSync(folder, { recursive: true });
  });

  test("LG-05 a running server's files → for their owner alone", async () => {
    const dataDir = join(mkdtempSync(join(tmpdir(), "assent-modes-")), "data");
    const umask = process.umask(0);
    try {
      const own = await startServer({ dataDir });
      const modes = Object.fromEntries(
        readdirSync(dataDir).map((name) => [name, (statSync(join(dataDir, name)).mode & 0o777).toString(8)]),
      );
      expect(modes).toEqual({ "assent.db": "600", "assent.db-wal": "600", "assent.db-shm": "600", secret: "600" });
      expect((statSync(dataDir).mode & 0o777).toString(8)).toBe("700");
      await own.stop();
    } finally {
      process.umask(umask);
      rmSync(dirname(dataDir), { recursive: true, force: true });
    }
  });

  const opened = (dataDir: string) =>
    createAssent(configOf({ dataDir, logLevel: "silent" })).then((one) => one.close());

  test.each([
    ["assent.db", "644"],
    ["assent.db", "660"],
    ["secret", "640"],
    ["secret", "604"],
  ])("LG-05 %s with mode %s → it doesn't start, and says how to mend it", async (name, mode) => {
    const folder = copied();
    const file = join(folder, name);
    chmodSync(file, Number.parseInt(mode, 8));
    const told = await message(opened(folder));
    expect(told).toContain(file);
    expect(told).toContain("chmod 600");
    chmodSync(file, 0o600);
    expect(await message(opened(folder))).toBe("it started");
    rmSync(folder, { recursive: true });
  });

  test.each([
    ["a secret that is too short", { ASSENT_SECRET: "canary-short" }, "ASSENT_SECRET"],
    ["a database of another kind", { ASSENT_DATABASE_URL: "mysql://root:canary@db/x" }, "ASSENT_DATABASE_URL"],
    ["a variable that doesn't exist", { ASSENT_SECRETS: "canary-secret" }, "ASSENT_SECRETS"],
  ])("LG-07 %s → the message names the key, never the value", async (_, env, key) => {
    const told = await message(loadConfig(env, data.dataDir));
    expect(told).toContain(key);
    expect(told).not.toContain("canary");
  });

  test.each([
    ["a value too short", '{ "secret": "canary" }', "secret in assent.config"],
    ["no quotes around it", '{ "secret": canary-canary }', "assent.config.json"],
    [
      "a comma too few",
      '{ "secret": "canary-canary-canary-canary-canary-canary" "issuer": "x" }',
      "assent.config.json",
    ],
    ["an end within it", '{ "secret": "canary-canary', "assent.config.json"],
  ])("LG-07 a configuration file with %s → likewise", async (_, text, key) => {
    const folder = mkdtempSync(join(tmpdir(), "assent-config-"));
    writeFileSync(join(folder, "assent.config.json"), text);
    const told = await message(loadConfig({}, folder));
    expect(told).toContain(key);
    expect(told).not.toContain("canary");
    rmSync(folder, { recursive: true });
  });

  test("LG-07 the whole command with a bad secret → what it prints names the key, never the value", async () => {
    const told = await message(startProcess(data.dataDir, { ASSENT_SECRET: "canary-short" }));
    expect(told).toContain("ASSENT_SECRET");
    expect(told).not.toContain("canary");
  });
});
