/** Changes that an intruder makes unnoticed: whether the owner gets a message, sees them, and can undo them. */

import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { aJwtIssuer, claimsFor, claimsOf, JWT_BEARER, jwtOf, present, trust } from "../support/assertion-requests.ts";
import { AUTHENTICATOR, appOf, formWith } from "../support/authenticator-app.ts";
import { Agent } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  decide,
  recoveryLink,
  STRANGE_BROWSER,
} from "../support/recovery-actors.ts";
import { HOUR, isDecision, isProof, prove, recoveryStage } from "../support/recovery-setup.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

const DELETE = "/account/profile/delete";
const OTHER_PASSWORD = "a handful of pebbles";

let server: TestServer;
let mailbox: TestMailbox;
const { anOwner, anIntruder, opened, movedTo, started } = recoveryStage();
beforeAll(() => {
  ({ server, mailbox } = started());
});

async function signInWith(agent: Agent, { username }: Person, password: string): Promise<Agent> {
  await agent.submit(formWith(await agent.get("/login"), "username"), { username, password });
  return agent;
}

async function signInWithPage(agent: Agent, { username }: Person) {
  return agent.submit(formWith(await agent.get("/login"), "username"), { username, password: PASSWORD });
}

const deleteAt = async (person: Person) => (await server.assent.storage.people.get(person))?.deleteAt ?? null;

describe("the end of the account", () => {
  test("asked for again and again while the owner recovers → the account stays, and nothing asks any more", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const form = formWith(await intruder.get(DELETE), "current_password");
    const { reader, page } = await opened(person);
    let asked = 0;
    const script = async () => {
      for (;;) {
        const { location } = await intruder.submit(form, { current_password: PASSWORD });
        if (location?.pathname === "/login") return;
        asked += 1;
      }
    };
    // Several at once, so that one password check is always under way when the recovery commits.
    const all = Promise.all([script(), script(), script()]);
    await expect.poll(() => asked).toBeGreaterThan(0);
    const done = await decide(reader, page);
    expect(done.text).toContain("Your password was changed");
    await all;
    expect(await deleteAt(person)).toBeNull();
  });

  test("asked for after twenty sign-ins with new browsers → the owner hears of the end, and of a new password, too", async () => {
    const { person } = await anOwner();
    server.tick(30 * DAY);
    let intruder = new Agent(server.issuer);
    for (let count = 0; count < 21; count += 1) {
      intruder = await signInWith(new Agent(server.issuer, { "user-agent": STRANGE_BROWSER }), person, PASSWORD);
      server.tick(1000);
    }
    const change = formWith(await intruder.get("/account/security/password"), "current_password");
    await intruder.submit(change, { current_password: PASSWORD, password: OTHER_PASSWORD, again: OTHER_PASSWORD });
    await intruder.submit(formWith(await intruder.get(DELETE), "current_password"), {
      current_password: OTHER_PASSWORD,
    });
    expect(await deleteAt(person)).not.toBeNull();
    await expect
      .poll(() => [...new Set(mailbox.to(person.email).map(({ subject }) => subject))].sort())
      .toEqual(["New sign-in to your account", "Your account will be deleted", "Your password was changed"]);
  });

  test("asked for → every page of the account says so, and a press keeps it", async () => {
    const { person, owner } = await anOwner();
    expect((await owner.get("/account/security")).text).not.toContain("will be deleted");
    const now = server.now();
    await server.assent.storage.people.setDeletion({
      ...{ partition: person.partition, personId: person.personId, at: now + 14 * DAY, mails: [], now },
      keepSessionId: (await server.assent.storage.sessions.list({ ...person, now }))[0]?.sessionId ?? "",
    });
    for (const path of ["apps", "companies", "history", "security", "profile"]) {
      const page = await owner.get(`/account/${path}`);
      expect(page.text, path).toContain("Your account will be deleted on");
      expect(page.forms.map(({ action }) => action)).toContain("/account/profile/keep");
    }
    const page = await owner.get("/account/apps");
    const keep = page.forms.find(({ action }) => action === "/account/profile/keep");
    if (keep === undefined) throw new Error("no way to keep it");
    await owner.submit(keep);
    expect(await deleteAt(person)).toBeNull();
    expect((await owner.get("/account/apps")).text).not.toContain("will be deleted");
  });
});

describe("a browser that the owner has ended", () => {
  for (const how of ["a new password, everybody signed out", "that session signed out"] as const) {
    test(`by ${how} → it does not go on ageing: what it adds a week later, no recovery demands`, async () => {
      const { person, owner } = await anOwner();
      const intruder = await anIntruder(person);
      server.tick(HOUR);
      await signInWith(owner, person, PASSWORD);
      let password = PASSWORD;
      if (how.startsWith("a new password")) {
        const change = formWith(await owner.get("/account/security/password"), "current_password");
        password = OTHER_PASSWORD;
        const done = await owner.submit(change, { current_password: PASSWORD, password, again: password });
        expect(done.status).toBe(303);
      } else {
        const sessions = await server.assent.storage.sessions.list({ ...person, now: server.now() });
        const theirs = sessions.find(({ userAgent }) => userAgent === STRANGE_BROWSER)?.sessionId ?? "";
        const form = (await owner.get("/account/security")).forms.find(
          ({ fields, buttons }) => fields.get("end") === theirs || buttons.some(([, value]) => value === theirs),
        );
        if (form === undefined) throw new Error("the session is not on the page");
        await owner.submit(form, { end: theirs });
      }
      expect((await intruder.get("/account/apps")).location?.pathname).toBe("/login");
      server.tick(8 * DAY);
      await signInWith(intruder, person, password);
      await aPasskeyOf(intruder, server, "Theirs");
      server.tick(HOUR);
      expect(isProof(await owner.get(await recoveryLink(person, server, mailbox)))).toBe(false);
      // The owner's own browser keeps its age, so a factor that it adds is vouched.
      await signInWith(owner, person, password);
      await aPasskeyOf(owner, server, "Mine");
      const keys = await server.assent.storage.passkeys.list(person);
      expect(keys.map(({ name, added }) => [name, added.vouchedFrom !== null])).toEqual([
        ["Theirs", false],
        ["Mine", true],
      ]);
    });
  }
});

describe("an identity of the intruder's at a trusted issuer", () => {
  test("linked while the account had their address → the owner's undoing of the change ends it, and one of before stays", async () => {
    const jwt = aJwtIssuer("https://idp.test");
    const client = await server.addClient({ grantTypes: [JWT_BEARER], redirectUris: [] });
    await trust(server, { type: "jwt", mapSubject: "email", jwks: jwt.jwks, issuer: "https://mailed.test" });
    const { person } = await anOwner();
    const as = async (sub: string, email: string) => {
      const claims = { ...claimsFor(server, { issuer: "https://mailed.test" }, sub), email, email_verified: true };
      const { status, body } = await present(server, client, JWT_BEARER, jwtOf(jwt, claims));
      return status === 200 && claimsOf(body.access_token)["sub"] === person.personId;
    };
    const [before, during] = [randomUUID(), randomUUID()];
    const { personId, partition } = person;
    const subject = { issuerId: "elsewhere", claim: null, subject: before };
    const link = { partition, personId, subject, sole: false, madeBy: "first use", now: server.now() } as const;
    expect(await server.assent.storage.subjectLinks.link(link)).toEqual({ kind: "linked" });
    const { email, notice } = await movedTo(await anIntruder(person), person);
    expect(await as(during, email)).toBe(true);
    server.tick(60_000);
    const owner = new Agent(server.issuer);
    expect((await decide(owner, await owner.get(notice.link))).text).toContain("The account is yours again");
    for (const address of [email, "another@example.test"]) expect(await as(during, address)).toBe(false);
    expect((await server.assent.storage.subjectLinks.ofPerson(person)).map((one) => one.subject)).toEqual([before]);
    // When this link is written, the account no longer has the address, so the link is refused.
    const late = { ...link, subject: { ...subject, subject: during }, email };
    expect(await server.assent.storage.subjectLinks.link(late)).toEqual({ kind: "unknown" });
  });
});

describe("an authenticator put in place of the owner's at the moment at which the owner signs in", () => {
  test("→ the owner's code vouches for theirs alone", async () => {
    for (let trial = 0; trial < 8; trial += 1) {
      const { person, owner } = await anOwner();
      const mine = await anAuthenticatorOf(owner, server);
      server.tick(30 * DAY);
      const half = async (agent: Agent) => formWith(await signInWithPage(agent, person), "code");
      const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
      await intruder.submit(await half(intruder), { code: mine.app.code() });
      const setup = await intruder.get(AUTHENTICATOR);
      const theirs = appOf(setup, server);
      const ownersForm = await half(owner);
      server.tick(60_000);
      const code = mine.app.code();
      await Promise.all([
        owner.submit(ownersForm, { code }),
        intruder.submit(formWith(setup, "code"), { code: theirs.code() }),
      ]);
      const factor = await server.assent.storage.secondFactors.get(person);
      if ((factor?.createdAt ?? 0) > server.now() - 60_000) expect(factor?.added.vouchedFrom).toBeNull();
    }
  });
});

describe("somebody who knows the password types wrong codes in many networks", () => {
  test("for hours → the owner, with a new browser, their mail and their code, recovers; more codes behind one link are not looked at", async () => {
    const box = await startMailbox();
    const config = { smtpUrl: smtpTo(box), trustProxy: ["127.0.0.1", "::1"] };
    const one = await startServer({ host: "localhost", config });
    try {
      const person = await one.addPerson();
      const first = new Agent(one.issuer, { "x-forwarded-for": "203.0.113.1" });
      await signInWith(first, person, PASSWORD);
      const mine = await anAuthenticatorOf(first, one);
      one.tick(30 * DAY);
      for (let hour = 0; hour < 8; hour += 1) {
        for (const net of [1, 2, 3]) {
          const guesser = new Agent(one.issuer, { "x-forwarded-for": `192.0.${net}.1` });
          const page = await signInWithPage(guesser, person);
          if (!page.forms.some(({ fields }) => fields.has("code"))) continue;
          for (let guess = 0; guess < 4; guess += 1) await guesser.submit(formWith(page, "code"), { code: "000000" });
        }
        one.tick(60_000);
        const reader = new Agent(one.issuer, { "x-forwarded-for": "198.51.100.7" });
        const page = await reader.get(await recoveryLink(person, one, box));
        expect(isDecision(await prove(reader, page, { code: mine.app.code() })), `hour ${hour}`).toBe(true);
        one.tick(HOUR - 59_000);
      }
      const reader = new Agent(one.issuer, { "x-forwarded-for": "198.51.100.7" });
      const page = await reader.get(await recoveryLink(person, one, box));
      const said: number[] = [];
      for (let guess = 0; guess < 7; guess += 1)
        said.push((await reader.submit(formWith(page, "code"), { code: "000000" })).status);
      expect(said.at(-1)).toBe(429);
      expect(said.filter((status) => status === 200).length).toBeLessThanOrEqual(5);
    } finally {
      await one.stop();
      await box.stop();
    }
  });
});
