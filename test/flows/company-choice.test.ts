/** For whom a member answers: nobody acts for a company without having chosen to (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, claimsOf, decide } from "../support/company-staff.ts";
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
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

test("approved for all members → a member's first request asks for whom, whatever others did; the person is selected", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, admin, member } = company;
  // Somebody else acts for the company, and was the last to.
  await authorize(new Agent(server.issuer), authorizeUrl(server, app), admin.username, { owner: companyId });
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const silent = await agent.get(authorizeUrl(server, app, { prompt: "none" }));
  expect(silent.location?.searchParams.get("error")).toBe("consent_required");
  for (const prompt of [{}, { prompt: "consent" }]) {
    const page = await agent.get(authorizeUrl(server, app, prompt));
    expect(consentForm(page).fields.get("owner")).toBe(member.personId);
  }
  // Allow, and nothing else: for the person, not for the company.
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
  await agent.submit(form, { decision: "allow", owner: member.personId });
  expect((await next()).fields.get("owner")).toBe(member.personId);
});

const said = ({ text }: Page) =>
  /id="owner-hint">(.*?)<\/p>/s
    .exec(text)?.[1]
    ?.replaceAll(/<[^>]*>/g, "")
    .split(/(?<=\.) /)[0];

test("the next page says who was chosen last time: nobody, the company, the person", async () => {
  const company = await addCompany(server);
  const app = await server.addClient();
  await decide(server, company, app, {});
  const { companyId, member, name } = company;
  const agent = new Agent(server.issuer);
  await signIn(agent, member.username);
  const next = () => agent.get(authorizeUrl(server, app, { prompt: "consent" }));
  expect(said(await next())).toMatch(/^What you allow for a company/);
  await agent.submit(consentForm(await next()), { decision: "allow", owner: companyId });
  expect(said(await next())).toBe(`Last time you chose ${name}.`);
  server.tick(1000);
  await agent.submit(consentForm(await next()), { decision: "allow", owner: member.personId });
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
  // The choice holds: no page.
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
  // Pressed again on an old page: nothing is left to forget.
  expect((await agent.follow(await agent.submit(form))).text).not.toContain("Next time the app connects");
  // A choice on the page holds again.
  await agent.submit(consentForm(asked), { decision: "allow", owner: companyId });
  expect((await agent.get(url)).location?.searchParams.has("code")).toBe(true);
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
