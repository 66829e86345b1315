import { createHash } from "node:crypto";
import { chmodSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["resource", "create", "--identifier", "https://api.test", "--name", "Photos"]);
  for (const name of ["photos:read", "photos:write"]) {
    await at.json(["scope", "create", name, "--description", `May ${name}`, "--resource", "https://api.test"]);
  }
});
afterAll(() => at.remove());

const CLIENT = [
  "client",
  "create",
  "--name",
  "Photo Printer",
  "--type",
  "confidential",
  "--redirect-uri",
  "https://app.test/cb",
];
const sha256 = (text: string) => createHash("sha256").update(text).digest("base64url");

/** The bytes of all files in the data directory, as one string. */
function stored(): string {
  return readdirSync(at.dataDir)
    .map((name) => readFileSync(join(at.dataDir, name), "latin1"))
    .join();
}

describe("client", () => {
  test("several things wrong → a line each that names the flag, exit code 1", async () => {
    const args = ["client", "create", "--name", "", "--type", "confidential", "--redirect-uri", "http://x.test/"];
    const { code, stdout, stderr } = await at.run([...args, "--grant-type", "nothing"]);
    expect(stderr.match(/^error: --(name|redirect-uri|grant-type): .+$/gm)).toHaveLength(3);
    expect([code, stdout]).toEqual([1, ""]);
  });

  test.each([
    [["--grant-type", "implicit", "--response-type", "token"], "access tokens are in the URL"],
    [["--grant-type", "password"], "owners' passwords"],
  ])("%s → made, with a warning", async (flags, warning) => {
    const { code, stderr } = await at.run([...CLIENT, ...flags]);
    expect([code, stderr]).toEqual([0, expect.stringMatching(new RegExp(`^warning: --grant-type: .*${warning}`, "m"))]);
  });

  test("a scope that doesn't exist → refused by name", async () => {
    const { code, stderr } = await at.run([...CLIENT, "--scope", "photos:raed"]);
    expect(stderr).toBe('error: --scope: "photos:raed": there is no such scope; create it first\n');
    expect(code).toBe(1);
  });

  test("no scope → created, with a warning", async () => {
    const { code, stdout, stderr } = await at.run([...CLIENT, "--name", "Scopeless", "--json"]);
    expect(stderr).toBe("warning: this client has no scope, but every request needs one: add --scope\n");
    expect(JSON.parse(stdout)).toMatchObject({ scope: "" });
    expect(code).toBe(0);
  });

  test("all flags → RFC 7591's record; the secret this once, its hash in the database", async () => {
    const client = await at.json([
      ...CLIENT,
      ...["--name", "All Flags"],
      ...["--redirect-uri", "http://127.0.0.1/cb", "--scope", "photos:read photos:write", "--own-scope", "photos:read"],
      ...["--grant-type", "authorization_code", "--grant-type", "refresh_token", "--response-type", "code"],
      ...["--auth-method", "client_secret_post", "--require-pkce", "--first-party", "--refresh", "rotate"],
      ...["--client-uri", "https://app.test/", "--policy-uri", "https://app.test/p", "--tos-uri", "https://app.test/t"],
    ]);
    const secret = String(client["client_secret"]);
    expect(secret).toMatch(/^cs_[A-Za-z0-9_-]{43}$/);
    expect(client).toEqual({
      verified: false,
      reviewed: true,
      client_id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      client_secret: secret,
      client_id_issued_at: expect.any(Number),
      client_secret_expires_at: 0,
      client_name: "All Flags",
      type: "confidential",
      status: "active",
      redirect_uris: ["https://app.test/cb", "http://127.0.0.1/cb"],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      scope: "photos:read photos:write",
      own_scope: "photos:read",
      token_endpoint_auth_method: "client_secret_post",
      require_pkce: true,
      allow_plain_pkce: false,
      first_party: true,
      refresh: "rotate",
      client_uri: "https://app.test/",
      policy_uri: "https://app.test/p",
      tos_uri: "https://app.test/t",
      client_secrets: [{ created_at: expect.stringMatching(/^20.*Z$/), expires_at: null }],
      updated_at: expect.stringMatching(/^20.*Z$/),
    });
    expect(Math.abs(Number(client["client_id_issued_at"]) - Date.now() / 1000)).toBeLessThan(60);
    expect(stored()).toContain(sha256(secret));
    expect(stored()).not.toContain(secret);
    const id = String(client["client_id"]);
    const { client_secret: _, ...rest } = client;
    expect(await at.json(["client", "show", id])).toEqual(rest);
    expect(await at.json<unknown[]>(["client", "list"])).toContainEqual(rest);
  });

  test("a name that another client has, or one that looks like it → made, with a warning; --json names the others", async () => {
    const make = (...args: string[]) => at.run([...CLIENT, "--scope", "photos:read", ...args, "--json"]);
    const first = JSON.parse((await make("--name", "Bank of Samples")).stdout);
    expect(first).not.toHaveProperty("similar_clients");
    const named = { client_id: first.client_id, client_name: "Bank of Samples" };
    for (const like of ["Bank of Samples", "bank-of samples", "BANK 0F SAMPLES"]) {
      const { stdout, stderr } = await make("--name", like);
      expect(stderr).toContain("owners may confuse this client with another one");
      expect(stderr).toContain(`${first.client_id} (Bank of Samples)`);
      expect(JSON.parse(stdout).similar_clients).toContainEqual(named);
    }
    const other = JSON.parse((await make("--name", "Nothing Like It")).stdout);
    const renamed = await at.run(["client", "update", other.client_id, "--name-lang", "de=Bank of SampIes", "--json"]);
    // The warning names three of the four similar clients, in the order of their ids.
    expect(renamed.stderr).toMatch(/owners may confuse this client with another one.* \(Bank of Samples\).* and more/);
    expect(JSON.parse(renamed.stdout).similar_clients).toContainEqual(named);
  });

  test("a name in letters of two alphabets, or with an invisible one → refused", async () => {
    for (const name of ["Раураl", "Pay\u200dPal", `e${"\u0301".repeat(110)}`]) {
      const { code, stderr } = await at.run([...CLIENT, "--name", name]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: --name: /)]);
    }
  });

  test("public → no secret, no refresh tokens; with the grant type asked for → they rotate", async () => {
    const args = [
      "client",
      "create",
      "--name",
      "App",
      "--type",
      "public",
      "--redirect-uri",
      "com.example.app:/cb",
      "--scope",
      "photos:read",
    ];
    const plain = await at.json(args);
    expect(plain).toMatchObject({
      token_endpoint_auth_method: "none",
      grant_types: ["authorization_code"],
      require_pkce: true,
    });
    expect(plain).not.toHaveProperty("client_secret");
    expect(plain).not.toHaveProperty("client_secret_expires_at");
    const more = await at.json([...args, "--grant-type", "authorization_code refresh_token"]);
    expect(more).toMatchObject({ grant_types: ["authorization_code", "refresh_token"], refresh: "rotate" });
  });

  test("PKCE left open → recommended, with the command; required, public, without codes, or for programs → nothing", async () => {
    const told = async (...args: string[]) =>
      (await at.run(["client", "create", "--name", "Pkce", "--scope", "photos:read", ...args])).stderr;
    const confidential = ["--type", "confidential", "--redirect-uri", "https://app.test/cb"];
    const advice = /PKCE is optional for this client.*: assent client update [\w-]{22} --require-pkce\n/;
    expect(await told(...confidential)).toMatch(advice);
    expect(await told(...confidential, "--require-pkce")).not.toContain("PKCE");
    expect(await told(...confidential, "--json")).not.toContain("PKCE");
    expect(await told("--type", "public", "--redirect-uri", "https://app.test/cb")).not.toContain("PKCE");
    const machine = ["--type", "confidential", "--grant-type", "client_credentials", "--own-scope", "photos:read"];
    expect(await told(...machine)).not.toContain("PKCE");
  });

  test("a ceiling over owners' answers: out of bounds → refused; seconds, none, the server's again → as it was said", async () => {
    const args = ["--redirect-uri", "https://app.test/cb", "--scope", "photos:read"];
    const create = ["client", "create", "--name", "Wall", "--type", "public", ...args];
    for (const wrong of ["0", "3162240001"]) {
      const { code, stderr } = await at.run([...create, "--consent-ceiling", wrong]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: --consent-ceiling: must be a whole number/)]);
    }
    expect((await at.run([...create, "--consent-ceiling", "forever"])).code).toBe(2);
    const client = await at.json([...create, "--consent-ceiling", "86400"]);
    expect(client).toMatchObject({ consent_ceiling: 86_400 });
    const update = ["client", "update", String(client["client_id"])];
    const none = await at.run([...update, "--consent-ceiling", "none", "--json"]);
    expect(JSON.parse(none.stdout)).toMatchObject({ consent_ceiling: "none" });
    expect(none.stderr).toMatch(
      /^warning: --consent-ceiling: if an owner chooses no end, refresh tokens of this client never expire/m,
    );
    expect(await at.json([...update, "--no-consent-ceiling"])).not.toHaveProperty("consent_ceiling");
  });

  test("update with a redirect URI on a new host → changed, with a warning; with another path of the same → none", async () => {
    const named = CLIENT.map((word) => (word === "Photo Printer" ? "Mover" : word));
    const id = String((await at.json([...named, "--scope", "photos:read", "--require-pkce"]))["client_id"]);
    const update = ["client", "update", id, "--redirect-uri", "https://app.test/cb", "--redirect-uri"];
    expect((await at.run([...update, "https://app.test/other"])).stderr).toBe("");
    const { code, stderr } = await at.run([...update, "https://new.test/cb"]);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^warning: --redirect-uri: new\.test: the server asks owners again/m),
    ]);
  });

  test("the whole life: update, new secret, logo, delete", async () => {
    const client = await at.json([...CLIENT, "--scope", "photos:read"]);
    const id = String(client["client_id"]);
    expect((await at.run(["client", "show", "nobody"])).stderr).toBe('error: client_id: there is no client "nobody"\n');

    const updated = await at.json([
      "client",
      "update",
      id,
      "--name",
      "Printer",
      "--scope",
      "",
      "--status",
      "disabled",
      "--yes",
    ]);
    expect(updated).toMatchObject({ client_name: "Printer", scope: "", status: "disabled" });

    const rotated = await at.run(["client", "rotate-secret", id]);
    expect(rotated.stderr).toContain("The old secret works until ");
    const again = await at.json<{ client_secret: string; client_secrets: unknown[] }>([
      ...["client", "rotate-secret", id, "--overlap", "0"],
    ]);
    expect(again.client_secret).not.toBe(client["client_secret"]);
    expect(again.client_secrets).toHaveLength(1);

    const picture = join(at.folder, "logo.png");
    writeFileSync(
      picture,
      await sharp({ create: { width: 600, height: 600, channels: 3, background: "red" } })
        .png()
        .toBuffer(),
    );
    const shown = await at.json(["client", "logo", id, picture]);
    expect(shown["logo_uri"]).toMatch(/^http:\/\/localhost:9400\/logos\/[A-Za-z0-9_-]{43}$/);
    expect(await at.json(["client", "logo", id, "--remove"])).not.toHaveProperty("logo_uri");

    expect(await at.json(["client", "delete", id, "--yes"])).toEqual({ client_id: id, deleted: true });
    expect((await at.run(["client", "delete", id, "--yes"])).code).toBe(1);
  });

  test("a logo that is none, too large, or not there → refused, no client made", async () => {
    const before = await at.json<unknown[]>(["client", "list"]);
    const file = join(at.folder, "logo.svg");
    writeFileSync(file, "<svg xmlns='http://www.w3.org/2000/svg'/>");
    expect((await at.run([...CLIENT, "--logo", file])).stderr).toBe(
      "error: --logo: the file is not a PNG, JPEG, WebP or GIF picture\n",
    );
    writeFileSync(file, Buffer.alloc(1_048_577));
    expect((await at.run([...CLIENT, "--logo", file])).stderr).toContain("larger than 1048576 bytes");
    const { code, stderr } = await at.run([...CLIENT, "--logo", join(at.folder, "none.png")]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^error: .*none\.png: the file can't be read/)]);
    expect(await at.json<unknown[]>(["client", "list"])).toEqual(before);
  });

  test("the table → columns that line up, no colour where nobody looks; --limit cuts it", async () => {
    const { stdout } = await at.run(["client", "list", "--limit", "2"]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(/^client_id {15}client_name/);
    const column = lines[0]?.indexOf("client_name") ?? 0;
    expect(lines.slice(1).every((line) => line[column - 1] === " " && line[column] !== " ")).toBe(true);
    expect(stdout).not.toContain("\u001b");
  });
});

describe("user", () => {
  const create = (username: string) => ["user", "create", "--username", username, "--email", `${username}@x.test`];

  test("a password that is too short, or no text → refused, not repeated, no user", async () => {
    for (const input of ["s3cr3t!\n", Buffer.from([0xff, 0xfe, 0xfd, 0xfc, 0xff, 0xfe, 0xfd, 0xfc])]) {
      const { code, stderr } = await at.run([...create("carol"), "--password-stdin"], { input });
      expect(code).toBe(1);
      expect(stderr).toMatch(/^error: .*password.*: .*\n$/);
      expect(stderr).not.toContain("s3cr3t");
    }
    expect((await at.run(["user", "show", "carol"])).code).toBe(1);
  });

  test("from standard input → the record without the password, which is in no file", async () => {
    const input = "correct horse battery\n";
    const user = await at.json(
      [...create("Alice"), "--name", "Alice A", "--operator", "read", "--operator", "users", "--password-stdin"],
      { input },
    );
    expect(user).toEqual({
      id: expect.stringMatching(/^[A-Za-z0-9_-]{22}$/),
      username: "alice",
      email: "alice@x.test",
      email_verified: true,
      name: "Alice A",
      status: "active",
      operator: ["read", "users"],
      has_password: true,
      password_changed_at: expect.any(String),
      deletes_at: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect(stored()).not.toContain("correct horse");
    expect((await at.run([...create("ALICE"), "--generate-password"])).stderr).toBe(
      'error: --username: "alice" is already in use\n',
    );
  });

  test("generated → printed this once", async () => {
    const user = await at.json([...create("bob"), "--generate-password"]);
    expect(user["password"]).toMatch(/^(\w{4}-){4}\w{4}$/);
    expect(stored()).not.toContain(String(user["password"]));
    expect(await at.json(["user", "show", "bob@x.test"])).not.toHaveProperty("password");
    const { stdout } = await at.run(["user", "set-password", "bob", "--generate-password"]);
    expect(stdout).toMatch(/^password +(\w{4}-){4}\w{4}$/m);
  });

  test("the whole life: update, disable, enable, sessions, consents, delete", async () => {
    await at.json([...create("dora"), "--generate-password"]);
    const updated = await at.json([
      "user",
      "update",
      "dora",
      "--email",
      "Dora@Y.test",
      "--name",
      "Dora",
      "--operator",
      "admin",
    ]);
    expect(updated).toMatchObject({ email: "dora@y.test", name: "Dora", operator: ["admin"] });
    expect(await at.json(["user", "update", "dora", "--name", "", "--no-operator", "--yes"])).toMatchObject({
      name: null,
      operator: [],
    });
    expect(await at.json(["user", "disable", "dora"])).toMatchObject({ status: "disabled" });
    expect(await at.json(["user", "enable", "dora"])).toMatchObject({ status: "active" });
    expect(await at.json<unknown[]>(["session", "list", "dora"])).toEqual([]);
    expect(await at.json(["session", "revoke", "--user", "dora"])).toEqual({ username: "dora", sessions_ended: 0 });
    expect((await at.run(["session", "revoke", "AAAA"])).stderr).toBe(
      'error: session_id: there is no active session "AAAA"\n',
    );
    expect(await at.json<unknown[]>(["consent", "list", "--user", "dora"])).toEqual([]);
    expect((await at.run(["consent", "revoke", "dora", "x"])).stderr).toContain('"dora" has no active consent for "x"');
    expect(await at.json(["user", "delete", "dora", "--yes"])).toMatchObject({ username: "dora", deleted: true });
    expect(await at.json<{ username: string }[]>(["user", "list"])).not.toContainEqual(
      expect.objectContaining({ username: "dora" }),
    );
  });
});

describe("resource and scope", () => {
  test("what there isn't → refused", async () => {
    const resource = ["resource", "create", "--identifier", "https://b.test", "--name", "B"];
    expect((await at.run([...resource, "--token-format", "paseto"])).stderr).toContain("error: --token-format: ");
    expect((await at.run([...resource, "--alg", "none"])).stderr).toContain("error: --alg: ");
    expect((await at.run([...resource, "--token-lifetime", "0"])).stderr).toContain("error: --token-lifetime: ");
    const scope = ["scope", "create", "b", "--description", "B", "--resource", "https://b.test"];
    expect((await at.run(scope)).stderr).toBe('error: --resource: there is no API "https://b.test"; create it first\n');
    expect((await at.run(["resource", "delete", "https://api.test"])).stderr).toContain("photos:read, photos:write");
  });

  test("an API with opaque tokens, one with another alg, both changed → as it was said", async () => {
    const create = (name: string) => ["resource", "create", "--identifier", `https://${name}.test`, "--name", name];
    expect(await at.json([...create("sealed"), "--token-format", "opaque"])).toMatchObject({ token_format: "opaque" });
    expect(await at.json([...create("edwards"), "--alg", "EdDSA"])).toMatchObject({
      token_format: "jwt",
      alg: "EdDSA",
    });
    const changed = await at.json([
      "resource",
      "update",
      "https://sealed.test",
      "--token-format",
      "jwt",
      "--alg",
      "ES384",
    ]);
    expect(changed).toMatchObject({ token_format: "jwt", alg: "ES384", name: "sealed" });
    const keys = await at.json<{ alg: string; status: string }[]>(["key", "list"]);
    expect(keys.map(({ alg }) => alg)).toEqual(expect.arrayContaining(["ES384", "EdDSA"]));
    const made = await at.json(["key", "rotate", "--alg", "EdDSA"]);
    expect(made).toMatchObject({ alg: "EdDSA", status: "next" });
  });

  test("an API → introspection id and secret this once", async () => {
    const identifier = "https://c.test";
    const made = await at.json([
      "resource",
      "create",
      "--identifier",
      identifier,
      "--name",
      "C",
      "--token-lifetime",
      "90",
      "--grant-bound",
    ]);
    const secret = String(made["introspection_client_secret"]);
    expect(made).toEqual({
      identifier,
      name: "C",
      token_format: "jwt",
      token_lifetime: 90,
      alg: "ES256",
      grant_bound: true,
      userinfo: true,
      introspection_client_id: expect.stringMatching(/^rs_[A-Za-z0-9_-]{22}$/),
      introspection_client_secret: expect.stringMatching(/^cs_[A-Za-z0-9_-]{43}$/),
      created_at: expect.any(String),
    });
    expect(stored()).toContain(sha256(secret));
    expect(stored()).not.toContain(secret);
    const { introspection_client_secret: _, ...rest } = made;
    expect(await at.json<unknown[]>(["resource", "list"])).toContainEqual(rest);
    const renewed = await at.json(["resource", "update", identifier, "--new-secret", "--no-token-lifetime"]);
    expect(renewed["introspection_client_secret"]).not.toBe(secret);
    expect(renewed["token_lifetime"]).toBeNull();
    expect(await at.json(["resource", "delete", identifier, "--yes"])).toEqual({ identifier, deleted: true });
  });

  test("a scope → its record; the list says which API it belongs to", async () => {
    const flags = ["--optional", "--sensitive", "--owner-role", "admin"];
    expect(await at.json(["scope", "create", "audit", "--description", "Read the audit log", ...flags])).toEqual({
      name: "audit",
      description: "Read the audit log",
      resource: null,
      optional: true,
      sensitive: true,
      owner_role: "admin",
      access: null,
      acr: null,
      max_age: null,
    });
    expect((await at.run(["scope", "list"])).stdout).toMatch(/^photos:read +https:\/\/api\.test +- +required/m);
    expect(
      await at.json(["scope", "update", "audit", "--no-owner-role", "--resource", "https://api.test"]),
    ).toMatchObject({
      owner_role: null,
      resource: "https://api.test",
      sensitive: true,
    });
    expect(await at.json(["scope", "delete", "audit", "--yes"])).toEqual({
      name: "audit",
      deleted: true,
      client_ids: [],
    });
  });
});

describe("key, db and doctor", () => {
  test("keys: the first, the next, one now; an unknown one → refused", async () => {
    const first = await at.json(["key", "rotate"]);
    expect(first).toMatchObject({ alg: "ES256", status: "signing" });
    expect(await at.json(["key", "rotate"])).toMatchObject({ status: "next" });
    expect((await at.run(["key", "rotate"])).stderr).toContain("the next key is already published");
    const now = await at.run(["key", "rotate", "--now", "--json"]);
    expect(JSON.parse(now.stdout)).toMatchObject({ status: "signing" });
    expect(now.stderr).toMatch(/^warning: the new key signs from now on/);
    // APIs of other tests have keys with other algorithms.
    const all = await at.json<{ status: string; alg: string }[]>(["key", "list"]);
    const keys = all.filter(({ alg }) => alg === "ES256");
    expect(keys.map(({ status }) => status)).toEqual(["verifying", "verifying", "signing"]);
    expect((await at.run(["key", "retire", "unknown"])).stderr).toBe('error: kid: there is no key "unknown"\n');
    const kid = String(first["kid"]);
    const retired = await at.run(["key", "retire", "--now", "--yes", "--json", "--", kid]);
    expect(JSON.parse(retired.stdout)).toEqual({ kid, retired: true, removed: true });
  });

  test("doctor: in order → 0; a file that others can read → 1, and every command refuses", async () => {
    // Another server may run at the usual address.
    const env = { ASSENT_ISSUER: `http://localhost:${await freePort()}` };
    const { code, stdout } = await at.run(["doctor", "--json"], { env });
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, configuration: { ASSENT_DATA_DIR: at.dataDir } });
    expect(code).toBe(0);
    const database = join(at.dataDir, "assent.db");
    chmodSync(database, 0o644);
    try {
      const sick = await at.run(["doctor"]);
      expect(sick.stdout).toContain(`chmod 600 ${database}`);
      expect(sick.code).toBe(1);
      expect((await at.run(["client", "list"])).stderr).toMatch(/^error: .*found mode 0644, wanted 0600/);
    } finally {
      chmodSync(database, 0o600);
    }
  });
});
