/** Three stories in a real browser: sign-in by passkey alone, a second device, an expired consent. */

import { decodeJwt } from "jose";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { authorizeUrl, redeem, refresh } from "../support/http-browser.ts";
import { startWebApp, type WebApp } from "../support/link-and-callback-site.ts";
import { mouse, signInBy } from "../support/mouse-and-keyboard.ts";
import { startServer, type TestClient, type TestServer } from "../support/test-server.ts";
import { noOffers, withAuthenticator } from "../support/virtual-authenticator.ts";

let browser: Browser;
let server: TestServer;
let app: WebApp;
let client: TestClient;

beforeAll(async () => {
  [browser, server, app] = await Promise.all([launchBrowser(), startServer({ host: "localhost" }), startWebApp()]);
  client = await server.addClient({ redirectUris: [app.redirectUri] });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await server?.stop();
});

async function look(page: Page): Promise<void> {
  expect(await axe(page), page.url()).toEqual([]);
}

async function press(page: Page, button: string): Promise<void> {
  await page.getByRole("button", { name: button }).click();
}

async function signedIn(page: Page, person: Person): Promise<void> {
  await page.goto(`${server.issuer}/login`);
  await signInBy(page, mouse(page, false), person);
}

/** On the open consent page, allows access for a day. Returns the app's token answer. */
async function allowForADay(page: Page) {
  await page.locator("select[name=duration]").selectOption("86400");
  await page.locator("button[value=allow]").click();
  await page.waitForURL(/\/cb\?/);
  return (await redeem(server, client, new URL(page.url()))).body;
}

test("passkey only: from the app's link to a token whose `acr` names the passkey, without typing a password", async () => {
  const person = await server.addPerson();
  await server.addScope({ name: "sign", description: "Sign for you", acr: "phr" });
  const signing = await server.addClient({ redirectUris: [app.redirectUri], scopes: ["sign"] });
  await withPage({ browser }, async (page) => {
    await withAuthenticator(page);
    await signedIn(page, person);
    await page.goto(`${server.issuer}/account/security/passkeys`);
    await page.locator("[data-passkey-ready]").waitFor();
    await page.fill("#name", "Work laptop");
    await page.press("#name", "Enter");
    await page.getByText("Your passkey was added").waitFor();
    await page.context().clearCookies();

    await noOffers(page);
    await page.goto(authorizeUrl(server, signing, { scope: "sign" }));
    await look(page);
    await press(page, "Sign in with a passkey");
    await page.waitForURL(/\/consent/);
    expect(await page.locator(".person").innerText()).toContain(person.name);
    await look(page);
    await page.locator("button[value=allow]").click();
    await page.waitForURL(/\/cb\?/);
    const { body } = await redeem(server, signing, new URL(page.url()));
    expect(decodeJwt(String(body.access_token))).toMatchObject({ sub: person.personId, acr: "phr", scope: "sign" });
  });
});

test("second device: the list shows both; signed out from the first → the second must sign in, and the app's access continues", async () => {
  const person = await server.addPerson();
  await withPage({ browser }, async (laptop) => {
    await laptop.goto(authorizeUrl(server, client));
    await signInBy(laptop, mouse(laptop, false), person);
    const tokens = await allowForADay(laptop);
    await withPage({ browser, viewport: { width: 390, height: 800 } }, async (phone) => {
      await signedIn(phone, person);
      await expect.poll(() => phone.locator(`[data-client-id="${client.clientId}"]`).count()).toBe(1);

      await laptop.goto(`${server.issuer}/account/security`);
      const sessions = laptop.locator("section[aria-labelledby=sessions-title] li");
      await expect.poll(() => sessions.count()).toBe(2);
      await expect.poll(() => sessions.getByText("This browser").count()).toBe(1);
      await look(laptop);
      await sessions.getByRole("button", { name: /^Sign out/ }).click();
      await laptop.getByText("That browser was signed out").waitFor();
      await expect.poll(() => sessions.count()).toBe(1);
      await look(laptop);

      await phone.reload();
      expect(await phone.locator("h1").innerText()).toBe("Sign in");
    });
    await laptop.goto(`${server.issuer}/account/apps`);
    expect(await laptop.locator("h1").innerText()).toBe("Your apps");
    expect((await refresh(server, client, tokens.refresh_token)).status).toBe(200);
  });
});

test("expired consent: the app gets no token, the dashboard no longer shows it, and the next request asks again", async () => {
  const person = await server.addPerson();
  await withPage({ browser }, async (page) => {
    await page.goto(authorizeUrl(server, client));
    await signInBy(page, mouse(page, false), person);
    const before = await allowForADay(page);
    await page.goto(authorizeUrl(server, client));
    await page.waitForURL(/\/cb\?/);
    expect((await redeem(server, client, new URL(page.url()))).status).toBe(200);

    server.tick(86_400_000 + 1000);
    const { status, body } = await refresh(server, client, before.refresh_token);
    expect([status, body.error]).toEqual([400, "invalid_grant"]);
    await page.goto(`${server.issuer}/account/apps`);
    if (new URL(page.url()).pathname === "/login") await signInBy(page, mouse(page, false), person);
    await page.getByText("No apps have access to your account").waitFor();
    await look(page);

    await page.goto(authorizeUrl(server, client));
    expect(await page.locator("h1").innerText()).toBe("Photo Printer wants access to your account");
    await look(page);
    const anew = await allowForADay(page);
    expect((await refresh(server, client, anew.refresh_token)).status).toBe(200);
    expect((await refresh(server, client, before.refresh_token)).body.error).toBe("invalid_grant");
  });
});
