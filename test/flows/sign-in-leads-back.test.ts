/** Somebody opens a page of their account without being signed in: the sign-in leads to that page, and nowhere else. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { Agent, type Page } from "../support/http-browser.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const pathOf = ({ location }: Page) => location?.href.slice(server.issuer.length);

function signInForm(page: Page) {
  const form = page.forms.find(({ fields, action }) => action.endsWith("/login") && fields.has("username"));
  if (form === undefined) throw new Error(`no sign-in form: ${page.status}`);
  return form;
}

test.each([
  "https://evil.example",
  "//evil.example",
  "/account/security",
  "company-apps/../../x",
  "company/A B",
  "company-apps/",
  "__proto__",
  "constructor",
  "security/x",
  "",
])("to=%s, which is no page's name → the person's apps", async (to) => {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const page = await agent.get(`/login?${new URLSearchParams({ to })}`);
  expect(page.status).toBe(200);
  expect(pathOf(await agent.submit(signInForm(page), { username, password: PASSWORD }))).toBe("/account/apps");
  expect(pathOf(await agent.get(`/login?${new URLSearchParams({ to })}`))).toBe("/account/apps");
});

test.each([
  ["/account/security", "/login?to=security", "/account/security"],
  ["/account/security?done=password", "/login?to=security", "/account/security"],
  ["/account/profile", "/login?to=profile", "/account/profile"],
  ["/account/history", "/login?to=history", "/account/history"],
  ["/account/companies", "/login?to=companies", "/account/companies"],
  ["/account/apps", "/login", "/account/apps"],
])("%s, signed out → sign-in, and back to it; who signed in meanwhile goes on at once", async (asked, login, back) => {
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const sent = await agent.get(asked);
  expect(pathOf(sent)).toBe(login);
  const page = await agent.follow(sent);
  const german = await agent.get(login, { "accept-language": "de" });
  expect(german.text).toContain("Anmelden");
  expect(pathOf(await agent.submit(signInForm(page), { username, password: PASSWORD }))).toBe(back);
  expect(pathOf(await agent.get(login))).toBe(back);
});

test.each([
  ["", ""],
  ["/members?done=founded", "/members"],
  ["/apps/anything", ""],
  ["/history", ""],
])(
  "the link of a message to a company%s → after the sign-in that company%s, also after a wrong password",
  async (asked, back) => {
    const { slug, admin } = await addCompany(server);
    const agent = new Agent(server.issuer);
    let page = await agent.follow(await agent.get(`/company/${slug}${asked}`));
    for (const password of ["wrong", PASSWORD]) {
      page = await agent.submit(signInForm(page), { username: admin.username, password });
    }
    expect(pathOf(page)).toBe(`/company/${slug}${back}`);
  },
);

test("a form without a session → the sign-in alone: nothing is sent again", async () => {
  expect(pathOf(await new Agent(server.issuer).post("/account/profile/name", { name: "x" }))).toBe("/login");
});
