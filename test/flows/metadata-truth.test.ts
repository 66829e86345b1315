/** Everything that the metadata lists works, and nothing else does (RFC 8414 §2). */

import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf, createClient } from "../../packages/server/src/admin/index.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretsOf } from "../../packages/server/src/data-dir.ts";
import type { Client, ClientAuthMethod } from "../../packages/server/src/oauth/model.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { locales } from "../../packages/server/src/pages/index.ts";
import { trust } from "../support/assertion-requests.ts";
import { basic } from "../support/back-channel.ts";
import { Agent, authorizeUrl, pkce, postForm, redeem, signIn, type TokenAnswer } from "../support/http-browser.ts";
import { aCertificate, headerOf } from "../support/make-certificates.ts";
import {
  aKeyPair,
  aSigningClient,
  claimsOf,
  jwksOf,
  type KeyPair,
  JWT_BEARER as SIGNED,
  sign,
} from "../support/signing-clients.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { aClientFor, flows, OUR_GRANTS, type OurGrant, prepare } from "../support/walk-every-grant.ts";

type Document = Readonly<Record<string, readonly string[] & string>>;

const authority = aCertificate({ subject: "/CN=Clients CA", authority: true });

/**
 * `proxied` trusts a proxy that passes certificates on, so all methods work. With `plain`, methods by certificate
 * don't.
 */
let plain: TestServer;
let proxied: TestServer;
let people: Map<TestServer, Person>;
let documents: Map<TestServer, Document>;

beforeAll(async () => {
  plain = await startServer();
  const handedOn = { trustProxy: ["127.0.0.1"], clientCertHeader: "Client-Cert", tlsClientCa: authority.certPath };
  proxied = await startServer({ config: handedOn });
  people = new Map();
  documents = new Map();
  for (const server of [plain, proxied]) {
    people.set(server, await prepare(server));
    const found = await fetch(`${server.issuer}/.well-known/oauth-authorization-server`);
    documents.set(server, (await found.json()) as Document);
  }
});
afterAll(() => Promise.all([plain.stop(), proxied.stop()]));

const listed = (member: string, server = plain): readonly string[] => documents.get(server)?.[member] ?? [];
const person = () => people.get(plain) as Person;

const METHODS: readonly ClientAuthMethod[] = [
  ...(["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"] as const),
  ...(["tls_client_auth", "self_signed_tls_client_auth", "none"] as const),
];

/** All values of the standards. Those that the metadata doesn't list are tested, too. */
const STANDARD = {
  grants: [
    ...["authorization_code", "refresh_token", "client_credentials", "password", "implicit"],
    ...["device_code", "jwt-bearer", "saml2-bearer", "token-exchange", "uma-ticket"].map(
      (name) => `urn:ietf:params:oauth:grant-type:${name}`,
    ),
    "urn:openid:params:grant-type:ciba",
  ],
  algs: ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512", "EdDSA"],
  secretAlgs: ["HS256", "HS384", "HS512"],
  responseTypes: ["code", "token", "id_token", "code token", "code id_token", "id_token token", "none"],
  responseModes: ["query", "fragment", "form_post", "jwt", "query.jwt", "form_post.jwt", "web_message"],
  prompts: ["none", "login", "consent", "select_account", "create"],
} as const;

describe("grant types", () => {
  let registered: TestClient;
  beforeAll(async () => {
    registered = await aClientFor(plain, STANDARD.grants);
  });

  test.each(STANDARD.grants)(
    "%s: listed → a registered client gets a token, another none; else nobody does",
    async (grant) => {
      const isListed = listed("grant_types_supported").includes(grant);
      const flow = flows[grant as OurGrant];
      expect(flow !== undefined).toBe(isListed);
      const others = await aClientFor(
        plain,
        STANDARD.grants.filter((one) => one !== grant),
      );
      if (flow === undefined) {
        const { body } = await postForm(plain, "/token", registered, { grant_type: grant });
        expect(body.error).toBe("unsupported_grant_type");
        return;
      }
      expect(await flow(plain, registered, person())).toMatchObject({ token: expect.any(String) });
      expect(await flow(plain, others, person())).toMatchObject({ error: "unauthorized_client" });
    },
  );

  test("nothing is listed that no standard names → the list above is whole", () => {
    expect(listed("grant_types_supported").filter((one) => !STANDARD.grants.some((name) => name === one))).toEqual([]);
  });
});

describe("the authorization endpoint", () => {
  let client: TestClient;
  beforeAll(async () => {
    client = await aClientFor(plain, OUR_GRANTS, listed("scopes_supported"));
  });

  /** Signs in and allows the request once. After that, answers need no page. */
  async function answerTo(ask: Record<string, string | undefined>): Promise<string> {
    const agent = new Agent(plain.issuer);
    await signIn(agent, person().username);
    const page = await agent.follow(await agent.get(authorizeUrl(plain, client, ask)));
    const form = page.forms.find(({ action }) => action.endsWith("/consent"));
    const last = form === undefined ? page : await agent.submit(form, { decision: "allow" });
    const posted = last.forms[0]?.fields;
    return last.location?.href ?? (posted === undefined ? last.text : [...posted].flat().join(" "));
  }

  test.each(STANDARD.responseTypes)(
    "response_type %s: listed → an answer, else unsupported_response_type",
    async (type) => {
      const answer = await answerTo({ response_type: type });
      expect(/[?#&](?:code|access_token)=/.test(answer)).toBe(listed("response_types_supported").includes(type));
      expect(answer.includes("unsupported_response_type")).toBe(!listed("response_types_supported").includes(type));
    },
  );

  test.each(STANDARD.responseModes)(
    "response_mode %s: listed → one of the response types takes it, else none",
    async (mode) => {
      const answers = [];
      for (const response_type of listed("response_types_supported")) {
        answers.push(await answerTo({ response_type, response_mode: mode }));
      }
      const works = answers.some((answer) => /\bac_[\w-]{40}|\bcode=|access_token\b/.test(answer));
      expect(works, answers.join("\n")).toBe(listed("response_modes_supported").includes(mode));
    },
  );

  test.each(STANDARD.prompts)("prompt %s: listed → understood, else invalid_request", async (prompt) => {
    const answer = await answerTo({ prompt });
    expect(answer.includes("error=invalid_request")).toBe(!listed("prompt_values_supported").includes(prompt));
  });

  test.each(["S256", "plain"])(
    "code_challenge_method %s: listed → taken and verified, else refused",
    async (method) => {
      const { verifier, challenge } = pkce();
      const code_challenge = method === "S256" ? challenge : verifier;
      const answer = new URL(await answerTo({ code_challenge, code_challenge_method: method })).searchParams;
      const isListed = listed("code_challenge_methods_supported").includes(method);
      expect(answer.get("error")).toBe(isListed ? null : "invalid_request");
      if (!isListed) return;
      expect((await redeem(plain, client, answer.get("code") ?? "", { code_verifier: verifier })).status).toBe(200);
    },
  );

  test("each scope that is listed → granted to a client that may; any other → invalid_scope", async () => {
    for (const scope of listed("scopes_supported")) {
      expect(await answerTo({ scope }), scope).toMatch(/[?&]code=/);
    }
    expect(await answerTo({ scope: "unlisted" })).toContain("error=invalid_scope");
  });

  test("iss is promised → it stands in answers and in errors", async () => {
    expect(listed("authorization_response_iss_parameter_supported")).toBe(true);
    for (const ask of [{}, { scope: "unlisted" }]) {
      expect(new URL(await answerTo(ask)).searchParams.get("iss")).toBe(plain.issuer);
    }
  });
});

describe("client authentication", () => {
  const certificate = aCertificate({ subject: "/CN=import", by: authority });
  const robot = { grantTypes: ["client_credentials"], ownScopes: ["read"] } as const;

  /** A client that is registered for this method, and the fields with which it authenticates. */
  async function aClientBy(method: ClientAuthMethod, server: TestServer, alg?: string): Promise<Proof> {
    const add = (changes: Partial<Client> = {}) => server.addClient({ ...robot, authMethod: method, ...changes });
    switch (method) {
      case "client_secret_basic": {
        const { clientId, secret } = await add();
        return async () => ({ headers: { authorization: basic(clientId, secret) }, fields: {} });
      }
      case "client_secret_post": {
        const { clientId, secret } = await add();
        return async () => ({ headers: {}, fields: { client_id: clientId, client_secret: secret } });
      }
      case "none": {
        const { clientId } = await server.addClient({ type: "public" });
        return async () => ({ headers: {}, fields: { client_id: clientId } });
      }
      case "tls_client_auth": {
        const { clientId } = await add({
          secrets: [],
          tlsSubject: { field: "tls_client_auth_subject_dn", value: "CN=import" },
        });
        return async () => ({ headers: { "client-cert": headerOf(certificate) }, fields: { client_id: clientId } });
      }
      case "self_signed_tls_client_auth": {
        const { clientId } = await add({ secrets: [], jwks: certificate.jwks });
        return async () => ({ headers: { "client-cert": headerOf(certificate) }, fields: { client_id: clientId } });
      }
      case "workload_jwt": {
        const [key, issuer] = [await aKeyPair(alg), `https://${randomUUID()}.test`];
        await trust(server, { issuer, type: "jwt", jwks: jwksOf(key), scopes: [] });
        const client = await add({ secrets: [], workload: { issuer, subject: "job", audience: null } });
        const assertion = () => sign(key, claimsOf(server, client, { iss: issuer, sub: "job" }));
        const fields = { client_id: client.clientId, client_assertion_type: SIGNED };
        return async () => ({ headers: {}, fields: { ...fields, client_assertion: await assertion() } });
      }
      case "private_key_jwt": {
        const key = await aKeyPair(alg);
        return signing(await aSigningClient(server, key), key, server);
      }
      case "client_secret_jwt": {
        const secrets = () => new Secrets(secretsOf(server.assent.config));
        const admin = adminOf(server.assent.storage, server.issuer, server.now, secrets);
        const metadata = {
          client_name: "Robot",
          grant_types: ["client_credentials"],
          token_endpoint_auth_method: method,
        };
        const { client, secret } = await createClient({ type: "confidential", ownScopes: ["read"], metadata }, admin);
        await settle();
        const privateKey = new TextEncoder().encode(secret ?? "");
        return signing(client, { privateKey, alg: alg ?? "HS256", jwk: {} } as unknown as KeyPair, server);
      }
    }
  }

  type Proof = () => Promise<{ headers: Record<string, string>; fields: Record<string, string> }>;

  function signing(client: Pick<Client, "clientId">, key: KeyPair, server: TestServer): Proof {
    return async () => ({
      headers: {},
      fields: {
        client_assertion_type: SIGNED,
        client_assertion: await sign(key, claimsOf(server, client)),
      },
    });
  }

  async function asked(
    server: TestServer,
    path: string,
    proof: Proof,
    more: Record<string, string>,
  ): Promise<TokenAnswer> {
    const { headers, fields } = await proof();
    return postForm(server, path, null, { ...fields, ...more }, headers);
  }

  const servers = [
    ["without TLS", () => plain],
    ["behind a proxy that hands certificates on", () => proxied],
  ] as const;

  describe.each(servers)("%s", (_, at) => {
    test.each(METHODS)("%s: at each endpoint that lists it → known, at any other → invalid_client", async (method) => {
      const server = at();
      const proof = await aClientBy(method, server);
      const endpoints = [
        // A public client is accepted, too, but it can't get a token in its own name.
        ["token", "/token", { grant_type: "client_credentials" }],
        ["revocation", "/revoke", { token: "rt_x" }],
        ["introspection", "/introspect", { token: "rt_x" }],
      ] as const;
      for (const [name, path, fields] of endpoints) {
        const isListed = listed(`${name}_endpoint_auth_methods_supported`, server).includes(method);
        const { body } = await asked(server, path, proof, fields);
        expect([name, body.error !== "invalid_client"], JSON.stringify(body)).toEqual([name, isListed]);
      }
    });
  });

  test.each([...STANDARD.algs, ...STANDARD.secretAlgs])(
    "an assertion by %s: listed → known at each endpoint, else at none",
    async (alg) => {
      const method = alg.startsWith("HS") ? "client_secret_jwt" : "private_key_jwt";
      const proof = await aClientBy(method, plain, alg);
      for (const [name, path, fields] of [
        ["token", "/token", { grant_type: "client_credentials" }],
        ["revocation", "/revoke", { token: "rt_x" }],
        ["introspection", "/introspect", { token: "rt_x" }],
      ] as const) {
        const isListed = listed(`${name}_endpoint_auth_signing_alg_values_supported`).includes(alg);
        const { body } = await asked(plain, path, proof, fields);
        expect([name, body.error !== "invalid_client"], JSON.stringify(body)).toEqual([name, isListed]);
      }
    },
  );

  test("an assertion by SAML, which isn't listed → invalid_client", async () => {
    const fields = {
      grant_type: "client_credentials",
      client_assertion_type: "urn:ietf:params:oauth:client-assertion-type:saml2-bearer",
      client_assertion: "PHNhbWw+",
    };
    expect((await postForm(plain, "/token", null, fields)).body.error).toBe("invalid_client");
  });

  test("certificate-bound tokens: promised where certificates arrive, and there alone", async () => {
    const member = "tls_client_certificate_bound_access_tokens";
    expect([documents.get(plain)?.[member], documents.get(proxied)?.[member]]).toEqual([undefined, true]);
    const client = await proxied.addClient({ ...robot, certificateBound: true });
    const headers = { "client-cert": headerOf(certificate) };
    const { body } = await postForm(proxied, "/token", client, { grant_type: "client_credentials" }, headers);
    const [, payload = ""] = (body.access_token ?? "").split(".");
    const { cnf } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { cnf?: Record<string, string> };
    expect(cnf).toEqual({ "x5t#S256": certificate.thumbprint });
  });
});

describe("languages and displays (OpenID Connect Core §3.1.2.1)", () => {
  const login = async (asked: Record<string, string>) => {
    const client = await plain.addClient();
    const agent = new Agent(plain.issuer);
    return agent.follow(await agent.get(authorizeUrl(plain, client, asked)));
  };

  test("each language of ui_locales_supported → the page in it; these are all languages of the pages", async () => {
    expect([...listed("ui_locales_supported")].sort()).toEqual([...locales].sort());
    for (const tag of listed("ui_locales_supported"))
      expect((await login({ ui_locales: tag })).text).toContain(`<html lang="${tag}"`);
  });

  test.each(["page", "touch", "popup", "wap", "PAGE", "../x", "<script>", "page touch"])(
    "display=%s → the usual page",
    async (display) => {
      const [usual, page] = [await login({}), await login({ display })];
      const asked = (text: string) => /<h1[\s\S]*?<\/h1>/.exec(text)?.[0];
      expect([page.status, asked(page.text)]).toEqual([200, asked(usual.text)]);
      expect(page.text).not.toContain("<script>");
    },
  );
});
