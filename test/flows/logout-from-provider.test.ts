/** A person signs out at the provider, which is another Assent: their session here ends, and the apps here are told. */

import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, authorizeUrl, consentForm, redeem, signIn } from "../support/http-browser.ts";
import { aLogoutReceiver, type LogoutReceiver } from "../support/logout-receiver.ts";
import { addProvider, isSignedIn, pressProvider, startServerForProviders } from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

let there: TestServer;
let here: TestServer;
let provider: SignInProvider;
let receiver: LogoutReceiver;

beforeAll(async () => {
  [there, here] = await Promise.all([startServerForProviders(), startServerForProviders()]);
  receiver = await aLogoutReceiver();
  // The provider's record has the addresses to register there, and the registration gives what the record lacks.
  provider = await addProvider(here, there.issuer);
  const at = `${here.issuer}/login/provider/${provider.id}`;
  const { clientId, secret } = await there.addClient({
    redirectUris: [`${at}/callback`],
    scopes: ["openid", "profile", "email"],
    backchannelLogoutUri: `${at}/backchannel-logout`,
  });
  provider = await addProvider(here, there.issuer, { id: provider.id, clientId, clientSecret: secret });
});
afterAll(() => Promise.all([there.stop(), here.stop(), receiver.stop()]));

/** Signs in here through the provider, with one browser for both. Returns it where the sign-in here ended. */
async function throughProvider(username: string, from = "/login") {
  const [agentThere, agentHere] = [new Agent(there.issuer), new Agent(here.issuer)];
  const begun = await pressProvider(agentHere, await agentHere.follow(await agentHere.get(from)), provider);
  await signIn(agentThere, username);
  const asked = await agentThere.follow(await agentThere.get(begun.location?.href ?? ""));
  const allowed = asked.forms.length > 0 ? await agentThere.submit(consentForm(asked), { decision: "allow" }) : asked;
  const page = await agentHere.follow(await agentHere.get(allowed.location?.href ?? ""));
  return { agentThere, agentHere, page };
}

async function signOut(agent: Agent): Promise<void> {
  const [form] = (await agent.get("/account/sign-out")).forms.slice(-1);
  if (form === undefined) throw new Error("no form");
  await agent.submit(form, { sign_out: "sign_out" });
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let left = 500; !(await condition()); left -= 1) {
    if (left === 0) throw new Error("it did not come true");
    await sleep(20);
  }
}

test("signed out there → signed out here, and the app here learns of it; another person stays signed in", async () => {
  const [ada, bob] = [await there.addPerson(), await there.addPerson()];
  const app = await here.addClient({ scopes: ["openid", "read"], backchannelLogoutUri: receiver.uri });
  const asked = authorizeUrl(here, app, { scope: "openid read" });
  const one = await throughProvider(ada.username, `${asked}`);
  const callback = await one.agentHere.submit(consentForm(one.page), { decision: "allow" });
  expect((await redeem(here, app, callback.location ?? new URL(here.issuer))).body["id_token"]).toEqual(
    expect.any(String),
  );
  const two = await throughProvider(bob.username);
  expect(await Promise.all([one, two].map(({ agentHere }) => isSignedIn(agentHere)))).toEqual([true, true]);
  await signOut(one.agentThere);
  await until(async () => !(await isSignedIn(one.agentHere)));
  expect(await receiver.until(1)).toHaveLength(1);
  expect(await isSignedIn(two.agentHere)).toBe(true);
});
