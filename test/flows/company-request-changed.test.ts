/** An admin answers a request of a member who has changed it since the admin's page was made. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, decide, type TestCompany } from "../support/company-staff.ts";
import { Agent, authorizeUrl, consentForm, type Form, type Page, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const [OLD, NEW] = ["https://app.test/cb", "https://new.app.test/cb"];

function formTo(page: Page, place: string): Form {
  const form = page.forms.find(({ action }) => action.endsWith(place));
  if (form === undefined) throw new Error(`no form to ${place}: ${page.status} ${page.text.slice(0, 500)}`);
  return form;
}

async function ask(company: TestCompany, app: TestClient, agent: Agent, redirect_uri: string, reason = "For the fair") {
  const page = await agent.get(authorizeUrl(server, app, { redirect_uri }));
  const form = await agent.submit(consentForm(page), { decision: "allow", owner: company.companyId });
  expect((await agent.submit(formTo(form, "/consent/ask"), { decision: "ask", reason })).status).toBe(200);
}

test("a request is refused that the member has made for another address since → it stays open, and the page says why", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ redirectUris: [OLD, NEW] });
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  await signIn(admin, company.admin.username);
  await signIn(member, company.member.username);
  const home = `/company/${company.slug}`;
  const open = () => server.assent.storage.companyApps.listRequests({ ...company, limit: 9 });
  await ask(company, app, member, OLD);
  for (const path of [home, `${home}/apps/${app.clientId}`]) {
    await ask(company, app, member, OLD);
    const seen = formTo(await admin.get(path), "/refuse");
    await ask(company, app, member, NEW);
    const told = await admin.follow(await admin.submit(seen));
    expect(told.text).toContain("The member has changed this request in the meantime. Nothing was refused.");
    expect(await open()).toMatchObject([{ status: "open", host: "https://new.app.test" }]);
    const unnamed = await admin.follow(await admin.submit(seen, { asked_at: "" }));
    expect(unnamed.text).toContain("The member has changed this request");
  }
  const told = await admin.follow(await admin.submit(formTo(await admin.get(home), "/refuse")));
  expect(told.text).toContain("The request was refused.");
  expect(await open()).toEqual([]);
});

test("the member gives another reason → the refusal of what the admin read does not count", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  await signIn(admin, company.admin.username);
  await signIn(member, company.member.username);
  await ask(company, app, member, OLD);
  const seen = formTo(await admin.get(`/company/${company.slug}`), "/refuse");
  await ask(company, app, member, OLD, "For the catalogue");
  const told = await admin.follow(await admin.submit(seen));
  expect(told.text).toContain("The member has changed this request in the meantime.");
  expect(told.text).toContain("For the catalogue");
});

test("members may decide since, and the member connects the app → the request is no longer there, open or refused; a part of it, for once, or another address → it stays", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ redirectUris: [OLD, NEW], scopes: ["read", "write"] });
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  await signIn(admin, company.admin.username);
  await signIn(member, company.member.username);
  const { partition, companyId } = company;
  const decides = (defaultRule: "ask" | "members") =>
    server.assent.storage.companies.update({
      partition,
      companyId,
      changes: { defaultRule },
      by: null,
      now: server.now(),
    });
  const requests = async () => {
    const of = { partition, companyId, personId: company.member.personId, limit: 9 };
    return (await server.assent.storage.companyApps.requestsOfMember(of)).map(({ status }) => status);
  };
  const connect = async (redirect_uri: string, answer: Record<string, string | string[]>) => {
    const url = authorizeUrl(server, app, { redirect_uri, scope: "read write", prompt: "consent" });
    const fields = { decision: "allow", owner: companyId, duration: "604800", ...answer };
    let page = await member.submit(consentForm(await member.get(url)), fields);
    if (page.location === undefined) page = await member.submit(consentForm(page), fields);
    expect(page.location?.searchParams.get("code")).toBeTruthy();
  };
  const both = { scope: ["read", "write"] };
  for (const refused of [false, true]) {
    await decides("ask");
    const page = await member.get(
      authorizeUrl(server, app, { redirect_uri: OLD, scope: "read write", prompt: "consent" }),
    );
    const form = await member.submit(consentForm(page), { decision: "allow", owner: companyId, ...both });
    await member.submit(formTo(form, "/consent/ask"), { decision: "ask", reason: "For the fair" });
    const wanted = refused ? "refused" : "open";
    if (refused) await admin.submit(formTo(await admin.get(`/company/${company.slug}`), "/refuse"));
    expect(await requests()).toEqual([wanted]);
    await decides("members");
    for (const [uri, answer] of [
      [OLD, { scope: ["read"] }],
      [OLD, { ...both, duration: "once" }],
      [NEW, both],
    ] as const) {
      if (refused) break;
      await connect(uri, answer as Record<string, string | string[]>);
      expect(await requests()).toEqual([wanted]);
    }
    await connect(OLD, { ...both, duration: "604800" });
    expect(await requests()).toEqual([]);
    expect((await admin.get(`/company/${company.slug}`)).text).not.toContain("For the fair");
    const agents = await member.get(`/company/${company.slug}`);
    await member.submit(formTo(agents, "/opt-out"));
  }
});

test("members may decide since → the admin and the member read that no answer is needed; with a rule of the app → as before", async () => {
  const company = await addCompany(server);
  const app = await server.addClient({ redirectUris: [OLD] });
  const [admin, member] = [new Agent(server.issuer), new Agent(server.issuer)];
  await signIn(admin, company.admin.username);
  await signIn(member, company.member.username);
  await ask(company, app, member, OLD);
  const { partition, companyId } = company;
  const home = `/company/${company.slug}`;
  const forAdmins = "Members decide about this app now, so ";
  const forMember = "You no longer need their answer: members decide about this app now.";
  const says = async () => {
    const pages = await Promise.all([admin.get(home), admin.get(`${home}/apps/${app.clientId}`), member.get(home)]);
    return pages.map(({ text }) => text.includes(forAdmins) || text.includes(forMember));
  };
  expect(await says()).toEqual([false, false, false]);
  for (const [defaultRule, said] of [
    ["block", false],
    ["members", true],
  ] as const) {
    const changes = { defaultRule };
    await server.assent.storage.companies.update({ partition, companyId, changes, by: null, now: server.now() });
    expect(await says(), defaultRule).toEqual([said, said, said]);
  }
  expect((await member.get(home)).text).not.toContain("None has answered yet");
  await decide(server, company, app, { rule: "ask" });
  await ask(company, app, member, OLD);
  expect(await says()).toEqual([false, false, false]);
});
