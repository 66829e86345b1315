/** The consent page of an app that has access by the operator's policy: what it says, and what the answer does (RFC 7523). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { aJwtIssuer, claimsFor, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
const idp = aJwtIssuer("https://idp.test");
beforeAll(async () => {
  server = await startServer();
  await server.addScope({
    name: "share",
    description: "Share your photos",
    optional: true,
    resource: "https://api.test",
  });
  await trust(server, { issuer: idp.issuer, type: "jwt", jwks: idp.jwks, scopes: ["read", "share"] });
});
afterAll(() => server.stop());

const textOf = ({ text }: Page) =>
  text
    .replace(/^[\s\S]*<main[^>]*>/, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:)])|(?<=\() /g, "");

async function aStory() {
  const app = await server.addClient({
    scopes: ["read", "share"],
    grantTypes: [JWT_BEARER, "authorization_code", "refresh_token"],
  });
  const { username } = await server.addPerson();
  const byPolicy = async (scope: string) => {
    const answer = await present(server, app, JWT_BEARER, jwtOf(idp, claimsFor(server, idp, username)), { scope });
    return [answer.status, answer.body.scope];
  };
  const agent = new Agent(server.issuer);
  const open = () => atConsent(agent, authorizeUrl(server, app, { scope: "read share", prompt: "consent" }), username);
  return { byPolicy, agent, open };
}

const HAS = "The app has this already by the policy of this service, until you revoke it";
const REFUSAL =
  "If you don’t allow it, nothing changes: the app keeps what the policy of this service gives it. You can revoke access at any time in Your apps.";

test("with a token of a moment ago, and long after it → the page says who gave it, and that a refusal changes nothing", async () => {
  const { byPolicy, agent, open } = await aStory();
  expect(await byPolicy("read")).toEqual([200, "read"]);
  for (const later of [0, 3_600_000]) {
    server.tick(later);
    const page = await open();
    const text = textOf(page);
    expect(text.split(HAS)).toHaveLength(2);
    expect(text).toContain(REFUSAL);
    expect(text).not.toMatch(/Allowed once before|gets no new access/);
    await agent.submit(consentForm(page), { decision: "deny" });
    expect(await byPolicy("read")).toEqual([200, "read"]);
  }
});

test("allowed for an hour → the row still says so, because the policy outlasts the hour; left out → taken away", async () => {
  const { byPolicy, agent, open } = await aStory();
  expect(await byPolicy("read share")).toEqual([200, "read share"]);
  await agent.submit(consentForm(await open()), { decision: "allow", scope: ["read", "share"], duration: "3600" });
  const page = await open();
  expect(textOf(page).split(HAS)).toHaveLength(3);
  await agent.submit(consentForm(page), { decision: "allow", scope: ["read"] });
  expect(await byPolicy("read share")).toEqual([200, "read"]);
  expect(textOf(await open()).split(HAS)).toHaveLength(2);
});

test("nothing by the policy → the page says nothing of it", async () => {
  const { open } = await aStory();
  const text = textOf(await open());
  expect(text).not.toContain("the policy of this service");
  expect(text).toContain("If you don’t allow it, the app gets no new access.");
});

test("allowed for an hour beside the policy → Your apps says that the access goes on, then and after the hour, and offers no end that changes nothing", async () => {
  const { byPolicy, agent, open } = await aStory();
  expect(await byPolicy("read")).toEqual([200, "read"]);
  const allow = async (scope: string[]) =>
    agent.submit(consentForm(await open()), { decision: "allow", scope, duration: "3600" });
  await allow(["read"]);
  for (const later of [0, 2 * 3_600_000]) {
    server.tick(later);
    const text = textOf(await agent.get("/account/apps"));
    expect(text).toContain("Ends When you revoke it");
    expect(text).not.toContain("Change when access ends");
    expect(await byPolicy("read")).toEqual([200, "read"]);
  }
  // The policy does not give this permission, so it ends when the page said, and its end can be changed.
  await allow(["read", "share"]);
  const text = textOf(await agent.get("/account/apps"));
  expect(text).toMatch(/Share your photos ends in 60 minutes/);
  expect(text).toContain("Change when access ends");
});

test("removed, then allowed on a page for an hour, then a token by the policy → the history says each time that the policy gives it again, once", async () => {
  const { byPolicy, agent, open } = await aStory();
  const policyEntries = async () => {
    const { text } = await agent.get("/account/history");
    const entries = text.split('<div class="event">').map((entry) =>
      entry
        .replace(/<a class="receipt"[\s\S]*$/, "")
        .replaceAll(/<[^>]*>/g, " ")
        .replaceAll(/\s+/g, " "),
    );
    return entries.filter((entry) => entry.includes("got access by the policy of this service"));
  };
  expect(await byPolicy("read share")).toEqual([200, "read share"]);
  await open();
  expect(await policyEntries()).toHaveLength(1);
  for (const [times, hours] of [0, 1, 24].entries()) {
    server.tick(hours * 3_600_000);
    await agent.submit(consentForm(await open()), { decision: "allow", scope: ["read"] });
    expect(await byPolicy("read share")).toEqual([200, "read"]);
    const answer = { decision: "allow", scope: ["read", "share"], duration: "3600" };
    await agent.submit(consentForm(await open()), answer);
    expect(await policyEntries()).toHaveLength(times + 1);
    for (let tokens = 0; tokens < 2; tokens++) {
      server.tick(60_000);
      expect(await byPolicy("read share")).toEqual([200, "read share"]);
      expect(await policyEntries()).toHaveLength(times + 2);
    }
    expect((await policyEntries())[0]).toMatch(/It can until revoked: .*Share your photos/);
  }
});
