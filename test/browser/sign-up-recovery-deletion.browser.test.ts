/**
 * One's own account in a real browser: sign-up, forgotten password, new address, deletion; with and without JavaScript.
 * Every page passes axe.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { smtpTo, startMailbox, type TestMailbox } from "../support/smtp-server.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";

let browser: Browser;
let server: TestServer;
let mailbox: TestMailbox;
beforeAll(async () => {
  mailbox = await startMailbox();
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServer({ config: { smtpUrl: smtpTo(mailbox), signUp: true } }),
  ]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await mailbox?.stop();
});

const NEW = "seven green umbrellas";

async function look(page: Page, scripts: boolean): Promise<void> {
  if (scripts) expect(await axe(page), page.url()).toEqual([]);
}

async function signInOn(page: Page, username: string, password: string): Promise<void> {
  await page.goto(`${server.issuer}/login`);
  await page.getByLabel("Username").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

describe.each([true, false])("scripts %s", (scripts) => {
  const story = (work: (page: Page) => Promise<void>) => withPage({ browser, javaScriptEnabled: scripts }, work);

  test("from nothing to an account, by the link in a message", async () => {
    const email = `story-${scripts}@example.test`;
    await story(async (page) => {
      await page.goto(`${server.issuer}/login`);
      await page.getByRole("link", { name: "Create an account" }).click();
      await look(page, scripts);
      await page.getByLabel("E-mail address").fill(email);
      await page.getByRole("button", { name: "Send the link" }).click();
      await look(page, scripts);
      await page.goto((await mailbox.next(email)).link);
      await look(page, scripts);
      await page.getByLabel("Username").fill(`story${scripts}`);
      await page.getByLabel("Password", { exact: true }).fill("Password1!");
      await page.getByLabel("Confirm password", { exact: true }).fill("Password1!");
      await page.getByRole("button", { name: "Create account" }).click();
      expect(await page.locator("[role=alert]").textContent()).toContain("Too common");
      await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("password");
      await page.getByLabel("Password", { exact: true }).fill(NEW);
      await page.getByLabel("Confirm password", { exact: true }).fill(NEW);
      await page.getByRole("button", { name: "Create account" }).click();
      expect(await page.locator("h1").textContent()).toBe("Your apps");
    });
  });

  test("a password that was forgotten, by keys alone", async () => {
    const person = await server.addPerson();
    await story(async (page) => {
      await page.goto(`${server.issuer}/login`);
      await page.getByRole("link", { name: "Forgot your password?" }).focus();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/recover");
      await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("login");
      await page.keyboard.type(person.username);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Check your inbox" }).waitFor();
      await page.goto((await mailbox.next(person.email)).link);
      await look(page, scripts);
      await page.getByLabel("New password", { exact: true }).focus();
      await page.keyboard.type(NEW);
      // With scripts, the button that shows the password is between the two fields.
      for (let at = 0; at < (scripts ? 2 : 1); at += 1) await page.keyboard.press("Tab");
      await page.keyboard.type(NEW);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Your password was changed" }).waitFor();
      await look(page, scripts);
      await signInOn(page, person.username, NEW);
      expect(await page.locator("h1").textContent()).toBe("Your apps");
    });
  });

  test("another address, taken back from the old mailbox", async () => {
    const person = await server.addPerson();
    const email = `moved-${scripts}@example.test`;
    await story(async (page) => {
      await signInOn(page, person.username, PASSWORD);
      await mailbox.next(person.email);
      await page.getByRole("link", { name: "Profile" }).click();
      await look(page, scripts);
      await page.getByText("Change", { exact: true }).first().click();
      await page.getByLabel("New e-mail address").fill(email);
      await page.getByLabel("Current password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Send a link" }).click();
      expect(await page.locator("[role=status]").textContent()).toContain(email);
      await page.goto((await mailbox.next(email)).link);
      await look(page, scripts);
      await page.getByRole("button", { name: "Yes, both are mine" }).click();
      await page.getByRole("heading", { name: "Address confirmed" }).waitFor();
      await page.goto((await mailbox.next(person.email)).link);
      await look(page, scripts);
      await page.getByLabel("New password", { exact: true }).fill(NEW);
      await page.getByLabel("Confirm new password", { exact: true }).fill(NEW);
      await page.getByRole("button", { name: "Undo the change" }).click();
      await page.getByRole("heading", { name: "The account is yours again" }).waitFor();
      await signInOn(page, person.email, NEW);
      expect(await page.locator("h1").textContent()).toBe("Your apps");
    });
  });

  test("the end of an account, thought better of", async () => {
    const person = await server.addPerson();
    await story(async (page) => {
      await signInOn(page, person.username, PASSWORD);
      await page.goto(`${server.issuer}/account/profile`);
      await page.getByRole("link", { name: "Delete account" }).click();
      await look(page, scripts);
      await page.getByLabel("Current password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Delete my account" }).click();
      await look(page, scripts);
      await page.getByRole("button", { name: "Keep my account" }).click();
      expect(await page.locator("[role=status]").textContent()).toBe("Your account will be kept.");
      expect(await server.assent.storage.people.get(person)).toMatchObject({ deleteAt: null });
    });
  });
});
