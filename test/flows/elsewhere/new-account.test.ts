/** A sign-in at a provider makes an account that nobody asked for: the consent page says so. */

import { expect, test } from "vitest";
import { Agent, authorizeUrl } from "../../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  type ForgingProvider,
  signInThere,
  withForgingProvider,
} from "../../support/sign-in-providers.ts";
import type { TestServer } from "../../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;
withForgingProvider((at) => {
  ({ server, there } = at);
});

test("made by the sign-in → a consent page says that it is new; after the next sign-in, none does", async () => {
  const provider = await addProvider(server, there.issuer);
  there.answering = { claims: aSubject() };
  const app = await server.addClient();
  const consent = async () => {
    const agent = new Agent(server.issuer);
    await signInThere(agent, there, provider);
    return (await agent.follow(await agent.get(authorizeUrl(server, app)))).text;
  };
  expect(await consent()).toContain("This account is new");
  server.tick(61_000);
  const next = await consent();
  expect([next.includes("access to your account"), next.includes("This account is new")]).toEqual([true, false]);
});
