/** Commands never print a secret again (AD-07), refuse line feeds (AD-13), and limit lists (DS-17). */

import { generateKeyPairSync } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
/** Secrets that a command printed when it created them. */
const printed: string[] = [];
let privateKey: string;
let clientId: string;
let providerId: string;
const serverSecret = () => readFileSync(join(at.dataDir, "secret"), "utf8").trim();

const CONFIDENTIAL = ["client", "create", "--type", "confidential", "--redirect-uri", "https://app.test/cb"];
const PROVIDER = ["provider", "create", "--issuer", "https://accounts.test", "--client-id", "assent"];

beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  const once = async (args: readonly string[], field: string) => {
    const record = await at.json(args);
    expect(record[field], args.join(" ")).toBeTypeOf("string");
    printed.push(String(record[field]));
    return record;
  };
  await once(
    ["resource", "create", "--identifier", "https://api.test", "--name", "Photos"],
    "introspection_client_secret",
  );
  await at.json(["scope", "create", "photos:read", "--description", "See photos", "--resource", "https://api.test"]);
  const client = await once([...CONFIDENTIAL, "--name", "App", "--scope", "photos:read"], "client_secret");
  clientId = String(client["client_id"]);
  await once(["client", "rotate-secret", clientId], "client_secret");
  await once([...CONFIDENTIAL, "--name", "Signer", "--auth-method", "client_secret_jwt"], "client_secret");
  await once(
    ["user", "create", "--username", "alice", "--email", "alice@example.test", "--generate-password"],
    "password",
  );
  await at.json(["company", "create", "--name", "Acme", "--slug", "acme"]);
  await at.json(["company", "add-member", "acme", "alice", "--role", "admin"]);
  const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
  privateKey = String(pair.privateKey.export({ format: "jwk" }).d);
  const jwks = join(at.folder, "issuer.json");
  writeFileSync(jwks, JSON.stringify({ keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid: "one" }] }));
  await at.json(["issuer", "create", "--type", "jwt", "--issuer", "https://idp.test", "--jwks", jwks]);
  const upstream = "an-upstream-secret-1234";
  printed.push(upstream);
  const provider = await at.json([...PROVIDER, "--name", "Accounts", "--client-secret-stdin"], { input: upstream });
  providerId = String(provider["id"]);
  await at.json(["key", "rotate"]);
});
afterAll(() => at.remove());

/** Names of columns, and of members of records, that contain secrets, hashes of secrets, or encrypted bytes. */
const SECRET_NAME = /^(?:hash|password_hash|sealed_private|sealedSecret|introspectionSecretHash|\w*salt\w*)$/;

/** Every such value in the database by its name, in each form in which it could be printed. */
function stored(): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  const note = (name: string, value: unknown) => {
    if (value instanceof Uint8Array) {
      const bytes = Buffer.from(value);
      for (const form of ["base64", "base64url", "hex"] as const) note(name, bytes.toString(form));
    } else if (typeof value === "string" && value.length > 7) {
      found.set(name, [...(found.get(name) ?? []), value]);
    }
  };
  const walk = (value: unknown) => {
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (SECRET_NAME.test(name)) note(name, inner);
      walk(inner);
    }
  };
  const database = new DatabaseSync(join(at.dataDir, "assent.db"), { readOnly: true });
  try {
    for (const { name: table } of database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all()) {
      // A logo's hash is public: it is the address of the picture.
      if (table === "logos") continue;
      for (const row of database.prepare(`SELECT * FROM "${String(table)}"`).all()) {
        for (const [column, value] of Object.entries(row)) {
          if (SECRET_NAME.test(column)) note(column, value);
          if (column === "record") walk(JSON.parse(String(value)));
        }
      }
    }
  } finally {
    database.close();
  }
  return found;
}

describe("AD-07 secrets of existing records", () => {
  test.each([
    ["client", "list"],
    ["client", "show", "CLIENT"],
    ["user", "list"],
    ["user", "show", "alice"],
    ["company", "show", "acme"],
    ["resource", "list"],
    ["scope", "list"],
    ["issuer", "list"],
    ["provider", "list"],
    ["provider", "show", "PROVIDER"],
    ["key", "list"],
    ["session", "list", "alice"],
    ["consent", "list"],
    ["db", "status"],
    ["doctor"],
    ["export", "FILE"],
  ])("assent %s %s → no secret, no hash, no private key, as text and as JSON", async (...words) => {
    const kept = stored();
    expect([...kept.keys()].sort()).toEqual([
      ...["hash", "introspectionSecretHash", "password_hash", "sealedSecret", "sealed_private"],
    ]);
    const secrets = [...[...kept.values()].flat(), ...printed, privateKey, serverSecret()];
    // Doctor asks the issuer; another server may run at the usual address.
    const env = { ASSENT_ISSUER: `http://localhost:${await freePort()}` };
    for (const flags of [[], ["--json"]]) {
      const file = `export-${flags.length}.jsonl`;
      const named: Readonly<Record<string, string>> = { CLIENT: clientId, PROVIDER: providerId, FILE: file };
      const args = words.map((word) => named[word] ?? word);
      const { code, stdout, stderr } = await at.run([...args, ...flags], { env });
      expect(code, stderr).toBe(0);
      for (const secret of secrets) expect(`${stdout}${stderr}`).not.toContain(secret);
    }
  });

  test("an export → contains neither the secret that decrypts it nor the secrets that were printed at creation", async () => {
    await at.json(["export", "whole.jsonl"]);
    const text = readFileSync(join(at.folder, "whole.jsonl"), "utf8");
    for (const secret of [...printed, privateKey, serverSecret()]) expect(text).not.toContain(secret);
  });
});

describe("AD-13 line feeds and other control characters", () => {
  const EVIL = "A\r\nBcc: mallory@evil.test";
  const commands: readonly (readonly [string, readonly string[]])[] = [
    ["client create --name", [...CONFIDENTIAL, "--name", EVIL]],
    ["client create --publisher", [...CONFIDENTIAL, "--name", "B", "--publisher", EVIL]],
    ["client create --name-lang", [...CONFIDENTIAL, "--name", "B", "--name-lang", `de=${EVIL}`]],
    ["client create --policy-uri", [...CONFIDENTIAL, "--name", "B", "--policy-uri", "https://a.test/\r\nX: y"]],
    ["scope create --description", ["scope", "create", "x:y", "--description", EVIL]],
    ["scope create NAME", ["scope", "create", "x\ny", "--description", "Something"]],
    ["resource create --name", ["resource", "create", "--identifier", "https://b.test", "--name", EVIL]],
    ["resource create --identifier", ["resource", "create", "--identifier", "https://b.test/\r\nX: y", "--name", "B"]],
    ["company create --name", ["company", "create", "--slug", "evil", "--name", EVIL]],
    [
      "user create --name",
      ["user", "create", "--username", "bob", "--email", "b@example.test", "--generate-password", "--name", EVIL],
    ],
    [
      "user create --email",
      ["user", "create", "--username", "bob", "--email", `b@example.test\r\nX`, "--generate-password"],
    ],
    [
      "user create --username",
      ["user", "create", "--username", "b\r\nob", "--email", "b@example.test", "--generate-password"],
    ],
    [
      "issuer create --issuer",
      ["issuer", "create", "--type", "jwt", "--issuer", "https://c.test\r\nX", "--jwks", "issuer.json"],
    ],
    ["provider create --name", [...PROVIDER, "--name", EVIL]],
  ];

  let before: readonly number[];
  beforeAll(async () => {
    before = await counts();
  });

  test.each(commands)("%s → refused, no raw line feed printed", async (_, args) => {
    const { code, stdout, stderr } = await at.run(args);
    expect(code).toBe(1);
    expect(stdout).toBe("");
    expect(stderr).toMatch(/^error: .+\n$/);
    expect(stderr).not.toMatch(/\r|^Bcc|^X/m);
  });

  test("after the refusals → no record was created", async () => {
    expect(await counts()).toEqual(before);
  });
});

/** Counts the records of each type that commands create. */
async function counts(): Promise<readonly number[]> {
  const nouns = ["client", "user", "company", "scope", "resource", "issuer", "provider"];
  return Promise.all(nouns.map(async (noun) => (await at.json<unknown[]>([noun, "list"])).length));
}

describe("DS-17 the length of a list", () => {
  test.each(["1000000000", "0", "-1", "1e9", "all", "'", ""])("--limit %j → wrong usage", async (limit) => {
    const { code, stdout } = await at.run(["client", "list", "--limit", limit]);
    expect([code, stdout]).toEqual([2, ""]);
  });

  test("--limit 1 → one row", async () => {
    expect(await at.json<unknown[]>(["client", "list", "--limit", "1"])).toHaveLength(1);
    expect(await at.json<unknown[]>(["client", "list"])).toHaveLength(2);
  });

  test.each(["%", "_", "%%%", "' OR '1'='1"])(
    "user show %j → not found, because the argument is not a pattern",
    async (name) => {
      const { code, stdout } = await at.run(["user", "show", name, "--json"]);
      expect([code, stdout]).toEqual([1, ""]);
    },
  );
});
