/** "Your apps" and "Agents" show the owner what still works, and until when. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedInPerson } from "../support/back-channel.ts";
import { changeClient } from "../support/front-channel.ts";
import { type Agent, authorize, authorizeUrl, formTo, redeem } from "../support/http-browser.ts";
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
const HOUR = 3_600_000;

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
