/** An app of a company at two addresses: an answer of one member opens neither for another (RFC 6749 §10.6). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, consentForm, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const HERE = "https://app.test/cb";
const THERE = "https://other.test/cb";
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("a second member allows the app at another address → the first sees the page there, which names both addresses, and answers for themselves", async () => {
  const { companyId: owner, admin, member } = await addCompany(server, { defaultRule: "members" });
  const client = await server.addClient({ redirectUris: [HERE, THERE], scopes: ["read"] });
  const at = (redirect_uri: string, more = {}) => authorizeUrl(server, client, { redirect_uri, ...more });
  const agent = new Agent(server.issuer);
  await authorize(agent, at(HERE), member.username, { owner, duration: "86400" });
  await authorize(new Agent(server.issuer), at(THERE), admin.username, { owner, duration: "604800" });
  const silent = await agent.get(at(THERE, { prompt: "none" }));
  expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  const page = await agent.get(at(THERE));
  expect(page.status).toBe(200);
  for (const host of ["app.test", "other.test"]) expect(page.text).toContain(host);
  expect(consentForm(page).fields.get("owner")).toBe(owner);
  const { location } = await agent.submit(consentForm(page), { decision: "allow", owner, duration: "31536000" });
  expect((await redeem(server, client, location ?? "", { redirect_uri: THERE })).body.scope).toBe("read");
  for (const place of [HERE, THERE]) {
    const again = await agent.get(at(place, { prompt: "none" }));
    expect(again.location?.searchParams.has("code")).toBe(true);
  }
  // A day later, the first address needs an answer again: there, the member chose a day.
  server.tick(86_400_000);
  const later = new Agent(server.issuer);
  await signIn(later, member.username);
  const [first, second] = [
    await later.get(at(HERE, { prompt: "none" })),
    await later.get(at(THERE, { prompt: "none" })),
  ];
  expect(second.location?.searchParams.has("code")).toBe(true);
  expect(first.location?.searchParams.get("error")).toBe("consent_required");
});
