/**
 * Clients that authenticate with the token of their platform (workload_jwt): tokens of Kubernetes, GitHub Actions and SPIFFE
 * as they are, and every token that another workload or service could present. Keys come from a site on this machine.
 */

import { randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WorkloadIdentity } from "../../packages/server/src/oauth/model.ts";
import { trust } from "../support/assertion-requests.ts";
import { changeClient, expectRefusal, expectUnlogged, logged } from "../support/back-channel.ts";
import { postForm } from "../support/http-browser.ts";
import {
  aKeyPair,
  aKeySite,
  claimsOf,
  JWT_BEARER,
  jwksOf,
  type KeyPair,
  type KeySite,
  sign,
} from "../support/signing-clients.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const SPIFFE = "urn:ietf:params:oauth:client-assertion-type:jwt-spiffe";
const GITHUB = "https://token.actions.githubusercontent.com";
const CLUSTER = "https://kubernetes.default.svc.cluster.local";
const DOMAIN = "spiffe://example.org";

let server: TestServer;
let key: KeyPair;
let site: KeySite;
beforeAll(async () => {
  server = await startServer({ fetchFromLoopback: true });
  key = await aKeyPair("RS256");
  const bundle = { keys: [{ ...key.jwk, use: "jwt-svid" }], spiffe_sequence: 1, spiffe_refresh_hint: 300 };
  site = await aKeySite(JSON.stringify(bundle));
  for (const issuer of [GITHUB, CLUSTER, DOMAIN])
    await trust(server, { issuer, type: "jwt", jwksUri: site.uri, scopes: [] });
});
afterAll(async () => {
  site.stop();
  await server.stop();
});

const REPO = "repo:octo/app:ref:refs/heads/*";
const aWorkload = (workload: Partial<WorkloadIdentity> = {}, client: object = {}): Promise<TestClient> =>
  server.addClient({
    ...{ authMethod: "workload_jwt", grantTypes: ["client_credentials"], ownScopes: ["read"], secrets: [] },
    workload: { issuer: GITHUB, subject: REPO, audience: null, ...workload },
    ...client,
  });

/** The claims of a job of GitHub Actions. */
const job = (changes: object = {}) => {
  const now = Math.floor(server.now() / 1000);
  return {
    ...{ iss: GITHUB, sub: "repo:octo/app:ref:refs/heads/main", aud: server.issuer },
    ...{ jti: randomUUID(), iat: now, nbf: now - 5, exp: now + 300, repository: "octo/app", ...changes },
  };
};

const present = (client: Pick<TestClient, "clientId">, assertion: string, type = JWT_BEARER) =>
  postForm(server, "/token", null, {
    ...{ grant_type: "client_credentials", client_id: client.clientId },
    ...{ client_assertion_type: type, client_assertion: assertion },
  });

describe("the token of a platform, as it is", () => {
  test("a job of GitHub Actions → a token of the client; again until it expires, also 10 times at once; never in the log", async () => {
    const client = await aWorkload();
    const token = await sign(key, job(), { typ: "JWT" });
    const { status, body } = await present(client, token);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body.scope).toBe("read");
    const again = await Promise.all(Array.from({ length: 10 }, () => present(client, token)));
    expect(new Set(again.map((one) => one.status))).toEqual(new Set([200]));
    expectUnlogged(server, token);
    server.tick(301_000);
    expectRefusal(await present(client, token), "invalid_client");
  });

  test("a Kubernetes service account, with the cluster's own audience, valid for 3,607 seconds → a token", async () => {
    const sub = "system:serviceaccount:payroll:importer";
    const client = await aWorkload({ issuer: CLUSTER, subject: sub, audience: "assent" });
    const now = Math.floor(server.now() / 1000);
    const claims = { iss: CLUSTER, sub, aud: ["assent"], iat: now, nbf: now, exp: now + 3607 };
    expect(
      (await present(client, await sign(key, { ...claims, "kubernetes.io": { namespace: "payroll" } }))).status,
    ).toBe(200);
    expectRefusal(await present(client, await sign(key, { ...claims, aud: [server.issuer] })), "invalid_client");
  });

  test("a JWT-SVID without iss and jti, by either type of assertion → a token; of another trust domain → invalid_client", async () => {
    const client = await aWorkload({ issuer: DOMAIN, subject: `${DOMAIN}/ns/*/sa/importer` });
    const now = Math.floor(server.now() / 1000);
    const svid = (sub: string) => sign(key, { sub, aud: [server.issuer], exp: now + 300 }, { typ: "JOSE" });
    for (const type of [SPIFFE, JWT_BEARER])
      expect((await present(client, await svid(`${DOMAIN}/ns/payroll/sa/importer`), type)).status).toBe(200);
    for (const sub of [
      `${DOMAIN}.evil/ns/payroll/sa/importer`,
      `${DOMAIN}/ns/a/b/sa/importer`,
      `${DOMAIN}/ns//sa/importer`,
    ])
      expectRefusal(await present(client, await svid(sub), SPIFFE), "invalid_client");
  });

  test("the keys are fetched once; a token that another key signed → invalid_client", async () => {
    const client = await aWorkload();
    const asked = site.asked();
    for (let at = 0; at < 3; at += 1) await present(client, await sign(key, job()));
    expect(site.asked() - asked).toBeLessThanOrEqual(1);
    const other = { ...(await aKeyPair("RS256")), jwk: key.jwk };
    expectRefusal(await present(client, await sign(other, job())), "invalid_client");
    expect(logged(server, "client_assertion_signature_wrong")).toBe(1);
  });
});

describe("a token that is not meant for this client", () => {
  test.each<[string, object]>([
    ["another audience", { aud: "https://other.test" }],
    ["the token endpoint as audience", { aud: "/token" }],
    ["two audiences", { aud: ["", "https://other.test"] }],
    ["no audience", { aud: undefined }],
    ["another issuer", { iss: CLUSTER }],
    ["an issuer that nobody trusts", { iss: "https://evil.test" }],
    ["no issuer", { iss: undefined }],
    ["an issuer in a list", { iss: [GITHUB] }],
    ["another repository", { sub: "repo:octo/other:ref:refs/heads/main" }],
    ["another owner with the same beginning", { sub: "repo:octo/app-evil:ref:refs/heads/main" }],
    ["a pull request", { sub: "repo:octo/app:pull_request" }],
    ["a branch with another part", { sub: "repo:octo/app:ref:refs/heads/a/b" }],
    ["more behind it", { sub: "repo:octo/app:ref:refs/heads/main:environment:prod" }],
    ["an empty branch", { sub: "repo:octo/app:ref:refs/heads/" }],
    ["other letters", { sub: "Repo:octo/app:ref:refs/heads/main" }],
    ["no subject", { sub: undefined }],
    ["a subject that is no text", { sub: ["repo:octo/app:ref:refs/heads/main"] }],
    ["a subject of 20,000 parts", { sub: `repo:${"a:".repeat(2000)}` }],
    ["no end", { exp: undefined }],
    ["over", { exp: -1 }],
    ["not valid yet", { nbf: 120 }],
    ["issued in the future", { iat: 120 }],
    ["valid for two hours", { exp: 7200 }],
    ["a year long, in its last hour", { iat: -31_536_000 }],
    ["an end that is no time", { exp: "soon" }],
  ])("%s → invalid_client", async (_, changes) => {
    const now = Math.floor(server.now() / 1000);
    const shifted = Object.entries(changes).map(([name, value]) => {
      if (typeof value === "number") return [name, now + value];
      if (value === "/token") return [name, `${server.issuer}/token`];
      return [name, Array.isArray(value) ? value.map((one) => (one === "" ? server.issuer : one)) : value];
    });
    const claims = Object.fromEntries(
      Object.entries({ ...job(), ...Object.fromEntries(shifted) }).filter(([, v]) => v !== undefined),
    );
    const client = await aWorkload();
    expectRefusal(await present(client, await sign(key, claims)), "invalid_client");
    expect((await present(client, await sign(key, job()))).status).toBe(200);
  });

  test.each([
    ["iss", "https://evil.test"],
    ["sub", "repo:octo/other:ref:refs/heads/main"],
    ["aud", "https://other.test"],
  ])("another %s → the operator reads what the token has", async (name, value) => {
    const { headers } = await present(await aWorkload(), await sign(key, job({ [name]: value })));
    const requestId = headers.get("x-request-id") ?? "";
    const stored = () => server.assent.storage.refusals.get({ requestId });
    await expect.poll(async () => (await stored())?.detail).toBe(`${name}: ${JSON.stringify(value)}`);
  });

  test.each(["at+jwt", "logout+jwt", "client-authentication+jwt", "dpop+jwt"])(
    "of the type %s → invalid_client",
    async (typ) => {
      expectRefusal(await present(await aWorkload(), await sign(key, job(), { typ })), "invalid_client");
    },
  );

  test("alg none, HS256 with the public key → invalid_client", async () => {
    const client = await aWorkload();
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
    expectRefusal(await present(client, `${part({ alg: "none" })}.${part(job())}.`), "invalid_client");
    const secret = new TextEncoder().encode(JSON.stringify(key.jwk));
    const hs256 = await new SignJWT(job()).setProtectedHeader({ alg: "HS256", kid: key.jwk.kid ?? "" }).sign(secret);
    expectRefusal(await present(client, hs256), "invalid_client");
  });
});

describe("the client and its methods", () => {
  test("unknown, disabled, without client_id, without a workload → invalid_client", async () => {
    const token = await sign(key, job());
    expectRefusal(await present({ clientId: "nobody" }, token), "invalid_client");
    const client = await aWorkload();
    const fields = { grant_type: "client_credentials", client_assertion: token };
    for (const client_assertion_type of [JWT_BEARER, SPIFFE])
      expectRefusal(await postForm(server, "/token", null, { ...fields, client_assertion_type }), "invalid_client");
    await changeClient(server, client, { status: "disabled" });
    expectRefusal(await present(client, token), "invalid_client");
    expectRefusal(await present(await aWorkload({}, { workload: null }), token), "invalid_client");
  });

  test("private_key_jwt does not take a platform's token, and workload_jwt no assertion that the client signed itself", async () => {
    const own = await server.addClient({
      ...{ authMethod: "private_key_jwt", grantTypes: ["client_credentials"], ownScopes: ["read"], secrets: [] },
      ...{ jwks: jwksOf(key), workload: { issuer: GITHUB, subject: REPO, audience: null } },
    });
    expectRefusal(await present(own, await sign(key, job())), "invalid_client");
    const client = await aWorkload({}, { jwks: jwksOf(key) });
    expectRefusal(await present(client, await sign(key, claimsOf(server, client))), "invalid_client");
    const basic = await server.addClient({ grantTypes: ["client_credentials"], ownScopes: ["read"] });
    expectRefusal(await present(basic, await sign(key, job())), "invalid_client");
  });

  test("the issuer is disabled, or deleted → invalid_client from then on", async () => {
    const issuer = "https://ci.test";
    await trust(server, { issuer, type: "jwt", jwks: jwksOf(key), scopes: [] });
    const client = await aWorkload({ issuer, subject: "job" });
    const token = await sign(key, job({ iss: issuer, sub: "job" }));
    expect((await present(client, token)).status).toBe(200);
    await trust(server, { issuer, type: "jwt", jwks: jwksOf(key), scopes: [], status: "disabled" });
    expectRefusal(await present(client, token), "invalid_client");
  });

  test("introspection and revocation take it, too", async () => {
    const client = await aWorkload();
    const fields = {
      client_id: client.clientId,
      client_assertion_type: JWT_BEARER,
      client_assertion: await sign(key, job()),
    };
    const { body } = await present(client, fields.client_assertion);
    const told = await postForm(server, "/introspect", null, { ...fields, token: body.access_token });
    expect(told.body["active"]).toBe(true);
    expect((await postForm(server, "/revoke", null, { ...fields, token: "rt_x" })).status).toBe(200);
  });
});
