/** `assent client` for clients that sign: keys from a file, encrypted secrets. */

import { generateKeyPairSync } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { aWorkspaceWithDatabase, type Workspace } from "./support/run-command.ts";

let at: Workspace;
beforeAll(async () => {
  at = await aWorkspaceWithDatabase();
  await at.json(["scope", "create", "jobs", "--description", "Run jobs"]);
});
afterAll(() => at.remove());

const ROBOT = ["client", "create", "--name", "Robot", "--type", "confidential", "--grant-type", "client_credentials"];
const pair = generateKeyPairSync("ec", { namedCurve: "P-256" });
const publicJwk = { ...pair.publicKey.export({ format: "jwk" }), kid: "one" };

/** Writes a file in the workspace. */
function file(name: string, content: string): string {
  const path = join(at.folder, name);
  writeFileSync(path, content);
  return path;
}

describe("--jwks", () => {
  test("no file, no JSON, a private key, both ways at once → refused; nothing of a private key is shown", async () => {
    const signing = [...ROBOT, "--auth-method", "private_key_jwt"];
    const secret = pair.privateKey.export({ format: "jwk" });
    for (const [args, problem] of [
      [["--jwks", join(at.folder, "gone.json")], /the file can't be read/],
      [["--jwks", file("bad.json", `{"d": "${secret.d}`)], /the file is not JSON/],
      [["--jwks", file("big.json", " ".repeat(70_000))], /larger than 65536 bytes/],
      [
        ["--jwks", file("private.json", JSON.stringify({ keys: [secret] }))],
        /^error: --jwks: key 1: it has a private part/m,
      ],
      [["--jwks-uri", "http://robot.example/jwks"], /^error: --jwks-uri: .*not an https URL/m],
      [[], /^error: --jwks: missing/m],
    ] as const) {
      const { code, stderr } = await at.run([...signing, ...args]);
      expect([code, stderr]).toEqual([1, expect.stringMatching(problem)]);
      expect(stderr).not.toContain(secret.d);
    }
    const both = await at.run([...signing, "--jwks", "a.json", "--jwks-uri", "https://robot.example/jwks"]);
    expect(both.code).toBe(2);
  });

  test("a file, standard input, then an address → that one alone", async () => {
    const jwks = JSON.stringify({ keys: [publicJwk] });
    const args = [...ROBOT, "--own-scope", "jobs", "--auth-method", "private_key_jwt"];
    const made = await at.json([...args, "--jwks", file("keys.json", jwks)]);
    expect(made).toMatchObject({
      token_endpoint_auth_method: "private_key_jwt",
      jwks: { keys: [publicJwk] },
      own_scope: "jobs",
    });
    expect(made).not.toHaveProperty("client_secret");
    const id = String(made["client_id"]);
    const moved = await at.json(["client", "update", id, "--jwks-uri", "https://robot.example/jwks"]);
    expect(moved).toMatchObject({ jwks_uri: "https://robot.example/jwks" });
    expect(moved).not.toHaveProperty("jwks");
    const back = await at.json(["client", "update", id, "--jwks", "-"], { input: jwks });
    expect(back).toMatchObject({ jwks: { keys: [publicJwk] } });
    expect(back).not.toHaveProperty("jwks_uri");
  });
});

describe("--tls-subject", () => {
  const byCa = [...ROBOT, "--own-scope", "jobs", "--auth-method", "tls_client_auth"];

  test("none, an unknown field, no value → refused, by its flag", async () => {
    const none = await at.run(byCa);
    expect([none.code, none.stderr]).toEqual([1, expect.stringMatching(/^error: --tls-subject: .*exactly one of/m)]);
    for (const text of ["cn=robot", "san_dns", "san_dns="]) {
      expect((await at.run([...byCa, "--tls-subject", text])).code).toBe(2);
    }
  });

  test("a name, then another field, then another method → that one alone; bound tokens by their flag", async () => {
    const made = await at.json([...byCa, "--tls-subject", "dn=CN=robot,O=Example", "--certificate-bound"]);
    expect(made).toMatchObject({
      tls_client_auth_subject_dn: "CN=robot,O=Example",
      tls_client_certificate_bound_access_tokens: true,
    });
    expect(made).not.toHaveProperty("client_secret");
    const update = (...flags: string[]) => at.json(["client", "update", String(made["client_id"]), ...flags]);
    const named = await update("--tls-subject", "san_dns=robot.example.com");
    expect(named).toMatchObject({ tls_client_auth_san_dns: "robot.example.com" });
    expect(named).not.toHaveProperty("tls_client_auth_subject_dn");
    const free = await update("--auth-method", "client_secret_basic", "--no-certificate-bound");
    expect(free).toMatchObject({ client_secret: expect.stringMatching(/^cs_/) });
    expect(Object.keys(free).filter((name) => name.startsWith("tls_"))).toEqual([]);
  });
});

describe("--auth-method client_secret_jwt", () => {
  test("a secret of 64 bytes, this once; sealed in the database", async () => {
    const made = await at.json([...ROBOT, "--own-scope", "jobs", "--auth-method", "client_secret_jwt"]);
    const secret = String(made["client_secret"]);
    expect(secret).toMatch(/^cs_[A-Za-z0-9_-]{86}$/);
    const stored = readdirSync(at.dataDir)
      .map((name) => readFileSync(join(at.dataDir, name), "latin1"))
      .join();
    expect(stored).not.toContain(secret);
    expect(JSON.stringify(await at.json(["client", "show", String(made["client_id"])]))).not.toMatch(
      /cs_[\w-]{43}|sealed/,
    );
  });

  test("the method changes → a new secret is printed; between Basic and the body → the old one stays", async () => {
    const made = await at.json([...ROBOT, "--own-scope", "jobs"]);
    const id = String(made["client_id"]);
    const update = (method: string) => at.json(["client", "update", id, "--auth-method", method]);
    expect(await update("client_secret_post")).not.toHaveProperty("client_secret");
    const sealed = await update("client_secret_jwt");
    expect(sealed["client_secret"]).not.toBe(made["client_secret"]);
    expect(String(sealed["client_secret"])).toMatch(/^cs_.{86}$/);
    expect(sealed["client_secrets"]).toHaveLength(1);
    const { client_secret: again } = await at.json(["client", "rotate-secret", id]);
    expect(String(again)).toMatch(/^cs_.{86}$/);
    expect(await update("client_secret_basic")).toMatchObject({ client_secret: expect.stringMatching(/^cs_.{43}$/) });
  });
});
