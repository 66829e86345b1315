/** The texts of the security page about the ways to sign in. */

import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { type Authenticator, formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  OWNERS_BROWSER,
  STRANGE_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ host: "localhost" });
});
afterAll(() => server.stop());

const SECURITY = "/account/security";

/** A browser that is new to the account, after password and code. */
async function strangerAt(person: Person, app: Authenticator): Promise<Agent> {
  const agent = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
  const login = formWith(await agent.get("/login"), "username");
  const step = await agent.submit(login, { username: person.username, password: PASSWORD });
  await agent.submit(formWith(step, "code"), { code: app.code() });
  server.tick(60_000);
  return agent;
}

/** The text of the section with this heading. */
async function section(agent: Agent, title: string): Promise<string> {
  const { text } = await agent.get(SECURITY);
  const found = text.split("<section").find((one) => one.includes(`<h2 id="${title}-title">`));
  return (found?.split("</section>")[0] ?? "").replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");
}

test("each way to sign in → named with the browser and the network that it was added from", async () => {
  const person = await server.addPerson();
  const owner = await signedInWith(OWNERS_BROWSER, person, server);
  expect(await section(owner, "authenticator")).toContain("Not set up.");
  const { app } = await anAuthenticatorOf(owner, server);
  server.tick(30 * DAY);
  const stranger = await strangerAt(person, app);
  await aPasskeyOf(stranger, server, "Desk key");
  const renew = (await stranger.get(SECURITY)).forms.find(({ action }) => action.endsWith("/recovery-codes"));
  if (renew === undefined) throw new Error("no new codes");
  await stranger.submit(renew);

  expect(await section(stranger, "passkeys")).toMatch(
    /Desk key ?Added [^·]+ with Chrome on Windows · network 127\.0\.0\.x · never used/,
  );
  const said = await section(stranger, "authenticator");
  expect(said).toMatch(/Added [^·]+ with Firefox on Linux · network 127\.0\.0\.x/);
  expect(said).toMatch(/10 codes left ?Added [^·]+ with Chrome on Windows · network 127\.0\.0\.x/);
});

test("an authenticator that took the place of another one → the page says that both are removed; they are", async () => {
  const person = await server.addPerson();
  const owner = await signedInWith(OWNERS_BROWSER, person, server);
  const { app } = await anAuthenticatorOf(owner, server);
  const both = "“Remove” removes both apps.";
  expect(await section(owner, "authenticator")).not.toContain(both);
  server.tick(30 * DAY);
  const stranger = await strangerAt(person, app);
  await anAuthenticatorOf(stranger, server);
  expect(await section(stranger, "authenticator")).toContain(both);
  const asked = await stranger.get(`${SECURITY}/authenticator/remove`);
  const remove = asked.forms.find(({ action }) => action.endsWith("/authenticator/remove"));
  if (remove === undefined) throw new Error("nothing to remove");
  await stranger.submit(remove);
  expect(await server.assent.storage.secondFactors.get(person)).toBeUndefined();
});
