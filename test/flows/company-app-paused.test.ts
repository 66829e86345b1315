/** The page of a company's app says what holds only if the app is resumed, and how long its last tokens still work. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, formTo, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
const STILL = /The access that it already has ends within (\d+) minutes/;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** An approved app that a member uses, and what its page says to the admin. */
async function aStory() {
  const company = await addCompany(server);
  const client = await server.addClient();
  await decide(server, company, client, {});
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  await signIn(admin, company.admin.username);
  const answer = { owner: company.companyId };
  await redeem(server, client, await authorize(member, authorizeUrl(server, client), company.member.username, answer));
  const at = `/company/${company.slug}`;
  const page = async () => {
    const { text } = await admin.get(`${at}/apps/${client.clientId}`);
    return text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
  };
  const press = async (what: "pause" | "resume") =>
    admin.submit(formTo(await admin.get(`${at}/agents`), `${at}/agents/${what}`));
  const { partition, companyId, member: person } = company;
  const remove = () =>
    server.assent.storage.members.remove({
      ...{ partition, companyId, person, by: company.admin.personId, now: server.now() },
    });
  const revoke = () =>
    server.assent.storage.companyApps.revokeForAll({
      ...{ partition, companyId, clientId: client.clientId, by: company.admin.personId, now: server.now() },
    });
  return { page, press, remove, revoke };
}

describe("paused for everyone", () => {
  test("→ the page says what it may do if resumed, and how long its last token works; resumed → as before", async () => {
    const { page, press } = await aStory();
    expect(await page()).toContain("The app may See your photos");
    expect(await page()).not.toMatch(STILL);
    await press("pause");
    const paused = await page();
    expect(paused).toContain("If resumed, it may See your photos");
    expect(paused).not.toContain("The app may See");
    expect(Number(STILL.exec(paused)?.[1])).toBeLessThanOrEqual(10);
    server.tick(11 * MINUTE);
    expect(await page()).not.toMatch(STILL);
    await press("resume");
    expect(await page()).toContain("The app may See your photos");
  });

  test("and its only user is removed → nobody uses it, and its last token still works for some minutes", async () => {
    const { page, press, remove } = await aStory();
    await press("pause");
    await remove();
    const shown = await page();
    expect(shown).toContain("Used by Nobody now");
    expect(shown.match(new RegExp(STILL, "g"))).toHaveLength(1);
  });
});

test("its only user was removed → nobody uses it, and the page says how long its last token still works", async () => {
  const { page, remove } = await aStory();
  await remove();
  expect(await page()).toContain("Used by Nobody now");
  expect(await page()).toMatch(STILL);
  server.tick(11 * MINUTE);
  expect(await page()).toContain("Used by Nobody now");
  expect(await page()).not.toMatch(STILL);
});

test("revoked for everyone → the page says how long its last token still works", async () => {
  const { page, revoke } = await aStory();
  await revoke();
  expect(await page()).toMatch(STILL);
  expect(await page()).not.toContain("The app has no access");
  server.tick(11 * MINUTE);
  expect(await page()).toContain("The app has no access in the company’s name.");
  expect(await page()).not.toMatch(STILL);
});
