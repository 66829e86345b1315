/** UP-04, UP-17: an ID token of another organization at a well-known provider, and addresses that it doesn't vouch for. */

import { expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;
withForgingProvider((at) => {
  ({ server, there } = at);
});

async function enters(provider: SignInProvider, claims: Readonly<Record<string, unknown>>): Promise<number | true> {
  there.answering = { claims: { ...aSubject(), ...claims } };
  const agent = new Agent(server.issuer);
  const { status } = await signInThere(agent, there, provider);
  return (await isSignedIn(agent)) || status;
}

test("UP-04 the hd or tid of another organization, or none → 400; the required one → signed in", async () => {
  for (const [preset, name] of [
    ["google", "hd"],
    ["entra", "tid"],
  ] as const) {
    const provider = await addProvider(server, there.issuer, { preset, requiredClaims: { [name]: "corp.test" } });
    for (const other of ["evil.test", "CORP.TEST", "corp.test.", "", ["corp.test"], null, undefined])
      expect(await enters(provider, { [name]: other }), `${name} ${JSON.stringify(other)}`).toBe(400);
    expect(await enters(provider, { [name]: "corp.test" })).toBe(true);
  }
});

test("UP-17 Entra ID doesn't vouch for the address → refused; xms_edov → signed in, at Entra ID only", async () => {
  const corp = { emailDomains: ["corp.test"], trustEmail: true };
  const entra = await addProvider(server, there.issuer, { preset: "entra", ...corp });
  const other = await addProvider(server, there.issuer, corp);
  const says = (claims: Readonly<Record<string, unknown>>) => ({
    ...{ email: `${aSubject().sub}@corp.test`, email_verified: undefined },
    ...claims,
  });
  for (const xms_edov of [undefined, false, "false", 0, "0", null, ["true"]])
    expect(await enters(entra, says({ xms_edov })), JSON.stringify(xms_edov)).toBe(403);
  expect(await enters(entra, says({ xms_edov: true, email_verified: false }))).toBe(403);
  for (const xms_edov of [true, 1, "1", "true"]) expect(await enters(entra, says({ xms_edov }))).toBe(true);
  expect(await enters(other, says({ xms_edov: true }))).toBe(403);
});

test("Google → hd and no prompt=login, which it doesn't know", async () => {
  const provider = await addProvider(server, there.issuer, { preset: "google", requiredClaims: { hd: "corp.test" } });
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  expect([begun.location?.searchParams.get("hd"), begun.location?.searchParams.get("prompt")]).toEqual([
    "corp.test",
    null,
  ]);
});
