/** However a person signs in, the operator's policy is asked before there is a session. */

import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { SignInFacts } from "../../packages/server/src/index.ts";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, signIn } from "../support/http-browser.ts";
import { PAGE, pressOwnPage, signInAtPage } from "../support/own-sign-in-page.ts";
import {
  addProvider,
  aSubject,
  ForgingProvider,
  signInThere,
  startServerForProviders,
} from "../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, type TestClient, type TestServer } from "../support/test-server.ts";

const asked: SignInFacts[] = [];
let allow = true;
let server: TestServer;
let there: ForgingProvider;
let provider: SignInProvider;
let backEnd: TestClient;
let mailbox: TestMailbox;
let person: Person;
let key: SoftAuthenticator;

const browser = () => new Agent(server.issuer);
const optionsOf = ({ text }: { readonly text: string }) =>
  JSON.parse((/data-options="([^"]*)"/.exec(text)?.[1] ?? "").replaceAll("&quot;", '"'));

beforeAll(async () => {
  mailbox = await startMailbox();
  const signInPolicy = {
    decide(about: SignInFacts) {
      asked.push(about);
      return allow ? ({ allow } as const) : { allow: false as const, message: "Not today." };
    },
  };
  const externalSignIn = { url: PAGE, name: "Acme", clients: ["acme"], builtIn: "beside" as const };
  const config = { policies: { signIn: signInPolicy }, externalSignIn, smtpUrl: smtpTo(mailbox), signUp: true };
  server = await startServerForProviders({ host: "localhost", config });
  there = await ForgingProvider.start(server.now);
  provider = await addProvider(server, there.issuer);
  backEnd = await server.addClient({ clientId: "acme" });
  person = await server.addPerson();
  const agent = browser();
  await signIn(agent, person.username);
  key = new SoftAuthenticator(server.issuer);
  const page = await agent.get("/account/security/passkeys");
  await agent.submit(formWith(page, "credential"), { name: "Key", credential: key.create(optionsOf(page)) });
}, 60_000);
afterAll(() => Promise.all([server.stop(), there.stop(), mailbox.stop()]));
beforeEach(() => {
  asked.length = 0;
});

async function byOwnPage(agent: Agent) {
  const begun = await pressOwnPage(agent, await agent.get("/login"));
  return signInAtPage({ server, backEnd }, agent, begun);
}

async function byPasskey(agent: Agent) {
  const page = await agent.get("/login");
  return agent.follow(await agent.submit(formWith(page, "credential"), { credential: key.get(optionsOf(page)) }));
}

function byProvider(agent: Agent) {
  there.answering = { claims: aSubject() };
  return signInThere(agent, there, provider);
}

let serial = 0;
async function bySignUp(agent: Agent) {
  serial += 1;
  const email = `new${serial}@example.test`;
  await agent.submit(formWith(await agent.get("/sign-up"), "email"), { email });
  const form = formWith(await agent.get((await mailbox.next(email)).link), "username");
  const typed = { username: `new-person-${serial}`, password: PASSWORD, again: PASSWORD };
  return agent.follow(await agent.submit(form, typed));
}

const byPassword = (agent: Agent) => signIn(agent, person.username);

const WAYS = [
  ["a password", byPassword, { when: "sign_in", amr: ["pwd"], acr: "1fa" }],
  ["a passkey", byPasskey, { when: "sign_in", acr: "phr" }],
  ["another provider", byProvider, { when: "sign_in", amr: ["fed"], provider: expect.any(String) }],
  ["the operator's own page", byOwnPage, { when: "sign_in", provider: "external" }],
  ["a new account", bySignUp, { when: "sign_up", amr: ["pwd"] }],
] as const;

describe.each(WAYS)("by %s", (_, way, facts) => {
  test.each([false, true])("the policy allows it: %s → a session only then", async (allowed) => {
    allow = allowed;
    const agent = browser();
    const page = await way(agent);
    expect(asked).toMatchObject([facts]);
    expect([page.status, agent.cookies.has("assent_session")]).toEqual([allowed ? 200 : 403, allowed]);
    if (!allowed) expect(page.text).toContain("Not today.");
  });
});

test("two recoveries in one browser → still no known one; after a sign-in it is", async () => {
  allow = true;
  const email = "twice@example.test";
  const lost = await server.addPerson({ email, emailVerifiedAt: server.now() });
  const elsewhere = browser();
  await signIn(elsewhere, lost.username);
  const agent = browser();
  for (let time = 0; time < 2; time += 1) {
    await agent.submit(formWith(await agent.get("/recover"), "login"), { login: lost.username });
    let link = "";
    while (!link.includes("/recover/new")) link = (await mailbox.next(email)).link;
    const form = formWith(await agent.get(link), "password");
    expect((await agent.submit(form, { password: PASSWORD, again: PASSWORD })).status).toBe(200);
  }
  asked.length = 0;
  for (const known of [false, true]) {
    agent.cookies.delete("assent_session");
    expect((await signIn(agent, lost.username)).status).toBe(200);
    expect(asked.splice(0)).toMatchObject([{ knownDevice: known }]);
  }
});

test("a recovery by mail → no question and no session; the sign-in after it is asked about", async () => {
  allow = false;
  const lost = await server.addPerson({ email: "lost@example.test", emailVerifiedAt: server.now() });
  const agent = browser();
  await agent.submit(formWith(await agent.get("/recover"), "login"), { login: lost.username });
  const form = formWith(await agent.get((await mailbox.next("lost@example.test")).link), "password");
  const after = await agent.submit(form, { password: PASSWORD, again: PASSWORD });
  expect([after.status < 400, asked, agent.cookies.has("assent_session")]).toEqual([true, [], false]);
  const page = await signIn(agent, lost.username);
  expect([page.status, asked.length, agent.cookies.has("assent_session")]).toEqual([403, 1, false]);
  // A message can be read by others: it doesn't make a browser one that the person has signed in with.
  expect(asked).toMatchObject([{ when: "sign_in", amr: ["pwd"], knownDevice: false }]);
});
