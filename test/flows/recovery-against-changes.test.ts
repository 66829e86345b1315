/**
 * A signed-in intruder changes the account again and again while the owner follows a link that takes it back: the
 * owner's decision still succeeds.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { NEW_PASSWORDS_AN_HOUR } from "../../packages/server/src/owners/account/change-password.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  aPasskeyOf,
  decide,
  entersBy,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  STRANGE_BROWSER,
  signedInWith,
  ticksOf,
} from "../support/recovery-actors.ts";
import { HOUR, isDecision, isProof, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, movedTo, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const THIEFS = "the thief chose this one";

/** Changes the password on the page, back and forth. */
function changer(agent: Agent) {
  let current = PASSWORD;
  return async () => {
    const next = current === PASSWORD ? THIEFS : PASSWORD;
    const form = formWith(await agent.get("/account/security/password"), "password");
    const answer = await agent.submit(form, { current_password: current, password: next, again: next });
    if (answer.status === 303) current = next;
    return answer;
  };
}

describe("the password", () => {
  test("an intruder changes it after the owner has asked for a link, and after the owner has opened it → the link takes the account back", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const change = changer(intruder);
    const { reader, page, link } = await opened(person);
    expect((await change()).status).toBe(303);
    expect((await reader.get(link)).status).toBe(200);
    expect((await change()).status).toBe(303);
    await decide(reader, page);
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("in");
    expect((await intruder.get("/account/security")).status).toBe(303);
    expect((await reader.get(link)).status).toBe(400);
  });

  test("more changes in an hour than one person makes → refused until the hour is over; recovery by mail goes on", async () => {
    const { person, owner } = await anOwner();
    const change = changer(owner);
    for (let at = 0; at < NEW_PASSWORDS_AN_HOUR; at += 1) expect((await change()).status).toBe(303);
    const refused = await change();
    expect([refused.status, refused.text]).toEqual([429, expect.stringContaining("Too many attempts")]);
    server.tick(HOUR);
    expect((await change()).status).toBe(303);
    const { reader, page } = await opened(person);
    await decide(reader, page);
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("in");
  });
});

describe("the factors", () => {
  test("an intruder adds a passkey after the page is shown → the first decision holds; page and message name the passkey as removed", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const { reader, page } = await opened(person);
    server.tick(3_000);
    const key = await aPasskeyOf(intruder, server, "Late");
    const done = await decide(reader, page);
    expect([isDecision(done), done.text]).toEqual([false, expect.stringContaining("Late")]);
    expect((await messageTo(person.email, REMOVED, mailbox)).text).toContain("Late");
    expect([await entersBy(key, server), await entersWith(person.username, NEW_PASSWORD, server)]).toEqual([
      false,
      "in",
    ]);
  });

  test("the same with the link that takes the address back → the first decision holds", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const { notice } = await movedTo(intruder, person);
    const reader = new Agent(server.issuer);
    const page = await reader.get(notice.link);
    const key = await aPasskeyOf(intruder, server, "Late");
    expect(isDecision(await decide(reader, page))).toBe(false);
    expect([await entersBy(key, server), await entersWith(person.email, NEW_PASSWORD, server)]).toEqual([false, "in"]);
  });

  test("the owner keeps a new passkey, which an intruder replaces by one with the same name → that one is removed", async () => {
    const { person } = await anOwner();
    server.tick(HOUR);
    const phone = await signedInWith(STRANGE_BROWSER, person, server);
    await aPasskeyOf(phone, server, "Phone");
    const intruder = await anIntruder(person);
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ "Passkey “Phone”": true });
    const [mine] = await server.assent.storage.passkeys.list(person);
    if (mine === undefined) throw new Error("no passkey");
    await server.assent.storage.passkeys.remove({ ...mine, now: server.now() });
    const theirs = await aPasskeyOf(intruder, server, "Phone");
    const done = await decide(reader, page, { remove: [] });
    expect(isDecision(done)).toBe(false);
    expect([await entersBy(theirs, server), await server.assent.storage.passkeys.list(person)]).toEqual([false, []]);
  });

  test("the owner keeps a new authenticator, which an intruder with a code of it replaces → the intruder's is removed", async () => {
    const { person } = await anOwner();
    const phone = await anIntruder(person);
    const { app } = await anAuthenticatorOf(phone, server);
    const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    const step = await intruder.submit(formWith(await intruder.get("/login"), "username"), {
      ...{ username: person.username, password: PASSWORD },
    });
    await intruder.submit(formWith(step, "code"), { code: app.code() });
    server.tick(60_000);
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ "Authenticator app": true });
    await anAuthenticatorOf(intruder, server);
    const at = (await server.assent.storage.secondFactors.get(person))?.createdAt;
    expect(isDecision(await decide(reader, page, { remove: [] }))).toBe(false);
    expect((await server.assent.storage.secondFactors.get(person))?.createdAt).not.toBe(at);
  });

  test("the owner adds a passkey in the own browser while a thief of the mailbox has the page open → the thief must prove it", async () => {
    const { person, owner } = await anOwner();
    const { reader, page } = await opened(person);
    const key = await aPasskeyOf(owner, server, "Mine");
    const asked = await decide(reader, page);
    expect([isProof(asked), await entersBy(key, server)]).toEqual([true, true]);
    expect(await entersWith(person.username, PASSWORD, server)).toBe("in");
  });
});
