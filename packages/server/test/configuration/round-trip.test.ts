import { generateKeyPairSync } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { anIdentityProvider } from "../../../../test/support/saml-idp.ts";
import {
  createClient,
  createCompany,
  createIssuer,
  createProvider,
  createResource,
  createScope,
  setAppPolicy,
  updateClient,
  updateCompany,
  updateCompanySignIn,
  updateProvider,
} from "../../src/admin/index.ts";
import { exportConfiguration } from "../../src/configuration/index.ts";
import { aDatabase, apply, planOf, type TestDatabase } from "./support/test-configuration.ts";

let at: TestDatabase;
let empty: TestDatabase;
beforeAll(async () => {
  [at, empty] = await Promise.all([aDatabase("sqlite"), aDatabase("sqlite")]);
});
afterAll(async () => {
  await Promise.all([at.close(), empty.close()]);
});

const jwk = () => ({
  ...generateKeyPairSync("ec", { namedCurve: "P-256" }).publicKey.export({ format: "jwk" }),
  ...{ kid: "k1", use: "sig", alg: "ES256" },
});

/** Records that operators make with commands and the API, in every unusual form. */
async function fill({ admin }: TestDatabase): Promise<void> {
  await createResource({ identifier: "urn:example:a:b", name: "no", tokenFormat: "opaque", userInfo: false }, admin);
  await createResource(
    {
      identifier: "https://b.test/?x=1&y=",
      name: "Ünïcode: “API” #1",
      tokenLifetime: 60,
      grantBound: true,
    },
    admin,
  );
  for (const name of ["0123", "null", "yes", "a:b/c", "~", "openid"]) {
    await createScope(
      {
        name,
        description: `- ${name}: yes`,
        ...(name === "yes" ? { descriptions: { de: "Ja", "pt-br": "Sim" } } : {}),
      },
      admin,
    );
  }
  await createScope(
    {
      name: "deep",
      description: "*x &y !z",
      resource: "urn:example:a:b",
      sensitive: true,
      optional: true,
      access: "delete",
      ownerRole: "operator",
      acr: "mfa",
      maxAge: 0,
    },
    admin,
  );
  const web = { redirect_uris: ["https://web.test/cb?a=b"], scope: "yes 0123" };
  await createClient(
    {
      clientId: "plain.id_1",
      type: "confidential",
      metadata: { client_name: "1e3", ...web },
      defaultScopes: ["yes"],
      ownScopes: [],
      consentCeiling: "none",
      refresh: "rotate",
      publisher: "@home",
      accent: "#1a4fd0,#9db8ff",
    },
    admin,
  );
  await createClient(
    {
      clientId: "12345",
      type: "confidential",
      metadata: {
        client_name: "JWT",
        ...web,
        token_endpoint_auth_method: "client_secret_jwt",
        client_uri: "https://web.test/",
        policy_uri: "https://web.test/p",
        tos_uri: "https://web.test/t",
      },
      consentCeiling: 3600,
      tokenEndpointAudience: true,
    },
    admin,
  );
  await createClient(
    {
      type: "confidential",
      metadata: {
        client_name: "Keys",
        ...web,
        token_endpoint_auth_method: "private_key_jwt",
        jwks: { keys: [jwk()] },
        id_token_signed_response_alg: "ES256",
        post_logout_redirect_uris: ["https://web.test/bye"],
        backchannel_logout_uri: "https://web.test/bc",
        backchannel_logout_session_required: true,
        "client_name#ja": "鍵",
      },
    },
    admin,
  );
  await createClient(
    {
      clientId: "mtls",
      type: "confidential",
      metadata: {
        client_name: "TLS",
        token_endpoint_auth_method: "tls_client_auth",
        tls_client_auth_subject_dn: "CN=a,O=b",
        tls_client_certificate_bound_access_tokens: true,
        grant_types: ["client_credentials"],
      },
      ownScopes: ["a:b/c"],
    },
    admin,
  );
  await createClient(
    {
      clientId: "spa",
      type: "public",
      metadata: {
        client_name: "SPA",
        redirect_uris: ["http://127.0.0.1/cb", "com.example:/cb"],
        grant_types: ["authorization_code", "implicit", "urn:ietf:params:oauth:grant-type:device_code"],
        scope: "yes",
      },
      allowPlainPkce: true,
    },
    admin,
  );
  await updateClient("spa", { status: "disabled" }, admin);
  await createClient(
    {
      clientId: "verified",
      type: "confidential",
      metadata: { client_name: "Verified", ...web, optional_scope: "0123" },
      verified: true,
      reviewed: false,
      firstParty: true,
      requirePkce: true,
    },
    admin,
  );
  const { certificate } = anIdentityProvider("https://saml.test");
  await createIssuer(
    {
      issuer: "urn:jwt",
      type: "jwt",
      keys: { jwks: { keys: [jwk()] } },
      scopes: ["yes"],
      clients: ["mtls"],
      audience: "urn:x",
      maxLifetime: 60,
      mapSubject: "email",
      subjectClaim: "upn",
      subjects: ["@a.test"],
      createOwners: true,
    },
    admin,
  );
  await createIssuer(
    {
      issuer: "https://saml.test",
      type: "saml",
      keys: { certificate },
      mapSubject: "link",
      subjectClaim: "uid",
      status: "disabled",
    },
    admin,
  );
  for (const slug of ["acme", "no"])
    await createCompany({ name: `Company ${slug}`, slug, defaultRule: "members" }, admin);
  await updateCompany("no", { status: "disabled" }, admin);
  await updateCompanySignIn("acme", { addDomains: ["acme.test", "acme.example"], ownProvider: true }, admin);
  await setAppPolicy("acme", { clientId: "plain.id_1", rule: "allow" }, admin);
  await setAppPolicy("acme", { clientId: "12345", rule: "allow", scopes: ["yes"], lifetime: 100 }, admin);
  await setAppPolicy("acme", { clientId: "spa", rule: "block" }, admin);
  await setAppPolicy("acme", { clientId: "verified", rule: "ask" }, admin);
  await createProvider(
    {
      preset: "google",
      clientId: "g",
      clientSecret: "s3cret",
      hostedDomain: "acme.org",
      emailDomains: ["acme.org"],
      trustEmail: true,
    },
    admin,
  );
  await createProvider({ preset: "github", clientId: "gh", clientSecret: "s3cret", host: "github.acme.org" }, admin);
  await createProvider({ preset: "github", clientId: "gh", clientSecret: "s3cret", name: "GitHub 2" }, admin);
  await createProvider(
    { preset: "entra", clientId: "e", tenant: "8eaef023-2b34-4da1-9baa-8bc8c9d6a490", believeFresh: true },
    admin,
  );
  await createProvider(
    {
      preset: "keycloak",
      name: "Keycloak",
      clientId: "k",
      host: "kc.test",
      realm: "staff",
      mfaAcr: ["2"],
      position: 1,
    },
    admin,
  );
  await createProvider({ preset: "gitlab", clientId: "gl", clientSecret: "s3cret", claims: { locale: "" } }, admin);
  const apple = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export({ format: "pem", type: "pkcs8" });
  await createProvider(
    { preset: "apple", clientId: "test.apple", teamId: "ABCDE12345", keyId: "ABCDE12345", clientSecret: String(apple) },
    admin,
  );
  const oauth = await createProvider(
    {
      type: "oauth",
      name: "OAuth",
      issuer: "https://o.test",
      clientId: "o",
      authorizationEndpoint: "https://o.test/a",
      tokenEndpoint: "https://o.test/t",
      userEndpoint: "https://o.test/u",
      claims: { subject: "id" },
      profile: "follow",
      whenDisabled: "pause",
      changeClients: ["mtls"],
    },
    admin,
  );
  await updateProvider(oauth.provider.id, { status: "disabled", createPeople: false }, admin);
}

/** A client that registered itself, with a company's rule about it. */
async function fillOthers({ admin }: TestDatabase): Promise<void> {
  const metadata = { client_name: "Agent", redirect_uris: ["https://agent.test/"], scope: "yes" };
  const { client } = await createClient({ clientId: "agent", type: "public", metadata }, admin);
  const registered = { tokenHash: "x", contacts: [] as readonly string[] } as NonNullable<typeof client.registered>;
  const stored = { ...client, registered };
  await admin.storage.clients.put({ client: stored, expect: null });
  await setAppPolicy("acme", { clientId: "agent", rule: "block" }, admin);
}

test("AP-01 records of every form: export → no change; applied to an empty server → exports the same", async () => {
  await fill(at);
  await fillOthers(at);
  const text = await exportConfiguration(at.admin, "all");
  expect(text).not.toMatch(/s3cret|PRIVATE|agent/);
  const plan = await planOf(text, at.admin);
  expect(plan.changes).toEqual([]);
  expect(plan.adopted).toHaveLength(31);
  // Apple's key is the one thing without which its provider can't be.
  const others = text.replace(/ {2}apple-[\s\S]*?(?=\n {2}\S)/, "").replace(/\n\n {2}/g, "\n  ");
  await apply(others, empty.admin);
  const bare = (one: string) => one.replaceAll(/^ *# .*secret.*\n/gm, "");
  const again = await exportConfiguration(empty.admin);
  expect(bare(again)).toBe(bare(others));
  expect((await planOf(again, empty.admin)).changes).toEqual([]);
});
