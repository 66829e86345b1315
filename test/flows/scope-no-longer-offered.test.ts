/** Owners' pages about a permission that the operator deleted, or took from the app, say what tokens still get (RFC 6749 §6). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany } from "../support/company-staff.ts";
import { atConsent, changeClient } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, postForm, redeem } from "../support/http-browser.ts";
import { settle, startServer, type TestServer } from "../support/test-server.ts";

const HINT = "The app gets no new access with a permission that is no longer offered.";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const textOf = ({ text }: Page) =>
  text
    .replace(/^[\s\S]*<main[^>]*>/, "")
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ");

let names = 0;
/** An app that was allowed two permissions, and a way to take one away. */
async function allowed(who: "person" | "admin" | "member") {
  names += 1;
  const gone = `gone${names}`;
  await server.addScope({ name: gone, resource: "https://api.test", description: `Use ${gone}` });
  const app = await server.addClient({ scopes: ["write", gone] });
  const company = await addCompany(server, { defaultRule: "members" });
  const person = company[who === "admin" ? "admin" : "member"];
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app, { scope: `write ${gone}` });
  const page = await atConsent(agent, url, person.username);
  const { location } = await agent.submit(consentForm(page), {
    ...{ decision: "allow", scope: ["write", gone], duration: "604800" },
    owner: who === "person" ? person.personId : company.companyId,
  });
  const { body } = await redeem(server, app, location ?? "");
  const refreshed = async () =>
    (await postForm(server, "/token", app, { grant_type: "refresh_token", refresh_token: body.refresh_token })).body;
  const place = `/company/${company.slug}`;
  const pages = {
    person: ["/account/apps", "/account/agents"],
    admin: [`${place}/apps/${app.clientId}`, `${place}/agents`],
    member: [place],
  }[who];
  const deletes = async () => {
    await server.assent.storage.scopes.delete({ name: gone, now: server.now() });
    await settle();
  };
  return { agent, app, gone, pages, refreshed, deletes };
}

test.each(["person", "admin", "member"] as const)(
  "deleted, seen by: %s → marked on each page, and what that means; the next token is without it",
  async (who) => {
    const { agent, gone, pages, refreshed, deletes } = await allowed(who);
    for (const path of pages) expect([path, textOf(await agent.get(path)).includes(HINT)]).toEqual([path, false]);
    await deletes();
    for (const path of pages) {
      const text = textOf(await agent.get(path));
      expect([
        path,
        text.includes(HINT),
        new RegExp(`${gone} (?:ends in 7 days )?No longer offered`).test(text),
      ]).toEqual([path, true, true]);
      expect(text).not.toContain("Change your photos No longer offered");
    }
    expect((await refreshed()).scope).toBe("write");
  },
);

test("taken from the app → likewise; given back → it applies again", async () => {
  const { agent, app, gone, pages, refreshed } = await allowed("person");
  await changeClient(server, app, { scopes: ["write"] });
  expect(textOf(await agent.get(pages[0] ?? ""))).toContain(`Use ${gone} No longer offered`);
  await changeClient(server, app, { scopes: ["write", gone] });
  expect(textOf(await agent.get(pages[0] ?? ""))).not.toContain("No longer offered");
  expect((await refreshed()).scope).toBe(`write ${gone}`);
});
