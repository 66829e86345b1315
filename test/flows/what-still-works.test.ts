/** "Your apps" and "Agents" show the owner what still works, and until when. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signedInPerson } from "../support/back-channel.ts";
import { changeClient } from "../support/front-channel.ts";
import { type Agent, authorize, authorizeUrl, redeem } from "../support/http-browser.ts";
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
