/** The messages about changes of the ways to sign in. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { formWith, withSecondStep } from "../support/authenticator-app.ts";
import { Agent, authorize, authorizeUrl, formBehindLink, type Page, redeem, signIn } from "../support/http-browser.ts";
import { anAuthenticatorOf } from "../support/recovery-actors.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { SoftAuthenticator } from "../support/soft-webauthn-authenticator.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  server = await startServer({ host: "localhost", config: { smtpUrl: smtpTo(mailbox) } });
});
afterAll(async () => {
  await server.stop();
  await mailbox.stop();
});

const FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

async function signedIn(changes: Partial<Person> = {}, language = "en") {
  const person = await server.addPerson(changes);
  const agent = new Agent(server.issuer, { "user-agent": FIREFOX, "accept-language": language });
  await signIn(agent, person.username);
  if (person.emailVerifiedAt !== null) await mailbox.next(person.email);
  return { person, agent };
}

function optionsOf({ text }: Page) {
  const found = /data-options="([^"]*)"/.exec(text)?.[1] ?? "";
  return JSON.parse(found.replaceAll("&quot;", '"').replaceAll("&amp;", "&"));
}

async function addPasskey(agent: Agent, name: string) {
  const page = await agent.get("/account/security/passkeys");
  const credential = new SoftAuthenticator(server.issuer).create(optionsOf(page));
  return agent.submit(formWith(page, "credential"), { name, credential });
}

const removeForm = async (agent: Agent) =>
  formBehindLink(agent, await agent.get("/account/security"), "/passkeys/remove");
const formTo = (page: Page, place: string) => {
  const form = page.forms.find(({ action }) => action.endsWith(place));
  if (form === undefined) throw new Error(`no form to ${place}`);
  return form;
};

describe("nothing changed → nothing is written", () => {
  test("a passkey that isn't theirs, a code that is none, an address that nobody vouched for", async () => {
    const { person, agent } = await signedIn();
    await addPasskey(agent, "Desk key");
    expect((await mailbox.next(person.email)).subject).toContain("passkey was added");
    const remove = await removeForm(agent);
    if (remove === undefined) throw new Error("nothing to remove");
    await agent.submit(remove, { id: "AAAA" });
    await agent.submit(remove, {});
    expect((await mailbox.next(person.email)).subject).toContain("passkey was removed");
    await agent.submit(remove, {});
    const unknown = await signedIn({ emailVerifiedAt: null });
    await addPasskey(unknown.agent, "Desk key");
    const second = await withSecondStep(server);
    const at = new Agent(server.issuer);
    const step = await at.follow(await signIn(at, second.person.username));
    await at.submit(formWith(step, "recovery"), { recovery: "aaaaa-bbbbb" });
    await server.assent.storage.mail.post({ mails: [], now: server.now() });
    // Two messages are due. This waits a moment longer, so that an unexpected one would arrive, too.
    for (let each = 0; each < 2; each++) await mailbox.next(second.person.email);
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(mailbox.to(unknown.person.email)).toEqual([]);
    expect(mailbox.to(person.email)).toHaveLength(3);
    expect(
      mailbox
        .to(second.person.email)
        .map(({ subject }) => subject)
        .sort(),
    ).toEqual(["An authenticator app was set up for your account", "New sign-in to your account"]);
  });
});

test("passkeys → which, when, by which browser; in text and HTML alike, and in the person's language", async () => {
  const { person, agent } = await signedIn({}, "de");
  await addPasskey(agent, "Schreibtisch <b>");
  const added = await mailbox.next(person.email);
  expect(added.subject).toBe("Ihrem Konto wurde ein Passkey hinzugefügt");
  for (const body of [added.text ?? "", (added.html ?? "").replaceAll("&lt;", "<").replaceAll("&gt;", ">")]) {
    expect(body).toContain("„Schreibtisch <b>“");
    expect(body).toContain(person.username);
    expect(body).toMatch(/Firefox/);
    expect(body).toContain("127.0.0.1");
  }
  expect(added.html).not.toContain("Schreibtisch <b>");
  expect(added.link).toBe(`${server.issuer}/account/security`);
});

test("an authenticator, its recovery codes, one of them used, all of it removed, another password → each is told", async () => {
  const { person, recoveryCodes, agent } = await withSecondStep(server);
  const heard = async () => (await mailbox.next(person.email)).subject;
  expect([await heard(), await heard()].sort()).toEqual([
    "An authenticator app was set up for your account",
    "New sign-in to your account",
  ]);
  const other = new Agent(server.issuer);
  const step = await other.follow(await signIn(other, person.username));
  await other.submit(formWith(step, "recovery"), { recovery: recoveryCodes[0] ?? "" });
  const used = [await mailbox.next(person.email), await mailbox.next(person.email)].find(({ subject }) =>
    subject?.includes("recovery code"),
  );
  expect(used?.text).toContain("Codes left: 9");
  const security = await agent.get("/account/security");
  await agent.submit(formTo(security, "/recovery-codes"), {});
  expect(await heard()).toBe("Your account has new recovery codes");
  await agent.submit(formTo(await agent.get("/account/security/authenticator/remove"), "/authenticator/remove"), {});
  expect(await heard()).toBe("The authenticator app was removed from your account");
  const form = formWith(await agent.get("/account/security/password"), "again");
  const next = "an entirely other phrase 7";
  await agent.submit(form, { current_password: PASSWORD, password: next, again: next });
  const changed = await mailbox.next(person.email);
  expect([changed.subject, changed.link]).toEqual(["Your password was changed", `${server.issuer}/recover`]);
});

test("an authenticator replaces another one → the message says that codes of the other no longer work", async () => {
  const { person, agent } = await signedIn();
  await anAuthenticatorOf(agent, server);
  const first = await mailbox.next(person.email);
  expect(first.text).toContain("Signing in with the password now also needs one of its codes.");
  expect(first.text).not.toContain("used before");
  await anAuthenticatorOf(agent, server);
  const second = await mailbox.next(person.email);
  expect(second.subject).toBe("An authenticator app was set up for your account");
  expect(second.text).toContain("It replaces the one used before.");
  expect(second.text).toContain("Codes of the app used before no longer work for signing in.");
});

test("the access of all apps is revoked → the message says for how long an app still has it", async () => {
  const { person, agent } = await signedIn();
  const client = await server.addClient();
  await redeem(server, client, await authorize(agent, authorizeUrl(server, client), person.username));
  const form = formWith(await agent.get("/account/security/password"), "again");
  const next = "an entirely other phrase 7";
  await agent.submit(form, { current_password: PASSWORD, password: next, again: next });
  const changed = await mailbox.next(person.email);
  expect(changed.text).toContain("The access of all apps was revoked.\n\nAccess ends within 10 minutes.");
  await agent.submit(formWith(await agent.get("/account/profile/delete"), "current_password"), {
    current_password: next,
  });
  const deleted = await mailbox.next(person.email);
  expect(deleted.subject).toBe("Your account will be deleted");
  expect(deleted.text).toContain("The access of all apps was revoked.\n\nAccess ends within 10 minutes.");
});

test("twenty news of one kind in a day → the twenty-first change is done, and no more is written of that kind", async () => {
  const { person, agent } = await signedIn();
  for (let at = 0; at < 21; at++) {
    await addPasskey(agent, `Key ${at}`);
    const remove = await removeForm(agent);
    if (at < 10 && remove !== undefined) {
      await agent.submit(remove, {});
      for (let each = 0; each < 2; each++) await mailbox.next(person.email);
    }
  }
  for (let at = 10; at < 20; at++) await mailbox.next(person.email);
  await new Promise((resolve) => setTimeout(resolve, 300));
  const subjects = mailbox.to(person.email).map(({ subject }) => subject);
  expect(subjects.filter((one) => one === "A passkey was added to your account")).toHaveLength(20);
  expect(subjects.filter((one) => one === "A passkey was removed from your account")).toHaveLength(10);
  expect(await server.assent.storage.passkeys.list(person)).toHaveLength(11);
});
