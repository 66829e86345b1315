/**
 * Another process locks the database while codes and tokens are presented: the server must not confirm anything that
 * isn't committed (RFC 6749 §5.1; RFC 7009 §2.2.1).
 */

import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anOwner, expectRefusal, type Owner, provenCode, tokensOf } from "../support/back-channel.ts";
import { postForm, redeem, refresh } from "../support/http-browser.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
let owner: Owner;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ refresh: "rotate" });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

test("AC-15 RI-08 the database is locked → 503 with Retry-After and no token; after that, each credential works once", async () => {
  const proven = await provenCode(server, client, owner);
  const one = await tokensOf(server, client, owner);
  const two = await tokensOf(server, client, owner);
  // The server may still write for a moment after it answered, so this waits for the lock.
  const other = new DatabaseSync(join(server.dataDir, "assent.db"), { timeout: 5_000 });
  other.exec("BEGIN IMMEDIATE");
  try {
    const answers = await Promise.all([
      redeem(server, client, proven.code, proven),
      refresh(server, client, one.refresh),
      postForm(server, "/revoke", client, { token: two.refresh }),
    ]);
    for (const answer of answers) {
      expectRefusal(answer, "temporarily_unavailable", 503);
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0);
    }
    // Requests that only read still work.
    expect((await fetch(`${server.issuer}/jwks`)).status).toBe(200);
    expect((await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).status).toBe(200);
    const seen = await postForm(server, "/introspect", { clientId: API.id, secret: API.secret }, { token: one.access });
    expect(seen.body["active"]).toBe(true);
  } finally {
    other.exec("ROLLBACK");
    other.close();
  }
  expect((await redeem(server, client, proven.code, proven)).status).toBe(200);
  expect((await refresh(server, client, one.refresh)).status).toBe(200);
  expect((await refresh(server, client, two.refresh)).status).toBe(200);
  expect((await postForm(server, "/revoke", client, { token: two.refresh })).status).toBe(200);
  expectRefusal(await refresh(server, client, two.refresh), "invalid_grant");
});
