/** The choice "Today": access ends at the time that the page showed, and never later. */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { atConsent } from "../support/front-channel.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;
const HOUR = 3_600_000;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient();
});
afterAll(() => server.stop());

async function asked(app = client) {
  const { username, partition, personId: ownerId } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const page = await atConsent(agent, authorizeUrl(server, app), username);
  const key = { partition, ownerId, clientId: app.clientId };
  return { agent, page, consent: () => server.assent.storage.consents.find(key) };
}

const answer = (agent: Agent, page: Page, more: Record<string, string> = {}) =>
  agent.submit(consentForm(page), { decision: "allow", duration: "today", ...more });

test("without a script → until midnight of UTC, and the page says so", async () => {
  const { agent, page, consent } = await asked();
  expect(page.text).toMatch(/<option value="today"[^>]*>Today, until 00:00 UTC</);
  const until = Number(consentForm(page).fields.get("today_until"));
  expect(until % (24 * HOUR)).toBe(0);
  await answer(agent, page);
  expect((await consent())?.expiresAt).toBe(until);
});

test("the end of the reader's day → that end to the millisecond, for the consent, its tokens and its refreshes", async () => {
  const { agent, page, consent } = await asked();
  const until = server.now() + 2 * HOUR;
  const callback = (await answer(agent, page, { today_until: String(until) })).location;
  expect((await consent())?.expiresAt).toBe(until);
  const { body } = await redeem(server, client, callback ?? "");
  expect((decodeJwt(body.access_token ?? "").exp ?? 0) * 1000).toBeLessThanOrEqual(until);
  server.tick(until - server.now() - 60_000);
  const late = await refresh(server, client, body.refresh_token);
  expect(late.body.expires_in).toBeLessThanOrEqual(60);
  server.tick(61_000);
  expect((await refresh(server, client, late.body.refresh_token)).body.error).toBe("invalid_grant");
});

test("midnight passed while the page was open, or an end beyond a day → the page again, and nothing is allowed", async () => {
  const { agent, page, consent } = await asked();
  for (const until of [server.now() - 1, server.now() + 26 * HOUR]) {
    const again = await answer(agent, page, { today_until: String(until) });
    expect(again.status).toBe(400);
    expect(again.text).toContain("Choose a length of time from the list.");
    expect(again.text).toMatch(/<option value="today" selected/);
  }
  expect(await consent()).toBeUndefined();
});

test("a client whose consents may last less than a day → not offered, and refused", async () => {
  const brief = await server.addClient({ consentCeiling: 3600 });
  const { agent, page, consent } = await asked(brief);
  expect(page.text).not.toContain('value="today"');
  const refused = await answer(agent, page, { today_until: String(server.now() + HOUR) });
  expect(refused.status).toBe(400);
  expect(await consent()).toBeUndefined();
});
