/** Whose data a member allows: nobody acts for a company without choosing it (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { addCompany, claimsOf, decide, type TestCompany } from "../support/company-staff.ts";
import {
  Agent,
  authorize,
  authorizeUrl,
  consentForm,
  type Page,
  redeem,
  refresh,
  signIn,
} from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** Chooses another owner, for whom less is allowed so far. The page comes again, about that owner. */
async function allowFor(agent: Agent, page: Page, owner: string): Promise<Page> {
  const again = await agent.submit(consentForm(page), { decision: "allow", owner });
  expect([again.status, again.text.includes("You changed for whom you allow this")]).toEqual([400, true]);
  expect(consentForm(again).fields.get("owner")).toBe(owner);
  return agent.submit(consentForm(again), { decision: "allow", owner });
}

test("the page says what the person gave already, and another owner is chosen → the page again, and nothing given that it didn't show", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  await server.addScope({ name: "health", description: "See your health", optional: true, sensitive: true });
  const app = await server.addClient({ scopes: ["read", "health"] });
  const { companyId, partition, member } = company;
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app, { scope: "read health", prompt: "consent" });
  const both = { scope: ["read", "health"], duration: "3600" };
  await authorize(agent, url, member.username, { ...both, owner: member.personId });
  const page = await agent.get(url);
  expect(consentForm(page).fields.get("owner")).toBe(member.personId);
  const again = await agent.submit(consentForm(page), {
    ...both,
    decision: "allow",
    owner: companyId,
    duration: "604800",
  });
  expect([again.status, again.location]).toEqual([400, undefined]);
  const ofCompany = { partition, ownerId: companyId, clientId: app.clientId };
  expect(await server.assent.storage.consents.find(ofCompany)).toBeUndefined();
  // A sensitive permission starts without its tick, though the first answer had it.
  const callback = await agent.submit(consentForm(again), { decision: "allow", owner: companyId });
  const { body } = await redeem(server, app, callback.location ?? "");
  expect([claimsOf(body.access_token)["sub"], body.scope]).toEqual([companyId, "read"]);
});

test("the member asks for the deletion of the account and keeps it → the app gets nothing for the company without a page", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ scopes: ["read"] });
  await decide(server, company, app, {});
  const { companyId, member } = company;
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app);
  await authorize(agent, url, member.username, { owner: companyId });
  expect((await agent.follow(await agent.get(url))).location?.searchParams.has("code")).toBe(true);
  const press = async (place: string, fields: Record<string, string> = {}) => {
    const form = (await agent.get(place)).forms.find(({ action }) => action.includes("/account/profile/"));
    if (form === undefined) throw new Error(`no form at ${place}`);
    return agent.submit(form, fields);
  };
  await press("/account/profile/delete", { current_password: PASSWORD });
  const { partition, personId } = member;
  expect((await server.assent.storage.people.get({ partition, personId }))?.deleteAt).not.toBeNull();
  await press("/account/profile");
  const page = await agent.follow(await agent.get(url));
  expect([page.status, consentForm(page).fields.has("request")]).toEqual([200, true]);
});

test("approved for all members → a member's first request asks for whom, whatever others did; the person is selected", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, admin, member } = company;
  // Another member was the last one who acted for the company.
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), admin.username, { owner: companyId });
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const silent = await agent.get(authorizeUrl(server, app, { prompt: "none" }));
  expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  for (const prompt of [{}, { prompt: "consent" }]) {
    const page = await agent.get(authorizeUrl(server, app, prompt));
    expect(consentForm(page).fields.get("owner")).toBe(member.personId);
  }
  // A form with nothing but "allow" counts for the person, not for the company.
  const page = await agent.get(authorizeUrl(server, app));
  const answer = await agent.submit(consentForm(page), { decision: "allow" });
  const { body } = await redeem(server, app, answer.location ?? "");
  expect(claimsOf(body.access_token)["sub"]).toBe(member.personId);
});

test("chosen before → the company is selected on the next page; then the person, by their own last choice", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const agent = new Agent(server.issuer);
  const { companyId, member } = company;
  await authorize(agent, authorizeUrl(server, app), member.username, { owner: companyId });
  const next = async () => consentForm(await agent.get(authorizeUrl(server, app, { prompt: "consent" })));
  const form = await next();
  expect(form.fields.get("owner")).toBe(companyId);
  server.tick(1000);
  await allowFor(agent, await agent.get(authorizeUrl(server, app, { prompt: "consent" })), member.personId);
  expect((await next()).fields.get("owner")).toBe(member.personId);
});

test("chosen before, and the app asks for more than an admin approved → the company is still selected; a block says so", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ scopes: ["read", "write"] });
  await decide(server, company, app, { scopes: ["read"] });
  const agent = new Agent(server.issuer);
  const { companyId, member } = company;
  await authorize(agent, authorizeUrl(server, app), member.username, { owner: companyId });
  const more = () => agent.get(authorizeUrl(server, app, { scope: "read write" }));
  expect(consentForm(await more()).fields.get("owner")).toBe(companyId);
  await decide(server, company, app, { rule: "block" });
  const blocked = await more();
  expect(consentForm(blocked).fields.get("owner")).toBe(member.personId);
  expect(blocked.text.replaceAll(/<[^>]*>/g, "")).toContain("Acme Corp doesn’t let this app in.");
  // The style sheet hides what belongs to an option that isn't selected, and nobody can select this one.
  expect(blocked.text).not.toMatch(/data-option[^>]*>\s*<p>[^.]*doesn’t let this app in\./);
});

const said = ({ text }: Page) =>
  /id="owner-hint">(.*?)<\/p>/s
    .exec(text)?.[1]
    ?.replaceAll(/<[^>]*>/g, "")
    .split(/(?<=\.) /)[0];

test("a shorter end, and a box unticked → later connections keep to them without a page; after that end, the page", async () => {
  const company = await addCompany(server);
  const both = ["read", "write"];
  const app = await server.addClient({ scopes: both });
  await decide(server, company, app, { scopes: both });
  const { partition, companyId, member } = company;
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const wanted = authorizeUrl(server, app, { scope: both.join(" ") });
  const ends = async () => {
    const key = { partition, companyId, personId: member.personId };
    const grants = await server.assent.storage.companyApps.grantsOfMember({ ...key, now: server.now() });
    return grants.map(({ absoluteUntil }) => absoluteUntil);
  };
  const start = server.now();
  // The page shows the person's own boxes; the answer is for the company.
  const answer = { decision: "allow", owner: companyId, scope: ["read"], duration: "604800" };
  const first = await agent.submit(consentForm(await agent.get(wanted)), answer);
  expect(claimsOf((await redeem(server, app, first.location ?? "")).body.access_token)["scope"]).toBe("read");
  const [end = 0] = await ends();
  expect(end).toBeLessThan(start + 8 * DAY);
  server.tick(3 * DAY);
  await signIn(agent, member.username);
  const again = await agent.get(wanted);
  expect(claimsOf((await redeem(server, app, again.location ?? "")).body.access_token)["scope"]).toBe("read");
  expect(new Set(await ends())).toEqual(new Set([end]));
  server.tick(5 * DAY);
  await signIn(agent, member.username);
  const page = await agent.get(wanted);
  // Nothing stands for the member any more, so the time on the page is the time of the answer.
  expect(consentForm(page).fields.get("owner")).toBe(companyId);
  expect(page.text).not.toContain('value="keep"');
  const { owner: _, ...longer } = answer;
  const renewed = await agent.submit(consentForm(page), { ...longer, scope: both, duration: "86400" });
  const token = claimsOf((await redeem(server, app, renewed.location ?? "")).body.access_token);
  expect(token).toMatchObject({ sub: companyId, scope: "read write" });
  for (const one of await ends()) expect(one).toBeLessThanOrEqual(server.now() + DAY);
});

test("the same where members decide → likewise, and the company's record keeps what it had", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const both = ["read", "write"];
  const app = await server.addClient({ scopes: both });
  const { partition, companyId, admin, member } = company;
  const wanted = authorizeUrl(server, app, { scope: both.join(" ") });
  await authorize(new Agent(server.issuer), wanted, admin.username, {
    owner: companyId,
    scope: both,
    duration: "forever",
  });
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const answer = { decision: "allow", owner: companyId, scope: ["read"], duration: "604800" };
  await agent.submit(consentForm(await agent.get(wanted)), answer);
  const again = await agent.get(wanted);
  expect(claimsOf((await redeem(server, app, again.location ?? "")).body.access_token)["scope"]).toBe("read");
  const key = { partition, companyId, personId: member.personId, now: server.now() };
  for (const { absoluteUntil } of await server.assent.storage.companyApps.grantsOfMember(key))
    expect(absoluteUntil).toBeLessThanOrEqual(server.now() + 7 * DAY);
  const consent = await server.assent.storage.consents.find({ partition, ownerId: companyId, clientId: app.clientId });
  expect(consent?.scopes.map(({ name, expiresAt }) => [name, expiresAt])).toEqual(both.map((name) => [name, null]));
  server.tick(8 * DAY);
  await signIn(agent, member.username);
  expect((await agent.get(wanted)).status).toBe(200);
});

test("the next page says who was chosen last time: nobody, the company, the person", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, member, name } = company;
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const next = () => agent.get(authorizeUrl(server, app, { prompt: "consent" }));
  expect(said(await next())).toMatch(/^Access that you allow for a company/);
  await agent.submit(consentForm(await next()), { decision: "allow", owner: companyId });
  expect(said(await next())).toBe(`Last time you chose ${name}.`);
  server.tick(1000);
  await allowFor(agent, await next(), member.personId);
  expect(said(await next())).toBe("Last time you chose yourself.");
});

test("the member wants to be asked next time → the app keeps its access; the page is shown, for the person", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, member, slug } = company;
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app);
  const callback = await authorize(agent, url, member.username, { owner: companyId });
  const { body } = await redeem(server, app, callback);
  // The choice is remembered, so there is no page.
  expect((await agent.get(url)).location?.searchParams.has("code")).toBe(true);
  const page = await agent.get(`/company/${slug}`);
  const form = page.forms.find(({ fields }) => fields.get("out") === "ask");
  if (form === undefined) throw new Error("no button to be asked");
  const done = await agent.follow(await agent.submit(form));
  expect(done.text).toContain("Next time the app connects, you choose for whom.");
  expect(done.forms.some(({ fields }) => fields.get("out") === "ask")).toBe(false);
  expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
  const asked = await agent.get(url);
  expect(consentForm(asked).fields.get("owner")).toBe(member.personId);
  expect(asked.text).not.toContain("Last time you chose");
  const silent = await agent.get(authorizeUrl(server, app, { prompt: "none" }));
  expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  // Sent again from an old page: no choice is left to forget.
  expect((await agent.follow(await agent.submit(form))).text).not.toContain("Next time the app connects");
  // A new choice on the page is remembered again.
  // The page showed the person's permissions, so it comes again with the company's.
  const shown = await agent.submit(consentForm(asked), { decision: "allow", owner: companyId });
  await agent.submit(consentForm(shown), { decision: "allow" });
  expect((await agent.get(url)).location?.searchParams.has("code")).toBe(true);
});

describe("both were chosen; the member wants to be asked next time, on the company's page", () => {
  async function asksNextTime(company: TestCompany, agent: Agent) {
    const page = await agent.get(`/company/${company.slug}`);
    const form = page.forms.find(({ fields }) => fields.get("out") === "ask");
    if (form === undefined) throw new Error("no button to be asked");
    expect((await agent.follow(await agent.submit(form))).text).toContain("you choose for whom");
  }
  const silently = async (agent: Agent, app: TestClient) =>
    (await agent.get(authorizeUrl(server, app, { prompt: "none" }))).location?.searchParams;

  test("the page is shown, nothing goes on silently, for the person neither; then the person's choice holds", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const { companyId, member } = company;
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    await authorize(agent, url, member.username, { owner: companyId });
    const own = await agent.get(authorizeUrl(server, app, { prompt: "consent" }));
    const answer = await allowFor(agent, own, member.personId);
    const { body } = await redeem(server, app, answer.location ?? "");
    expect((await silently(agent, app))?.get("error")).toBe("account_selection_required");
    await asksNextTime(company, agent);
    expect((await silently(agent, app))?.get("error")).toBe("consent_required");
    expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
    const asked = await agent.get(url);
    expect(asked.text).not.toContain("Last time you chose");
    await agent.submit(consentForm(asked), { decision: "allow", owner: member.personId });
    const { location } = await agent.get(url);
    const { body: again } = await redeem(server, app, location ?? "");
    expect(claimsOf(again.access_token)["sub"]).toBe(member.personId);
  });

  test("an app of the operator's own, and the person never answered for themselves → likewise", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient({ firstParty: true });
    const { companyId, member } = company;
    const agent = new Agent(server.issuer);
    await signIn(agent, member.username);
    const page = await agent.get(authorizeUrl(server, app, { prompt: "consent" }));
    await agent.submit(consentForm(page), { decision: "allow", owner: companyId });
    expect((await silently(agent, app))?.get("error")).toBe("account_selection_required");
    await asksNextTime(company, agent);
    expect((await silently(agent, app))?.get("error")).toBe("consent_required");
    const asked = await agent.get(authorizeUrl(server, app));
    await agent.submit(consentForm(asked), { decision: "allow", owner: member.personId });
    expect((await silently(agent, app))?.has("code")).toBe(true);
  });
});

test("another member's choice stays as it is", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, member, admin, slug } = company;
  const [one, other] = [new Agent(server.issuer), new Agent(server.issuer)];
  await authorize(one, authorizeUrl(server, app), member.username, { owner: companyId });
  await authorize(other, authorizeUrl(server, app), admin.username, { owner: companyId });
  const form = (await one.get(`/company/${slug}`)).forms.find(({ fields }) => fields.get("out") === "ask");
  if (form === undefined) throw new Error("no button to be asked");
  await one.submit(form);
  expect((await other.get(authorizeUrl(server, app))).location?.searchParams.has("code")).toBe(true);
});

test("the app's token has expired, and the choice holds still → the company's page shows it to the member", async () => {
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ grantTypes: ["authorization_code"] });
  const { companyId, member, slug } = company;
  const agent = new Agent(server.issuer);
  await redeem(server, app, await authorize(agent, authorizeUrl(server, app), member.username, { owner: companyId }));
  server.tick(30 * 60_000);
  expect((await agent.get(authorizeUrl(server, app))).location?.searchParams.has("code")).toBe(true);
  server.tick(30 * 60_000);
  const { forms } = await agent.get(`/company/${slug}`);
  expect(forms.some(({ fields }) => fields.get("out") === "ask")).toBe(true);
});

describe("the person's own page of apps", () => {
  const nextTime = (page: Page, clientId: string) => {
    const article = page.text.split("<article").find((one) => one.includes(`data-client-id="${clientId}"`)) ?? "";
    const text = article
      .replaceAll(/<[^>]*>/g, " ")
      .replaceAll(/\s+/g, " ")
      .replaceAll(/ (?=[.,])/g, "");
    return /(?:You allowed this app for [^.]*\. )?Next time, (?:this app|it) [^.]*\./.exec(text)?.[0];
  };
  const askForm = (page: Page, clientId: string) =>
    page.forms.find((one) => one.action.endsWith("/ask-for-whom") && one.fields.get("client_id") === clientId);

  test("no company → nothing is said, and the button's form does nothing", async () => {
    const app = await server.addClient();
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    await authorize(agent, url, username);
    const page = await agent.get("/account/apps");
    expect([nextTime(page, app.clientId), askForm(page, app.clientId)]).toEqual([undefined, undefined]);
    const revoke = page.forms.find(({ action }) => action.endsWith("/revoke"));
    if (revoke === undefined) throw new Error("no form of the app");
    const action = revoke.action.replace("/revoke", "/ask-for-whom");
    const done = await agent.follow(await agent.submit({ ...revoke, action }));
    expect(done.text).not.toContain("it asks you for whom");
    expect((await agent.get(url)).location?.searchParams.has("code")).toBe(true);
  });

  test("the person chose themselves → it says so; asked to be asked → access stays, the page is shown, a new choice holds", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const { member } = company;
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    const { body } = await redeem(
      server,
      app,
      await authorize(agent, url, member.username, { owner: member.personId }),
    );
    expect((await agent.get(url)).location?.searchParams.has("code")).toBe(true);
    const page = await agent.get("/account/apps");
    expect(nextTime(page, app.clientId)).toBe("Next time, this app may connect for you without asking.");
    const form = askForm(page, app.clientId);
    if (form === undefined) throw new Error("no button to be asked");
    const done = await agent.follow(await agent.submit(form));
    expect(done.text).toContain("connects, it asks you for whom.");
    expect(nextTime(done, app.clientId)).toBe("Next time, this app asks you for whom it acts.");
    expect(askForm(done, app.clientId)).toBeUndefined();
    expect((await refresh(server, app, body.refresh_token)).status).toBe(200);
    const asked = await agent.get(url);
    expect(consentForm(asked).fields.get("owner")).toBe(member.personId);
    expect(asked.text).not.toContain("Last time you chose");
    const silent = await agent.get(authorizeUrl(server, app, { prompt: "none" }));
    expect(silent.location?.searchParams.get("error")).toBe("consent_required");
    // Sent again from an old page: no choice is left to forget.
    expect((await agent.follow(await agent.submit(form))).text).toContain("nothing was changed");
    await agent.submit(consentForm(asked), { decision: "allow", owner: member.personId });
    expect((await agent.get(url)).location?.searchParams.has("code")).toBe(true);
  });

  test("the person chose a company → listed with its page; asked to be asked → the app asks", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const { companyId, member, slug, name } = company;
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    await authorize(agent, url, member.username, { owner: companyId });
    const page = await agent.get("/account/apps");
    expect(page.text).toContain(`/company/${slug}"`);
    expect(nextTime(page, app.clientId)).toBe(`Next time, this app may connect for ${name} without asking.`);
    const form = askForm(page, app.clientId);
    if (form === undefined) throw new Error("no button to be asked");
    const done = await agent.follow(await agent.submit(form));
    expect(done.text).toContain("connects, it asks you for whom.");
    expect(consentForm(await agent.get(url)).fields.get("owner")).toBe(member.personId);
  });

  test("a made-up address of the page, of no app or of one that was never chosen → no notice of success", async () => {
    const { member } = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const agent = new Agent(server.issuer);
    await signIn(agent, member.username);
    for (const query of ["", "&app=", "&app=nothing", `&app=${app.clientId}`])
      expect((await agent.get(`/account/apps?done=asks_for_whom${query}`)).text).not.toContain("asks you for whom");
  });

  test("both were chosen → the app asks; one choice cannot connect any more → the other is named", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const { companyId, member } = company;
    const agent = new Agent(server.issuer);
    await authorize(agent, authorizeUrl(server, app), member.username, { owner: companyId });
    const page = await agent.get(authorizeUrl(server, app, { prompt: "consent" }));
    await allowFor(agent, page, member.personId);
    const said = async () => nextTime(await agent.get("/account/apps"), app.clientId);
    const both = `You allowed this app for yourself and for ${company.name}. Next time, it asks you for whom, unless only one of these allows what it wants.`;
    expect(await said()).toBe(both);
    const there = async () => (await agent.get(`/company/${company.slug}`)).text.replaceAll(/<[^>]*>/g, "");
    expect(await there()).toContain("you also allowed it for yourself or for another company. Next time, it asks you");
    expect(await there()).not.toContain("without asking");
    expect(consentForm(await agent.get(authorizeUrl(server, app)))).toBeTruthy();
    await decide(server, company, app, { rule: "block" });
    expect(await said()).toBe("Next time, this app may connect for you without asking.");
    expect((await agent.get(authorizeUrl(server, app))).location?.searchParams.has("code")).toBe(true);
  });

  test("a paused app → nothing says that it connects without asking, and it asks", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const { member } = company;
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    await redeem(server, app, await authorize(agent, url, member.username, { owner: member.personId }));
    const key = { partition: member.partition, ownerId: member.personId, clientId: app.clientId };
    const pause = { paused: true, by: member.personId, now: server.now() };
    await server.assent.storage.consents.setPaused({ ...key, ...pause });
    expect(nextTime(await agent.get("/account/apps"), app.clientId)).toBe(
      "Next time, this app asks you for whom it acts.",
    );
    expect(consentForm(await agent.get(url)).fields.get("owner")).toBe(member.personId);
  });

  test("allowed for once alone → the app asks", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient();
    const { member } = company;
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app);
    await redeem(
      server,
      app,
      await authorize(agent, url, member.username, { owner: member.personId, duration: "once" }),
    );
    expect(nextTime(await agent.get("/account/apps"), app.clientId)).toBe(
      "Next time, this app asks you for whom it acts.",
    );
    expect(consentForm(await agent.get(url)).fields.get("owner")).toBe(member.personId);
  });

  test("an app of the operator's own → asked to be asked, it asks", async () => {
    const company = await addCompany(server, { defaultRule: "members" });
    const app = await server.addClient({ firstParty: true });
    const agent = new Agent(server.issuer);
    await signIn(agent, company.member.username);
    const url = authorizeUrl(server, app);
    await redeem(server, app, (await agent.get(url)).location?.href ?? "");
    const page = await agent.get("/account/apps");
    expect(nextTime(page, app.clientId)).toBe("Next time, this app may connect for you without asking.");
    const form = askForm(page, app.clientId);
    if (form === undefined) throw new Error("no button to be asked");
    await agent.submit(form);
    expect(consentForm(await agent.get(url)).fields.get("owner")).toBe(company.member.personId);
  });
});
