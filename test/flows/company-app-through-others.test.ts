/** An app that acts for a company through another app only (RFC 8693): its page, and what the admins' block says and does. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { expectRefusal, signedInPerson } from "../support/back-channel.ts";
import { addCompany } from "../support/company-staff.ts";
import { linksOf, type Page } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { API2, addAgent, addApis, addAssistant, assistantTokens, exchange } from "../support/token-exchange.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
  await addApis(server);
});
afterAll(() => server.stop());

const text = ({ text: html }: Page) =>
  (/<main[\s\S]*<\/main>/.exec(html)?.[0] ?? "")
    .replace(/<[^>]+>/g, " ")
    .replace(/\s+/g, " ")
    .replace(/ ([,.])/g, "$1");

async function aStory() {
  const company = await addCompany(server);
  const admin = await signedInPerson(server, company.admin);
  const [assistant, agent] = [await addAssistant(server, { verified: true }), await addAgent(server)];
  const { access } = await assistantTokens(server, assistant, admin, {
    answer: { owner: company.companyId, scope: ["read", "write", "mail:read"] },
  });
  const path = ({ clientId }: TestClient) => `/company/${company.slug}/apps/${clientId}`;
  const use = () => exchange(server, agent, access, { audience: API2 });
  const get = (client: TestClient) => admin.agent.get(path(client));
  const formTo = (page: Page, with_: Record<string, string> = {}) => {
    const form = page.forms.find(
      ({ action, fields }) =>
        action.endsWith(path(agent)) && Object.entries(with_).every(([field, value]) => fields.get(field) === value),
    );
    if (form === undefined) throw new Error(`no such form: ${page.status} ${text(page)}`);
    return form;
  };
  return { company, admin, assistant, agent, use, get, formTo };
}

const NO_ACCESS = "The app has no access in the company’s name.";
const USES = "It uses the access of other apps Calendar agent, through Assistant";

test("never used → not to be seen; used through an app → its page says so, and that app's page leads to it", async () => {
  const { assistant, agent, use, get } = await aStory();
  expect((await get(agent)).status).toBe(404);
  expect((await use()).status).toBe(200);
  expect(linksOf(await get(assistant)).some((href) => href.endsWith(`/apps/${agent.clientId}`))).toBe(true);
  const page = await get(agent);
  expect([page.status, text(page)]).toEqual([200, expect.stringContaining(USES)]);
  expect(text(page)).toContain("The app has no access of its own in the company’s name.");
  expect(text(page)).not.toContain(NO_ACCESS);
});

test("blocked → a page names the app that it acts through; then it gets nothing, and no page says that it acts", async () => {
  const { company, admin, assistant, agent, use, get, formTo } = await aStory();
  await use();
  const question = await admin.agent.submit(formTo(await get(agent)), { rule: "block" });
  expect([question.status, text(question)]).toEqual([
    200,
    expect.stringContaining(
      "It can’t use the access of other apps any more: Calendar agent, through Assistant",
    ) as string,
  ]);
  expect(text(question)).toContain("Access ends within 11 minutes.");
  expect(text(question)).not.toMatch(/Members affected|Permissions affected/);
  expect((await use()).status).toBe(200);
  const done = await admin.agent.submit(formTo(question, { confirmed: "yes" }));
  expect(done.status).toBe(303);
  expectRefusal(await use(), "invalid_request");
  const page = await admin.agent.get(done.location?.href.slice(server.issuer.length) ?? "");
  expect(text(page)).toContain("The app is blocked. It gets no new access.");
  expect(text(page)).toContain("within 11 minutes");
  expect(text(await get(agent))).toContain("The access that it already has ends within 11 minutes");
  for (const at of [await get(assistant), await admin.agent.get(`/company/${company.slug}/agents`)]) {
    expect(text(at)).toContain("Assistant");
    expect(text(at)).not.toContain("Calendar agent");
  }
});

test("the app through which it acted ends, or its company's approval → it has no access", async () => {
  const { company, assistant, agent, use, get } = await aStory();
  await use();
  await server.assent.storage.companyApps.revokeForAll({
    ...{ partition: company.partition, companyId: company.companyId, clientId: assistant.clientId },
    ...{ by: null, now: server.now() },
  });
  // Nothing is left of it that the admins could see.
  expect((await get(agent)).status).toBe(404);
});
