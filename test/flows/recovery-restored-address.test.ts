/** Somebody undoes a removal of factors after the account got another address: how the owner gets the earlier one back. */

import { beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, type Page } from "../support/http-browser.ts";
import {
  aPasskeyOf,
  DAY,
  decide,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  OWNERS_BROWSER,
  passkeyOptions,
  STRANGE_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import { HOUR, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import type { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anAddress, anOwner, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const RESTORED = "Your ways to sign in were restored";
const textOf = ({ text }: Page) => text.replaceAll(/<\/?(bdi|time)[^>]*>/g, "");
const emailOf = async (person: Person) => (await server.assent.storage.people.get(person))?.email;

/** A thief of the mailbox removes the owner's passkey. With `email`, the thief gives the account that address. */
async function robbed(email: string | null) {
  const { person } = await anOwner();
  server.tick(30 * DAY);
  const laptop = await signedInWith(OWNERS_BROWSER, person, server);
  const key = await aPasskeyOf(laptop, server, "New laptop");
  const { reader, page } = await opened(person);
  await decide(reader, page);
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  const thief = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
  const login = formWith(await thief.get("/login"), "username");
  await thief.submit(login, { username: person.username, password: NEW_PASSWORD });
  server.tick(HOUR);
  if (email !== null) {
    const form = formWith(await thief.get("/account/profile"), "email");
    await thief.submit(form, { email, current_password: NEW_PASSWORD });
    const change = await messageTo(email, "Your new e-mail address", mailbox);
    await thief.submit(formWith(await thief.get(change.link), "link"));
  }
  server.tick(HOUR);
  return { person, key, link };
}

async function signedInBy(key: SoftAuthenticator): Promise<Agent> {
  const agent = new Agent(server.issuer, { "user-agent": OWNERS_BROWSER });
  const login = await agent.get("/login");
  await agent.submit(formWith(login, "credential"), { credential: key.get(passkeyOptions(login)) });
  return agent;
}

describe("the account has another address since the removal", () => {
  test("the page, the page after it and the message say so, and the button gets the earlier address back", async () => {
    const theirs = anAddress();
    const { person, link } = await robbed(theirs);
    const owner = new Agent(server.issuer, { "user-agent": OWNERS_BROWSER });
    const page = await owner.get(link);
    const fact = `The account’s e-mail address is no longer ${person.email}: it was changed on `;
    expect(textOf(page)).toContain(fact);
    expect(textOf(page)).toContain(`Afterwards, you can get a link sent to ${person.email}`);
    const done = await owner.submit(formWith(page, "link"));
    expect(textOf(done)).toContain(fact);
    expect(textOf(done)).toContain("A link that you ask for with your username goes to the other address.");
    expect(textOf(done)).toContain(`Send a link to ${person.email}`);
    const told = await messageTo(person.email, RESTORED, mailbox);
    expect(told.text).toContain(fact);
    expect(told.text).toContain(`enter ${person.email} on the page, not your username`);
    for (const text of [page.text, done.text, told.raw]) expect(text).not.toContain(theirs);
    expect((await messageTo(theirs, RESTORED, mailbox)).text).not.toContain(person.email);
    await owner.submit(formWith(done, "login"));
    const back = await messageTo(person.email, "Recover your account", mailbox);
    await decide(owner, await owner.get(back.link), {
      password: "the owner chose this",
      again: "the owner chose this",
    });
    expect([await emailOf(person), await entersWith(person.email, "the owner chose this", server)]).toEqual([
      ...[person.email, "in"],
    ]);
  });

  test("signed in with the restored passkey → Security and Profile name the way out", async () => {
    const { person, key, link } = await robbed(anAddress());
    const owner = new Agent(server.issuer);
    await owner.submit(formWith(await owner.get(link), "link"));
    const agent = await signedInBy(key);
    const way = "ask for the link with your earlier e-mail address, not with your username";
    const security = await agent.get("/account/security");
    expect(textOf(security)).toContain("The account’s e-mail address was changed on ");
    expect(textOf(security)).toContain(way);
    expect(security.text).not.toContain("Choose a new one with a link that we send you.");
    expect(security.text).toContain('href="/recover"');
    const profile = await agent.get("/account/profile");
    expect(textOf(profile)).toContain(way);
    expect(profile.text).toContain('href="/recover"');
    for (const { text } of [security, profile]) expect(text).not.toContain(person.email);
  });
});

test("the account still has the address → nothing of an address, and the button leads to the form", async () => {
  const { person, key, link } = await robbed(null);
  const owner = new Agent(server.issuer);
  const page = await owner.get(link);
  const done = await owner.submit(formWith(page, "link"));
  const told = await messageTo(person.email, RESTORED, mailbox);
  const agent = await signedInBy(key);
  const security = await agent.get("/account/security");
  for (const text of [page.text, done.text, told.text ?? "", security.text, (await agent.get("/account/profile")).text])
    expect(text).not.toMatch(/is no longer|was changed on/);
  expect(done.text).toContain('href="/recover"');
  expect(security.text).toContain("Choose a new one with a link that we send you.");
});
