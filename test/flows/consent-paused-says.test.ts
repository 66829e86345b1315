/** What the consent page says about an app that its owner paused is what Allow does (RFC 6749 §4.1.1 (B)). */

import { afterAll, beforeAll, expect, test } from "vitest";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
  await server.addScope({ name: "share", description: "Share your photos", optional: true, sensitive: true });
  await server.addScope({ name: "must", description: "Print your photos", optional: false });
});
afterAll(() => server.stop());

const partOf = ({ text }: Page, part: RegExp) =>
  (part.exec(text)?.[0] ?? "")
    .replaceAll(/<svg[\s\S]*?<\/svg>/g, "")
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:)])/g, "")
    .trim();
const noteOn = (page: Page) => partOf(page, /<p class="[^"]*nothing-new">[\s\S]*?<\/p>/);
const summaryOn = (page: Page) => partOf(page, /<summary>[\s\S]*?<\/summary>/);
const pauseOn = (page: Page) => partOf(page, /<div class="notice warning">[\s\S]*?<\/div>/);

/** An app that a person allowed these permissions. `pauses`: they pause it. */
async function allowed(scope: string, duration: string) {
  const person = await server.addPerson();
  const app = await server.addClient({ scopes: ["read", "write", "share", "must"] });
  const agent = new Agent(server.issuer);
  const open = (names: string) => {
    const url = authorizeUrl(server, app, { scope: names, prompt: "consent" });
    return atConsent(agent, url, person.username);
  };
  const answer = { decision: "allow", scope: scope.split(" "), duration };
  const { location } = await agent.submit(consentForm(await open(scope)), answer);
  const token = (await redeem(server, app, location ?? "")).body.refresh_token;
  const { partition, personId: by } = person;
  const pauses = () => {
    const key = { partition, ownerId: by, clientId: app.clientId };
    return server.assent.storage.consents.setPaused({ ...key, by, paused: true, now: server.now() });
  };
  const can = async () => (await refresh(server, app, token)).body.scope;
  return { agent, open, pauses, can };
}

test("permissions that were given, not paused → the folded part says that they stay unless they are changed there", async () => {
  const { open } = await allowed("read", "forever");
  expect(summaryOn(await open("read must"))).toContain(
    "It also asks for 1 permission that you already gave. This one stays unless you change it here.",
  );
});

test("paused, and every new permission can be left out → what Allow gives back without them, and no word that nothing changes", async () => {
  const { agent, open, pauses, can } = await allowed("read write", "forever");
  await pauses();
  expect(await can()).toBeUndefined();
  const page = await open("read write share");
  expect(summaryOn(page)).toMatch(/^It also asks for 2 permissions that you already gave\. No end/);
  expect(noteOn(page)).toBe(
    "If you tick none of these, “Allow and resume” only gives the app back what was allowed before.",
  );
  await agent.submit(consentForm(page), { decision: "allow", scope: ["write"] });
  expect(await can()).toBe("read write");
});

test("paused, and one that was given before is unticked → the app gets the others back", async () => {
  const { agent, open, pauses, can } = await allowed("read write", "forever");
  await pauses();
  const page = await open("read write share");
  expect(pauseOn(page)).toContain("it resumes with what you allowed before, except what you untick here.");
  await agent.submit(consentForm(page), { decision: "allow", scope: [] });
  expect(await can()).toBe("read");
});

test("paused, and a new permission is required → no word of ticking none", async () => {
  const { open, pauses } = await allowed("read", "forever");
  await pauses();
  const page = await open("read must");
  expect([noteOn(page), summaryOn(page).includes("stays")]).toEqual(["", false]);
});

test("paused, and all that was allowed has ended → the page promises nothing back", async () => {
  const { agent, open, pauses, can } = await allowed("read", "3600");
  await pauses();
  server.tick(2 * 3_600_000);
  const page = await open("read");
  expect(pauseOn(page)).toContain("What you allowed has ended since. If you allow it now, it resumes and gets only");
  await agent.submit(consentForm(page), { decision: "allow", scope: [], duration: "3600" });
  expect(await can()).toBeUndefined();
});

test("paused, and only what the request doesn't ask for is left → the page says that this comes back", async () => {
  const { open, pauses } = await allowed("read", "forever");
  await pauses();
  const page = await open("write");
  expect(pauseOn(page)).toContain("it resumes with what you allowed before");
  expect(pauseOn(page)).toContain("See your photos (until you revoke it)");
});
