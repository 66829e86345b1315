/** The consent page tells somebody who is no admin how they end an app's access for a company: by stopping it for themselves. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { addCompany, addMember } from "../support/company-staff.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorize, authorizeUrl, formTo, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

/** A consent page for a company, as plain text. */
async function aStory(who: "admin" | "member", scopes: readonly string[]) {
  const redirectUris = ["https://app.test/cb", "https://new.test/cb"];
  const company = await addCompany(server, { defaultRule: "members" });
  const app = await server.addClient({ scopes: [...scopes, "write"], redirectUris });
  const agent = new Agent(server.issuer);
  const urlOf = (scope: readonly string[], at = 0) =>
    authorizeUrl(server, app, { scope: scope.join(" "), prompt: "consent", redirect_uri: redirectUris[at] });
  const pageFor = (scope: readonly string[], at = 0) => atConsent(agent, urlOf(scope, at), company[who].username);
  const menus = async () => (await pageFor(scopes)).text;
  const open = async (scope = scopes, at = 0) => {
    const { text } = await pageFor(scope, at);
    const plain = text.replaceAll(/<select[\s\S]*?<\/select>/g, "").replaceAll(/<[^>]*>/g, " ");
    return plain.replaceAll(/\s+/g, " ").replaceAll(/ (?=[.,:])/g, "");
  };
  const connect = async (scope = scopes) => {
    const answer = { owner: company.companyId, scope, duration: "forever" };
    const location = await authorize(agent, urlOf(scope), company[who].username, answer);
    return (await redeem(server, app, location, { redirect_uri: redirectUris[0] ?? "" })).body.refresh_token;
  };
  return { company, app, agent, menus, open, connect };
}

test.each([
  [["read", "offline_access"], "can use what you allow without you"],
  [["read"], "keeps its access while you’re away"],
] as const)(
  "an app asks for %j, to keep access → an owner pauses or revokes it, a member of a company ends their own part",
  async (scopes, says) => {
    const { company, menus } = await aStory("member", scopes);
    const member = await menus();
    for (const [owners, end] of [
      ["if-revokes", "or until you pause or revoke it."],
      ["if-member", "or until you end its access."],
    ] as const)
      expect(member).toMatch(new RegExp(`<span class="${owners}">[^<]*${says}[^<]*${RegExp.escape(end)}</span>`));
    expect([...member.matchAll(/<option value="([^"]*)"[^>]* data-member="yes"/g)].map(([, owner]) => owner)).toEqual([
      company.companyId,
    ]);
    const admin = await (await aStory("admin", scopes)).menus();
    expect(admin).toContain(says);
    expect(admin).toContain("or until you pause or revoke it.");
    expect(admin).not.toMatch(/end its access|data-member/);
  },
);

test("the menus for the end → a member can choose until they end it, an admin until they revoke it", async () => {
  const member = await (await aStory("member", ["read"])).menus();
  expect(member).toContain("Until I end it");
  expect(member).not.toContain("Until I revoke it");
  const admin = await (await aStory("admin", ["read"])).menus();
  expect(admin).toContain("Until I revoke it");
  expect(admin).not.toContain("Until I end it");
});

test("an admin of one company who is a member of another → the page says how they end access for both, and for themselves", async () => {
  const { company, open } = await aStory("member", ["read"]);
  expect(await open()).toContain("For a company, stop the app for yourself in Your companies.");
  await addMember(server, await addCompany(server, { defaultRule: "members" }), company.member, "admin");
  expect(await open()).toContain(
    "revoke your own in Your apps. For a company, do it in Your companies: revoke it as an admin, or stop the app for yourself.",
  );
});

test("allowed without an end → the permissions have no end for a member; an admin can revoke them", async () => {
  for (const [who, end] of [
    ["member", "no end"],
    ["admin", "until you revoke it"],
  ] as const) {
    const { open, connect } = await aStory(who, ["read"]);
    await connect(["read", "write"]);
    const page = await open();
    expect(page).toContain(`See your photos Required ${end}`);
    expect(page).toContain(`Change your photos (${end})`);
  }
});

test("allowed at another address → a member stops it for themselves to end that, and the place that the page names does so", async () => {
  const { company, app, agent, open, connect } = await aStory("member", ["read"]);
  const token = await connect();
  const says = "To end it, stop the app for yourself in Your companies.";
  expect(await open(["read"], 1)).toContain(says);
  expect(await (await aStory("admin", ["read"])).open()).not.toContain(says);
  const companies = await agent.get("/account/companies");
  expect(companies.text).toContain(`href="/company/${company.slug}"`);
  await agent.submit(formTo(await agent.get(`/company/${company.slug}`), "/opt-out"));
  expect((await refresh(server, app, token)).status).toBe(400);
});
