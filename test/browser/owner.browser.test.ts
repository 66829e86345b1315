/** An owner's whole story in a real browser: by mouse, by keys alone, and without JavaScript; every page on the way is clean for axe. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Person } from "../../packages/server/src/owners/storage.ts";
import { MARKUP } from "../attacks/payloads/markup.ts";
import { axe, launchBrowser, withPage } from "../support/browser.ts";
import { authorizeUrl, redeem, refresh } from "../support/browser-like.ts";
import { PASSWORD, startServer, type TestClient, type TestServer } from "../support/server.ts";
import { startWebApp, type WebApp } from "../support/web-app.ts";

let browser: Browser;
let server: TestServer;
let app: WebApp;
let client: TestClient;

beforeAll(async () => {
  [browser, server, app] = await Promise.all([launchBrowser(), startServer(), startWebApp()]);
  client = await server.addClient({ redirectUris: [app.redirectUri], scopes: ["read", "write", "albums"] });
  await server.addScope({ name: "albums", description: "See your albums", resource: "https://api.test" });
  app.linksTo(authorizeUrl(server, client, { scope: "read write albums" }));
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  await server?.stop();
});

/** How the owner reaches things: each takes a CSS selector. */
interface Hands {
  press(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  toggle(selector: string): Promise<void>;
  /** From 90 days, which is selected, to one day. */
  chooseOneDay(): Promise<void>;
  /** Looks at the page where a human would. */
  look(): Promise<void>;
}

function mouse(page: Page, withAxe: boolean): Hands {
  return {
    press: (selector) => page.locator(selector).click(),
    fill: (selector, text) => page.locator(selector).fill(text),
    toggle: (selector) => page.locator(selector).click(),
    async chooseOneDay() {
      await page.locator("select[name=duration]").selectOption("86400");
    },
    async look() {
      if (withAxe) expect(await axe(page), page.url()).toEqual([]);
    },
  };
}

/** Nothing but keys. Every stop on the way must show where the focus is. */
function keys(page: Page): Hands {
  async function tabTo(selector: string): Promise<void> {
    for (let stops = 0; stops < 60; stops += 1) {
      const at = (await page.evaluate(`(() => {
        const one = document.activeElement;
        const style = getComputedStyle(one);
        const ring = [one, one.closest("label")].some((each) => each !== null && getComputedStyle(each).outlineStyle !== "none");
        return {
          there: one.matches(${JSON.stringify(selector)}),
          shown: one === document.body || ring || style.boxShadow !== "none",
          what: one.outerHTML.slice(0, 120),
        };
      })()`)) as { there: boolean; shown: boolean; what: string };
      expect(at.shown, `no focus ring: ${at.what}`).toBe(true);
      if (at.there) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`${selector} can't be reached by Tab on ${page.url()}`);
  }
  const pressed = async (selector: string, key: string) => {
    await tabTo(selector);
    await page.keyboard.press(key);
  };
  return {
    press: (selector) => pressed(selector, "Enter"),
    toggle: (selector) => pressed(selector, "Space"),
    async fill(selector, text) {
      await tabTo(selector);
      await page.keyboard.type(text);
    },
    async chooseOneDay() {
      await tabTo("select[name=duration]");
      for (let up = 0; up < 3; up += 1) await page.keyboard.press("ArrowUp");
      expect(await page.locator("select[name=duration]").inputValue()).toBe("86400");
    },
    look: async () => undefined,
  };
}

async function signIn(page: Page, hands: Hands, { username }: Person): Promise<void> {
  await hands.fill("input[name=username]", username);
  await hands.fill("input[name=password]", PASSWORD);
  await hands.look();
  await hands.press("main button[type=submit]");
  await page.waitForURL(/\/(consent|account)/);
}

const entry = (page: Page) => page.locator(`[data-client-id="${client.clientId}"]`);
const heading = (page: Page) => page.locator("h1").innerText();

/** From the app's link to the code, and its tokens. */
async function connect(page: Page, hands: Hands, person: Person): Promise<string> {
  await page.goto(app.url);
  await hands.press("a");
  await page.waitForURL(/\/authorize/);
  expect(await heading(page)).toBe("Sign in to go on to Photo Printer");
  await signIn(page, hands, person);
  expect(await heading(page)).toBe("Photo Printer wants to use your account");
  await hands.look();
  await hands.toggle("input[name=scope][value=write]");
  await hands.chooseOneDay();
  await hands.press("button[name=decision][value=allow]");
  await page.waitForURL(/\/cb\?/);
  expect(await heading(page)).toBe("Back at the app");
  const answer = await redeem(server, client, new URL(page.url()));
  expect(answer.body.scope?.split(" ").sort()).toEqual(["albums", "read"]);
  const [consent] = await server.assent.storage.listConsents({
    ...person,
    ownerId: person.personId,
    now: server.now(),
  });
  expect((consent?.consent.expiresAt ?? 0) - server.now()).toBeLessThanOrEqual(86_400_000);
  return answer.body.refresh_token ?? "";
}

async function narrow(page: Page, hands: Hands, token: string): Promise<void> {
  await page.goto(`${server.issuer}/account/apps`);
  expect(await entry(page).locator("ul.can").first().innerText()).toMatch(/See your photos\s+See your albums/);
  await hands.look();
  await hands.press("details.narrow summary");
  await hands.look();
  await hands.toggle("input[name=keep][value=albums]");
  await hands.press("button[name=narrow]");
  await page.locator("[role=status]").waitFor();
  expect(await page.locator("[role=status]").innerText()).toContain("Photo Printer can do less now");
  await hands.look();
  expect((await refresh(server, client, token)).body.scope).toBe("read");
}

async function revoke(page: Page, hands: Hands, token: string): Promise<void> {
  await hands.press("button[name=revoke]");
  await page.getByText("No app uses your account").waitFor();
  expect(await page.locator("[role=status]").innerText()).toContain("gets nothing new any more");
  expect(await entry(page).count()).toBe(0);
  await hands.look();
  const { status, body } = await refresh(server, client, token);
  expect([status, body.error]).toEqual([400, "invalid_grant"]);
}

async function signOut(page: Page, hands: Hands): Promise<void> {
  await hands.press("button[name=sign_out]");
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await hands.look();
  await page.goto(`${server.issuer}/account/apps`);
  expect([new URL(page.url()).pathname, await heading(page)]).toEqual(["/login", "Sign in"]);
}

async function story(page: Page, hands: Hands): Promise<void> {
  const person = await server.addPerson();
  const token = await connect(page, hands, person);
  await narrow(page, hands, token);
  await revoke(page, hands, token);
  await signOut(page, hands);
}

describe("sign in, consent, narrow, revoke, sign out", () => {
  test.each([
    ["light, wide", { colorScheme: "light", viewport: { width: 1280, height: 800 } }],
    ["dark, 320 px", { colorScheme: "dark", viewport: { width: 320, height: 640 } }],
  ] as const)("by mouse (%s) → as said, every page clean for axe", { timeout: 60_000 }, async (_, look) => {
    await withPage({ browser, ...look }, (page) => story(page, mouse(page, true)));
  });

  test("by keys alone → the same, the focus always in sight", { timeout: 60_000 }, async () => {
    await withPage({ browser }, (page) => story(page, keys(page)));
  });

  test("without JavaScript → the same", { timeout: 60_000 }, async () => {
    await withPage({ browser, javaScriptEnabled: false }, (page) => story(page, mouse(page, false)));
  });
});

describe("what goes wrong on the way", () => {
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
          expect(await page.locator(`#${described}`).innerText()).toContain("don’t belong together");
        }
      }
      expect(await page.getByRole("alert").innerText()).toContain("Too many tries");
      server.tick(3_600_000);
    });
  });

  test("Enter in a consent page's field → nothing is allowed: only pressing Allow allows", async () => {
    await withPage({ browser }, async (page) => {
      const person = await server.addPerson();
      await page.goto(app.url);
      await page.locator("a").click();
      await signIn(page, mouse(page, false), person);
      for (const selector of ["input[name=scope][value=write]", "select[name=duration]"]) {
        await page.locator(selector).focus();
        await page.keyboard.press("Enter");
        await page.keyboard.press("Escape");
      }
      await page.waitForTimeout(200);
      expect(new URL(page.url()).pathname).toBe("/consent");
      expect(
        await server.assent.storage.listConsents({ ...person, ownerId: person.personId, now: server.now() }),
      ).toEqual([]);
      await page.locator("button[value=deny]").click();
      await page.waitForURL(/\/cb\?/);
      expect(new URL(page.url()).searchParams.get("error")).toBe("access_denied");
    });
  });

  test("back after the answer, and Allow again → a page that says it is answered, with a way on", async () => {
    await withPage({ browser }, async (page) => {
      const hands = mouse(page, true);
      const token = await connect(page, hands, await server.addPerson());
      await page.goBack();
      if (!page.url().includes("/consent")) await page.goBack();
      await page.locator("button[value=allow]").click();
      await page.getByRole("heading", { name: "You have answered this already" }).waitFor();
      await hands.look();
      await page.getByRole("link", { name: "Go to your apps" }).click();
      expect(await entry(page).count()).toBe(1);
      expect((await refresh(server, client, token)).status).toBe(200);
    });
  });

  test.each([
    [
      "an app that isn't known",
      () => authorizeUrl(server, { ...client, clientId: "c-nobody" }),
      "This app is not known here",
    ],
    [
      "a redirect that isn't registered",
      () => authorizeUrl(server, { ...client, redirectUris: ["https://evil.test"] }),
      "This app.s link is not safe to follow",
    ],
    ["an address that leads nowhere", () => `${server.issuer}/nowhere`, "There is nothing here"],
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
        await signIn(page, mouse(page, false), person);
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
      await signIn(page, hands, await server.addPerson());
      await page.goto(`${server.issuer}/account/sign-out`);
      await hands.look();
      await page.getByRole("link", { name: "Stay signed in" }).click();
      expect(await heading(page)).toBe("Your apps");
    });
  });

  test("Not you? → another person signs in, and answers as themselves", async () => {
    await withPage({ browser }, async (page) => {
      const hands = mouse(page, false);
      await page.goto(app.url);
      await page.locator("a").click();
      await signIn(page, hands, await server.addPerson());
      await page.getByRole("button", { name: "Not you?" }).click();
      const bob = await server.addPerson({ name: "Bob Second" });
      await signIn(page, hands, bob);
      expect(await page.locator(".person").innerText()).toContain("Bob Second");
      await page.locator("button[value=allow]").click();
      await page.waitForURL(/\/cb\?/);
      expect(
        await server.assent.storage.listConsents({ ...bob, ownerId: bob.personId, now: server.now() }),
      ).toHaveLength(1);
    });
  });
});
