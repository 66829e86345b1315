/** `/account/apps`: the facts that it shows about each app, and the effects of its forms. */

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, type Page, postForm, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let client: TestClient;

beforeAll(async () => {
  server = await startServer();
  client = await server.addClient({ name: "Photo Printer", scopes: ["read", "write", "profile"] });
});
afterAll(() => server.stop());

const MINUTE = 60_000;
const DAY = 86_400_000;

async function allowed(app: TestClient = client, answer: Record<string, string> = {}) {
  const { username, personId, partition } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, app, { scope: "read write" });
  const callback = await authorize(agent, url, username, { duration: "forever", ...answer });
  const { body } = await redeem(server, app, callback);
  return { agent, username, personId, partition, refreshToken: body.refresh_token ?? "" };
}

const refresh = (refresh_token: string, scope?: string) =>
  postForm(server, "/token", client, { grant_type: "refresh_token", refresh_token, scope });
const formTo = ({ forms }: Page, end: string) => forms.find(({ action }) => action.endsWith(end));

async function press(agent: Agent, end: string, fields: Record<string, string | readonly string[]> = {}) {
  const form = formTo(await agent.get("/account/apps"), end);
  if (form === undefined) throw new Error(`no form for ${end}`);
  return agent.submit(form, fields);
}
const said = ({ text }: Page) =>
  /<div class="notice done"[^>]*>[\s\S]*?<p>([\s\S]*?)<\/p>/.exec(text)?.[1]?.replace(/<[^>]+>/g, "") ?? "";

test("an app that the operator switched off → said so, also in the history; back again → not any more", async () => {
  const app = await server.addClient({ name: "Photo Printer", scopes: ["read", "write"] });
  const { agent } = await allowed(app);
  const put = async (status: "active" | "disabled") => {
    const stored = await server.assent.storage.clients.get({ clientId: app.clientId });
    if (stored === undefined) throw new Error("the client is gone");
    const changed = { ...stored.record, status, updatedAt: server.now() };
    await server.assent.storage.clients.put({ client: changed, expect: null });
    server.tick(2000);
  };
  const shown = async () => (await agent.get("/account/apps")).text.includes("turned off here");
  expect(await shown()).toBe(false);
  await put("disabled");
  await expect.poll(shown, { timeout: 3000 }).toBe(true);
  expect((await agent.get("/account/history")).text).toContain("because it was turned off or removed here");
  await put("active");
  await expect.poll(shown, { timeout: 3000 }).toBe(false);
});

describe("when access ends", () => {
  test("allowed only once → no form, since there is no lasting end", async () => {
    const { agent } = await allowed(client, { duration: "once" });
    const page = await agent.get("/account/apps");
    expect([formTo(page, "/revoke") !== undefined, formTo(page, "/end")]).toEqual([true, undefined]);
  });

  test("allowed only once, and the code redeemed → the end is the token's, not a later one", async () => {
    const { agent, partition, personId: ownerId } = await allowed(client, { duration: "once" });
    const [stored] = await server.assent.storage.consents.list({ partition, ownerId, now: server.now() });
    const end = stored?.grants[0]?.absoluteUntil ?? 0;
    expect(stored?.consent.expiresAt ?? 0).toBeGreaterThan(end);
    const { text } = await agent.get("/account/apps");
    expect(text).toContain(new Date(end).toISOString());
    expect(text).not.toContain(new Date(stored?.consent.expiresAt ?? 0).toISOString());
  });

  test("permissions that end at different times → the form says that the new end is for all of them", async () => {
    const { agent } = await allowed(client, { "duration:read": "3600" });
    expect((await agent.get("/account/apps")).text).toContain("including those that would end sooner");
    const same = await allowed();
    expect((await same.agent.get("/account/apps")).text).not.toContain("including those that would end sooner");
  });

  test("one permission for this once → the form says that it keeps its end, and it does", async () => {
    const { agent, partition, personId: ownerId } = await allowed(client, { "duration:read": "once" });
    const { text } = await agent.get("/account/apps");
    expect(text.replaceAll(/<[^>]*>/g, "")).toMatch(/except these, which keep their end: See your photosNew end/);
    const end = async () => {
      const [stored] = await server.assent.storage.consents.list({ partition, ownerId, now: server.now() });
      return stored?.grants[0]?.scopes.find(({ name }) => name === "read")?.expiresAt;
    };
    const before = await end();
    expect(before).toEqual(expect.any(Number));
    await press(agent, "/end", { duration: "2592000" });
    expect(await end()).toBe(before);
  });
});

describe("revoke", () => {
  test("→ 303, and the page counts down what the app still holds; loaded again it repeats nothing", async () => {
    const { agent, username, refreshToken } = await allowed();
    const before = (await agent.get("/account/apps")).text;
    expect(before).toContain("access ends within 10 minutes");
    expect(before).toContain("127.0.0.x");
    expect(before).not.toContain("/24");
    const answer = await press(agent, "/revoke", { revoke: "revoke" });
    expect([answer.status, answer.location?.pathname]).toEqual([303, "/account/apps"]);
    const where = answer.location?.href ?? "";
    expect(said(await agent.get(where))).toMatch(/^You revoked Photo Printer’s access.*within 10 minutes\. Receipt$/);
    expect((await refresh(refreshToken)).body.error).toBe("invalid_grant");
    server.tick(7 * MINUTE);
    expect(said(await agent.get(where))).toContain("within 3 minutes");
    server.tick(4 * MINUTE);
    expect(said(await agent.get(where))).toContain("no longer has access");
    server.tick(DAY);
    await signIn(agent, username);
    expect(said(await agent.get(where))).toBe("");
    expect((await agent.get("/account/history")).text.match(/You revoked/g)).toHaveLength(1);
  });

  test("twice, or an app that never was → told so; another owner's entry, or none, in the link → nothing is told", async () => {
    const { agent } = await allowed();
    const page = await agent.get("/account/apps");
    const form = formTo(page, "/revoke");
    if (form === undefined) throw new Error("no form");
    const done = (await agent.submit(form, { revoke: "revoke" })).location?.href ?? "";
    expect(said(await agent.follow(await agent.submit(form, { revoke: "revoke" })))).toContain("no longer had access");
    const other = await allowed();
    for (const link of [done, "/account/apps?done=x", "/account/apps?done=%3Cscript%3E"])
      expect(said(await other.agent.get(link))).toBe("");
  });
});

describe("what an app still holds, whatever ended its grants", () => {
  const shown = async (agent: Agent) =>
    /<form class="app-end"[\s\S]*?<p class="soft small">([^<]*)</.exec((await agent.get("/account/apps")).text)?.[1];

  test("allowed and never fetched → stops at once", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    await authorize(agent, authorizeUrl(server, client, { scope: "read" }), username);
    expect(await shown(agent)).toBe("If you revoke it, access ends immediately. The app can ask you again.");
    expect(said(await agent.follow(await press(agent, "/revoke", { revoke: "revoke" })))).toContain(
      "no longer has access",
    );
  });

  test("a new password ended its connections → the token that it has works on, is counted down, and is over when that says so", async () => {
    const app = await server.addClient({ name: "Photo Printer", scopes: ["read", "write"], refresh: "rotate" });
    const { agent, username, personId } = await allowed(app);
    const token = (await redeem(server, app, await authorize(agent, authorizeUrl(server, app), username))).body;
    const person = await server.assent.storage.people.findByName({ name: username });
    server.tick(4 * MINUTE);
    await server.assent.storage.people.setPassword({
      ...{ partition: person?.partition ?? 0, personId, passwordHash: person?.passwordHash ?? "", mustChange: false },
      ...{ endGrants: true, endSessions: false, keepSessionId: null, now: server.now() },
    });
    const keys = createLocalJWKSet((await (await fetch(`${server.issuer}/jwks`)).json()) as JSONWebKeySet);
    const verifies = () =>
      jwtVerify(token.access_token ?? "", keys, { currentDate: new Date(server.now()) }).then(
        () => true,
        () => false,
      );
    expect([await verifies(), await shown(agent)]).toEqual([
      true,
      "If you revoke it, access ends within 7 minutes. The app can ask you again.",
    ]);
    const where = (await press(agent, "/revoke", { revoke: "revoke" })).location?.href ?? "";
    expect(said(await agent.get(where))).toContain("within 7 minutes");
    server.tick(8 * MINUTE);
    expect([await verifies(), said(await agent.get(where))]).toEqual([
      false,
      "Photo Printer no longer has access. Receipt",
    ]);
  });

  test("the only API asks for each token whether its grant stands → revoked, it stops at once; narrowed, it is not told", async () => {
    const vault = { identifier: "https://vault.test", tokenFormat: "opaque", grantBound: true } as const;
    await server.addResource(vault);
    for (const name of ["vault:see", "vault:fill"])
      await server.addScope({ name, description: name, resource: vault.identifier });
    const app = await server.addClient({ name: "Vault App", scopes: ["vault:see", "vault:fill"] });
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app, { scope: "vault:see vault:fill" });
    await redeem(server, app, await authorize(agent, url, username, { duration: "forever" }));
    expect(await shown(agent)).toBe("If you revoke it, access ends immediately. The app can ask you again.");
    const less = await agent.follow(await press(agent, "/narrow", { keep: ["vault:see"] }));
    expect(said(less)).toContain("The change is complete by");
    expect(said(await agent.follow(await press(agent, "/revoke", { revoke: "revoke" })))).toContain(
      "no longer has access",
    );
  });
});

describe("another end", () => {
  test.each(["", "once", "1234", "'"])("%j, which isn't offered → nothing changes", async (duration) => {
    const { agent, refreshToken } = await allowed();
    const answer = await press(agent, "/end", { duration });
    expect([answer.status, answer.location?.search]).toEqual([303, ""]);
    expect((await refresh(refreshToken)).status).toBe(200);
  });

  test("saved as the page came → nothing changes, not even by a second, and the history tells of nothing", async () => {
    for (const duration of ["forever", "3600"]) {
      const { agent, partition, personId } = await allowed(client, { duration });
      const key = { partition, ownerId: personId, clientId: client.clientId };
      const before = await server.assent.storage.consents.find(key);
      server.tick(MINUTE);
      const form = (await agent.get("/account/apps")).forms.find(({ action }) => action.endsWith("/end"));
      if (form === undefined) throw new Error("no form for the end");
      const answer = await agent.submit(form, { end: "end" });
      expect([answer.status, answer.location?.search]).toEqual([303, ""]);
      expect(await server.assent.storage.consents.find(key)).toEqual(before);
      expect((await agent.get("/account/history")).text).not.toContain("You changed when");
    }
  });

  test("sooner → the app's tokens end then; until revoked → they go on", async () => {
    const { agent, username, refreshToken } = await allowed();
    expect(said(await agent.follow(await press(agent, "/end", { duration: "3600" })))).toMatch(
      /ends in (1 hour|60 minutes)/,
    );
    server.tick(50 * MINUTE);
    expect(said(await agent.follow(await press(agent, "/end", { duration: "forever" })))).toContain(
      "until you revoke it",
    );
    server.tick(DAY);
    expect((await refresh(refreshToken)).status).toBe(200);
    await signIn(agent, username);
    await agent.follow(await press(agent, "/end", { duration: "3600" }));
    server.tick(61 * MINUTE);
    expect((await refresh(refreshToken)).body.error).toBe("invalid_grant");
  });
});

test("sooner than a token of an hour ago ends → the notice and the card say until when it works", async () => {
  await server.addResource({ identifier: "https://slow.test", tokenLifetime: 7200 });
  await server.addScope({ name: "slow", description: "Use the slow API", resource: "https://slow.test" });
  const slow = await server.addClient({ name: "Slow", scopes: ["slow"] });
  const { username } = await server.addPerson();
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, slow, { scope: "slow" });
  await redeem(server, slow, await authorize(agent, url, username, { duration: "2592000" }));
  const plain = "It can still use the access that it already has, until";
  expect((await agent.get("/account/apps")).text).not.toContain(plain);
  const page = await agent.follow(await press(agent, "/end", { duration: "3600" }));
  expect(said(page)).toMatch(/ends in (1 hour|60 minutes)\. It can still use the access that it already has, until/);
  const card = page.text.slice(page.text.indexOf("<article"));
  expect(card).toContain(plain);
  // A new end that the tokens don't reach needs no such sentence.
  const later = await agent.follow(await press(agent, "/end", { duration: "604800" }));
  expect(later.text).not.toContain(plain);
});

test("an app that changed its name → its cards say what the owner allowed", async () => {
  const app = await server.addClient({ name: "Bot Three", scopes: ["read", "write"] });
  const { agent } = await allowed(app);
  const stored = await server.assent.storage.clients.get({ clientId: app.clientId });
  if (stored === undefined) throw new Error("the client is gone");
  const renamed = { ...stored.record, name: "Garden Notes", updatedAt: server.now() };
  await server.assent.storage.clients.put({ client: renamed, expect: null });
  for (const place of ["/account/apps", "/account/agents"]) {
    const shown = async () => (await agent.get(place)).text.replaceAll(/<[^>]+>/g, "").replaceAll(/\s+/g, " ");
    await expect.poll(shown, { timeout: 3000 }).toContain("Garden NotesIt was called Bot Three when it was allowed.");
  }
});

describe("what it used", () => {
  test("refreshed for less for a week → the rest is marked, and one press takes it away", async () => {
    const { agent, username, refreshToken } = await allowed();
    await refresh(refreshToken, "read");
    expect((await agent.get("/account/apps")).text).not.toContain(">never used<");
    server.tick(8 * DAY);
    await refresh(refreshToken, "read");
    await signIn(agent, username);
    const page = await agent.get("/account/apps");
    expect(page.text.match(/>never used</g)).toHaveLength(1);
    expect(page.text).toMatch(/from <bdi class="host" dir="ltr">127\.0\.0\.x/);
    const keep = page.forms.find(({ fields }) => fields.get("keep") === "read" && fields.getAll("keep").length === 1);
    if (keep === undefined) throw new Error("nothing to press");
    expect(said(await agent.follow(await agent.submit(keep, { narrow: "used" })))).toContain(
      "has fewer permissions now",
    );
    expect((await refresh(refreshToken)).body.scope).toBe("read");
    expect((await agent.get("/account/apps")).text).not.toContain(">never used<");
  });

  test("refreshed for all, or never → nothing is said of what it used", async () => {
    const whole = await allowed();
    const never = await allowed();
    server.tick(8 * DAY);
    await refresh(whole.refreshToken);
    for (const { agent, username } of [whole, never]) {
      await signIn(agent, username);
      expect((await agent.get("/account/apps")).text).not.toMatch(/>never used<|Keep only/);
    }
  });
});

describe("when it was last used", () => {
  const api = { clientId: "api-test", secret: "api-test-secret" };
  const introspect = (token: string) => postForm(server, "/introspect", api, { token });

  /** The last use on the dashboard, which the data export and the operator's list must also have. Null: never. */
  async function lastUse(agent: Agent, username: string): Promise<number | null> {
    const [fact = ""] = /<dt>Last used<\/dt><dd>.*?<\/dd>/s.exec((await agent.get("/account/apps")).text) ?? [];
    const form = formTo(await agent.get("/account/profile/export"), "/export");
    if (form === undefined) throw new Error("no form for the export");
    const [app] = JSON.parse((await agent.submit(form)).text).apps;
    const { storage } = server.assent;
    const person = await storage.people.findByName({ name: username });
    const [consent] = await storage.consents.listAll({ ownerId: person?.personId ?? "", clientId: null, limit: 1 });
    const at = consent?.lastUsedAt ?? null;
    const time = at === null ? null : new Date(at).toISOString();
    expect(app.last_used_at).toBe(time);
    expect(fact).toContain(time === null ? ">Not used yet<" : `datetime="${time}"`);
    return at;
  }

  async function expectUse(agent: Agent, username: string, at: number) {
    await expect.poll(async () => Math.abs(((await lastUse(agent, username)) ?? 0) - at)).toBeLessThan(3000);
  }

  async function connected() {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const callback = await authorize(agent, authorizeUrl(server, client, { scope: "read" }), username);
    const { body } = await redeem(server, client, callback);
    return { agent, username, access: body.access_token ?? "", refreshToken: body.refresh_token ?? "" };
  }

  test("allowed, and allowed again without a page, no code redeemed → never; redeemed, refreshed → then", async () => {
    const { username } = await server.addPerson();
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, client, { scope: "read" });
    await authorize(agent, url, username, { duration: "forever" });
    server.tick(MINUTE);
    await authorize(agent, url, username);
    expect(await lastUse(agent, username)).toBe(null);
    server.tick(5 * MINUTE);
    const { body } = await redeem(server, client, await authorize(agent, url, username));
    await expectUse(agent, username, server.now());
    server.tick(2 * MINUTE);
    await refresh(body.refresh_token ?? "");
    await expectUse(agent, username, server.now());
  });

  test("an API asked about its token → then; asked a hundred times in ten seconds → written once", async () => {
    const { agent, username, access } = await connected();
    server.tick(2 * MINUTE);
    const first = server.now();
    for (let more = 0; more < 100; more += 1) {
      expect((await introspect(access)).body["active"]).toBe(true);
      server.tick(100);
    }
    await expectUse(agent, username, first);
    expect(server.now() - first).toBeGreaterThan(10_000);
    server.tick(MINUTE);
    await introspect(access);
    await expectUse(agent, username, server.now());
    expect((await agent.get("/account/apps")).text).toMatch(/; last connected from <bdi class="host" dir="ltr">127/);
  });

  test("the app asked about its own refresh token → then", async () => {
    const { agent, username, refreshToken } = await connected();
    server.tick(2 * MINUTE);
    await postForm(server, "/introspect", client, { token: refreshToken });
    await expectUse(agent, username, server.now());
  });

  test("asked about by another API, changed, or after its end → no use", async () => {
    const { agent, username, access } = await connected();
    const before = await lastUse(agent, username);
    const other = await server.addResource({ identifier: `https://${username}.test` });
    server.tick(2 * MINUTE);
    const theirs = { clientId: other.id, secret: other.secret };
    expect((await postForm(server, "/introspect", theirs, { token: access })).body["active"]).toBe(false);
    expect((await introspect(`${access}x`)).body["active"]).toBe(false);
    server.tick(9 * MINUTE);
    expect((await introspect(access)).body["active"]).toBe(false);
    await agent.get("/account/apps");
    const person = await server.assent.storage.people.findByName({ name: username });
    const [consent] = await server.assent.storage.consents.listAll({
      ...{ ownerId: person?.personId ?? "", clientId: null, limit: 1 },
    });
    expect(consent?.lastUsedAt).toBe(before);
  });
});

test("many apps → a search by name, whatever the case; unused for 90 days → apart", async () => {
  const { agent, username } = await allowed();
  server.tick(91 * DAY);
  await signIn(agent, username);
  for (let at = 0; at < 6; at++) {
    const app = await server.addClient({ name: `Émile ${at}`, scopes: ["read"] });
    await authorize(agent, authorizeUrl(server, app, { scope: "read" }), username);
  }
  const all = await agent.get("/account/apps");
  expect(all.text.match(/data-client-id/g)).toHaveLength(7);
  expect(all.text.indexOf("Not used for 90 days")).toBeLessThan(
    all.text.indexOf(`data-client-id="${client.clientId}"`),
  );
  const found = await agent.get(`/account/apps?${new URLSearchParams({ q: "e\u0301MILE 3" })}`);
  expect([found.text.match(/data-client-id/g)?.length, found.text.includes("1 app found")]).toEqual([1, true]);
  const none = await agent.get(`/account/apps?${new URLSearchParams({ q: '"><script>' })}`);
  expect(none.text).toContain("No apps match");
  expect(none.text).not.toContain('"><script>');
});
