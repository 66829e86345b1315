/** For whom a member answers: nobody acts for a company without having chosen to (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, consentForm, redeem, signIn } from "../support/browser-like.ts";
import { addCompany, claimsOf, decide } from "../support/companies.ts";
import { startServer, type TestServer } from "../support/server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("approved for all members → a member's first request asks for whom, whatever others did; the person is selected", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, admin, member } = company;
  // Somebody else acts for the company, and was the last to.
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), admin.username, { owner: companyId });
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const silent = await agent.get(authorizeUrl(server, app, { prompt: "none" }));
  expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  for (const prompt of [{}, { prompt: "consent" }]) {
    const page = await agent.get(authorizeUrl(server, app, prompt));
    expect(consentForm(page).fields.get("owner")).toBe(member.personId);
  }
  // Allow, and nothing else: for the person, not for the company.
  const page = await agent.get(authorizeUrl(server, app));
  const answer = await agent.submit(consentForm(page), { decision: "allow" });
  const { body } = await redeem(server, app, answer.location ?? "");
  expect(claimsOf(body.access_token)["sub"]).toBe(member.personId);
});

test("chosen before → the company is selected on the next page; then the person, by their own last choice", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const agent = new Agent(server.issuer);
  const { companyId, member } = company;
  await authorize(agent, authorizeUrl(server, app), member.username, { owner: companyId });
  const next = async () => consentForm(await agent.get(authorizeUrl(server, app, { prompt: "consent" })));
  const form = await next();
  expect(form.fields.get("owner")).toBe(companyId);
  server.tick(1000);
  await agent.submit(form, { decision: "allow", owner: member.personId });
  expect((await next()).fields.get("owner")).toBe(member.personId);
});
