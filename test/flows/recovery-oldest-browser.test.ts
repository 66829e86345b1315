/**
 * The link to an account's newer address works only in the account's oldest browser, even if the server has forgotten
 * that browser or its first sign-in.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { KNOWN_DEVICE_TTL } from "../../packages/server/src/owners/known-device-storage.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { byHand } from "../../packages/server/test/storage/support/raw-statements.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import { DAY, decide, entersWith, messageTo, NEW_PASSWORD, STRANGE_BROWSER } from "../support/recovery-actors.ts";
import { HOUR, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, movedTo, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const RETURNED = "The account has an earlier e-mail address again";
const THIEFS = "the thief chose this one";
const ELSEWHERE = "This link doesn’t work in this browser";

const emailOf = async (person: Person) => (await server.assent.storage.people.get(person))?.email;
const aStranger = () => new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });

/** Signs in, also if the browser has a session. */
async function enters(agent: Agent, person: Person): Promise<Agent> {
  agent.cookies.delete("assent_session");
  await agent.submit(formWith(await agent.get("/login"), "username"), {
    username: person.username,
    password: PASSWORD,
  });
  return agent;
}

/** Five browsers that sign in with the owner's password, one per hour. */
async function fiveBrowsers(person: Person): Promise<readonly Agent[]> {
  const many: Agent[] = [];
  for (let at = 0; at < 5; at += 1) {
    many.push(await enters(aStranger(), person));
    server.tick(HOUR);
  }
  return many;
}

/**
 * The five browsers sign in again together with five new ones. The account now has more browsers than the server
 * stores.
 */
async function flood(person: Person, many: readonly Agent[]): Promise<void> {
  server.tick(HOUR);
  for (const one of many) await enters(one, person);
  await fiveBrowsers(person);
}

/** The intruder's browser changes the address, the owner takes it back, and the intruder follows the link that this sends. */
async function changesAndFollows(person: Person, owner: Agent, intruder: Agent) {
  const { email, notice } = await movedTo(intruder, person);
  await decide(owner, await owner.get(notice.link));
  expect(await emailOf(person)).toBe(person.email);
  const { link } = await messageTo(email, RETURNED, mailbox);
  const shown = await intruder.get(link);
  if (shown.status === 200) await decide(intruder, shown, { password: THIEFS, again: THIEFS });
  return shown;
}

describe("an intruder signs in with more browsers than the server keeps, for longer than a week", () => {
  const keepsTheAccount = async (person: Person, owner: Agent, intruder: Agent) => {
    const shown = await changesAndFollows(person, owner, intruder);
    expect([await emailOf(person), await entersWith(person.email, NEW_PASSWORD, server)]).toEqual([person.email, "in"]);
    return shown;
  };

  test("the owner once recovered the account in another browser → the owner keeps the account", async () => {
    const { person, owner } = await anOwner();
    server.tick(30 * DAY);
    const { reader, page } = await opened(person);
    await decide(reader, page, { password: PASSWORD, again: PASSWORD });
    await enters(owner, person);
    await enters(reader, person);
    server.tick(60 * DAY);
    await enters(owner, person);
    const many = await fiveBrowsers(person);
    server.tick(8 * DAY);
    await enters(owner, person);
    await flood(person, many);
    await keepsTheAccount(person, owner, many[0] as Agent);
  });

  test("the intruder signed the owner's first browser out, and the owner came back after a week → the owner keeps the account", async () => {
    const { person, owner } = await anOwner();
    server.tick(30 * DAY);
    const many = await fiveBrowsers(person);
    const [intruder] = many as [Agent];
    const form = (await intruder.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
    if (form !== undefined) await intruder.submit(form, { end: "others" });
    server.tick(8 * DAY);
    await enters(owner, person);
    server.tick(8 * DAY);
    await enters(owner, person);
    await flood(person, many);
    // Intruder's browsers that were signed out count from their next sign-in, so they need another week.
    server.tick(8 * DAY);
    for (const one of many) await enters(one, person);
    await keepsTheAccount(person, owner, intruder);
  });

  test("the account is older than the record of first sign-ins → the owner keeps the account", async () => {
    const { person, owner } = await anOwner();
    const url = server.assent.config.databaseUrl;
    await byHand(url, ["UPDATE people SET first_sign_in_at = NULL WHERE person_id = $1", person.personId]);
    await byHand(url, ["UPDATE known_devices SET is_first = 0 WHERE person_id = $1", person.personId]);
    server.tick(30 * DAY);
    const many = await fiveBrowsers(person);
    server.tick(8 * DAY);
    await enters(owner, person);
    await flood(person, many);
    await keepsTheAccount(person, owner, many[0] as Agent);
  });

  test("the server forgot the owner's browser, unused for a year → the link works in no browser", async () => {
    const { person, owner } = await anOwner();
    const intruder = await anIntruder(person);
    server.tick(KNOWN_DEVICE_TTL - 10 * DAY);
    await enters(intruder, person);
    server.tick(10 * DAY);
    await server.assent.storage.housekeeping.collectGarbage({ now: server.now(), limit: 10_000 });
    await enters(intruder, person);
    const { status, text } = await keepsTheAccount(person, owner, intruder);
    expect([status, text]).toEqual([400, expect.stringContaining(ELSEWHERE)]);
  });
});
