/**
 * Cross-app access (draft-ietf-oauth-identity-assertion-authz-grant-03): one server vouches for a person, and another server
 * lets the person's app use an API, for example an MCP server.
 */

import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Client, Connection } from "../../packages/server/src/oauth/model.ts";
import type { Company } from "../../packages/server/src/owners/company-storage.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { JWT_BEARER, present, trust } from "../support/assertion-requests.ts";
import {
  changeClient,
  expectRefusal,
  logged,
  type SignedInPerson,
  signedInPerson,
  tokensOf,
} from "../support/back-channel.ts";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, decide as connect, DEVICE_GRANT, poll } from "../support/device-actor.ts";
import { Agent, formTo, postForm, signIn, type TokenAnswer } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { conditionOf, exchange, exchanging, TOKEN_EXCHANGE, typeOf } from "../support/token-exchange.ts";

const MCP = "https://mcp.test/mcp";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";

/** The identity provider of Acme, and the authorization server of the MCP server. */
let idp: TestServer;
let there: TestServer;
let acme: TestCompany;
let wiki: TestClient;
/** The same app at the other server. */
let wikiThere: TestClient;

beforeAll(async () => {
  [idp, there] = await Promise.all([startServer(), startServer({ fetchFromLoopback: true })]);
  acme = await addCompany(idp, { defaultRule: "members" });
  await there.addResource({ identifier: MCP, name: "Tools" });
  await there.addScope({ name: "tools", description: "Use the tools", resource: MCP });
  wikiThere = await there.addClient({ name: "Wiki", grantTypes: [JWT_BEARER], redirectUris: [], scopes: ["tools"] });
  wiki = await aWiki();
  const company = await addCompany(there, { defaultRule: "members" });
  const key = { partition: company.partition, companyId: company.companyId };
  await there.assent.storage.companySignIn.set({
    ...key,
    ownProvider: false,
    addDomains: ["acme.test"],
    removeDomains: [],
    now: there.now(),
  });
  await trust(there, {
    ...{ issuer: idp.issuer, type: "id-jag", jwksUri: `${idp.issuer}/jwks`, scopes: ["tools"], mapSubject: "email" },
    company: company.companyId,
  });
  const member = await there.addPerson({ email: "alice@acme.test", emailVerifiedAt: 1 });
  await addMember(there, company, member);
});
afterAll(() => Promise.all([idp.stop(), there.stop()]));

const connection = (changes: Partial<Connection> = {}): Connection => ({
  ...{ audience: there.issuer, company: acme.companyId, clientId: wikiThere.clientId },
  ...{ scopes: ["tools"], resources: [MCP], status: "active" as const },
  ...changes,
});

/** An app whose people sign in at the provider. */
function aWiki(
  connections: readonly Connection[] = [connection()],
  changes: Partial<Client> = {},
): Promise<TestClient> {
  const tokenExchange = exchanging({ connections });
  const grantTypes = ["authorization_code", "refresh_token", TOKEN_EXCHANGE];
  return idp.addClient({ name: "Wiki", grantTypes, scopes: ["openid", "read"], tokenExchange, ...changes });
}

interface SignIn {
  readonly person: SignedInPerson;
  readonly idToken: string;
  readonly refreshToken: string;
}

async function aSignIn(app = wiki, at: TestCompany | null = acme, email = "alice@acme.test"): Promise<SignIn> {
  const taken = await idp.assent.storage.people.findByName({ name: email });
  const person = await signedInPerson(idp, taken ?? idp.addPerson({ email, emailVerifiedAt: 1 }));
  if (at !== null && taken === undefined) await addMember(idp, at, person);
  const asking = { ask: { scope: "openid read" }, answer: { owner: person.personId } };
  const { body, refresh } = await tokensOf(idp, app, person, asking);
  return { person, idToken: String(body["id_token"]), refreshToken: refresh };
}

const ask = (
  token: string,
  more: Record<string, string | undefined> = {},
  app: Pick<TestClient, "clientId" | "secret"> = wiki,
): Promise<TokenAnswer> =>
  exchange(idp, app, token, {
    ...{ subject_token_type: typeOf("id_token"), requested_token_type: ID_JAG, audience: there.issuer, ...more },
  });

let people = 0;
const aFreshSignIn = (app = wiki, at: TestCompany | null = acme) => aSignIn(app, at, `p${++people}@acme.test`);

async function expectSubjectRefused(answer: Promise<TokenAnswer>): Promise<void> {
  const got = await answer;
  expectRefusal(got, "invalid_request");
  expect(conditionOf(got)).toBe("subject_token_refused");
}

describe("IJ-01 one server vouches, the other gives a token", () => {
  test("a person signs in at the app → the app gets an ID-JAG, and with it a token for the MCP server", async () => {
    const { idToken, person } = await aSignIn();
    const { status, body } = await ask(idToken, { resource: MCP, scope: "tools" });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ issued_token_type: ID_JAG, token_type: "N_A", scope: "tools", expires_in: 300 });
    expect(body.refresh_token).toBeUndefined();
    const idJag = body.access_token ?? "";
    expect(decodeProtectedHeader(idJag)).toMatchObject({ typ: "oauth-id-jag+jwt", alg: "ES256" });
    const claims = decodeJwt(idJag);
    expect(claims).toMatchObject({
      ...{ iss: idp.issuer, sub: person.personId, aud: there.issuer, client_id: wikiThere.clientId },
      ...{ scope: "tools", resource: MCP, email: "alice@acme.test", email_verified: true },
      ...{ jti: expect.any(String), auth_time: expect.any(Number) },
    });
    expect(Number(claims.exp) - Number(claims.iat)).toBeLessThanOrEqual(300);

    const metadata = await (await fetch(`${there.issuer}/.well-known/oauth-authorization-server`)).json();
    expect(metadata).toMatchObject({
      authorization_grant_profiles_supported: ["urn:ietf:params:oauth:grant-profile:id-jag"],
    });
    const got = await present(there, wikiThere, JWT_BEARER, idJag, { scope: "" });
    expect([got.status, got.body.scope, got.body["resource"]], JSON.stringify(got.body)).toEqual([200, "tools", MCP]);
    expect(got.body.refresh_token).toBeUndefined();
    const keys = createRemoteJWKSet(new URL(`${there.issuer}/jwks`));
    const { payload } = await jwtVerify(got.body.access_token ?? "", keys, { audience: MCP, issuer: there.issuer });
    expect(payload["client_id"]).toBe(wikiThere.clientId);
    expectRefusal(await present(there, wikiThere, JWT_BEARER, idJag, { scope: "" }), "invalid_grant");
  });

  test("the ID-JAG is no token here: not for UserInfo, introspection, an exchange, or a grant of this server", async () => {
    const { idToken } = await aFreshSignIn();
    const idJag = (await ask(idToken)).body.access_token ?? "";
    const headers = { authorization: `Bearer ${idJag}` };
    expect((await fetch(`${idp.issuer}/userinfo`, { headers })).status).toBe(401);
    expect((await postForm(idp, "/introspect", wiki, { token: idJag })).body["active"]).not.toBe(true);
    await expectSubjectRefused(ask(idJag));
    const accepting = await idp.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
    expectRefusal(await present(idp, accepting, JWT_BEARER, idJag), "invalid_grant");
  });

  test("a refresh token of the app's sign-in → an ID-JAG, and the refresh token is not used up; the history and the log say so", async () => {
    const { refreshToken, person } = await aFreshSignIn();
    const before = logged(idp, "identity_assertion_issued");
    const subject_token_type = typeOf("refresh_token");
    for (const _ of [1, 2]) expect((await ask(refreshToken, { subject_token_type })).status).toBe(200);
    expect(logged(idp, "identity_assertion_issued") - before).toBe(2);
    const { partition, personId: ownerId } = person;
    const history = await idp.assent.storage.history.list({ partition, ownerId, before: null, limit: 10 });
    const entries = history.filter(({ kind }) => kind === "vouched");
    expect(entries.map(({ record, clientId }) => [clientId, record.through?.clientId])).toEqual([
      [wiki.clientId, there.issuer],
    ]);
    const page = await person.agent.get("/account/history");
    expect(page.text).toContain(there.issuer);
  });
});

describe("IJ-02 no connection", () => {
  test("another server; another company; paused; several; this server itself; no settings → refused", async () => {
    const { idToken } = await aFreshSignIn();
    const other = await addCompany(idp);
    const elsewhere = (sent: Record<string, string | undefined>) => ask(idToken, sent);
    expectRefusal(await elsewhere({ audience: "https://other.test" }), "invalid_target");
    expectRefusal(await elsewhere({ audience: `${there.issuer}/` }), "invalid_target");
    expectRefusal(await elsewhere({ audience: undefined }), "invalid_target");
    for (const one of [
      connection({ company: other.companyId }),
      connection({ status: "paused" }),
      connection({ audience: idp.issuer }),
    ]) {
      const app = await aWiki([one]);
      const signIn = await aSignIn(app, null, `p${people}@acme.test`);
      expectRefusal(await ask(signIn.idToken, { audience: one.audience }, app), "invalid_target");
    }
    const none = await aWiki([], { tokenExchange: null });
    const signIn = await aSignIn(none, null, `p${people}@acme.test`);
    expectRefusal(await ask(signIn.idToken, {}, none), "unauthorized_client");
  });
});

describe("IJ-04 between the sign-in and the exchange", () => {
  test.each<[string, (at: SignIn, app: TestClient) => Promise<unknown>]>([
    [
      "the person is disabled",
      ({ person: { partition, personId } }) =>
        idp.assent.storage.people.setStatus({ partition, personId, status: "disabled", now: idp.now() }),
    ],
    [
      "they left the company",
      async ({ person }) => {
        const { partition, companyId } = acme;
        await idp.assent.storage.members.remove({ partition, companyId, person, by: null, now: idp.now() });
      },
    ],
    [
      "their session ended",
      async ({ person: { partition, personId } }) => {
        await idp.assent.storage.sessions.endAll({ partition, personId, now: idp.now() });
      },
    ],
    ["the company blocks the app", (_, app) => decide(idp, acme, app, { rule: "block" })],
    [
      "the owner removed the app",
      async ({ person: { partition, personId } }, app) => {
        const key = { partition, ownerId: personId, clientId: app.clientId };
        await idp.assent.storage.consents.revoke({ ...key, revokedBy: personId, now: idp.now() });
      },
    ],
    [
      "the owner paused the app",
      async ({ person: { partition, personId } }, app) => {
        const key = { partition, ownerId: personId, clientId: app.clientId };
        await idp.assent.storage.consents.setPaused({ ...key, paused: true, by: personId, now: idp.now() });
      },
    ],
    [
      "the owner took the sign-in away, and left the app the rest",
      async ({ person: { partition, personId } }, app) => {
        const key = { partition, ownerId: personId, clientId: app.clientId };
        await idp.assent.storage.consents.narrow({ ...key, remove: ["openid"], by: personId, now: idp.now() });
      },
    ],
    ["the operator took the sign-in from the app", (_, app) => changeClient(idp, app, { scopes: ["read"] })],
    [
      "an admin paused the app for the company",
      async (_, app) => {
        await decide(idp, acme, app, {});
        const { partition, companyId } = acme;
        const paused = { partition, companyId, clientId: app.clientId, paused: true, by: null, now: idp.now() };
        expect(await idp.assent.storage.companyApps.setPaused(paused)).toMatchObject({ kind: "changed" });
      },
    ],
  ])("%s → refused, with the ID token and the refresh token", async (_, happens) => {
    const app = await aWiki();
    const signIn = await aFreshSignIn(app);
    expect((await ask(signIn.idToken, {}, app)).status).toBe(200);
    await happens(signIn, app);
    await settle();
    await expectSubjectRefused(ask(signIn.idToken, {}, app));
    await expectSubjectRefused(ask(signIn.refreshToken, { subject_token_type: typeOf("refresh_token") }, app));
  });

  test.each<[string, (person: Person) => Promise<unknown>]>([
    [
      "a new password",
      ({ partition, personId, passwordHash }) =>
        idp.assent.storage.people.setPassword({
          ...{ partition, personId, passwordHash: passwordHash ?? "", mustChange: false, keepSessionId: null },
          ...{ endGrants: false, now: idp.now() },
        }),
    ],
    [
      "the operator signs them out everywhere",
      ({ partition, personId }) => idp.assent.storage.sessions.endAll({ partition, personId, now: idp.now() }),
    ],
    [
      "they sign out everywhere",
      async ({ username }) => {
        const agent = new Agent(idp.issuer);
        await signIn(agent, username);
        const form = formTo(await agent.get("/account/security"), "/account/security/sessions");
        await agent.submit(form, { end: "all" });
        expect((await agent.get("/account/security")).location?.pathname).toBe("/login");
      },
    ],
  ])("a device's sign-in, which has no session, and then %s → refused; a refresh token goes on", async (_, over) => {
    const app = await aWiki([connection({ company: null })], {
      grantTypes: [DEVICE_GRANT, "refresh_token", TOKEN_EXCHANGE],
    });
    const person = await idp.addPerson({ email: `p${++people}@acme.test`, emailVerifiedAt: 1 });
    const { deviceCode, userCode } = await aDevice(idp, app, { scope: "openid read" });
    await connect(new Agent(idp.issuer), userCode, person.username);
    const { body } = await poll(idp, app, deviceCode);
    const idToken = String(body["id_token"]);
    expect(decodeJwt(idToken)).not.toHaveProperty("sid");
    expect((await ask(idToken, {}, app)).status).toBe(200);
    idp.tick(2_000);
    await over(person);
    await expectSubjectRefused(ask(idToken, {}, app));
    const asking = { subject_token_type: typeOf("refresh_token") };
    expect((await ask(String(body.refresh_token), asking, app)).status).toBe(200);
  });

  test("the time of the permission to sign in is over, that of the rest not → refused", async () => {
    const app = await aWiki([connection({ company: null })]);
    const person = await signedInPerson(idp, idp.addPerson({ email: `p${++people}@acme.test`, emailVerifiedAt: 1 }));
    const answer = { duration: "2592000", "duration:openid": "3600" };
    const { refresh } = await tokensOf(idp, app, person, { ask: { scope: "openid read" }, answer });
    const asking = { subject_token_type: typeOf("refresh_token") };
    expect((await ask(refresh, asking, app)).status).toBe(200);
    idp.tick(3_600_001);
    await expectSubjectRefused(ask(refresh, asking, app));
    expect(idp.log.at(-1)).toContain("nobody signed in by it, or that has ended");
  });

  test("a company's block → refused, also where another connection is for everybody", async () => {
    for (const connections of [
      [connection({ company: null }), connection()],
      [connection(), connection({ company: null })],
    ]) {
      const app = await aWiki(connections);
      const { idToken } = await aFreshSignIn(app);
      expect((await ask(idToken, {}, app)).status).toBe(200);
      await decide(idp, acme, app, { rule: "block" });
      await expectSubjectRefused(ask(idToken, {}, app));
      const stranger = await aFreshSignIn(app, null);
      expect((await ask(stranger.idToken, {}, app)).status).toBe(200);
    }
  });

  test("the client is disabled → 401; an ID token of another client, an expired one, an access token → refused", async () => {
    const app = await aWiki();
    const { idToken } = await aFreshSignIn(app);
    await expectSubjectRefused(ask(idToken));
    expectRefusal(await ask(idToken, { subject_token_type: typeOf("access_token") }, app), "invalid_request");
    await changeClient(idp, app, { status: "disabled" });
    expect((await ask(idToken, {}, app)).status).toBe(401);
  });
});

describe("IJ-04 a connection for everybody, and the companies of the member", () => {
  const open = () => aWiki([connection({ company: null })]);
  const pause = (company: Company, { clientId }: TestClient, paused: boolean) => {
    const { partition, companyId } = company;
    const asked = { partition, companyId, clientId, paused, by: null, now: idp.now() };
    return idp.assent.storage.companyApps.setPaused(asked);
  };
  const setStatus = ({ partition, companyId }: Company, status: Company["status"]) =>
    idp.assent.storage.companies.setStatus({ partition, companyId, status, now: idp.now() });

  async function expectStopped({ idToken, refreshToken }: SignIn, app: TestClient, why: string): Promise<void> {
    await expectSubjectRefused(ask(idToken, {}, app));
    expect(idp.log.at(-1)).toContain(why);
    await expectSubjectRefused(ask(refreshToken, { subject_token_type: typeOf("refresh_token") }, app));
  }

  test("the company blocks the app → refused; the block is lifted, or they leave → an ID-JAG; strangers get one always", async () => {
    const app = await open();
    const [member, other, stranger] = [await aFreshSignIn(app), await aFreshSignIn(app), await aFreshSignIn(app, null)];
    await decide(idp, acme, app, { rule: "block" });
    await expectStopped(member, app, "the company blocks the app");
    await expectStopped(other, app, "the company blocks the app");
    const admin = await aFreshSignIn(app, null);
    await addMember(idp, acme, admin.person, "admin");
    await expectStopped(admin, app, "the company blocks the app");
    expect((await ask(stranger.idToken, {}, app)).status).toBe(200);
    const { partition, companyId } = acme;
    await idp.assent.storage.members.remove({
      ...{ partition, companyId, person: other.person, by: null, now: idp.now() },
    });
    await settle();
    expect((await ask(other.idToken, {}, app)).status).toBe(200);
    await decide(idp, acme, app, null);
    expect((await ask(member.idToken, {}, app)).status).toBe(200);
  });

  test("an admin paused the app → refused; resumed → an ID-JAG", async () => {
    const app = await open();
    const member = await aFreshSignIn(app);
    await decide(idp, acme, app, {});
    expect(await pause(acme, app, true)).toMatchObject({ kind: "changed" });
    await expectStopped(member, app, "the company paused the app");
    expect(await pause(acme, app, false)).toMatchObject({ kind: "changed" });
    expect((await ask(member.idToken, {}, app)).status).toBe(200);
  });

  test("one company of several blocks it → refused, also if the other allows it; the other's own connection → an ID-JAG by that", async () => {
    const app = await open();
    const member = await aFreshSignIn(app);
    const other = await addCompany(idp, { defaultRule: "members" });
    await addMember(idp, other, member.person);
    await decide(idp, other, app, {});
    await decide(idp, acme, app, { rule: "block" });
    await expectStopped(member, app, "the company blocks the app");
    const its = connection({ company: other.companyId, scopes: ["tools", "more"] });
    await changeClient(idp, app, { tokenExchange: exchanging({ connections: [connection({ company: null }), its] }) });
    expect((await ask(member.idToken, {}, app)).body.scope).toBe("tools more");
  });

  test("the company is disabled → its block and its pause still count; without a decision about the app, it stops nothing", async () => {
    const app = await open();
    const companies = await Promise.all([1, 2, 3].map(() => addCompany(idp)));
    const [blocks, pauses, neither] = companies as [TestCompany, TestCompany, TestCompany];
    const [blocked, paused, free] = [
      await aFreshSignIn(app, blocks),
      await aFreshSignIn(app, pauses),
      await aFreshSignIn(app, neither),
    ];
    await decide(idp, blocks, app, { rule: "block" });
    await decide(idp, pauses, app, {});
    expect(await pause(pauses, app, true)).toMatchObject({ kind: "changed" });
    for (const status of ["disabled", "active"] as const) {
      await Promise.all(companies.map((company) => setStatus(company, status)));
      await expectStopped(blocked, app, "the company blocks the app");
      await expectStopped(paused, app, "the company paused the app");
      expect((await ask(free.idToken, {}, app)).status).toBe(200);
    }
  });

  test.each<[string, (company: TestCompany, app: TestClient, person: Person) => Promise<unknown>]>([
    ["its rule says that members must ask", (company, app) => decide(idp, company, app, { rule: "ask" })],
    [
      "it allows the app to others",
      (company, app) => decide(idp, company, app, { selected: [company.member.personId] }),
    ],
    [
      "its admins revoked the app",
      async (company, app) => {
        await decide(idp, company, app, {});
        const { partition, companyId } = company;
        await idp.assent.storage.companyApps.revokeForAll({
          ...{ partition, companyId, clientId: app.clientId, by: null, now: idp.now() },
        });
      },
    ],
    [
      "the member stopped the app for the company",
      ({ partition, companyId }, { clientId }, { personId }) =>
        idp.assent.storage.companyApps.setOptOut({
          ...{ partition, companyId, clientId, personId, out: true, now: idp.now() },
        }),
    ],
  ])("%s → an ID-JAG all the same: that is about the company's name", async (_, happens) => {
    for (const defaultRule of ["members", "block"] as const) {
      const company = await addCompany(idp, { defaultRule });
      for (const connections of [[], [connection({ company: company.companyId, scopes: ["other"] })]]) {
        const app = await aWiki([connection({ company: null }), ...connections]);
        const member = await aFreshSignIn(app, company);
        await happens(company, app, member.person);
        expect((await ask(member.idToken, {}, app)).status).toBe(200);
      }
    }
  });
});

describe("IJ-05 the ceiling of the connection", () => {
  test("more scopes → only what is allowed; none of them → invalid_scope; another API → invalid_target", async () => {
    const { idToken } = await aFreshSignIn();
    const { status, body } = await ask(idToken, { scope: "tools admin" });
    expect([status, body.scope, decodeJwt(body.access_token ?? "")["scope"]]).toEqual([200, "tools", "tools"]);
    expectRefusal(await ask(idToken, { scope: "admin" }), "invalid_scope");
    expectRefusal(await ask(idToken, { resource: "https://api.test" }), "invalid_target");
    const all = decodeJwt((await ask(idToken)).body.access_token ?? "");
    expect([all["scope"], all["resource"]]).toEqual(["tools", MCP]);
  });
});
