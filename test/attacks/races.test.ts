/**
 * Many simultaneous requests with one code or one refresh token, in one process (RFC 6749 §§4.1.2, 10.4, 10.5; RFC 9700
 * §§4.5, 4.14).
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { anOwner, expectRefusal, type Owner, provenCode, tokensOf } from "../support/back-channel.ts";
import { postForm, redeem, refresh, type TokenAnswer } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const PARALLEL = 50;
const ROUNDS = 20;

let server: TestServer;
let client: TestClient;
let pub: TestClient;
let owner: Owner;
let bound: { id: string; secret: string };

beforeAll(async () => {
  // Without a log, because at `trace` every one of the many requests would be written.
  server = await startServer({ config: { logLevel: "silent" } });
  bound = await server.addResource({ identifier: "https://bound.test", grantBound: true });
  await server.addScope({ name: "bound:read", description: "Read", resource: "https://bound.test" });
  client = await server.addClient({ refresh: "rotate", scopes: ["bound:read"] });
  pub = await server.addClient({ type: "public" });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

const many = (request: () => Promise<TokenAnswer>, count = PARALLEL) =>
  Promise.all(Array.from({ length: count }, request));

test(`AC-03 AC-04 one code, ${PARALLEL} at once, ${ROUNDS} rounds → one 200 each; then nothing that came of it lives`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const proven = await provenCode(server, client, owner, { ask: { scope: "bound:read" } });
    const answers = await many(() => redeem(server, client, proven.code, proven));
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    expect(others).toEqual([]);
    for (const loser of answers) if (loser !== winner) expectRefusal(loser, "invalid_grant");
    expectRefusal(await refresh(server, client, winner?.body.refresh_token), "invalid_grant");
    const api = { clientId: bound.id, secret: bound.secret };
    const seen = await postForm(server, "/introspect", api, { token: winner?.body.access_token });
    expect(seen.body).toEqual({ active: false });
  }
});

test("AC-03 one code, the right client and 49 others at once → the right one's tokens, which live", async () => {
  const thief = await server.addClient();
  for (let round = 0; round < 5; round += 1) {
    const proven = await provenCode(server, pub, owner);
    const [mine, ...thieves] = await Promise.all([
      redeem(server, pub, proven.code, proven),
      ...Array.from({ length: 49 }, () => redeem(server, thief, proven.code, proven)),
    ]);
    for (const answer of thieves) expectRefusal(answer, "invalid_grant");
    expect((await refresh(server, pub, mine?.body.refresh_token)).status).toBe(200);
  }
});

test(`RT-05 one refresh token, ${PARALLEL} at once, ${ROUNDS} rounds → one successor at most, and no second line lives`, async () => {
  for (let round = 0; round < ROUNDS; round += 1) {
    const { refresh: token } = await tokensOf(server, pub, owner);
    const answers = await many(() => refresh(server, pub, token));
    const good = answers.filter(({ status }) => status === 200);
    // One rotation and its three retries. The next use counts as theft.
    expect(good).toHaveLength(4);
    expect(new Set(good.map(({ body }) => body.refresh_token)).size).toBe(1);
    for (const answer of answers) if (answer.status !== 200) expectRefusal(answer, "invalid_grant");
    expectRefusal(await refresh(server, pub, good[0]?.body.refresh_token), "invalid_grant");
    expectRefusal(await refresh(server, pub, token), "invalid_grant");
  }
});

test("RT-05 four at once, as tabs do → the same successor for all, and it works", async () => {
  for (let round = 0; round < 10; round += 1) {
    const { refresh: token } = await tokensOf(server, pub, owner);
    const answers = await many(() => refresh(server, pub, token), 4);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const [successor, ...others] = new Set(answers.map(({ body }) => body.refresh_token));
    expect(others).toEqual([]);
    expect((await refresh(server, pub, successor)).status).toBe(200);
  }
});

test(`a kept refresh token, ${PARALLEL} at once → all good, all the same`, async () => {
  const keeping = await server.addClient();
  const { refresh: token } = await tokensOf(server, keeping, owner);
  const answers = await many(() => refresh(server, keeping, token));
  expect(new Set(answers.map(({ status, body }) => `${status} ${body.refresh_token}`))).toEqual(
    new Set([`200 ${token}`]),
  );
  expect(new Set(answers.map(({ body }) => body.access_token)).size).toBe(PARALLEL);
});

test("RT-23 revoked by the client or the owner while it is refreshed, 500 rounds → nothing lives after both", async () => {
  const keeping = await server.addClient();
  // The owner answers each client once, alone. Otherwise the answer on one page makes the server show the other pages again.
  for (const mine of [pub, keeping]) await tokensOf(server, mine, owner);
  const one = async (mine: TestClient, round: number) => {
    const { refresh: token } = await tokensOf(server, mine, owner);
    const revoke = () => postForm(server, "/revoke", mine, { token });
    const [refreshed, revoked] =
      round % 2 === 0
        ? await Promise.all([refresh(server, mine, token), revoke()])
        : await Promise.all([revoke(), refresh(server, mine, token)]).then(([a, b]) => [b, a] as const);
    expect(revoked.status).toBe(200);
    for (const left of [token, refreshed.body.refresh_token])
      if (left !== undefined) expectRefusal(await refresh(server, mine, left), "invalid_grant");
  };
  // 4 at a time, because their pages wait for one owner's lock: on a slow machine, more of them would wait longer than the
  // second after which the server answers 503.
  for (let round = 0; round < 125; round += 1) {
    await Promise.all(Array.from({ length: 4 }, (_, at) => one(at % 2 === 0 ? pub : keeping, round + at)));
  }
});
