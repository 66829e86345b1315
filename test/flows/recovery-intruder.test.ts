/**
 * An account that an intruder can use, and its owner who recovers it by mail. Also somebody who reads the mail and
 * isn't the owner.
 */

import { beforeAll, describe, expect, test } from "vitest";
import { formWith, recoveryCodesOf } from "../support/authenticator-app.ts";
import { Agent, type Page } from "../support/http-browser.ts";
import {
  aConnection,
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  decide,
  entersBy,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  passkeyOptions,
  recoveryLink,
  STRANGE_BROWSER,
  signedInWith,
  ticksOf,
} from "../support/recovery-actors.ts";
import { HOUR, isDecision, isProof, prove, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, anAddress, opened, movedTo } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

describe("an intruder who knows the password", () => {
  test("adds a passkey and an authenticator → the owner recovers without them, and the intruder has nothing left", async () => {
    const { person, owner } = await anOwner();
    const mine = await aConnection(owner, person, server, { name: "Photo Printer" });
    const intruder = await anIntruder(person);
    const key = await aPasskeyOf(intruder, server, "Desk key");
    const { app } = await anAuthenticatorOf(intruder, server);
    const theirs = await aConnection(intruder, person, server, { name: "Mail Export" });
    expect([await entersBy(key, server), await entersWith(person.username, PASSWORD, server)]).toEqual([true, "code"]);

    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({
      ...{ "Passkey “Desk key”": true, "Authenticator app": true, "Mail Export": true, "Photo Printer": false },
    });
    expect(page.text).toContain("Chrome on Windows");
    expect(page.text).toContain("127.0.0.x");
    const done = await decide(reader, page);
    expect(done.text).toContain("Your password was changed");
    // Each name is isolated, so that a right-to-left name doesn't move other names.
    expect(done.text).toContain("Removed: <bdi>Passkey “Desk key”</bdi> and <bdi>Authenticator app</bdi>.");
    expect(done.text).toContain("Access revoked: <bdi>Mail Export</bdi>.");
    expect(done.text).toContain("Still have access: <bdi>Photo Printer</bdi>.");

    expect(await entersBy(key, server)).toBe(false);
    expect((await intruder.get("/account/apps")).location?.pathname).toBe("/login");
    expect([await theirs.works(), await mine.works()]).toEqual([false, true]);
    expect(await entersWith(person.username, PASSWORD, server)).toBe("no");
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("in");
    expect(app.code()).toMatch(/^\d{6}$/);
    expect(await server.assent.storage.passkeys.list(person)).toEqual([]);
    expect(await server.assent.storage.secondFactors.get(person)).toBeUndefined();

    const told = await messageTo(person.email, REMOVED, mailbox);
    expect(told.text).toContain("Removed: Passkey “Desk key” and Authenticator app");
    expect(told.text).toContain("Access revoked: Mail Export");
    expect(told.text).toContain("Still have access: Photo Printer");
    expect(told.link).toContain("/recover/undo?link=ml_");
  });

  test("uses what they added on their own browser for weeks → it still counts for nothing", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const key = await aPasskeyOf(intruder, server, "Theirs");
    for (let week = 0; week < 4; week += 1) {
      server.tick(8 * DAY);
      const page = await intruder.get("/login");
      await intruder.submit(formWith(page, "credential"), { credential: key.get(passkeyOptions(page)) });
      expect((await intruder.get("/account/apps")).status).toBe(200);
    }
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ "Passkey “Theirs”": true });
    await decide(reader, page);
    expect(await entersBy(key, server)).toBe(false);
  });

  test("is thrown out, and comes back later with the browser of then → that browser is new again", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const first = await opened(person);
    await decide(first.reader, first.page, { password: PASSWORD, again: PASSWORD });
    server.tick(20 * DAY);
    await intruder.submit(formWith(await intruder.get("/login"), "username"), {
      ...{ username: person.username, password: PASSWORD },
    });
    await aPasskeyOf(intruder, server, "Theirs");
    expect(ticksOf((await opened(person)).page)).toEqual({ "Passkey “Theirs”": true });
  });

  test("comes first to an account with a password that was handed out → within a week nothing of theirs is vouched for", async () => {
    const person = await server.addPerson({ mustChangePassword: true });
    const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    await intruder.submit(formWith(await intruder.get("/login"), "username"), {
      ...{ username: person.username, password: PASSWORD },
    });
    const change = await intruder.get("/account/security/password");
    const chosen = { current_password: PASSWORD, password: "a handful of pebbles", again: "a handful of pebbles" };
    expect((await intruder.submit(formWith(change, "current_password"), chosen)).status).toBe(303);
    const key = await aPasskeyOf(intruder, server, "Theirs");
    server.tick(6 * DAY);
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ "Passkey “Theirs”": true });
    await decide(reader, page);
    expect(await entersBy(key, server)).toBe(false);
  });

  for (const mustChangePassword of [true, false])
    test(`reads the mail of somebody who has never signed in${mustChangePassword ? ", with a password that was handed out" : ""} → nothing of theirs is vouched for within a week`, async () => {
      const person = await server.addPerson({ mustChangePassword });
      const thief = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
      const chosen = { password: PASSWORD, again: PASSWORD };
      await decide(thief, await thief.get(await recoveryLink(person, server, mailbox)), chosen);
      await thief.submit(formWith(await thief.get("/login"), "username"), {
        ...{ username: person.username, password: PASSWORD },
      });
      const key = await aPasskeyOf(thief, server, "Theirs");
      server.tick(6 * DAY);
      const { reader, page } = await opened(person);
      expect(ticksOf(page)).toEqual({ "Passkey “Theirs”": true });
      await decide(reader, page);
      expect(await entersBy(key, server)).toBe(false);
    });

  test("took a code as well, and put an authenticator in place of the owner's → the owner's own code takes the account back, and it is there again", async () => {
    const { person, owner } = await anOwner();
    const mine = await anAuthenticatorOf(owner, server);
    server.tick(30 * DAY);
    const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    const login = formWith(await intruder.get("/login"), "username");
    const step = await intruder.submit(login, { username: person.username, password: PASSWORD });
    await intruder.submit(formWith(step, "code"), { code: mine.app.code() });
    server.tick(60_000);
    const theirs = await anAuthenticatorOf(intruder, server);

    const { reader, page } = await opened(person);
    expect(isProof(page)).toBe(true);
    expect((await prove(reader, page, { code: mine.app.code(9) })).text).toContain("That code is wrong");
    expect((await prove(reader, page, { recovery: "aaaa-bbbb-cccc-dddd" })).text).toContain(
      "isn’t one of your recovery codes",
    );
    const decision = await prove(reader, page, { code: mine.app.code() });
    expect(ticksOf(decision)).toEqual({ "Authenticator app": true });
    expect(decision.text).toContain("Your previous authenticator app will work again.");
    await decide(reader, decision);
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("code");
    const factor = await server.assent.storage.secondFactors.get(person);
    expect(factor).toMatchObject({ codesLeft: 10, earlier: null });
    // The intruder's code no longer signs in; the owner's code does.
    server.tick(60_000);
    for (const [code, status] of [
      [theirs.app.code(), 200],
      [mine.app.code(), 303],
    ] as const) {
      const agent = new Agent(server.issuer);
      const again = formWith(await agent.get("/login"), "username");
      const second = await agent.submit(again, { username: person.username, password: NEW_PASSWORD });
      expect((await agent.submit(formWith(second, "code"), { code })).status).toBe(status);
    }
  });

  test("made new recovery codes → the owner's old ones prove who they are, and theirs go", async () => {
    const { person, owner } = await anOwner();
    const mine = await anAuthenticatorOf(owner, server);
    server.tick(30 * DAY);
    const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    const login = formWith(await intruder.get("/login"), "username");
    const step = await intruder.submit(login, { username: person.username, password: PASSWORD });
    await intruder.submit(formWith(step, "code"), { code: mine.app.code() });
    const security = await intruder.get("/account/security");
    const renew = security.forms.find(({ action }) => action.endsWith("/recovery-codes"));
    if (renew === undefined) throw new Error("no new codes");
    const theirs = recoveryCodesOf(await intruder.submit(renew));
    expect(theirs).toHaveLength(10);

    const { reader, page } = await opened(person);
    expect((await prove(reader, page, { recovery: theirs[0] ?? "" })).text).toContain(
      "was created or restored in a browser that was new",
    );
    const decision = await prove(reader, page, { recovery: mine.codes[0] ?? "" });
    expect(ticksOf(decision)).toEqual({ "Recovery codes": true });
    expect(decision.text).toContain("Authenticator app");
    await decide(reader, decision);
    expect(await server.assent.storage.secondFactors.get(person)).toMatchObject({ codesLeft: 9, earlierCodesLeft: 0 });
  });

  test("gave the account their own address → the owner takes it back; that address hears it, and can undo nothing", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const key = await aPasskeyOf(intruder, server, "Theirs");
    const email = anAddress();
    const profile = await intruder.get("/account/profile");
    await intruder.submit(formWith(profile, "email"), { email, current_password: PASSWORD });
    const { link } = await messageTo(email, "Your new e-mail address", mailbox);
    await intruder.submit(formWith(await intruder.get(link), "link"));
    const notice = await messageTo(person.email, "Your e-mail address was changed", mailbox);
    // The intruder recovers the account at their own address first. The owner's link must still work.
    const theirLink = await recoveryLink(person, server, mailbox, email);
    const theirReader = new Agent(server.issuer);
    await decide(theirReader, await theirReader.get(theirLink), { remove: [], password: PASSWORD, again: PASSWORD });
    expect(await entersWith(email, PASSWORD, server)).toBe("in");

    const reader = new Agent(server.issuer);
    const page = await reader.get(notice.link);
    expect(ticksOf(page)).toEqual({ "Passkey “Theirs”": true });
    const done = await decide(reader, page);
    expect(done.text).toContain("The account is yours again");
    expect([await entersBy(key, server), await entersWith(email, NEW_PASSWORD, server)]).toEqual([false, "no"]);
    expect(await entersWith(person.email, NEW_PASSWORD, server)).toBe("in");
    expect((await messageTo(person.email, REMOVED, mailbox)).link).toContain("/recover/undo?link=");
    const theirs = await messageTo(email, REMOVED, mailbox);
    expect(theirs.raw).not.toContain("/recover/undo");
    expect(theirs.text).toContain("has or had this address");
  });

  test("gave the account their own address, and added a passkey with yet another browser → that address can undo nothing", async () => {
    const { person } = await anOwner();
    const { email, notice } = await movedTo(await anIntruder(person), person);
    server.tick(HOUR);
    const key = await aPasskeyOf(await signedInWith(STRANGE_BROWSER, person, server), server, "Theirs");

    const reader = new Agent(server.issuer);
    await decide(reader, await reader.get(notice.link));
    expect(await entersBy(key, server)).toBe(false);
    expect((await messageTo(person.email, REMOVED, mailbox)).link).toContain("/recover/undo?link=");
    expect((await messageTo(email, REMOVED, mailbox)).raw).not.toContain("/recover/undo");

    // The same after the owner removes the intruder's passkey again, while that address still gets messages.
    server.tick(DAY);
    const again = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    await again.submit(formWith(await again.get("/login"), "username"), {
      ...{ username: person.username, password: NEW_PASSWORD },
    });
    await aPasskeyOf(again, server, "Theirs again");
    const second = await opened(person);
    await decide(second.reader, second.page);
    expect((await messageTo(email, REMOVED, mailbox)).raw).not.toContain("/recover/undo");
  });

  test("borrowed the owner's browser to change the address, and has a removal of their own to undo → nothing of it outlives the owner's way back", async () => {
    const { person, owner } = await anOwner();
    const { email, notice } = await movedTo(owner, person);
    server.tick(HOUR);
    const key = await aPasskeyOf(await signedInWith(STRANGE_BROWSER, person, server), server, "Theirs");
    const reader = new Agent(server.issuer);
    const theirs = new Agent(server.issuer);
    await decide(theirs, await theirs.get(await recoveryLink(person, server, mailbox, email)), {
      ...{ password: PASSWORD, again: PASSWORD },
    });
    const { link } = await messageTo(email, REMOVED, mailbox);
    expect(link).toContain("/recover/undo?link=");

    await decide(reader, await reader.get(notice.link));
    const page = await theirs.get(link);
    expect(page.status).toBe(400);
    expect([await entersBy(key, server), await entersWith(person.email, NEW_PASSWORD, server)]).toEqual([false, "in"]);
  });

  test("changed the password, which makes a stranger of the owner's browser, and types wrong codes all the time → the owner's code is looked at", async () => {
    const { person, owner } = await anOwner();
    const mine = await anAuthenticatorOf(owner, server);
    server.tick(30 * DAY);
    const intruder = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    const login = formWith(await intruder.get("/login"), "username");
    const step = await intruder.submit(login, { username: person.username, password: PASSWORD });
    await intruder.submit(formWith(step, "code"), { code: mine.app.code() });
    const chosen = "a handful of pebbles";
    const change = formWith(await intruder.get("/account/security/password"), "current_password");
    expect(
      (await intruder.submit(change, { current_password: PASSWORD, password: chosen, again: chosen })).status,
    ).toBe(303);
    for (const from of ["192.0.2.1", "192.0.2.2", "192.0.2.3"]) {
      const guesser = new Agent(server.issuer, { "x-forwarded-for": from });
      const form = formWith(await guesser.get("/login"), "username");
      const second = formWith(await guesser.submit(form, { username: person.username, password: chosen }), "code");
      for (let guess = 0; guess < 5; guess += 1) await guesser.submit(second, { code: "000000" });
    }
    server.tick(60_000);
    const page = await owner.get(await recoveryLink(person, server, mailbox));
    expect(isDecision(await prove(owner, page, { code: mine.app.code() }))).toBe(true);
  });

  test("asked for the end of the account → the owner recovers, or undoes a removal, and the account stays", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const key = await aPasskeyOf(intruder, server, "Theirs");
    const endsWith = async (agent: Agent, current_password: string) => {
      const page = await agent.get("/account/profile/delete");
      await agent.submit(formWith(page, "current_password"), { current_password });
      return (await server.assent.storage.people.get(person))?.deleteAt;
    };
    expect(await endsWith(intruder, PASSWORD)).toBeGreaterThan(server.now());
    const { reader, page } = await opened(person);
    await decide(reader, page, { password: PASSWORD, again: PASSWORD });
    expect((await server.assent.storage.people.get(person))?.deleteAt).toBeNull();
    expect(await entersBy(key, server)).toBe(false);

    const again = await signedInWith(STRANGE_BROWSER, person, server);
    expect(await endsWith(again, PASSWORD)).toBeGreaterThan(server.now());
    const { link } = await messageTo(person.email, REMOVED, mailbox);
    await reader.submit(formWith(await reader.get(link), "link"));
    expect((await server.assent.storage.people.get(person))?.deleteAt).toBeNull();
  });

  test("is signed in while the page is open → what they add is removed with the decision, and what they connect ends", async () => {
    const { person } = await anOwner();
    const intruder = await anIntruder(person);
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({});
    const key = await aPasskeyOf(intruder, server, "Late");
    const late = await aConnection(intruder, person, server);
    const { text } = await decide(reader, page);
    expect(text).toContain("Your password was changed");
    expect(text).toContain("Late");
    const { text: told } = await messageTo(person.email, REMOVED, mailbox);
    expect(told).toContain("Late");
    expect([await entersBy(key, server), await late.works()]).toEqual([false, false]);
  });

  test("changes nothing but connects an app from a new browser → the app is preselected", async () => {
    const { person, owner } = await anOwner();
    const mine = await aConnection(owner, person, server, { name: "Mine" });
    const intruder = await anIntruder(person);
    const theirs = await aConnection(intruder, person, server, { name: "Theirs" });
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ Theirs: true, Mine: false });
    await decide(reader, page);
    expect([await mine.works(), await theirs.works()]).toEqual([true, false]);
  });
});

describe("somebody who reads the mail and has no password", () => {
  test("the owner has an authenticator → nothing is shown and nothing happens without its code", async () => {
    const { person, owner } = await anOwner();
    const connection = await aConnection(owner, person, server, { name: "Photo Printer" });
    const { app } = await anAuthenticatorOf(owner, server);
    server.tick(30 * DAY);
    const { reader, page, link } = await opened(person);
    expect(isProof(page)).toBe(true);
    expect(page.text).not.toContain("Photo Printer");
    const token = new URL(link).searchParams.get("link") ?? "";
    const csrf = formWith(page, "code").fields.get("csrf") ?? "";
    const fields = { csrf, link: token, password: NEW_PASSWORD, again: NEW_PASSWORD, remove: "x", shown: "1.x" };
    for (const proof of ["", "AAAA", "x".repeat(4000)]) {
      const answer = await reader.post("/recover/new", { ...fields, proof });
      expect([answer.status, isProof(answer)]).toEqual([403, true]);
    }
    expect(await entersWith(person.username, PASSWORD, server)).toBe("code");
    expect(await connection.works()).toBe(true);
    const decision = await prove(reader, page, { code: app.code() });
    expect(ticksOf(decision)).toEqual({ "Photo Printer": false });
    // A vouched factor can't be removed, whatever the form says.
    expect((await decide(reader, decision, { remove: ["authenticator", "codes"] })).text).toContain(
      "You can still sign in with",
    );
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("code");
  });

  test("what was proved, in another browser, for another link, or too late → proved anew", async () => {
    const { person, owner } = await anOwner();
    const { app } = await anAuthenticatorOf(owner, server);
    const { reader, page, link } = await opened(person);
    const decision = await reader.submit(formWith(page, "code"), { code: app.code() });
    const proved = decision.location?.href ?? "";
    expect(isDecision(await reader.get(proved))).toBe(true);
    expect(isDecision(await reader.get(proved))).toBe(true);
    expect(isProof(await new Agent(server.issuer).get(proved))).toBe(true);
    const proof = new URL(proved).searchParams.get("proof") ?? "";
    const other = await recoveryLink(person, server, mailbox);
    expect(isProof(await reader.get(`${other}&proof=${proof}`))).toBe(true);
    expect(isProof(await reader.get(`${link}&proof=${proof.slice(0, -2)}AA`))).toBe(true);
    server.tick(15 * 60_000 + 1000);
    expect((await reader.get(proved)).status).toBe(400);
  });

  test("a code twice, wrong ones again and again → refused, and then none is looked at", async () => {
    const { person, owner } = await anOwner();
    const { app } = await anAuthenticatorOf(owner, server);
    const { reader, page } = await opened(person);
    const code = app.code();
    expect(isDecision(await prove(reader, page, { code }))).toBe(true);
    expect((await prove(reader, page, { code })).text).toContain("That code is wrong");
    for (let guess = 0; guess < 4; guess += 1) await prove(reader, page, { code: "000000" });
    server.tick(60_000);
    const last = await prove(reader, page, { code: app.code() });
    expect([last.status, Number(last.headers.get("retry-after")) > 60]).toEqual([429, true]);
  });

  test("a passkey of another person, or one that nothing vouches for → proves nothing; only its holder reads that nothing vouches for it; the owner's proves", async () => {
    const { person, owner } = await anOwner();
    const key = await aPasskeyOf(owner, server, "Mine");
    const intruder = await anIntruder(person);
    const theirs = await aPasskeyOf(intruder, server, "Theirs");
    const stranger = await anOwner();
    const strange = await aPasskeyOf(stranger.owner, server, "Stranger's");
    const { reader, page } = await opened(person);
    expect(isProof(page)).toBe(true);
    expect(page.forms.some(({ fields }) => fields.has("code"))).toBe(false);
    const fresh = () => reader.get(`/recover/new?link=${formWith(page, "credential").fields.get("link")}`);
    const answer = (one: typeof key, at: Page, bent: Parameters<typeof key.get>[1] = {}) =>
      prove(reader, at, { credential: one.get(passkeyOptions(at), bent) });
    const reason = "This passkey was added in a browser that was new to your account";
    const failed = "This passkey can’t be used here.";
    const forged = { signature: Buffer.alloc(70, 1) };
    const refused = async (one: typeof key, bent?: Parameters<typeof key.get>[1]) => {
      const at = await answer(one, await fresh(), bent);
      return [isProof(at), at.text.includes(reason), at.text.includes(failed)];
    };
    expect(await refused(strange)).toEqual([true, false, true]);
    // The id alone, without the key, doesn't tell whether a passkey of this account counts.
    expect(await refused(theirs, forged)).toEqual([true, false, true]);
    expect(await refused(key, forged)).toEqual([true, false, true]);
    expect(await refused(theirs)).toEqual([true, true, false]);
    expect(server.log.some((line) => line.includes("recovery_proof_failed") && line.includes("untrusted"))).toBe(true);
    const decision = await answer(key, await fresh());
    expect(ticksOf(decision)).toEqual({ "Passkey “Theirs”": true });
    await decide(reader, decision);
    expect([await entersBy(key, server), await entersBy(theirs, server)]).toEqual([true, false]);
  });

  test("the address is not known to be the owner's, and they put it right → who has the wrong one hears nothing, and gets no way in", async () => {
    const { person, owner } = await anOwner({ emailVerifiedAt: null });
    const email = anAddress();
    const form = formWith(await owner.get("/account/profile"), "email");
    await owner.submit(form, { email, current_password: PASSWORD });
    const { link } = await messageTo(email, "Your new e-mail address", mailbox);
    await owner.submit(formWith(await owner.get(link), "link"));
    expect(await server.assent.storage.people.get(person)).toMatchObject({ email });
    // A message that was requested later has arrived, so no other one is under way.
    await recoveryLink(person, server, mailbox, email);
    expect(mailbox.to(person.email)).toEqual([]);
  });

  test("a passkey from a new phone, used once on the old computer → vouched for, and demanded", async () => {
    const { person, owner } = await anOwner();
    server.tick(30 * DAY);
    const phone = await signedInWith("Mozilla/5.0 (iPhone) Safari/600", person, server);
    const key = await aPasskeyOf(phone, server, "Phone");
    expect(ticksOf((await opened(person)).page)).toEqual({ "Passkey “Phone”": true });
    server.tick(HOUR);
    const page = await owner.get("/login");
    await owner.submit(formWith(page, "credential"), { credential: key.get(passkeyOptions(page)) });
    expect(isProof((await opened(person)).page)).toBe(true);
  });
});
