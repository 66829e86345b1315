/**
 * Special cases of recovery: a factor that was replaced after its proof, identities with another address, and the
 * number of messages to a former address.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  decide,
  entersWith,
  messageTo,
  recoveryLink,
  STRANGE_BROWSER,
  ticksOf,
} from "../support/recovery-actors.ts";
import { HOUR, isDecision, isProof, prove, recoveryStage } from "../support/recovery-setup.ts";
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

async function enters(agent: Agent, login: string, password = PASSWORD): Promise<Agent> {
  await agent.submit(formWith(await agent.get("/login"), "username"), { username: login, password });
  return agent;
}

async function moves(agent: Agent, email: string): Promise<void> {
  await agent.submit(formWith(await agent.get("/account/profile"), "email"), { email, current_password: PASSWORD });
  const { link } = await messageTo(email, "Your new e-mail address", mailbox);
  await agent.submit(formWith(await agent.get(link), "link"));
}

describe("what was proved, and was replaced since", () => {
  test("an authenticator by another one of an intruder → proved anew, and the new one is doubtful", async () => {
    const { person, owner } = await anOwner();
    const { app } = await anAuthenticatorOf(owner, server);
    const { reader, page } = await opened(person);
    const proved = (await reader.submit(formWith(page, "code"), { code: app.code() })).location?.href ?? "";
    expect(isDecision(await reader.get(proved))).toBe(true);
    server.tick(60_000);
    const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    const step = await intruder.submit(formWith(await intruder.get("/login"), "username"), {
      ...{ username: person.username, password: PASSWORD },
    });
    await intruder.submit(formWith(step, "code"), { code: app.code() });
    server.tick(60_000);
    await anAuthenticatorOf(intruder, server);
    const again = await reader.get(proved);
    expect([isProof(again), isDecision(again)]).toEqual([true, false]);
    const decision = await prove(reader, again, { code: app.code() });
    expect(ticksOf(decision)).toEqual({ "Authenticator app": true });
  });

  test("recovery codes by others → proved anew", async () => {
    const { person, owner } = await anOwner();
    const { codes } = await anAuthenticatorOf(owner, server);
    const { reader, page } = await opened(person);
    const proved = (await reader.submit(formWith(page, "recovery"), { recovery: codes[0] ?? "" })).location?.href ?? "";
    expect(isDecision(await reader.get(proved))).toBe(true);
    const renewal = (await owner.get("/account/security")).forms.find(({ action }) =>
      action.endsWith("/recovery-codes"),
    );
    if (renewal === undefined) throw new Error("no form");
    expect((await owner.submit(renewal)).status).toBe(200);
    expect(isProof(await reader.get(proved))).toBe(true);
  });
});

test("the owner goes back to the own address → identities that came by their first use at the other one end, older ones stay", async () => {
  const { person, owner } = await anOwner();
  const subjects = (await import("node:crypto")).randomUUID();
  const link = (subject: string) =>
    server.assent.storage.subjectLinks.link({
      ...{
        partition: person.partition,
        personId: person.personId,
        sole: false,
        madeBy: "first use",
        now: server.now(),
      },
      subject: { issuerId: `idp-${subjects}`, claim: null, subject },
    });
  await link("before");
  const intruder = await anIntruder(person);
  await movedTo(intruder, person);
  server.tick(HOUR);
  await link("theirs");
  server.tick(HOUR);
  await enters(owner, person.username);
  await moves(owner, person.email);
  const left = (await server.assent.storage.subjectLinks.ofPerson(person)).map(({ subject }) => subject);
  expect(left).toEqual(["before"]);
});

test("an account goes to and fro between two addresses → the one that it leaves gets twenty messages without a link a day", async () => {
  const { person, owner } = await anOwner();
  server.tick(30 * DAY);
  await enters(owner, person.username);
  const { email } = await movedTo(owner, person);
  const told = () => mailbox.to(email).filter(({ subject }) => subject === RETURNED).length;
  for (let n = 0; n < 22; n += 1) {
    if (n % 4 === 3) server.tick(HOUR);
    await moves(owner, person.email);
    await moves(owner, email);
  }
  await expect.poll(told).toBe(20);
  expect(await entersWith(email, PASSWORD, server)).toBe("in");
});

test("strangers use up the codes behind links → the owner's own browser still has tries of its own, signed out or not", async () => {
  const { person, owner } = await anOwner();
  const { app } = await anAuthenticatorOf(owner, server);
  for (let n = 0; n < 4; n += 1) {
    const reader = new Agent(server.issuer);
    const page = await reader.get(await recoveryLink(person, server, mailbox));
    for (let guess = 0; guess < 5; guess += 1) await reader.submit(formWith(page, "code"), { code: "000000" });
  }
  const stranger = new Agent(server.issuer);
  const link = await recoveryLink(person, server, mailbox);
  const refused = await stranger.submit(formWith(await stranger.get(link), "code"), { code: app.code() });
  expect(refused.status).toBe(429);
  server.tick(60_000);
  const decision = await prove(owner, await owner.get(link), { code: app.code() });
  expect(isDecision(decision)).toBe(true);
  await decide(owner, decision);
});

test("an intruder guesses codes behind links to an address of their own → the owner's link, in a new browser, still has tries", async () => {
  const { person, owner } = await anOwner();
  const { app } = await anAuthenticatorOf(owner, server);
  // Uses the owner's session for a moment.
  const { email, notice } = await movedTo(owner, person);
  const guesses: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const reader = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    const page = await reader.get(await recoveryLink(person, server, mailbox, email));
    for (let guess = 0; guess < 5; guess += 1)
      guesses.push((await reader.submit(formWith(page, "code"), { code: "000000" })).status);
  }
  expect(guesses.filter((status) => status === 200).length).toBe(10);
  const fresh = new Agent(server.issuer);
  const page = await fresh.get(notice.link);
  expect((await fresh.submit(formWith(page, "code"), { code: app.code() })).status).toBe(303);
});

test("another browser's session has ended, and it is known still → signing the others out is offered; then nobody is left", async () => {
  const { person, owner } = await anOwner();
  await aPasskeyOf(owner, server, "Mine");
  const page = async () => (await owner.get("/account/security")).text;
  expect(await page()).not.toContain('value="others"');
  const other = await enters(new Agent(server.issuer, { "user-agent": STRANGE_BROWSER }), person.username);
  const out = formWith(await other.get("/account/sign-out"), "csrf");
  await other.submit(out);
  expect((await server.assent.storage.sessions.list({ ...person, now: server.now() })).length).toBe(1);
  expect(await page()).toContain('value="others"');
  const form = (await owner.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
  if (form === undefined) throw new Error("no form");
  await owner.submit(form, { end: "others" });
  expect(await page()).not.toContain('value="others"');
});
