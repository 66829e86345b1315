/** Recovery codes that were made in a browser that is new to the account: what the pages and the messages say of them. */

import { beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { type Authenticator, appOf, formWith, recoveryCodesOf } from "../support/authenticator-app.ts";
import { Agent, type Page } from "../support/http-browser.ts";
import {
  anAuthenticatorOf,
  DAY,
  decide,
  messageTo,
  NEW_PASSWORD,
  OWNERS_BROWSER,
  STRANGE_BROWSER,
  ticksOf,
} from "../support/recovery-actors.ts";
import { isDecision, isProof, prove, REMOVED, recoveryStage } from "../support/recovery-setup.ts";
import type { TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let server: TestServer;
let mailbox: TestMailbox;
const stage = recoveryStage();
const { anOwner, opened } = stage;
beforeAll(() => {
  ({ server, mailbox } = stage.started());
});

const SECURITY = "/account/security";
const GONE = "Your old codes no longer work.";
const KEPT =
  "Your old codes no longer sign you in. Keep them: they still confirm that it’s you when you recover the account by e-mail.";
const UNTRUSTED =
  "Codes that were created or restored in a browser new to your account can’t confirm that it’s you when you recover the account by e-mail. Create codes again once you have used a browser for 7 days.";
const REFUSED =
  "This code was created or restored in a browser that was new to your account, so it can’t confirm that it’s you here. Use an older recovery code or your authenticator app.";
const RENEWED = "Your account has new recovery codes";

const plain = ({ text }: Page) => text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ");

async function inNewBrowser(person: Person, app: Authenticator, userAgent = STRANGE_BROWSER): Promise<Agent> {
  const agent = new Agent(server.issuer, { "user-agent": userAgent });
  const login = formWith(await agent.get("/login"), "username");
  const step = await agent.submit(login, { username: person.username, password: PASSWORD });
  await agent.submit(formWith(step, "code"), { code: app.code() });
  server.tick(60_000);
  return agent;
}

async function renewedBy(agent: Agent): Promise<{ readonly page: Page; readonly codes: readonly string[] }> {
  const form = (await agent.get(SECURITY)).forms.find(({ action }) => action.endsWith("/recovery-codes"));
  if (form === undefined) throw new Error("no new codes");
  const page = await agent.submit(form);
  return { page, codes: recoveryCodesOf(page) };
}

/** Whether a sign-in with this recovery code succeeds. */
async function entersByCode(person: Person, recovery: string, password = NEW_PASSWORD): Promise<boolean> {
  const agent = new Agent(server.issuer);
  const login = formWith(await agent.get("/login"), "username");
  const step = await agent.submit(login, { username: person.username, password });
  await agent.submit(formWith(step, "recovery"), { recovery });
  return agent.cookies.has("assent_session");
}

async function anOwnerWithCodes() {
  const { person, owner } = await anOwner();
  const { app, codes } = await anAuthenticatorOf(owner, server);
  server.tick(30 * DAY);
  return { person, owner, app, codes };
}

describe("new codes", () => {
  test("in the owner's own browser → the old ones no longer work, and page and message say so", async () => {
    const { person, app } = await anOwnerWithCodes();
    const own = await inNewBrowser(person, app, OWNERS_BROWSER);
    server.tick(8 * DAY);
    const login = formWith(await own.get("/login?next=security"), "username");
    const step = await own.submit(login, { username: person.username, password: PASSWORD });
    await own.submit(formWith(step, "code"), { code: app.code() });
    const { page } = await renewedBy(own);
    expect(plain(page)).toContain(GONE);
    expect((await messageTo(person.email, RENEWED, mailbox)).text).toContain(GONE);
    expect(plain(await own.get(SECURITY))).not.toContain("Keep them");
  });

  test("in a new browser → the old ones still confirm a recovery, the new ones don't; pages and message say so", async () => {
    const { person, app, codes } = await anOwnerWithCodes();
    const { page, codes: young } = await renewedBy(await inNewBrowser(person, app));
    expect(plain(page)).toContain(`${KEPT} ${UNTRUSTED}`);
    expect(plain(page)).not.toContain(GONE);
    const { text } = await messageTo(person.email, RENEWED, mailbox);
    expect(text).toContain(KEPT);
    expect(text).toContain(UNTRUSTED);
    expect(text).not.toContain(GONE);

    const { reader, page: asked } = await opened(person);
    const refused = await prove(reader, asked, { recovery: young[0] ?? "" });
    expect(plain(refused)).toContain(REFUSED);
    expect(refused.text).not.toContain("isn’t one of your recovery codes");
    // The refused code is not used up.
    expect(await server.assent.storage.secondFactors.get(person)).toMatchObject({ codesLeft: 10 });
    expect(isDecision(await prove(reader, refused, { recovery: codes[0] ?? "" }))).toBe(true);
  });

  test("in a new browser, when all old ones are used → only that the new ones don't confirm a recovery", async () => {
    const { person, app, codes } = await anOwnerWithCodes();
    const agent = await inNewBrowser(person, app);
    for (const code of codes) await entersByCode(person, code, PASSWORD);
    expect(await server.assent.storage.secondFactors.get(person)).toMatchObject({ codesLeft: 0 });
    const { page } = await renewedBy(agent);
    expect(plain(page)).toContain(`${GONE} ${UNTRUSTED}`);
    expect(plain(page)).not.toContain("Keep them");
  });

  test("with a new authenticator app in a new browser → the old codes still confirm a recovery, and the new ones do, too", async () => {
    const { person, app } = await anOwnerWithCodes();
    const stranger = await inNewBrowser(person, app);
    const setup = await stranger.get(`${SECURITY}/authenticator`);
    const made = await stranger.submit(formWith(setup, "code"), { code: appOf(setup, server).code() });
    expect(plain(made)).toContain(KEPT);
    expect(plain(made)).not.toContain(UNTRUSTED);
    const { reader, page: asked } = await opened(person);
    expect(isDecision(await prove(reader, asked, { recovery: recoveryCodesOf(made)[0] ?? "" }))).toBe(true);
  });

  test("the security page says it as long as it is so", async () => {
    const { person, app } = await anOwnerWithCodes();
    const stranger = await inNewBrowser(person, app);
    expect(plain(await stranger.get(SECURITY))).not.toContain(KEPT);
    await renewedBy(stranger);
    expect(plain(await stranger.get(SECURITY))).toContain(`${KEPT} ${UNTRUSTED}`);
  });
});

describe("a recovery that removes the new codes", () => {
  test("→ the page and the message say that the previous ones work again; they do", async () => {
    const { person, app, codes } = await anOwnerWithCodes();
    await renewedBy(await inNewBrowser(person, app));
    const { reader, page } = await opened(person);
    const decision = await prove(reader, page, { recovery: codes[0] ?? "" });
    expect(ticksOf(decision)).toEqual({ "Recovery codes": true });
    expect(plain(decision)).toContain("Your previous ones will work again.");
    const done = await decide(reader, decision);
    expect(plain(done)).toContain("Removed: Recovery codes.");
    expect(plain(done)).toContain("Work again: Previous recovery codes.");
    const { text } = await messageTo(person.email, REMOVED, mailbox);
    expect(text).toContain("Works again: Previous recovery codes");
    expect(await entersByCode(person, codes[1] ?? "")).toBe(true);
  });

  test("→ the message about the used code says that a recovery used it, not that somebody signed in", async () => {
    const { person, app, codes } = await anOwnerWithCodes();
    await renewedBy(await inNewBrowser(person, app));
    const { reader, page } = await opened(person);
    await prove(reader, page, { recovery: codes[0] ?? "" });
    const { text } = await messageTo(person.email, "A recovery code of your account was used", mailbox);
    expect(text).toContain("opened a link from an e-mail about the account");
    expect(text).not.toContain("signed in");
    expect(text).not.toContain("Codes left");
  });

  test("and is undone in a new browser → the restored codes sign in, and recovery says why it doesn't accept them", async () => {
    const { person, app, codes } = await anOwnerWithCodes();
    const { codes: young } = await renewedBy(await inNewBrowser(person, app));
    const { reader, page } = await opened(person);
    await decide(reader, await prove(reader, page, { recovery: codes[0] ?? "" }));
    const { link } = await messageTo(person.email, REMOVED, mailbox);
    const thief = new Agent(server.issuer);
    const restored = await thief.submit(formWith(await thief.get(link), "link"));
    expect(plain(restored)).toContain(`${KEPT} ${UNTRUSTED}`);
    const { text } = await messageTo(person.email, "Your ways to sign in were restored", mailbox);
    expect(text).toContain(KEPT);
    expect(text).toContain(UNTRUSTED);
    const again = await opened(person);
    expect(isProof(again.page)).toBe(true);
    expect(plain(await prove(again.reader, again.page, { recovery: young[0] ?? "" }))).toContain(REFUSED);
    const decision = await prove(again.reader, again.page, { recovery: codes[2] ?? "" });
    await decide(again.reader, decision, { remove: [] });
    expect(await entersByCode(person, young[0] ?? "")).toBe(true);
  });

  test("a new authenticator app is removed → the previous one and its codes work again", async () => {
    const { person, app, codes } = await anOwnerWithCodes();
    await anAuthenticatorOf(await inNewBrowser(person, app), server);
    const { reader, page } = await opened(person);
    const done = await decide(reader, await prove(reader, page, { code: app.code() }));
    expect(plain(done)).toContain("Work again: Previous authenticator app and Previous recovery codes.");
    expect((await messageTo(person.email, REMOVED, mailbox)).text).toContain(
      "Works again: Previous authenticator app and Previous recovery codes",
    );
    expect(await entersByCode(person, codes[1] ?? "")).toBe(true);
  });
});
