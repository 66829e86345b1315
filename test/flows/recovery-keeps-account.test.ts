/** An account that is to be deleted is recovered, or gets its ways to sign in back: it stays, and everybody hears it. */

import { beforeAll, expect, test } from "vitest";
import { adminOf } from "../../packages/server/src/admin/context.ts";
import { listEvents } from "../../packages/server/src/admin/events.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import { aPasskeyOf, DAY, decide, messageTo, OWNERS_BROWSER, signedInWith } from "../support/recovery-actors.ts";
import { HOUR, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, movedTo, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const BEFORE =
  /Your account was going to be deleted on <time[^>]*>[^<]*<\/time>\. If you go on, it will not be deleted\./;
const AFTER =
  "Your account will not be deleted any more. To delete it after all, sign in and choose “Delete account” in your profile.";

async function deletes(agent: Agent, current_password = PASSWORD) {
  const page = await agent.get("/account/profile/delete");
  expect((await agent.submit(formWith(page, "current_password"), { current_password })).status).toBe(303);
}

/** The kinds of events about the end of this account. */
async function endingsOf({ personId: subject }: Person, recoveries = 1) {
  const context = adminOf(server.assent.storage, server.issuer, server.now);
  const found = async () => (await listEvents({ subject, limit: 100 }, context)).map(({ kind }) => kind);
  // The last event of a recovery is this one.
  const recovered = async () => (await found()).filter((kind) => kind === "user.recovered").length;
  await expect.poll(recovered, { timeout: 10_000 }).toBe(recoveries);
  return (await found()).filter((kind) => kind.startsWith("user.deletion_")).toReversed();
}

const deleteAtOf = async (person: Person) => (await server.assent.storage.people.get(person))?.deleteAt;

test("no deletion was asked for → no page, message or event speaks of it", async () => {
  const { person } = await anOwner();
  const { reader, page } = await opened(person);
  expect(page.text).not.toContain("deleted");
  expect((await decide(reader, page)).text).not.toContain("deleted");
  expect((await messageTo(person.email, "Your password was changed", mailbox)).text).not.toContain("deleted");
  expect(await endingsOf(person)).toEqual([]);
});

test("somebody recovers an account that is to be deleted → the page says before, page and message after, that it stays", async () => {
  const { person, owner } = await anOwner();
  await deletes(owner);
  server.tick(2 * DAY);
  const { reader, page } = await opened(person);
  expect(page.text).toMatch(BEFORE);
  expect(await deleteAtOf(person)).toBeGreaterThan(server.now());
  expect((await decide(reader, page, { password: "short" })).text).toMatch(BEFORE);
  expect((await decide(reader, page)).text).toContain(AFTER);
  expect((await messageTo(person.email, "Your password was changed", mailbox)).text).toContain(AFTER);
  expect(await deleteAtOf(person)).toBeNull();
  expect(await endingsOf(person)).toEqual(["user.deletion_requested", "user.deletion_withdrawn"]);
});

test("an intruder changed the address, and asked for the deletion → who takes the address back reads that the account stays; the intruder doesn't", async () => {
  const { person } = await anOwner();
  const intruder = await anIntruder(person);
  await aPasskeyOf(intruder, server, "Theirs");
  const { email, notice } = await movedTo(intruder, person);
  await deletes(intruder);
  const reader = new Agent(server.issuer);
  const page = await reader.get(notice.link);
  expect(page.text).toMatch(BEFORE);
  expect((await decide(reader, page)).text).toContain(AFTER);
  expect((await messageTo(person.email, REMOVED, mailbox)).text).toContain(AFTER);
  expect((await messageTo(email, REMOVED, mailbox)).raw).not.toContain("deleted");
  expect(await deleteAtOf(person)).toBeNull();
  expect(await endingsOf(person)).toEqual(["user.deletion_requested", "user.deletion_withdrawn"]);
});

test("a thief removed the ways to sign in, and asked for the deletion → who restores them reads that the account stays", async () => {
  const { person, owner } = await anOwner();
  server.tick(30 * DAY);
  await aPasskeyOf(await signedInWith(OWNERS_BROWSER, person, server), server, "New laptop");
  const taken = await opened(person);
  await decide(taken.reader, taken.page, { password: PASSWORD, again: PASSWORD });
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  await deletes(await signedInWith(OWNERS_BROWSER, person, server));
  server.tick(HOUR);
  const page = await owner.get(link);
  expect(page.text).toMatch(BEFORE);
  expect((await owner.submit(formWith(page, "link"))).text).toContain(AFTER);
  expect((await messageTo(person.email, "Your ways to sign in were restored", mailbox)).text).toContain(AFTER);
  expect(await deleteAtOf(person)).toBeNull();
  expect(await endingsOf(person, 2)).toEqual(["user.deletion_requested", "user.deletion_withdrawn"]);
});
