/** Access tokens with the settings of each API: algorithm, format, lifetime (RFC 9068, RFC 7518, RFC 7662). */

import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createResourceServer } from "../../packages/resource-server/src/index.ts";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { updateResource } from "../../packages/server/src/admin/scopes-and-resources.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import {
  ensureKeys,
  KEEP_AFTER,
  PUBLISH_BEFORE_USE,
  ROTATE_AFTER,
} from "../../packages/server/src/crypto/signing-keys.ts";
import type { Resource, SigningAlg } from "../../packages/server/src/oauth/model.ts";
import { anOwner, type Owner, restarted, tokensOf } from "../support/back-channel.ts";
import { postForm, refresh, type TokenAnswer } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const secret = Buffer.alloc(32, 7);
const ALGS: readonly SigningAlg[] = ["ES256", "ES384", "EdDSA", "PS256", "RS256"];
type Api = { readonly clientId: string; readonly secret: string };

let server: TestServer;
let client: TestClient;
let owner: Owner;
const apis = new Map<string, Api>();

/** An API and its one scope, which have the same name. */
async function addApi(name: string, resource: Partial<Resource>): Promise<void> {
  const { id, secret: its } = await server.addResource({ identifier: `https://${name}.test`, ...resource });
  apis.set(name, { clientId: id, secret: its });
  await server.addScope({ name, description: name, resource: `https://${name}.test` });
}

beforeAll(async () => {
  server = await startServer({ config: { secret: [secret] } });
  await Promise.all([
    ...ALGS.map((alg) => addApi(alg, { alg })),
    addApi("sealed", { tokenFormat: "opaque", alg: "RS256" }),
    addApi("brief", { tokenFormat: "opaque", tokenLifetime: 60 }),
    addApi("bound", { tokenFormat: "opaque", grantBound: true }),
  ]);
  client = await server.addClient({ scopes: [...apis.keys(), "profile"] });
  owner = await anOwner(server);
});
afterAll(() => server.stop());

const tokenFor = async (scope: string) => (await tokensOf(server, client, owner, { ask: { scope } })).access;
const jwks = async () => (await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet;
const introspect = (token: string, by: Api | undefined, at = server): Promise<TokenAnswer> =>
  postForm(at, "/introspect", by ?? null, { token });

describe("JWTs", () => {
  test.each(ALGS)("an API with %s → jose verifies its tokens with the published key of that alg", async (alg) => {
    const token = await tokenFor(alg);
    const { kid, ...header } = decodeProtectedHeader(token);
    expect(header).toEqual({ alg, typ: "at+jwt" });
    const options = { issuer: server.issuer, audience: `https://${alg}.test`, algorithms: [alg], typ: "at+jwt" };
    const { payload } = await jwtVerify(token, createLocalJWKSet(await jwks()), options);
    expect(payload).toMatchObject({ scope: alg, sub: owner.person.personId, client_id: client.clientId });
    expect((await jwks()).keys.filter((key) => key.kid === kid)).toHaveLength(1);
    expect((await introspect(token, apis.get(alg))).body).toMatchObject({ active: true, scope: alg });
  });

  test.each(ALGS)("an API with %s → our SDK takes its tokens, and no opaque one", async (alg) => {
    const { issuer } = server;
    const audience = `https://${alg}.test`;
    const api = createResourceServer({ issuer, audience, ...(alg === "ES384" ? { algorithms: ["ES384"] } : {}) });
    const call = (token: string) =>
      api.protect(new Request(audience, { headers: { authorization: `Bearer ${token}` } }));
    expect(await call(await tokenFor(alg))).toMatchObject({ scope: alg, client_id: client.clientId });
    await expect(call(await tokenFor("sealed"))).rejects.toMatchObject({ status: 401 });
  });

  test("the key set → public members only, one key for each alg in use, RSA of 3,072 bits", async () => {
    const { keys } = await jwks();
    expect(keys.map(({ alg }) => alg).toSorted()).toEqual([...ALGS].toSorted());
    for (const key of keys) {
      expect(Object.keys(key)).not.toEqual(expect.arrayContaining(["d"]));
      expect(key.use).toBe("sig");
      if (key.kty === "RSA") {
        expect(Buffer.from(key.n ?? "", "base64url")).toHaveLength(384);
        expect(Object.keys(key).toSorted()).toEqual(["alg", "e", "kid", "kty", "n", "use"]);
      }
    }
  });

  test("any part changed, the alg of another key, none → inactive", async () => {
    const ours = await tokenFor("RS256");
    const [header = "", payload = "", signature = ""] = ours.split(".");
    const other = (await tokenFor("PS256")).split(".")[0] ?? "";
    const none = Buffer.from(JSON.stringify({ alg: "none", typ: "at+jwt" })).toString("base64url");
    const forged = [
      `${other}.${payload}.${signature}`,
      `${none}.${payload}.`,
      `${header}.${payload}.`,
      `${header}.${payload}x.${signature}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      `${ours}.${signature}`,
    ];
    for (const token of forged) expect((await introspect(token, apis.get("RS256"))).body).toEqual({ active: false });
  });

  test("scopes of the server itself → ES256", async () => {
    expect(decodeProtectedHeader(await tokenFor("profile")).alg).toBe("ES256");
  });

  test("thirty days on → each alg has its next key, published a day before it signs; the old ones verify on", async () => {
    const later = await restarted(server, [secret]);
    const { access: old } = await tokensOf(later, client, await anOwner(later), { ask: { scope: "EdDSA" } });
    const kids = async () =>
      ((await (await fetch(`${later.issuer}/jwks`)).json()) as JSONWebKeySet).keys
        .filter(({ alg }) => alg === "EdDSA")
        .map(({ kid }) => kid);
    const [first] = await kids();
    later.tick(ROTATE_AFTER - PUBLISH_BEFORE_USE);
    await ensureKeys(later.assent.storage, new Secrets([secret]), later.now(), ["ES256", "EdDSA"]);
    await settle();
    expect(await kids()).toHaveLength(2);
    later.tick(PUBLISH_BEFORE_USE);
    const { access } = await tokensOf(later, client, await anOwner(later), { ask: { scope: "EdDSA" } });
    expect(decodeProtectedHeader(old).kid).toBe(first);
    expect(decodeProtectedHeader(access).kid).not.toBe(first);
    later.tick(KEEP_AFTER);
    expect(await kids()).toEqual([decodeProtectedHeader(access).kid]);
    await later.stop();
  });
});

describe("sealed tokens", () => {
  test("→ a typed prefix and nothing to read: no JWT, no name of owner, client or API, under 1 KiB", async () => {
    const token = await tokenFor("sealed");
    expect(token).toMatch(/^at_[A-Za-z0-9_-]{100,1000}$/);
    const bytes = Buffer.from(token.slice(3), "base64url").toString("latin1");
    for (const word of [owner.person.personId, client.clientId, "sealed.test", "scope", server.issuer]) {
      expect(bytes).not.toContain(word);
    }
    expect(await tokenFor("sealed")).not.toBe(token);
  });

  test("its API asks → the claims that a JWT would have; nobody else learns anything", async () => {
    const token = await tokenFor("sealed");
    const { body } = await introspect(token, apis.get("sealed"));
    expect(body).toEqual({
      active: true,
      token_type: "Bearer",
      iss: server.issuer,
      sub: owner.person.personId,
      aud: "https://sealed.test",
      client_id: client.clientId,
      scope: "sealed",
      iat: expect.any(Number),
      exp: expect.any(Number),
      jti: expect.any(String),
      auth_time: expect.any(Number),
      acr: "1fa",
      amr: ["pwd"],
    });
    expect((await introspect(token, client)).body["active"]).toBe(true);
    expect((await introspect(token, apis.get("brief"))).body).toEqual({ active: false });
    expect((await introspect(token, await server.addClient())).body).toEqual({ active: false });
  });

  test("KY-10 any byte changed, cut off, spelled in another way, under another prefix → inactive, before anything is looked up", async () => {
    const token = await tokenFor("bound");
    const bytes = Buffer.from(token.slice(3), "base64url");
    const changed = Array.from({ length: bytes.length }, (_, at) => {
      const copy = Buffer.from(bytes);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return `at_${copy.toString("base64url")}`;
    });
    const others = [
      "at_",
      token.slice(0, -1),
      `${token}=`,
      `${token}A`,
      `rt_${token.slice(3)}`,
      `ac_${token.slice(3)}`,
      token.slice(3),
    ];
    for (const forged of [...changed.filter((_, at) => at % 17 === 0), ...others]) {
      expect((await introspect(forged, apis.get("bound"))).body, forged).toEqual({ active: false });
    }
    expect((await introspect(token, apis.get("bound"))).body["active"]).toBe(true);
  });

  test("its API's lifetime → expires_in, exp, and inactive afterwards", async () => {
    const { access, body } = await tokensOf(server, client, owner, { ask: { scope: "brief" } });
    expect(body.expires_in).toBe(60);
    const { exp, iat } = (await introspect(access, apis.get("brief"))).body as { exp: number; iat: number };
    expect(exp - iat).toBe(60);
    server.tick(61_000);
    expect((await introspect(access, apis.get("brief"))).body).toEqual({ active: false });
  });

  test("a grant-bound API → inactive as soon as the grant has ended; another one → active until it expires", async () => {
    const bound = await tokensOf(server, client, owner, { ask: { scope: "bound" } });
    const free = await tokensOf(server, client, owner, { ask: { scope: "sealed" } });
    expect((await introspect(bound.access, apis.get("bound"))).body["active"]).toBe(true);
    for (const { refresh: token } of [bound, free]) {
      expect((await postForm(server, "/revoke", client, { token })).status).toBe(200);
    }
    expect((await introspect(bound.access, apis.get("bound"))).body).toEqual({ active: false });
    expect((await introspect(free.access, apis.get("sealed"))).body["active"]).toBe(true);
  });

  test("no longer grant-bound → tokens from before end with their grants, also those that had ended; new ones expire", async () => {
    await addApi("once-bound", { tokenFormat: "opaque", grantBound: true });
    const asking = await server.addClient({ scopes: ["once-bound"] });
    const tokens = () => tokensOf(server, asking, owner, { ask: { scope: "once-bound" } });
    const [ended, later] = [await tokens(), await tokens()];
    const isActive = async (token: string) => (await introspect(token, apis.get("once-bound"))).body["active"];
    const revoke = ({ refresh: token }: { readonly refresh: string }) => postForm(server, "/revoke", asking, { token });
    await revoke(ended);
    expect([await isActive(ended.access), await isActive(later.access)]).toEqual([false, true]);
    server.tick(2000);
    const admin = adminOf(server.assent.storage, server.issuer, server.now);
    await updateResource("https://once-bound.test", { grantBound: false }, admin);
    server.tick(2000);
    await settle();
    expect([await isActive(ended.access), await isActive(later.access)]).toEqual([false, true]);
    await revoke(later);
    expect(await isActive(later.access)).toBe(false);
    const unbound = await tokens();
    await revoke(unbound);
    expect(await isActive(unbound.access)).toBe(true);
  });

  test("revoked → unsupported_token_type: it times out; a forged one → 200, as any unknown token", async () => {
    const token = await tokenFor("sealed");
    const answer = await postForm(server, "/revoke", client, { token, token_type_hint: "access_token" });
    expect([answer.status, answer.body.error]).toEqual([400, "unsupported_token_type"]);
    expect((await introspect(token, apis.get("sealed"))).body["active"]).toBe(true);
    expect((await postForm(server, "/revoke", client, { token: `${token}A` })).status).toBe(200);
  });

  test("as a code or a refresh token → refused", async () => {
    const token = await tokenFor("sealed");
    expect((await refresh(server, client, token)).body.error).toBe("invalid_grant");
    const asCode = { grant_type: "authorization_code", code: token, redirect_uri: client.redirectUris[0] };
    expect((await postForm(server, "/token", client, asCode)).body.error).toBe("invalid_grant");
  });

  test("after a restart, and a change of the secret → read on, until the old secret leaves the list", async () => {
    const token = await tokenFor("sealed");
    const again = await restarted(server, [Buffer.alloc(32, 9), secret]);
    expect((await introspect(token, apis.get("sealed"), again)).body["active"]).toBe(true);
    await again.stop();
    const stranger = await startServer({ config: { secret: [Buffer.alloc(32, 9)] } });
    const { id: clientId, secret: its } = await stranger.addResource({ identifier: "https://sealed.test" });
    expect((await introspect(token, { clientId, secret: its }, stranger)).body).toEqual({ active: false });
    await stranger.stop();
  });
});

test("an API begins to use an alg while the server runs → the first tokens wait for one key", async () => {
  const fresh = await startServer();
  await fresh.addResource({ identifier: "https://new.test", alg: "ES384" });
  await fresh.addScope({ name: "new", description: "New", resource: "https://new.test" });
  const its = await fresh.addClient({ grantTypes: ["client_credentials"], ownScopes: ["new"] });
  const ask = () => postForm(fresh, "/token", its, { grant_type: "client_credentials" });
  const answers = await Promise.all(Array.from({ length: 8 }, ask));
  const kids = answers.map(({ body }) => decodeProtectedHeader(body.access_token ?? "").kid);
  expect(new Set(kids).size).toBe(1);
  const keys = await fresh.assent.storage.keys.list();
  expect(keys.filter(({ alg }) => alg === "ES384").map(({ kid }) => kid)).toEqual([kids[0]]);
  expect(decodeJwt(answers[0]?.body.access_token ?? "").aud).toBe("https://new.test");
  await fresh.stop();
});
