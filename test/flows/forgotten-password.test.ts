/**
 * A forgotten password of an account without a second factor: the end of apps and sessions, and the texts of the page
 * and the message.
 */

import { beforeAll, expect, test } from "vitest";
import { type Agent, authorize, authorizeUrl, type Page } from "../support/http-browser.ts";
import { aConnection, decide, entersWith, messageTo, NEW_PASSWORD, ticksOf } from "../support/recovery-actors.ts";
import { recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const isSignedIn = async (agent: Agent) => (await agent.get("/account/apps")).status === 200;

/** The checkbox value of an app. */
const boxOf = (page: Page, app: string) => {
  const [, value = ""] =
    new RegExp(`name="app" value="([^"]*)"(?:(?!</label>).)*<p>(?:<[^>]*>)*${app}<`, "s").exec(page.text) ?? [];
  return { app: [value] };
};

/** What the last page and the message say about apps: which lost access, and which keep it. */
async function said(done: Page, email: string) {
  const message = await messageTo(email, "Your password was changed", mailbox);
  const list = (text: string | undefined, label: string) =>
    new RegExp(`${label}: ([^.\n<]*)`)
      .exec(text ?? "")?.[1]
      ?.trim()
      .split(/, | and /)
      .sort() ?? [];
  const both = (label: string) => {
    const onPage = list(done.text.replace(/<\/?bdi>/g, ""), label);
    expect(list(message.text, label), `the message: ${label}`).toEqual(onPage);
    return onPage;
  };
  expect(done.text).toContain("You were signed out everywhere");
  expect(message.text).toContain("Everybody was signed out");
  const ended = both("Access revoked");
  expect(/Access ends .*?\./.exec(message.text ?? "")?.[0]).toBe(/Access ends .*?\./.exec(done.text)?.[0]);
  return { ended, kept: both("Still have access") };
}

test("nothing suspicious → every app is listed, none is ticked; all stay, and every session ends", async () => {
  const { person, owner } = await anOwner();
  const photos = await aConnection(owner, person, server, { name: "Photos" });
  const mail = await aConnection(owner, person, server, { name: "Mail" });
  const { reader, page } = await opened(person);
  expect(page.text).toContain("You will be signed out everywhere");
  expect(page.text).toContain("Ticked apps lose their access. The others keep it.");
  expect(ticksOf(page)).toEqual({ Photos: false, Mail: false });
  expect(await isSignedIn(owner)).toBe(true);
  const done = await decide(reader, page);
  expect(await said(done, person.email)).toEqual({ ended: [], kept: ["Mail", "Photos"] });
  expect([await photos.works(), await mail.works(), await isSignedIn(owner)]).toEqual([true, true, false]);
  expect(await entersWith(person.username, PASSWORD, server)).toBe("no");
  expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("in");
});

test("nothing suspicious, one app is ticked → that one ends alone", async () => {
  const { person, owner } = await anOwner();
  const photos = await aConnection(owner, person, server, { name: "Photos" });
  const mail = await aConnection(owner, person, server, { name: "Mail" });
  const { reader, page } = await opened(person);
  const done = await decide(reader, page, boxOf(page, "Mail"));
  expect(await said(done, person.email)).toEqual({ ended: ["Mail"], kept: ["Photos"] });
  // Its last token works until it expires.
  expect(done.text).toContain("Access ends within 10 minutes.");
  expect([await photos.works(), await mail.works()]).toEqual([true, false]);
});

test("a new browser has connected an app → that app is ticked, older ones are not; both can be decided otherwise", async () => {
  for (const keepsTheirs of [false, true]) {
    const { person, owner } = await anOwner();
    const photos = await aConnection(owner, person, server, { name: "Photos" });
    const intruder = await anIntruder(person);
    const theirs = await aConnection(intruder, person, server, { name: "Theirs" });
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ Theirs: true, Photos: false });
    expect(page.text).toMatch(/Apps connected, changed or resumed since .* are ticked/);
    const done = await decide(reader, page, keepsTheirs ? boxOf(page, "Photos") : {});
    expect(await said(done, person.email)).toEqual(
      keepsTheirs ? { ended: ["Photos"], kept: ["Theirs"] } : { ended: ["Theirs"], kept: ["Photos"] },
    );
    expect([await photos.works(), await theirs.works()]).toEqual([!keepsTheirs, keepsTheirs]);
    expect([await isSignedIn(owner), await isSignedIn(intruder)]).toEqual([false, false]);
  }
});

test("a new browser has connected an older app again → the app is ticked", async () => {
  const { person, owner } = await anOwner();
  const photos = await aConnection(owner, person, server, { name: "Photos" });
  const intruder = await anIntruder(person);
  await authorize(intruder, authorizeUrl(server, photos.client), person.username);
  const { reader, page } = await opened(person);
  expect(ticksOf(page)).toEqual({ Photos: true });
  await decide(reader, page);
  expect(await photos.works()).toBe(false);
});

test("no app → the page and the message name none", async () => {
  const { person } = await anOwner();
  const { reader, page } = await opened(person);
  expect(page.text).toContain("No app has access to your account.");
  expect(await said(await decide(reader, page), person.email)).toEqual({ ended: [], kept: [] });
});

test("the only app was revoked before → the page claims no revocation of its own; it says how long the app can use what it has", async () => {
  const { person, owner } = await anOwner();
  const { client } = await aConnection(owner, person, server, { name: "Photos" });
  const { partition, personId: ownerId } = person;
  const key = { partition, ownerId, clientId: client.clientId };
  await server.assent.storage.consents.revoke({ ...key, revokedBy: ownerId, now: server.now() });
  const { page } = await opened(person);
  expect(page.text).not.toContain("revoked");
  expect(page.text).toContain(
    "No app gets new access to your account. Apps that had access before can use it a little longer. Access ends within 10 minutes.",
  );
  server.tick(11 * 60_000);
  expect((await opened(person)).page.text).toContain("No app has access to your account.");
});
