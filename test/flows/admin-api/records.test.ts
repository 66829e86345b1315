/** The admin API: creating, reading, changing and deleting records. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApi, adminApi } from "../../support/admin-api.ts";
import { signedInPerson } from "../../support/back-channel.ts";
import { authorize, authorizeUrl } from "../../support/http-browser.ts";
import { startServer, type TestServer } from "../../support/test-server.ts";

let server: TestServer;
let api: AdminApi;
beforeAll(async () => {
  server = await startServer();
  api = await adminApi(server);
});
afterAll(() => server.stop());

const aClient = { client_name: "Photo Printer", type: "confidential", redirect_uris: ["https://printer.test/cb"] };

describe("consents", () => {
  test("the client's ceiling is lowered below a consent's age, and raised again → expired, then active", async () => {
    const client = await server.addClient();
    const { personId, agent } = await signedInPerson(server);
    await authorize(agent, authorizeUrl(server, client), "");
    const status = async () => {
      const { body } = await api.get(`/consents?user_id=${personId}`);
      const items = body?.["items"] as readonly { readonly status: string }[] | undefined;
      return items?.map((one) => one.status);
    };
    server.tick(2000);
    expect(await status()).toEqual(["active"]);
    await api.patch(`/clients/${client.clientId}`, { consent_ceiling: 1 });
    expect(await status()).toEqual(["expired"]);
    await api.patch(`/clients/${client.clientId}`, { consent_ceiling: 3600 });
    expect(await status()).toEqual(["active"]);
    await api.post("/consents/revoke", { user_id: personId, client_id: client.clientId });
    expect(await status()).toEqual(["revoked"]);
  });
});

describe("clients", () => {
  test("a client is created, read, changed, disabled, enabled, given a new secret and deleted", async () => {
    const created = await api.post("/clients", { ...aClient, scope: "read" });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ client_name: "Photo Printer", scope: "read", status: "active" });
    expect(created.body?.["client_secret"]).toMatch(/^cs_/);
    const path = `/clients/${created.body?.["client_id"]}`;
    expect(created.headers.get("location")).toBe(`${server.issuer}/admin/api/v1${path}`);
    const shown = await api.get(path);
    expect([shown.status, shown.headers.get("etag")]).toEqual([200, created.headers.get("etag")]);
    expect(shown.text).not.toMatch(/cs_|secret"|hash/i);
    const changed = await api.patch(path, { client_name: "Printer", "client_name#de": "Drucker" });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { client_name: "Printer", "client_name#de": "Drucker", scope: "read" },
    ]);
    expect((await api.post(`${path}/disable`)).body).toMatchObject({ status: "disabled" });
    expect((await api.post(`${path}/enable`)).body).toMatchObject({ status: "active" });
    const rotated = await api.post(`${path}/rotate-secret`, { overlap: 0 });
    expect(rotated.body?.["client_secret"]).toMatch(/^cs_/);
    expect((await api.call("DELETE", path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
  });

  test("a token request with the client's own scope → works at once", async () => {
    const { body } = await api.post("/clients", {
      ...aClient,
      own_scope: "read",
      grant_types: ["client_credentials"],
      redirect_uris: [],
    });
    const answer = await fetch(`${server.issuer}/token`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa(`${body?.["client_id"]}:${body?.["client_secret"]}`)}` },
      body: new URLSearchParams({ grant_type: "client_credentials" }),
    });
    expect(answer.status).toBe(200);
  });

  test("workload_identity alone → the method is workload_jwt; with another method → refused, not dropped", async () => {
    const issuer = "https://ci.example";
    const key = { kty: "EC", crv: "P-256", kid: "k", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU" };
    const jwks = { keys: [{ ...key, y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" }] };
    await api.post("/issuers", { issuer, type: "jwt", jwks });
    const job = { client_name: "Job", type: "confidential", grant_types: ["client_credentials"], own_scope: "read" };
    const workload = { issuer, subject: "job:1" };
    const basic = { token_endpoint_auth_method: "client_secret_basic" };
    const refused = await api.post("/clients", { ...job, ...basic, workload_identity: workload });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("needs token_endpoint_auth_method")]);
    const made = await api.post("/clients", { ...job, workload_identity: workload });
    const wanted = { token_endpoint_auth_method: "workload_jwt", workload_identity: workload };
    expect(made.body).toMatchObject(wanted);
    expect(made.body).not.toHaveProperty("client_secret");
    const path = `/clients/${made.body?.["client_id"]}`;
    expect((await api.patch(path, basic)).body).not.toHaveProperty("workload_identity");
    expect((await api.patch(path, { workload_identity: { ...workload, subject: "job:2" } })).body).toMatchObject({
      ...wanted,
      workload_identity: { issuer, subject: "job:2" },
    });
  });

  test("a logo is set and removed; a text is no picture → 400", async () => {
    const { body } = await api.post("/clients", aClient);
    const path = `/clients/${body?.["client_id"]}/logo`;
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
      "base64",
    );
    const set = await api.call("PUT", path, { raw: png, headers: { "content-type": "image/png" } });
    expect([set.status, set.body?.["logo_uri"]]).toEqual([200, expect.stringMatching(/\/logos\//)]);
    expect((await api.call("DELETE", path)).body).not.toHaveProperty("logo_uri");
    const wrong = await api.call("PUT", path, { raw: "no picture", headers: { "content-type": "image/png" } });
    expect([wrong.status, wrong.body?.["code"]]).toEqual([400, "field_invalid"]);
  });
});

describe("people", () => {
  test("a person is created, read, changed, given a password, disabled, enabled and deleted", async () => {
    const created = await api.post("/users", {
      ...{ username: "grace", email: "grace@example.test", generate_password: true, given_name: "Grace" },
    });
    expect(created.status).toBe(201);
    expect(created.body).toMatchObject({ username: "grace", given_name: "Grace", operator: [], status: "active" });
    expect(created.body?.["password"]).toMatch(/^[a-z0-9-]{24}$/);
    const path = `/users/${created.body?.["id"]}`;
    expect((await api.get(path)).body).not.toHaveProperty("password");
    const changed = await api.patch(path, { name: "Grace Hopper", given_name: null, operator: ["read"] });
    expect([changed.status, changed.body]).toMatchObject([200, { name: "Grace Hopper", operator: ["read"] }]);
    expect(changed.body).not.toHaveProperty("given_name");
    const set = await api.post(`${path}/set-password`, { password: "a long enough password 1" });
    expect([set.status, JSON.stringify(set.body)]).toEqual([200, expect.not.stringContaining("long enough")]);
    expect((await api.post(`${path}/disable`)).body).toMatchObject({ status: "disabled" });
    expect((await api.post(`${path}/enable`)).body).toMatchObject({ status: "active" });
    expect((await api.post(`${path}/reset-second-factor`, {})).status).toBe(200);
    expect((await api.call("DELETE", path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
  });

  test("a name that is taken → 409 names the field; two ways to a password, or none → 400", async () => {
    const ada = { username: "ada", email: "ada@example.test", generate_password: true };
    expect((await api.post("/users", ada)).status).toBe(201);
    const again = await api.post("/users", { ...ada, email: "other@example.test" });
    expect([again.status, again.body]).toMatchObject([409, { code: "record_exists", errors: [{ field: "username" }] }]);
    const { generate_password: _, ...bare } = { ...ada, username: "adb" };
    for (const more of [{}, { generate_password: true, password: "a long enough password 1" }]) {
      expect((await api.post("/users", { ...bare, ...more })).status).toBe(400);
    }
  });
});

describe("scopes and APIs", () => {
  test("an API with a scope: neither goes while the other needs it", async () => {
    const identifier = "https://photos.test/api?v=1";
    const created = await api.post("/resources", { identifier, name: "Photos", token_lifetime: 300 });
    expect([created.status, created.body]).toMatchObject([201, { identifier, token_lifetime: 300 }]);
    expect(created.body?.["introspection_client_secret"]).toMatch(/^cs_/);
    const path = `/resources/${encodeURIComponent(identifier)}`;
    expect((await api.get(path)).text).not.toContain("cs_");
    expect((await api.patch(path, { name: "Pictures", token_lifetime: null })).body).toMatchObject({
      ...{ name: "Pictures", token_lifetime: null },
    });
    const scope = await api.post("/scopes", {
      ...{
        name: "photos:read",
        description: "See your photos",
        "description#de": "Ihre Fotos sehen",
        resource: identifier,
      },
    });
    expect([scope.status, scope.body]).toMatchObject([
      201,
      { resource: identifier, "description#de": "Ihre Fotos sehen" },
    ]);
    const used = await api.call("DELETE", path);
    expect([used.status, used.body?.["code"]]).toEqual([409, "record_in_use"]);
    const changed = await api.patch("/scopes/photos%3Aread", { sensitive: true, "description#de": null });
    expect(changed.body).toMatchObject({ sensitive: true });
    expect(changed.body).not.toHaveProperty("description#de");
    expect((await api.call("DELETE", "/scopes/photos%3Aread")).body).toEqual({ name: "photos:read", clients: [] });
    expect((await api.post(`${path}/rotate-secret`)).body?.["introspection_client_secret"]).toMatch(/^cs_/);
    expect((await api.call("DELETE", path)).status).toBe(204);
  });

  test("an unknown API of a new scope → 400; a scope of the admin API can't be created, changed or deleted", async () => {
    const unknown = await api.post("/scopes", { name: "x", description: "X", resource: "https://nowhere.test" });
    expect([unknown.status, unknown.body]).toMatchObject([400, { errors: [{ field: "resource" }] }]);
    expect((await api.post("/scopes", { name: "admin:users:read", description: "X" })).status).toBe(409);
    expect((await api.patch("/scopes/admin", { description: "X" })).status).toBe(404);
    expect((await api.call("DELETE", "/scopes/admin")).status).toBe(404);
    const identifier = `${server.issuer}/admin/api/v1`;
    expect((await api.post("/resources", { identifier, name: "Mine" })).status).toBe(400);
  });
});

describe("companies", () => {
  test("a company with a member and a rule is created, read, changed and deleted", async () => {
    const created = await api.post("/companies", { name: "Acme", slug: "acme" });
    expect(created.status).toBe(201);
    const path = `/companies/${created.body?.["id"]}`;
    expect((await api.patch(path, { slug: "acme-2", default_rule: "members" })).body).toMatchObject({ slug: "acme-2" });
    const person = await server.addPerson();
    const byName = await api.post(`${path}/members`, { user_id: person.username, role: "admin" });
    expect([byName.status, byName.body?.["errors"]]).toEqual([
      404,
      [{ field: "user_id", problem: expect.stringContaining("there is no user with the ID") }],
    ]);
    const added = await api.post(`${path}/members`, { user_id: person.personId, role: "admin" });
    expect([added.status, added.body]).toMatchObject([200, { username: person.username, role: "admin" }]);
    expect((await api.get(`${path}/members`)).body).toMatchObject({
      items: [{ user_id: person.personId }],
      next: null,
    });
    const client = await server.addClient();
    const ruled = await api.call("PUT", `${path}/rules/${client.clientId}`, { body: { rule: "block" } });
    expect(ruled.body).toMatchObject({ grants_ended: 0, meaning: expect.stringContaining("Blocked") });
    expect((await api.get(`${path}/rules`)).body).toMatchObject({ items: [{ rule: "block" }] });
    expect((await api.post(`${path}/disable`)).body).toMatchObject({ status: "disabled" });
    expect((await api.post(`${path}/enable`)).body).toMatchObject({ status: "active" });
    expect((await api.call("DELETE", `${path}/members/${person.personId}`)).body).toMatchObject({ grants_ended: 0 });
    expect((await api.call("DELETE", path)).status).toBe(204);
  });
});

describe("what would end with a record", () => {
  test("asked with a token for consents or companies alone → no e-mail address of anybody", async () => {
    const { personId } = await server.addPerson();
    const { clientId } = await server.addClient();
    const consents = await adminApi(server, "admin:consents:read");
    const consent = await consents.call("GET", `/consents/impact?user_id=${personId}&client_id=${clientId}`);
    expect(consent.body).toEqual({ user_id: personId, app: expect.stringContaining(clientId), grants: null });
    const made = await api.call("POST", "/companies", { body: { name: "Acme", slug: "acme-impact" } });
    const members = `/companies/${made.body?.["id"]}/members`;
    await api.call("POST", members, { body: { user_id: personId, role: "admin" } });
    const companies = await adminApi(server, "admin:companies:read");
    const member = await companies.call("GET", `${members}/${personId}/impact`);
    expect([member.status, member.text.includes("@")]).toEqual([200, false]);
  });
});
