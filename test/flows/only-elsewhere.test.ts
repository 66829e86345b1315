/**
 * People who sign in only at other providers: nobody asks them for a password, they don't become somebody else, they
 * lose nothing that waits, and a way in always remains.
 */

import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { Agent, authorizeUrl, consentForm, formTo, type Page, redeem, signIn } from "../support/http-browser.ts";
import {
  addProvider,
  type ForgingProvider,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import { settle, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
const EXPORT = "/account/profile/export";
const PASSWORD_PAGE = "/account/security/password";
const REMOVE = "/account/security/identities/remove";
let server: TestServer;
let there: ForgingProvider;

withForgingProvider((at) => {
  ({ server, there } = at);
});

let people = 0;
function aSubject() {
  people += 1;
  return { sub: `only-${people}`, email: `only${people}@example.com`, preferred_username: `only${people}` };
}

/** Somebody who has just signed in at a new provider, and has no other way in. */
async function somebody() {
  const provider = await addProvider(server, there.issuer, { name: `Provider ${people}` });
  const subject = aSubject();
  there.answering = { claims: subject };
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  await agent.follow(await agent.get(there.callback(begun)));
  const person = await server.assent.storage.people.findByName({ name: subject.preferred_username });
  if (person === undefined) throw new Error("no account");
  return { provider, subject, agent, person };
}

const linksOf = ({ partition, personId }: { readonly partition: number; readonly personId: string }) =>
  server.assent.storage.subjectLinks.ofPerson({ partition, personId });
const accountsAt = ({ id }: SignInProvider) =>
  server.assent.storage.subjectLinks.list({ issuerId: id, limit: 9, after: null });
const buttonsOf = ({ forms }: Page) =>
  forms.flatMap(({ buttons }) => buttons.flatMap(([name, value]) => (name === "provider" ? [value] : [])));
const asksPassword = ({ text }: Page) => text.includes('type="password"');

/** Connects an account at that provider, as the security page does. Returns the question. */
async function question(agent: Agent, provider: SignInProvider): Promise<Page> {
  const begun = await pressProvider(agent, await agent.get("/account/security"), provider);
  return agent.follow(await agent.get(there.callback(begun)));
}

describe("somebody without a password signed in eleven minutes ago, and confirms who they are", () => {
  async function asked(to = EXPORT) {
    const before = await somebody();
    await addProvider(server, there.issuer, { name: "Not theirs" });
    server.tick(11 * MINUTE);
    const page = await before.agent.follow(await before.agent.get(to));
    return { ...before, page };
  }

  test("the security page → does not speak of a code after their password", async () => {
    const { agent } = await somebody();
    const { text } = await agent.get("/account/security");
    expect(text).toContain("After you sign in with another account, you enter a code");
    expect(text).not.toContain("After your password");
  });

  test("→ the page asks for no password, and has the button of their provider alone", async () => {
    const { page, provider } = await asked();
    expect(page.text).toContain("Sign in again to confirm that it’s you");
    expect(asksPassword(page)).toBe(false);
    expect(buttonsOf(page)).toEqual([provider.id]);
  });

  test("the provider says no → the same page with the reason, still without a password", async () => {
    const { page, provider, agent } = await asked();
    const begun = await pressProvider(agent, page, provider);
    const back = await agent.get(there.callback(begun, { code: undefined, error: "access_denied", iss: undefined }));
    expect(back.text).toContain("You stopped the sign-in");
    expect(asksPassword(back)).toBe(false);
    expect(buttonsOf(back)).toEqual([provider.id]);
  });

  test("with another account there → 403; no account is made, and they stay who they are", async () => {
    const { page, provider, agent, person } = await asked();
    const begun = await pressProvider(agent, page, provider);
    there.answering = { claims: { ...aSubject(), auth_time: Math.floor(server.now() / 1000) } };
    const refused = await agent.get(there.callback(begun));
    expect([refused.status, refused.text]).toEqual([
      403,
      expect.stringContaining("isn’t connected to the account that you use here"),
    ]);
    expect(await accountsAt(provider)).toHaveLength(1);
    expect((await agent.get("/account/profile")).text).toContain(person.username);
    expect((await agent.get(EXPORT)).location?.pathname).toBe("/account/confirm");
  });

  test("with their account → asked to prove it there, then back at the page", async () => {
    const { page, provider, agent, subject } = await asked();
    const begun = await pressProvider(agent, page, provider);
    const parameters = begun.location?.searchParams;
    expect([parameters?.get("prompt"), parameters?.get("max_age")]).toEqual(["login", "0"]);
    there.answering = { claims: { ...subject, auth_time: Math.floor(server.now() / 1000) } };
    const back = await agent.get(there.callback(begun));
    expect(back.location?.pathname).toBe(EXPORT);
    expect((await agent.get(EXPORT)).status).toBe(200);
  });

  test("before they choose a first password → confirmed first, and then the form, which keeps their apps by default", async () => {
    const { page, provider, agent, subject } = await asked(PASSWORD_PAGE);
    expect(asksPassword(page)).toBe(false);
    const begun = await pressProvider(agent, page, provider);
    there.answering = { claims: { ...subject, auth_time: Math.floor(server.now() / 1000) } };
    const form = await agent.follow(await agent.get(there.callback(begun)));
    const password = "a long and rare first password";
    expect([...formTo(form, PASSWORD_PAGE).fields.keys()]).not.toContain("end_apps");
    expect(form.text).toContain("Save password");
    const done = await agent.submit(formTo(form, PASSWORD_PAGE), { password, again: password });
    expect(done.location?.pathname).toBe("/account/security");
  });

  test("their first password signs them out everywhere else → not in this browser; the old cookie is worth nothing", async () => {
    const { agent, person } = await somebody();
    const before = new Map(agent.cookies);
    const form = formTo(await agent.get(PASSWORD_PAGE), PASSWORD_PAGE);
    const password = "a long and rare first password";
    await agent.submit(form, { password, again: password, end_sessions: "yes" });
    const security = await agent.get("/account/security");
    expect([security.location, security.text.includes(person.username)]).toEqual([undefined, true]);
    const old = new Agent(server.issuer);
    for (const [name, value] of before) old.cookies.set(name, value);
    expect((await old.get("/account/security")).location?.pathname).toBe("/login");
  });
});

describe("the only provider of somebody without a password is disabled or deleted", () => {
  const ends = {
    disabled: (provider: SignInProvider) => addProvider(server, there.issuer, { ...provider, status: "disabled" }),
    deleted: async ({ id }: SignInProvider) => {
      await server.assent.storage.signInProviders.delete({ id, now: server.now() });
      await settle();
    },
  };
  const textOf = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, "");

  async function left(how: keyof typeof ends) {
    const before = await somebody();
    await ends[how](before.provider);
    const because = how === "disabled" ? `can’t sign in with ${before.provider.name} at the moment` : "no other way";
    return { ...before, because };
  }

  test.each(["disabled", "deleted"] as const)(
    "%s, and they confirm who they are → no password is asked for; the page says whom to ask",
    async (how) => {
      const { agent, because } = await left(how);
      server.tick(11 * MINUTE);
      const page = await agent.follow(await agent.get(PASSWORD_PAGE));
      expect(asksPassword(page)).toBe(false);
      for (const said of ["You don’t have a password.", because, "Ask the people who run this service."])
        expect(textOf(page)).toContain(said);
      expect(page.text).not.toContain("/recover");
    },
  );

  test("an app wants a young sign-in → no password is asked for; another account can sign in", async () => {
    const { agent, because } = await left("disabled");
    const other = await server.addPerson();
    server.tick(MINUTE);
    const app = await server.addClient();
    const page = await agent.follow(await agent.get(authorizeUrl(server, app, { max_age: "10" })));
    expect(asksPassword(page)).toBe(false);
    expect(textOf(page)).toContain(because);
    const form = await agent.submit(formTo(page, "/login/switch"));
    expect(consentForm(await signIn(agent, other.username, form))).toBeDefined();
  });

  test("an app lets people choose an account → the page says so, and has the ways of others", async () => {
    const { agent, because } = await left("disabled");
    const app = await server.addClient();
    const page = await agent.follow(await agent.get(authorizeUrl(server, app, { prompt: "select_account" })));
    expect([textOf(page).includes(because), asksPassword(page)]).toEqual([true, true]);
  });

  test("Security → says that signing out is for good, and that they can choose a password while the sign-in is young", async () => {
    const { agent } = await left("deleted");
    const young = textOf(await agent.get("/account/security"));
    expect(young).toContain("If you sign out, you can’t sign in again. Choose a password now.");
    server.tick(11 * MINUTE);
    const old = textOf(await agent.get("/account/security"));
    expect(old).toContain("If you sign out, you can’t sign in again. Ask the people who run this service.");
    const { agent: other } = await somebody();
    expect(textOf(await other.get("/account/security"))).not.toContain("If you sign out");
  });
});

describe("somebody whose address this server doesn't know", () => {
  test("the profile → says so and offers to add one; no address of nobody, nothing to confirm", async () => {
    const { agent, person } = await somebody();
    const { text, forms } = await agent.get("/account/profile");
    expect(text).toContain("Your account has no e-mail address.");
    expect(text).not.toContain("users.invalid");
    expect(person.email).toContain("users.invalid");
    expect(forms.filter(({ action }) => action.endsWith("/verify"))).toEqual([]);
  });

  test("an app with the scope email → UserInfo has no address", async () => {
    const { agent } = await somebody();
    const client = await server.addClient({ scopes: ["openid", "email"] });
    const consent = await agent.follow(await agent.get(authorizeUrl(server, client, { scope: "openid email" })));
    const answered = await agent.submit(consentForm(consent), { decision: "allow" });
    const { body } = await redeem(server, client, answered.location ?? new URL(server.issuer));
    const response = await fetch(`${server.issuer}/userinfo`, {
      headers: { authorization: `Bearer ${body.access_token}` },
    });
    expect(await response.json()).toEqual({ sub: expect.any(String) });
  });
});

describe("what waits behind a sign-in at a provider", () => {
  test("eleven minutes at the provider → 400, and the app's request still waits", async () => {
    const provider = await addProvider(server, there.issuer);
    const app = await server.addClient();
    there.answering = { claims: aSubject() };
    const agent = new Agent(server.issuer);
    const shown = await agent.follow(await agent.get(authorizeUrl(server, app)));
    const begun = await pressProvider(agent, shown, provider);
    server.tick(11 * MINUTE);
    const late = await agent.get(there.callback(begun));
    expect([late.status, late.text]).toEqual([400, expect.stringContaining("took too long")]);
    expect(await accountsAt(provider)).toEqual([]);
    const again = await pressProvider(agent, late, provider);
    expect(consentForm(await agent.follow(await agent.get(there.callback(again))))).toBeDefined();
  });

  test("a request that is too long for the address → said so, not that the provider is down; it still waits", async () => {
    const provider = await addProvider(server, there.issuer);
    const app = await server.addClient();
    const person = await server.addPerson();
    const long = () => randomBytes(1_500).toString("base64url");
    const parameters = { state: long(), login_hint: long(), nothing: long(), nothing_either: long() };
    const agent = new Agent(server.issuer);
    const shown = await agent.follow(await agent.get(authorizeUrl(server, app, parameters)));
    const refused = await pressProvider(agent, shown, provider);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("too long for the sign-in")]);
    const form = refused.forms.find(({ action }) => action.endsWith("/login"));
    if (form === undefined) throw new Error("no form");
    const consent = await agent.follow(await agent.submit(form, { username: person.username, password: "" }));
    expect(consent.text).toContain("Enter your password.");
  });
});

describe("a way in always remains", () => {
  test("two connected providers → the first is disconnected, the second stays", async () => {
    const { agent, person } = await somebody();
    const second = await addProvider(server, there.issuer, { name: "Second" });
    there.answering = { claims: aSubject() };
    await agent.submit(formTo(await question(agent, second), "/account/security/connect"));
    const [first, other] = await linksOf(person);
    const removed = async (link: string) => {
      const page = await agent.get(`${REMOVE}?${new URLSearchParams({ id: link })}`);
      return (await agent.follow(await agent.submit(formTo(page, REMOVE)))).text;
    };
    expect(await removed(first?.link ?? "")).toContain("The account is disconnected.");
    expect(await removed(other?.link ?? "")).toContain("Not disconnected: you would have no way to sign in.");
    expect(await linksOf(person)).toHaveLength(1);
  });

  test("the other provider is disabled → nothing is disconnected; it is listed without a way to connect", async () => {
    const { agent, person, provider } = await somebody();
    const second = await addProvider(server, there.issuer, { name: "Second" });
    there.answering = { claims: aSubject() };
    await agent.submit(formTo(await question(agent, second), "/account/security/connect"));
    await addProvider(server, there.issuer, { ...second, status: "disabled" });
    const security = await agent.get("/account/security");
    expect(security.text).toContain("You can’t sign in with it at the moment.");
    expect(buttonsOf(security)).not.toContain(second.id);
    const link = (await linksOf(person)).find(({ issuerId }) => issuerId === provider.id)?.link ?? "";
    const page = await agent.get(`${REMOVE}?${new URLSearchParams({ id: link })}`);
    const done = await agent.follow(await agent.submit(formTo(page, REMOVE)));
    expect(done.text).toContain("Not disconnected");
    expect(await linksOf(person)).toHaveLength(2);
  });
});

test("a double click on “Connect” → both say that it is connected", async () => {
  const provider = await addProvider(server, there.issuer);
  const person = await server.addPerson();
  there.answering = { claims: aSubject() };
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  const form = formTo(await question(agent, provider), "/account/security/connect");
  for (const click of [1, 2]) {
    const done = await agent.follow(await agent.submit(form));
    expect(done.text, `click ${click}`).toContain("The account is connected.");
  }
});

test("eleven minutes at the provider to connect an account → not connected, said on the security page", async () => {
  const { agent, person } = await somebody();
  const provider = await addProvider(server, there.issuer);
  const begun = await pressProvider(agent, await agent.get("/account/security"), provider);
  server.tick(11 * MINUTE);
  const done = await agent.follow(await agent.get(there.callback(begun)));
  expect(done.text).toContain("Not connected: the sign-in at the other service failed or took too long.");
  expect(await linksOf(person)).toHaveLength(1);
});

let serial = 0;
test.each([
  ["verified here, of its domain", true, {}],
  ["not verified here", false, { emailVerifiedAt: null }],
  ["of an account with an operator's role", false, { operator: ["read"] }],
  ["of another domain", false, { email: "reconnect@other.test" }],
] as const)(
  "a provider whose addresses count; an address %s → the question says that a sign-in there connects it again: %s",
  async (_, connects, changes) => {
    const provider = await addProvider(server, there.issuer, { emailDomains: ["work.test"], trustEmail: true });
    const person = await server.addPerson({ email: `reconnect-${serial++}@work.test`, ...changes });
    const subject = aSubject();
    there.answering = { claims: subject };
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    await agent.submit(formTo(await question(agent, provider), "/account/security/connect"));
    const [link] = await linksOf(person);
    const page = await agent.get(`${REMOVE}?${new URLSearchParams({ id: link?.link ?? "" })}`);
    expect(page.text).toContain("Disconnect this account?");
    expect(page.text.includes("connects it again")).toBe(connects);
    await agent.submit(formTo(page, REMOVE));
    there.answering = { claims: { ...subject, email: person.email, email_verified: true } };
    await signInThere(new Agent(server.issuer), there, provider);
    expect(await linksOf(person)).toHaveLength(connects ? 1 : 0);
  },
);
