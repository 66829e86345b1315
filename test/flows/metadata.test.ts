/** Authorization server metadata (RFC 8414): the supported features and their addresses. */

import { createServer, request } from "node:http";
import { allowInsecureRequests, discoveryRequest, processDiscoveryResponse } from "oauth4webapi";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer, type TestServer } from "../support/test-server.ts";

const CONFIDENTIAL = [
  "client_secret_basic",
  "client_secret_post",
  "client_secret_jwt",
  "private_key_jwt",
  "workload_jwt",
];
const SIGNING_ALGS = ["ES256", "ES384", "PS256", "PS384", "RS256", "EdDSA", "HS256", "HS384", "HS512"];
const WELL_KNOWN = "/.well-known/oauth-authorization-server";
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const metadata = async (at = server) => (await (await fetch(at.issuer + WELL_KNOWN)).json()) as Record<string, unknown>;

test("the document → these members and no other", async () => {
  expect(await metadata()).toEqual({
    issuer: server.issuer,
    authorization_endpoint: `${server.issuer}/authorize`,
    token_endpoint: `${server.issuer}/token`,
    jwks_uri: `${server.issuer}/jwks`,
    scopes_supported: ["address", "email", "offline_access", "openid", "phone", "profile", "read", "write"],
    response_types_supported: ["code", "token"],
    acr_values_supported: ["1fa", "mfa", "phr"],
    response_modes_supported: ["query", "fragment", "form_post"],
    grant_types_supported: [
      ...["authorization_code", "refresh_token", "client_credentials", "password"],
      ...["device_code", "jwt-bearer", "saml2-bearer", "token-exchange"].map(
        (name) => `urn:ietf:params:oauth:grant-type:${name}`,
      ),
      "implicit",
    ],
    token_endpoint_auth_methods_supported: [...CONFIDENTIAL, "none"],
    token_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    identity_chaining_requested_token_types_supported: ["urn:ietf:params:oauth:token-type:id-jag"],
    revocation_endpoint: `${server.issuer}/revoke`,
    revocation_endpoint_auth_methods_supported: [...CONFIDENTIAL, "none"],
    revocation_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    device_authorization_endpoint: `${server.issuer}/device_authorization`,
    introspection_endpoint: `${server.issuer}/introspect`,
    introspection_endpoint_auth_methods_supported: CONFIDENTIAL,
    introspection_endpoint_auth_signing_alg_values_supported: SIGNING_ALGS,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
    prompt_values_supported: ["none", "login", "consent", "select_account"],
    userinfo_endpoint: `${server.issuer}/userinfo`,
    end_session_endpoint: `${server.issuer}/logout`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    subject_types_supported: ["public"],
    id_token_signing_alg_values_supported: ["RS256", "ES256", "ES384", "EdDSA", "PS256"],
    claim_types_supported: ["normal"],
    claims_supported: [
      ...["iss", "sub", "aud", "azp", "exp", "iat", "auth_time", "nonce", "acr", "amr"],
      ...["at_hash", "sid", "organization"],
      ...["name", "given_name", "family_name", "middle_name", "nickname", "preferred_username", "profile", "picture"],
      ...["website", "gender", "birthdate", "zoneinfo", "locale"],
      ...["updated_at", "email", "email_verified", "phone_number", "phone_number_verified", "address"],
    ],
    claims_parameter_supported: true,
    display_values_supported: ["page", "touch"],
    ui_locales_supported: ["en", "de", "fr", "es", "ja", "ar"],
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  });
});

test("a client library reads it → the issuer agrees", async () => {
  const issuer = new URL(server.issuer);
  const response = await discoveryRequest(issuer, { algorithm: "oauth2", [allowInsecureRequests]: true });
  expect((await processDiscoveryResponse(issuer, response)).token_endpoint).toBe(`${server.issuer}/token`);
});

test("the headers → JSON, cached for minutes, HEAD as GET", async () => {
  for (const method of ["GET", "HEAD"]) {
    const response = await fetch(server.issuer + WELL_KNOWN, { method });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("cache-control")).toBe("public, max-age=300");
  }
});

test("every endpoint that it names → there", async () => {
  for (const [name, value] of Object.entries(await metadata())) {
    if (!/_(?:endpoint|uri)$/.test(name)) continue;
    const response = await fetch(String(value), { method: name === "jwks_uri" ? "GET" : "POST", redirect: "manual" });
    expect([name, response.status === 404 || response.status >= 500]).toEqual([name, false]);
  }
});

test("a forged Host → the configured issuer", async () => {
  const { port } = new URL(server.issuer);
  const body = await new Promise<string>((resolve, reject) => {
    const headers = {
      host: "evil.test",
      "x-forwarded-host": "evil.test",
      "x-forwarded-proto": "https",
      forwarded: "host=evil.test",
    };
    request({ port, path: WELL_KNOWN, headers }, (response) => {
      let text = "";
      response.on("data", (chunk) => {
        text += chunk;
      });
      response.on("end", () => resolve(text));
    })
      .on("error", reject)
      .end();
  });
  expect(body).not.toMatch("evil");
  expect(JSON.parse(body)).toMatchObject({ issuer: server.issuer });
});

test.each(["/register", "/par", "/admin/"])("AD-10 %s, which is not built → 404", async (path) => {
  for (const method of ["GET", "POST"]) expect((await fetch(server.issuer + path, { method })).status).toBe(404);
});

test("a new scope → in it within a second", async () => {
  await server.addScope({ name: "added", description: "Added" });
  expect((await metadata())["scopes_supported"]).toContain("added");
});

describe("an issuer with a path", () => {
  test("the document at the host's root, the endpoints below the path (RFC 8414 §3.1)", async () => {
    const host = "https://as.example";
    const below = await startServer({ config: { issuer: `${host}/tenant` } });
    try {
      const paths = [`${WELL_KNOWN}/tenant`, "/tenant/jwks", WELL_KNOWN, `/tenant${WELL_KNOWN}`, "/jwks"];
      const answers = await Promise.all(paths.map((path) => ask(below, path)));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 404, 404]);
      expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({
        issuer: `${host}/tenant`,
        token_endpoint: `${host}/tenant/token`,
        jwks_uri: `${host}/tenant/jwks`,
      });
    } finally {
      await below.stop();
    }
  });
});

/** Sends a request to a server that doesn't listen at its issuer's address. */
async function ask(below: TestServer, path: string): Promise<{ status: number; body: string }> {
  const http = createServer(below.assent.handler);
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const address = http.address();
  const port = typeof address === "object" ? address?.port : undefined;
  try {
    const response = await fetch(`http://127.0.0.1:${port}${path}`);
    return { status: response.status, body: await response.text() };
  } finally {
    http.closeAllConnections();
    http.close();
  }
}
