/**
 * Account recovery by mail in a real browser: the owner proves themselves by passkey, removes the intruder's passkey,
 * and undoes that.
 */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import {
  aConnection,
  anAuthenticatorOf,
  aPasskeyOf,
  DAY,
  entersBy,
  entersWith,
  messageTo,
  NEW_PASSWORD,
  OWNERS_BROWSER,
  recoveryLink,
  STRANGE_BROWSER,
  signedInWith,
} from "../support/recovery-actors.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";
import { withAuthenticator } from "../support/virtual-authenticator.ts";

let browser: Browser;
let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  const config = { smtpUrl: smtpTo(mailbox) };
  [browser, server] = await Promise.all([launchBrowser(), startServer({ host: "localhost", config })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await mailbox?.stop();
});

test("the owner's passkey is asked for, the intruder's is ticked; decided by keys → gone", async () => {
  const person = await server.addPerson();
  await withPage({ browser, viewport: { width: 360, height: 740 } }, async (page) => {
    await withAuthenticator(page);
    await page.goto(`${server.issuer}/login`);
    await page.fill("#username", person.username);
    await page.fill("#password", PASSWORD);
    await page.press("#password", "Enter");
    await page.waitForURL(/account\/apps/);
    await page.goto(`${server.issuer}/account/security/passkeys`);
    await page.locator("[data-passkey-ready]").waitFor();
    await page.fill("#name", "Mine");
    await page.press("#name", "Enter");
    await page.getByText("Your passkey was added").waitFor();

    server.tick(30 * DAY);
    const intruder = await signedInWith(STRANGE_BROWSER, person, server);
    const theirs = await aPasskeyOf(intruder, server, "Theirs");
    const connection = await aConnection(intruder, person, server, { name: "Mail Export" });

    await page.goto(await recoveryLink(person, server, mailbox));
    await page.getByRole("heading", { name: "Confirm that it’s you" }).waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole("button", { name: "Use a passkey" }).press("Enter");
    await page.locator("#password").waitFor();
    expect(await axe(page)).toEqual([]);
    // A reload needs no other proof.
    await page.reload();
    expect(await page.getByRole("checkbox", { name: "Remove: Passkey “Theirs”" }).isChecked()).toBe(true);
    expect(await page.getByRole("checkbox", { name: /Mail Export/ }).isChecked()).toBe(true);
    await page.fill("#password", "short");
    await page.fill("#again", "short");
    await page.press("#again", "Enter");
    await page.getByText("Too short").waitFor();
    expect(await page.getByRole("checkbox", { name: "Remove: Passkey “Theirs”" }).isChecked()).toBe(true);
    await page.fill("#password", NEW_PASSWORD);
    await page.fill("#again", NEW_PASSWORD);
    await page.press("#again", "Enter");
    await page.getByRole("heading", { name: "Your password was changed" }).waitFor();
    expect(await page.getByText("Removed: Passkey “Theirs”.").isVisible()).toBe(true);
    expect(await page.getByText("You can still sign in with: Passkey “Mine”.").isVisible()).toBe(true);
    expect(await axe(page)).toEqual([]);
    expect([await entersBy(theirs, server), await connection.works()]).toEqual([false, false]);
  });
});

test("without JavaScript: removed, and undone by the link in the message → the authenticator is back", async () => {
  const person = await server.addPerson();
  await signedInWith(OWNERS_BROWSER, person, server);
  server.tick(30 * DAY);
  await anAuthenticatorOf(await signedInWith(OWNERS_BROWSER, person, server), server);
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(await recoveryLink(person, server, mailbox));
    expect(await page.getByRole("checkbox", { name: "Remove: Authenticator app" }).isChecked()).toBe(true);
    await page.fill("#password", NEW_PASSWORD);
    await page.fill("#again", NEW_PASSWORD);
    await page.press("#again", "Enter");
    await page.getByRole("heading", { name: "Your password was changed" }).waitFor();
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("in");
    const told = await messageTo(person.email, "Ways to sign in to your account were removed", mailbox);
    await page.goto(told.link);
    await page.getByRole("button", { name: "Restore them" }).click();
    await page.getByRole("heading", { name: "Your ways to sign in are restored" }).waitFor();
    expect(await entersWith(person.username, NEW_PASSWORD, server)).toBe("no");
    // The factor is listed again. A browser that wasn't a known device for a week restored it, so it isn't asked for as
    // a proof.
    await page.goto(await recoveryLink(person, server, mailbox));
    await page.getByRole("checkbox", { name: "Remove: Authenticator app" }).waitFor();
  });
});
