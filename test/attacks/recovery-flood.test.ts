/**
 * Strangers ask for a recovery of somebody's account until the limit for messages is reached. Browsers that the person
 * has used still get a message.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { Agent, type Page, signIn } from "../support/http-browser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { smtpUrl: smtpTo(mailbox), trustProxy: ["127.0.0.1"], signUp: true } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const DAY = 86_400_000;
const HOUR = 3_600_000;
const RECOVERY = "Choose a new password";

let networks = 0;
/** Each browser has its own network, unless `from` names one. */
function aBrowser(from?: string): Agent {
  networks += 1;
  return new Agent(server.issuer, { "x-forwarded-for": from ?? `10.${networks >> 8}.${networks & 255}.1` });
}

/** A browser in which the person has signed in and out again: a long time ago, or now if `old` is false. */
async function aKnownBrowser(person: Person, { from, old = true }: { from?: string; old?: boolean } = {}) {
  const agent = aBrowser(from);
  await signIn(agent, person.username);
  agent.cookies.delete("session");
  for (const name of [...agent.cookies.keys()]) if (name.endsWith("session")) agent.cookies.delete(name);
  if (old) server.tick(8 * DAY);
  return agent;
}

/** Sets the same password again. That ends everything that is bound to the password. */
async function chooseAgain({ partition, personId, passwordHash }: Person): Promise<void> {
  await server.assent.storage.people.setPassword({
    ...{ partition, personId, passwordHash: passwordHash ?? "", mustChange: false, endGrants: true },
    ...{ endSessions: true, keepSessionId: null, mails: [], now: server.now() },
  });
}

async function ask(agent: Agent, login: string): Promise<Page> {
  return agent.submit(formWith(await agent.get("/recover"), "login"), { login });
}

async function askTimes(times: number, login: string, browser: () => Agent = aBrowser): Promise<void> {
  for (let count = 0; count < times; count += 1) expect((await ask(browser(), login)).status).toBe(200);
}

/** Number of recovery messages, after all requests were processed. */
async function received({ email }: Person): Promise<number> {
  await expect.poll(() => server.assent.storage.mailRequests.countWaiting({ most: 100 })).toBe(0);
  return mailbox.to(email).filter(({ subject }) => subject === RECOVERY).length;
}

describe("strangers have used up the messages of an hour", () => {
  test("a stranger asks → no message; a browser that the person knows → its message", async () => {
    const person = await server.addPerson();
    const own = await aKnownBrowser(person);
    await askTimes(7, person.username);
    expect(await received(person)).toBe(5);
    const page = await ask(own, person.username);
    expect(page.text).toContain("Check your inbox");
    expect(await received(person)).toBe(6);
  });

  test("the cookie of another person, a changed one, a copy from before the browser was bound anew → a stranger's", async () => {
    const person = await server.addPerson();
    const other = await aKnownBrowser(await server.addPerson());
    const own = await aKnownBrowser(person);
    const [name = "", cookie = ""] = [...own.cookies].find(([one]) => one.endsWith("device")) ?? [];
    const forged = aBrowser();
    forged.cookies.set(name, `${cookie.slice(0, -1)}${cookie.endsWith("A") ? "B" : "A"}`);
    const copy = aBrowser();
    copy.cookies.set(name, cookie);
    await chooseAgain(person);
    await signIn(own, person.username);
    expect(own.cookies.get(name)).not.toBe(cookie);
    await askTimes(5, person.username);
    for (const agent of [other, forged, copy]) await ask(agent, person.username);
    expect(await received(person)).toBe(5);
  });

  test("an intruder has changed the password and signed the person out everywhere → their browser gets its message", async () => {
    const person = await server.addPerson();
    const own = await aKnownBrowser(person);
    await chooseAgain(person);
    await server.assent.storage.sessions.endAll({ ...person, now: server.now() });
    await askTimes(5, person.username);
    await received(person);
    await ask(own, person.username);
    expect(await received(person)).toBe(6);
  });
});

describe("strangers have messages sent to a mailbox in which no way in stands", () => {
  async function signUpAs({ email }: Person) {
    const stranger = aBrowser();
    return stranger.submit(formWith(await stranger.get("/sign-up"), "email"), { email });
  }
  async function moveTo({ email }: Person) {
    const stranger = aBrowser();
    await signIn(stranger, (await server.addPerson()).username);
    const form = formWith(await stranger.get("/account/profile"), "email");
    return stranger.submit(form, { email, current_password: PASSWORD });
  }

  test("by sign-up and by changes of their own addresses, for hours → the owner, with a browser that nobody knows, gets the way in", async () => {
    const person = await server.addPerson();
    for (const [hour, way] of [signUpAs, moveTo, signUpAs].entries()) {
      for (let count = 0; count < 7; count += 1) expect((await way(person)).status).toBe(200);
      expect(await received(person)).toBe(hour);
      await ask(aBrowser(), person.email);
      expect(await received(person)).toBe(hour + 1);
      server.tick(HOUR + 1000);
    }
    // The person got no more messages than before.
    await expect.poll(() => mailbox.to(person.email).length).toBe(3 + 3 * 5);
  });

  test("by recovery → sign-up has its own", async () => {
    const person = await server.addPerson();
    await askTimes(7, person.username);
    expect(await received(person)).toBe(5);
    await signUpAs(person);
    await expect.poll(() => mailbox.to(person.email).length).toBe(6);
  });
});

describe("a link of a sign-up", () => {
  test("tells of twenty usernames whether they are taken, and then of none for an hour", async () => {
    const person = await server.addPerson();
    const email = `stranger-${networks}@example.test`;
    const stranger = aBrowser();
    await stranger.submit(formWith(await stranger.get("/sign-up"), "email"), { email });
    const form = formWith(await stranger.get((await mailbox.next(email)).link), "username");
    const PHRASE = "a long pass phrase of mine";
    const tried = async (agent: Agent) => {
      const page = await agent.submit(form, { username: person.username, password: PHRASE, again: PHRASE });
      return page.status;
    };
    for (let count = 0; count < 20; count += 1) expect(await tried(stranger)).toBe(200);
    expect(await tried(stranger)).toBe(429);
    const elsewhere = aBrowser();
    for (const [name, value] of stranger.cookies) elsewhere.cookies.set(name, value);
    expect(await tried(elsewhere)).toBe(429);
    server.tick(HOUR - 60_000);
    expect(await tried(stranger)).toBe(429);
  });
});

describe("a known browser", () => {
  test("asks again and again → three messages an hour of its own, then none; an hour later again", async () => {
    const person = await server.addPerson();
    const own = await aKnownBrowser(person);
    await askTimes(5, person.username);
    await askTimes(6, person.username, () => own);
    expect(await received(person)).toBe(8);
    server.tick(HOUR);
    await ask(own, person.username);
    expect(await received(person)).toBe(9);
  });

  test("ten made in a row by somebody who knows the password → five messages an hour in all", async () => {
    const person = await server.addPerson();
    await askTimes(5, person.username);
    for (let count = 0; count < 10; count += 1) {
      const fresh = await aKnownBrowser(person, { old: false });
      await askTimes(2, person.username, () => fresh);
    }
    expect(await received(person)).toBe(10);
  });

  test("in a network that has asked too often → it may ask, a stranger there may not", async () => {
    const person = await server.addPerson();
    const from = "203.0.113.9";
    const own = await aKnownBrowser(person, { from });
    await askTimes(20, "nobody-at-all", () => aBrowser(from));
    expect((await ask(aBrowser(from), person.username)).status).toBe(429);
    expect((await ask(own, person.username)).status).toBe(200);
    expect(await received(person)).toBe(1);
  });

  test("asks too often for anybody → counts as its network from then on", async () => {
    const person = await server.addPerson();
    const from = "203.0.113.10";
    const own = await aKnownBrowser(person, { from });
    await askTimes(30, "nobody-at-all", () => own);
    expect((await ask(own, "nobody-at-all")).status).toBe(429);
  });

  test("asks about a name that exists and one that doesn't → the same page", async () => {
    const person = await server.addPerson();
    const own = await aKnownBrowser(person);
    const [known, unknown] = [await ask(own, person.username), await ask(own, "nobody-at-all")];
    expect(known.text).toBe(unknown.text);
    expect(known.status).toBe(unknown.status);
  });
});
