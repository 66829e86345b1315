/**
 * The resource owner password grant over real HTTP (RFC 6749 §4.3). It shares the counters of the sign-in page, takes
 * the same time, and tells as little.
 */

import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decodeJwt } from "jose";
import { allowInsecureRequests, ClientSecretBasic, genericTokenEndpointRequest } from "oauth4webapi";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { hashPassword } from "../../packages/server/src/crypto/password-hashing.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  postForm,
  refresh,
  type TokenAnswer,
  unnumbered,
} from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { byTheClock } from "../support/timing-test-retries.ts";

let server: TestServer;
let client: TestClient;
let person: Person;
/** Failures are counted by address, so each test has its own. */
let address: string;
let next = 1;

beforeAll(async () => {
  server = await startServer({ config: { trustProxy: ["127.0.0.1"] } });
  client = await server.addClient({ grantTypes: ["password", "refresh_token"], responseTypes: [] });
});
afterAll(() => server.stop());
beforeEach(async () => {
  person = await server.addPerson();
  address = `192.0.2.${next++}`;
});

/** A valid request with changes. Undefined removes a parameter. */
function ask(changes: Record<string, string | undefined> = {}, by = client, at = server): Promise<TokenAnswer> {
  const fields = { grant_type: "password", username: person.username, password: PASSWORD, scope: "read", ...changes };
  return postForm(at, "/token", by, fields, { "x-forwarded-for": address });
}

const refusedAs = async (changes: Record<string, string | undefined>, by = client) => {
  const { status, body } = await ask(changes, by);
  return [status, body.error];
};

/** The parts of an answer that a caller can compare, except its duration. */
const visible = ({ status, headers, body }: TokenAnswer) => ({
  status,
  body: JSON.parse(unnumbered(JSON.stringify(body))) as TokenAnswer["body"],
  headers: [...headers.keys()].filter((name) => name !== "date"),
});

describe("refused before the password is looked at", () => {
  test("a client that isn't registered for it, wrongly authenticated, unknown → its own errors", async () => {
    const other = await server.addClient();
    expect(await refusedAs({}, other)).toEqual([400, "unauthorized_client"]);
    expect(await refusedAs({}, { ...client, secret: "wrong" })).toEqual([401, "invalid_client"]);
    expect(await refusedAs({}, { ...client, clientId: "nobody" })).toEqual([401, "invalid_client"]);
  });

  test.each<[string, Record<string, string | undefined>, string]>([
    ["no username", { username: undefined }, "invalid_request"],
    ["an empty username", { username: "" }, "invalid_request"],
    ["no password", { password: undefined }, "invalid_request"],
    ["no scope", { scope: undefined }, "invalid_scope"],
    ["a scope that isn't there", { scope: "nothing" }, "invalid_scope"],
    ["scopes of several APIs, none of them named", { scope: "read profile" }, "invalid_target"],
    ["an unknown resource", { resource: "https://other.test" }, "invalid_target"],
    [
      "a resource to which a scope doesn't belong",
      { scope: "profile", resource: "https://api.test" },
      "invalid_target",
    ],
  ])("%s → %o %s, and no attempt is counted", async (_, changes, error) => {
    for (let times = 0; times < 12; times += 1) expect(await refusedAs(changes)).toEqual([400, error]);
    expect((await ask()).status).toBe(200);
  });

  test("a password of more than 1,024 bytes, a name longer than any → as a wrong one, at once", async () => {
    const wrong = visible(await ask({ password: "wrong" }));
    expect(visible(await ask({ password: "é".repeat(513) }))).toEqual(wrong);
    expect(visible(await ask({ username: "a".repeat(255) }))).toEqual(wrong);
  });
});

describe("one answer for all that is wrong", () => {
  test("unknown, wrong, disabled, without a password, must change it, consent taken back → the same words", async () => {
    const wrong = await ask({ password: "wrong" });
    expect([wrong.status, wrong.body.error]).toEqual([400, "invalid_grant"]);
    expect(wrong.body["error_uri"]).toMatch(`${server.issuer}/errors/owner_password_refused?id=`);
    const [disabled, bare, stale] = await Promise.all([
      server.addPerson({ status: "disabled" }),
      server.addPerson({ passwordHash: null }),
      server.addPerson({ mustChangePassword: true }),
    ]);
    const names = ["nobody-at-all", disabled.username, bare.username, stale.username];
    for (const username of names)
      expect([username, visible(await ask({ username }))]).toEqual([username, visible(wrong)]);
    expect((await ask()).status).toBe(200);
    await revokeConsent();
    expect(visible(await ask())).toEqual(visible(wrong));
  });

  test("the log → why, and neither password nor name of somebody unknown", async () => {
    const mark = server.log.length;
    await ask({ username: "nobody-at-all", password: "a very wrong secret" });
    const lines = server.log.slice(mark).join("");
    expect(lines).toContain('"owner_password_wrong"');
    expect(lines).toContain('"unknown"');
    expect(lines).not.toMatch(/a very wrong secret|nobody-at-all/);
  });

  test("an unknown name → takes as long as a wrong password", byTheClock, async () => {
    const time = async (username: string) => {
      const from = performance.now();
      await ask({ username, password: "wrong" });
      return performance.now() - from;
    };
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round < 4; round += 1) {
      address = `198.51.100.${round}`;
      times[0].push(await time(person.username));
      times[1].push(await time(`nobody-${round}`));
    }
    const [known, unknown] = times.map((all) => Math.min(...all));
    expect((unknown ?? 0) / (known ?? 1)).toBeGreaterThan(0.3);
    expect((unknown ?? 0) / (known ?? 1)).toBeLessThan(3);
  });
});

describe("a password that is changed while the one before is looked at", () => {
  test("→ no grant of it lives on, whichever was first", async () => {
    const other = await startServer({ config: { passwordRefresh: true, trustProxy: ["127.0.0.1"] } });
    const app = await other.addClient({ grantTypes: ["password", "refresh_token"] });
    const passwordHash = await hashPassword("nine purple teapots");
    for (let after = 0; after < 72; after += 6) {
      const { partition, personId, username } = await other.addPerson();
      const change = async () => {
        await sleep(after);
        const ends = { mustChange: false, endGrants: true, keepSessionId: null };
        await other.assent.storage.people.setPassword({ partition, personId, passwordHash, ...ends, now: other.now() });
      };
      const [{ body }] = await Promise.all([ask({ username }, app, other), change()]);
      const error = body.error ?? (await refresh(other, app, body.refresh_token)).body.error;
      expect(error, `${after} ms`).toBe("invalid_grant");
    }
    await other.stop();
  });
});

describe("throttled", () => {
  test("ten wrong ones from one network → 429 with the time to wait, for the right one as well, then served again", async () => {
    for (let tries = 0; tries < 10; tries += 1) expect((await ask({ password: "wrong" })).status).toBe(400);
    const { status, headers, body } = await ask();
    expect([status, body.error]).toEqual([429, "temporarily_unavailable"]);
    const wait = Number(headers.get("retry-after"));
    expect(wait).toBeGreaterThan(60);
    expect(wait).toBeLessThanOrEqual(900);
    server.tick(wait * 1000);
    expect((await ask()).status).toBe(200);
  });

  test("an unknown name → throttled in the same way", async () => {
    const username = "nobody-ever";
    for (let tries = 0; tries < 10; tries += 1) expect((await ask({ username })).status).toBe(400);
    expect((await ask({ username })).status).toBe(429);
  });
});

describe("granted", () => {
  test("→ a token of the owner, signed in by password; no refresh token unless the operator allows it", async () => {
    const { status, headers, body } = await ask();
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toEqual({ access_token: expect.any(String), token_type: "Bearer", expires_in: 600, scope: "read" });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(decodeJwt(body.access_token ?? "")).toMatchObject({
      ...{ iss: server.issuer, aud: "https://api.test", sub: person.personId },
      ...{ client_id: client.clientId, scope: "read", amr: ["pwd"], auth_time: expect.any(Number) },
    });
  });

  test("by e-mail, the scopes of one API of several, the resource named twice → granted", async () => {
    expect((await ask({ username: person.email })).status).toBe(200);
    const { body } = await ask({ scope: "read write", resource: "https://api.test" });
    expect(body.scope).toBe("read write");
    const twice = new URLSearchParams({ grant_type: "password", username: person.username, password: PASSWORD });
    twice.append("scope", "read");
    for (const one of ["https://api.test", "https://api.test"]) twice.append("resource", one);
    const authorization = `Basic ${Buffer.from(`${client.clientId}:${client.secret}`).toString("base64")}`;
    const response = await fetch(`${server.issuer}/token`, { method: "POST", body: twice, headers: { authorization } });
    expect(response.status).toBe(200);
  });

  test("a scope that only operators may grant → left out, alone → invalid_scope", async () => {
    await server.addScope({
      name: "admin:things",
      description: "Administer",
      resource: "https://api.test",
      ownerRole: "operator",
    });
    const other = await server.addClient({ grantTypes: ["password"], scopes: ["read", "admin:things"] });
    expect((await ask({ scope: "read admin:things" }, other)).body.scope).toBe("read");
    expect(await refusedAs({ scope: "admin:things" }, other)).toEqual([400, "invalid_scope"]);
  });

  test("→ the owner sees a consent by password until they take it back; then only a page gives it again", async () => {
    const both = await server.addClient({ grantTypes: ["password", "authorization_code"] });
    expect((await ask({}, both)).status).toBe(200);
    const consents = await server.assent.storage.consents.list({ ...owner(), now: server.now() });
    expect(consents.map(({ consent, grants }) => [consent.via, consent.expiresAt, grants.length])).toEqual([
      ["password", null, 1],
    ]);
    await revokeConsent(both);
    expect(await refusedAs({}, both)).toEqual([400, "invalid_grant"]);
    await authorize(new Agent(server.issuer), authorizeUrl(server, both), person.username);
    expect((await ask({}, both)).status).toBe(200);
  });

  test("a client library → reads the answer", async () => {
    const as = { issuer: server.issuer, token_endpoint: `${server.issuer}/token` };
    const parameters = { username: person.username, password: PASSWORD, scope: "read" };
    const options = { [allowInsecureRequests]: true, headers: { "x-forwarded-for": address } };
    const { clientId: client_id, secret } = client;
    const auth = ClientSecretBasic(secret);
    const response = await genericTokenEndpointRequest(as, { client_id }, auth, "password", parameters, options);
    expect(response.status).toBe(200);
  });

  test("examples/password.ts, the password by standard input → the answer; a wrong one → the error, exit code 1", async () => {
    const { clientId, secret } = client;
    const ids = { ISSUER: server.issuer, CLIENT_ID: clientId, CLIENT_SECRET: secret };
    const run = (password: string) =>
      new Promise<{ code: unknown; out: string }>((resolve) => {
        const env = { ...process.env, ...ids, OWNER: person.username, SCOPE: "read" };
        const example = join(import.meta.dirname, "../../examples/password.ts");
        const child = execFile(process.execPath, [example], { env }, (error, out) =>
          resolve({ code: error?.code ?? 0, out }),
        );
        child.stdin?.end(`${password}\n`);
      });
    expect(await run(PASSWORD)).toEqual({ code: 0, out: expect.stringMatching(/^200 \{[\s\S]*scope: 'read'/) });
    expect(await run("wrong")).toEqual({ code: 1, out: expect.stringMatching(/^400 \{[\s\S]*'invalid_grant'/) });
  });

  test("the operator allows refresh tokens → for clients that are registered for them, and they end with the consent", async () => {
    const other = await startServer({ config: { passwordRefresh: true } });
    person = await other.addPerson();
    const with_ = await other.addClient({ grantTypes: ["password", "refresh_token"] });
    const without = await other.addClient({ grantTypes: ["password"] });
    const { body } = await ask({}, with_, other);
    expect((await ask({}, without, other)).body.refresh_token).toBeUndefined();
    const refreshed = await refresh(other, with_, body.refresh_token);
    expect([refreshed.status, refreshed.body.refresh_token]).toEqual([200, body.refresh_token]);
    const ids = { ...owner(), clientId: with_.clientId };
    await other.assent.storage.consents.revoke({ ...ids, revokedBy: person.personId, now: other.now() });
    expect((await refresh(other, with_, body.refresh_token)).body.error).toBe("invalid_grant");
    await other.stop();
  });

  test("a password with any characters → taken as it is, composed or not", async () => {
    const passwordHash = await hashPassword("pässwörd & = + % 日本 \t end");
    person = await server.addPerson({ passwordHash });
    expect((await ask({ password: "pässwörd & = + % 日本 \t end".normalize("NFD") })).status).toBe(200);
    expect(await refusedAs({ password: "pässwörd & = + % 日本 \t end " })).toEqual([400, "invalid_grant"]);
  });
});

const owner = () => ({ partition: person.partition, ownerId: person.personId });

async function revokeConsent({ clientId } = client): Promise<void> {
  const outcome = await server.assent.storage.consents.revoke({
    ...owner(),
    clientId,
    revokedBy: person.personId,
    now: server.now(),
  });
  expect(outcome.kind).toBe("revoked");
}
