/** What people, apps and operators learn after the database was restored from a backup. */

import { decodeJwt } from "jose";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { openStorage } from "../../packages/server/src/storage/open.ts";
import { copyOf, logged } from "../support/back-channel.ts";
import { Agent, authorize, authorizeUrl, postForm, redeem, refresh, signIn } from "../support/http-browser.ts";
import { storedRefusal } from "../support/stored-refusal.ts";
import { API, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
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
  const refused = await refresh(at, app, token);
  expect([refused.status, refused.body.error]).toEqual([400, "invalid_grant"]);
  return storedRefusal(at, refused);
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

describe("access tokens from between the backup and the restore", () => {
  /** An app in the backup that got tokens before and after it, and one that was connected after it. */
  async function backedUp() {
    const [known, unknown] = [await server.addClient({ name: "Old Printer" }), await server.addClient({ name: "New" })];
    const { username } = await server.addPerson();
    await allowed(known, username);
    const backup = copyOf(server);
    server.tick(60 * MINUTE);
    const tokens = [(await allowed(known, username)).access, (await allowed(unknown, username)).access];
    server.tick(2 * MINUTE);
    return { backup, username, tokens };
  }

  /** The time of an end that the page shows. */
  const endsIn = (text: string, pattern: RegExp) => Number(pattern.exec(text)?.[1] ?? Number.NaN) * MINUTE;

  test("the server says that they are active until they expire", async () => {
    const { backup, tokens } = await backedUp();
    const after = await restore(backup, { issuer: server.issuer });
    const ask = (token: string) =>
      postForm({ issuer: after.url }, "/introspect", { clientId: API.id, secret: API.secret }, { token });
    for (const token of tokens) expect((await ask(token)).body).toMatchObject({ active: true });
    after.tick(9 * MINUTE);
    for (const token of tokens) expect((await ask(token)).body).toEqual({ active: false });
  });

  test.each(["/account/apps", "/account/agents"])(
    "%s → no end is too early, and nothing says that no app has access",
    async (path) => {
      const { backup, username, tokens } = await backedUp();
      const last = Math.max(...tokens.map((token) => (decodeJwt(token).exp ?? 0) * 1000));
      const after = await restore(backup);
      const text = await shown(after, username, path);
      expect(after.now() + endsIn(text, /Old Printer ends in (\d+) minutes/)).toBeGreaterThan(last - MINUTE);
      expect(text).not.toMatch(/No apps have access|No app can act|New/);
      expect(text).toMatch(
        /This service was restored from a backup just now \. Apps that were connected after the backup was made may be missing here\. They may still have access, until (\d\d:\d\d) UTC at the latest\./,
      );
      after.tick(8 * MINUTE);
      expect(await shown(after, username, path)).toContain("was restored from a backup");
      after.tick(3 * MINUTE);
      expect(await shown(after, username, path)).not.toMatch(/restored|Recently ended/);
    },
  );

  test("consents kept, and its end is sooner in the backup → the page says until when it may go on", async () => {
    const app = await server.addClient({ name: "Old Printer" });
    const { username, partition, personId } = await server.addPerson();
    await allowed(app, username);
    server.tick(MINUTE);
    const [end, now] = [server.now() + 65 * MINUTE, server.now()];
    const key = { partition, ownerId: personId, clientId: app.clientId };
    await server.assent.storage.consents.changeEnd({ ...key, end, ceiling: null, by: personId, now });
    const backup = copyOf(server);
    server.tick(60 * MINUTE);
    const after = await restore(backup, { keepConsents: true });
    const text = await shown(after, username, "/account/apps");
    expect(text).toMatch(/It can still use the access that it already has, until \d\d:\d\d UTC at the latest/);
    expect(text).toMatch(/access ends within 10 minutes/);
  });
});
