/**
 * Passkeys and one-time codes in a real browser with a virtual authenticator: adding, signing in without a username,
 * copied keys, no JavaScript, axe and keyboard.
 */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { appOf, withSecondStep } from "../support/authenticator-app.ts";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { PASSWORD, startServer, type TestServer } from "../support/test-server.ts";
import { noOffers, withAuthenticator } from "../support/virtual-authenticator.ts";

let browser: Browser;
let server: TestServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer({ host: "localhost" })]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

async function signInWithPassword(page: Page, username: string): Promise<void> {
  await page.goto(`${server.issuer}/login`);
  await page.fill("#username", username);
  await page.fill("#password", PASSWORD);
  await page.press("#password", "Enter");
}

/** Adds a passkey by keyboard alone. */
async function addPasskey(page: Page, name: string): Promise<void> {
  await page.goto(`${server.issuer}/account/security/passkeys`);
  await page.locator("[data-passkey-ready]").waitFor();
  expect(await axe(page)).toEqual([]);
  await page.fill("#name", name);
  await page.press("#name", "Enter");
  await page.getByText("Your passkey was added").waitFor();
}

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies();
}

describe("a passkey", () => {
  test("added, listed, used without a username, removed", async () => {
    const person = await server.addPerson();
    await withPage({ browser }, async (page) => {
      const { cdp, authenticatorId } = await withAuthenticator(page);
      await signInWithPassword(page, person.username);
      await addPasskey(page, "Work laptop");
      expect(await axe(page)).toEqual([]);
      const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
      expect(credentials).toMatchObject([{ isResidentCredential: true, rpId: "localhost" }]);

      await signOut(page);
      // Autofill of the username field offers the passkey, and the authenticator accepts it without typing or a click.
      await page.goto(`${server.issuer}/login`);
      await page.waitForURL(/account\/apps/);
      await signOut(page);
      await noOffers(page);
      await page.goto(`${server.issuer}/login`);
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await page.waitForURL(/account\/apps/);
      const sessions = await server.assent.storage.sessions.list({ ...person, now: server.now() });
      expect(sessions.some(({ acr }) => acr === "phr")).toBe(true);

      await page.goto(`${server.issuer}/account/security`);
      const remove = page.getByRole("link", { name: "Remove the passkey Work laptop" });
      await remove.click();
      await page.getByText("You can still sign in with: Password.").waitFor();
      expect(await axe(page)).toEqual([]);
      await page.getByRole("link", { name: "Cancel" }).click();
      expect(await server.assent.storage.passkeys.list(person)).toHaveLength(1);
      await remove.click();
      await page.getByRole("button", { name: "Remove" }).click();
      await page.getByText("The passkey was removed").waitFor();
      expect(await server.assent.storage.passkeys.list(person)).toEqual([]);
    });
  });

  test("copied to another authenticator with a lower counter → refused", async () => {
    const person = await server.addPerson();
    await withPage({ browser }, async (page) => {
      const { cdp, authenticatorId } = await withAuthenticator(page);
      await signInWithPassword(page, person.username);
      await addPasskey(page, "Key");
      const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
      const [credential] = credentials;
      const [stored] = await server.assent.storage.passkeys.list(person);
      if (credential === undefined || stored === undefined) throw new Error("no passkey was made");
      // Simulates that the original was used elsewhere in the meantime.
      await server.assent.storage.passkeys.use({ ...stored, counter: 1000, backedUp: false, now: server.now() });
      await signOut(page);
      await noOffers(page);
      await page.goto(`${server.issuer}/login`);
      const refused = page.getByText("This passkey can’t be used here");
      await page.getByRole("button", { name: "Sign in with a passkey" }).click();
      await refused.waitFor();
      expect(await axe(page)).toEqual([]);
      expect(page.url()).toContain("/login/passkey");
    });
  });
});

test("without JavaScript → no button for passkeys and a sentence that says why; password and code sign in", async () => {
  const { person, app } = await withSecondStep(server);
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.issuer}/login`);
    expect(await page.getByRole("button", { name: "Sign in with a passkey" }).isVisible()).toBe(false);
    expect(await page.getByText("Passkeys need JavaScript", { exact: false }).isVisible()).toBe(true);
    await signInWithPassword(page, person.username);
    await page.fill("#code", app.code());
    await page.press("#code", "Enter");
    await page.waitForURL(/account\/apps/);
  });
});

test("the second step by keyboard alone, 320 px wide → passes axe, the code comes first, recovery codes unfold", async () => {
  const { person, recoveryCodes } = await withSecondStep(server);
  await withPage({ browser, viewport: { width: 320, height: 640 } }, async (page) => {
    await signInWithPassword(page, person.username);
    await page.locator("#code").waitFor();
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate("document.activeElement.id")).toBe("code");
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(320);
    await page.locator("summary").focus();
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.id")).toBe("recovery");
    await page.keyboard.type(recoveryCodes[3] ?? "");
    await page.keyboard.press("Enter");
    await page.waitForURL(/account\/apps/);
  });
});

test("the page with recovery codes is loaded again → it says that they are shown once and leads to Security, not that nothing happened", async () => {
  const person = await server.addPerson();
  await withPage({ browser }, async (page) => {
    await signInWithPassword(page, person.username);
    await page.goto(`${server.issuer}/account/security/authenticator`);
    await page.fill("#code", appOf({ text: await page.content() }, server).code());
    await page.press("#code", "Enter");
    await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
    await page.reload();
    await page.getByText("Recovery codes are shown only once. If you didn’t save yours, create new ones").waitFor();
    expect(await axe(page)).toEqual([]);
    await page.getByRole("link", { name: "Back to Security" }).click();
    await page.waitForURL(`${server.issuer}/account/security`);
    const made = await server.assent.storage.secondFactors.get(person);
    expect(made?.codesLeft).toBe(10);

    // Made once more and loaded again: the form counts once, so the codes that the page showed stay.
    await page.getByRole("button", { name: "Create new codes" }).click();
    await page.getByRole("heading", { name: "Your recovery codes" }).waitFor();
    const again = await server.assent.storage.secondFactors.get(person);
    expect(again?.codesAt).toBeGreaterThan(made?.codesAt ?? 0);
    await page.reload();
    await page.getByText("This time, nothing was changed. Your newest recovery codes still work").waitFor();
    expect((await server.assent.storage.secondFactors.get(person))?.codesAt).toBe(again?.codesAt);
  });
});
