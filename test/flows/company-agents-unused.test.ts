/** A company's page Agents names the apps that nobody uses now and whose last token still works. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changeClient } from "../support/back-channel.ts";
import { addCompany, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
const NONE = "No app can act while nobody is signed in";
const UNUSED = /Used by nobody now .* Last One ends in (\d+) minutes/;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** A member's app, and the admin's page Agents as plain text. */
async function aStory(isApproved = true) {
  const company = await addCompany(server, { defaultRule: isApproved ? "ask" : "members" });
  const client = await server.addClient({ name: "Last One" });
  if (isApproved) await decide(server, company, client, {});
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  await signIn(admin, company.admin.username);
  const url = authorizeUrl(server, client, { prompt: "consent" });
  await redeem(server, client, await authorize(member, url, company.member.username, { owner: company.companyId }));
  const { partition, companyId } = company;
  const key = { partition, companyId, by: company.admin.personId };
  const { storage } = server.assent;
  const { member: person } = company;
  const remove = () => storage.members.remove({ ...key, person, now: server.now() });
  const ofApp = { ...key, clientId: client.clientId };
  const page = async () =>
    (await admin.get(`/company/${company.slug}/agents`)).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  return { client, ofApp, personId: person.personId, storage, page, remove };
}

describe("the last user of an app was removed, and its last token still works", () => {
  test.each([
    ["an approval holds", true],
    ["members decide", false],
  ])("%s → the app is named as one that nobody uses, until that token has expired", async (_, isApproved) => {
    const { page, remove } = await aStory(isApproved);
    expect(await page()).not.toMatch(UNUSED);
    await remove();
    const shown = await page();
    expect(Number(UNUSED.exec(shown)?.[1])).toBeLessThanOrEqual(10);
    expect(shown).toContain("They get no new access of their own until somebody connects them again.");
    expect(shown).not.toContain("Recently ended");
    expect(shown).not.toContain(NONE);
    server.tick(11 * MINUTE);
    expect(await page()).not.toMatch(UNUSED);
    expect(await page()).toContain(NONE);
  });

  test("revoked for everyone, or turned off by the operator → it has ended instead", async () => {
    const revoked = await aStory();
    await revoked.remove();
    await revoked.storage.companyApps.revokeForAll({ ...revoked.ofApp, now: server.now() });
    expect(await revoked.page()).toMatch(/Recently ended .* Last One ends in \d+ minutes/);
    expect(await revoked.page()).not.toMatch(UNUSED);
    const off = await aStory();
    await off.remove();
    await changeClient(server, off.client, { status: "disabled" });
    expect(await off.page()).toMatch(/Recently ended .* Last One ends in \d+ minutes/);
    expect(await off.page()).not.toMatch(UNUSED);
  });

  test("paused for everyone → it is listed as paused, and not as one that nobody uses", async () => {
    const { ofApp, storage, page, remove } = await aStory();
    await storage.companyApps.setPaused({ ...ofApp, paused: true, ceiling: null, now: server.now() });
    await remove();
    expect(await page()).toContain("Paused");
    expect(await page()).not.toMatch(UNUSED);
  });
});

test("its only user stopped it for themselves → named, too", async () => {
  const { ofApp, personId, storage, page } = await aStory();
  await storage.companyApps.setOptOut({ ...ofApp, personId, out: true, now: server.now() });
  expect(await page()).toMatch(UNUSED);
});
