/** "Your apps" and "Agents" show the owner what still works, and until when. */

import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { SelfRegistered } from "../../packages/server/src/oauth/model.ts";
import { signedInPerson } from "../support/back-channel.ts";
import { changeClient } from "../support/front-channel.ts";
import { type Agent, authorize, authorizeUrl, formTo, redeem, refresh } from "../support/http-browser.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

const APPS = "/account/apps";
const AGENTS = "/account/agents";
const OLD = "https://app.test/cb";
const NEW = "https://new.test/cb";
const MINUTE = 60_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The card of an app on a page, as text. */
async function card(agent: Agent, at: string, { clientId }: TestClient): Promise<string> {
  const parts = (await agent.get(at)).text.split("<article");
  const part = parts.find((one) => one.includes(`data-client-id="${clientId}"`)) ?? "";
  return part.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");
}

type Answer = Record<string, string | string[]>;

/** An owner who allowed an app at its first address, with a second address that they have not answered for. */
async function withNewAddress(changes: Partial<TestClient> = {}) {
  const first = await server.addClient({ redirectUris: [OLD], scopes: ["read", "write"], ...changes });
  const { agent } = await signedInPerson(server);
  const allow = async (app: TestClient, redirect_uri: string, fields: Answer, ask: Record<string, string> = {}) => {
    const url = authorizeUrl(server, app, { redirect_uri, scope: "read write", ...ask });
    return (await redeem(server, app, await authorize(agent, url, "", fields), { redirect_uri })).body;
  };
  await allow(first, OLD, {});
  const app = await changeClient(server, first, { redirectUris: [OLD, NEW] });
  const answer = (uri: string, fields: Answer, ask?: Record<string, string>) => allow(app, uri, fields, ask);
  return { app, agent, answer };
}

describe("access while the owner is away ends sooner than the rest", () => {
  test("paused → the card of the agent still says until when each lasts, if it is resumed", async () => {
    const app = await server.addClient({ scopes: ["read", "offline_access"] });
    const { agent } = await signedInPerson(server);
    const url = authorizeUrl(server, app, { scope: "read offline_access" });
    await redeem(server, app, await authorize(agent, url, "", { "duration:offline_access": "3600" }));
    const time = String.raw`(\w+ \d+, \d{4} at \d\d:\d\d UTC)`;
    const [, keeps, last] =
      new RegExp(`Keeps access until ${time} Last permission ends ${time}`).exec(await card(agent, AGENTS, app)) ?? [];
    expect(keeps).not.toBe(last);
    await agent.submit(formTo(await agent.get(AGENTS), `${AGENTS}/pause`));
    const paused = await card(agent, AGENTS, app);
    expect(paused).toContain(`If resumed, keeps access until ${keeps} If resumed, last permission ends ${last}`);
    expect(await card(agent, APPS, app)).toContain("If resumed, last permission ends");
  });
});

describe("an app's access is over, and it holds an access token that still works", () => {
  const NONE = { [APPS]: "No apps have access to your account", [AGENTS]: "No app can act while you’re away" };
  const ENDED = /Recently ended .* Short Lived ends in (\d+ \w+)/;
  const shown = async (agent: Agent, at: string) =>
    (await agent.get(at)).text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ");

  test.each([APPS, AGENTS] as const)("revoked → %s names it until its token has expired", async (at) => {
    const app = await server.addClient({ name: "Short Lived" });
    const { agent } = await signedInPerson(server);
    expect(await shown(agent, at)).toContain(NONE[at]);
    await redeem(server, app, await authorize(agent, authorizeUrl(server, app), ""));
    expect(await shown(agent, at)).not.toMatch(ENDED);
    await agent.submit(formTo(await agent.get(APPS), "/revoke"));
    expect(ENDED.exec(await shown(agent, at))?.[1]).toBe("10 minutes");
    expect(await shown(agent, at)).not.toContain(NONE[at]);
    server.tick(11 * MINUTE);
    expect(await shown(agent, at)).toContain(NONE[at]);
    expect(await shown(agent, at)).not.toMatch(ENDED);
  });

  test("its time is over, and its token ended with it → nothing is named", async () => {
    const app = await server.addClient({ name: "Short Lived" });
    const { agent } = await signedInPerson(server);
    const url = authorizeUrl(server, app);
    const { body } = await redeem(server, app, await authorize(agent, url, "", { duration: "3600" }));
    server.tick(HOUR - MINUTE);
    expect((await refresh(server, app, body.refresh_token)).body.expires_in).toBeLessThan(62);
    server.tick(MINUTE);
    expect(await shown(agent, APPS)).toContain(NONE[APPS]);
  });

  test("its end was made sooner than its token's → it is named until then", async () => {
    const own = await startServer();
    onTestFinished(() => own.stop());
    await own.addResource({ identifier: "https://long.test", tokenLifetime: 7200 });
    await own.addScope({ name: "long", description: "Use the long API", resource: "https://long.test" });
    const app = await own.addClient({ name: "Short Lived", scopes: ["long"] });
    const { agent } = await signedInPerson(own);
    await redeem(own, app, await authorize(agent, authorizeUrl(own, app, { scope: "long" }), ""));
    await agent.submit(formTo(await agent.get(APPS), "/end"), { duration: "3600" });
    own.tick(HOUR);
    expect(ENDED.exec(await shown(agent, APPS))?.[1]).toBe("60 minutes");
    own.tick(HOUR + MINUTE);
    expect(await shown(agent, APPS)).toContain(NONE[APPS]);
  });
});

describe("a permission was removed, and a token still has it", () => {
  const SAYS = /It can still use what was removed, until (\d\d:\d\d UTC) at the latest/;
  const both = { scope: "read write" };

  async function removed(remove: (agent: Agent, app: TestClient) => Promise<unknown>) {
    const app = await server.addClient({ scopes: ["read", "write"] });
    const { agent } = await signedInPerson(server);
    const { body } = await redeem(server, app, await authorize(agent, authorizeUrl(server, app, both), ""));
    server.tick(MINUTE);
    expect(await card(agent, APPS, app)).not.toMatch(SAYS);
    await remove(agent, app);
    return { app, agent, token: body.refresh_token };
  }
  const askAgain = (app: TestClient) => authorizeUrl(server, app, { ...both, prompt: "consent" });

  test.each([
    [
      "by an answer on the page",
      (agent: Agent, app: TestClient) => authorize(agent, askAgain(app), "", { scope: ["read"] }),
    ],
    [
      "on Your apps",
      async (agent: Agent) => agent.submit(formTo(await agent.get(APPS), "/narrow"), { keep: ["read"] }),
    ],
  ])("%s → the card says until when", async (_how, remove) => {
    const { app, agent, token } = await removed(remove);
    // A token that was made up to a minute after the last recorded use, and the end rounded up to a minute.
    const clocks = [9, 10, 11].map((minutes) => new Date(server.now() + minutes * MINUTE).toISOString().slice(11, 16));
    expect(clocks.map((clock) => `${clock} UTC`)).toContain(SAYS.exec(await card(agent, APPS, app))?.[1]);
    expect((await refresh(server, app, token)).body.scope).toBe("read");
    server.tick(11 * MINUTE);
    expect(await card(agent, APPS, app)).not.toMatch(SAYS);
  });

  test("with all others, and only the others allowed again → the card says until when", async () => {
    const { app, agent } = await removed(async (at, one) => {
      await at.submit(formTo(await at.get(APPS), "/revoke"));
      await authorize(at, askAgain(one), "", { scope: ["read"] });
    });
    expect(await card(agent, APPS, app)).toMatch(SAYS);
  });

  test("and allowed again → nothing is said, and neither for one that the app never had", async () => {
    const { app, agent } = await removed((at, one) => authorize(at, askAgain(one), "", { scope: ["read"] }));
    await authorize(agent, askAgain(app), "", { scope: ["read", "write"] });
    expect(await card(agent, APPS, app)).not.toMatch(SAYS);
    const other = await server.addClient({ scopes: ["read", "write"] });
    await redeem(server, other, await authorize(agent, authorizeUrl(server, other), ""));
    server.tick(MINUTE);
    await authorize(agent, askAgain(other), "", { scope: ["read"] });
    expect(await card(agent, APPS, other)).not.toMatch(SAYS);
  });
});

describe("allowed only this once", () => {
  const registered: SelfRegistered = {
    ...{ tokenHash: "hash", initialTokenId: null, policy: null, ceiling: null, appearance: "", contacts: [] },
    ...{ applicationType: "web", softwareId: null, softwareVersion: null, statement: null, statementIssuer: null },
    requireAuthTime: false,
  };

  test.each([APPS, AGENTS])("%s → the card goes when its only token has expired", async (at) => {
    const app = await server.addClient({ registered });
    const { agent } = await signedInPerson(server);
    const callback = await authorize(agent, authorizeUrl(server, app), "", { duration: "once" });
    const { body } = await redeem(server, app, callback);
    expect(await card(agent, at, app)).toContain("See your photos");
    server.tick((body.expires_in ?? 0) * 1000 + 1000);
    expect(await card(agent, at, app)).toBe("");
    expect((await agent.get(at)).text).not.toContain("Recently ended");
  });

  test("and the code was never redeemed → the card goes when the code has expired", async () => {
    const app = await server.addClient();
    const { agent } = await signedInPerson(server);
    await authorize(agent, authorizeUrl(server, app), "", { duration: "once" });
    expect(await card(agent, APPS, app)).toContain("See your photos");
    server.tick(MINUTE + 1000);
    expect(await card(agent, APPS, app)).toBe("");
  });

  test("it would outlast the others, and its grant has ended → the card gives the end of the others", async () => {
    const own = await startServer({ config: { consentDurations: [300, "once"] } });
    onTestFinished(() => own.stop());
    const app = await own.addClient({ scopes: ["read", "write"] });
    const { agent } = await signedInPerson(own);
    const url = authorizeUrl(own, app, { scope: "read write" });
    await authorize(agent, url, "", { "duration:read": "300", "duration:write": "once" });
    expect(await card(agent, APPS, app)).toContain("Change your photos");
    own.tick(MINUTE + 1000);
    const shown = await card(agent, APPS, app);
    expect(shown).not.toContain("Change your photos");
    expect(shown).toMatch(/Ends in 4 minutes/);
  });
});

describe("the end of an app is made sooner than that of one address, and later again", () => {
  test("→ the address lasts no longer than the owner chose for it, and the card says so", async () => {
    const { app, agent, answer } = await withNewAddress();
    const { refresh_token: token } = await answer(NEW, { duration: "2592000" });
    const move = async (duration: string) => agent.submit(formTo(await agent.get(APPS), `${APPS}/end`), { duration });
    expect(await card(agent, APPS, app)).toContain("new.test · ends in 30 days");
    await move("604800");
    expect(await card(agent, APPS, app)).not.toContain("new.test · ends");
    await move("7776000");
    for (const at of [APPS, AGENTS]) expect(await card(agent, at, app)).toContain("new.test · ends in 30 days");
    server.tick(29 * DAY);
    expect((await refresh(server, app, token)).status).toBe(200);
    server.tick(DAY);
    expect((await refresh(server, app, token)).body.error).toBe("invalid_grant");
  });
});

describe("a permission was declined at one address, and the other has it", () => {
  test("→ the card says at which; the app may ask again → it asks there, and the card lists nothing", async () => {
    const { app, agent, answer } = await withNewAddress();
    await answer(NEW, { scope: ["read"] });
    expect(await card(agent, APPS, app)).toContain("You declined: Change your photos only at new.test");
    const ask = authorizeUrl(server, app, { redirect_uri: NEW, scope: "read write" });
    expect((await agent.get(ask)).location?.searchParams.has("code")).toBe(true);
    const done = await agent.follow(await agent.submit(formTo(await agent.get(APPS), `${APPS}/ask-again`)));
    expect(done.text).toContain("can ask you again for what you declined.");
    expect(await card(agent, APPS, app)).not.toContain("You declined:");
    expect(formTo(await agent.get(ask), "/consent").fields.has("duration")).toBe(true);
  });
});

describe("one address of an app ends sooner", () => {
  test.each([APPS, AGENTS])("%s → its end stands beside it, until it is over", async (at) => {
    const { app, agent, answer } = await withNewAddress();
    await answer(NEW, { duration: "3600" });
    expect(await card(agent, at, app)).toMatch(/new\.test · ends in 60 minutes/);
    expect(await card(agent, at, app)).not.toMatch(/app\.test · /);
    server.tick(HOUR);
    expect(await card(agent, at, app)).toContain("app.test");
    expect(await card(agent, at, app)).not.toContain("new.test");
  });
});
