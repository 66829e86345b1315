/** What somebody else changes of apps while the owner looks at the recovery page: it ends, and the page says so. */

import { beforeAll, expect, test } from "vitest";
import { type Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { aConnection, DAY, decide, STRANGE_BROWSER, signedInWith } from "../support/recovery-actors.ts";
import { recoveryStage } from "../support/recovery-setup.ts";
import type { TestClient, TestServer } from "../support/test-server.ts";

let server: TestServer;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server } = stage.started());
});

/** Submits the form of one app on a page about apps. */
async function change(agent: Agent, path: string, { clientId }: TestClient, fields: Record<string, string> = {}) {
  const page = await agent.get(path.startsWith("/account/agents") ? "/account/agents" : "/account/apps");
  const form = page.forms.find(({ action, fields: all }) => action.endsWith(path) && all.get("client_id") === clientId);
  if (form === undefined) throw new Error(`no form ${path}`);
  expect((await agent.submit(form, fields)).status).toBe(303);
}

test("somebody chooses another end of an app while the page is open → the app is named as revoked", async () => {
  const { person, owner } = await anOwner();
  const app = await aConnection(owner, person, server, { name: "Photo Printer" });
  await change(owner, "/account/apps/end", app.client, { duration: "31536000" });
  const intruder = await anIntruder(person);
  const { reader, page } = await opened(person);
  server.tick(60_000);
  await change(intruder, "/account/apps/end", app.client, { duration: "forever" });
  const done = await decide(reader, page);
  expect(await app.works()).toBe(false);
  expect(done.text).toContain("Access revoked: <bdi>Photo Printer</bdi>.");
  expect(done.text).not.toContain("Still have access");
});

test("somebody resumes a paused app and connects it again while the page is open → its older access ends, too", async () => {
  const { person, owner } = await anOwner();
  const app = await aConnection(owner, person, server, { name: "Slide Show" });
  await change(owner, "/account/agents/pause", app.client);
  const intruder = await anIntruder(person);
  const { reader, page } = await opened(person);
  server.tick(60_000);
  await change(intruder, "/account/agents/resume", app.client);
  server.tick(60_000);
  const url = authorizeUrl(server, app.client, { prompt: "consent" });
  await redeem(server, app.client, await authorize(intruder, url, person.username));
  server.tick(60_000);
  const done = await decide(reader, page);
  expect(await app.works()).toBe(false);
  expect(done.text).toContain("Access revoked: <bdi>Slide Show</bdi>.");
});

test("somebody resumes a paused app while the page is open, in a browser that is not new → the app loses access", async () => {
  const { person, owner } = await anOwner();
  const app = await aConnection(owner, person, server, { name: "Slide Show" });
  await change(owner, "/account/agents/pause", app.client);
  server.tick(30 * DAY);
  const intruder = await signedInWith(STRANGE_BROWSER, person, server);
  server.tick(8 * DAY);
  const { reader, page } = await opened(person);
  server.tick(60_000);
  await signIn(intruder, person.username);
  await change(intruder, "/account/agents/resume", app.client);
  const done = await decide(reader, page);
  expect(await app.works()).toBe(false);
  expect(done.text).toContain("Access revoked: <bdi>Slide Show</bdi>.");
});
