/** Somebody undoes a removal of factors: the effects, and the choices on the page. */

import { beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith } from "../support/authenticator-app.ts";
import { addCompany, addMember } from "../support/company-staff.ts";
import { Agent, authorize, authorizeUrl, redeem } from "../support/http-browser.ts";
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
  OWNERS_BROWSER,
  passkeyOptions,
  recoveryLink,
  STRANGE_BROWSER,
  signedInWith,
  ticksOf,
} from "../support/recovery-actors.ts";
import { HOUR, isProof, prove, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, anIntruder, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

describe("a removal that is undone", () => {
  /** The owner added the factor in a new browser, so somebody who reads the mail could remove it. */
  async function robbed(before: (owner: Agent, person: Person) => Promise<unknown> = async () => {}) {
    const { person, owner } = await anOwner();
    await before(owner, person);
    server.tick(30 * DAY);
    const laptop = await signedInWith(OWNERS_BROWSER, person, server);
    const key = await aPasskeyOf(laptop, server, "New laptop");
    const { app } = await anAuthenticatorOf(laptop, server);
    const { reader, page } = await opened(person);
    await decide(reader, page);
    const { link } = await messageTo(person.email, REMOVED, mailbox);
    return { person, owner, key, app, link };
  }

  test("within 72 hours → the factors are back, the thief's password and passkey are not, and the factors are demanded", async () => {
    const { person, owner: reader, key, app, link } = await robbed();
    const thief = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    await thief.submit(formWith(await thief.get("/login"), "username"), {
      ...{ username: person.username, password: NEW_PASSWORD },
    });
    const evil = await aPasskeyOf(thief, server, "Evil");
    const connection = await aConnection(thief, person, server);
    server.tick(71 * HOUR);
    const page = await reader.get(link);
    expect(page.text).toContain("Passkey “New laptop”");
    expect((await reader.submit(formWith(page, "link"), { csrf: "forged" })).status).toBe(403);
    const done = await reader.submit(formWith(page, "link"));
    expect(done.text).toContain("Your ways to sign in are restored");
    expect((await thief.get("/account/apps")).location?.pathname).toBe("/login");
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("no");
    expect([await entersBy(key, server), await entersBy(evil, server), await connection.works()]).toEqual([
      ...[true, false, false],
    ]);
    expect((await messageTo(person.email, "Your ways to sign in were restored", mailbox)).link).toContain("/recover");
    expect((await reader.get(link)).status).toBe(400);
    const again = await opened(person);
    expect(isProof(again.page)).toBe(true);
    const decision = await prove(again.reader, again.page, { code: app.code() });
    expect(decision.text).toContain("Authenticator app");
    await decide(again.reader, decision);
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("code");
  });

  test("apps got access since, or another permission, or were revoked → page and message say what they lose, until when", async () => {
    const calendar = await server.addClient({ name: "Calendar" });
    const {
      person,
      owner: reader,
      link,
    } = await robbed((owner, { username }) =>
      authorize(owner, authorizeUrl(server, calendar, { scope: "read" }), username),
    );
    const thief = new Agent(server.issuer, { "user-agent": STRANGE_BROWSER });
    await thief.submit(formWith(await thief.get("/login"), "username"), {
      ...{ username: person.username, password: NEW_PASSWORD },
    });
    await aConnection(thief, person, server, { name: "Mail Export" });
    const wider = await authorize(thief, authorizeUrl(server, calendar, { scope: "read write" }), person.username);
    expect((await redeem(server, calendar, wider)).body.scope).toBe("read write");
    const page = await reader.get(link);
    expect(page.text).toContain("Apps lose access that they got since then");
    expect(page.text).toContain("Apps whose access was revoked since then stay without it");
    const done = await reader.submit(formWith(page, "link"));
    const { text = "" } = await messageTo(person.email, "Your ways to sign in were restored", mailbox);
    for (const sentence of [
      "Access revoked: Mail Export. Access ends within 10 minutes.",
      "Permissions revoked: Calendar. These permissions end within 10 minutes.",
      "Apps whose access was revoked since the removal stay without it.",
    ]) {
      expect(done.text.replaceAll(/<\/?bdi>/g, "")).toContain(sentence);
      expect(text).toContain(sentence);
    }
  });

  test("afterwards → Security says that the password no longer works and leads to a link; no page asks for that password in vain", async () => {
    const { person, owner: reader, key, app, link } = await robbed();
    await reader.submit(formWith(await reader.get(link), "link"));
    const agent = new Agent(server.issuer, { "user-agent": OWNERS_BROWSER });
    const login = await agent.get("/login");
    await agent.submit(formWith(login, "credential"), { credential: key.get(passkeyOptions(login)) });
    const security = await agent.get("/account/security");
    expect(security.text).toContain("Your password no longer works, because your ways to sign in were restored.");
    expect(security.text).toContain('href="/recover"');
    expect(security.text).not.toContain("/account/security/password");
    const change = await agent.get("/account/security/password");
    expect([change.status, change.location?.pathname]).toEqual([303, "/account/security"]);
    const first = "Your password no longer works. First choose a new one under “Security”.";
    const profile = formWith(await agent.get("/account/profile"), "email");
    for (const current_password of ["", PASSWORD, NEW_PASSWORD])
      expect((await agent.submit(profile, { email: "new@example.test", current_password })).text).toContain(first);
    const deletion = formWith(await agent.get("/account/profile/delete"), "current_password");
    expect((await agent.submit(deletion, { current_password: PASSWORD })).text).toContain(first);
    server.tick(11 * 60_000);
    const confirm = await agent.get("/account/confirm?to=security");
    expect(confirm.forms.some(({ fields }) => fields.has("password"))).toBe(false);
    expect(confirm.forms.some(({ fields }) => fields.has("credential"))).toBe(true);

    const again = await opened(person);
    const decision = await prove(again.reader, again.page, { code: app.code() });
    await decide(again.reader, decision);
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("code");
    const back = await agent.get("/login");
    await agent.submit(formWith(back, "credential"), { credential: key.get(passkeyOptions(back)) });
    expect((await agent.get("/account/security")).text).toContain("/account/security/password");
  });

  test("the restored passkey is the only way in → it can't be removed, because nobody knows the password", async () => {
    const { person, owner: reader, key, link } = await robbed();
    await reader.submit(formWith(await reader.get(link), "link"));
    const agent = new Agent(server.issuer, { "user-agent": OWNERS_BROWSER });
    const login = await agent.get("/login");
    await agent.submit(formWith(login, "credential"), { credential: key.get(passkeyOptions(login)) });
    const asked = await agent.get(`/account/security/passkeys/remove?${new URLSearchParams({ id: key.id })}`);
    const done = await agent.follow(await agent.submit(formWith(asked, "id")));
    expect(done.text).toContain("This is your only way to sign in.");
    expect(await server.assent.storage.passkeys.list(person)).toHaveLength(1);
  });

  test("an operator had handed out a password before → it is gone, and nobody must change it", async () => {
    const { person, owner: reader, key, link } = await robbed();
    const { partition, personId } = person;
    await server.assent.storage.people.update({
      ...{ partition, personId, changes: { mustChangePassword: true }, now: server.now() },
    });
    await reader.submit(formWith(await reader.get(link), "link"));
    const agent = new Agent(server.issuer, { "user-agent": OWNERS_BROWSER });
    const login = await agent.get("/login");
    await agent.submit(formWith(login, "credential"), { credential: key.get(passkeyOptions(login)) });
    expect((await agent.get("/account/security")).status).toBe(200);
  });

  test("later, or twice at once → gone; once", async () => {
    const late = await robbed();
    server.tick(72 * HOUR + 1);
    expect((await new Agent(server.issuer).get(late.link)).status).toBe(400);
    expect(await entersBy(late.key, server)).toBe(false);
    const { link, key } = await robbed();
    const readers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const reader = new Agent(server.issuer);
        return { reader, form: formWith(await reader.get(link), "link") };
      }),
    );
    const answers = await Promise.all(readers.map(({ reader, form }) => reader.submit(form)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    // The server hashes five passwords of one person at a time. It refuses others, who can try again.
    for (const status of statuses.slice(1)) expect([400, 503]).toContain(status);
    expect(await entersBy(key, server)).toBe(true);
  });

  test("the link for another purpose, of a recovery here → 400", async () => {
    const { person, link } = await robbed();
    const token = new URL(link).searchParams.get("link") ?? "";
    for (const path of ["/recover/new", "/undo", "/confirm/verify", "/sign-up/account"])
      expect((await new Agent(server.issuer).get(`${path}?link=${token}`)).status, path).not.toBe(200);
    const other = new URL(await recoveryLink(person, server, mailbox)).searchParams.get("link") ?? "";
    expect((await new Agent(server.issuer).get(`/recover/undo?link=${other}`)).status).toBe(400);
  });
});

describe("the decision", () => {
  test("a short password → the choices stay as they were; loaded again → the suggestion; two at once → one", async () => {
    const { person, owner } = await anOwner();
    await aConnection(owner, person, server, { name: "Mine" });
    const intruder = await anIntruder(person);
    await aPasskeyOf(intruder, server, "Theirs");
    await aConnection(intruder, person, server, { name: "Export" });
    const { reader, page, link } = await opened(person);
    const form = formWith(page, "password");
    const mine = /name="app" value="([^"]+)"[^>]*>\s*<div[^>]*>\s*<p>(?:<[^>]*>)*Mine/.exec(page.text)?.[1] ?? "";
    const short = await reader.submit(form, { remove: [], app: [mine], password: "short", again: "short" });
    expect(short.text).toContain("Too short");
    expect(ticksOf(short)).toEqual({ "Passkey “Theirs”": false, Export: false, Mine: true });
    expect(ticksOf(await reader.get(link))).toEqual({ "Passkey “Theirs”": true, Export: true, Mine: false });
    const answers = await Promise.all([decide(reader, short), decide(reader, page)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  });

  test("apps of others, nonsense for a choice → nothing of it happens", async () => {
    const { person } = await anOwner();
    const other = await anOwner();
    const theirs = await aConnection(other.owner, other.person, server, { name: "Other's" });
    const { reader, page } = await opened(person);
    const nonsense = {
      app: [theirs.client.clientId, "x"],
      company: ["x"],
      remove: ["passkey"],
      shown: "99999999999999999.x",
    };
    const again = await decide(reader, page, nonsense);
    expect(again.text).toContain("The account was changed while this page was open");
    const { shown: _, ...rest } = nonsense;
    expect((await decide(reader, again, rest)).text).toContain("Your password was changed");
    expect(await theirs.works()).toBe(true);
  });

  test("a device that was connected with a code → named as such; nothing suspicious → everything stays", async () => {
    const { person, owner } = await anOwner();
    const app = await aConnection(owner, person, server, { name: "Mine" });
    const key = { partition: person.partition, ownerId: person.personId };
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ Mine: false });
    expect((await decide(reader, page)).text).toContain("Still have access: <bdi>Mine</bdi>.");
    expect(await app.works()).toBe(true);
    expect(await server.assent.storage.consents.list({ ...key, now: server.now() })).toHaveLength(1);
    const told = await messageTo(person.email, "Your password was changed", mailbox);
    expect(told.text).toContain("Still have access: Mine");
  });

  test("apps for a company → the page and the message say that they are apps for the company", async () => {
    const { person, owner } = await anOwner();
    const company = await addCompany(server, { defaultRule: "members" });
    await addMember(server, company, person);
    const client = await server.addClient({ name: "Team Planner" });
    await authorize(owner, authorizeUrl(server, client), person.username, { owner: company.companyId });
    const { reader, page } = await opened(person);
    expect(ticksOf(page)).toEqual({ "Apps you connected for Acme Corp": false });
    const kept = await decide(reader, page);
    expect(kept.text).toContain("Still have access: <bdi>Apps you connected for Acme Corp</bdi>.");
    const told = await messageTo(person.email, "Your password was changed", mailbox);
    expect(told.text).toContain("Still have access: Apps you connected for Acme Corp");
  });
});
