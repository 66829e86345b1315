/** Dead ends of a recovery: the page says how to go on. */

import { beforeAll, expect, test } from "vitest";
import { Agent } from "../support/http-browser.ts";
import { anAuthenticatorOf } from "../support/recovery-actors.ts";
import { isProof, prove, recoveryStage } from "../support/recovery-setup.ts";
import type { TestServer } from "../support/test-server.ts";

let server: TestServer;
const stage = recoveryStage();
const { anOwner, movedTo, opened } = stage;
beforeAll(() => {
  ({ server } = stage.started());
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
