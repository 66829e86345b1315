/** Our script on password fields, in a real browser: it shows a typed password, and the strength of a new one. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, withPage } from "../../../../test/support/chromium.ts";
import { type GalleryServer, serveStates } from "./serve-states.ts";

let browser: Browser;
let server: GalleryServer;
beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), serveStates()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Every page with a password field. */
const PAGES = ["sign-in", "change-password", "sign-up-account", "recover-new", "delete", "profile", "company-proof"];

describe("shown and hidden", () => {
  test.each(PAGES)("%s: by keys, the value stays, and the form sends a password field", async (name) => {
    await withPage({ browser }, async (page) => {
      await page.goto(`${server.origin}/${name}`);
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      const field = page.locator('input[type="password"]').first();
      const id = await field.getAttribute("id");
      const input = page.locator(`#${id}`);
      await input.fill("seven green umbrellas");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Space");
      expect([await input.getAttribute("type"), await input.inputValue()]).toEqual(["text", "seven green umbrellas"]);
      // The cursor is in the field again, so that people can continue to type.
      expect(await page.evaluate("document.activeElement.id")).toBe(id);
      await page.evaluate(`{
        const form = document.getElementById(${JSON.stringify(id)}).form;
        form.addEventListener("submit", (event) => event.preventDefault());
        form.requestSubmit();
      }`);
      expect(await input.getAttribute("type")).toBe("password");
    });
  });

  test("without scripts → no button, and the pages work", async () => {
    await withPage({ browser, javaScriptEnabled: false }, async (page) => {
      await page.goto(`${server.origin}/change-password`);
      expect(await page.locator(".reveal, .strength").count()).toBe(0);
    });
  });
});

describe("the strength of a new password", () => {
  test.each([
    ["", undefined],
    ["Wq7-kd2", "Too short"],
    ["password", "Weak: easy to guess"],
    ["Password123!", "Weak: easy to guess"],
    ["qwertyuiop", "Weak: easy to guess"],
    ["aaaaaaaaaaaaaaaa", "Weak: easy to guess"],
    ["1234567890", "Weak: easy to guess"],
    ["ada-12345678", "Weak: easy to guess"],
    ["seven green umbrellas", "Good"],
    ["fK7#wq2!zR9v", "Strong"],
    ["seven green umbrellas sing at noon", "Strong"],
  ])("%j → %s", async (password, wanted) => {
    await withPage({ browser }, async (page) => {
      await page.goto(`${server.origin}/change-password`);
      await page.fill("#password", password);
      const line = page.locator(".strength");
      if (wanted === undefined) expect(await line.isVisible()).toBe(false);
      else expect(await line.innerText()).toBe(wanted);
      expect(await page.locator(".strength").count()).toBe(1);
    });
  });

  test("weak → nothing is blocked: the form goes to the server, which decides", async () => {
    const posted: string[] = [];
    await withPage({ browser }, async (page) => {
      await page.route("**/account/security/password", (route) => {
        posted.push(route.request().postData() ?? "");
        return route.fulfill({ status: 204 });
      });
      await page.goto(`${server.origin}/change-password`);
      await page.fill("#password", "short");
      await page.fill("#again", "short");
      await page.keyboard.press("Enter");
      await expect.poll(() => posted.length).toBe(1);
    });
  });

  test("another language → its words", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(`${server.origin}/change-password?locale=de`);
      await page.fill("#password", "password");
      expect(await page.locator(".strength").innerText()).toBe("Schwach: leicht zu erraten");
      expect(await page.locator(".reveal").first().innerText()).toBe("Anzeigen");
    });
  });
});
