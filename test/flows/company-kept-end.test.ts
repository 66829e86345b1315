/** A member sees the page of an app again, which an admin approved for longer than the member chose. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, consentForm } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("90 days of a year that is approved, then “Don’t change” → the page shows the 90 days, and access ends as before", async () => {
  const company = await addCompany(server);
  const client = await server.addClient();
  await decide(server, company, client, { scopes: ["read"], endsAt: server.now() + 365 * DAY });
  const agent = new Agent(server.issuer);
  const answer = { owner: company.companyId, duration: "7776000" };
  await authorize(agent, authorizeUrl(server, client), company.member.username, answer);
  const page = await agent.follow(await agent.get(authorizeUrl(server, client, { prompt: "consent" })));
  expect(page.text).not.toContain("in 12 months");
  await agent.submit(consentForm(page), { decision: "allow" });
  expect((await agent.get(`/company/${company.slug}`)).text).not.toContain("in 12 months");
});
