/** The admin API: whom the server trusts, how people are known elsewhere, its settings, and its refusals. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AdminApi, adminApi } from "../../support/admin-api.ts";
import { startServer, type TestServer } from "../../support/test-server.ts";

const SMTP = {
  ...{ host: "127.0.0.1", port: 2525, secure: false, loopback: true },
  ...{ user: "u", password: "hidden-word" },
};

let server: TestServer;
let api: AdminApi;
beforeAll(async () => {
  server = await startServer({ config: { smtpUrl: SMTP } });
  api = await adminApi(server);
});
afterAll(() => server.stop());

const jwk = {
  ...{ kty: "EC", crv: "P-256", kid: "k" },
  ...{ x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" },
};
const identifier = "https://idp.example.test/tenant?x=1";
const path = `/issuers/${encodeURIComponent(identifier)}`;

describe("issuers", () => {
  test("no keys, two sources of keys, an unknown scope, this server itself → 400 names the field", async () => {
    const wrong: [object, string][] = [
      [{}, "jwks"],
      [{ jwks: { keys: [jwk] }, jwks_uri: "https://idp.example.test/jwks" }, "jwks_uri"],
      [{ jwks: { keys: [jwk] }, scope: "no-such-scope" }, "scope"],
      [{ jwks: { keys: [jwk] }, scope: "admin" }, "scope"],
      [{ jwks: { keys: [{ ...jwk, d: "x" }] } }, "jwks"],
      [{ jwks: { keys: [jwk] }, issuer: server.issuer }, "issuer"],
      [{ jwks: { keys: [jwk] }, id: "mine" }, "id"],
    ];
    for (const [more, field] of wrong) {
      const refused = await api.post("/issuers", { issuer: identifier, type: "jwt", ...more });
      expect([refused.status, refused.body], field).toMatchObject([
        400,
        { code: "field_invalid", errors: [{ field }] },
      ]);
    }
  });

  test("an issuer is created, read, changed and deleted; its subject is linked to a person", async () => {
    const made = await api.post("/issuers", { issuer: identifier, type: "jwt", jwks: { keys: [jwk] }, scope: "read" });
    expect([made.status, made.body]).toMatchObject([
      201,
      { issuer: identifier, scope: "read", map_subject: "username" },
    ]);
    expect(made.headers.get("location")).toBe(`${server.issuer}/admin/api/v1${path}`);
    const again = await api.post("/issuers", { issuer: identifier, type: "jwt", jwks: { keys: [jwk] } });
    expect([again.status, again.body?.["code"]]).toEqual([409, "record_exists"]);
    expect((await api.get(path)).headers.get("etag")).toBe(made.headers.get("etag"));
    expect((await api.get("/issuers?type=saml")).body).toEqual({ items: [], next: null });
    const changed = await api.patch(path, { map_subject: "link", scope: "", audience: "https://other.test" });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { map_subject: "link", audience: "https://other.test", warnings: [{ field: "scope" }] },
    ]);

    const person = await server.addPerson({ username: "linda" });
    const linked = await api.post(`${path}/links`, { subject: "00u1/ä b", user_id: person.personId });
    expect([linked.status, linked.body]).toMatchObject([200, { subject: "00u1/ä b", username: "linda" }]);
    const other = await server.addPerson({ username: "lars" });
    expect((await api.post(`${path}/links`, { subject: "00u1/ä b", user_id: other.personId })).status).toBe(409);
    expect((await api.post(`${path}/links`, { subject: "2", user_id: "nobody" })).status).toBe(404);
    expect((await api.post(`${path}/links`, { subject: "2", user_id: other.personId })).status).toBe(200);
    const first = await api.get(`${path}/links?limit=1`);
    expect(first.body).toMatchObject({ items: [{ user_id: person.personId, made_by: "operator" }] });
    const second = await api.get(`${path}/links?limit=1&after=${first.body?.["next"]}`);
    expect(second.body).toMatchObject({ items: [{ user_id: other.personId }] });
    expect((await api.get(`/users/${person.personId}/identities`)).body).toMatchObject({
      items: [{ system: "issuer", name: identifier, subject: "00u1/ä b" }],
      next: null,
    });
    const unlink = `${path}/links/${encodeURIComponent("00u1/ä b")}`;
    expect([(await api.call("DELETE", unlink)).status, (await api.call("DELETE", unlink)).status]).toEqual([204, 404]);
    expect((await api.call("DELETE", path)).status).toBe(204);
    expect((await api.get(path)).status).toBe(404);
  });

  test("an operator → can't be linked to a subject", async () => {
    await api.post("/issuers", { issuer: identifier, type: "jwt", jwks: { keys: [jwk] }, map_subject: "link" });
    const person = await server.addPerson({ username: "olga", operator: ["read"] });
    const refused = await api.post(`${path}/links`, { subject: "3", user_id: person.personId });
    expect([refused.status, refused.body?.["code"]]).toEqual([400, "field_invalid"]);
  });
});

describe("providers", () => {
  const aProvider = {
    name: "Example",
    issuer: "https://accounts.example.test",
    client_id: "me",
    client_secret: "s3cret",
  };

  test("neither preset nor issuer, fields of a company's provider, trust without domains → 400", async () => {
    const wrong: [object, string][] = [
      [{ client_id: "me" }, "issuer"],
      [{ ...aProvider, roles: null }, "roles"],
      [{ ...aProvider, trust_email: true }, "trust_email"],
      [{ ...aProvider, has_secret: true }, "has_secret"],
      [{ ...aProvider, change_clients: ["nobody"] }, "change_client"],
      [{ ...aProvider, company_id: "x", trust_email: true }, "trust_email"],
    ];
    for (const [sent, field] of wrong) {
      const refused = await api.post("/providers", sent);
      expect([refused.status, refused.body], field).toMatchObject([400, { errors: [{ field }] }]);
    }
  });

  test("a provider is created, read, changed and deleted; its secret is in no answer", async () => {
    const made = await api.post("/providers", aProvider);
    expect([made.status, made.body]).toMatchObject([201, { name: "Example", has_secret: true, company: null }]);
    expect(made.body?.["warnings"]).toMatchObject([{ field: "email_domain" }, { field: "believe_fresh" }].slice(0, 1));
    const own = `/providers/${made.body?.["id"]}`;
    expect((await api.get(own)).headers.get("etag")).toBe(made.headers.get("etag"));
    const changed = await api.patch(own, { email_domains: ["Example.TEST"], trust_email: true, position: 1 });
    expect([changed.status, changed.body]).toMatchObject([
      200,
      { email_domains: ["example.test"], trust_email: true, position: 1, has_secret: true },
    ]);
    expect((await api.patch(own, { issuer: "https://other.example.test" })).body).toMatchObject({ has_secret: false });
    expect((await api.patch(own, { client_secret: "another" })).body).toMatchObject({ has_secret: true });
    expect((await api.patch(own, { client_secret: null, status: "disabled" })).body).toMatchObject({
      has_secret: false,
    });
    for (const { text } of [made, changed, await api.get("/providers")])
      expect(text).not.toMatch(/s3cret|another|sealed/);
    expect((await api.call("DELETE", own)).status).toBe(204);
    expect((await api.get(own)).status).toBe(404);
  });

  test("a company's own provider needs a domain; it is listed, changed and deleted as the others", async () => {
    const company = String((await api.post("/companies", { name: "Acme", slug: "acme" })).body?.["id"]);
    const asked = {
      ...aProvider,
      company_id: company,
      roles: { claim: "groups", admin: ["a"], member: [], others: "refuse" },
    };
    expect((await api.post("/providers", asked)).body).toMatchObject({
      code: "field_invalid",
      errors: [{ field: "company" }],
    });
    const domain = `/companies/${company}/email-domains/acme.test`;
    expect((await api.call("PUT", domain)).body).toEqual({
      own_provider: false,
      email_domains: ["acme.test"],
      provider: null,
    });
    expect((await api.call("PUT", `/companies/${company}/email-domains/no_domain`)).status).toBe(400);
    const rival = String((await api.post("/companies", { name: "Rival", slug: "rival" })).body?.["id"]);
    expect((await api.call("PUT", `/companies/${rival}/email-domains/acme.test`)).status).toBe(409);
    const allowed = await api.call("PUT", `/companies/${company}/own-provider`, { body: { allowed: true } });
    expect(allowed.body).toMatchObject({ own_provider: true });
    const made = await api.post("/providers", asked);
    expect([made.status, made.body]).toMatchObject([201, { company: "acme", roles: { admin: ["a"] } }]);
    const own = `/providers/${made.body?.["id"]}`;
    expect((await api.get(own)).headers.get("etag")).toBe(made.headers.get("etag"));
    expect((await api.get(`/companies/${company}`)).body).toMatchObject({ provider: made.body?.["id"] });
    expect((await api.patch(own, { trust_email: true })).status).toBe(400);
    expect((await api.patch(own, { name: "Acme ID", roles: null })).body).toMatchObject({
      name: "Acme ID",
      roles: null,
    });
    const stale = { body: { name: "Late" }, headers: { "if-match": made.headers.get("etag") ?? "" } };
    expect((await api.call("PATCH", own, stale)).status).toBe(412);
    expect((await api.call("DELETE", own)).status).toBe(204);
    expect((await api.call("DELETE", domain)).body).toMatchObject({ email_domains: [] });
    expect((await api.call("DELETE", domain)).status).toBe(404);
  });

  test("AD-25: a token for providers alone can't decide who signs in as whom", async () => {
    const lesser = await adminApi(server, "admin:providers:write");
    const made = await lesser.post("/providers", { client_id: "x", preset: "github", client_secret: "s" });
    expect(made.status).toBe(201);
    const own = `/providers/${made.body?.["id"]}`;
    for (const more of [
      { user_endpoint: "https://evil.test/me" },
      { token_endpoint: "https://evil.test/token" },
      { authorization_endpoint: "https://evil.test/a" },
      { claims: { subject: "login" } },
      { mfa_amr: ["pwd"] },
      { believe_fresh: true },
    ]) {
      const refused = await lesser.patch(own, more);
      expect([refused.status, refused.body?.["code"]], JSON.stringify(more)).toEqual([403, "admin_authority_exceeded"]);
    }
    expect((await lesser.patch(own, { name: "Git" })).status).toBe(200);
  });
});

describe("companies", () => {
  test("a company revokes an app for all members; without a consent → 404", async () => {
    const company = String((await api.post("/companies", { name: "Revoker", slug: "revoker" })).body?.["id"]);
    const client = await server.addClient();
    const revoke = () => api.post(`/companies/${company}/revoke`, { client_id: client.clientId });
    expect((await revoke()).status).toBe(404);
    await api.call("PUT", `/companies/${company}/rules/${client.clientId}`, { body: { rule: "allow", scope: "read" } });
    expect([200, 404]).toContain((await revoke()).status);
  });
});

describe("settings and refusals", () => {
  test("settings → every setting once, without a secret; only the changed ones", async () => {
    const all = await api.get("/settings?limit=200");
    expect(all.body?.["items"]).toContainEqual(
      expect.objectContaining({ key: "issuer", variable: "ASSENT_ISSUER", value: server.issuer, is_secret: false }),
    );
    expect(all.body?.["items"]).toContainEqual(expect.objectContaining({ key: "smtpUrl", value: "(secret)" }));
    expect(all.text).not.toMatch(/hidden-word/);
    const changed = (await api.get("/settings?is_default=false&limit=200")).body?.["items"] as { key: string }[];
    expect(changed.map(({ key }) => key)).not.toContain("companies");
    expect((await api.call("PATCH", "/settings", { body: {} })).status).toBe(405);
  });

  test("a refused request → is listed, newest first, and explained with the command that mends it", async () => {
    const client = await server.addClient();
    const ask = async (redirect: string) => {
      const answer = await fetch(
        `${server.issuer}/authorize?response_type=code&client_id=${client.clientId}&redirect_uri=${redirect}`,
      );
      return answer.headers.get("x-request-id") ?? "";
    };
    const numbers = [await ask("https://evil.test/1"), await ask("https://evil.test/2")];
    await expect
      .poll(async () => (await api.get(`/refusals?client_id=${client.clientId}`)).body?.["items"])
      .toHaveLength(2);
    const first = await api.get(`/refusals?client_id=${client.clientId}&limit=1`);
    expect(first.body?.["items"]).toMatchObject([{ condition: "redirect_uri_mismatch" }]);
    const second = await api.get(`/refusals?client_id=${client.clientId}&limit=1&after=${first.body?.["next"]}`);
    const found = [first, second].flatMap(({ body }) => body?.["items"] as { request_id: string }[]);
    expect(found.map((one) => one.request_id).sort()).toEqual([...numbers].sort());
    const shown = await api.get(`/refusals/${numbers[0]}`);
    expect(shown.body).toMatchObject({ received: "https://evil.test/1", status: 400 });
    expect(JSON.stringify(shown.body?.["commands"])).toContain(client.clientId);
    expect((await api.get("/refusals?condition=constructor")).status).toBe(400);
    expect((await api.get("/refusals/nothing")).status).toBe(404);
  });
});
