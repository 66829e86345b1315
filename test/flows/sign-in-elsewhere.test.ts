/** Sign-in at another OpenID Connect provider: who is signed in here, and what waits behind it goes on. */

import { describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, authorizeUrl, consentForm, type Page, redeem, signIn } from "../support/http-browser.ts";
import {
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere as signInAt,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import { settle, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let there: ForgingProvider;

withForgingProvider((at) => {
  ({ server, there } = at);
});

const signInThere = (agent: Agent, provider: { readonly id: string }, page?: Page) =>
  signInAt(agent, there, provider, page);

describe("somebody without an account here", () => {
  test("the provider may not create accounts → 403 with the way to connect, no account", async () => {
    const provider = await addProvider(server, there.issuer, { createPeople: false });
    there.answering = { claims: aSubject() };
    const agent = new Agent(server.issuer);
    const page = await signInThere(agent, provider);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("isn’t connected to an account here")]);
    expect(await isSignedIn(agent)).toBe(false);
  });

  test("an address of another domain, or an unverified one → 403, no account", async () => {
    const provider = await addProvider(server, there.issuer, { emailDomains: ["corp.test"], trustEmail: true });
    for (const claims of [
      { email: "a@other.test", email_verified: true },
      { email: "a@corp.test", email_verified: false },
      { email: "a@corp.test", email_verified: undefined },
      { email: undefined },
    ]) {
      const subject = aSubject();
      there.answering = { claims: { ...subject, ...claims }, userInfo: { sub: subject.sub } };
      const page = await signInThere(new Agent(server.issuer), provider);
      expect([page.status, page.text], JSON.stringify(claims)).toEqual([
        403,
        expect.stringContaining("confirmed e-mail address of the organization"),
      ]);
    }
  });

  test("otherwise → an account without a password, with the provider's name for them; the same one the next time", async () => {
    const provider = await addProvider(server, there.issuer);
    const subject = aSubject();
    there.answering = { claims: { ...subject, name: "Grace Hopper" } };
    const first = new Agent(server.issuer);
    expect((await signInThere(first, provider)).status).toBe(200);
    const person = await server.assent.storage.people.findByName({ name: subject.preferred_username });
    expect(person).toMatchObject({ name: "Grace Hopper", passwordHash: null, emailVerifiedAt: null, operator: [] });
    const second = new Agent(server.issuer);
    await signInThere(second, provider);
    const links = await server.assent.storage.subjectLinks.list({ issuerId: provider.id, limit: 10, after: null });
    expect(links).toMatchObject([{ ownerId: person?.personId, claim: there.issuer, subject: subject.sub }]);
    expect(await isSignedIn(second)).toBe(true);
  });

  test("an address of a trusted domain → the account has it, verified", async () => {
    const provider = await addProvider(server, there.issuer, { emailDomains: ["corp.test"], trustEmail: true });
    const subject = { ...aSubject(), email: "New.Person@Corp.Test" };
    there.answering = { claims: subject };
    await signInThere(new Agent(server.issuer), provider);
    const person = await server.assent.storage.people.findByName({ name: "new.person@corp.test" });
    expect(person?.emailVerifiedAt).toBeTypeOf("number");
  });
});

describe("somebody with an account here", () => {
  const trusted = () => addProvider(server, there.issuer, { emailDomains: ["corp.test"], trustEmail: true });

  test("the address is not verified here → not connected, and the account is not taken over", async () => {
    const provider = await trusted();
    await server.addPerson({ email: "waiting@corp.test", emailVerifiedAt: null });
    there.answering = { claims: { ...aSubject(), email: "waiting@corp.test" } };
    const page = await signInThere(new Agent(server.issuer), provider);
    expect([page.status, page.text]).toEqual([403, expect.stringContaining("already uses your e-mail address")]);
  });

  test("an operator with that address → not connected", async () => {
    const provider = await trusted();
    await server.addPerson({ email: "root@corp.test", emailVerifiedAt: 1, operator: ["admin"] });
    there.answering = { claims: { ...aSubject(), email: "root@corp.test" } };
    expect((await signInThere(new Agent(server.issuer), provider)).status).toBe(403);
  });

  test("the provider is not trusted for addresses → another account", async () => {
    const provider = await addProvider(server, there.issuer);
    const person = await server.addPerson({ email: "mine@corp.test", emailVerifiedAt: 1 });
    const subject = { ...aSubject(), email: "mine@corp.test" };
    there.answering = { claims: subject };
    await signInThere(new Agent(server.issuer), provider);
    const other = await server.assent.storage.people.findByName({ name: subject.preferred_username });
    expect(other?.personId).not.toBe(person.personId);
    expect(other?.email).toMatch(/@users\.invalid$/);
  });

  test("both sides have verified the address, and the provider is trusted for it → connected and signed in", async () => {
    const provider = await trusted();
    const person = await server.addPerson({ email: "both@corp.test", emailVerifiedAt: 1 });
    there.answering = { claims: { ...aSubject(), email: "both@corp.test" } };
    const agent = new Agent(server.issuer);
    expect((await signInThere(agent, provider)).status).toBe(200);
    const { partition, personId } = person;
    expect(await server.assent.storage.subjectLinks.ofPerson({ partition, personId })).toHaveLength(1);
  });

  test("disabled here → 403, still disabled", async () => {
    const provider = await addProvider(server, there.issuer);
    const subject = aSubject();
    there.answering = { claims: subject };
    await signInThere(new Agent(server.issuer), provider);
    const person = await server.assent.storage.people.findByName({ name: subject.preferred_username });
    if (person === undefined) throw new Error("no account was made");
    await server.assent.storage.people.setStatus({ ...person, status: "disabled", now: server.now() });
    const agent = new Agent(server.issuer);
    const page = await signInThere(agent, provider);
    expect([page.status, await isSignedIn(agent)]).toEqual([403, false]);
  });
});

describe("what waits behind the sign-in", () => {
  test("an authorization request → the consent page, the code, and tokens that name the way of the sign-in", async () => {
    const provider = await addProvider(server, there.issuer);
    const app = await server.addClient({ scopes: ["openid", "read"] });
    there.answering = { claims: aSubject() };
    const agent = new Agent(server.issuer);
    const url = authorizeUrl(server, app, { scope: "openid read", nonce: "n-1" });
    const page = await signInThere(agent, provider, await agent.follow(await agent.get(url)));
    const answered = await agent.submit(consentForm(page), { decision: "allow" });
    const { status, body } = await redeem(server, app, answered.location as URL);
    expect(status).toBe(200);
    const [, payload = ""] = String(body.id_token).split(".");
    expect(JSON.parse(Buffer.from(payload, "base64url").toString())).toMatchObject({ acr: "1fa", amr: ["fed"] });
  });

  test("a request of 4,000 characters → it still waits afterwards", async () => {
    const provider = await addProvider(server, there.issuer);
    const app = await server.addClient();
    there.answering = { claims: aSubject() };
    const agent = new Agent(server.issuer);
    const state = Buffer.from(Array.from({ length: 1_000 }, (_, at) => (at * 7919) % 251)).toString("base64url");
    const page = await signInThere(
      agent,
      provider,
      await agent.follow(await agent.get(authorizeUrl(server, app, { state }))),
    );
    const answered = await agent.submit(consentForm(page), { decision: "allow" });
    expect(answered.location?.searchParams.get("state")).toBe(state);
  });

  test("the app asks for a recent sign-in, and the provider says that it was before → 400, and the next one counts", async () => {
    const provider = await addProvider(server, there.issuer);
    const app = await server.addClient();
    const subject = aSubject();
    const seconds = Math.floor(Date.now() / 1000);
    there.answering = { claims: { ...subject, auth_time: seconds - 3_600 } };
    const agent = new Agent(server.issuer);
    const shown = await agent.follow(await agent.get(authorizeUrl(server, app, { prompt: "login" })));
    const begun = await pressProvider(agent, shown, provider);
    expect(begun.location?.searchParams.get("prompt")).toBe("login");
    expect(begun.location?.searchParams.get("max_age")).toBe("0");
    const refused = await agent.get(there.callback(begun));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining("couldn’t be verified")]);
    there.answering = { claims: { ...subject, auth_time: seconds } };
    const page = await signInThere(agent, provider, refused);
    expect(consentForm(page)).toBeDefined();
  });

  test("somebody types an address of the provider's domain and no password → the provider, with the address", async () => {
    await addProvider(server, there.issuer, { emailDomains: ["work.test"], trustEmail: true });
    const agent = new Agent(server.issuer);
    const [form] = (await agent.get("/login")).forms;
    if (form === undefined) throw new Error("no sign-in form");
    const begun = await agent.submit(form, { username: "Ada@Work.test", password: "" });
    expect(begun.location?.origin).toBe(there.issuer);
    expect(begun.location?.searchParams.get("login_hint")).toBe("Ada@Work.test");
  });
});

describe("a person connects and disconnects an account", () => {
  async function connected(changes: Parameters<typeof addProvider>[2] = {}) {
    const provider = await addProvider(server, there.issuer, changes);
    const person = await server.addPerson();
    const subject = aSubject();
    there.answering = { claims: subject };
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const security = await agent.get("/account/security");
    const begun = await pressProvider(agent, security, provider);
    const question = await agent.follow(await agent.get(there.callback(begun)));
    return { provider, person, subject, agent, question };
  }

  const answerOf = (page: Awaited<ReturnType<Agent["get"]>>) => {
    const form = page.forms.find(({ action }) => action.endsWith("/account/security/connect"));
    if (form === undefined) throw new Error(`no question: ${page.status} ${page.text.slice(0, 300)}`);
    return form;
  };

  test("the question names both accounts; nothing is connected before the answer", async () => {
    const { person, subject, question } = await connected();
    expect(question.text).toContain(subject.email);
    expect(question.text).toContain(person.username);
    const { partition, personId } = person;
    expect(await server.assent.storage.subjectLinks.ofPerson({ partition, personId })).toEqual([]);
  });

  test("yes → connected, listed, and a way to sign in; disconnected → no longer, and other browsers signed in with it are signed out, as the page said", async () => {
    const { provider, agent, question, person } = await connected();
    const done = await agent.follow(await agent.submit(answerOf(question)));
    expect(done.text).toContain("The account is connected.");
    const other = new Agent(server.issuer);
    await signInThere(other, provider);
    expect((await other.get("/account/profile")).text).toContain(person.username);

    const link = /\/account\/security\/identities\/remove\?id=[^"]+/.exec(done.text)?.[0] ?? "";
    const ask = await agent.get(link);
    expect(ask.text).toContain("Disconnect this account?");
    const signedOut = "Other browsers where you signed in with it are signed out.";
    expect(ask.text).toContain(`You stay signed in here. ${signedOut}`);
    const remove = ask.forms.find(({ action }) => action.endsWith("/identities/remove"));
    if (remove === undefined) throw new Error("no form to disconnect");
    const withPassword = new Agent(server.issuer);
    await signIn(withPassword, person.username);
    expect((await agent.follow(await agent.submit(remove))).text).toContain(
      `The account is disconnected. ${signedOut}`,
    );
    expect([await isSignedIn(agent), await isSignedIn(withPassword), await isSignedIn(other)]).toEqual([
      ...[true, true, false],
    ]);
    const { partition, personId } = person;
    expect(await server.assent.storage.subjectLinks.ofPerson({ partition, personId })).toEqual([]);
  });

  test.each([
    [true, "can create a new, empty account here"],
    [false, "After that, you can’t sign in here with your account at"],
  ])(
    "the provider creates accounts: %s → the question says what a sign-in there does then",
    async (createPeople, said) => {
      const { provider, person, agent, question } = await connected({ createPeople });
      await agent.submit(answerOf(question));
      const security = await agent.get("/account/security");
      const link = /\/account\/security\/identities\/remove\?id=[^"]+/.exec(security.text)?.[0] ?? "";
      const ask = await agent.get(link);
      expect(ask.text).toContain(said);
      const remove = ask.forms.find(({ action }) => action.endsWith("/identities/remove"));
      if (remove === undefined) throw new Error("no form to disconnect");
      await agent.submit(remove);
      const other = new Agent(server.issuer);
      await signInThere(other, provider);
      expect(await isSignedIn(other)).toBe(createPeople);
      expect(await server.assent.storage.subjectLinks.ofPerson(person)).toEqual([]);
    },
  );

  test("somebody without another way in → the last one can't be removed", async () => {
    const provider = await addProvider(server, there.issuer);
    there.answering = { claims: aSubject() };
    const agent = new Agent(server.issuer);
    await signInThere(agent, provider);
    const security = await agent.get("/account/security");
    const link = /\/account\/security\/identities\/remove\?id=[^"]+/.exec(security.text)?.[0] ?? "";
    const remove = (await agent.get(link)).forms.find(({ action }) => action.endsWith("/identities/remove"));
    if (remove === undefined) throw new Error("no form to disconnect");
    const done = await agent.follow(await agent.submit(remove));
    expect(done.text).toContain("Not disconnected: you would have no way to sign in.");
  });
});

test("a disabled provider → no button, and its callback leads nowhere", async () => {
  const provider = await addProvider(server, there.issuer, { name: "Soon gone" });
  there.answering = { claims: aSubject() };
  const agent = new Agent(server.issuer);
  const begun = await pressProvider(agent, await agent.get("/login"), provider);
  await addProvider(server, there.issuer, { ...provider, status: "disabled" });
  await settle();
  expect((await agent.get("/login")).text).not.toContain("Soon gone");
  expect((await agent.get(there.callback(begun))).status).toBe(400);
  expect(await isSignedIn(agent)).toBe(false);
});

describe("a provider is disabled or deleted while the page with its button is open", () => {
  const remove = ({ id }: SignInProvider) => server.assent.storage.signInProviders.delete({ id, now: server.now() });
  const disable = (provider: SignInProvider) => addProvider(server, there.issuer, { ...provider, status: "disabled" });

  test.each([
    ["disabled", disable, "You can’t sign in with Soon gone here at the moment."],
    ["deleted", remove, "You can no longer sign in here with the service that you chose."],
  ])("%s → the button and the way back say so, and the app's request waits", async (_, ends, said) => {
    const provider = await addProvider(server, there.issuer, { name: "Soon gone" });
    const client = await server.addClient();
    const [pressing, returning] = [new Agent(server.issuer), new Agent(server.issuer)];
    const open = async (agent: Agent) => agent.follow(await agent.get(authorizeUrl(server, client)));
    const [page, begun] = [await open(pressing), await pressProvider(returning, await open(returning), provider)];
    await ends(provider);
    await settle();
    for (const answer of [
      await pressProvider(pressing, page, provider),
      await returning.get(there.callback(begun, {}, aSubject())),
    ]) {
      const text = answer.text.replaceAll(/<[^>]*>/g, "");
      expect([answer.status, text]).toEqual([400, expect.stringContaining(said)]);
      expect(text).not.toContain("Start again.");
      expect(formWith(answer, "password").fields.get("request")).toBeTruthy();
    }
  });

  test.each([
    ["disabled", disable],
    ["deleted", remove],
  ])("%s → “Connect”, the way back and the question say so", async (_, ends) => {
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson()).username);
    const provider = await addProvider(server, there.issuer);
    const security = await agent.get("/account/security");
    const [first, second] = [
      await pressProvider(agent, security, provider),
      await pressProvider(agent, security, provider),
    ];
    const asked = await agent.get(there.callback(first, {}, aSubject()));
    await ends(provider);
    await settle();
    for (const answer of [
      await pressProvider(agent, security, provider),
      await agent.get(there.callback(second, {}, aSubject())),
      await agent.get(`${asked.location?.pathname}${asked.location?.search}`),
    ])
      expect((await agent.follow(answer)).text).toContain(
        "Not connected: an account of that service can’t be connected here at the moment.",
      );
  });
});

test("a person with an authenticator app → the code is asked for, and the token names both steps", async () => {
  const provider = await addProvider(server, there.issuer, { emailDomains: ["steps.test"], trustEmail: true });
  const { app } = await withSecondStep(
    server,
    await server.addPerson({ email: "careful@steps.test", emailVerifiedAt: 1 }),
  );
  const client = await server.addClient({ scopes: ["openid"] });
  there.answering = { claims: { ...aSubject(), email: "careful@steps.test" } };
  const agent = new Agent(server.issuer);
  const url = authorizeUrl(server, client, { scope: "openid" });
  const asked = await signInThere(agent, provider, await agent.follow(await agent.get(url)));
  expect(await isSignedIn(agent)).toBe(false);
  const wrong = await agent.submit(formWith(asked, "code"), { code: "000000" });
  expect(await isSignedIn(agent)).toBe(false);
  const consent = await agent.follow(await agent.submit(formWith(wrong, "code"), { code: app.code() }));
  const answered = await agent.submit(consentForm(consent), { decision: "allow" });
  const { body } = await redeem(server, client, answered.location ?? new URL(server.issuer));
  const [, payload = ""] = String(body.id_token).split(".");
  const claims = JSON.parse(Buffer.from(payload, "base64url").toString());
  expect(claims).toMatchObject({ acr: "mfa", amr: ["fed", "otp", "mfa"] });
});

describe("signed out here → the provider may still sign this browser in without a password", () => {
  const SAID = "You may still be signed in at";
  const confirmed = async (agent: Agent, path: string, fields: Record<string, string> = {}) => {
    const asked = await agent.get(path);
    const form = asked.forms.find(({ action }) => /sign-out|confirm|sessions/.test(action));
    if (form === undefined) throw new Error(`no form on ${path}`);
    return (await agent.submit(form, fields)).text.replaceAll(/<[^>]*>/g, "");
  };

  test.each([
    ["/account/sign-out", {}],
    ["/logout", { sign_out: "sign_out" }],
    ["/account/security", { end: "all" }],
  ])(
    "%s after a sign-in there → the page names the provider, and doesn't say that nobody can get in",
    async (path, fields) => {
      const provider = await addProvider(server, there.issuer);
      there.answering = { claims: aSubject() };
      const agent = new Agent(server.issuer);
      await signInThere(agent, provider);
      const text = await confirmed(agent, path, fields);
      expect(text).toContain("You’re signed out");
      expect(text).toContain(`${SAID} Example ID.`);
      expect(text).not.toContain("Nobody can see or change your account");
      await signInThere(agent, provider);
      expect(await isSignedIn(agent)).toBe(true);
    },
  );

  test("after a sign-in with the password, or at a provider that is disabled since → nobody can get in", async () => {
    const agent = new Agent(server.issuer);
    await signIn(agent, (await server.addPerson()).username);
    expect(await confirmed(agent, "/account/sign-out")).toContain("Nobody can see or change your account");
    const provider = await addProvider(server, there.issuer);
    there.answering = { claims: aSubject() };
    await signInThere(agent, provider);
    await addProvider(server, there.issuer, { ...provider, status: "disabled" });
    await settle();
    expect(await confirmed(agent, "/account/sign-out")).not.toContain(SAID);
  });
});
