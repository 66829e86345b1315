/** What people, apps and operators learn after the database was restored from a backup. */

import { afterEach, beforeEach, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { explained, refusalOf } from "../../packages/server/src/admin/refusals/index.ts";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { copyOf, logged } from "../support/back-channel.ts";
import { Agent, authorize, authorizeUrl, redeem, refresh, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;
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

/** Refreshes, which is refused, and returns what an operator reads about it. */
async function refusal(at: TestServer, app: TestClient, token: string) {
  const { status, headers, body } = await refresh(at, app, token);
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
  const requestId = headers.get("x-request-id") ?? "";
  await expect.poll(() => at.assent.storage.refusals.get({ requestId })).toBeDefined();
  return explained(await refusalOf(requestId, adminOf(at.assent.storage, at.issuer, at.now)));
}

test("a refresh token from after the backup → the log and the refusal name the restore, until it would have expired", async () => {
  const app = await server.addClient();
  const { username } = await server.addPerson();
  const before = await allowed(app, username);
  const backup = copyOf(server);
  const since = await allowed(app, username);
  const after = await restore(backup);

  expect(await refusal(after, app, "rt_x")).toMatchObject({ condition: "refresh_token_unknown" });
  expect(logged(after, "state_lost")).toBe(0);
  for (const { refresh: token } of [before, since]) {
    const { condition, explanation } = await refusal(after, app, token);
    expect(condition).toBe("refresh_state_lost");
    expect(explanation).toMatch(
      /restored from a backup.*ended the grant.*issued after the backup.*must ask the owner again/,
    );
  }
  expect(logged(after, "state_lost")).toBe(2);

  after.tick(91 * DAY);
  expect((await refusal(after, app, since.refresh)).condition).toBe("refresh_token_unknown");
});

test("no restore, and the grant is not in the database → the refusal says that the app must ask again", async () => {
  const app = await server.addClient();
  const { username } = await server.addPerson();
  const backup = copyOf(server);
  const since = await allowed(app, username);
  const other = await startServer({ dataDir: backup });
  restored.push(other);
  const { condition, explanation } = await refusal(other, app, since.refresh);
  expect(condition).toBe("refresh_token_unknown");
  expect(explanation).toMatch(/no grant for the refresh token.*must ask the owner again/);
  expect(logged(other, "state_lost")).toBe(0);
});
