/** What OpenID Connect adds to the metadata works, and nothing that it leaves out does (OpenID Connect Discovery §3). */

import { createRemoteJWKSet, decodeJwt, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { adminOf, createClient } from "../../../packages/server/src/admin/index.ts";
import { formWith, withSecondStep } from "../../support/authenticator-app.ts";
import { addCompany } from "../../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, consentForm, type Page, redeem, signIn } from "../../support/http-browser.ts";
import { aLogoutReceiver } from "../../support/logout-receiver.ts";
import { SoftAuthenticator } from "../../support/soft-webauthn-authenticator.ts";
import { settle, startServer, type TestClient, type TestServer } from "../../support/test-server.ts";

type Claims = Readonly<Record<string, unknown>>;

let server: TestServer;
let app: TestClient;
let document: Readonly<Record<string, unknown>>;

beforeAll(async () => {
  // Passkeys need a host name.
  server = await startServer({ host: "localhost", fetchFromLoopback: true });
  // As it is on every server, not as the tests' own.
  await server.assent.storage.scopes.delete({ name: "profile", now: server.now() });
  app = await server.addClient({ scopes: ["openid", "profile", "email", "phone", "address", "offline_access"] });
  document = await (await fetch(`${server.issuer}/.well-known/openid-configuration`)).json();
});
afterAll(() => server.stop());

const listed = (member: string) => document[member] as readonly string[];

/** Registers a client as an operator does. */
async function registered(metadata: Claims) {
  const admin = adminOf(server.assent.storage, server.issuer, server.now);
  const redirect_uris = ["https://app.test/cb"];
  const all = { client_name: "Signer", redirect_uris, scope: "openid", ...metadata };
  const { client, secret } = await createClient({ type: "confidential", metadata: all }, admin);
  await settle();
  return { ...client, secret: secret ?? "" };
}

async function tokensFor(client: TestClient, ask: Record<string, string> = {}, answer = {}, username?: string) {
  const who = username ?? (await server.addPerson()).username;
  const link = authorizeUrl(server, client, { scope: "openid", ...ask });
  const { body } = await redeem(server, client, await authorize(new Agent(server.issuer), link, who, answer));
  return { access: String(body.access_token), idToken: String(body["id_token"]) };
}

async function userInfo(token: string): Promise<Claims> {
  const answer = await fetch(String(document["userinfo_endpoint"]), { headers: { authorization: `Bearer ${token}` } });
  return (await answer.json()) as Claims;
}

const ALGS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "ES256K", "EdDSA", "Ed25519"],
  ...["HS256", "HS384", "HS512", "none"],
];

test.each(ALGS)(
  "ID tokens by %s: listed → a client registers it and a listed key verifies, else refused",
  async (alg) => {
    const metadata = { id_token_signed_response_alg: alg };
    if (!listed("id_token_signing_alg_values_supported").includes(alg)) {
      await expect(registered(metadata)).rejects.toMatchObject({
        problems: [expect.objectContaining({ field: "id_token_signed_response_alg" })],
      });
      return;
    }
    const client = await registered(metadata);
    const { idToken } = await tokensFor(client);
    const { protectedHeader } = await jwtVerify(idToken, createRemoteJWKSet(new URL(String(document["jwks_uri"]))), {
      issuer: server.issuer,
      audience: client.clientId,
      algorithms: [alg],
      currentDate: new Date(server.now()),
    });
    expect(protectedHeader.alg).toBe(alg);
  },
);

test("no algorithm is listed that no standard names → the list above is whole", () => {
  expect(listed("id_token_signing_alg_values_supported").filter((alg) => !ALGS.includes(alg))).toEqual([]);
});

describe("claims", () => {
  const DETAILS = {
    ...{ given_name: "Ada", middle_name: "Augusta", family_name: "Lovelace", nickname: "Enchantress" },
    ...{ birthdate: "1815-12-10", gender: "female", website: "https://ada.example", zoneinfo: "Europe/London" },
    ...{ profile_url: "https://social.example/@ada", locale: "en-gb", phone_number: "+44 20 7946 0000" },
    ...{ street: "12 St James’s Square", postal_code: "SW1Y 4JH", locality: "London", country: "United Kingdom" },
  };

  /** The admin of a company, of whom everything is known. */
  async function somebody() {
    const company = await addCompany(server);
    const { admin } = company;
    const agent = new Agent(server.issuer);
    await signIn(agent, admin.username);
    const page = await agent.get("/account/profile");
    const saved = await agent.submit(formWith(page, "given_name"), DETAILS);
    expect(saved.location?.search).toBe("?done=details");
    const picture = new FormData();
    const form = page.forms.find(({ action }) => action.endsWith("/picture"));
    for (const [name, value] of form?.fields ?? []) if (name !== "picture") picture.append(name, value);
    const { default: sharp } = await import("sharp");
    const red = { r: 200, g: 0, b: 0 };
    const png = await sharp({ create: { width: 9, height: 9, channels: 3, background: red } })
      .png()
      .toBuffer();
    picture.append("picture", new Blob([new Uint8Array(png)], { type: "image/png" }), "red.png");
    expect((await agent.request("POST", form?.action ?? "", picture)).status).toBe(303);
    return { owner: company.companyId, username: admin.username };
  }

  test("of somebody of whom all is known → the ID token and UserInfo together have each listed claim, and no other", async () => {
    const { owner, username } = await somebody();
    const ask = { scope: "openid profile email phone address", nonce: "n1" };
    const { access, idToken } = await tokensFor(app, ask, { owner }, username);
    const seen = new Set([...Object.keys(decodeJwt(idToken)), ...Object.keys(await userInfo(access))]);
    expect([...seen].sort()).toEqual([...listed("claims_supported")].sort());
  });

  test("asked for by the parameter claims, which is promised → in the ID token; unlisted ones nowhere", async () => {
    expect(document["claims_parameter_supported"]).toBe(true);
    const { username } = await somebody();
    const ofPeople = listed("claims_supported").slice(listed("claims_supported").indexOf("organization") + 1);
    const unlisted = ["groups", "roles", "_claim_names", "_claim_sources", "password", "name#fr"];
    const wanted = Object.fromEntries([...ofPeople, ...unlisted].map((name) => [name, null]));
    const claims = JSON.stringify({ id_token: wanted, userinfo: wanted });
    const ask = { scope: "openid profile email phone address", claims };
    const { access, idToken } = await tokensFor(app, ask, {}, username);
    const inIdToken = decodeJwt(idToken);
    expect(ofPeople.filter((name) => !Object.hasOwn(inIdToken, name))).toEqual([]);
    for (const found of [inIdToken, await userInfo(access)]) {
      expect(unlisted.filter((name) => Object.hasOwn(found, name))).toEqual([]);
    }
  });

  test("claim types: normal alone → each claim is a value of its own", async () => {
    expect(listed("claim_types_supported")).toEqual(["normal"]);
    const { access } = await tokensFor(app, { scope: "openid profile email" });
    for (const name of ["_claim_names", "_claim_sources"]) expect(await userInfo(access)).not.toHaveProperty(name);
  });
});

test("subject types: public alone → a person has one sub at all apps, also at one that asks for pairwise", async () => {
  expect(listed("subject_types_supported")).toEqual(["public"]);
  const { username, personId } = await server.addPerson();
  for (const subject_type of ["public", "pairwise"]) {
    const { idToken } = await tokensFor(await registered({ subject_type }), {}, {}, username);
    expect(decodeJwt(idToken).sub).toBe(personId);
  }
});

describe("levels of sign-in", () => {
  const optionsOf = ({ text }: Page) =>
    JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));

  /** A browser that has signed in at this level. */
  const browserAt: Readonly<Record<string, () => Promise<Agent>>> = {
    "1fa": async () => {
      const agent = new Agent(server.issuer);
      await signIn(agent, (await server.addPerson()).username);
      return agent;
    },
    mfa: async () => {
      const { agent, app: code, person } = await withSecondStep(server);
      agent.cookies.clear();
      const step = await signIn(agent, person.username);
      await agent.submit(formWith(step, "code"), { code: code.code() });
      return agent;
    },
    phr: async () => {
      const agent = new Agent(server.issuer);
      await signIn(agent, (await server.addPerson()).username);
      const key = new SoftAuthenticator(server.issuer);
      const page = await agent.get("/account/security/passkeys");
      await agent.submit(formWith(page, "credential"), { name: "Key", credential: key.create(optionsOf(page)) });
      agent.cookies.clear();
      const login = await agent.get("/login");
      await agent.submit(formWith(login, "credential"), { credential: key.get(optionsOf(login)) });
      return agent;
    },
  };
  const essential = (acr: string) => JSON.stringify({ id_token: { acr: { essential: true, values: [acr] } } });

  test("→ the listed ones are those that a sign-in reaches", () => {
    expect([...listed("acr_values_supported")].sort()).toEqual(Object.keys(browserAt).sort());
  });

  test.each(Object.entries(browserAt))(
    "%s, which is listed → an essential acr is met, and the ID token says so",
    async (acr, at) => {
      const agent = await at();
      const link = authorizeUrl(server, app, { scope: "openid", claims: essential(acr) });
      const answer = await agent.submit(consentForm(await agent.follow(await agent.get(link))), { decision: "allow" });
      const { body } = await redeem(server, app, answer.location ?? "");
      expect(decodeJwt(String(body["id_token"]))["acr"]).toBe(acr);
    },
  );

  test.each(["0", "2fa", "phrh", "MFA", "urn:mace:incommon:iap:silver"])(
    "%s, which is not listed → access_denied if essential, without effect if not",
    async (acr) => {
      const agent = await (browserAt["1fa"]?.() ?? Promise.reject(new Error("no browser")));
      const ask = (more: Record<string, string>) => agent.get(authorizeUrl(server, app, { scope: "openid", ...more }));
      const refused = await ask({ claims: essential(acr) });
      expect(refused.location?.searchParams.get("error")).toBe("access_denied");
      expect((await ask({ acr_values: acr })).text).toContain('name="decision"');
    },
  );
});

test.each([
  ["request_parameter_supported", "request", "request_not_supported"],
  ["request_uri_parameter_supported", "request_uri", "request_uri_not_supported"],
])("%s is false → %s gives %s", async (member, parameter, error) => {
  expect(document[member]).toBe(false);
  const link = authorizeUrl(server, app, { scope: "openid", [parameter]: "https://app.test/object" });
  expect((await new Agent(server.issuer).get(link)).location?.searchParams.get("error")).toBe(error);
});

test("logout is promised, by the browser and by the back channel with sessions → both end one sign-in", async () => {
  const receiver = await aLogoutReceiver();
  try {
    expect(document["backchannel_logout_supported"]).toBe(true);
    expect(document["backchannel_logout_session_supported"]).toBe(true);
    const client = await server.addClient({
      ...{ scopes: ["openid"], backchannelLogoutUri: receiver.uri },
      postLogoutRedirectUris: ["https://app.test/bye"],
    });
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const callback = await authorize(agent, authorizeUrl(server, client, { scope: "openid" }), username);
    const id_token_hint = String((await redeem(server, client, callback)).body["id_token"]);
    const asked = new URLSearchParams({ id_token_hint, post_logout_redirect_uri: "https://app.test/bye" });
    const left = await agent.follow(await agent.get(`${document["end_session_endpoint"]}?${asked}`));
    expect(left.location?.href).toBe("https://app.test/bye");
    const [token = ""] = await receiver.until(1);
    expect(decodeJwt(token)["sid"]).toBe(decodeJwt(id_token_hint)["sid"]);
  } finally {
    receiver.stop();
  }
});

test("everything else of the standards is not listed, because it isn't built", () => {
  const absent = [
    ...["registration_endpoint", "check_session_iframe", "frontchannel_logout_supported", "claims_locales_supported"],
    ...["userinfo_signing_alg_values_supported", "userinfo_encryption_alg_values_supported"],
    ...["id_token_encryption_alg_values_supported", "id_token_encryption_enc_values_supported"],
    ...["request_object_signing_alg_values_supported", "pushed_authorization_request_endpoint"],
  ];
  expect(absent.filter((member) => Object.hasOwn(document, member))).toEqual([]);
});

test("openid-configuration → the same members as the metadata of RFC 8414, which test/flows/metadata-truth.test.ts tries", async () => {
  const other = await (await fetch(`${server.issuer}/.well-known/oauth-authorization-server`)).json();
  expect(document).toEqual(other);
});
