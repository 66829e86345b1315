/**
 * Guessing passwords with cookies of known devices: few devices count, each for a limited time, and they share one
 * limit.
 */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DerivedCredentials } from "../../packages/server/src/crypto/derived-credentials.ts";
import { Secrets } from "../../packages/server/src/crypto/server-secret.ts";
import { secretOf } from "../../packages/server/src/data-dir.ts";
import { CODE_LIMITS, PASSWORD_LIMITS } from "../../packages/server/src/owners/guessing-limits.ts";
import { MOST_KNOWN_DEVICES } from "../../packages/server/src/owners/known-device-storage.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith, type WithSecondStep, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, type Page, postForm, signIn } from "../support/http-browser.ts";
import { aNetwork, Guesser, isSignedIn, networks } from "../support/password-guesser.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

const QUARTER = 15 * 60_000;
const HOUR = 4 * QUARTER;
const GUESSED = "Somebody is trying to guess your password";
const NEW = "seven green umbrellas";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ config: { trustProxy: ["127.0.0.1"], smtpUrl: smtpTo(mailbox) } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const at = (address = aNetwork()) => ({ "x-forwarded-for": address });
const device = (agent: Agent) => agent.cookies.get("assent_device") ?? "";

/** A browser that has signed in and has no session any more. */
async function known(person: Person, finish: (agent: Agent, page: Page) => Promise<unknown> = async () => undefined) {
  const agent = new Agent(server.issuer, at());
  await finish(agent, await signIn(agent, person.username));
  agent.cookies.delete("assent_session");
  expect(device(agent)).not.toBe("");
  return agent;
}

async function manyKnown(count: number, make: () => Promise<Agent>): Promise<readonly string[]> {
  const cookies: string[] = [];
  for (let each = 0; each < count; each += 1) cookies.push(device(await make()));
  return cookies;
}

const withCookie = (cookie: string, address: string) => {
  const agent = new Agent(server.issuer, at(address));
  agent.cookies.set("assent_device", cookie);
  return agent;
};

/** Tries wrong passwords with each device cookie. Returns how many passwords the server checked. */
async function passwordsLookedAt(person: Person, cookies: readonly string[], address: string, each = 10) {
  let looked = 0;
  for (const cookie of cookies) {
    const guesser = new Guesser(server.issuer, { address, agent: withCookie(cookie, address) });
    for (const status of await guesser.wrong(person.username, each)) looked += status === 200 ? 1 : 0;
  }
  return looked;
}

/** The same with wrong codes, by somebody who knows the password. */
async function codesLookedAt(victim: WithSecondStep, cookies: readonly string[], address: string, each = 5) {
  let looked = 0;
  for (const cookie of cookies) {
    const agent = withCookie(cookie, address);
    const form = formWith(await signIn(agent, victim.person.username), "code");
    for (let tries = 0; tries < each; tries += 1) {
      const page = await agent.submit(form, { code: victim.app.code(50) });
      if (page.status === 200) looked += 1;
      else expect(page.status).toBe(429);
    }
  }
  return looked;
}

/** Messages to the person with this subject. Waits until there are `count`. */
async function letters(person: Person, subject: string, count = 1) {
  const found = () => mailbox.to(person.email).filter((one) => one.subject?.startsWith(subject));
  await expect.poll(() => found().length).toBeGreaterThanOrEqual(count);
  return found();
}

/** The link in a new recovery message. All earlier messages have arrived by then. */
async function askRecovery(person: Person): Promise<string> {
  const agent = new Agent(server.issuer, at());
  await agent.submit(formWith(await agent.get("/recover"), "login"), { login: person.username });
  return (await letters(person, "Choose a new password"))[0]?.link ?? "";
}

const signsInWith = async (agent: Agent, person: Person, password = PASSWORD) =>
  isSignedIn(await new Guesser(server.issuer, { agent, address: aNetwork() }).try(person.username, password));

describe("cookies that count no more", () => {
  test("20 of before the authenticator was set up → no more wrong codes are looked at than a stranger's", async () => {
    const person = await server.addPerson();
    const cookies = await manyKnown(20, () => known(person));
    const victim = await withSecondStep(server, person);
    expect(await codesLookedAt(victim, cookies, aNetwork())).toBe(CODE_LIMITS.network);
  });

  test("20 of before the password changed → no more wrong passwords than a stranger's", async () => {
    const person = await server.addPerson();
    const cookies = await manyKnown(20, () => known(person));
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const form = formWith(await agent.get("/account/security/password"), "current_password");
    const fields = { current_password: PASSWORD, password: NEW, again: NEW };
    expect((await agent.submit(form, fields)).status).toBe(303);
    expect(await passwordsLookedAt(person, cookies, aNetwork())).toBe(PASSWORD_LIMITS.network);
    // The browser in which the password was changed is a known device.
    for (const address of networks(4)) await passwordsLookedAt(person, [""], address);
    agent.cookies.delete("assent_session");
    expect(await signsInWith(agent, person, NEW)).toBe(true);
  });

  test("signed out everywhere → no more than a stranger's; everywhere else → the own one still counts", async () => {
    const person = await server.addPerson();
    const cookies = await manyKnown(9, () => known(person));
    const agent = new Agent(server.issuer);
    await signIn(agent, person.username);
    const end = async (what: string) => {
      const form = (await agent.get("/account/security")).forms.find(({ action }) => action.endsWith("/sessions"));
      if (form === undefined) throw new Error("no form of sessions");
      await agent.submit(form, { end: what });
    };
    await end("others");
    expect(await passwordsLookedAt(person, cookies, aNetwork())).toBe(PASSWORD_LIMITS.network);
    expect(await passwordsLookedAt(person, [device(agent)], aNetwork())).toBe(PASSWORD_LIMITS.device[0]);
    await end("all");
    server.tick(HOUR);
    const address = aNetwork();
    expect(await passwordsLookedAt(person, [device(agent), ...cookies], address)).toBe(PASSWORD_LIMITS.network);
  });

  test("recovered by mail → no more than a stranger's", async () => {
    const person = await server.addPerson();
    const cookies = await manyKnown(9, () => known(person));
    const link = await askRecovery(person);
    const agent = new Agent(server.issuer, at());
    const page = await agent.submit(formWith(await agent.get(link), "link"), { password: NEW, again: NEW });
    expect(page.status).toBe(200);
    expect(await passwordsLookedAt(person, cookies, aNetwork())).toBe(PASSWORD_LIMITS.network);
  });

  test("well made, but of no row: from an older version, or made by a thief of the secret → a stranger's", async () => {
    const person = await server.addPerson();
    const made = new DerivedCredentials(new Secrets(secretOf(server.dataDir)));
    const cookies = [1, 2, 3].map((salt) => made.make("device", person.personId, 0, Buffer.alloc(32, salt)));
    expect(await passwordsLookedAt(person, cookies, aNetwork())).toBe(PASSWORD_LIMITS.network);
    const real = device(await known(person));
    const read = made.read("device", real);
    if (read === undefined) throw new Error("the cookie can't be read");
    const later = made.make("device", person.personId, 1, read.salt);
    expect(await passwordsLookedAt(person, [later], aNetwork())).toBe(PASSWORD_LIMITS.network);
  });

  test("a copy, after the owner has signed in again on that device with a new password → a stranger's", async () => {
    const person = await server.addPerson();
    const agent = await known(person);
    const copy = device(agent);
    const ends = { mustChange: false, endGrants: false, keepSessionId: null };
    const { hashPassword } = await import("../../packages/server/src/crypto/password-hashing.ts");
    const changed = { ...person, passwordHash: await hashPassword(NEW), ...ends, now: server.now() };
    await server.assent.storage.people.setPassword(changed);
    expect(await signsInWith(agent, person, NEW)).toBe(true);
    expect(device(agent)).not.toBe(copy);
    expect(await passwordsLookedAt(person, [copy], aNetwork(), 12)).toBe(PASSWORD_LIMITS.network);
    expect(await signsInWith(withCookie(device(agent), aNetwork()), person, NEW)).toBe(true);
  });
});

describe("ceilings over all devices and networks", () => {
  test("20 browsers signed in with both steps → wrong codes up to the hour's ceiling, then two for each that is kept", async () => {
    const victim = await withSecondStep(server);
    const signedIn = async () => {
      server.tick(30_000);
      return known(victim.person, (agent, page) => agent.submit(formWith(page, "code"), { code: victim.app.code() }));
    };
    const cookies = await manyKnown(2 * MOST_KNOWN_DEVICES, signedIn);
    const [full, narrowed] = CODE_LIMITS.device;
    // The owner's browser is the tenth, which is the last one that the account keeps.
    const filling = CODE_LIMITS.hour / full;
    const others = MOST_KNOWN_DEVICES - 1 - filling;
    expect(await codesLookedAt(victim, cookies, aNetwork())).toBe(CODE_LIMITS.hour + others * narrowed);
  });

  test("wrong passwords from nine devices → up to the hour's ceiling, then three for each; the person is told once", async () => {
    const person = await server.addPerson();
    const cookies = await manyKnown(MOST_KNOWN_DEVICES, () => known(person));
    const own = cookies.at(-1) ?? "";
    const guessers = cookies.slice(0, -1);
    const mark = server.log.length;
    const [full, narrowed] = PASSWORD_LIMITS.device;
    expect(await passwordsLookedAt(person, guessers, aNetwork(), full)).toBe(PASSWORD_LIMITS.hour + 4 * narrowed);
    expect((await letters(person, GUESSED))[0]?.text).toContain(person.username);
    const alarms = server.log.slice(mark).filter((line) => line.includes('"guessing"'));
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toContain(person.personId);
    // The owner's device made none of the guesses, so one wrong password and then the right one are checked.
    expect(await passwordsLookedAt(person, [own], aNetwork(), 1)).toBe(1);
    expect(await signsInWith(withCookie(own, aNetwork()), person)).toBe(true);
    // Too many typing errors block this device for 15 minutes at most.
    expect(await passwordsLookedAt(person, [own], aNetwork(), 5)).toBe(narrowed);
    expect(await signsInWith(withCookie(own, aNetwork()), person)).toBe(false);
    server.tick(QUARTER);
    expect(await signsInWith(withCookie(own, aNetwork()), person)).toBe(true);
    // In the next hour of the same day, the log gets another alarm, and the person gets no further message.
    server.tick(HOUR);
    await passwordsLookedAt(person, guessers, aNetwork(), full);
    expect(server.log.slice(mark).filter((line) => line.includes('"guessing"')).length).toBeGreaterThan(1);
    await askRecovery(person);
    expect(await letters(person, GUESSED)).toHaveLength(1);
  });

  test("wrong passwords from everywhere → the owner's device signs in at once, a stranger waits", async () => {
    const person = await server.addPerson();
    const own = device(await known(person));
    const tried = await Promise.all(networks(6).map((address) => passwordsLookedAt(person, [""], address)));
    expect(tried.reduce((sum, one) => sum + one, 0)).toBe(PASSWORD_LIMITS.hour);
    expect(await signsInWith(new Agent(server.issuer), person)).toBe(false);
    expect(await signsInWith(withCookie(own, aNetwork()), person)).toBe(true);
  });

  test("wrong codes behind the right password → the person is told that somebody knows it", async () => {
    const victim = await withSecondStep(server);
    for (const address of networks(3)) await codesLookedAt(victim, [""], address);
    const [message] = await letters(victim.person, "Somebody knows your password");
    expect(message?.link).toBe(`${server.issuer}/account/security/password`);
    expect(server.log.join("")).toContain('"guessed":"code"');
  });

  test("wrong codes behind the link of a recovery → the person is told of that, and not that somebody knows the password", async () => {
    const victim = await withSecondStep(server);
    const link = await askRecovery(victim.person);
    for (const address of networks(3)) {
      const agent = new Agent(server.issuer, at(address));
      const form = formWith(await agent.get(link), "code");
      for (let tries = 0; tries < CODE_LIMITS.network; tries += 1) await agent.submit(form, { code: "000000" });
    }
    const [message] = await letters(victim.person, "Somebody is trying to recover your account");
    expect(message?.text).toContain("Change your e-mail password");
    expect(await letters(victim.person, "Somebody knows your password", 0)).toEqual([]);
  });

  test("recovery codes count with one-time codes", async () => {
    const victim = await withSecondStep(server);
    let looked = 0;
    for (const address of networks(4)) {
      const agent = new Agent(server.issuer, at(address));
      const page = await signIn(agent, victim.person.username);
      for (let tries = 0; tries < 4; tries += 1) {
        const field = tries % 2 === 0 ? "code" : "recovery";
        const typed = tries % 2 === 0 ? victim.app.code(50) : "aaaa-aaaa-aaaa-aaaa";
        if ((await agent.submit(formWith(page, field), { [field]: typed })).status === 200) looked += 1;
      }
    }
    expect(looked).toBe(CODE_LIMITS.hour);
  });
});

test("strangers have used up the account's hour; the owner recovers by mail → signs in at once in that browser", async () => {
  const person = await server.addPerson();
  const link = await askRecovery(person);
  for (const address of networks(6)) await passwordsLookedAt(person, [""], address);
  const agent = new Agent(server.issuer, at());
  await agent.submit(formWith(await agent.get(link), "password"), { password: NEW, again: NEW });
  expect(await signsInWith(new Agent(server.issuer), person, NEW)).toBe(false);
  expect(await signsInWith(agent, person, NEW)).toBe(true);
});

describe("other places that take the password", () => {
  test("re-authentication with the session alone, the device cookie left out → a stranger's limits", async () => {
    const person = await server.addPerson();
    const agent = new Agent(server.issuer, at());
    await signIn(agent, person.username);
    agent.cookies.delete("assent_device");
    const form = formWith(await agent.get("/account/security/password"), "current_password");
    const fields = { current_password: "wrong", password: NEW, again: NEW };
    let looked = 0;
    for (let tries = 0; tries < 15; tries += 1) {
      const page = await agent.submit(form, fields);
      if (!page.text.includes("Too many attempts")) looked += 1;
    }
    expect(looked).toBe(PASSWORD_LIMITS.network);
    // They are counted together with attempts on the sign-in page.
    const elsewhere = await Promise.all(networks(5).map((address) => passwordsLookedAt(person, [""], address)));
    expect(elsewhere.reduce((sum, one) => sum + one, 0)).toBe(PASSWORD_LIMITS.hour - PASSWORD_LIMITS.network);
  });

  test("the password grant, with a device cookie beside it → a stranger's limits, and the account's ceiling", async () => {
    const person = await server.addPerson();
    const client = await server.addClient({ grantTypes: ["password"] });
    const agent = await known(person);
    const ask = (password: string) =>
      postForm(
        server,
        "/token",
        client,
        { grant_type: "password", username: person.username, password, scope: "read" },
        { ...at("198.51.100.77"), cookie: `assent_device=${device(agent)}` },
      );
    const statuses: number[] = [];
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await ask(`wrong ${tries}`)).status);
    expect(statuses.filter((status) => status === 400)).toHaveLength(PASSWORD_LIMITS.network);
    for (const address of networks(4)) await passwordsLookedAt(person, [""], address);
    expect(await passwordsLookedAt(person, [""], aNetwork())).toBe(0);
    expect(await signsInWith(agent, person)).toBe(true);
  });
});
