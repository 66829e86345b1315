/** A member's own page of a company: their requests, and the apps that act for them. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, addMember, decide, type TestCompany } from "../support/company-staff.ts";
import { changeClient } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, type Form, type Page, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const DAY = 86_400_000;
const BOTH = { scopes: ["read", "write"] };

async function as(person: { readonly username: string }): Promise<Agent> {
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return agent;
}

function formTo(page: Page, place: string): Form {
  const form = page.forms.find(({ action }) => action.endsWith(place));
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

async function ask({ member, companyId }: TestCompany, app: TestClient): Promise<void> {
  const agent = await as(member);
  const page = await agent.get(authorizeUrl(server, app, { scope: "read write", prompt: "consent" }));
  const answer = { decision: "allow", owner: companyId, scope: ["read", "write"] };
  await agent.submit(formTo(await agent.submit(formTo(page, "/consent"), answer), "/consent/ask"), { reason: "Fair" });
}

const pageOf = async ({ slug, member }: TestCompany) => (await as(member)).get(`/company/${slug}`);
const sections = (page: Page) =>
  [...page.text.matchAll(/<section[^>]*>([\s\S]*?)<\/section>/g)].map(([, one = ""]) =>
    one
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .trim(),
  );
const sectionOf = (page: Page, title: string) => sections(page).find((one) => one.startsWith(title));

describe("a member's request", () => {
  test("nobody has answered → says so", async () => {
    const company = await addCompany(server);
    const app = await server.addClient({ name: "Fair Planner", ...BOTH });
    await ask(company, app);
    expect(sectionOf(await pageOf(company), "Your open requests")).toContain("None has answered yet");
  });

  test("one of two permissions is approved → says which, and which waits", async () => {
    const company = await addCompany(server);
    const app = await server.addClient({ name: "Fair Planner", ...BOTH });
    await ask(company, app);
    await decide(server, company, app, { scopes: ["read"] });
    const request = sectionOf(await pageOf(company), "Your open requests");
    expect(request).not.toContain("None has answered yet");
    expect(request).toContain("Some permissions are approved; the others wait for an answer.");
    expect(request).toMatch(/Waiting for an answer [^:]*Change your photos.* Approved already: [^:]*See your photos/);
  });

  test("refused, then the rule changes → the refusal still reads as it was", async () => {
    const company = await addCompany(server);
    const app = await server.addClient({ name: "Fair Planner", ...BOTH });
    await ask(company, app);
    await decide(server, company, app, { scopes: ["read"] });
    const admin = await as(company.admin);
    await admin.submit(formTo(await admin.get(`/company/${company.slug}`), "/refuse"));
    const refused = async () => sectionOf(await pageOf(company), "Refused requests") ?? "";
    const before = await refused();
    expect(before).toMatch(/Not approved [^:]*Change your photos/);
    expect(before).not.toContain("See your photos");
    for (const scopes of [["read", "write"], ["write"]]) {
      await decide(server, company, app, { scopes });
      expect(await refused()).toBe(before);
    }
  });

  test("refused → says when, for 90 days; asked again → open", async () => {
    const company = await addCompany(server);
    const app = await server.addClient({ name: "Fair Planner", ...BOTH });
    await ask(company, app);
    const { partition, companyId, member, slug } = company;
    const admin = await as(company.admin);
    await admin.submit(formTo(await admin.get(`/company/${slug}`), "/refuse"));
    const page = await pageOf(company);
    expect(sectionOf(page, "Your open requests")).toBeUndefined();
    expect(sectionOf(page, "Refused requests")).toMatch(/Fair Planner.* They refused the request .* Fair Not approved/);
    await ask(company, app);
    expect(sectionOf(await pageOf(company), "Refused requests")).toBeUndefined();
    const requests = await server.assent.storage.companyApps.requestsOfMember({
      ...{ partition, companyId, personId: member.personId, limit: 9 },
    });
    expect(requests.map(({ status }) => status)).toEqual(["open"]);
  });
});

test("an app that members can use → not among those that act for the member, until they connect it, and not after they stop it", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ name: "Fair Planner", ...BOTH });
  await decide(server, company, app, { scopes: ["read", "write"] });
  const sections = async () => {
    const page = await pageOf(company);
    return ["Apps that you use for the company", "Apps that you can use for the company"].map((name) =>
      sectionOf(page, name),
    );
  };
  const usable = /None of these acts for you now.*Fair Planner.*The app would be allowed to[^:]*Change your photos/;
  const [used, can] = await sections();
  expect(used).toContain("You use no app in the company’s name.");
  expect(can).toMatch(usable);
  // No access is there that began, was used or could end.
  expect(can).not.toMatch(/Last used|Ends/);
  const wanted = authorizeUrl(server, app, { scope: "read" });
  const answer = await authorize(new Agent(server.issuer), wanted, company.member.username, {
    owner: company.companyId,
  });
  await redeem(server, app, answer);
  expect(await sections()).toEqual([expect.stringMatching(/Fair Planner.*See your photos.*Last used/), undefined]);
  const agent = await as(company.member);
  const optOut = async () => agent.submit(formTo(await agent.get(`/company/${company.slug}`), "/opt-out"));
  await optOut();
  expect(await sections()).toEqual([expect.stringContaining("Stopped by you"), undefined]);
  await optOut();
  expect(await sections()).toEqual([expect.stringContaining("You use no app"), expect.stringMatching(usable)]);
});

test("a member chose less and a sooner end than the company → their card shows their own", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ name: "Fair Planner", ...BOTH });
  await decide(server, company, app, { scopes: ["read", "write"] });
  const wanted = authorizeUrl(server, app, { scope: "read write" });
  const card = async () => sectionOf(await pageOf(company), "Apps that you use for the company") ?? "";
  await authorize(new Agent(server.issuer), wanted, company.admin.username, {
    ...{ owner: company.companyId, scope: ["read", "write"] },
  });
  const less = { owner: company.companyId, scope: ["read"], duration: "604800" };
  const answer = await authorize(new Agent(server.issuer), wanted, company.member.username, less);
  await redeem(server, app, answer);
  const own = await card();
  expect(own).toMatch(/See your photos/i);
  expect(own).not.toMatch(/Change your photos/i);
  expect(own).toMatch(/Ends in (7 days|1 week)/);
  expect(own).toMatch(
    /stops it for you in Acme Corp only. Other members keep their access, and what you allowed for your own account stays. Stop it for me in Acme Corp/,
  );
  server.tick(DAY);
  const agent = await as(company.member);
  await agent.submit(formTo(await agent.get(`/company/${company.slug}`), "/opt-out"));
  // They stopped it: there is no access that the card could show.
  expect(await card()).not.toMatch(/See your photos|Ends/i);
  expect(await card()).toMatch(
    /You stopped it for Acme Corp ?, so it gets no new access for you.* until you open the app, choose Acme Corp ?, and allow it/,
  );
  const resume = formTo(await agent.get(`/company/${company.slug}`), "/opt-out");
  const resumed = (await agent.follow(await agent.submit(resume))).text;
  expect(resumed).toContain("It gets no new access until you connect it again");
});

test("a member stopped an app, then the company's consent ends → their page still says so, until they let it connect again", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ name: "Fair Planner" });
  const agent = await as(company.member);
  const asked = authorizeUrl(server, app);
  await redeem(server, app, await authorize(agent, asked, "", { owner: company.companyId, duration: "86400" }));
  await agent.submit(formTo(await agent.get(`/company/${company.slug}`), "/opt-out"));
  server.tick(2 * DAY);
  const used = async () => sectionOf(await pageOf(company), "Apps that you use for the company") ?? "";
  expect(await used()).toMatch(/Fair Planner.*Stopped by you.*until you open the app/);
  const admin = await as(company.admin);
  expect((await admin.get(`/company/${company.slug}`)).text).not.toContain("Fair Planner");
  const again = await as(company.member);
  await again.submit(formTo(await again.get(`/company/${company.slug}`), "/opt-out"));
  expect(await used()).not.toContain("Fair Planner");
});

test("a member stopped an app, then allows it on its page → as their page says, it is no longer stopped", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient();
  const agent = await as(company.member);
  const allow = () => authorize(agent, authorizeUrl(server, app), "", { owner: company.companyId });
  await allow();
  await agent.submit(formTo(await agent.get(`/company/${company.slug}`), "/opt-out"));
  expect((await pageOf(company)).text).toContain("Stopped by you");
  const note = "You stopped this app for Acme Corp. If you allow it for Acme Corp now, it can act for you there again.";
  const asked = async () => (await agent.get(authorizeUrl(server, app, { prompt: "consent" }))).text;
  expect((await asked()).replaceAll(/<[^>]*>/g, "")).toContain(note);
  await allow();
  expect(await asked()).not.toContain("You stopped this app");
  expect((await pageOf(company)).text).not.toContain("Stopped by you");
});

test("a time limit of the operator's ends the company's approval → the member's pages no longer say that the app connects without asking", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ name: "Fair Planner" });
  await decide(server, company, app, {});
  const { admin, member } = company;
  const url = authorizeUrl(server, app);
  const answer = { owner: company.companyId, duration: "forever" };
  await redeem(server, app, await authorize(new Agent(server.issuer), url, member.username, answer));
  const says = async () => {
    const agent = await as(member);
    const [apps, ofCompany] = [await agent.get("/account/apps"), await agent.get(`/company/${company.slug}`)];
    return [
      apps.text.includes("this app may connect for"),
      ofCompany.text.includes("/opt-out"),
      (await agent.get(url)).location !== undefined,
    ];
  };
  expect(await says()).toEqual([true, true, true]);
  await changeClient(server, app, { consentCeiling: (2 * DAY) / 1000 });
  server.tick(1.5 * DAY);
  // The company's consent now lasts longer than the approval.
  const { companyId: owner } = company;
  await redeem(server, app, await authorize(new Agent(server.issuer), url, admin.username, { owner }));
  server.tick(DAY);
  expect(await says()).toEqual([false, false, false]);
});

test("an app that the operator turned off → not among those that the member can use; its rows and page tell admins", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ name: "Fair Planner", ...BOTH });
  await decide(server, company, app, { scopes: ["read", "write"] });
  const usable = async () => sectionOf(await pageOf(company), "Apps that you can use for the company");
  expect(await usable()).toContain("Fair Planner");
  const stored = await server.assent.storage.clients.get({ clientId: app.clientId });
  if (stored === undefined) throw new Error("the client is gone");
  const disabled = { ...stored.record, status: "disabled", updatedAt: server.now() } as const;
  await server.assent.storage.clients.put({ client: disabled, expect: null });
  await expect.poll(usable, { timeout: 3000 }).toBeUndefined();
  const admin = await as(company.admin);
  expect(sectionOf(await admin.get(`/company/${company.slug}`), "Apps with access or a rule")).toMatch(
    /Fair Planner.*Turned off here/,
  );
  const page = await admin.get(`/company/${company.slug}/apps/${app.clientId}`);
  expect(page.text).toContain("This app is turned off here, so nobody can connect it and it gets no new access.");
});

describe("an admin changes their own membership on the page of the members", () => {
  /** Presses a button of the reader's row. Returns the last page and its path. */
  async function press(place: "/members/role" | "/members/remove") {
    const company = await addCompany(server);
    const { personId, username } = company.admin;
    await addMember(server, company, await server.addPerson(), "admin");
    const agent = await as({ username });
    const page = await agent.get(`/company/${company.slug}/members`);
    const own = page.forms.find((one) => one.action.endsWith(place) && one.fields.get("person_id") === personId);
    if (own === undefined) throw new Error(page.text);
    const next = await agent.submit(own);
    const done = place === "/members/role" ? next : await agent.submit(formTo(next, place));
    return { company, to: done.location?.pathname, page: await agent.follow(done) };
  }

  test("from admin to member → the company's page says so; only an admin can undo it", async () => {
    const { company, to, page } = await press("/members/role");
    expect([page.status, to]).toEqual([200, `/company/${company.slug}`]);
    expect(page.text).toContain("You’re a member of the company now. Only an admin can make you an admin again.");
    expect(page.text).toContain("Open invitations from you and to you were withdrawn.");
  });

  test("removed → as after leaving", async () => {
    const { to, page } = await press("/members/remove");
    expect([page.status, to]).toEqual([200, "/account/companies"]);
    expect(page.text).toContain("You left the company.");
  });
});

test("the operator disables the company → the person’s list names it as turned off; enabled again → the link is back", async () => {
  const company = await addCompany(server);
  const { partition, companyId, slug } = company;
  const set = (status: "active" | "disabled") =>
    server.assent.storage.companies.setStatus({ partition, companyId, status, now: server.now() });
  const agent = await as(company.admin);
  const link = `/company/${slug}"`;
  await set("disabled");
  const off = await agent.get("/account/companies");
  expect(off.text).toContain("Acme Corp");
  expect(off.text).toContain("Turned off here");
  expect(off.text).toContain("If it is turned on again, you belong to it as before.");
  expect(off.text).not.toContain(link);
  expect(off.text).not.toContain("You don’t belong to a company.");
  await set("active");
  const on = await agent.get("/account/companies");
  expect([on.text.includes(link), on.text.includes("Turned off here")]).toEqual([true, false]);
});
