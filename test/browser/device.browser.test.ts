/** Connecting a device in a real browser, by keyboard and without JavaScript. Every page passes axe. */

import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../support/chromium.ts";
import { aDevice, aDeviceClient, poll } from "../support/device-actor.ts";
import { PASSWORD, startServer, type TestClient, type TestServer, variants } from "../support/test-server.ts";

let browser: Browser;
let server: TestServer;
let tv: TestClient;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startServer()]);
  tv = await aDeviceClient(server);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

/** Presses Tab until this element has the focus. Each stop must show the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let stops = 0; stops < 60; stops += 1) {
    const at = (await page.evaluate(`(() => {
      const one = document.activeElement;
      const rings = [one, one.closest("label")].filter((each) => each !== null).map((each) => getComputedStyle(each));
      return {
        there: one.matches(${JSON.stringify(selector)}),
        shown: one === document.body || rings.some(({ outlineStyle, boxShadow }) => outlineStyle !== "none" || boxShadow !== "none"),
      };
    })()`)) as { there: boolean; shown: boolean };
    expect(at.shown, `the focus shows on ${page.url()}`).toBe(true);
    if (at.there) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`${selector} can't be reached by Tab on ${page.url()}`);
}

async function look(page: Page, withAxe: boolean): Promise<void> {
  if (withAxe) expect(await axe(page), page.url()).toEqual([]);
}

async function signedIn(page: Page, username: string, withAxe: boolean): Promise<void> {
  await page.waitForSelector("input[name=username]:focus");
  await look(page, withAxe);
  await page.keyboard.type(username);
  await page.keyboard.press("Tab");
  await page.keyboard.type(PASSWORD);
  await page.keyboard.press("Enter");
}

describe.each(
  variants([
    ["light", true],
    ["dark", false],
  ] as const),
)("%s, JavaScript %s", (colorScheme, javaScriptEnabled) => {
  test("by keys: the code, sign-in, Allow → the device has tokens", async () => {
    const { deviceCode, userCode } = await aDevice(server, tv, { scope: "read write" });
    const { username } = await server.addPerson();
    await withPage({ browser, colorScheme, javaScriptEnabled, viewport: { width: 390, height: 800 } }, async (page) => {
      await page.goto(`${server.issuer}/device`);
      await look(page, javaScriptEnabled);
      // The field has the focus at the start, and Enter presses the only button.
      await page.waitForSelector("input[name=user_code]:focus");
      await page.keyboard.type(userCode.toLowerCase().replace("-", " "));
      await page.keyboard.press("Enter");
      await signedIn(page, username, javaScriptEnabled);
      await page.waitForSelector(".device-facts");
      await look(page, javaScriptEnabled);
      expect(await page.locator(".device-facts dd.user-code").textContent()).toBe(userCode);
      await tabTo(page, "button[name=decision][value=allow]");
      await page.keyboard.press("Enter");
      await page.waitForSelector("text=is connected");
      await look(page, javaScriptEnabled);
    });
    expect((await poll(server, tv, deviceCode)).body.scope).toBe("read write");
  });

  test("by the link: the code is compared and confirmed; a wrong one first; Don’t allow → access_denied", async () => {
    const { deviceCode, answer } = await aDevice(server, tv);
    const { username } = await server.addPerson();
    await withPage(
      { browser, colorScheme, javaScriptEnabled, viewport: { width: 1280, height: 800 } },
      async (page) => {
        await page.goto(`${server.issuer}/device`);
        await page.keyboard.type("BBBB BBBB");
        await page.keyboard.press("Enter");
        await signedIn(page, username, false);
        await page.waitForSelector("[role=alert]");
        await look(page, javaScriptEnabled);
        await page.goto(String(answer.body["verification_uri_complete"]));
        await look(page, javaScriptEnabled);
        await tabTo(page, "button[type=submit]");
        await page.keyboard.press("Enter");
        await page.waitForSelector(".device-facts");
        await tabTo(page, "button[name=decision][value=deny]");
        await page.keyboard.press("Enter");
        await page.waitForSelector("text=was not connected");
        await look(page, javaScriptEnabled);
      },
    );
    expect((await poll(server, tv, deviceCode)).body.error).toBe("access_denied");
  });
});
