/**
 * The owner changed the address, and somebody who reads the old one changes it back: the link that undoes this works
 * only in the owner's own browser.
 */

import { beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  aPasskeyOf,
  DAY,
  decide,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  OWNERS_BROWSER,
  STRANGE_BROWSER,
} from "../support/recovery-actors.ts";
import { HOUR, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anAddress, anOwner, anIntruder, movedTo, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const RETURNED = "The account has an earlier e-mail address again";
const CHANGED = "Your e-mail address was changed";
const WAY_BACK = "Recover your account";
const THIEFS = "the thief chose this one";
const DECIDED = { password: THIEFS, again: THIEFS };
const ELSEWHERE = "This link doesn’t work in this browser";

const emailOf = async (person: Person) => (await server.assent.storage.people.get(person))?.email;
const aStranger = () => new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });

async function enters(agent: Agent, login: string, password: string): Promise<Agent> {
  await agent.submit(formWith(await agent.get("/login"), "username"), { username: login, password });
  return agent;
}

/** Changes the address on the profile page and by the link to the new address. */
async function moves(agent: Agent, email: string, password: string): Promise<void> {
  await agent.submit(formWith(await agent.get("/account/profile"), "email"), { email, current_password: password });
  const { link } = await messageTo(email, "Your new e-mail address", mailbox);
  await agent.submit(formWith(await agent.get(link), "link"));
}

const asksAt = async (login: string, agent = new Agent(server.issuer)) =>
  agent.submit(formWith(await agent.get("/recover"), "login"), { login });

/** The owner changes the address. Days later, somebody who knows the password and reads the old address signs in. */
async function movedAway() {
  const { person, owner } = await anOwner();
  server.tick(30 * DAY);
  await enters(owner, person.username, PASSWORD);
  const { email } = await movedTo(owner, person);
  server.tick(8 * DAY);
  const intruder = await enters(aStranger(), person.username, PASSWORD);
  return { person, owner, email, intruder };
}

/** That person then changes the address back. */
async function goneBack() {
  const { person, owner, email, intruder } = await movedAway();
  await moves(intruder, person.email, PASSWORD);
  const { link } = await messageTo(email, RETURNED, mailbox);
  return { person, owner, email, intruder, link };
}

describe("somebody goes back to an address that the owner has left", () => {
  test("the owner's address gets a link, which does nothing in the intruder's browser, in a new one, or in an old copy of the cookie", async () => {
    const { person, intruder, email, link } = await goneBack();
    const attempts = [intruder, aStranger(), new Agent(server.issuer, { "user-agent": OWNERS_BROWSER })];
    server.tick(6 * DAY);
    await enters(intruder, person.username, PASSWORD);
    for (const agent of attempts) {
      const shown = await agent.get(link);
      expect([shown.status, shown.text]).toEqual([400, expect.stringContaining(ELSEWHERE)]);
      expect(shown.text).not.toContain(email);
    }
    expect(await emailOf(person)).toBe(person.email);
  });

  test("the form of the owner's page, sent by the intruder's browser → nothing", async () => {
    const { person, owner, intruder, link } = await goneBack();
    const page = formWith(await owner.get(link), "password");
    const sent = await intruder.submit(page, DECIDED);
    expect([sent.status, await emailOf(person)]).toEqual([400, person.email]);
  });

  test("in the owner's own browser → the account has the owner's address; whoever reads the other one can't get it back", async () => {
    const { person, owner, email, link } = await goneBack();
    const links = () => mailbox.to(person.email).filter(({ raw }) => raw.includes("/undo?link=")).length;
    const before = links();
    await decide(owner, await owner.get(link));
    expect([await emailOf(person), await entersWith(email, NEW_PASSWORD, server)]).toEqual([email, "in"]);
    expect((await owner.get(link)).status).toBe(400);
    server.tick(HOUR);
    await asksAt(person.email);
    await asksAt(email);
    await messageTo(email, "Choose a new password", mailbox);
    expect(mailbox.to(person.email).map(({ subject }) => subject)).not.toContain(WAY_BACK);
    // A change that the owner's oldest browser undoes is final: the other address gets no link.
    expect(links()).toBe(before);
  });

  test("and recovers there, adds a passkey, and signs all others out → the link still works in the owner's browser", async () => {
    const { person, owner, email, link } = await goneBack();
    const { reader, page } = await opened(person);
    await decide(reader, page, DECIDED);
    const thief = await enters(aStranger(), person.username, THIEFS);
    await aPasskeyOf(thief, server, "Theirs");
    const form = (await thief.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
    if (form !== undefined) await thief.submit(form, { end: "others" });
    server.tick(6 * DAY);
    await decide(owner, await owner.get(link));
    expect([await emailOf(person), await entersWith(email, NEW_PASSWORD, server)]).toEqual([email, "in"]);
  });

  test("a week later → the link has ended", async () => {
    const { owner, link } = await goneBack();
    server.tick(7 * DAY);
    const shown = await owner.get(link);
    expect([shown.status, shown.text]).toEqual([400, expect.not.stringContaining(ELSEWHERE)]);
  });
});

test("somebody takes the account back by the link to the address that the owner left → the owner's gets one for the own browser", async () => {
  const { person, owner } = await anOwner();
  server.tick(30 * DAY);
  await enters(owner, person.username, PASSWORD);
  const { email, notice } = await movedTo(owner, person);
  const reader = new Agent(server.issuer);
  await decide(reader, await reader.get(notice.link), DECIDED);
  expect(await emailOf(person)).toBe(person.email);
  const { link } = await messageTo(email, RETURNED, mailbox);
  expect((await reader.get(link)).status).toBe(400);
  await decide(owner, await owner.get(link));
  expect([await emailOf(person), await entersWith(email, NEW_PASSWORD, server)]).toEqual([email, "in"]);
});

test("the owner takes an intruder's address off, a week after it came → the intruder's browser, known for nine days by then, can do nothing with the link", async () => {
  const { person } = await anOwner();
  const intruder = await anIntruder(person);
  server.tick(3 * DAY);
  await enters(intruder, person.username, PASSWORD);
  const { email } = await movedTo(intruder, person);
  server.tick(6 * DAY);
  // The owner uses a new browser here, because a change in the owner's own browser sends no link.
  const owner = await enters(aStranger(), person.username, PASSWORD);
  await moves(owner, person.email, PASSWORD);
  const { link } = await messageTo(email, RETURNED, mailbox);
  for (const agent of [intruder, owner]) expect((await agent.get(link)).status).toBe(400);
  expect(await emailOf(person)).toBe(person.email);
});

test("an intruder waits for eight days before the change, and the owner undoes it in a new browser → the intruder's browser can do nothing with the link, the owner's oldest can", async () => {
  const { person, owner } = await anOwner();
  const intruder = await anIntruder(person);
  server.tick(8 * DAY);
  await enters(intruder, person.username, PASSWORD);
  const { email, notice } = await movedTo(intruder, person);
  const reader = new Agent(server.issuer);
  await decide(reader, await reader.get(notice.link), DECIDED);
  const { link } = await messageTo(email, RETURNED, mailbox);
  server.tick(6 * DAY);
  for (const agent of [intruder, reader]) expect((await agent.get(link)).text).toContain(ELSEWHERE);
  expect((await owner.get(link)).status).toBe(200);
  expect(await emailOf(person)).toBe(person.email);
});

describe("an intruder's browser that is known for a week, beside the owner's oldest", () => {
  async function aWeekOld() {
    const { person, owner } = await anOwner();
    const intruder = await anIntruder(person);
    server.tick(8 * DAY);
    await enters(intruder, person.username, PASSWORD);
    await enters(owner, person.username, PASSWORD);
    const { email, notice } = await movedTo(owner, person);
    return { person, owner, intruder, email, notice };
  }

  test("goes back by the link to the address that the owner left → the owner's address gets its link", async () => {
    const { person, owner, intruder, email, notice } = await aWeekOld();
    await decide(intruder, await intruder.get(notice.link), DECIDED);
    expect(await emailOf(person)).toBe(person.email);
    const { link } = await messageTo(email, RETURNED, mailbox);
    expect((await intruder.get(link)).text).toContain(ELSEWHERE);
    expect((await owner.get(link)).status).toBe(200);
  });

  test("goes back on the page of the profile → the owner's address gets its link", async () => {
    const { person, owner, intruder, email } = await aWeekOld();
    await moves(intruder, person.email, PASSWORD);
    const { link } = await messageTo(email, RETURNED, mailbox);
    expect((await owner.get(link)).status).toBe(200);
  });

  test("recovers at the former address, which another browser went back to → the owner's link still holds", async () => {
    const { person, owner, intruder, email, notice } = await aWeekOld();
    const reader = aStranger();
    await decide(reader, await reader.get(notice.link), DECIDED);
    const { link } = await messageTo(email, RETURNED, mailbox);
    server.tick(HOUR);
    await asksAt(person.email, intruder);
    const mail = await messageTo(person.email, "Choose a new password", mailbox);
    await decide(intruder, await intruder.get(mail.link), DECIDED);
    expect((await owner.get(link)).status).toBe(200);
  });
});

test("an intruder goes back by a detour over a third address → the link that the owner's address had works in the owner's oldest browser", async () => {
  const { person, owner, email, intruder } = await movedAway();
  await moves(intruder, anAddress(), PASSWORD);
  const { link } = await messageTo(email, CHANGED, mailbox);
  await moves(intruder, person.email, PASSWORD);
  await asksAt(person.email, intruder);
  const mail = await messageTo(person.email, "Choose a new password", mailbox);
  await decide(intruder, await intruder.get(mail.link), DECIDED);
  expect((await intruder.get(link)).text).toContain(ELSEWHERE);
  await decide(owner, await owner.get(link));
  expect([await emailOf(person), await entersWith(email, NEW_PASSWORD, server)]).toEqual([email, "in"]);
});

test("the owner's oldest browser takes the account back → the link that the older address had ends, and asking there sends none", async () => {
  const { person, owner, email, intruder, link } = await goneBack();
  await moves(intruder, anAddress(), PASSWORD);
  const links = () => mailbox.to(person.email).filter(({ raw }) => raw.includes("/undo?link="));
  await expect.poll(() => links().length).toBe(2);
  await decide(owner, await owner.get(link));
  for (const { link: theirs } of links()) expect((await intruder.get(theirs)).status).toBe(400);
  server.tick(HOUR);
  await asksAt(person.email);
  await asksAt(email);
  await messageTo(email, "Choose a new password", mailbox);
  expect([links().length, await emailOf(person)]).toEqual([2, email]);
});

test("the owner's oldest browser was signed out more than a week ago → the link works in no browser, and not in the next oldest", async () => {
  const { person, owner } = await anOwner();
  const intruder = await anIntruder(person);
  server.tick(8 * DAY);
  await enters(intruder, person.username, PASSWORD);
  const form = (await intruder.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
  if (form !== undefined) await intruder.submit(form, { end: "others" });
  server.tick(7 * DAY + HOUR);
  await enters(owner, person.username, PASSWORD);
  await enters(intruder, person.username, PASSWORD);
  const { email, notice } = await movedTo(intruder, person);
  await decide(owner, await owner.get(notice.link));
  const { link } = await messageTo(email, RETURNED, mailbox);
  expect((await intruder.get(link)).text).toContain(ELSEWHERE);
  expect(await emailOf(person)).toBe(person.email);
});

test("the owner took back an intruder's change and moves to a new address → asking at the intruder's address sends no link", async () => {
  const { person, owner } = await anOwner();
  const intruder = await anIntruder(person);
  const { email: theirs, notice } = await movedTo(intruder, person);
  await decide(owner, await owner.get(notice.link));
  expect(await emailOf(person)).toBe(person.email);
  server.tick(HOUR);
  await enters(owner, person.username, NEW_PASSWORD);
  const next = anAddress();
  await moves(owner, next, NEW_PASSWORD);
  expect(await emailOf(person)).toBe(next);
  server.tick(HOUR);
  await asksAt(theirs, intruder);
  // The message for a later request has arrived, so the first request was processed.
  await asksAt(next);
  await messageTo(next, "Choose a new password", mailbox);
  expect(mailbox.to(theirs).map(({ subject }) => subject)).not.toContain(WAY_BACK);
});
