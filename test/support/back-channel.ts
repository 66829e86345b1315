/**
 * Helpers for tests of the back channel: an owner who has signed in, codes and tokens in one call, and raw requests.
 */

import { cpSync, mkdtempSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Client } from "../../packages/server/src/oauth/model.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, authorize, authorizeUrl, pkce, redeem, signIn, type TokenAnswer } from "./http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "./test-server.ts";

/** A person with a signed-in browser. After the first consent, authorizations of a client need no page. */
export interface Owner {
  readonly person: Person;
  readonly agent: Agent;
}

export async function anOwner(server: TestServer): Promise<Owner> {
  return { person: await server.addPerson(), agent: new Agent(server.issuer) };
}

/** A person with a browser in which they have signed in. */
export type SignedInPerson = Person & Owner;

/** Signs a person in at a new browser. `person`: absent for a new one. */
export async function signedInPerson(
  server: TestServer,
  person: Person | Promise<Person> = server.addPerson(),
): Promise<SignedInPerson> {
  const found = await person;
  const agent = new Agent(server.issuer);
  await signIn(agent, found.username);
  return { ...found, person: found, agent };
}

/** Overrides for the authorization request and for the owner's answer on the consent page. */
export interface Asking {
  readonly ask?: Record<string, string | undefined>;
  readonly answer?: Record<string, string | readonly string[]>;
}

/** The code of a new authorization. */
export async function codeOf(
  server: TestServer,
  client: TestClient,
  { agent, person }: Owner,
  { ask = {}, answer = {} }: Asking = {},
): Promise<string> {
  const callback = await authorize(agent, authorizeUrl(server, client, ask), person.username, answer);
  const code = callback.searchParams.get("code");
  if (code === null) throw new Error(`no code: ${callback.href}`);
  return code;
}

/** A code with an S256 challenge, and the verifier that redeems it. */
export async function provenCode(
  server: TestServer,
  client: TestClient,
  owner: Owner,
  asking: Asking = {},
): Promise<{ code: string; code_verifier: string }> {
  const { verifier, challenge } = pkce();
  const ask = { code_challenge: challenge, code_challenge_method: "S256", ...asking.ask };
  return { code: await codeOf(server, client, owner, { ...asking, ask }), code_verifier: verifier };
}

/** The tokens of a new authorization. Throws if it fails. */
export async function tokensOf(
  server: TestServer,
  client: TestClient,
  owner: Owner,
  { fields = {}, ...asking }: Asking & { readonly fields?: Record<string, string> } = {},
): Promise<{ access: string; refresh: string; body: TokenAnswer["body"] }> {
  const { code, code_verifier } = await provenCode(server, client, owner, asking);
  const { status, body } = await redeem(server, client, code, { code_verifier, ...fields });
  if (status !== 200) throw new Error(`no tokens: ${status} ${JSON.stringify(body)}`);
  return { access: body.access_token ?? "", refresh: body.refresh_token ?? "", body };
}

/** Changes a client as the operator would, and waits until every cache has the change. */
export async function changeClient(server: TestServer, client: TestClient, changes: Partial<Client>): Promise<void> {
  const { secret: _, ...record } = client;
  await server.assent.storage.clients.put({ client: { ...record, ...changes }, expect: null });
  await settle();
}

/** Copies the data of a server in its current state. */
export function copyOf({ dataDir: from }: TestServer): string {
  const dataDir = mkdtempSync(join(tmpdir(), "assent-"));
  cpSync(from, dataDir, { recursive: true, filter: (path) => !path.endsWith("-shm") });
  return dataDir;
}

/**
 * Simulates a restart, optionally with other secrets: a second server on a copy of the data, at the same time of day.
 */
export async function restarted(from: TestServer, secret: readonly Buffer[] | null = null): Promise<TestServer> {
  const server = await startServer({ dataDir: copyOf(from), config: { secret } });
  server.tick(from.now() - server.now());
  return server;
}

export function basic(id: string, secret: string): string {
  return `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;
}

const FORM = "application/x-www-form-urlencoded";

/** A POST whose body is sent unchanged. */
export async function post(
  server: Pick<TestServer, "issuer">,
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<TokenAnswer & { text: string }> {
  const response = await fetch(`${server.issuer}${path}`, {
    method: "POST",
    body,
    headers: { "content-type": FORM, ...headers },
  });
  const text = await response.text();
  const body_ = text.startsWith("{") ? (JSON.parse(text) as TokenAnswer["body"]) : {};
  return { status: response.status, headers: response.headers, body: body_, text };
}

/** Expects exactly the refusal of RFC 6749 §5.2. */
export function expectRefusal(
  answer: TokenAnswer,
  error: string,
  status = error === "invalid_client" ? 401 : 400,
): void {
  const { body, headers } = answer;
  expect([answer.status, body.error], JSON.stringify(body)).toEqual([status, error]);
  expect(Object.keys(body)).toEqual(["error", "error_description", "error_uri"]);
  expect(body["error_description"]).toMatch(/^[\x20\x21\x23-\x5b\x5d-\x7e]+$/);
  expect(body["error_uri"]).toMatch(/^https?:\/\/[^/]+\/errors\/[a-z_]+\?id=[\w-]{16}$/);
  expect(headers.get("content-type")).toMatch(/^application\/json\b/);
  expect(headers.get("cache-control")).toBe("no-store");
  expect(headers.get("location")).toBeNull();
  expect(headers.get("set-cookie")).toBeNull();
  expect(headers.get("www-authenticate")).toBe(status === 401 ? 'Basic realm="assent", charset="UTF-8"' : null);
}

/**
 * Starts a clock of this process's processor time in milliseconds, including the server's part. Other work on the
 * machine doesn't change it.
 */
export function cpuClock(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

/** Values that no line of the log may contain. */
export function expectUnlogged(server: Pick<TestServer, "log">, ...secrets: readonly string[]): void {
  for (const secret of secrets) {
    expect(secret.length, "a secret worth looking for").toBeGreaterThan(7);
    expect(server.log.find((line) => line.includes(secret))).toBeUndefined();
  }
}

/** Number of times that an event, or a refusal by a condition, was logged. */
export function logged(server: Pick<TestServer, "log">, name: string): number {
  return server.log.filter((line) => {
    const { event, condition } = JSON.parse(line) as { event?: string; condition?: string };
    return event === name || (event === "refused" && condition === name);
  }).length;
}

/**
 * Sends raw bytes, and returns what the server answers until it closes the connection. If `wait` milliseconds pass
 * after the last piece of an answer, `closed` is false. The first piece may take longer.
 */
export function exchangeBytes(
  port: number,
  bytes: string | Uint8Array,
  wait = 2000,
  first = 10_000,
): Promise<{ text: string; closed: boolean }> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let text = "";
    const end = (closed: boolean) => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ text, closed });
    };
    let timer = setTimeout(() => end(false), first);
    socket.on("data", (chunk) => {
      text += chunk.toString("latin1");
      clearTimeout(timer);
      timer = setTimeout(() => end(false), wait);
    });
    socket.on("error", () => end(true));
    socket.on("close", () => end(true));
    socket.write(bytes);
  });
}
