/** A member sees the page of an app again, which the company allows for longer than the member chose. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { aDevice, aDeviceClient, enter, poll } from "../support/device-actor.ts";
import { Agent, authorize, authorizeUrl, consentForm } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

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

/** The ends of the member's grants by scope, the newest grant first. */
async function endsForMember({ partition, companyId, member }: TestCompany) {
  const whose = { partition, companyId, personId: member.personId, now: server.now() };
  const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
  return grants.map(({ scopes }) => Object.fromEntries(scopes.map(({ name, expiresAt }) => [name, expiresAt])));
}

/** Members decide. One of them allows an app for 90 days; then an admin lets the company's consent last a year. */
async function aYearForNinetyDays(client: TestClient) {
  const company = await addCompany(server, { defaultRule: "members" });
  const { companyId: owner, admin, member } = company;
  const agent = new Agent(server.issuer);
  await authorize(agent, authorizeUrl(server, client), member.username, { owner, duration: "7776000" });
  const ninetyDays = (await endsForMember(company))[0]?.["read"];
  const url = authorizeUrl(server, client, { prompt: "consent" });
  await authorize(new Agent(server.issuer), url, admin.username, { owner, "duration:read": "31536000" });
  return { company, agent, ninetyDays, url };
}

test("90 days of a year that the company has, decided by members → the page shows the 90 days, and “Don’t change” keeps them", async () => {
  const client = await server.addClient();
  const { company, agent, ninetyDays, url } = await aYearForNinetyDays(client);
  const page = await agent.follow(await agent.get(url));
  expect(page.text).not.toContain("in 12 months");
  await agent.submit(consentForm(page), { decision: "allow" });
  await agent.follow(await agent.get(authorizeUrl(server, client)));
  expect(await endsForMember(company)).toEqual([1, 2, 3].map(() => ({ read: ninetyDays })));
});

test.each(["the company's", "the person's own"])(
  "likewise with a permission that is new, on a page with %s boxes → only that one gets the longer time",
  async (boxes) => {
    const client = await server.addClient({ scopes: ["read", "write"] });
    const { company, agent, ninetyDays } = await aYearForNinetyDays(client);
    const { companyId: owner } = company;
    const page = await agent.follow(await agent.get(authorizeUrl(server, client, { scope: "read write" })));
    const form = consentForm(page);
    if (boxes === "the company's") form.fields.set("shown_owner", owner);
    await agent.submit(form, { owner, decision: "allow", scope: ["read", "write"], duration: "31536000" });
    const [, made] = await endsForMember(company);
    expect(made?.["read"]).toBe(ninetyDays);
    expect(made?.["write"]).toBeGreaterThan(server.now() + 364 * DAY);
  },
);

test("likewise, and an admin then chooses a week → for the admin alone; the member keeps the 90 days", async () => {
  const client = await server.addClient();
  const { company, agent, ninetyDays, url } = await aYearForNinetyDays(client);
  const { companyId: owner, admin } = company;
  await authorize(new Agent(server.issuer), url, admin.username, { owner, "duration:read": "604800" });
  const page = await agent.follow(await agent.get(url));
  await agent.submit(consentForm(page), { decision: "allow" });
  expect(await endsForMember(company)).toEqual([{ read: ninetyDays }, { read: ninetyDays }]);
});

test("likewise on a device → the device's access keeps the 90 days", async () => {
  const client = await aDeviceClient(server);
  const company = await addCompany(server, { defaultRule: "members" });
  const allow = async (username: string, fields: Record<string, string>) => {
    const { userCode, deviceCode } = await aDevice(server, client);
    const agent = new Agent(server.issuer);
    const page = await enter(agent, userCode, username);
    await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId, ...fields });
    await poll(server, client, deviceCode);
    return page.text;
  };
  await allow(company.member.username, { duration: "7776000" });
  const [first] = await endsForMember(company);
  await allow(company.admin.username, { "duration:read": "31536000" });
  expect(await allow(company.member.username, {})).not.toContain("in 12 months");
  expect(await endsForMember(company)).toEqual([first, first]);
});

test("an hour for one permission and a week for the other, under an approval → as chosen, at once and without a page; shown by permission", async () => {
  const client = await server.addClient({ scopes: ["read", "write"] });
  const company = await addCompany(server);
  await decide(server, company, client, { scopes: ["read", "write"], endsAt: server.now() + 365 * DAY });
  const agent = new Agent(server.issuer);
  const answer = { owner: company.companyId, duration: "604800", "duration:read": "3600", scope: ["read", "write"] };
  const url = authorizeUrl(server, client, { scope: "read write" });
  await authorize(agent, url, company.member.username, answer);
  const [first] = await endsForMember(company);
  expect((first?.["write"] ?? 0) - (first?.["read"] ?? 0)).toBe((7 * 24 - 1) * 3_600_000);
  await agent.follow(await agent.get(url));
  expect(await endsForMember(company)).toEqual([first, first]);
  const card = (await agent.get(`/company/${company.slug}`)).text;
  for (const shown of ["in 60 minutes", "in 7 days", "Last permission ends"]) expect(card).toContain(shown);
  server.tick(3_600_000);
  const page = await agent.follow(await agent.get(url));
  expect(consentForm(page).fields.get("owner")).toBe(company.companyId);
  expect(page.text).toContain("ends <time");
  await agent.follow(await agent.get(authorizeUrl(server, client, { scope: "write" })));
  expect((await endsForMember(company))[0]).toEqual({ write: first?.["write"] });
});
