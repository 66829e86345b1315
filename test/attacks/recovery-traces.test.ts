/**
 * Recovery tells an intruder's apps from the owner's by the time when the browser first appeared. Here the intruder
 * tries to remove these traces.
 */

import { afterAll, beforeAll, expect, test } from "vitest";
import { MOST_KNOWN_DEVICES } from "../../packages/server/src/owners/known-device-storage.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, signIn } from "../support/http-browser.ts";
import {
  aConnection,
  DAY,
  decide,
  OWNERS_BROWSER,
  recoveryLink,
  STRANGE_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { startServer, type TestServer } from "../support/test-server.ts";

const MINUTE = 60_000;

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

/** An owner who connected an app, and an intruder who connected another one a month later. */
async function intruded() {
  const person = await server.addPerson();
  const owner = await signedInWith(OWNERS_BROWSER, person, server);
  const mine = await aConnection(owner, person, server, { name: "Mine" });
  server.tick(30 * DAY);
  const intruder = await signedInWith(STRANGE_BROWSER, person, server);
  const theirs = await aConnection(intruder, person, server, { name: "Theirs" });
  server.tick(5 * MINUTE);
  return { person, intruder, mine, theirs };
}

/** The owner recovers the account with the preselected choices. Returns whose apps still work. */
async function leftAfterRecovery(
  person: Person,
  { mine, theirs }: Pick<Awaited<ReturnType<typeof intruded>>, "mine" | "theirs">,
) {
  const reader = new Agent(server.issuer);
  const done = await decide(reader, await reader.get(await recoveryLink(person, server, mailbox)));
  expect(done.text).toContain("Your password was changed");
  return { mine: await mine.works(), theirs: await theirs.works() };
}

test("signs out everywhere and in again → their app ends all the same, the owner's stays", async () => {
  const { person, intruder, ...apps } = await intruded();
  const page = await intruder.get("/account/security");
  const form = page.forms.find(({ action }) => action.endsWith("/sessions"));
  if (form === undefined) throw new Error("no form of sessions");
  await intruder.submit(form, { end: "all" });
  server.tick(5 * MINUTE);
  await signIn(intruder, person.username);
  expect(await leftAfterRecovery(person, apps)).toEqual({ mine: true, theirs: false });
});

test("signs in with more browsers than an account has known devices → the same, and the owner's browser is still known", async () => {
  const { person, ...apps } = await intruded();
  for (let each = 0; each <= MOST_KNOWN_DEVICES; each += 1) {
    server.tick(MINUTE);
    await signedInWith(STRANGE_BROWSER, person, server);
  }
  const devices = await server.assent.storage.knownDevices.list(person);
  expect(devices).toHaveLength(MOST_KNOWN_DEVICES);
  expect(devices.filter(({ first }) => first)).toMatchObject([{ userAgent: OWNERS_BROWSER, bound: true }]);
  expect(await leftAfterRecovery(person, apps)).toEqual({ mine: true, theirs: false });
});

test("signs out everywhere, in again, and then with many browsers → the same", async () => {
  const { person, intruder, ...apps } = await intruded();
  const form = (await intruder.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
  if (form === undefined) throw new Error("no form of sessions");
  await intruder.submit(form, { end: "all" });
  for (let each = 0; each <= MOST_KNOWN_DEVICES; each += 1) {
    server.tick(MINUTE);
    await signedInWith(STRANGE_BROWSER, person, server);
  }
  expect(await leftAfterRecovery(person, apps)).toEqual({ mine: true, theirs: false });
});
