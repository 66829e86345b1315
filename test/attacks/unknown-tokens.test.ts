/**
 * Many unknown tokens at /introspect and /revoke from authenticated callers. The caller's own valid tokens still get
 * normal answers.
 */

import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { anOwner, type Owner, tokensOf } from "../support/back-channel.ts";
import { postForm, refresh, type TokenAnswer } from "../support/http-browser.ts";
import { API, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let owner: Owner;
beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"], logLevel: "info" } });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

/** Number of unknown tokens per minute that get a normal answer. */
const LIMIT = 300;
const MINUTE = 60_000;

type Caller = { readonly clientId: string; readonly secret: string };
const api: Caller = { clientId: API.id, secret: API.secret };

/** Tokens in every format that this server issues. None of them was issued. */
const random = (at: number) => {
  const text = randomBytes(89).toString("base64url");
  const [header, claims] = ["eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IngifQ", "eyJzdWIiOiJ4In0"];
  return [`rt_${text}`, text, `${header}.${claims}.${text}`][at % 3] ?? "";
};

async function burst(
  path: "/introspect" | "/revoke",
  caller: Caller,
  times: number,
  { from = "192.0.2.1", token = random }: { from?: string; token?: (at: number) => string } = {},
): Promise<TokenAnswer[]> {
  const answers: TokenAnswer[] = [];
  for (let done = 0; done < times; done += 20) {
    const some = Array.from({ length: Math.min(20, times - done) }, (_, at) =>
      postForm(server, path, caller, { token: token(done + at) }, { "x-forwarded-for": from }),
    );
    answers.push(...(await Promise.all(some)));
  }
  return answers;
}

const statuses = (answers: readonly TokenAnswer[]) => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};
async function counted(figure: string, label: string): Promise<number> {
  const family = (await server.assent.measure()).find(({ name }) => name === figure);
  return family?.samples.find(({ labels }) => Object.values(labels).includes(label))?.value ?? 0;
}
const refusals = () => counted("assent_refusals_total", "unknown_tokens_throttled");
const failures = () => counted("assent_failures_total", "unknown_tokens");

describe("a client", () => {
  test("introspects 700 → 300 inactive, then 429 with Retry-After; its own token stays active; a minute later again", async () => {
    const client = await server.addClient();
    const { refresh: token } = await tokensOf(server, client, owner);
    const before = await refusals();
    const answers = await burst("/introspect", client, 700);
    expect(statuses(answers)).toEqual({ 200: LIMIT, 429: 400 });
    const refused = answers.find(({ status }) => status === 429);
    expect(refused?.body).toMatchObject({ error: "temporarily_unavailable" });
    const wait = Number(refused?.headers.get("retry-after"));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    expect(await refusals()).toBe(before + 400);
    expect((await postForm(server, "/introspect", client, { token })).body).toMatchObject({ active: true });
    server.tick(MINUTE);
    expect(statuses(await burst("/introspect", client, 5))).toEqual({ 200: 5 });
  });

  test("revokes 700 → 300 times 200, then 429; its own token is revoked all the same, once and again", async () => {
    const client = await server.addClient();
    const { refresh: token } = await tokensOf(server, client, owner);
    expect(statuses(await burst("/revoke", client, 700))).toEqual({ 200: LIMIT, 429: 400 });
    expect((await postForm(server, "/revoke", client, { token })).status).toBe(200);
    expect((await refresh(server, client, token)).body.error).toBe("invalid_grant");
    // Simulates a lost answer: the grant has ended, and a repeated request succeeds.
    expect((await postForm(server, "/revoke", client, { token })).status).toBe(200);
  });

  test("revokes another client's tokens → refused, and counted like unknown ones", async () => {
    const [client, other] = [await server.addClient(), await server.addClient()];
    const { refresh: foreign } = await tokensOf(server, other, owner);
    const answers = await burst("/revoke", client, LIMIT + 50, { token: () => foreign });
    expect(statuses(answers)).toEqual({ 400: LIMIT, 429: 50 });
    expect((await refresh(server, other, foreign)).status).toBe(200);
  });

  test("beyond the limit → an access token is still told to be one, and other clients notice nothing", async () => {
    const [client, other] = [await server.addClient(), await server.addClient()];
    const { access } = await tokensOf(server, client, owner);
    await burst("/revoke", client, LIMIT + 1);
    expect((await postForm(server, "/revoke", client, { token: access })).body.error).toBe("unsupported_token_type");
    expect(statuses(await burst("/revoke", other, 5))).toEqual({ 200: 5 });
  });
});

test("a public client, whose name anybody may use: misses from one network refuse nobody in another", async () => {
  const client = await server.addClient({ type: "public" });
  expect(statuses(await burst("/revoke", client, LIMIT + 50))).toEqual({ 200: LIMIT, 429: 50 });
  expect(statuses(await burst("/revoke", client, 5, { from: "198.51.100.2" }))).toEqual({ 200: 5 });
});

describe("an API, to which strangers bring tokens of their making", () => {
  test("introspects 700 → each is inactive, none is refused; a token that is meant for it stays active; operators see them", async () => {
    const client = await server.addClient();
    const { access } = await tokensOf(server, client, owner);
    const before = await failures();
    const answers = await burst("/introspect", api, 700);
    expect(statuses(answers)).toEqual({ 200: 700 });
    expect(new Set(answers.map(({ body }) => JSON.stringify(body)))).toEqual(new Set(['{"active":false}']));
    expect((await postForm(server, "/introspect", api, { token: access })).body).toMatchObject({ active: true });
    expect(await failures()).toBe(before + 700 - LIMIT);
    const lines = server.log.filter((line) => line.includes('"event":"unknown_tokens"') && line.includes(API.id));
    expect(lines).toHaveLength(5);
  });
});
