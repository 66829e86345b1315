/** The page of an app of a company that gets access to members' accounts by assertions of the company's identity provider. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TrustedIssuer } from "../../packages/server/src/oauth/trusted-issuer.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { Agent, type Form, type Page, postForm, signIn } from "../support/http-browser.ts";
import { settle, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const idp = aJwtIssuer("https://acme.idp.test");
let server: TestServer;
let company: TestCompany;
let member: Person;
let robot: TestClient;
let admin: Agent;

const acme = (changes: Partial<TrustedIssuer> = {}) =>
  trust(server, {
    ...{ issuer: idp.issuer, type: "id-jag", jwks: idp.jwks, scopes: ["read"], mapSubject: "email" },
    company: company.companyId,
    ...changes,
  });

beforeAll(async () => {
  server = await startServer();
  company = await addCompany(server, { defaultRule: "members" });
  const { partition, companyId } = company;
  const key = { partition, companyId, ownProvider: true, removeDomains: [] };
  await server.assent.storage.companySignIn.set({ ...key, addDomains: ["acme.test"], now: server.now() });
  member = await server.addPerson({ email: "dan@acme.test", emailVerifiedAt: 1 });
  await addMember(server, company, member);
  robot = await aRobot();
  await acme();
  admin = new Agent(server.issuer);
  await signIn(admin, company.admin.username);
});
afterAll(() => server.stop());

const aRobot = (changes: Partial<TestClient> = {}) =>
  server.addClient({
    ...{ name: "Robot", grantTypes: [JWT_BEARER], redirectUris: [], scopes: ["read"], verified: true },
    ...changes,
  });

async function byAssertion(by = robot) {
  const claims = {
    ...{ ...claimsFor(server, idp, "00u-dan"), client_id: by.clientId },
    ...{ email: member.email, email_verified: true },
  };
  return present(server, by, JWT_BEARER, jwtOf(idp, claims, { alg: "ES256", kid: "one", typ: "oauth-id-jag+jwt" }));
}

const pageOf = (app = robot) => admin.get(`/company/${company.slug}/apps/${app.clientId}`);
const textOf = ({ text }: Page) => text.replaceAll(/<\/?bdi[^>]*>/g, "").replaceAll(/<[^>]*>/g, " ");
const says = async (app = robot) => textOf(await pageOf(app));
const pauseForm = ({ forms }: Page): Form | undefined => forms.find(({ action }) => action.endsWith("/agents/pause"));

describe("an app that the company's identity provider lets in", () => {
  test("no such provider, another company's, a turned-off one, one for other apps; an app without the grant → the page doesn't speak of it", async () => {
    await decide(server, company, robot, { scopes: ["read"] });
    const other = await addCompany(server);
    const wrong = [
      { status: "disabled" },
      { company: other.companyId },
      { company: null },
      { clients: ["other"] },
    ] as const;
    for (const changes of wrong) {
      await acme(changes);
      const text = await says();
      expect(text, JSON.stringify(changes)).not.toContain("acme.idp.test");
      expect(text).toContain("Nobody now");
    }
    await acme();
    const plain = await server.addClient({ verified: true });
    await decide(server, company, plain, { scopes: ["read"] });
    expect(await says(plain)).not.toContain("acme.idp.test");
    await decide(server, company, robot, null);
  });

  test("a member's token is in use → the page names the provider and doesn't claim that nobody uses the app", async () => {
    await decide(server, company, robot, { scopes: ["read"] });
    const { status, body } = await byAssertion();
    expect(status, JSON.stringify(body)).toBe(200);
    const text = await says();
    expect(text).not.toContain("Nobody now");
    expect(text).not.toContain("Not used yet");
    expect(text).toContain("Nobody in the company’s name");
    expect(text).toContain(
      "acme.idp.test can give Robot access to the accounts of members who may use the app, without asking them. This page doesn’t list them.",
    );
    expect(text).toContain(
      "If you block or pause the app, it gets no new access from acme.idp.test. Access that it has by then ends within 10 minutes.",
    );
    await decide(server, company, robot, null);
  });

  test("no rule, so the company has no consent → only a block is offered, as there is nothing to pause", async () => {
    const page = await pageOf(await aRobot());
    expect(pauseForm(page)).toBeUndefined();
    expect(textOf(page)).toContain("If you block the app, it gets no new access from acme.idp.test.");
  });

  test("the admin pauses it there → the next assertion is refused, the token lasts, the page says so; resumed → a token", async () => {
    await decide(server, company, robot, { scopes: ["read"] });
    const { body } = await byAssertion();
    const page = await pageOf();
    const form = pauseForm(page);
    if (form === undefined) throw new Error(page.text);
    await admin.submit(form, {});
    expect((await byAssertion()).status).toBe(400);
    expect((await postForm(server, "/introspect", robot, { token: body.access_token ?? "" })).body["active"]).toBe(
      true,
    );
    const paused = await pageOf();
    expect(pauseForm(paused)).toBeUndefined();
    expect(textOf(paused)).toContain(
      "While the app is blocked or paused, acme.idp.test can’t give it new access to members’ accounts. Access from before lasts 10 minutes at most.",
    );
    const agents = await admin.get(`/company/${company.slug}/agents`);
    expect(textOf(agents)).not.toContain("has ended since");
    expect(textOf(agents)).toContain("What was allowed stays.");
    expect(textOf(agents)).not.toContain("Not used yet");
    const resume = agents.forms.find(({ action }) => action.endsWith("/agents/resume"));
    if (resume === undefined) throw new Error(agents.text);
    await admin.submit(resume, {});
    expect((await byAssertion()).status).toBe(200);
    await decide(server, company, robot, null);
  });

  test("the admin blocks it → the next assertion is refused, and the page says how long the rest lasts", async () => {
    await byAssertion();
    await decide(server, company, robot, { rule: "block" });
    expect((await byAssertion()).status).toBe(400);
    const page = await pageOf();
    expect(pauseForm(page)).toBeUndefined();
    expect(textOf(page)).toContain("While the app is blocked or paused, acme.idp.test can’t give it new access");
    await decide(server, company, robot, null);
    await settle();
  });
});
