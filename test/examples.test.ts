/** The examples, run as their first lines say (those of the implicit and the password grant are run beside their flows). */

import { execFile, spawn } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, consentForm, signIn } from "./support/browser-like.ts";
import { settle, startServer, type TestServer } from "./support/server.ts";

const examples = join(import.meta.dirname, "..", "examples");
const folder = mkdtempSync(join(tmpdir(), "assent-examples-"));
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function run(example: string, env: Record<string, string>, args: readonly string[] = []): Promise<string> {
  const options = { cwd: folder, env: { PATH: process.env["PATH"], ISSUER: server.issuer, ...env } };
  const { stdout } = await promisify(execFile)(process.execPath, [join(examples, example), ...args], options);
  return stdout;
}

const asService = { grantTypes: ["client_credentials"], ownScopes: ["read"], redirectUris: [] };

test("client-credentials.ts without a client → says what to set, exit code 2", async () => {
  await expect(run("client-credentials.ts", {})).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining("CLIENT_ID"),
  });
});

test("client-credentials.ts with a secret → a token", async () => {
  const client = await server.addClient(asService);
  expect(await run("client-credentials.ts", { CLIENT_ID: client.clientId, CLIENT_SECRET: client.secret })).toContain(
    "eyJ",
  );
});

test("client-credentials.ts with a key → a token", async () => {
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwks = JSON.stringify({ keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256" }] });
  const client = await server.addClient({ ...asService, authMethod: "private_key_jwt", secrets: [], jwks });
  writeFileSync(
    join(folder, "key.json"),
    JSON.stringify({ ...privateKey.export({ format: "jwk" }), kid: "one", alg: "ES256" }),
  );
  expect(await run("client-credentials.ts", { CLIENT_ID: client.clientId, CLIENT_KEY: "key.json" })).toContain("eyJ");
});

test("assertion.ts: keys for the operator, then an assertion about a person → a token", async () => {
  const person = await server.addPerson();
  const client = await server.addClient({ grantTypes: ["urn:ietf:params:oauth:grant-type:jwt-bearer"] });
  await run("assertion.ts", {}, ["keys"]);
  await server.assent.storage.putIssuer({
    create: true,
    issuer: {
      issuer: "https://idp.example.com",
      type: "jwt",
      status: "active",
      jwks: readFileSync(join(folder, "idp.jwks.json"), "utf8"),
      jwksUri: null,
      certificates: [],
      scopes: ["read"],
      clients: [],
      subjects: [],
      audience: null,
      maxLifetime: 3600,
      mapSubject: "username",
      createOwners: false,
      createdAt: server.now(),
    },
  });
  await settle();
  const env = { CLIENT_ID: client.clientId, CLIENT_SECRET: client.secret, SUBJECT: person.username };
  expect(await run("assertion.ts", env)).toContain("eyJ");
});

test("device.ts: the code it prints, entered and allowed in a browser → a token", { timeout: 30_000 }, async () => {
  const person = await server.addPerson();
  const grantTypes = ["urn:ietf:params:oauth:grant-type:device_code"];
  const client = await server.addClient({ type: "public", grantTypes, redirectUris: [] });
  const env = { ...process.env, ISSUER: server.issuer, CLIENT_ID: client.clientId, SCOPE: "read" };
  const device = spawn(process.execPath, [join(examples, "device.ts")], { env, stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  const code = new Promise<string>((resolve) => {
    device.stdout.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /enter ([A-Z]{4}-[A-Z]{4})/.exec(said)?.[1];
      if (found !== undefined) resolve(found);
    });
  });

  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const page = await agent.get("/device");
  const form = page.forms.find(({ fields }) => fields.has("user_code"));
  if (form === undefined) throw new Error(page.text);
  const consent = await agent.follow(await agent.submit(form, { user_code: await code }));
  const asked = consent.forms.find(({ fields }) => fields.has("duration")) ?? consentForm(consent);
  await agent.follow(await agent.submit(asked, { decision: "allow" }));
  await once(device, "exit");
  expect(device.exitCode).toBe(0);
  expect(said).toContain("eyJ");
});
