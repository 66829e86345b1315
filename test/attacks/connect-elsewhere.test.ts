/** Connecting an account at another provider: whose proof it is, how often it counts, and whom the identity belongs to. */

import { afterAll, beforeEach, describe, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { Agent, type Form, type Page, signIn } from "../support/http-browser.ts";
import {
  DAY,
  decide,
  messageTo,
  OWNERS_BROWSER,
  recoveryLink,
  STRANGE_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import {
  addProvider,
  aSubject,
  type ForgingProvider,
  isSignedIn,
  pressProvider,
  signInThere,
  withForgingProvider,
} from "../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import type { TestServer } from "../support/test-server.ts";

const SECURITY = "/account/security";
const CONNECT = `${SECURITY}/connect`;
let server: TestServer;
let mailbox: TestMailbox;
let there: ForgingProvider;
let provider: SignInProvider;

withForgingProvider(
  (at) => {
    ({ server, there } = at);
  },
  async () => {
    mailbox = await startMailbox();
    return { host: "localhost", config: { smtpUrl: smtpTo(mailbox) } };
  },
);
afterAll(() => mailbox.stop());
beforeEach(async () => {
  provider = await addProvider(server, there.issuer);
});

const linksOf = ({ partition, personId }: Person) =>
  server.assent.storage.subjectLinks.ofPerson({ partition, personId });
const subjectsOf = async (person: Person) => (await linksOf(person)).map(({ subject }) => subject);

async function somebody(): Promise<{ readonly person: Person; readonly agent: Agent }> {
  const person = await server.addPerson();
  const agent = new Agent(server.issuer);
  await signIn(agent, person.username);
  return { person, agent };
}

/** The way back from the provider for somebody who pressed "Connect". */
async function callbackFor(agent: Agent, claims: Readonly<Record<string, unknown>> = aSubject()): Promise<string> {
  return there.callback(await pressProvider(agent, await agent.get(SECURITY), provider), {}, claims);
}

/** The question whether to connect. */
async function question(agent: Agent, claims: Readonly<Record<string, unknown>> = aSubject()): Promise<Page> {
  return agent.follow(await agent.get(await callbackFor(agent, claims)));
}

function answerIn(page: Page): Form {
  const form = page.forms.find(({ action }) => action.endsWith(CONNECT));
  if (form === undefined) throw new Error(`no question: ${page.status} ${page.text.slice(0, 300)}`);
  return form;
}

async function connects(agent: Agent, claims: Readonly<Record<string, unknown>>): Promise<Page> {
  return agent.submit(answerIn(await question(agent, claims)));
}

const doneIn = ({ location }: Page) => location?.searchParams.get("done");

async function disconnects(agent: Agent): Promise<void> {
  const link = /\/account\/security\/identities\/remove\?id=[^"]+/.exec((await agent.get(SECURITY)).text)?.[0] ?? "";
  const form = (await agent.get(link)).forms.find(({ action }) => action.endsWith("/identities/remove"));
  if (form === undefined) throw new Error("no form to disconnect");
  expect(doneIn(await agent.submit(form))).toBe("account-disconnected");
}

/** All spellings of the same bytes: the last character of base64url can have bits that no byte has. */
const spellings = (text: string) =>
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"]
    .map((last) => text.slice(0, -1) + last)
    .filter((one) => Buffer.from(one, "base64url").equals(Buffer.from(text, "base64url")));

test("the provider is disabled, and somebody with a verified address has no password → no link by mail is promised, because none is sent", async () => {
  const named = { emailDomains: ["link.test"], trustEmail: true };
  const only = await addProvider(server, there.issuer, named);
  await server.addPerson({ passwordHash: null, passwordChangedAt: null, email: "nobody@link.test" });
  const agent = new Agent(server.issuer);
  there.answering = { claims: { ...aSubject(), email: "nobody@link.test" } };
  await signInThere(agent, there, only);
  await addProvider(server, there.issuer, { ...only, status: "disabled" });
  const stands = server.stand();
  server.tick(11 * 60_000);
  const page = await agent.follow(await agent.get("/account/profile/export"));
  expect(page.text).not.toContain("a link that we send you");
  expect(page.text).toContain("Ask the people who run this service.");
  expect(page.text).not.toContain('type="password"');
  expect(page.text).not.toContain('href="/recover');
  expect((await agent.get(SECURITY)).text).toContain("If you sign out, you can’t sign in again.");
  stands();
});

describe("UP-09 the proof of an account elsewhere", () => {
  test("used again after disconnecting, in any spelling → not connected", async () => {
    for (const padding of ["", "x", "xx", "xxx"]) {
      const { person, agent } = await somebody();
      const form = answerIn(await question(agent, { ...aSubject(), name: `Ada${padding}` }));
      expect(doneIn(await agent.submit(form))).toBe("account-connected");
      await disconnects(agent);
      for (const identity of spellings(form.fields.get("identity") ?? "")) {
        expect(doneIn(await agent.submit(form, { identity }))).toBe("account-failed");
        expect(await linksOf(person)).toEqual([]);
      }
    }
  });

  test("20 times at once → connected once, one message", async () => {
    const { person, agent } = await somebody();
    const form = answerIn(await question(agent));
    const done = (await Promise.all(Array.from({ length: 20 }, () => agent.submit(form)))).map(doneIn);
    // A later answer sees the connection, like the second click of a double click.
    expect(done).toContain("account-connected");
    expect(done.filter((one) => one !== "account-connected" && one !== "account-failed")).toEqual([]);
    expect(await linksOf(person)).toHaveLength(1);
    await messageTo(person.email, "A sign-in was connected to your account", mailbox);
    const subjects = mailbox.to(person.email).map(({ subject }) => subject);
    expect(subjects.filter((one) => one?.startsWith("A sign-in was connected"))).toHaveLength(1);
  });

  test("of mallory, opened and sent by alice; of another session of alice → not connected", async () => {
    const [mallory, alice] = [await somebody(), await somebody()];
    const proof = (await question(mallory.agent)).forms.find(({ action }) => action.endsWith(CONNECT));
    const identity = proof?.fields.get("identity") ?? "";
    const other = new Agent(server.issuer);
    await signIn(other, mallory.person.username);
    const own = answerIn(await question(alice.agent));
    const theirs = answerIn(await question(other));
    for (const [agent, form] of [
      [alice.agent, own],
      [other, theirs],
    ] as const) {
      expect(doneIn(await agent.get(`${CONNECT}?${new URLSearchParams({ identity })}`))).toBe("account-failed");
      expect(doneIn(await agent.submit(form, { identity }))).toBe("account-failed");
    }
    expect([await linksOf(alice.person), await linksOf(mallory.person)]).toEqual([[], []]);
  });

  test("altered, cut, empty, of 10 kB, missing, or a state → not connected", async () => {
    const { person, agent } = await somebody();
    const form = answerIn(await question(agent));
    const whole = form.fields.get("identity") ?? "";
    const state = new URL(await callbackFor(agent)).searchParams.get("state") ?? "";
    const flipped = (whole.startsWith("A") ? "B" : "A") + whole.slice(1);
    for (const identity of [flipped, whole.slice(4), "", "A".repeat(10_000), "{}", state]) {
      expect(doneIn(await agent.submit(form, { identity }))).toBe("account-failed");
      expect(doneIn(await agent.get(`${CONNECT}?${new URLSearchParams({ identity })}`))).toBe("account-failed");
    }
    expect(doneIn(await agent.get(CONNECT))).toBe("account-failed");
    expect(await linksOf(person)).toEqual([]);
  });

  test("of a provider that is disabled meanwhile → not connected", async () => {
    const { person, agent } = await somebody();
    const form = answerIn(await question(agent));
    await addProvider(server, there.issuer, { ...provider, status: "disabled" });
    expect(doneIn(await agent.submit(form))).toBe("account-closed");
    expect(await linksOf(person)).toEqual([]);
  });

  test("claims of 10 kB, with markup and reordered → the question shows a short, plain text; connected", async () => {
    const evil = `\u202E<script>alert(1)</script>${"x".repeat(10_000)}`;
    for (const claims of [
      { ...aSubject(), name: evil, email: evil, preferred_username: evil },
      { ...aSubject(), name: "\u{1F600}".repeat(50), email: `${"ä".repeat(240)}@x.test`, sub: "ö".repeat(255) },
    ]) {
      const { person, agent } = await somebody();
      const page = await question(agent, claims);
      expect(page.text).not.toMatch(/<script>alert|\u202E|x{300}/);
      await agent.submit(answerIn(page));
      expect(await subjectsOf(person)).toEqual([claims.sub]);
    }
  });
});

describe("UP-10 connecting that somebody else begins", () => {
  test("by GET, or with a form without the token → not begun", async () => {
    const { agent } = await somebody();
    const begin = `${CONNECT}/begin`;
    expect((await agent.get(`${begin}?provider=${provider.id}`)).status).toBe(405);
    for (const fields of [{ provider: provider.id }, { provider: provider.id, csrf: "guessed" }]) {
      const page = await agent.post(begin, fields, { origin: "https://evil.test" });
      expect([page.status, page.location]).toEqual([403, undefined]);
    }
  });

  test("the answer without the token, or with another session's → not connected", async () => {
    const { person, agent } = await somebody();
    const other = await somebody();
    const form = answerIn(await question(agent));
    const csrf = answerIn(await question(other.agent)).fields.get("csrf") ?? "";
    for (const given of ["", csrf]) expect((await agent.submit(form, { csrf: given })).status).toBe(403);
    expect(await linksOf(person)).toEqual([]);
    expect(doneIn(await agent.submit(form))).toBe("account-connected");
  });

  test("mallory's callback, or alice's with mallory's code → no question", async () => {
    const [mallory, alice] = [await somebody(), await somebody()];
    const [theirs, own] = [await callbackFor(mallory.agent), new URL(await callbackFor(alice.agent))];
    expect((await alice.agent.get(theirs)).status).toBe(400);
    own.searchParams.set("code", new URL(theirs).searchParams.get("code") ?? "");
    expect(doneIn(await alice.agent.get(own.href))).toBe("account-failed");
    expect(await linksOf(alice.person)).toEqual([]);
  });

  test("begun by alice, finished when bob is signed in in that browser, or nobody → no question, nobody connected", async () => {
    const alice = await somebody();
    const bob = await server.addPerson();
    const [first, second] = [await callbackFor(alice.agent), await callbackFor(alice.agent)];
    alice.agent.cookies.delete("assent_session");
    const nobody = await alice.agent.follow(await alice.agent.get(first));
    expect(nobody.forms.some(({ action }) => action.endsWith(CONNECT))).toBe(false);
    await signIn(alice.agent, bob.username);
    expect(doneIn(await alice.agent.get(second))).toBe("account-failed");
    expect([await linksOf(alice.person), await linksOf(bob), await isSignedIn(alice.agent)]).toEqual([[], [], true]);
  });

  test("a sign-in of ten minutes ago → signs in again before the provider, and before the answer", async () => {
    const { person, agent } = await somebody();
    const page = await agent.get(SECURITY);
    const form = answerIn(await question(agent));
    server.tick(600_001);
    expect((await pressProvider(agent, page, provider)).location?.pathname).toBe("/account/confirm");
    expect((await agent.submit(form)).location?.pathname).toBe("/account/confirm");
    expect(await linksOf(person)).toEqual([]);
  });

  test("an account found by its address → the same message", async () => {
    provider = await addProvider(server, there.issuer, { emailDomains: ["corp.test"], trustEmail: true });
    const person = await server.addPerson({ email: "found@corp.test" });
    there.answering = { claims: { ...aSubject(), email: person.email } };
    await signInThere(new Agent(server.issuer), there, provider);
    await messageTo(person.email, "A sign-in was connected to your account", mailbox);
    expect(await linksOf(person)).toHaveLength(1);
  });
});

describe("UP-11 an identity that somebody has", () => {
  test("bob's → refused, and the page doesn't say whose it is", async () => {
    const [bob, alice] = [await somebody(), await somebody()];
    const claims = aSubject();
    await connects(bob.agent, claims);
    const page = await alice.agent.follow(await connects(alice.agent, claims));
    expect(page.text).toContain(
      "already connected to another account here, perhaps one of yours. To connect it to this one, first sign in with it",
    );
    expect(page.text).not.toContain(bob.person.username);
    expect([await subjectsOf(bob.person), await subjectsOf(alice.person)]).toEqual([[claims.sub], []]);
  });

  test("ten people connect one identity at once → exactly one has it", async () => {
    const claims = aSubject();
    const people = await Promise.all(Array.from({ length: 10 }, somebody));
    const forms = await Promise.all(people.map(async ({ agent }) => answerIn(await question(agent, claims))));
    const pages = await Promise.all(people.map(({ agent }, at) => agent.submit(forms[at] as Form)));
    expect(pages.map(doneIn).filter((one) => one === "account-connected")).toHaveLength(1);
    const links = (await Promise.all(people.map(({ person }) => linksOf(person)))).flat();
    expect(links).toHaveLength(1);
  });

  test("bob disconnects it → free for alice", async () => {
    const [bob, alice] = [await somebody(), await somebody()];
    const claims = aSubject();
    await connects(bob.agent, claims);
    await disconnects(bob.agent);
    expect(doneIn(await connects(alice.agent, claims))).toBe("account-connected");
  });

  test("bob is deleted → free for alice; a sign-in with it leads to alice", async () => {
    const [bob, alice] = [await somebody(), await somebody()];
    const claims = aSubject();
    await connects(bob.agent, claims);
    await server.assent.storage.people.delete({ ...bob.person, now: server.now() });
    expect(doneIn(await connects(alice.agent, claims))).toBe("account-connected");
    expect(await subjectsOf(alice.person)).toEqual([claims.sub]);
  });

  test("a second identity of the same provider → refused; both stay what they were", async () => {
    const { person, agent } = await somebody();
    const claims = aSubject();
    await connects(agent, claims);
    // The page has no button then. Two tabs have the question open.
    const other = await somebody();
    const [one, two] = [answerIn(await question(other.agent)), answerIn(await question(other.agent))];
    const done = (await Promise.all([other.agent.submit(one), other.agent.submit(two)])).map(doneIn);
    expect(done.sort()).toEqual(["account-connected", "account-other"]);
    expect([await subjectsOf(person), (await linksOf(other.person)).length]).toEqual([[claims.sub], 1]);
  });
});

test("an intruder connects an account of theirs, and the owner recovers → the owner's identity stays, the intruder's is gone", async () => {
  const second = await addProvider(server, there.issuer, { name: "Other ID" });
  const person = await server.addPerson();
  const owner = await signedInWith(OWNERS_BROWSER, person, server);
  const [own, theirs] = [aSubject(), aSubject()];
  expect(doneIn(await connects(owner, own))).toBe("account-connected");
  server.tick(30 * DAY);
  const intruder = await signedInWith(STRANGE_BROWSER, person, server);
  const first = provider;
  provider = second;
  expect(doneIn(await connects(intruder, theirs))).toBe("account-connected");
  const reader = new Agent(server.issuer);
  await decide(reader, await reader.get(await recoveryLink(person, server, mailbox)));
  expect(await subjectsOf(person)).toEqual([own.sub]);
  there.answering = { claims: theirs };
  const again = new Agent(server.issuer);
  await signInThere(again, there, second);
  expect((await again.get("/account/profile")).text).not.toContain(`"${person.username}"`);
  there.answering = { claims: own };
  const back = new Agent(server.issuer);
  await signInThere(back, there, first);
  expect((await back.get("/account/profile")).text).toContain(person.username);
});
