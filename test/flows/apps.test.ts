/** `/account/apps`: what the owner sees of each app, and what their forms do to it. */

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from "jose";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { Agent, authorize, authorizeUrl, type Page, postForm, redeem, signIn } from "../support/browser-like.ts";
import { startServer, type TestClient, type TestServer } from "../support/server.ts";

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
  const shown = async () => (await agent.get("/account/apps")).text.includes("switched off here");
  expect(await shown()).toBe(false);
  await put("disabled");
  await expect.poll(shown, { timeout: 3000 }).toBe(true);
  expect((await agent.get("/account/history")).text).toContain("because it was switched off here");
  await put("active");
  await expect.poll(shown, { timeout: 3000 }).toBe(false);
});

describe("revoke", () => {
  test("→ 303, and the page counts down what the app still holds; loaded again it repeats nothing", async () => {
    const { agent, username, refreshToken } = await allowed();
    const before = (await agent.get("/account/apps")).text;
    expect(before).toContain("for up to 10 minutes more");
    expect(before).toContain("127.0.0.x");
    expect(before).not.toContain("/24");
    const answer = await press(agent, "/revoke", { revoke: "revoke" });
    expect([answer.status, answer.location?.pathname]).toEqual([303, "/account/apps"]);
    const where = answer.location?.href ?? "";
    expect(said(await agent.get(where))).toMatch(
      /^Photo Printer gets nothing new any more.*in 10 minutes at most\. Receipt$/,
    );
    expect((await refresh(refreshToken)).body.error).toBe("invalid_grant");
    server.tick(7 * MINUTE);
    expect(said(await agent.get(where))).toContain("in 3 minutes at most");
    server.tick(4 * MINUTE);
    expect(said(await agent.get(where))).toContain("can’t use your account any more");
    server.tick(DAY);
    await signIn(agent, username);
    expect(said(await agent.get(where))).toBe("");
    expect((await agent.get("/account/history")).text.match(/You revoked the access/g)).toHaveLength(1);
  });

  test("twice, or an app that never was → told so; another owner's entry, or none, in the link → nothing is told", async () => {
    const { agent } = await allowed();
    const page = await agent.get("/account/apps");
    const form = formTo(page, "/revoke");
    if (form === undefined) throw new Error("no form");
    const done = (await agent.submit(form, { revoke: "revoke" })).location?.href ?? "";
    expect(said(await agent.follow(await agent.submit(form, { revoke: "revoke" })))).toContain(
      "had no access any more",
    );
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
    expect(await shown(agent)).toBe("Stops at once.");
    expect(said(await agent.follow(await press(agent, "/revoke", { revoke: "revoke" })))).toContain(
      "can’t use your account any more",
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
      "Stops at once; what it already holds works for up to 7 minutes more.",
    ]);
    const where = (await press(agent, "/revoke", { revoke: "revoke" })).location?.href ?? "";
    expect(said(await agent.get(where))).toContain("in 7 minutes at most");
    server.tick(8 * MINUTE);
    expect([await verifies(), said(await agent.get(where))]).toEqual([
      false,
      "Photo Printer can’t use your account any more. Receipt",
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
    expect(await shown(agent)).toBe("Stops at once.");
    const less = await agent.follow(await press(agent, "/narrow", { keep: ["vault:see"] }));
    expect(said(less)).toContain("This holds everywhere by");
    expect(said(await agent.follow(await press(agent, "/revoke", { revoke: "revoke" })))).toContain(
      "can’t use your account any more",
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
    expect(said(await agent.follow(await agent.submit(keep, { narrow: "used" })))).toContain("can do less now");
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
  expect(none.text).toContain("No app of yours matches");
  expect(none.text).not.toContain('"><script>');
});
