/** A member's open request stays until their answer gives what it asks for. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, consentForm, formTo } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test.each([undefined, "3600"])(
  "an earlier answer (for %s s) gives the permission no more, another one is allowed on a page → the open request stays",
  async (duration) => {
    const company = await addCompany(server, { defaultRule: "members" });
    const { member, companyId: owner } = company;
    const app = await server.addClient({ scopes: ["read", "write"] });
    const agent = new Agent(server.issuer);
    const url = (scope: string) => authorizeUrl(server, app, { prompt: "consent", scope });
    await authorize(agent, url("write"), member.username, duration === undefined ? { owner } : { owner, duration });
    server.tick(1000);
    if (duration !== undefined) server.tick(3_700_000);
    await decide(server, company, app, { scopes: ["read"] });
    const open = () => server.assent.storage.companyApps.listRequests({ ...company, limit: 9 });
    const page = await agent.follow(await agent.get(url("write")));
    const form = await agent.submit(consentForm(page), { decision: "allow", owner });
    const told = await agent.submit(formTo(form, "/consent/ask"), { decision: "ask", reason: "x" });
    expect(told.status).toBe(200);
    expect(await open()).toHaveLength(1);
    server.tick(1000);
    await authorize(agent, url("read"), "", { owner });
    const silent = (await agent.get(authorizeUrl(server, app, { prompt: "none", scope: "write" }))).location;
    expect(silent?.searchParams.get("error")).toBe("consent_required");
    expect(await open()).toHaveLength(1);
  },
);
