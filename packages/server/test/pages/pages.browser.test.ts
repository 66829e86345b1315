import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { axe, launchBrowser, withPage } from "../../../../test/support/chromium.ts";
import { inReliability } from "../../../../test/support/reliability-cycles-and-figures.ts";
import { assets, chrome, formPostPage, locales } from "../../src/pages/index.ts";
import { coveringClasses, coveringStates } from "./covering-states.ts";
import { states } from "./page-states.ts";
import { type GalleryServer, POLICY, serveStates } from "./serve-states.ts";

let browser: Browser;
let server: GalleryServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), serveStates()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** The rules that depend on colours or width. Other rules are checked once per state. */
const BY_COLOUR_AND_WIDTH = ["color-contrast", "link-in-text-block", "target-size"];

/**
 * In `npm test`, states that show every structure once. accessibility.browser.test.ts opens all states at 320 px, with
 * the longer German texts.
 */
const names = inReliability ? Object.keys(states) : coveringStates();
/** States that are looked at in dark, too: in `npm test`, those that show every class inside each other. */
const dark = new Set(inReliability ? names : coveringClasses(names));

/** Counts of elements and styles that a page must not have. */
const INSPECT = `({
  inline: document.querySelectorAll("[style], style, script:not([src])").length,
  handlers: [...document.querySelectorAll("*")].filter((one) => one.getAttributeNames().some((name) => name.startsWith("on"))).length,
  strangers: [...document.querySelectorAll("[src], link")].filter((one) => new URL(one.src || one.href).origin !== location.origin).length,
  scriptLinks: [...document.querySelectorAll("a")].filter((one) => !/^(https?|otpauth):$/.test(one.protocol) && !(one.download && one.href.startsWith("data:text/plain;"))).length,
})`;

test("every structure, light and dark, 1280 and 390 px, folded parts open → clean for axe, as its policy says; nothing beyond 320 px", {
  timeout: 300_000,
}, async () => {
  const found: string[] = [];
  // Without animations, colours change at once.
  await withPage({ browser, reducedMotion: "reduce" }, async (page) => {
    const script = server.axeScript;
    for (const name of names) {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.emulateMedia({ colorScheme: "light" });
      await page.goto(`${server.origin}/${name}`);
      await page.evaluate('for (const one of document.querySelectorAll("details")) one.open = true');
      expect(await page.evaluate(INSPECT), name).toEqual({ inline: 0, handlers: 0, strangers: 0, scriptLinks: 0 });
      found.push(...(await axe(page, { script })).map((violation) => `${name}, light: ${violation}`));
      if (!dark.has(name)) continue;
      await page.setViewportSize({ width: 390, height: 800 });
      await page.emulateMedia({ colorScheme: "dark" });
      const violations = await axe(page, { rules: BY_COLOUR_AND_WIDTH });
      found.push(...violations.map((violation) => `${name}, dark: ${violation}`));
      // In `npm test`, accessibility.browser.test.ts does this for all states, in German.
      if (!inReliability) continue;
      await page.setViewportSize({ width: 320, height: 640 });
      const over: string[] = await page.evaluate(
        `[...document.querySelectorAll("body *:not(.unseen):not(.unseen *):not(option)")]
          .filter((one) => one.getBoundingClientRect().right > 320.5 || one.getBoundingClientRect().left < -0.5)
          .map((one) => one.tagName + "." + one.className)`,
      );
      const scrolls = await page.evaluate(
        "document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth",
      );
      if (over.length > 0 || scrolls) found.push(`${name}, 320 px: ${over.join(", ")}`);
    }
  });
  expect(found).toEqual([]);
});

test("recovery codes, saved as a file without JavaScript → a text with all of them; clean for axe, as its policy says", async () => {
  const viewport = { width: 360, height: 740 };
  await withPage({ browser, viewport }, async (page) => {
    await page.goto(`${server.origin}/recovery-codes`);
    expect(await axe(page)).toEqual([]);
    expect(await page.evaluate(INSPECT)).toEqual({ inline: 0, handlers: 0, strangers: 0, scriptLinks: 0 });
  });
  await withPage({ browser, viewport, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.origin}/recovery-codes`);
    const shown = await page.locator(".codes code").allTextContents();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Save as a file" }).click(),
    ]);
    expect(file.suggestedFilename()).toBe("recovery-codes.txt");
    const text = await readFile(await file.path(), "utf8");
    expect(text.split("\r\n")).toEqual([...shown, ""]);
    expect(shown).toHaveLength(10);
  });
});

/** The languages whose pages axe checks: the others have the same direction and the same script as English. */
const CHECKED_LOCALES = new Set<string>(inReliability ? locales : ["ar", "ja"]);

test("an app of a company on a phone → short terms of its facts stay on one line", async () => {
  await withPage({ browser, viewport: { width: 360, height: 740 } }, async (page) => {
    await page.goto(`${server.origin}/company-app`);
    const heights = await page
      .locator(".facts.lines dt")
      .evaluateAll((terms) => terms.map((one) => Math.round(one.getBoundingClientRect().height / 20)));
    expect(new Set(heights)).toEqual(new Set([1]));
  });
});

test("right to left and in every language: clean for axe, nothing scrolls sideways at 320 px", {
  timeout: 60_000,
}, async () => {
  const found: string[] = [];
  await withPage({ browser, viewport: { width: 320, height: 640 } }, async (page) => {
    for (const locale of locales) {
      for (const name of [
        "consent",
        "consent-more",
        "apps",
        "history",
        "receipt",
        "verify-receipt-altered",
        "sign-in-wrong",
        "device-consent",
        "problem-404",
      ]) {
        await page.goto(`${server.origin}/${name}?locale=${locale}`);
        expect(await page.evaluate("document.documentElement.lang")).toBe(locale);
        const violations = CHECKED_LOCALES.has(locale) ? await axe(page, { script: server.axeScript }) : [];
        const wide = await page.evaluate(
          "document.scrollingElement.scrollWidth > document.scrollingElement.clientWidth",
        );
        if (violations.length > 0 || wide) found.push(`${name} ${locale} ${wide} ${JSON.stringify(violations)}`);
      }
    }
  });
  expect(found).toEqual([]);
});

test("targets are 24 px or more, and buttons of one question 44 px on a phone", async () => {
  await withPage({ browser, viewport: { width: 390, height: 800 } }, async (page) => {
    for (const name of ["sign-in", "consent", "sign-out"]) {
      await page.goto(`${server.origin}/${name}`);
      const heights: number[] = await page.evaluate(
        '[...document.querySelectorAll(".card .button")].map((one) => one.getBoundingClientRect().height)',
      );
      expect(heights.length).toBeGreaterThan(0);
      expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
    }
  });
});

describe("consent by keyboard", () => {
  const focused = "document.activeElement.value || document.activeElement.id || document.activeElement.tagName";

  test("Tab goes through account, choices with their ends, length, answers, in the order in which they stand", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(`${server.origin}/consent`);
      const order: unknown[] = [];
      for (let step = 0; step < 9; step++) {
        await page.keyboard.press("Tab");
        order.push(await page.evaluate(`document.activeElement.name || document.activeElement.textContent.trim()`));
      }
      expect(order).toEqual([
        ...["Switch account", "duration:photos:read", "scope", "duration:photos:write"],
        ...["scope", "duration:profile", "duration", "decision", "decision"],
      ]);
      expect(await page.evaluate(focused)).toBe("deny");
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineStyle");
      expect(outline).toBe("solid");
    });
  });

  test("Enter on a tick or on the length → nothing is decided; Enter on an answer → that answer", async () => {
    const posted: string[] = [];
    await withPage({ browser }, async (page) => {
      await page.route("**/consent", (route) => {
        if (route.request().method() !== "POST") return route.continue();
        posted.push(route.request().postData() ?? "");
        return route.fulfill({ status: 204 });
      });
      await page.goto(`${server.origin}/consent`);
      await page.focus('input[value="photos:write"]');
      await page.keyboard.press("Enter");
      await page.keyboard.press("Space");
      await page.focus("#duration");
      await page.selectOption("#duration", "3600");
      await page.waitForTimeout(200);
      expect(posted).toEqual([]);
      await page.focus('button[value="deny"]');
      await page.keyboard.press("Enter");
      await expect.poll(() => posted.length).toBe(1);
      await page.click('button[value="allow"]');
      await expect.poll(() => posted.length).toBe(2);
    });
    const [denied, allowed] = posted.map((body) => [...new URLSearchParams(body)]);
    // The space key unticked the one optional box. Required boxes are disabled, so they are never sent.
    const common = [
      ["csrf", "csrf-value"],
      ["request", "sealed-request-value"],
      ...["photos:read", "photos:write", "photos:delete", "profile"].map((name) => [`duration:${name}`, ""]),
      ["duration", "3600"],
    ];
    expect(denied).toEqual([...common, ["decision", "deny"]]);
    expect(allowed).toEqual([...common, ["decision", "allow"]]);
  });

  test("another account → its own form, without an answer", async () => {
    const posted: string[] = [];
    await withPage({ browser, javaScriptEnabled: false }, async (page) => {
      await page.route("**/login/switch", (route) => {
        posted.push(route.request().postData() ?? "");
        return route.fulfill({ status: 204 });
      });
      await page.goto(`${server.origin}/consent`);
      await page.getByRole("button", { name: "Switch account" }).click();
      await expect.poll(() => posted).toEqual(["csrf=csrf-value&request=sealed-request-value"]);
    });
  });
});

test("a wrong password → the caret stands in the password field, which is said to be wrong and why", async () => {
  await withPage({ browser, javaScriptEnabled: true }, async (page) => {
    await page.goto(`${server.origin}/sign-in-wrong`);
    const field = page.getByLabel("Password", { exact: true });
    await expect.poll(() => page.evaluate("document.activeElement.name")).toBe("password");
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    const id = await field.getAttribute("aria-describedby");
    expect(await page.locator(`#${id}`).textContent()).toMatch(/is wrong/);
  });
});

test("a right-to-left or hostile name → moves nothing that stands around it", async () => {
  await withPage({ browser }, async (page) => {
    for (const name of ["consent-rtl-name", "consent-hostile"]) {
      await page.goto(`${server.origin}/${name}`);
      const heading = page.locator("h1");
      expect(await page.evaluate('getComputedStyle(document.querySelector("h1")).direction')).toBe("ltr");
      expect(await heading.textContent()).toMatch(/ wants access to your account$/);
    }
    expect(await page.locator("h1").textContent()).not.toMatch(/[\u202A-\u202E\u200B\n]/);
  });
});

describe("form post", () => {
  test.each([true, false])("scripts %s → the fields reach the client", async (javaScriptEnabled) => {
    const received: string[] = [];
    const client = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        received.push(`${request.method} ${request.url} ${Buffer.concat(chunks)}`);
        response.end("thanks");
      });
    });
    await new Promise<void>((resolve) => client.listen(0, "127.0.0.1", resolve));
    const action = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`;
    const fields = { code: "ac_x", submit: "a name that hides the method", state: 's"<&' };
    const here = createServer((request, response) => {
      const asset = assets.get(request.url ?? "");
      if (asset) response.writeHead(200, { "content-type": asset.type }).end(asset.bytes);
      else {
        response.writeHead(200, { "content-type": "text/html; charset=utf-8", "content-security-policy": POLICY });
        response.end(formPostPage({ action, fields }, chrome({ issuer: "http://127.0.0.1" })));
      }
    });
    await new Promise<void>((resolve) => here.listen(0, "127.0.0.1", resolve));
    try {
      await withPage({ browser, javaScriptEnabled }, async (page) => {
        await page.goto(`http://127.0.0.1:${(here.address() as AddressInfo).port}/`);
        if (!javaScriptEnabled) await page.getByRole("button", { name: "Continue" }).click();
        await page.waitForURL(action);
      });
      expect(received.filter((one) => one.includes("/callback"))).toEqual([
        `POST /callback ${new URLSearchParams(fields)}`,
      ]);
    } finally {
      for (const one of [client, here]) {
        one.closeAllConnections();
        one.close();
      }
    }
  });
});

test("a member with a long name → on a desktop, the buttons of all members stand in one column", async () => {
  await withPage({ browser, viewport: { width: 1366, height: 768 } }, async (page) => {
    for (const locale of ["en", "ar"]) {
      await page.goto(`${server.origin}/company-members?locale=${locale}`);
      const ends = await page
        .locator(".row > .row-actions")
        .evaluateAll(
          (all, rtl) => all.map((one) => one.getBoundingClientRect()[rtl ? "left" : "right"]),
          locale === "ar",
        );
      expect(ends.length).toBeGreaterThan(1);
      expect([locale, new Set(ends.map(Math.round)).size]).toEqual([locale, 1]);
    }
  });
});

test.each([
  ["a phone", { hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } }, true],
  ["a desktop", { viewport: { width: 1366, height: 768 } }, false],
] as const)(
  "an authenticator is set up on %s → a link opens it only where no other device scans the code",
  async (_, device, has) => {
    await withPage({ browser, ...device }, async (page) => {
      await page.goto(`${server.origin}/authenticator`);
      expect(await page.getByRole("link", { name: "Open in an authenticator app" }).isVisible()).toBe(has);
    });
  },
);
