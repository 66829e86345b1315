/** An app that can't act for the owner chosen last any more does not move to another owner unseen. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { addCompany, addMember, claimsOf, decide } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, consentForm, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** A member of two companies. The app has their answer for the second, and then, last, one for the first or themselves. */
async function answeredFor(last: "acme" | "self") {
  const acme = await addCompany(server);
  const beta = await addCompany(server, { name: "Beta", defaultRule: "members" });
  const { member } = acme;
  await addMember(server, beta, member);
  const app = await server.addClient({ scopes: ["read"] });
  await decide(server, acme, app, {});
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app, { prompt: "consent" });
  await authorize(agent, url, member.username, { owner: beta.companyId });
  server.tick(1000);
  const owner = last === "acme" ? acme.companyId : member.personId;
  await authorize(agent, url, "", last === "acme" ? { owner } : { owner, duration: "3600" });
  const next = (more = {}) => authorizeUrl(server, app, more);
  return { acme, beta, member, app, agent, next };
}

test("the company chosen last withdraws its approval → the page, not another company's access; the answer counts for who is chosen", async () => {
  const { acme, beta, app, agent, next } = await answeredFor("acme");
  await decide(server, acme, app, { rule: "ask", scopes: [] });
  const silent = (await agent.get(next({ prompt: "none" }))).location;
  expect(silent?.searchParams.get("error")).toBe("consent_required");
  expect((await agent.get("/account/apps")).text).not.toContain('may connect for <bdi class="name">Beta</bdi>');
  const page = await agent.follow(await agent.get(next()));
  expect([page.status, page.location]).toEqual([200, undefined]);
  const callback = await authorize(agent, next(), "", { owner: beta.companyId });
  const { body } = await redeem(server, app, callback);
  expect(claimsOf(body.access_token)["sub"]).toBe(beta.companyId);
  expect((await agent.get("/account/apps")).text).toContain(
    'may connect for <bdi class="name">Beta</bdi> without asking',
  );
});

test("the time chosen for the last owner is over → the page, not the access of another", async () => {
  const { member, agent, beta, app, next } = await answeredFor("self");
  server.tick(3_700_000);
  const page = await agent.follow(await agent.get(next()));
  expect(page.location).toBeUndefined();
  expect(consentForm(page).fields.get("owner")).toBe(member.personId);
  const callback = await authorize(agent, next(), "", { owner: beta.companyId });
  const { body } = await redeem(server, app, callback);
  expect(claimsOf(body.access_token)["sub"]).toBe(beta.companyId);
  // Beta is the last choice now.
  expect((await agent.follow(await agent.get(next()))).location?.searchParams.has("code")).toBe(true);
});

test.each(["an answer", "an answer of which no time was stored"])(
  "%s for themselves was the last, and its time is over → the list of apps says that the app asks",
  async (answer) => {
    const { member, agent, app, next } = await answeredFor("self");
    const row = `owner_id = '${member.personId}' AND client_id = '${app.clientId}'`;
    if (answer !== "an answer")
      await byHand(server.assent.config.databaseUrl, [`UPDATE consents SET chosen_at = NULL WHERE ${row}`]);
    server.tick(3_700_000);
    const list = (await agent.get("/account/apps")).text;
    expect(list).toContain(`data-client-id="${app.clientId}"`);
    expect(list).not.toContain('may connect for <bdi class="name">Beta</bdi>');
    expect((await agent.follow(await agent.get(next()))).location).toBeUndefined();
  },
);

test("asked for whom again, and another owner chosen → the notice says that earlier access stays, and it does", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const { companyId, member } = company;
  const app = await server.addClient({ scopes: ["read"] });
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app);
  const { body } = await redeem(server, app, await authorize(agent, url, member.username, { owner: companyId }));
  const page = await agent.get("/account/apps");
  const form = page.forms.find(({ action }) => action.endsWith("/ask-for-whom"));
  if (form === undefined) throw new Error("nothing asks for whom");
  const told = await agent.follow(await agent.submit(form));
  expect(told.text).toContain("The access that it has now stays, whatever you choose then.");
  const other = await redeem(server, app, await authorize(agent, url, "", { owner: member.personId }));
  expect(claimsOf(other.body.access_token)["sub"]).toBe(member.personId);
  const kept = await refresh(server, app, body.refresh_token);
  expect([kept.status, claimsOf(kept.body.access_token)["sub"]]).toEqual([200, companyId]);
});

test("a member is asked again by an app that has access → the page says that a refusal changes nothing, and it doesn't", async () => {
  const { member } = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ["read"] });
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app, { prompt: "consent" });
  const owner = member.personId;
  const { body } = await redeem(server, app, await authorize(agent, url, member.username, { owner }));
  const page = await agent.follow(await agent.get(url));
  expect(page.text).not.toContain("the app gets no new access");
  expect(page.text).toContain("nothing changes: the app gets nothing new, and keeps any access that it has already.");
  await agent.submit(consentForm(page), { decision: "deny" });
  expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
});

const gone: readonly [string, (at: Awaited<ReturnType<typeof answeredFor>>) => Promise<unknown>][] = [
  ["blocks the app", ({ acme, app }) => decide(server, acme, app, { rule: "block", scopes: [] })],
  [
    "ends the app's access",
    ({ acme: { partition, companyId }, app: { clientId } }) =>
      server.assent.storage.companyApps.revokeForAll({ partition, companyId, clientId, by: null, now: server.now() }),
  ],
  ["selects other members", ({ acme, app }) => decide(server, acme, app, { selected: [acme.admin.personId] })],
  [
    "removes the person",
    ({ acme: { partition, companyId }, member: person }) =>
      server.assent.storage.members.remove({ partition, companyId, person, by: null, now: server.now() }),
  ],
  [
    "is disabled",
    ({ acme: { partition, companyId } }) =>
      server.assent.storage.companies.setStatus({ partition, companyId, status: "disabled", now: server.now() }),
  ],
  [
    "is deleted",
    ({ acme: { partition, companyId } }) =>
      server.assent.storage.companies.delete({ partition, companyId, now: server.now() }),
  ],
  [
    "is one where the person stopped the app for themselves",
    ({ acme: { partition, companyId }, app: { clientId }, member: { personId } }) =>
      server.assent.storage.companyApps.setOptOut({
        ...{ partition, companyId, clientId, personId, out: true, now: server.now() },
      }),
  ],
];

test.each(gone)("the company chosen last %s → the page, not another company's access", async (_, happens) => {
  const at = await answeredFor("acme");
  await happens(at);
  const { app, agent, beta, next } = at;
  const silent = (await agent.get(next({ prompt: "none" }))).location;
  expect(silent?.searchParams.get("error")).toBe("consent_required");
  expect((await agent.get("/account/apps")).text).not.toContain('may connect for <bdi class="name">Beta</bdi>');
  const page = await agent.follow(await agent.get(next()));
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(page.text).not.toContain('Last time you chose <bdi class="name">Beta</bdi>');
  const callback = await authorize(agent, next(), "", { owner: beta.companyId });
  const { body } = await redeem(server, app, callback);
  expect(claimsOf(body.access_token)["sub"]).toBe(beta.companyId);
  expect((await agent.follow(await agent.get(next()))).location?.searchParams.has("code")).toBe(true);
});

test("removed from the only company, chosen last → the page, not the access that they allowed for themselves earlier", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const { member: person, partition, companyId } = acme;
  const app = await server.addClient({ scopes: ["read"] });
  const agent = new Agent(server.issuer);
  const asked = authorizeUrl(server, app, { prompt: "consent" });
  const next = authorizeUrl(server, app);
  await authorize(agent, asked, person.username, { owner: person.personId });
  server.tick(1000);
  await authorize(agent, asked, "", { owner: companyId });
  await server.assent.storage.members.remove({ partition, companyId, person, by: null, now: server.now() });
  const page = await agent.follow(await agent.get(next));
  expect([page.status, page.location]).toEqual([200, undefined]);
  await authorize(agent, next, "", {});
  expect((await agent.follow(await agent.get(next))).location?.searchParams.has("code")).toBe(true);
});

test("the company chosen last, for this once alone → the page with that company, not the person's own access", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const { member: person, companyId } = acme;
  const app = await server.addClient({ scopes: ["read"] });
  const agent = new Agent(server.issuer);
  const asked = authorizeUrl(server, app, { prompt: "consent" });
  const next = authorizeUrl(server, app);
  await authorize(agent, asked, person.username, { owner: person.personId });
  server.tick(1000);
  await authorize(agent, asked, "", { owner: companyId, duration: "once" });
  const page = await agent.follow(await agent.get(next));
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(page.text).toContain('Last time you chose <bdi class="name">Acme Corp</bdi>');
  expect(consentForm(page).fields.get("owner")).toBe(companyId);
  const callback = await authorize(agent, next, "", { owner: person.personId });
  const { body } = await redeem(server, app, callback);
  expect(claimsOf(body.access_token)["sub"]).toBe(person.personId);
  expect((await agent.follow(await agent.get(next))).location?.searchParams.has("code")).toBe(true);
});

test("the person revokes what they allowed last, for themselves → the page, not a company's access", async () => {
  const { member, agent, beta, app, next } = await answeredFor("self");
  const { partition, personId: ownerId } = member;
  const { clientId } = app;
  await server.assent.storage.consents.revoke({ partition, ownerId, clientId, revokedBy: ownerId, now: server.now() });
  expect((await agent.get("/account/apps")).text).not.toContain('may connect for <bdi class="name">Beta</bdi>');
  const page = await agent.follow(await agent.get(next()));
  expect([page.status, page.location]).toEqual([200, undefined]);
  expect(page.text).toContain("Last time you chose yourself");
  await authorize(agent, next(), "", { owner: beta.companyId });
  expect((await agent.follow(await agent.get(next()))).location?.searchParams.has("code")).toBe(true);
});
