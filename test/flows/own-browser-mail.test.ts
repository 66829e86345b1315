/** The message about a sign-in with a new browser, after a new password or a new way to sign in. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ host: "localhost", config: { smtpUrl: smtpTo(mailbox) } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const NEW = "seven green umbrellas";
const NEW_BROWSER = "New sign-in to your account";

async function signInWith(agent: Agent, { username }: Person, password: string) {
  agent.cookies.delete("assent_session");
  const [login] = (await agent.get("/login")).forms;
  if (login === undefined) throw new Error("no sign-in form");
  return agent.submit(login, { username, password });
}

async function change(agent: Agent, fields: Record<string, string> = {}) {
  const page = await agent.get("/account/security/password");
  const done = await agent.submit(formWith(page, "current_password"), {
    ...{ current_password: PASSWORD, password: NEW, again: NEW, ...fields },
  });
  expect(done.status).toBe(303);
}

/** The texts of the messages about a sign-in with a new browser. */
async function heard({ email }: Person, count: number): Promise<readonly string[]> {
  const found = () => mailbox.to(email).filter(({ subject }) => subject === NEW_BROWSER);
  await expect.poll(() => found().length).toBeGreaterThanOrEqual(count);
  // A moment longer, so that a message that isn't expected would arrive, too.
  await new Promise((resolve) => setTimeout(resolve, 200));
  return found().map(({ text = "" }) => text);
}

test.each([{}, { end_sessions: "yes" }])(
  "the person chooses another (%j) → none for the browser that did it; for their other one, a message that says it was used before",
  async (fields) => {
    const person = await server.addPerson();
    const [here, there] = [new Agent(server.issuer), new Agent(server.issuer)];
    for (const agent of [here, there]) await signInWith(agent, person, PASSWORD);
    await change(here, fields);
    await signInWith(here, person, NEW);
    for (const text of await heard(person, 2)) expect(text).toContain("a browser that is new to this account");
    await signInWith(there, person, NEW);
    const texts = await heard(person, 3);
    expect(texts).toHaveLength(3);
    expect(texts.at(-1)).toContain("a browser that was used for this account before");
    expect(texts.at(-1)).not.toContain("new to this account");
  },
);

async function addPasskey(agent: Agent) {
  const page = await agent.get("/account/security/passkeys");
  const options = /data-options="([^"]*)"/.exec(page.text)?.[1] ?? "";
  const asked = JSON.parse(options.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
  const credential = new SoftAuthenticator(server.issuer).create(asked);
  expect((await agent.submit(formWith(page, "credential"), { name: "Desk key", credential })).status).toBe(303);
}

describe("another browser added a way to sign in, and the password is the same → the message names that reason, too", () => {
  const REASONS = [
    "a browser that was used for this account before",
    "since your password changed, a passkey or an authenticator app was added, or the browser was signed out",
  ];

  test("a passkey", async () => {
    const person = await server.addPerson();
    const [here, there] = [new Agent(server.issuer), new Agent(server.issuer)];
    for (const agent of [there, here]) await signInWith(agent, person, PASSWORD);
    await addPasskey(here);
    await signInWith(there, person, PASSWORD);
    for (const reason of REASONS) expect((await heard(person, 3)).at(-1)).toContain(reason);
  });

  test("an authenticator app", async () => {
    const person = await server.addPerson();
    const there = new Agent(server.issuer);
    await signInWith(there, person, PASSWORD);
    const { app } = await withSecondStep(server, person);
    const step = await there.follow(await signInWith(there, person, PASSWORD));
    expect((await there.submit(formWith(step, "code"), { code: app.code() })).status).toBe(303);
    for (const reason of REASONS) expect((await heard(person, 3)).at(-1)).toContain(reason);
  });
});

test("a recovery → none for the browser that did it", async () => {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signInWith(agent, person, PASSWORD);
  await agent.submit(formWith(await agent.get("/recover"), "login"), { login: person.username });
  await expect.poll(() => mailbox.to(person.email).at(-1)?.subject).toBe("Choose a new password");
  const link = mailbox.to(person.email).at(-1)?.link ?? "";
  const page = await agent.get(link.slice(server.issuer.length));
  await agent.submit(formWith(page, "password"), { password: NEW, again: NEW });
  expect((await signInWith(agent, person, NEW)).status).toBe(303);
  expect(await heard(person, 1)).toHaveLength(1);
});
