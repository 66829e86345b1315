/**
 * Links that undo a change, for somebody who could read the mail for a while: how long they work, and what ends them.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { resetSecondFactor, setPassword } from "../../packages/server/src/admin/people.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  decide,
  entersBy,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  OWNERS_BROWSER,
  recoveryLink,
  STRANGE_BROWSER,
  signedInWith,
  ticksOf,
} from "../support/recovery-actors.ts";
import { HOUR, isDecision, isProof, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import type { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anAddress, anOwner, movedTo, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

/** The thief's choices. */
const THIEFS = "the thief chose this one";
const DECIDED = { password: THIEFS, again: THIEFS };

async function enters(agent: Agent, login: string, password: string): Promise<Agent> {
  await agent.submit(formWith(await agent.get("/login"), "username"), { username: login, password });
  return agent;
}

const aStranger = () => new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });

/** Follows a link that undoes a removal. Returns the status of the page. */
async function undo(link: string, agent = new Agent(server.issuer)): Promise<number> {
  const page = await agent.get(link);
  if (page.status === 200) await agent.submit(formWith(page, "link"));
  return page.status;
}

const recoverIn = async (agent: Agent, person: Person) =>
  agent.get(await recoveryLink(person, server, mailbox, person.email));

describe("somebody reads the mail for ten minutes, and the owner has a password alone", () => {
  /**
   * The thief recovers the account, adds a passkey, recovers again and removes it. The message has a link that restores
   * the passkey.
   */
  async function robbed(): Promise<{
    readonly person: Person;
    readonly owner: Agent;
    readonly thief: Agent;
    readonly key: SoftAuthenticator;
    readonly link: string;
  }> {
    const { person, owner } = await anOwner();
    server.tick(30 * DAY);
    const thief = aStranger();
    await decide(thief, await recoverIn(thief, person), DECIDED);
    const key = await aPasskeyOf(await enters(thief, person.username, THIEFS), server, "Theirs");
    const page = await recoverIn(thief, person);
    expect(ticksOf(page)).toEqual({ "Passkey “Theirs”": true });
    await decide(thief, page, DECIDED);
    const { link } = await messageTo(person.email, REMOVED, mailbox);
    return { person, owner, thief, key, link };
  }

  test("undoes the removal of their own passkey → it is not vouched for, and the owner recovers without it", async () => {
    const { person, owner, thief, key, link } = await robbed();
    expect(await undo(link, thief)).toBe(200);
    server.tick(HOUR);
    const page = await recoverIn(owner, person);
    expect(isDecision(page)).toBe(true);
    await decide(owner, page);
    expect([await entersBy(key, server), await entersWith(person.username, NEW_PASSWORD, server)]).toEqual([
      ...[false, "in"],
    ]);
  });

  test("has the owner undo the removal of the thief's passkey → that is not vouched for either", async () => {
    const { person, owner, key, link } = await robbed();
    expect(await undo(link, owner)).toBe(200);
    const page = await recoverIn(owner, person);
    expect(ticksOf(page)).toEqual({ "Passkey “Theirs”": true });
    await decide(owner, page);
    expect(await entersBy(key, server)).toBe(false);
  });

  test("keeps a copy of the link until the owner has recovered with the own browser → it has ended", async () => {
    const { person, owner, key, link } = await robbed();
    server.tick(HOUR);
    await decide(owner, await recoverIn(owner, person));
    expect(await undo(link)).toBe(400);
    // The owner's browser is still a known one, so a factor that it adds is asked for from now on.
    await aPasskeyOf(await enters(owner, person.username, NEW_PASSWORD), server, "Mine");
    expect(isProof((await opened(person)).page)).toBe(true);
    expect(await entersBy(key, server)).toBe(false);
  });

  test("reads the mail while the owner throws them out with the own browser → the message has no link", async () => {
    const { person, owner, key, link } = await robbed();
    expect(await undo(link)).toBe(200);
    await decide(owner, await recoverIn(owner, person));
    expect((await messageTo(person.email, REMOVED, mailbox)).raw).not.toContain("/recover/undo");
    expect(await entersBy(key, server)).toBe(false);
  });

  test("keeps a copy until the owner has recovered with a new browser → the passkey comes back for a last time, unvouched", async () => {
    const { person, key, link } = await robbed();
    server.tick(HOUR);
    const { reader, page } = await opened(person);
    await decide(reader, page);
    server.tick(70 * HOUR);
    expect(await undo(link)).toBe(200);
    const again = await opened(person);
    expect(ticksOf(again.page)).toEqual({ "Passkey “Theirs”": true });
    await decide(again.reader, again.page);
    expect([await undo(link), await entersBy(key, server)]).toEqual([400, false]);
  });

  test("was thrown out before, and recovers with the browser of then → it is not the owner's, however long ago it appeared", async () => {
    const { person, owner, thief, link } = await robbed();
    await decide(owner, await recoverIn(owner, person));
    server.tick(30 * DAY);
    await decide(thief, await recoverIn(thief, person), DECIDED);
    await aPasskeyOf(await enters(thief, person.username, THIEFS), server, "Again");
    const page = await recoverIn(thief, person);
    await decide(thief, page, DECIDED);
    const second = await messageTo(person.email, REMOVED, mailbox);
    expect(second.link).not.toBe(link);
    expect(await undo(second.link, thief)).toBe(200);
    expect(isDecision(await recoverIn(thief, person))).toBe(true);
  });

  for (const how of ["takes all factors away", "sets a password"] as const) {
    test(`keeps copies until the operator ${how} → nothing comes back`, async () => {
      const { person, thief, key, link } = await robbed();
      await enters(thief, person.username, THIEFS);
      const other = await aPasskeyOf(thief, server, "Another");
      const { reader, page } = await opened(person);
      await decide(reader, page, DECIDED);
      const second = await messageTo(person.email, REMOVED, mailbox);
      await undo(link);
      const context = adminOf(server.assent.storage, server.issuer, server.now);
      const password = "a password from the operator";
      if (how === "sets a password") {
        await setPassword(person.username, { password }, { keepGrants: false, mustChange: true }, context);
        expect([await undo(second.link), await entersBy(other, server)]).toEqual([400, false]);
        return;
      }
      expect(await resetSecondFactor(person.username, { passkeys: true }, context)).toMatchObject({ passkeys: 1 });
      expect([await undo(second.link), await entersBy(key, server), await entersBy(other, server)]).toEqual([
        ...[400, false, false],
      ]);
    });
  }
});

test("a thief removes a factor of the owner's → undone with the owner's browser it is vouched for, and the thief needs it", async () => {
  const { person, owner } = await anOwner();
  server.tick(30 * DAY);
  const laptop = await signedInWith(OWNERS_BROWSER, person, server);
  const key = await aPasskeyOf(laptop, server, "New laptop");
  const { reader, page } = await opened(person);
  await decide(reader, page, DECIDED);
  expect(await undo((await messageTo(person.email, REMOVED, mailbox)).link, owner)).toBe(200);
  expect([await entersBy(key, server), isProof((await opened(person)).page)]).toEqual([true, true]);
});

describe("the operator ends the ways back while somebody else reads the owner's former mailbox", () => {
  const WAY_BACK = "Recover your account";
  const admin = () => adminOf(server.assent.storage, server.issuer, server.now);
  const emailOf = async (person: Person) => (await server.assent.storage.people.get(person))?.email;
  const status = async (link: string) => (await new Agent(server.issuer).get(link)).status;

  const asks = async (login: string) => {
    const agent = new Agent(server.issuer);
    await agent.submit(formWith(await agent.get("/recover"), "login"), { login });
  };

  /** The server processes requests in order. Once a later one has a message, this one was processed. */
  async function asksInVain(person: Person): Promise<void> {
    const before = mailbox.to(person.email).length;
    await asks(person.email);
    const { person: other } = await anOwner();
    await asks(other.email);
    await messageTo(other.email, "Choose a new password", mailbox);
    expect(mailbox.to(person.email).slice(before)).toEqual([]);
  }

  test("by a new password → the first link is void, and the mailbox gets no other one", async () => {
    const { person, owner } = await anOwner();
    const { email, notice } = await movedTo(owner, person);
    server.tick(HOUR);
    await asks(person.email);
    const second = await messageTo(person.email, WAY_BACK, mailbox);
    expect([await status(notice.link), await status(second.link)]).toEqual([200, 200]);
    await setPassword(person.username, { password: "operators own words here" }, { keepGrants: false }, admin());
    expect([await status(notice.link), await status(second.link)]).toEqual([400, 400]);
    server.tick(HOUR);
    await asksInVain(person);
    expect(await emailOf(person)).toBe(email);
  });

  test("by a reset of all factors → the same", async () => {
    const { person, owner } = await anOwner();
    await anAuthenticatorOf(owner, server);
    server.tick(HOUR);
    const { email, notice } = await movedTo(owner, person);
    expect(isProof(await new Agent(server.issuer).get(notice.link))).toBe(true);
    await resetSecondFactor(person.username, { passkeys: true }, admin());
    expect(await status(notice.link)).toBe(400);
    server.tick(HOUR);
    await asksInVain(person);
    expect(await emailOf(person)).toBe(email);
  });

  test("by a reset of the authenticator app, the only factor → copies of a link of recovery and of one to a new address are void", async () => {
    const { person, owner } = await anOwner();
    await anAuthenticatorOf(owner, server);
    const recovery = await recoveryLink(person, server, mailbox, person.email);
    const email = anAddress();
    await owner.submit(formWith(await owner.get("/account/profile"), "email"), { email, current_password: PASSWORD });
    const change = await messageTo(email, "Your new e-mail address", mailbox);
    const both = async () => [await status(recovery), (await owner.get(change.link)).status];
    expect(await both()).toEqual([200, 200]);
    await resetSecondFactor(person.username, { passkeys: false }, admin());
    expect(await both()).toEqual([400, 400]);
    // The owner asks for another link, which works.
    expect(await status(await recoveryLink(person, server, mailbox, person.email))).toBe(200);
  });

  test("the former address still gets the news: a removal of a factor", async () => {
    const { person, owner } = await anOwner();
    const { email } = await movedTo(owner, person);
    await setPassword(person.username, { password: NEW_PASSWORD }, { keepGrants: false }, admin());
    await aPasskeyOf(await enters(aStranger(), person.username, NEW_PASSWORD), server, "Theirs");
    const { reader, page } = await opened({ ...person, email });
    await decide(reader, page);
    expect((await messageTo(person.email, REMOVED, mailbox)).raw).not.toContain("/undo");
  });
});
