/**
 * A person connects an account at another provider (a second Assent), signs in with it and disconnects it, in a real
 * browser: on a phone without JavaScript, and in the dark. Every page passes axe.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SignInProvider } from "../../packages/server/src/owners/identities/sign-in-provider.ts";
import type { Person } from "../../packages/server/src/owners/person.ts";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { messageTo } from "../support/recovery-actors.ts";
import { addProvider, startServerForProviders } from "../support/sign-in-providers.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, type TestServer } from "../support/test-server.ts";

let browser: Browser;
let mailbox: TestMailbox;
let there: TestServer;
let here: TestServer;
let provider: SignInProvider;
let ada: Person;
let adaThere: Person;

beforeAll(async () => {
  mailbox = await startMailbox();
  [browser, there, here] = await Promise.all([
    launchBrowser(),
    startServerForProviders(),
    // Another host name, so that the cookies of the two are apart.
    startServerForProviders({ host: "localhost", config: { smtpUrl: smtpTo(mailbox) } }),
  ]);
  provider = await addProvider(here, there.issuer, { name: "Partner ID" });
  const { clientId, secret } = await there.addClient({
    redirectUris: [`${here.issuer}/login/provider/${provider.id}/callback`],
    scopes: ["openid", "profile", "email"],
  });
  provider = await addProvider(here, there.issuer, {
    id: provider.id,
    name: provider.name,
    clientId,
    clientSecret: secret,
  });
  ada = await here.addPerson({ name: "Ada Here", emailVerifiedAt: 1 });
  adaThere = await there.addPerson({ email: "ada@partner.test", emailVerifiedAt: 1 });
});
afterAll(async () => {
  await Promise.all([browser?.close(), there?.stop(), here?.stop()]);
  await mailbox?.stop();
});

const phone = { viewport: { width: 360, height: 740 }, javaScriptEnabled: false };

async function signIn(page: Page, { username }: Person): Promise<void> {
  await page.fill("input[name=username]", username);
  await page.fill("input[name=password]", PASSWORD);
  await page.click("form[action$='/login'] button[type=submit]");
}

/** Signs in at the provider and allows, from a page with its button. */
async function through(page: Page, person: Person): Promise<void> {
  await page.click(`button[value="${provider.id}"]`);
  await page.waitForURL(`${there.issuer}/**`);
  await signIn(page, person);
  await page.waitForLoadState();
  const allow = page.locator("button[value=allow]");
  if (page.url().startsWith(there.issuer) && (await allow.count()) > 0) await allow.click();
  await page.waitForURL(`${here.issuer}/**`);
}

const said = async (page: Page) => (await page.textContent("main")) ?? "";
/** axe runs as a script of the page. */
const passesAxe = async (page: Page) => expect(await axe(page)).toEqual([]);

test("connected on a phone without JavaScript → the question names both accounts, then a mail; nothing before the answer", async () => {
  await withPage({ browser, ...phone }, async (page) => {
    await page.goto(`${here.issuer}/account/security`);
    await signIn(page, ada);
    expect(await said(page)).toContain("Partner ID");
    await through(page, adaThere);
    const question = await said(page);
    expect([question.includes("ada@partner.test"), question.includes("Ada Here")]).toEqual([true, true]);
    expect(await here.assent.storage.subjectLinks.ofPerson(ada)).toEqual([]);
    await page.click("form[action$='/security/connect'] button[type=submit]");
    expect(await said(page)).toContain("The account is connected.");
  });
  expect((await messageTo(ada.email, "A sign-in was connected to your account", mailbox)).text).toContain("Partner ID");
});

test("signed in with it in the dark, looked at, disconnected → a mail, and the button leads to another account from then on", async () => {
  await withPage({ browser, colorScheme: "dark" }, async (page) => {
    await page.goto(`${here.issuer}/login`);
    await passesAxe(page);
    await through(page, adaThere);
    await page.waitForURL(`${here.issuer}/account/apps`);
    await page.goto(`${here.issuer}/account/security`);
    await passesAxe(page);
    await page.click("a[href*='/identities/remove']");
    await passesAxe(page);
    await page.click("form[action$='/identities/remove'] button[type=submit]");
    expect(await said(page)).toContain("The account is disconnected.");
  });
  const mail = await messageTo(ada.email, "A sign-in was disconnected from your account", mailbox);
  expect(mail.text?.replace(/\s+/g, " ")).toMatch(
    /an account at Partner ID was disconnected from the account .*Other browsers that were signed in with it are signed out\./,
  );
  await withPage({ browser }, async (page) => {
    await page.goto(`${here.issuer}/login`);
    await through(page, adaThere);
    await page.goto(`${here.issuer}/account/profile`);
    expect(await said(page)).not.toContain("Ada Here");
    // This account has no other way in.
    await page.goto(`${here.issuer}/account/security`);
    await page.click("a[href*='/identities/remove']");
    await page.click("form[action$='/identities/remove'] button[type=submit]");
    expect(await said(page)).toContain("Not disconnected: you would have no way to sign in.");
  });
});

test("UP-23 the provider is away → the page says so, and the password on that page signs in", async () => {
  await there.stop();
  // Nothing is known of this one yet. Of the other one, the metadata are, so the browser would find out.
  const away = await addProvider(here, there.issuer, { name: "Away ID" });
  await withPage({ browser, ...phone }, async (page) => {
    await page.goto(`${here.issuer}/account/apps`);
    await page.click(`button[value="${away.id}"]`);
    expect(await said(page)).toContain("isn’t answering at the moment");
    await signIn(page, ada);
    await page.waitForURL(`${here.issuer}/account/apps`);
  });
});
