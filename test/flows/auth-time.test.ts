/**
 * A session's `auth_time` is the time of the sign-in that its `acr` and `amr` describe (OpenID Connect Core §2, RFC
 * 9470 §6.2). It must never make an old proof look recent.
 */

import { decodeJwt } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { AUTHENTICATOR, appOf, formWith, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, authorize, authorizeUrl, type Page, redeem, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;
const NEW = "seven green umbrellas";
const CHANGE = "/account/security/password";

let server: TestServer;
let mailbox: TestMailbox;
let client: TestClient;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ host: "localhost", config: { smtpUrl: smtpTo(mailbox), signUp: true } });
  await server.addScope({ name: "pay", description: "Pay", resource: "https://api.test", acr: "mfa" });
  await server.addScope({ name: "sign", description: "Sign", resource: "https://api.test", acr: "phr" });
  client = await server.addClient({ scopes: ["read", "pay", "sign"] });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const optionsOf = (page: Page) =>
  JSON.parse((/data-options="([^"]*)"/.exec(page.text)?.[1] ?? "").replaceAll("&quot;", '"').replaceAll("&amp;", "&"));

/** The newest session in the person's list. */
async function sessionOf(person: Pick<Person, "partition" | "personId">) {
  const sessions = await server.assent.storage.sessions.list({ ...person, now: server.now() });
  const [newest] = sessions.toSorted((a, b) => b.createdAt - a.createdAt);
  if (newest === undefined) throw new Error("no session");
  return newest;
}

/** The claims of the app's access token. */
async function claimsOf(agent: Agent, person: Person, changes: Record<string, string> = {}) {
  const { body } = await redeem(
    server,
    client,
    await authorize(agent, authorizeUrl(server, client, changes), person.username),
  );
  return decodeJwt(String(body.access_token));
}

async function changePassword(agent: Agent, current = PASSWORD, next = NEW): Promise<Page> {
  const form = formWith(await agent.get(CHANGE), "password");
  return agent.submit(form, { current_password: current, password: next, again: next });
}

async function addPasskey(agent: Agent, key: SoftAuthenticator): Promise<void> {
  const page = await agent.get("/account/security/passkeys");
  const done = await agent.submit(formWith(page, "credential"), {
    name: "Key",
    credential: key.create(optionsOf(page)),
  });
  expect(done.location?.search).toBe("?done=passkey-added");
}

async function signInByPasskey(agent: Agent, key: SoftAuthenticator, page?: Page): Promise<Page> {
  const at = page ?? (await agent.get("/login"));
  return agent.submit(formWith(at, "credential"), { credential: key.get(optionsOf(at)) });
}

/** The server's time at the start of the test, and the time that has passed since. */
let began: number;
const later = () => server.now() - began;
beforeEach(() => {
  server.tick(1000 - (server.now() % 1000));
  began = server.now();
});
/** Expects a time within a few seconds of this number of minutes after the start. */
function expectAt(authTime: number, minutes: number): void {
  const off = authTime - began - minutes * MINUTE;
  expect([off >= 0, off < MINUTE], `${off} ms off`).toEqual([true, true]);
}

describe("a new password", () => {
  test("in a session of both steps, 120 minutes old → both steps are as old as they were", async () => {
    const { person, agent } = await withSecondStep(server);
    const { authTime, acr, amr } = await sessionOf(person);
    server.tick(120 * MINUTE);
    expect((await changePassword(agent)).status).toBe(303);
    const after = await sessionOf(person);
    expect(after).toMatchObject({ authTime, acr: "mfa", amr });
    // The new session has the same absolute end as the earlier one.
    expect(after.absoluteUntil).toBe(authTime + 14 * 24 * 60 * MINUTE);
    expect(acr).toBe("mfa");
    // It opens no page that requires a recent sign-in.
    const add = await agent.get("/account/security/passkeys");
    expect(add.location?.pathname).toBe("/account/confirm");
    const remove = await agent.post("/account/security/authenticator/remove", {
      csrf: formWith(await agent.get("/account/security"), "csrf").fields.get("csrf") ?? "",
    });
    expect(remove.location?.pathname).toBe("/account/confirm");
    expect(await server.assent.storage.secondFactors.get(person)).toBeDefined();
    // An app that requires a recent sign-in asks for one. Another app gets the true time.
    const young = await agent.get(authorizeUrl(server, client, { scope: "pay", max_age: "600" }));
    expect(young.text).toContain('name="password"');
    expect(await claimsOf(agent, person, { scope: "pay" })).toMatchObject({
      acr: "mfa",
      auth_time: Math.floor(authTime / 1000),
    });
  });

  test("in a session by passkey, old → the passkey's time", async () => {
    const person = await server.addPerson();
    const setup = new Agent(server.issuer);
    await signIn(setup, person.username);
    const key = new SoftAuthenticator(server.issuer);
    await addPasskey(setup, key);
    const agent = new Agent(server.issuer);
    await signInByPasskey(agent, key);
    const { authTime } = await sessionOf(person);
    server.tick(120 * MINUTE);
    expect((await changePassword(agent)).status).toBe(303);
    expect(await sessionOf(person)).toMatchObject({ authTime, acr: "phr", amr: ["hwk", "user", "mfa"] });
  });

  test("the first one, in a session by passkey → the passkey's time", async () => {
    const person = await server.addPerson();
    const setup = new Agent(server.issuer);
    await signIn(setup, person.username);
    const key = new SoftAuthenticator(server.issuer);
    await addPasskey(setup, key);
    const { storage } = server.assent;
    const without = await server.addPerson({ passwordHash: null, passwordChangedAt: null });
    const passkey = (await storage.passkeys.list(person))[0];
    if (passkey === undefined) throw new Error("no passkey");
    await storage.passkeys.remove({ ...passkey, now: server.now() });
    await storage.passkeys.add({ passkey: { ...passkey, ...keyOf(without) }, now: server.now() });
    const agent = new Agent(server.issuer);
    const page = await agent.get("/login");
    const { personId } = without;
    const credential = key.get(optionsOf(page), { userHandle: personId });
    expect((await agent.submit(formWith(page, "credential"), { credential })).status).toBe(303);
    const { authTime } = await sessionOf(without);
    server.tick(5 * MINUTE);
    expect((await changePassword(agent, "")).status).toBe(303);
    expect(await sessionOf(without)).toMatchObject({ authTime, acr: "phr" });
  });

  test("in a session by password alone → proved just now", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    server.tick(120 * MINUTE);
    expect((await changePassword(agent)).status).toBe(303);
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "1fa", amr: ["pwd"] });
    expectAt(session.authTime, 120);
    const young = await agent.get(authorizeUrl(server, client, { max_age: "600" }));
    expect(young.text).not.toContain('name="password"');
  });

  test("in a session by password alone, after a second step was set up elsewhere → a sign-in with both steps first, the session as it was", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const before = await sessionOf(person);
    await withSecondStep(server, person);
    expect((await changePassword(agent)).location?.pathname).toBe("/account/confirm");
    const sessions = await server.assent.storage.sessions.list({ ...person, now: server.now() });
    expect(sessions).toContainEqual(before);
    expect((await signIn(new Agent(server.issuer), person.username)).text).toContain("One more step");
  });
});

describe("a sign-in", () => {
  test("by password, in place of a session of both steps → one step, now", async () => {
    const person = await server.addPerson();
    const { agent } = await withSecondStep(server, person);
    server.tick(30 * MINUTE);
    await server.assent.storage.secondFactors.remove({ ...keyOf(person), now: server.now() });
    const form = await agent.get(authorizeUrl(server, client, { prompt: "login" }));
    await signIn(agent, person.username, form);
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "1fa", amr: ["pwd"] });
    expectAt(session.authTime, 31);
  });

  test("by password and, nine minutes later, a code → both, as old as the password", async () => {
    const { person, app } = await withSecondStep(server);
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, person.username);
    const typed = later();
    server.tick(9 * MINUTE);
    await agent.submit(formWith(page, "code"), { code: app.code() });
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "mfa", amr: ["pwd", "otp", "mfa"] });
    expect(session.authTime - began).toBeLessThanOrEqual(typed);
    expect(session.createdAt - session.authTime).toBeGreaterThanOrEqual(9 * MINUTE);
  });

  test("by password and, nine minutes later, a recovery code → the same", async () => {
    const { person, recoveryCodes } = await withSecondStep(server);
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, person.username);
    server.tick(9 * MINUTE);
    await agent.submit(formWith(page, "recovery"), { recovery: recoveryCodes[0] ?? "" });
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "mfa", amr: ["pwd", "otp", "mfa"] });
    expect(session.createdAt - session.authTime).toBeGreaterThanOrEqual(9 * MINUTE);
  });

  test("by password and, nine minutes later, a passkey → the passkey alone, now: it is a whole sign-in", async () => {
    const { person, agent: setup } = await withSecondStep(server);
    const key = new SoftAuthenticator(server.issuer);
    await addPasskey(setup, key);
    const agent = new Agent(server.issuer);
    const page = await signIn(agent, person.username);
    server.tick(9 * MINUTE);
    await signInByPasskey(agent, key, page);
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "phr", amr: ["hwk", "user", "mfa"] });
    expect(session.createdAt - session.authTime).toBeLessThan(MINUTE);
  });

  test("once more, at a page that wants it → all steps, now", async () => {
    const { person, agent, app } = await withSecondStep(server);
    server.tick(60 * MINUTE);
    const confirm = await agent.follow(await agent.get("/account/security/passkeys"));
    const step = await signIn(agent, person.username, confirm);
    await agent.submit(formWith(step, "code"), { code: app.code() });
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "mfa" });
    expectAt(session.authTime, 61);
  });
});

describe("a step added to a session", () => {
  test("a code → both, as old as the password", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const { authTime } = await sessionOf(person);
    const { app } = await withSecondStep(server, person);
    server.tick(60 * MINUTE);
    const step = await agent.get(authorizeUrl(server, client, { scope: "pay" }));
    await agent.submit(formWith(step, "code"), { code: app.code() });
    expect(await sessionOf(person)).toMatchObject({ authTime, acr: "mfa", amr: ["pwd", "otp", "mfa"] });
    // A recent sign-in is still required, also in another tab whose request began before the second step.
    const young = await agent.get(authorizeUrl(server, client, { scope: "pay", max_age: "600" }));
    expect(young.text).toContain('name="password"');
  });

  test("a passkey → the passkey alone, now", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const key = new SoftAuthenticator(server.issuer);
    await addPasskey(agent, key);
    expect(await sessionOf(person)).toMatchObject({ acr: "1fa" });
    server.tick(60 * MINUTE);
    await signInByPasskey(agent, key, await agent.get(authorizeUrl(server, client, { scope: "sign" })));
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "phr", amr: ["hwk", "user", "mfa"] });
    expectAt(session.authTime, 60);
  });

  test("an authenticator set up, nine minutes after the password → both, as old as the password", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const { authTime } = await sessionOf(person);
    server.tick(9 * MINUTE);
    const page = await agent.get(AUTHENTICATOR);
    await agent.submit(formWith(page, "code"), { code: appOf(page, server).code() });
    expect(await sessionOf(person)).toMatchObject({ authTime, acr: "mfa", amr: ["pwd", "otp", "mfa"] });
  });

  test("an authenticator set up in a session by passkey → the passkey, as old as it was", async () => {
    const person = await server.addPerson();
    const setup = new Agent(server.issuer);
    await signIn(setup, person.username);
    const key = new SoftAuthenticator(server.issuer);
    await addPasskey(setup, key);
    const agent = new Agent(server.issuer);
    await signInByPasskey(agent, key);
    const { authTime } = await sessionOf(person);
    server.tick(9 * MINUTE);
    const page = await agent.get(AUTHENTICATOR);
    await agent.submit(formWith(page, "code"), { code: appOf(page, server).code() });
    expect(await sessionOf(person)).toMatchObject({ authTime, acr: "phr", amr: ["hwk", "user", "mfa"] });
  });

  test("a passkey added in a known browser → still known: no message about it at the next sign-in", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    await addPasskey(agent, new SoftAuthenticator(server.issuer));
    const { deviceId } = await sessionOf(person);
    agent.cookies.delete("assent_session");
    await signIn(agent, person.username);
    expect(await sessionOf(person)).toMatchObject({ deviceId });
    await agent.submit(formWith(await agent.get("/recover"), "login"), { login: person.username });
    // Messages are sent side by side, so they arrive in any order.
    const subjects = () => mailbox.to(person.email).map(({ subject }) => subject);
    await expect.poll(subjects).toContain("Choose a new password");
    await expect.poll(() => subjects().length).toBeGreaterThanOrEqual(3);
    expect(subjects().sort()).toEqual([
      "A passkey was added to your account",
      "Choose a new password",
      "New sign-in to your account",
    ]);
  });

  test("a passkey added, recovery codes made anew, the authenticator removed → the session as it was", async () => {
    const { person, agent } = await withSecondStep(server);
    const before = await sessionOf(person);
    const { sessionId, authTime, acr, amr } = before;
    server.tick(5 * MINUTE);
    await addPasskey(agent, new SoftAuthenticator(server.issuer));
    const { csrf = "", replaces = "" } = Object.fromEntries(
      formWith(await agent.get("/account/security"), "replaces").fields,
    );
    for (const [path, status] of [
      ["recovery-codes", 200],
      ["authenticator/remove", 303],
    ] as const) {
      expect((await agent.post(`/account/security/${path}`, { csrf, replaces })).status).toBe(status);
      expect(await sessionOf(person)).toMatchObject({ sessionId, authTime, acr, amr });
    }
  });
});

describe("links in messages", () => {
  test("a new account → by password, when it was chosen", async () => {
    const agent = new Agent(server.issuer);
    const email = `new-${began}@example.test`;
    await agent.submit(formWith(await agent.get("/sign-up"), "email"), { email });
    const { link } = await mailbox.next(email);
    server.tick(30 * MINUTE);
    const form = formWith(await agent.get(link), "username");
    const username = `new${began}`;
    expect((await agent.submit(form, { username, password: NEW, again: NEW })).status).toBe(303);
    const person = await server.assent.storage.people.findByName({ name: username });
    if (person === undefined) throw new Error("no account");
    const session = await sessionOf(person);
    expect(session).toMatchObject({ acr: "1fa", amr: ["pwd"] });
    expectAt(session.authTime, 30);
  });

  test("an address confirmed → the session as it was; a password recovered → none", async () => {
    const person = await server.addPerson({ emailVerifiedAt: null });
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const { sessionId, authTime } = await sessionOf(person);
    const profile = await agent.get("/account/profile");
    const verify = profile.forms.find(({ action }) => action.endsWith("/verify"));
    if (verify === undefined) throw new Error("no form to confirm the address");
    await agent.submit(verify);
    const confirm = await mailbox.next(person.email);
    server.tick(30 * MINUTE);
    await agent.submit(formWith(await agent.get(confirm.link), "link"));
    expect(await sessionOf(person)).toMatchObject({ sessionId, authTime });
    await agent.submit(formWith(await agent.get("/recover"), "login"), { login: person.username });
    const recover = await mailbox.next(person.email);
    await agent.submit(formWith(await agent.get(recover.link), "link"), { password: NEW, again: NEW });
    expect(await server.assent.storage.sessions.list({ ...person, now: server.now() })).toEqual([]);
    expect((await agent.get("/account/apps")).location?.pathname).toBe("/login");
  });
});

describe("two tabs of one browser", () => {
  test("a password change in one while the other asks for a step → the step begins anew", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const { app } = await withSecondStep(server, person);
    const step = await agent.get(authorizeUrl(server, client, { scope: "pay" }));
    const { storage } = server.assent;
    await storage.secondFactors.remove({ ...keyOf(person), now: server.now() });
    expect((await changePassword(agent)).status).toBe(303);
    const answer = await agent.submit(formWith(step, "code"), { code: app.code() });
    expect(answer.status).toBe(403);
    expect(await sessionOf(person)).toMatchObject({ acr: "1fa" });
  });

  test("both steps in one tab → the other goes on with them, at their time", async () => {
    const { person, app } = await withSecondStep(server);
    const agent = new Agent(server.issuer);
    const other = await agent.get(authorizeUrl(server, client, { scope: "pay" }));
    const step = await signIn(agent, person.username);
    server.tick(5 * MINUTE);
    await agent.submit(formWith(step, "code"), { code: app.code() });
    const { authTime } = await sessionOf(person);
    server.tick(5 * MINUTE);
    const request = formWith(other, "username").fields.get("request") ?? "";
    const callback = await authorize(
      agent,
      `${server.issuer}/login?${new URLSearchParams({ request })}`,
      person.username,
    );
    const { body } = await redeem(server, client, callback);
    expect(decodeJwt(String(body.access_token))).toMatchObject({ acr: "mfa", auth_time: Math.floor(authTime / 1000) });
  });
});

function keyOf({ partition, personId }: Person) {
  return { partition, personId };
}
