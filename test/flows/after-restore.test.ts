/** What people, apps and operators learn after the database was restored from a backup. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { copyOf } from "../support/back-channel.ts";
import { Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
/** The servers on restored copies. */
let restored: TestServer[];

beforeEach(async () => {
  server = await startServer();
  restored = [];
});
afterEach(async () => {
  for (const one of [...restored, server]) await one.stop();
});

/** The tokens of an app that the person allows to read. */
async function allowed(app: TestClient, username: string) {
  const url = authorizeUrl(server, app, { scope: "read" });
  const { body } = await redeem(server, app, await authorize(new Agent(server.issuer), url, username));
  return { access: body.access_token ?? "", refresh: body.refresh_token ?? "" };
}

/** Restores a copy now, and starts a server on it. */
async function restore(dataDir: string, { keepConsents = false, issuer = "" } = {}): Promise<TestServer> {
  const storage = await openStorage({ url: `sqlite:${dataDir}/assent.db`, writer: "main" });
  await storage.endAllBefore({ now: server.now(), keepConsents });
  await storage.close();
  const one = await startServer({ dataDir, config: issuer === "" ? {} : { issuer } });
  restored.push(one);
  one.tick(server.now() - one.now());
  return one;
}

/** The text of a page of a person who signs in. */
async function shown(at: TestServer, username: string, path: string): Promise<string> {
  const agent = new Agent(at.issuer);
  await signIn(agent, username);
  return (await agent.get(path)).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

test.each([false, true])("consents kept: %s → the history names the restore, not a decision", async (keepConsents) => {
  const app = await server.addClient({ name: "Photo Printer" });
  const { username } = await server.addPerson();
  await allowed(app, username);
  const after = await restore(copyOf(server), { keepConsents });
  const history = await shown(after, username, "/account/history");
  expect(history).toMatch(/Photo Printer ?’s access ended because this service was restored from a backup/);
  expect(history).not.toMatch(/revoked for you|You revoked/);
});
