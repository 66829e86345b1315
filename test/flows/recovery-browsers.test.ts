/** Whether a browser still counts as the owner's own after a recovery or the security page signed it out. */

import { beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import type { Agent } from "../support/http-browser.ts";
import { aPasskeyOf, DAY, decide, entersBy, messageTo, recoveryLink } from "../support/recovery-actors.ts";
import { HOUR, isDecision, isProof, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

/** The thief's choices. */
const THIEFS = "the thief chose this one";
const DECIDED = { password: THIEFS, again: THIEFS };

async function enters(agent: Agent, person: Person, password: string): Promise<Agent> {
  await agent.submit(formWith(await agent.get("/login"), "username"), { username: person.username, password });
  return agent;
}

const recoverIn = async (agent: Agent, person: Person) => agent.get(await recoveryLink(person, server, mailbox));

/** Signs out on the security page. */
const signsOut = async (agent: Agent, which: "all" | "others") => {
  const form = (await agent.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
  if (form === undefined) throw new Error("no such form");
  expect((await agent.submit(form, { end: which })).status).toBeLessThan(400);
};

test("an intruder's browser is known for a week and undoes the removal of a passkey that it added when it was new → unvouched", async () => {
  const { person } = await anOwner();
  const intruder = await anIntruder(person);
  const key = await aPasskeyOf(intruder, server, "Theirs");
  server.tick(8 * DAY);
  const { reader, page } = await opened(person);
  await decide(reader, page);
  server.tick(HOUR);
  const { link } = await messageTo(person.email, REMOVED, mailbox);
  await intruder.submit(formWith(await intruder.get(link), "link"));
  expect([await entersBy(key, server), isDecision((await opened(person)).page)]).toEqual([true, true]);
});

for (const how of ["recovers", "signs all others out"] as const) {
  test(`the owner ${how} with the own browser → the intruder's, known for a week, gets no age back by a recovery`, async () => {
    const { person, owner } = await anOwner();
    const intruder = await anIntruder(person);
    server.tick(8 * DAY);
    if (how === "recovers") await decide(owner, await recoverIn(owner, person));
    else await signsOut(await enters(owner, person, PASSWORD), "others");
    server.tick(5 * DAY);
    await decide(intruder, await recoverIn(intruder, person), DECIDED);
    await aPasskeyOf(await enters(intruder, person, THIEFS), server, "Theirs");
    expect(isDecision(await recoverIn(owner, person))).toBe(true);
  });
}

for (const days of [6, 8]) {
  test(`an intruder signs all browsers out, and the owner signs in again after ${days} days → ${days < 7 ? "as old as before" : "new"}`, async () => {
    const { person, owner } = await anOwner();
    await signsOut(await anIntruder(person), "all");
    server.tick(days * DAY);
    await aPasskeyOf(await enters(owner, person, PASSWORD), server, "Mine");
    const { page } = await opened(person);
    expect([isProof(page), isDecision(page)]).toEqual([days < 7, days > 7]);
  });
}
