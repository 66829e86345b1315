/** What admins read about the rules of a company: the question before one is saved, access on an app's page, the history. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { changeClient } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, type Form, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

async function as({ username }: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, username);
  return agent;
}

const appPath = ({ clientId }: TestClient, { slug }: TestCompany) => `/company/${slug}/apps/${clientId}`;

function formTo(page: Page, { clientId }: TestClient): Form {
  const form = page.forms.find(({ action }) => action.endsWith(`/apps/${clientId}`));
  if (form === undefined) throw new Error(`no form: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

const plain = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

/** Submits the form about an app. The answer is the question, or says that the rule is saved. */
const ask = async (agent: Agent, app: TestClient, of: TestCompany, fields: Record<string, string | string[]>) =>
  agent.submit(formTo(await agent.get(appPath(app, of)), app), fields);

/** A member's grants with the ends of their scopes, in days from now. Null: none. */
async function endsFor({ partition, companyId, member }: TestCompany) {
  const whose = { partition, companyId, personId: member.personId, now: server.now() };
  const grants = await server.assent.storage.companyApps.grantsOfMember(whose);
  const days = (at: number | null) => (at === null ? null : Math.round((at - server.now()) / DAY));
  return grants.map(({ scopes }) => Object.fromEntries(scopes.map(({ name, expiresAt }) => [name, days(expiresAt)])));
}

test("members decided before; an approval of one permission for a day → that one ends then, the other stays, and the page says both", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ["read", "write"] });
  const url = authorizeUrl(server, app, { scope: "read write" });
  const answer = { owner: acme.companyId, scope: ["read", "write"], duration: String(90 * 86_400) };
  await authorize(new Agent(server.issuer), url, acme.member.username, answer);
  const agent = await as(acme.admin);
  const fields = { rule: "allow", audience: "everybody", scope: "read", duration: "86400" };
  const question = await ask(agent, app, acme, fields);
  const said = plain(question);
  expect(said).toMatch(
    /these permissions end on .+? at the latest\. Without it, they last longer: See your photos ends in 3 months Members affected 1/,
  );
  expect(said).toMatch(
    /doesn’t change these permissions\. Access that members or admins gave before keeps its own end: Change your photos ends in 3 months/,
  );
  await agent.submit(formTo(question, app));
  expect(await endsFor(acme)).toEqual([{ read: 1, write: 90 }]);
});

test("an approval loses a permission → the history says it of members alone, and what an admin's access keeps", async () => {
  const acme = await addCompany(server);
  const app = await server.addClient({ scopes: ["read", "write"] });
  await decide(server, acme, app, { scopes: ["read", "write"] });
  const url = authorizeUrl(server, app, { scope: "read write" });
  const answer = { owner: acme.companyId, scope: ["read", "write"], duration: "forever" };
  await authorize(new Agent(server.issuer), url, acme.admin.username, answer);
  const agent = await as(acme.admin);
  const history = async () => plain(await agent.get(`/company/${acme.slug}/history`));
  server.tick(1000);
  await decide(server, acme, app, { scopes: ["read"] });
  expect(await history()).not.toContain("taken away");
  await decide(server, acme, app, { scopes: ["read", "write"] });
  await authorize(new Agent(server.issuer), url, acme.member.username, answer);
  server.tick(1000);
  const fields = { rule: "allow", audience: "everybody", scope: "read", duration: "forever" };
  const question = plain(await ask(agent, app, acme, fields));
  expect(question).toContain("For current admins, these permissions don’t change: Change your photos no end");
  expect(question).not.toContain("Access that members or admins gave before");
  await decide(server, acme, app, { scopes: ["read"] });
  expect(await history()).toMatch(
    /Some access of Photo Printer was taken away the operator · [^·]*? It can until revoked: See your photos · Change your photos Removed for members: Change your photos Receipt/,
  );
  const { text } = await agent.get(`/company/${acme.slug}/history`);
  const links = [...text.matchAll(/href="([^"]*\/history\/receipt\?entry=[^"]+)"/g)].map(([, link]) => link ?? "");
  const receipts = await Promise.all(links.map(async (link) => JSON.parse((await agent.get(link)).text).content));
  const receipt = receipts.find(({ event }) => event === "narrowed");
  expect(receipt).toMatchObject({ taken_away: ["write"], taken_from: "members" });
  expect(receipt.allowed.map(({ scope }: { readonly scope: string }) => scope)).toEqual(["read", "write"]);
});

test("an approval for others, members decided before → only access that the choice on the page can't end is said to stay", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const other = await server.addPerson();
  await addMember(server, acme, other);
  const app = await server.addClient({ scopes: ["read", "write"] });
  const url = authorizeUrl(server, app, { scope: "read write" });
  const answer = { owner: acme.companyId, scope: ["read", "write"], duration: String(7 * 86_400) };
  await authorize(new Agent(server.issuer), url, acme.member.username, answer);
  const agent = await as(acme.admin);
  const fields = { rule: "allow", audience: "selected", member: other.personId, scope: "read", duration: "31536000" };
  const question = plain(await ask(agent, app, acme, fields));
  expect(question).toContain("Their access ends. Current admins keep their access.");
  expect(question).not.toContain("keeps its own end");
  expect(question).not.toContain("Change your photos");
  await authorize(new Agent(server.issuer), url, acme.admin.username, { ...answer, duration: String(30 * 86_400) });
  const asked = await ask(agent, app, acme, fields);
  expect(plain(asked)).toMatch(
    /These permissions aren’t part of this rule\. Admins, and members whom the rule allows, keep what they gave before until its own end: Change your photos ends in 30 days/,
  );
  await agent.submit(formTo(asked, app), { members: "end" });
  expect(await endsFor(acme)).toEqual([]);
  expect(await endsFor({ ...acme, member: acme.admin })).toEqual([{ read: 30, write: 30 }]);
});

test("an approval for selected members → the question names them, the permissions, and the end", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const other = await server.addPerson();
  await addMember(server, acme, other);
  const app = await server.addClient({ scopes: ["read", "write"] });
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), acme.member.username, {
    owner: acme.companyId,
  });
  const agent = await as(acme.admin);
  const fields = { rule: "allow", audience: "selected", member: other.personId, scope: "read" };
  const said = plain(await ask(agent, app, acme, { ...fields, duration: "86400" }));
  expect(said).toMatch(
    new RegExp(
      `Who may use it .*\\( ${other.username} \\) The other members ask an admin. What members may let it do See your photos`,
    ),
  );
  expect(said).toMatch(/See your photos Until when 1 day /);
  expect(said).not.toContain(acme.member.username);
  expect(said).not.toContain("Change your photos");
});

test("an approval without end under a ceiling that came later → form, question and history say when it ends, and saving it doesn't move that end", async () => {
  const acme = await addCompany(server);
  const app = await server.addClient({ scopes: ["read", "write"] });
  await decide(server, acme, app, { scopes: ["read", "write"] });
  const { partition, companyId } = acme;
  const [rule] = await server.assent.storage.companyApps.listRules({ partition, companyId });
  const end = (rule?.decidedAt ?? 0) + DAY;
  const url = authorizeUrl(server, app, { scope: "read write" });
  const answer = { owner: acme.companyId, scope: ["read", "write"] };
  await authorize(new Agent(server.issuer), url, acme.member.username, answer);
  await changeClient(server, app, { consentCeiling: 86_400 });
  server.tick(10_000);
  const day = new Intl.DateTimeFormat("en-US", { dateStyle: "long", timeZone: "UTC" }).format(end);
  const agent = await as(acme.admin);
  expect(plain(await agent.get(appPath(app, acme)))).toMatch(new RegExp(`Until when.*Until ${day}, as now`));
  const question = await ask(agent, app, acme, { scope: "read" });
  expect(plain(question)).toMatch(
    new RegExp(`Until when Until ${day}, as now After the end, the rule for other apps holds: members ask an admin\\.`),
  );
  await agent.submit(formTo(question, app));
  expect(await server.assent.storage.companyApps.listRules({ partition, companyId })).toMatchObject([{ endsAt: end }]);
  const entries = (
    await server.assent.storage.history.list({ partition, ownerId: companyId, before: null, limit: 2 })
  ).map(({ kind, record }) => [kind, record.expiresAt, record.scopes.map(({ expiresAt }) => expiresAt)]);
  expect(entries).toContainEqual(["narrowed", end, [end]]);
  expect(entries).toContainEqual(["allowed", end, [end]]);
});

test("the approval gives way to the rule for other apps → the question says what that rule is", async () => {
  const acme = await addCompany(server, { defaultRule: "block" });
  const app = await server.addClient();
  await decide(server, acme, app, {});
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), acme.member.username, {
    owner: acme.companyId,
  });
  const said = plain(await ask(await as(acme.admin), app, acme, { rule: "default" }));
  expect(said).toContain("Same rule as other apps Photo Printer follows the rule for other apps: only admins can");
  expect(said).toMatch(/doesn’t cover some members who use Photo Printer \. Members affected 1/);
});

test("no member loses an approval → whose access ends is not asked; that members decide from now on is said", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const other = await server.addPerson();
  await addMember(server, acme, other);
  const app = await server.addClient();
  const answer = { owner: acme.companyId };
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), acme.member.username, answer);
  // The member keeps the access, without an approval.
  const { partition, companyId } = acme;
  const only = (...people: readonly { readonly personId: string }[]) =>
    server.assent.storage.companyApps.setRule({
      ...{ partition, companyId, clientId: app.clientId, by: null, now: server.now() },
      rule: {
        ...{ rule: "allow", scopes: ["read"], hosts: ["https://app.test"], endsAt: null },
        selected: people.map(({ personId }) => personId),
      },
      shown: { locale: "en", clientName: app.name, logo: null },
    });
  await only(other);
  const agent = await as(acme.admin);
  const open = plain(await ask(agent, app, acme, { rule: "default" }));
  expect(open).toMatch(/members decide.* All members of Acme Corp can connect Photo Printer , and so can everybody/);
  for (const text of ["Members affected", "cover", "Their access ends", "They may allow"])
    expect(open).not.toContain(text);
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), other.username, answer);
  // The approval ends for one of them. The choice is about both: the rule allows neither.
  expect(plain(await ask(agent, app, acme, { rule: "ask" }))).toMatch(
    /doesn’t cover some members who use Photo Printer \. Members affected 2 What happens to the access of members whom the rule doesn’t cover\?/,
  );
});

test("the only member with access stops the app → nobody has access now, apart from what the company allows", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient();
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), acme.member.username, {
    owner: acme.companyId,
  });
  const agent = await as(acme.admin);
  const page = async () => plain(await agent.get(appPath(app, acme)));
  expect(await page()).toMatch(/Access now The app may See your photos .*Allowed by Acme Corp See your photos/);
  const { partition, companyId, member } = acme;
  await server.assent.storage.companyApps.setOptOut({
    ...{ partition, companyId, clientId: app.clientId, personId: member.personId, out: true, now: server.now() },
  });
  const after = await page();
  expect(after).toMatch(/Access now Used by Nobody now .*Allowed by Acme Corp See your photos/);
  expect(after).not.toContain("The app may");
  const again = "Members who chose Acme Corp for this app before can connect it again without being asked";
  expect(after).toContain(again);
  await server.assent.storage.companyApps.setPaused({
    ...{ partition, companyId, clientId: app.clientId, paused: true, by: null, now: server.now() },
  });
  expect(await page()).not.toContain(again);
});

test("a rule for an app that the company paused → the review says that nobody can use it until an admin resumes it", async () => {
  const acme = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: ["read", "write"] });
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), acme.member.username, { owner: acme.companyId });
  const agent = await as(acme.admin);
  const fields = { rule: "allow", audience: "everybody", scope: ["read", "write"], duration: "86400" };
  const says =
    "An admin of Acme Corp paused this app. Only an admin can resume it. Saving this rule doesn’t resume the app.";
  expect(plain(await ask(agent, app, acme, fields))).not.toContain("paused");
  const { partition, companyId } = acme;
  const { companyApps } = server.assent.storage;
  const pause = { partition, companyId, clientId: app.clientId, by: null };
  await companyApps.setPaused({ ...pause, paused: true, now: server.now() });
  const question = await ask(agent, app, acme, fields);
  expect(plain(question).replaceAll(" .", ".")).toContain(says);
  await agent.submit(formTo(question, app));
  expect(plain(await agent.get(appPath(app, acme)))).toContain("Paused");
  expect(plain(await ask(agent, app, acme, { rule: "block" }))).not.toContain("paused this app");
});

test("another rule for apps without one, by an admin and by the operator → the history says which, and who set it", async () => {
  const acme = await addCompany(server);
  const agent = await as(acme.admin);
  const page = await agent.get(`/company/${acme.slug}`);
  const form = page.forms.find(({ action }) => action.endsWith("/default"));
  if (form === undefined) throw new Error("no form");
  await agent.submit(form, { rule: "members" });
  server.tick(1000);
  const { partition, companyId } = acme;
  const change = { changes: { defaultRule: "block" }, by: null, now: server.now() } as const;
  await server.assent.storage.companies.update({ partition, companyId, ...change });
  const said = plain(await agent.get(`/company/${acme.slug}/history`));
  expect(said).toMatch(
    new RegExp(
      `From now on, only admins can connect apps without a rule .*the operator.*From now on, members decide about apps without a rule of their own .*${acme.admin.username}`,
    ),
  );
});
