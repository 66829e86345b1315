/** Dead ends of a recovery: the page says how to go on. */

import { beforeAll, expect, test } from "vitest";
import { Agent } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  decide,
  messageTo,
  OWNERS_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import { HOUR, isProof, prove, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, movedTo, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

test("too many wrong codes, and the link expires before codes are accepted again → ask for a new link then", async () => {
  const { person, owner } = await anOwner();
  await anAuthenticatorOf(owner, server);
  const { reader, page } = await opened(person);
  let last = page;
  for (let guess = 0; guess < 6; guess += 1) last = await prove(reader, page, { code: "000000" });
  expect(last.status).toBe(429);
  expect(last.text).toMatch(/Too many attempts\. Wait \d+ minutes, then ask for a new link\./);
  expect(last.text).not.toContain("then try again");
});

test("the same with a link that works for days → try again then", async () => {
  const { person, owner } = await anOwner();
  await anAuthenticatorOf(owner, server);
  const { notice } = await movedTo(owner, person);
  const reader = new Agent(server.issuer);
  const page = await reader.get(notice.link);
  expect(isProof(page)).toBe(true);
  let last = page;
  for (let guess = 0; guess < 6; guess += 1) last = await prove(reader, page, { code: "000000" });
  expect(last.text).toMatch(/Too many attempts\. Wait \d+ minutes, then try again\./);
});

test("the link that restores removed ways to sign in has expired → they can't come back; the way on is a new password", async () => {
  const { person } = await anOwner();
  server.tick(30 * DAY);
  await aPasskeyOf(await signedInWith(OWNERS_BROWSER, person, server), server, "New laptop");
  const taken = await opened(person);
  await decide(taken.reader, taken.page);
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  server.tick(72 * HOUR + 1);
  const reader = new Agent(server.issuer);
  const page = await reader.get(link);
  expect(page.status).toBe(400);
  expect(page.text).toContain("The removed ways to sign in can’t come back any more, and the present password stays.");
  expect(page.text).toMatch(/href="\/recover">Forgot your password\?</);
  expect(page.text).not.toContain("Ask for a new link");
});
