/** The member's page of a company's apps names only permissions that they answered, or that a rule lets them use. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, redeem } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
const ALL = ["read", "write", "profile"];
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** An admin allowed an app everything, and a member a part. */
async function aStory(answer: Record<string, string | readonly string[]>, scopes = ["read", "write"]) {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ALL });
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  const connect = async (agent: Agent, who: "admin" | "member", scope: readonly string[], fields: object) => {
    const url = authorizeUrl(server, app, { scope: scope.join(" "), prompt: "consent" });
    const location = await authorize(agent, url, company[who].username, { owner: company.companyId, ...fields });
    await redeem(server, app, location);
  };
  await connect(admin, "admin", ALL, { scope: ALL });
  await connect(member, "member", scopes, { scope: scopes, ...answer });
  const { partition, companyId } = company;
  const restart = async () => {
    for (const status of ["disabled", "active"] as const)
      await server.assent.storage.companies.setStatus({ partition, companyId, status, now: server.now() });
  };
  const at = `/company/${company.slug}`;
  const card = async () => {
    const { text } = await member.get(at);
    const found = text.split("<article").find((part) => part.includes(`data-client-id="${app.clientId}"`)) ?? "";
    return found.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  };
  return { restart, card };
}

test("the company was disabled and enabled again → the member's card names what they answered, not what an admin allowed", async () => {
  const { restart, card } = await aStory({ scope: ["read", "write"] });
  expect(await card()).toMatch(/See your photos.*Change your photos/);
  await restart();
  const shown = await card();
  expect(shown).toMatch(/The app would be allowed to See your photos Change your photos/);
  expect(shown).not.toContain("See your name");
});

test("… and one answer was for this once, or its time is over → the card doesn't name it", async () => {
  const once = await aStory({ "duration:write": "once" });
  const short = await aStory({ "duration:write": "3600" });
  for (const { restart, card } of [once, short]) {
    await restart();
    if (card === short.card) server.tick(HOUR);
    const shown = await card();
    expect(shown).toContain("The app would be allowed to See your photos");
    expect(shown).not.toContain("Change your photos");
  }
});
