import { readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createAssent, loadConfig } from "@assent/server";
import { adminOf, allClients, clientOf, rotateSecret, setLogo, userOf } from "@assent/server/admin";
import pino from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { freePort } from "../../../test/support/free-port.ts";
import { runDemo } from "../src/index.ts";
import { newDataDir, type RunningDemo, readDemoJson, removeDataDirs, startDemo, testConfig } from "./support/demo.ts";

afterAll(removeDataDirs);

/** Signs in without a browser. Returns the status: 303 after success, 200 for the form again. */
async function signIn(issuer: string, username: string, password: string): Promise<number> {
  const form = await fetch(`${issuer}/login`);
  const fields = new URLSearchParams();
  for (const [input] of (await form.text()).matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    fields.append(/name="([^"]*)"/.exec(input)?.[1] ?? "", /value="([^"]*)"/.exec(input)?.[1] ?? "");
  }
  fields.append("username", username);
  fields.append("password", password);
  const cookie = form.headers
    .getSetCookie()
    .map((line) => line.split(";")[0])
    .join("; ");
  const answer = await fetch(`${issuer}/login`, {
    method: "POST",
    body: fields,
    headers: { cookie },
    redirect: "manual",
  });
  return answer.status;
}

describe("what stands in the way", () => {
  test.each([
    "https://login.example.com",
    "https://127.0.0.1.example.com",
    "https://localhost.example.com",
    "https://10.0.0.1",
  ])("issuer %s → refused by name, nothing made", async (issuer) => {
    const dataDir = newDataDir();
    await expect(runDemo(testConfig({ issuer, dataDir }))).rejects.toThrow(/^ASSENT_ISSUER: found .*loopback/);
    expect(statSync(dataDir, { throwIfNoEntry: false })).toBeUndefined();
  });

  test.each([
    ["the app's port", "ASSENT_DEMO_PORTS", (port: number) => ({ demoPorts: [port, 0] as const })],
    ["the API's port", "ASSENT_DEMO_PORTS", (port: number) => ({ demoPorts: [0, port] as const })],
    [
      "the server's port",
      "ASSENT_LISTEN",
      (port: number) => ({ listen: { host: "127.0.0.1", port }, issuer: `http://localhost:${port}` }),
    ],
  ])("%s is taken → the message names %s, and nothing stays open", async (_, variable, values) => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const config = testConfig(values(port));
    await expect(runDemo(config)).rejects.toThrow(new RegExp(`^${variable}.*: found 127.0.0.1:${port} in use`));
    expect(statSync(join(config.dataDir, "demo.json"), { throwIfNoEntry: false })).toBeUndefined();
    await new Promise((resolve) => other.close(resolve));
  });

  test("an issuer that leads elsewhere → the message names both settings", async () => {
    const elsewhere = createServer((_request, response) => void response.writeHead(404).end());
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const issuer = `http://localhost:${(elsewhere.address() as AddressInfo).port}`;
    const port = await freePort();
    const config = testConfig({ issuer, listen: { host: "127.0.0.1", port } });
    await expect(runDemo(config)).rejects.toThrow(/^ASSENT_ISSUER: .*ASSENT_LISTEN/);
    await expect(fetch(`http://127.0.0.1:${port}/health/live`)).rejects.toThrow();
    elsewhere.closeAllConnections();
    await new Promise((resolve) => elsewhere.close(resolve));
  });
});

test("sign-up without a mail server → the server warns that nobody can sign up; the demo, which shows its mail in the log, doesn't", async () => {
  const values = { ASSENT_SIGN_UP: "true", ASSENT_DATA_DIR: newDataDir(), ASSENT_LOG_LEVEL: "warn" };
  const warned = async (dangerouslyLogMail: boolean) => {
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    await (await createAssent(await loadConfig(values), { log, dangerouslyLogMail })).close();
    return lines.some((line) => line.includes("nobody can sign up"));
  };
  expect([await warned(false), await warned(true)]).toEqual([true, false]);
});

describe("the first start", () => {
  let demo: RunningDemo;
  beforeAll(async () => {
    demo = await startDemo();
  });
  afterAll(() => demo.stop());

  test("demo.json → five members, for its owner's eyes alone", () => {
    const path = join(demo.dataDir, "demo.json");
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toEqual([
      "issuer",
      "client_url",
      "api_url",
      "username",
      "password",
    ]);
    expect(demo.json.issuer).toMatch(/^http:\/\/localhost:\d+$/);
    expect(demo.json.client_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(demo.json.api_url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(demo.json.username).toBe("demo");
    expect(demo.json.password).toMatch(/^[a-z]{6}-[a-z]{6}-[a-z]{6}$/);
    for (const file of ["demo.json", "demo-client.json"]) {
      expect(statSync(join(demo.dataDir, file)).mode & 0o777).toBe(0o600);
    }
  });

  test("the text → the three addresses, username, password and what to click, plain where no terminal is", () => {
    for (const part of Object.values(demo.json)) expect(demo.text).toContain(part);
    expect(demo.text).toContain("Connect with Assent");
    expect(demo.text).not.toContain("\u001b");
  });

  test("the three answer → the server with the demo's scopes, the app with a page, the API with a challenge", async () => {
    const { issuer, client_url, api_url } = demo.json;
    const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json();
    const scopes = ["photos:delete", "photos:read", "profile:read"];
    expect(metadata).toMatchObject({ issuer, scopes_supported: expect.arrayContaining(scopes) });
    expect((await fetch(client_url)).status).toBe(200);
    const refused = await fetch(`${api_url}/photos`);
    expect(refused.status).toBe(401);
    expect(refused.headers.get("www-authenticate")).toContain(`resource_metadata="${api_url}/.well-known/`);
    const resource = await (await fetch(`${api_url}/.well-known/oauth-protected-resource`)).json();
    expect(resource).toMatchObject({ resource: api_url, authorization_servers: [issuer] });
  });

  test("the password → signs in; another → doesn't", async () => {
    const { issuer, username, password } = demo.json;
    expect(await signIn(issuer, username, "not-the-password")).toBe(200);
    expect(await signIn(issuer, username, password)).toBe(303);
  });
});

describe("the second start", () => {
  async function registered(dataDir: string) {
    const assent = await createAssent(testConfig({ dataDir }));
    const context = adminOf(assent.storage, assent.config.issuer);
    const all: Awaited<ReturnType<typeof clientOf>>[] = [];
    for await (const client of allClients(context)) all.push(client);
    const clients = all.filter(({ redirectUris }) => redirectUris.length > 0);
    const devices = all.filter(({ redirectUris }) => redirectUris.length === 0);
    const { personId } = await userOf("demo", context);
    const resources = (await assent.storage.resources.list()).map(({ identifier }) => identifier);
    const scopes = (await assent.storage.scopes.list()).map(({ resource }) => resource);
    await assent.close();
    return { clients, devices, personId, resources, scopes };
  }

  test("→ same user, password, client and secret; API and redirect follow the new ports", async () => {
    const first = await startDemo();
    await first.stop();
    const before = await registered(first.dataDir);
    const clientFile = readFileSync(join(first.dataDir, "demo-client.json"), "utf8");

    const second = await startDemo({ dataDir: first.dataDir });
    await second.stop();
    const after = await registered(first.dataDir);
    expect(second.json.password).toBe(first.json.password);
    expect(after.personId).toBe(before.personId);
    expect(after.devices.map(({ clientId }) => clientId)).toEqual(before.devices.map(({ clientId }) => clientId));
    expect(after.devices).toHaveLength(1);
    expect(after.clients).toHaveLength(1);
    expect(after.clients[0]?.clientId).toBe(before.clients[0]?.clientId);
    expect(after.clients[0]?.logo).toMatch(/^[\w-]{43}$/);
    expect(after.clients[0]?.redirectUris).toEqual([`${second.json.client_url}/callback`]);
    expect(after.resources).toEqual([second.json.api_url]);
    expect(new Set(after.scopes)).toEqual(new Set([second.json.api_url]));
    expect(readFileSync(join(first.dataDir, "demo-client.json"), "utf8")).toBe(clientFile);
  });

  test.each([
    ["is gone", (path: string) => rmSync(path)],
    ["is broken", (path: string) => writeFileSync(path, '{"username": "demo", "pass')],
  ])("demo.json %s → the same user gets a new password, which signs in", async (_, spoil) => {
    const first = await startDemo();
    await first.stop();
    spoil(join(first.dataDir, "demo.json"));
    const second = await startDemo({ dataDir: first.dataDir });
    expect(second.json.password).not.toBe(first.json.password);
    expect(await signIn(second.json.issuer, "demo", first.json.password)).toBe(200);
    expect(await signIn(second.json.issuer, "demo", second.json.password)).toBe(303);
    await second.stop();
  });

  test("the database is gone → a new one, with the password of demo.json", async () => {
    const first = await startDemo();
    await first.stop();
    for (const name of ["assent.db", "assent.db-wal", "assent.db-shm"])
      rmSync(join(first.dataDir, name), { force: true });
    const second = await startDemo({ dataDir: first.dataDir });
    expect(readDemoJson(first.dataDir).password).toBe(first.json.password);
    expect(await signIn(second.json.issuer, "demo", first.json.password)).toBe(303);
    await second.stop();
  });

  test("the app's secret is gone, or an operator changed it → the same client, a new secret", async () => {
    const first = await startDemo();
    await first.stop();
    const path = join(first.dataDir, "demo-client.json");
    const { client_id, client_secret } = JSON.parse(readFileSync(path, "utf8"));
    rmSync(path);
    const second = await startDemo({ dataDir: first.dataDir });
    await second.stop();
    const renewed = JSON.parse(readFileSync(path, "utf8"));
    expect(renewed.client_id).toBe(client_id);
    expect(renewed.client_secret).not.toBe(client_secret);

    const assent = await createAssent(testConfig({ dataDir: first.dataDir }));
    const context = adminOf(assent.storage, assent.config.issuer);
    await rotateSecret(client_id, 0, context);
    await setLogo(client_id, null, context);
    await assent.close();
    const third = await startDemo({ dataDir: first.dataDir });
    await third.stop();
    const file = JSON.parse(readFileSync(path, "utf8"));
    expect(file).toMatchObject({ client_id, client_secret: expect.not.stringMatching(renewed.client_secret) });
    const again = await createAssent(testConfig({ dataDir: first.dataDir }));
    expect((await clientOf(client_id, adminOf(again.storage, again.config.issuer))).name).toBe("Paperlight Prints");
    await again.close();
  });
});

test("stop → none of the three answers any more", async () => {
  const demo = await startDemo();
  await demo.stop();
  for (const url of [demo.json.issuer, demo.json.client_url, demo.json.api_url]) {
    await expect(fetch(url)).rejects.toThrow();
  }
});
