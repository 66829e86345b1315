/** Attacks on the admin API: tokens, authority, concurrent changes, hostile bodies, forged cursors. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_GROUPS, accessesOf, adminScope } from "../../packages/server/src/admin/api-access/admin-scopes.ts";
import { scopeOf } from "../../packages/server/src/http/admin-api/openapi.ts";
import type { Operation } from "../../packages/server/src/http/admin-api/operation.ts";
import { operations } from "../../packages/server/src/http/admin-api/operations/index.ts";
import { type AdminApi, adminApi, adminToken } from "../support/admin-api.ts";
import { Agent, authorize, authorizeUrl, pkce, redeem } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let api: AdminApi;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server);
});
afterAll(() => server.stop());

async function clientToken(client: TestClient, scope?: string): Promise<string> {
  const response = await fetch(`${server.issuer}/token`, {
    method: "POST",
    headers: { authorization: `Basic ${btoa(`${client.clientId}:${client.secret}`)}` },
    body: new URLSearchParams({ grant_type: "client_credentials", ...(scope === undefined ? {} : { scope }) }),
  });
  const body = (await response.json()) as { readonly access_token?: string };
  if (body.access_token === undefined) throw new Error(JSON.stringify(body));
  return body.access_token;
}

/** A token that a person gave an app on the consent page. */
async function personToken(username: string, client: TestClient, scope: string): Promise<string> {
  const { verifier, challenge } = pkce();
  const proof = { scope, code_challenge: challenge, code_challenge_method: "S256" };
  const callback = await authorize(new Agent(server.issuer), authorizeUrl(server, client, proof), username);
  const code = callback.searchParams.get("code") ?? "";
  const { body } = await redeem(server, client, code, { code_verifier: verifier });
  return body.access_token ?? "";
}

const places = operations.map((one): [string, Operation] => [`${one.method} ${one.path}`, one]);
const pathOf = ({ path }: Operation) => path.replaceAll(/\{\w+\}/g, "nothing");
const challengeOf = (headers: Headers) => headers.get("www-authenticate") ?? "";

describe("AD-01, AD-02: every operation, by tokens that are not enough", () => {
  let other: string;
  beforeAll(async () => {
    other = await clientToken(await server.addClient({ ownScopes: ["read"], grantTypes: ["client_credentials"] }));
  });

  test.each(places)("%s without a token, with a wrong one, for another API → 401", async (_, operation) => {
    const path = pathOf(operation);
    const none = await api.call(operation.method, path, { token: null });
    expect([none.status, challengeOf(none.headers)]).toEqual([401, 'Bearer realm="assent admin"']);
    for (const token of [other, `aat_${"x".repeat(43)}`, "x.y.z"]) {
      const refused = await api.call(operation.method, path, { token });
      expect([refused.status, challengeOf(refused.headers)]).toEqual([
        401,
        'Bearer realm="assent admin", error="invalid_token"',
      ]);
    }
  });

  const limited = places.filter(([, { anyToken }]) => !anyToken);
  test.each(limited)("%s with every other scope → 403; with its own → not", async (_, operation) => {
    const { group, access } = operation;
    const others = ADMIN_GROUPS.filter((one) => one !== group).flatMap((one) =>
      accessesOf(one).map((each) => adminScope(one, each)),
    );
    const less = group !== null && access === "write" ? [adminScope(group, "read")] : [];
    const narrower = await adminToken(server, [...others, ...less].join(" "));
    const refused = await api.call(operation.method, pathOf(operation), { token: narrower });
    expect([refused.status, refused.body?.["code"]]).toEqual([403, "admin_scope_missing"]);
    expect(refused.body?.["errors"]).toEqual([
      { field: null, problem: expect.stringMatching(/^needs the scope admin/) },
    ]);
    expect(challengeOf(refused.headers)).toContain(`error="insufficient_scope", scope="${scopeOf(operation)}"`);
    const enough = await adminToken(server, scopeOf(operation));
    expect([401, 403]).not.toContain((await api.call(operation.method, pathOf(operation), { token: enough })).status);
  });

  test("a token in the query, in the body, as Basic, twice; a cookie → refused; no header for other origins", async () => {
    const token = api.token;
    expect((await api.get(`/clients?access_token=${token}`, { token: null })).status).toBe(401);
    const inBody = { raw: `access_token=${token}`, headers: { "content-type": "application/x-www-form-urlencoded" } };
    expect((await api.call("POST", "/clients", { ...inBody, token: null })).status).toBe(401);
    const headers = { authorization: `Basic ${btoa(`x:${token}`)}` };
    expect((await api.get("/clients", { token: null, headers })).status).toBe(401);
    expect((await api.get("/clients", { token: null, headers: { cookie: `session=${token}` } })).status).toBe(401);
    const crossOrigin = await api.get("/clients", { headers: { origin: "https://evil.test" } });
    expect([...crossOrigin.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    for (const method of ["OPTIONS", "PUT", "DELETE", "PROPFIND", "QUERY"]) {
      const { status, headers: answered } = await api.call(method, "/clients");
      expect([method, status, answered.get("allow")]).toEqual([method, 405, "GET, POST, HEAD"]);
    }
    // The path of an action is no id of a record.
    const { status, headers: answered } = await api.call("DELETE", "/sessions/revoke");
    expect([status, answered.get("allow")]).toEqual([405, "POST"]);
  });
});

describe("AD-22: authority that ends, ends at the next request", () => {
  test("a client: own scope, disabled, deleted", async () => {
    const created = await api.post("/clients", {
      ...{ client_name: "Robot", type: "confidential", grant_types: ["client_credentials"] },
      own_scope: "admin:clients:read admin:users:read",
    });
    const clientId = String(created.body?.["client_id"]);
    const token = await clientToken({ clientId, secret: String(created.body?.["client_secret"]) } as TestClient);
    const robot = api.with(token);
    expect((await robot.get("/clients")).status).toBe(200);
    expect((await robot.post("/clients", { client_name: "x", type: "public" })).status).toBe(403);
    await api.patch(`/clients/${clientId}`, { own_scope: "admin:users:read" });
    expect([(await robot.get("/clients")).status, (await robot.get("/users")).status]).toEqual([403, 200]);
    await api.post(`/clients/${clientId}/disable`);
    expect((await robot.get("/users")).status).toBe(401);
  });

  test("a person: no role → can't grant it; role taken → 403; disabled → 401", async () => {
    const scope = "admin:clients:read";
    const client = await server.addClient({ scopes: [scope] });
    const person = await server.addPerson({ username: "otto", operator: ["clients"] });
    const token = await personToken("otto", client, scope);
    const console = api.with(token);
    expect((await console.get("/clients")).status).toBe(200);
    await api.patch(`/users/${person.personId}`, { operator: ["users"] });
    expect((await console.get("/clients")).status).toBe(403);
    await api.patch(`/users/${person.personId}`, { operator: ["read"] });
    expect((await console.get("/clients")).status).toBe(200);
    await api.post(`/users/${person.personId}/disable`);
    expect((await console.get("/clients")).status).toBe(401);
    await server.addPerson({ username: "nobody-special" });
    const denied = await authorize(
      new Agent(server.issuer),
      authorizeUrl(server, client, { scope, code_challenge: pkce().challenge, code_challenge_method: "S256" }),
      "nobody-special",
    ).catch((error: unknown) => String(error));
    expect(String(denied)).not.toContain("code=");
  });

  test("a person's consent: taken back → 401, although the token has not expired", async () => {
    const scope = "admin:clients:read";
    const client = await server.addClient({ scopes: [scope] });
    const person = await server.addPerson({ username: "olga", operator: ["admin"] });
    const console = api.with(await personToken("olga", client, scope));
    expect((await console.get("/clients")).status).toBe(200);
    const taken = await api.post("/consents/revoke", { client_id: client.clientId, user_id: person.personId });
    expect(taken.body).toEqual({ grants_ended: 1 });
    expect((await console.get("/clients")).status).toBe(401);
  });

  test("one scope of a consent is taken back → that scope no longer works, the others do", async () => {
    const client = await server.addClient({ scopes: ["admin:clients:read", "admin:users:read"] });
    const { partition, personId } = await server.addPerson({ username: "orla", operator: ["admin"] });
    const console = api.with(await personToken("orla", client, "admin:clients:read admin:users:read"));
    expect([(await console.get("/clients")).status, (await console.get("/users")).status]).toEqual([200, 200]);
    const consent = { partition, ownerId: personId, clientId: client.clientId };
    const taken = { ...consent, remove: ["admin:users:read"], by: personId, now: server.now() };
    expect((await server.assent.storage.consents.narrow(taken)).kind).toBe("narrowed");
    expect([(await console.get("/clients")).status, (await console.get("/users")).status]).toEqual([200, 403]);
  });

  test("a token whose maker is a person or a client without the scope admin by now → 401", async () => {
    const made = async (token: string) => {
      const { body } = await api.with(token).post("/tokens", { scope: "admin:users:read" });
      return api.with(String(body?.["access_token"]));
    };
    const app = await server.addClient({ scopes: ["admin"] });
    const person = await server.addPerson({ username: "oskar", operator: ["admin"] });
    const ofPerson = await made(await personToken("oskar", app, "admin"));
    const robot = await server.addClient({
      ...{ ownScopes: ["admin"], grantTypes: ["client_credentials"], responseTypes: [], redirectUris: [], scopes: [] },
    });
    const ofClient = await made(await clientToken(robot));
    expect([(await ofPerson.get("/users")).status, (await ofClient.get("/users")).status]).toEqual([200, 200]);
    await api.patch(`/users/${person.personId}`, { operator: ["users"] });
    const lessened = await api.patch(`/clients/${robot.clientId}`, { own_scope: "admin:users:read" });
    expect([lessened.status, lessened.body?.["errors"]]).toEqual([200, undefined]);
    expect([(await ofPerson.get("/users")).status, (await ofClient.get("/users")).status]).toEqual([401, 401]);
  });

  test("a token: revoked, expired, or its maker ended", async () => {
    const made = await api.post("/tokens", { scope: "admin", expires_in: 60 });
    const child = api.with(String(made.body?.["access_token"]));
    const grandchild = api.with(
      String((await child.post("/tokens", { scope: "admin:users:read" })).body?.["access_token"]),
    );
    expect((await grandchild.get("/users")).status).toBe(200);
    expect((await child.get("/tokens")).text).not.toContain("aat_");
    expect((await api.call("DELETE", `/tokens/${made.body?.["id"]}`)).status).toBe(204);
    expect([(await child.get("/users")).status, (await grandchild.get("/users")).status]).toEqual([401, 401]);
    const short = api.with(await adminToken(server, "admin", 1));
    server.tick(2000);
    expect((await short.get("/users")).status).toBe(401);
  });
});

describe("AD-03, AD-04, AD-25: a narrower token gives itself nothing", () => {
  const code = "admin_authority_exceeded";

  test("clients: scopes of the admin API, trust, and clients that have more", async () => {
    const clients = await adminApi(server, "admin:clients:write");
    const app = { client_name: "App", type: "confidential", redirect_uris: ["https://app.test/cb"] };
    for (const more of [
      { own_scope: "admin" },
      { scope: "read admin:users:write" },
      { first_party: true },
      { verified: true },
      { reviewed: true },
    ]) {
      const refused = await clients.post("/clients", { ...app, ...more });
      expect([refused.status, refused.body?.["code"]], JSON.stringify(more)).toEqual([403, code]);
    }
    expect((await clients.post("/clients", { ...app, own_scope: "admin:clients:read" })).status).toBe(201);
    const strong = (await api.post("/clients", { ...app, own_scope: "admin" })).body;
    const path = `/clients/${strong?.["client_id"]}`;
    expect((await clients.patch(path, { redirect_uris: ["https://evil.test/cb"] })).body?.["code"]).toBe(code);
    expect((await clients.post(`${path}/rotate-secret`, {})).body?.["code"]).toBe(code);
    expect((await clients.call("DELETE", path)).body?.["code"]).toBe(code);
    const trusted = (await api.post("/clients", { ...app, first_party: true })).body;
    const other = `/clients/${trusted?.["client_id"]}`;
    expect((await clients.patch(other, { redirect_uris: ["https://evil.test/cb"] })).body?.["code"]).toBe(code);
  });

  test("clients for which the operator vouches: name, logo and addresses; their other fields change", async () => {
    const clients = await adminApi(server, "admin:clients:write");
    for (const trust of ["verified", "reviewed"]) {
      const app = { client_name: "Known", type: "confidential", redirect_uris: ["https://known.test/cb"] };
      const known = (await api.post("/clients", { ...app, [trust]: true })).body;
      const path = `/clients/${known?.["client_id"]}`;
      for (const change of [
        ...[{ client_name: "Bank" }, { "client_name#de": "Bank" }, { redirect_uris: ["https://evil.test/cb"] }],
        ...[{ client_uri: "https://evil.test" }, { publisher: "Bank" }],
      ]) {
        expect((await clients.patch(path, change)).body?.["code"], JSON.stringify(change)).toBe(code);
      }
      const logo = await clients.call("PUT", `${path}/logo`, { raw: "x", headers: { "content-type": "image/png" } });
      expect([logo.body?.["code"], (await clients.call("DELETE", `${path}/logo`)).body?.["code"]]).toEqual([
        code,
        code,
      ]);
      expect((await clients.patch(path, { require_pkce: true })).status).toBe(200);
      expect((await api.patch(path, { client_name: "Known App" })).status).toBe(200);
    }
  });

  test("people: roles, and every way into an operator's account", async () => {
    const users = await adminApi(server, "admin:users:write");
    const person = { username: "mallory", email: "mallory@example.test", generate_password: true };
    expect((await users.post("/users", { ...person, operator: ["admin"] })).body?.["code"]).toBe(code);
    const own = (await users.post("/users", person)).body;
    expect((await users.patch(`/users/${own?.["id"]}`, { operator: ["admin"] })).body?.["code"]).toBe(code);
    const boss = await server.addPerson({ username: "boss", operator: ["admin"] });
    const path = `/users/${boss.personId}`;
    expect((await users.patch(path, { email: "mallory@evil.test" })).body?.["code"]).toBe(code);
    for (const [action, body] of [
      ["set-password", { generate_password: true }],
      ["reset-second-factor", { passkeys: true }],
      ["disable", undefined],
    ] as const) {
      expect((await users.post(`${path}/${action}`, body)).body?.["code"], action).toBe(code);
    }
    expect((await users.call("DELETE", path)).body?.["code"]).toBe(code);
    expect((await users.get(path)).status).toBe(200);
  });
});

describe("AD-06: fields that only the server sets, hostile JSON, oversized bodies", () => {
  test.each<Readonly<Record<string, unknown>>>([
    { id: "x" },
    { created_at: "2020-01-01T00:00:00Z" },
    { roles: ["admin"] },
    { has_password: false },
    { password_hash: "$argon2id$" },
    { constructor: {} },
  ])("a person with %j → 400 names the field", async (more) => {
    const answer = await api.post("/users", {
      username: "x1",
      email: "x1@example.test",
      generate_password: true,
      ...more,
    });
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { code: "field_invalid", errors: [{ field: Object.keys(more)[0] }] },
    ]);
  });

  test.each([
    ["no JSON", "{"],
    ["a list", "[]"],
    ["null", "null"],
    ["nothing", ""],
    ["a name twice", '{"name":"A","slug":"a","slug":"b"}'],
    ["a name twice by an escape", '{"name":"A","slug":"a","sl\\u0075g":"b"}'],
    ["a prototype", '{"name":"A","slug":"a","__proto__":{"x":1}}'],
    ["U+0000", '{"name":"A\\u0000","slug":"a"}'],
    ["half a surrogate pair", '{"name":"\\ud800","slug":"a"}'],
    ["too deep", `{"name":${"[".repeat(40)}${"]".repeat(40)},"slug":"a"}`],
    ["bytes that are no UTF-8", new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])("%s → 400 json_malformed", async (_, raw) => {
    const answer = await api.call("POST", "/companies", { raw });
    expect([answer.status, answer.body?.["code"]]).toEqual([400, "json_malformed"]);
  });

  test.each([
    ["nothing", "", "the body is empty"],
    ["a comma too many", '{"name":"Secret Corp",}', "the body is not JSON: look at position 22"],
    ["half an object", '{"name":"Secret Corp","slug":', "the body is not JSON: it ends too early"],
    ["a word without quotes", '{"name":Secret}', "the body is not JSON"],
    ["a list", "[1]", "the body is JSON, but no object"],
    ["a name twice", '{"name":"A","name":"B"}', "a name occurs twice"],
  ])("%s → the answer says what is wrong, and repeats nothing", async (_, raw, wanted) => {
    const { text, body } = await api.call("POST", "/companies", { raw });
    expect(body?.["errors"]).toEqual([{ field: null, problem: expect.stringContaining(wanted) }]);
    expect(text).not.toContain("Secret");
  });

  test("a wrong field → the one that was meant; an unknown path → where the paths are", async () => {
    const { body } = await api.post("/clients", { name: "A", redirect_url: "x", id: "1", type: "public" });
    const errors = (body?.["errors"] ?? []) as readonly { field: string; problem: string }[];
    const problems = new Map(errors.map(({ field, problem }) => [field, problem]));
    expect(problems.get("name")).toBe("can't be set: did you mean client_name?");
    expect(problems.get("redirect_url")).toBe("can't be set: did you mean redirect_uris?");
    expect((await api.get("/client")).text).toContain("openapi.json lists all");
    expect((await api.get("/resources/https://api.test")).text).toContain("percent-encode the identifier");
  });

  test("64 KiB and more → 413; another type, compressed → 415; a body where none is → 400", async () => {
    const large = await api.post("/companies", { name: "A".repeat(70_000), slug: "large" });
    expect([large.status, large.body?.["code"]]).toEqual([413, "body_too_large"]);
    const typed = (headers: Record<string, string>) =>
      api.call("POST", "/companies", { body: { name: "A", slug: "typed" }, headers });
    expect((await typed({ "content-type": "text/plain" })).status).toBe(415);
    expect((await typed({ "content-encoding": "gzip" })).status).toBe(415);
    const client = await server.addClient();
    expect((await api.post(`/clients/${client.clientId}/disable`, { status: "active" })).status).toBe(400);
  });

  test("U+0000, malformed escapes and dots in the path and the query → 404 or 400, never a fault", async () => {
    for (const path of ["/users/%00", "/users/%", "/users/..%2f..", `/users/${"a".repeat(3000)}`, "/clients/%ff"]) {
      expect([400, 404], path).toContain((await api.get(path)).status);
    }
    for (const query of [
      "limit=0",
      "limit=201",
      "limit=1e3",
      "limit=5&limit=6",
      "nothing=1",
      "username=%00",
      "sort=x",
    ]) {
      expect((await api.get(`/users?${query}`)).status, query).toBe(400);
    }
  });
});

describe("AD-08: cursors can't be forged", () => {
  test("changed, of another list, of another filter, of another server's making → 400", async () => {
    for (const slug of ["cursor-1", "cursor-2", "cursor-3"]) await api.post("/companies", { name: "C", slug });
    const page = await api.get("/companies?slug=cursor&limit=1");
    const next = String(page.body?.["next"]);
    const second = await api.get(`/companies?slug=cursor&limit=1&after=${next}`);
    expect(second.body?.["items"]).toMatchObject([{ slug: "cursor-2" }]);
    const last = next.at(-1) === "A" ? "B" : "A";
    for (const path of [
      `/companies?slug=cursor&after=${next.slice(0, -1)}${last}`,
      `/companies?slug=curso&after=${next}`,
      `/companies?sort=slug&after=${next}`,
      `/users?after=${next}`,
      `/companies?slug=cursor&after=${Buffer.from('["cursor-1",""]').toString("base64url")}`,
      "/companies?slug=cursor&after=",
    ]) {
      const refused = await api.get(path);
      expect([refused.status, refused.body?.["code"]], path).toEqual([400, "cursor_invalid"]);
    }
  });
});

describe("AD-24: nobody overwrites what they have not seen", () => {
  test("no If-Match → 428; a weak, old or foreign tag → 412; the present one → 200", async () => {
    const { body, headers } = await api.post("/companies", { name: "Tagged", slug: "tagged" });
    const path = `/companies/${body?.["id"]}`;
    const etag = headers.get("etag") ?? "";
    const patch = (match?: string) =>
      api.call("PATCH", path, { body: { name: "New" }, headers: match === undefined ? {} : { "if-match": match } });
    expect([(await patch()).status, (await patch(`W/${etag}`)).status, (await patch('"x"')).status]).toEqual([
      428, 412, 412,
    ]);
    expect((await patch("no tag")).status).toBe(400);
    expect((await patch(`"x", ${etag}`)).status).toBe(200);
    expect((await patch(etag)).status).toBe(412);
    expect((await api.call("DELETE", path, { headers: { "if-match": etag } })).status).toBe(400);
  });

  test("ten changes of each kind of record at once with the same tag → one is done", async () => {
    const company = await api.post("/companies", { name: "Race", slug: "race" });
    const client = await api.post("/clients", {
      client_name: "Race",
      type: "public",
      redirect_uris: ["https://r.test/"],
    });
    const user = await api.post("/users", { username: "race", email: "race@example.test", generate_password: true });
    const resource = await api.post("/resources", { identifier: "https://race.test", name: "Race" });
    const scope = await api.post("/scopes", { name: "race", description: "Race" });
    const records: [string, Headers, (at: number) => object][] = [
      [`/companies/${company.body?.["id"]}`, company.headers, (at) => ({ name: `R${at}` })],
      [`/clients/${client.body?.["client_id"]}`, client.headers, (at) => ({ client_name: `R${at}` })],
      [`/users/${user.body?.["id"]}`, user.headers, (at) => ({ name: `R${at}` })],
      [`/resources/${encodeURIComponent("https://race.test")}`, resource.headers, (at) => ({ name: `R${at}` })],
      ["/scopes/race", scope.headers, (at) => ({ description: `R${at}` })],
    ];
    for (const [path, headers, body] of records) {
      const match = { "if-match": headers.get("etag") ?? "" };
      const all = await Promise.all(
        Array.from({ length: 10 }, (_, at) => api.call("PATCH", path, { body: body(at), headers: match })),
      );
      expect(all.map(({ status }) => status).sort(), path).toEqual([200, ...Array(9).fill(412)]);
    }
  });
});

describe("AD-23: a request with a key is done once", () => {
  const key = (value: string) => ({ "idempotency-key": value });

  test("repeated → the same answer; another body → 422; another caller → independent; refused → may be repeated", async () => {
    const body = { client_name: "Once", type: "confidential", redirect_uris: ["https://once.test/"] };
    const first = await api.post("/clients", body, key("one"));
    const again = await api.post("/clients", body, key("one"));
    expect([again.status, again.text, again.headers.get("etag")]).toEqual([201, first.text, first.headers.get("etag")]);
    const other = await api.post("/clients", { ...body, client_name: "Twice" }, key("one"));
    expect([other.status, other.body?.["code"]]).toEqual([422, "idempotency_key_reused"]);
    const stranger = await adminApi(server);
    expect((await stranger.post("/clients", body, key("one"))).body?.["client_id"]).not.toBe(first.body?.["client_id"]);
    expect((await api.post("/companies", { name: "K", slug: "?" }, key("two"))).status).toBe(400);
    expect((await api.post("/companies", { name: "K", slug: "k" }, key("two"))).status).toBe(201);
    expect((await api.post("/companies", { name: "K", slug: "k2" }, key(""))).status).toBe(400);
  });

  test("a narrower token of the same caller → 422, not the answer to the wider one", async () => {
    const robot = await server.addClient({
      ...{ ownScopes: ["admin", "admin:clients:write"], grantTypes: ["client_credentials"], responseTypes: [] },
      ...{ redirectUris: [], scopes: [] },
    });
    const [wide, narrow] = [await clientToken(robot, "admin"), await clientToken(robot, "admin:clients:write")];
    const body = { client_name: "Wide", type: "confidential", redirect_uris: ["https://wide.test/"] };
    const first = await api.with(wide).post("/clients", body, key("wide"));
    expect(first.status).toBe(201);
    const other = await api.with(narrow).post("/clients", body, key("wide"));
    expect([other.status, other.body?.["code"]]).toEqual([422, "idempotency_key_reused"]);
    expect((await api.with(wide).post("/clients", body, key("wide"))).text).toBe(first.text);
  });

  test("the same key and body at another record → 422, not the answer about the first", async () => {
    const [one, two] = [await server.addClient(), await server.addClient()];
    const rotate = ({ clientId }: TestClient) => api.post(`/clients/${clientId}/rotate-secret`, {}, key("rotate"));
    expect((await rotate(one)).status).toBe(200);
    const other = await rotate(two);
    expect([other.status, other.body?.["code"]]).toEqual([422, "idempotency_key_reused"]);
  });

  test("twenty at once → one record; the stored answer is sealed", async () => {
    const body = { client_name: "Flood", type: "confidential", redirect_uris: ["https://flood.test/"] };
    const all = await Promise.all(Array.from({ length: 20 }, () => api.post("/clients", body, key("flood"))));
    const made = new Set(all.filter(({ status }) => status === 201).map((one) => one.body?.["client_id"]));
    expect(made.size).toBe(1);
    expect(new Set(all.map(({ status }) => status)).difference(new Set([201, 409])).size).toBe(0);
    expect((await api.get("/clients?name=flood")).body?.["items"]).toHaveLength(1);
    await settle();
  });
});

test("AD-07, AD-21: no answer and no line of the log has a secret, a hash or a token", async () => {
  const log = server.log.join("\n");
  expect(log).not.toMatch(/aat_[\w-]{20}|cs_[\w-]{20}|\$argon2/);
  const lists = await Promise.all(
    ["/clients", "/users", "/resources", "/keys", "/tokens", "/scopes", "/companies"].map((path) => api.get(path)),
  );
  for (const { status, text } of lists) {
    expect(status).toBe(200);
    expect(text).not.toMatch(/aat_|cs_|\$argon2|[hH]ash"|sealed|private|"d"/);
  }
});
