/** Errors on an owner's way, in a real browser: each page says what happened and how to continue. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MARKUP } from "../attacks/payloads/markup.ts";
import { axe, withPage } from "../support/chromium.ts";
import { authorizeUrl, redeem, refresh } from "../support/http-browser.ts";
import type { WebApp } from "../support/link-and-callback-site.ts";
import { mouse, signInBy } from "../support/mouse-and-keyboard.ts";
import { type OwnerStage, startOwnerStage } from "../support/owner-story-setup.ts";
import type { TestClient, TestServer } from "../support/test-server.ts";

let browser: Browser;
let server: TestServer;
let app: WebApp;
let client: TestClient;

let stage: OwnerStage | undefined;
beforeAll(async () => {
  stage = await startOwnerStage();
  ({ browser, server, app, client } = stage);
});
afterAll(() => stage?.stop());

const entry = (page: Page) => page.locator(`[data-client-id="${client.clientId}"]`);
const heading = (page: Page) => page.locator("h1").innerText();

describe("what goes wrong on an owner's way", () => {
  test("a wrong password → the page again with the name typed, the message at the field; ten more → wait", {
    timeout: 60_000,
  }, async () => {
    await withPage({ browser }, async (page) => {
      const { username } = await server.addPerson();
      await page.goto(app.url);
      await page.locator("a").click();
      for (let tries = 0; tries < 11; tries += 1) {
        const wrong = page.locator("input[name=username]");
        if (tries > 0) expect(await wrong.inputValue()).toBe(username);
        await wrong.fill(username);
        await page.locator("input[name=password]").fill("not it");
        await page.locator("main button[type=submit]").click();
        await page.getByRole("alert").waitFor();
        if (tries === 0 || tries === 10) expect(await axe(page)).toEqual([]);
        if (tries === 0) {
          const described = await page.locator("input[name=password]").getAttribute("aria-describedby");
          expect(await page.locator(`#${described}`).innerText()).toContain("is wrong");
        }
      }
      expect(await page.getByRole("alert").innerText()).toContain("Too many attempts");
      server.tick(3_600_000);
    });
  });

  test("Enter in a consent page's field → nothing is allowed: only pressing Allow allows", async () => {
    await withPage({ browser }, async (page) => {
      const person = await server.addPerson();
      await page.goto(app.url);
      await page.locator("a").click();
      await signInBy(page, mouse(page, false), person);
      for (const selector of ["input[name=scope][value=write]", "select[name=duration]"]) {
        await page.locator(selector).focus();
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
      }
      await page.waitForTimeout(200);
      expect(new URL(page.url()).pathname).toBe("/consent");
      expect(
        await server.assent.storage.consents.list({ ...person, ownerId: person.personId, now: server.now() }),
      ).toEqual([]);
      await page.locator("button[value=deny]").click();
      await page.waitForURL(/\/cb\?/);
      expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
    });
  });

  test("back after the answer → a page that says it is answered, with a way on", async () => {
    await withPage({ browser }, async (page) => {
      const hands = mouse(page, true);
      await page.goto(app.url);
      await hands.press("a");
      await signInBy(page, hands, await server.addPerson());
      await hands.toggle("input[name=scope][value=write]");
      await hands.press("button[value=allow]");
      await page.waitForURL(/\/cb\?/);
      const token = (await redeem(server, client, new URL(page.url()))).body.refresh_token;
      await page.goBack();
      if (!page.url().includes("/consent")) await page.goBack();
      await page.getByRole("heading", { name: "You already answered" }).waitFor();
      await hands.look();
      await page.getByRole("link", { name: "Go to your apps" }).click();
      await expect.poll(() => entry(page).count()).toBe(1);
      expect((await refresh(server, client, token)).status).toBe(200);
    });
  });

  test.each([
    [
      "an app that isn't known",
      () => authorizeUrl(server, { ...client, clientId: "c-nobody" }),
      "This app can’t be used here\\s+.*isn’t registered, or that was turned off",
    ],
    [
      "a redirect that isn't registered",
      () => authorizeUrl(server, { ...client, redirectUris: ["https://evil.test"] }),
      "This app.s link isn.t safe",
    ],
    ["an address that leads nowhere", () => `${server.issuer}/nowhere`, "Page not found"],
    ["what an error means", () => `${server.issuer}/errors/invalid_client`, "invalid_client"],
    ["a request that was cut off", () => `${server.issuer}/consent?request=x`, "Start again from the app"],
  ])("%s → a page that says so, clean for axe", async (_, url, text) => {
    await withPage({ browser }, async (page) => {
      await page.goto(url());
      expect(await page.locator("main").innerText()).toMatch(new RegExp(text));
      expect(await axe(page)).toEqual([]);
    });
  });

  test.each(Object.entries(MARKUP))(
    "CN-13 an app and a person named like %s → words on sign-in, consent and dashboard, nothing runs",
    async (_, text) => {
      await withPage({ browser }, async (page) => {
        const ran: string[] = [];
        page.on("dialog", (dialog) => {
          ran.push(dialog.message());
          void dialog.dismiss();
        });
        const hostile = await server.addClient({ name: text, redirectUris: [app.redirectUri] });
        const person = await server.addPerson({ name: text });
        await page.goto(authorizeUrl(server, hostile));
        expect(await heading(page)).toContain(text);
        await signInBy(page, mouse(page, false), person);
        expect(await heading(page)).toContain(text);
        await page.locator("button[value=allow]").click();
        await page.waitForURL(/\/cb\?/);
        await page.goto(`${server.issuer}/account/apps`);
        expect(await page.locator("article h2").innerText()).toBe(text);
        expect(ran).toEqual([]);
      });
    },
  );

  test("signing out: the question → stay, or go; clean for axe", async () => {
    await withPage({ browser }, async (page) => {
      const hands = mouse(page, true);
      await page.goto(`${server.issuer}/login`);
      await signInBy(page, hands, await server.addPerson());
      await page.goto(`${server.issuer}/account/sign-out`);
      await hands.look();
      await page.getByRole("link", { name: "Stay signed in" }).click();
      expect(await heading(page)).toBe("Your apps");
    });
  });

  test("Switch account → another person signs in, and answers as themselves", async () => {
    await withPage({ browser }, async (page) => {
      const hands = mouse(page, false);
      await page.goto(app.url);
      await page.locator("a").click();
      await signInBy(page, hands, await server.addPerson());
      await page.getByRole("button", { name: "Switch account" }).click();
      const bob = await server.addPerson({ name: "Bob Second" });
      await signInBy(page, hands, bob);
      expect(await page.locator(".person").innerText()).toContain("Bob Second");
      await page.locator("button[value=allow]").click();
      await page.waitForURL(/\/cb\?/);
      expect(
        await server.assent.storage.consents.list({ ...bob, ownerId: bob.personId, now: server.now() }),
      ).toHaveLength(1);
    });
  });
});
