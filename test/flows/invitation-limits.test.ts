/**
 * Limits for invitations per admin and per company, because invitations send messages to addresses that somebody types.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, addMember, type TestCompany } from "../support/company-staff.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const HOUR = 3_600_000;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Invites this number of times; each invitation replaces the one before. Returns the last page, and all statuses. */
async function invites(person: { readonly username: string }, to: TestCompany, times: number) {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const form = (await agent.get(`/company/${to.slug}/members`)).forms.find(({ action }) => action.endsWith("/invite"));
  if (form === undefined) throw new Error("no form");
  let page: Page | undefined;
  const statuses: number[] = [];
  for (let at = 0; at < times; at += 1) {
    page = await agent.submit(form, { addressee: "nobody.at.all", role: "member" });
    statuses.push(page.status);
  }
  return { page, statuses: [...new Set(statuses)] };
}

const openOf = ({ partition, companyId }: TestCompany) =>
  server.assent.storage.invitations.list({ partition, companyId, now: server.now() });

test("the 51st invitation of one person in an hour, whatever became of the others → 429, nobody is invited; in an hour they may again", async () => {
  const acme = await addCompany(server);
  const own = await addCompany(server);
  await addMember(server, own, acme.admin, "admin");
  expect(await invites(acme.admin, acme, 50)).toMatchObject({ statuses: [200] });
  const [open] = await openOf(acme);
  // The limit of the person also applies in their other company.
  const late = await invites(acme.admin, own, 1);
  expect(late.statuses).toEqual([429]);
  expect(late.page?.text).toContain("Too many people were invited in a short time");
  expect(late.page?.text).toContain('value="nobody.at.all"');
  expect((await invites(acme.admin, acme, 1)).statuses).toEqual([429]);
  expect([await openOf(own), await openOf(acme)]).toEqual([[], [open]]);
  // Others are not affected.
  expect((await invites(own.admin, own, 1)).statuses).toEqual([200]);
  server.tick(HOUR);
  expect((await invites(acme.admin, own, 1)).statuses).toEqual([200]);
});

test("the 201st invitation of one company in a day, by whichever admin → 429; another company's admins may", async () => {
  const acme = await addCompany(server);
  for (let round = 0; round < 4; round += 1) {
    const admin = await server.addPerson();
    await addMember(server, acme, admin, "admin");
    expect(await invites(admin, acme, 50)).toMatchObject({ statuses: [200] });
  }
  expect((await invites(acme.admin, acme, 1)).statuses).toEqual([429]);
  server.tick(2 * HOUR);
  expect((await invites(acme.admin, acme, 1)).statuses).toEqual([429]);
  const other = await addCompany(server);
  expect((await invites(other.admin, other, 1)).statuses).toEqual([200]);
  server.tick(22 * HOUR);
  expect((await invites(acme.admin, acme, 1)).statuses).toEqual([200]);
});
