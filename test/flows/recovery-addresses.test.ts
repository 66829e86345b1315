/** An intruder sets their own address for an account: which links work, and for how long. */

import { beforeAll, describe, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { updateUser } from "../../packages/server/src/admin/people.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  aConnection,
  aPasskeyOf,
  DAY,
  decide,
  entersBy,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  STRANGE_BROWSER,
} from "../support/recovery-actors.ts";
import { HOUR, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anAddress, anOwner, anIntruder, opened, movedTo } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const OWNERS = "the owner chose this one";
const THIEFS = "the thief chose this one";
const DECIDED = { password: THIEFS, again: THIEFS };
const CHANGED = "Your e-mail address was changed";
const RETURNED = "The account has an earlier e-mail address again";

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

/** Follows the link and takes the account. Returns the status of the page. */
async function takesBack(link: string): Promise<number> {
  const reader = new Agent(server.issuer);
  const page = await reader.get(link);
  if (page.status === 200) await decide(reader, page, DECIDED);
  return page.status;
}

const emailOf = async (person: Person) => (await server.assent.storage.people.get(person))?.email;

describe("the owner goes back to the own address on the page of the profile", () => {
  test("the intruder's address hears it without a link, and the link that it had got before has ended", async () => {
    const { person, owner } = await anOwner();
    const intruder = await anIntruder(person);
    const { email } = await movedTo(intruder, person);
    const another = anAddress();
    await moves(intruder, another, PASSWORD);
    const theirs = await messageTo(email, CHANGED, mailbox);
    server.tick(20 * HOUR);
    await enters(owner, person.username, PASSWORD);
    const change = formWith(await owner.get("/account/security/password"), "current_password");
    await owner.submit(change, { current_password: PASSWORD, password: OWNERS, again: OWNERS });
    await moves(owner, person.email, OWNERS);
    expect(await emailOf(person)).toBe(person.email);
    const told = await messageTo(another, RETURNED, mailbox);
    expect(told.raw).not.toContain("link=ml_");
    expect(mailbox.to(another).map(({ subject }) => subject)).not.toContain(CHANGED);
    expect(await takesBack(theirs.link)).toBe(400);
    server.tick(8 * DAY);
    expect([await emailOf(person), await entersWith(person.username, OWNERS, server)]).toEqual([person.email, "in"]);
  });

  test("and the intruder moves it away again → the owner's address gets another link, which holds", async () => {
    const { person, owner } = await anOwner();
    const intruder = await anIntruder(person);
    const { email, notice } = await movedTo(intruder, person);
    server.tick(HOUR);
    await enters(owner, person.username, PASSWORD);
    await moves(owner, person.email, PASSWORD);
    expect((await new Agent(server.issuer).get(notice.link)).status).toBe(400);
    server.tick(HOUR);
    await moves(intruder, email, PASSWORD);
    const second = await messageTo(person.email, CHANGED, mailbox);
    const reader = new Agent(server.issuer);
    await decide(reader, await reader.get(second.link));
    expect([await emailOf(person), await entersWith(person.email, NEW_PASSWORD, server)]).toEqual([person.email, "in"]);
  });
});

test("the owner took the address back by the link → weeks later the intruder's address is the younger one still", async () => {
  const { person } = await anOwner();
  const { email, notice } = await movedTo(await anIntruder(person), person);
  server.tick(6 * DAY);
  const owner = new Agent(server.issuer);
  await decide(owner, await owner.get(notice.link));
  server.tick(26 * DAY);
  expect(await server.assent.storage.people.addresses({ ...person, now: server.now() })).toMatchObject([
    ...[{ address: person.email, since: 0, until: null }, { address: email }],
  ]);
  const intruder = await enters(aStranger(), person.username, NEW_PASSWORD);
  const key = await aPasskeyOf(intruder, server, "Theirs");
  server.tick(HOUR);
  const { reader, page } = await opened(person);
  await decide(reader, page);
  expect((await messageTo(email, REMOVED, mailbox)).raw).not.toContain("/recover/undo");
  expect(await entersBy(key, server)).toBe(false);
});

describe("an address that the account no longer has", () => {
  /**
   * The owner changed the address some days ago. An intruder who knows the password adds a passkey, and the owner
   * removes it.
   */
  async function left(days: number) {
    const { person, owner } = await anOwner();
    server.tick(30 * DAY);
    await enters(owner, person.username, PASSWORD);
    await aConnection(owner, person, server, { name: "Clinic Portal" });
    const { email } = await movedTo(owner, person);
    server.tick(days * DAY);
    const key = await aPasskeyOf(await enters(aStranger(), person.username, PASSWORD), server, "Theirs");
    server.tick(HOUR);
    const { reader, page } = await opened({ ...person, email });
    await decide(reader, page);
    const told = await messageTo(person.email, REMOVED, mailbox);
    return { person, email, key, told };
  }

  test("left ten days ago → no link, no names, nothing of the browser; the address of now hears all", async () => {
    const { email, told } = await left(10);
    expect(told.raw).not.toContain("/recover/undo");
    expect(told.text).toContain("has or had this address");
    expect(told.text).not.toMatch(/Clinic Portal|Theirs|Browser|Network address/);
    const full = await messageTo(email, REMOVED, mailbox);
    expect(full.link).toContain("/recover/undo?link=");
    expect(full.text).toContain("Still have access: Clinic Portal");
  });

  test("left a few days ago → it gets the link, as the address of now does", async () => {
    const { told, key } = await left(6);
    expect(told.link).toContain("/recover/undo?link=");
    const reader = new Agent(server.issuer);
    await reader.submit(formWith(await reader.get(told.link), "link"));
    expect(await entersBy(key, server)).toBe(true);
  });

  test("that an intruder gave the account, taken back without a removal → hears that, without names", async () => {
    const { person, owner } = await anOwner();
    await aConnection(owner, person, server, { name: "Clinic Portal" });
    const { email, notice } = await movedTo(await anIntruder(person), person);
    expect(await takesBack(notice.link)).toBe(200);
    const told = await messageTo(email, RETURNED, mailbox);
    expect(told.raw).not.toContain("link=ml_");
    expect(told.text).not.toMatch(/Clinic Portal|Browser|Network address/);
    expect((await messageTo(person.email, "Your password was changed", mailbox)).text).toContain("Clinic Portal");
  });
});

describe("the mailbox is read, and the message about the change deleted", () => {
  const WAY_BACK = "Recover your account";
  const asks = async (login: string, agent = new Agent(server.issuer)) =>
    agent.submit(formWith(await agent.get("/recover"), "login"), { login });

  /** A thief recovers the account and sets an address of theirs. */
  async function stolen() {
    const { person } = await anOwner();
    server.tick(30 * DAY);
    const thief = aStranger();
    const first = await opened(person);
    await decide(first.reader, first.page, DECIDED);
    await enters(thief, person.username, THIEFS);
    const email = anAddress();
    await moves(thief, email, THIEFS);
    const { link } = await messageTo(person.email, CHANGED, mailbox);
    return { person, email, thief, deleted: link };
  }

  test("the owner asks for recovery at that address → a link that takes the account back, on the same page as ever", async () => {
    const { person, email, deleted } = await stolen();
    server.tick(6 * DAY);
    const unknown = await asks("nobody@example.test");
    const said = await asks(person.email);
    expect([said.status, said.text]).toEqual([unknown.status, unknown.text]);
    const { link, text } = await messageTo(person.email, WAY_BACK, mailbox);
    expect(text).toContain(person.username);
    expect(text).not.toContain(email);
    const reader = new Agent(server.issuer);
    await decide(reader, await reader.get(link));
    expect([await emailOf(person), await entersWith(person.email, NEW_PASSWORD, server)]).toEqual([person.email, "in"]);
    // The thief deleted the message and kept a copy of its link, which has ended, too.
    expect((await new Agent(server.issuer).get(deleted)).status).toBe(400);
  });

  test("asked for on the last day → the link holds no longer than the first one; after a week, or by others → no link", async () => {
    const { person, email, thief } = await stolen();
    server.tick(7 * DAY - HOUR);
    await asks(person.email);
    const { link } = await messageTo(person.email, WAY_BACK, mailbox);
    expect((await new Agent(server.issuer).get(link)).status).toBe(200);
    // The thief's first address is newer than the owner's, so the next change ends this link.
    const second = anAddress();
    await moves(await enters(thief, person.username, THIEFS), second, THIEFS);
    server.tick(HOUR);
    expect((await new Agent(server.issuer).get(link)).status).toBe(400);
    const reader = new Agent(server.issuer);
    await asks(person.email, reader);
    await asks(email, reader);
    expect((await messageTo(email, WAY_BACK, mailbox)).link).toContain("/undo?link=");
    expect(mailbox.to(person.email).filter(({ subject }) => subject === WAY_BACK)).toHaveLength(1);
  });

  test("the owner has the account back, and the thief asks at the address of theirs → nothing", async () => {
    const { person, email, deleted } = await stolen();
    const reader = new Agent(server.issuer);
    await decide(reader, await reader.get(deleted));
    await asks(email);
    await asks(person.email);
    await messageTo(person.email, "Choose a new password", mailbox);
    expect(mailbox.to(email).map(({ subject }) => subject)).not.toContain(WAY_BACK);
  });

  test("strangers ask again and again → five an hour, as for any recovery", async () => {
    const { person } = await stolen();
    for (let n = 0; n < 8; n += 1) await asks(person.email);
    const { person: other } = await anOwner();
    await asks(other.email);
    await messageTo(other.email, "Choose a new password", mailbox);
    const sent = mailbox.to(person.email).filter(({ subject }) => subject === WAY_BACK).length;
    expect(sent).toBeLessThanOrEqual(5);
    expect(sent).toBeGreaterThan(0);
  });
});

const aStranger = () => new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });

for (const to of ["the owner's address", "another address"] as const) {
  test(`the operator gives the account ${to} → no link of an intruder holds, and none is made for their address`, async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const { email, notice } = await movedTo(intruder, person);
    await moves(intruder, anAddress(), PASSWORD);
    const theirs = await messageTo(email, CHANGED, mailbox);
    const third = anAddress();
    const asks = formWith(await intruder.get("/account/profile"), "email");
    await intruder.submit(asks, { email: third, current_password: PASSWORD });
    const pending = await messageTo(third, "Your new e-mail address", mailbox);
    const given = to === "another address" ? anAddress() : person.email;
    server.tick(HOUR / 2);
    await updateUser(person.username, { email: given }, adminOf(server.assent.storage, server.issuer, server.now));
    expect([await takesBack(theirs.link), await takesBack(notice.link)]).toEqual([400, 400]);
    expect((await new Agent(server.issuer).get(pending.link)).status).toBe(400);
    // The intruder is still signed in and adds a passkey, which the owner removes. Neither former address can undo
    // that.
    await aPasskeyOf(await enters(aStranger(), person.username, PASSWORD), server, "Theirs");
    const { reader, page } = await opened({ ...person, email: given });
    await decide(reader, page);
    expect((await messageTo(email, REMOVED, mailbox)).raw).not.toContain("/recover/undo");
    expect(await emailOf(person)).toBe(given);
  });
}

test("the operator gave the account an address, and the intruder goes back to the one before → the operator's gets a link that holds", async () => {
  const { person } = await anOwner();
  const intruder = await anIntruder(person);
  const [first, given] = [anAddress(), anAddress()];
  const admin = adminOf(server.assent.storage, server.issuer, server.now);
  for (const email of [first, given]) {
    server.tick(HOUR);
    await updateUser(person.username, { email }, admin);
  }
  for (const email of [person.email, first]) {
    server.tick(HOUR);
    await moves(intruder, email, PASSWORD);
    const { link } = await messageTo(given, CHANGED, mailbox);
    const reader = new Agent(server.issuer);
    await decide(reader, await reader.get(link), { password: PASSWORD, again: PASSWORD });
    expect(await emailOf(person)).toBe(given);
    await enters(intruder, person.username, PASSWORD);
  }
});

test("a thief moves the account away, and wants its address for an account of theirs → the mailbox gets the way back instead, which holds", async () => {
  const { person } = await anOwner();
  await movedTo(await anIntruder(person), person);
  const { person: other } = await anOwner();
  const thief = await enters(aStranger(), other.username, PASSWORD);
  server.tick(6 * DAY);
  await enters(thief, other.username, PASSWORD);
  const asks = formWith(await thief.get("/account/profile"), "email");
  await thief.submit(asks, { email: person.email, current_password: PASSWORD });
  const { link } = await messageTo(person.email, "Recover your account", mailbox);
  expect(mailbox.to(person.email).map(({ subject }) => subject)).not.toContain("Your new e-mail address");
  expect(await takesBack(link)).toBe(200);
  expect([await emailOf(person), await emailOf(other)]).toEqual([person.email, other.email]);
});
