/** How long an app's access still works, after the operator has lowered the lifetime of access tokens (RFC 7009 §2). */

import { afterEach, beforeEach, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
const API = "https://api.test";
let server: TestServer;

beforeEach(async () => {
  server = await startServer();
});
afterEach(() => server.stop());

async function allowed(app: TestClient): Promise<string> {
  const { username } = await server.addPerson();
  const url = authorizeUrl(server, app, { scope: "read" });
  await redeem(server, app, await authorize(new Agent(server.issuer), url, username));
  return username;
}

/** What the form to revoke the app says, at this server. */
async function said(username: string, at: TestServer = server): Promise<string> {
  const agent = new Agent(at.issuer);
  await signIn(agent, username);
  const { text } = await agent.get("/account/apps");
  return /<form class="app-end"[\s\S]*?<p class="soft small">([^<]*)</.exec(text)?.[1] ?? "";
}

test("for all APIs: the server was started again with a shorter one → likewise", async () => {
  const app = await server.addClient({ scopes: ["read"] });
  const username = await allowed(app);
  const later = await startServer({ dataDir: server.dataDir, config: { accessTtl: 2 * MINUTE } });
  // The clocks of both are moved alike.
  later.tick(server.now() - later.now() + 3 * MINUTE);
  try {
    expect(await said(username, later)).toContain("access ends within 8 minutes");
    later.tick(10 * MINUTE);
    expect(await said(username, later)).toContain("access ends immediately");
  } finally {
    await later.stop();
  }
});

test("for one API → the earlier lifetime until older tokens are over; then the new one", async () => {
  const app = await server.addClient({ scopes: ["read"] });
  const [before, after] = [await allowed(app), await allowed(app)];
  expect(await said(before)).toContain("access ends within 10 minutes");
  const api = (await server.assent.storage.resources.list()).find(({ identifier }) => identifier === API);
  if (api === undefined) throw new Error("no API");
  const changed = { tokenLifetime: 120, earlierLifetime: { lifetime: api.tokenLifetime, changedAt: server.now() } };
  await server.assent.storage.resources.put({ resource: { ...api, ...changed }, create: false });
  server.tick(3 * MINUTE);
  // Longer than the catalogue can be out of date.
  await new Promise((resolve) => setTimeout(resolve, 600));
  expect(await said(before)).toContain("access ends within 8 minutes");
  server.tick(25 * MINUTE);
  expect(await said(after)).toContain("access ends immediately");
  expect(await said(await allowed(app))).toContain("access ends within 2 minutes");
  await server.assent.storage.resources.put({ resource: api, create: false });
});
