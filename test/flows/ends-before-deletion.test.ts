/** While the deletion of an account is pending, the account's pages show no end of access after it. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, authorize, authorizeUrl, redeem, signIn } from "../support/http-browser.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const DAY = 86_400_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ config: { consentDurations: [86_400, 2_592_000, "forever"] } });
  await server.addScope({ name: "offline_access", description: "Keep access", optional: true });
});
afterAll(() => server.stop());

/** Somebody whose account will be deleted in a week. */
async function leaving() {
  const deleteAt = server.now() + 7 * DAY;
  const person = await server.addPerson({ deleteAt });
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const connect = async (name: string, duration: string) => {
    const client = await server.addClient({ name, scopes: ["read", "write", "offline_access"] });
    const url = authorizeUrl(server, client, { scope: "read write offline_access" });
    const answer = { duration, scope: ["read", "write", "offline_access"] };
    await redeem(server, client, await authorize(agent, url, person.username, answer));
    return client.clientId;
  };
  return { deleteAt, person, agent, connect };
}

/** The times in an app's card. */
function timesIn(text: string, clientId: string): readonly number[] {
  const card = text.split("<article").find((one) => one.includes(`value="${clientId}"`)) ?? "";
  return [...card.matchAll(/datetime="([^"]+)"/g)].map(([, at = ""]) => Date.parse(at));
}

test.each(["2592000", "forever"])(
  "allowed for %s → both pages show the deletion as the end; kept → the end",
  async (duration) => {
    const { agent, connect, deleteAt } = await leaving();
    const clientId = await connect("Photo TV", duration);
    for (const path of ["/account/apps", "/account/agents"]) {
      const { text } = await agent.get(path);
      const times = timesIn(text, clientId);
      expect([path, Math.max(...times)]).toEqual([path, deleteAt]);
      expect(text).not.toMatch(/until (you )?revoke|No end/i);
    }
    const { forms } = await agent.get("/account/apps");
    const keep = forms.find(({ action }) => action.endsWith("/account/profile/keep"));
    if (keep === undefined) throw new Error("no button that keeps the account");
    await agent.submit(keep);
    const kept = timesIn((await agent.get("/account/apps")).text, clientId);
    expect(kept.some((at) => at > deleteAt)).toBe(duration !== "forever");
  },
);

test("an end before the deletion → stays; another end, later than it → the notice and the page show the deletion", async () => {
  const { agent, connect, deleteAt } = await leaving();
  const clientId = await connect("Photo TV", "86400");
  const before = await agent.get("/account/apps");
  expect(Math.max(...timesIn(before.text, clientId))).toBeLessThan(deleteAt - 5 * DAY);
  const shown = await agent.follow(await agent.submit(formWith(before, "duration"), { duration: "2592000" }));
  const times = [...shown.text.matchAll(/datetime="([^"]+)"/g)].map(([, at = ""]) => Date.parse(at));
  expect(shown.text).toContain('role="status"');
  expect(Math.max(...times)).toBe(deleteAt);
});
