/**
 * What every page owes to those who read it large, by keys, in other colours or on paper (WCAG 2.2: 1.4.10 reflow, 1.4.12 text spacing, 2.1 keyboard,
 * 2.4.7 visible focus, 2.5.8 target size), in a real browser.
 */
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { launchBrowser, withPage } from "../../../../test/support/chromium.ts";
import { inReliability } from "../../../../test/support/reliability-cycles-and-figures.ts";
import { locales } from "../../src/pages/index.ts";
import { states } from "./page-states.ts";
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

/** One state for each page, the one that shows most of it. */
const PAGES = [
  ...[
    "sign-in-passkey",
    "sign-in-ways",
    "second-step-passkey",
    "stronger",
    "consent",
    "consent-owners",
    "device-consent",
  ],
  ...[
    "device",
    "device-elsewhere",
    "device-allowed",
    "ask-admin-wrong",
    "company-connections",
    "company-connect-change",
    "asked-admin",
    "invitation",
    "apps",
    "apps-search",
    "agents",
  ],
  ...[
    "history",
    "receipt",
    "verify-receipt-altered",
    "security-everything",
    "change-password",
    "recover",
    "recover-new-intruded",
    "recover-prove-both",
    "restore",
    "sign-up-account",
    "confirm-change",
  ],
  ...[
    "profile-fault",
    "delete",
    "data-export",
    "add-passkey",
    "authenticator",
    "recovery-codes",
    "company-apps",
    "company-members-invited",
  ],
  ...[
    "company-history",
    "company-remove",
    "company-unapprove",
    "companies",
    "sign-out",
    "logout",
    "signed-out",
    "problem-400",
    "language",
    "form-post",
    "condition",
  ],
];

const OPEN = 'for (const one of document.querySelectorAll("details")) one.open = true';

/** What stands beyond the edges, or is cut off inside its own box. */
const OVER = `[
  ...[...document.querySelectorAll("body *:not(.unseen):not(.unseen *):not(option):not(.skip)")]
    .filter((one) => one.getBoundingClientRect().right > innerWidth + 0.5 || one.getBoundingClientRect().left < -0.5),
  ...[...document.querySelectorAll("h1, h2, h3, p, dt, dd, label, legend, summary, .button, .tag, .place")]
    .filter((one) => !one.closest(".unseen") && getComputedStyle(one).overflow === "hidden" && one.scrollHeight > one.clientHeight + 1),
].map((one) => one.tagName + "." + one.className)`;

/** The spacing that readers may choose (WCAG 1.4.12), laid over the page where its policy has no say. */
const SPACED = `{
  const sheet = new CSSStyleSheet();
  sheet.replaceSync("* { line-height: 1.5 !important; letter-spacing: 0.12em !important; word-spacing: 0.16em !important; } p { margin-block-end: 2em !important; }");
  document.adoptedStyleSheets = [sheet];
}`;

const SMALL = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
  .filter((one) => one.checkVisibility() && !one.closest(".unseen") && !one.matches(".skip, .unseen"))
  .map((one) => [one, (one.type === "checkbox" || one.type === "radio" ? one.closest("label") : one).getBoundingClientRect()])
  // A link in a sentence is as high as its line; one alone has room of its own.
  .filter(([one, box]) => (box.height < 24 || box.width < 24) && !(one.tagName === "A" && one.parentElement.childNodes.length > 1))
  .map(([one, box]) => one.tagName + " " + one.textContent.trim().slice(0, 30) + " " + Math.round(box.width) + "×" + Math.round(box.height))`;

test("320 px, as 1280 px at 400 %: with wide spacing and German words nothing scrolls sideways or is cut off, every target has 24 px", {
  timeout: 240_000,
}, async () => {
  const found: string[] = [];
  await withPage({ browser, viewport: { width: 320, height: 640 } }, async (page) => {
    for (const name of Object.keys(states)) {
      await page.goto(`${server.origin}/${name}?locale=de`);
      await page.evaluate(OPEN);
      const small: string[] = await page.evaluate(SMALL);
      await page.evaluate(SPACED);
      const over: string[] = await page.evaluate(OVER);
      if (over.length + small.length > 0) found.push(`${name}: ${[...over, ...small].join("; ")}`);
    }
  });
  expect(found).toEqual([]);
});

/** German, which has the longest words, stands for the others in Latin script in `npm test`. */
const OTHERS: readonly string[] = inReliability ? locales.filter((one) => one !== "en" && one !== "de") : ["ar", "ja"];

test("in every language each page fits 320 px", { timeout: 240_000 }, async () => {
  const found: string[] = [];
  await withPage({ browser, viewport: { width: 320, height: 640 } }, async (page) => {
    for (const locale of OTHERS) {
      for (const name of PAGES) {
        await page.goto(`${server.origin}/${name}?locale=${locale}`);
        await page.evaluate(OPEN);
        const over: string[] = await page.evaluate(OVER);
        if (over.length > 0) found.push(`${name} ${locale}: ${over.join("; ")}`);
      }
    }
  });
  expect(found).toEqual([]);
});

/** What Tab should reach, in order: a group of radio buttons is one stop. */
const STOPS = `[...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true }) && !one.disabled && one.tabIndex >= 0)
  .filter((one) => one.type !== "radio" || one.checked)
  .map((one) => (one.id || one.name || one.tagName) + "|" + (one.value || one.textContent).trim().slice(0, 40))`;

const HERE = `(() => {
  const one = document.activeElement;
  const style = getComputedStyle(one);
  return {
    stop: (one.id || one.name || one.tagName) + "|" + (one.value || one.textContent).trim().slice(0, 40),
    ring: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && one.getBoundingClientRect().top >= 0,
  };
})()`;

async function fromTheTop(page: Page): Promise<void> {
  // The page's own focus is given with its first frame.
  await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
  await page.evaluate(
    "document.body.tabIndex = -1; document.body.focus(); document.body.removeAttribute('tabindex'); scrollTo(0, 0)",
  );
}

test("by keys alone: Tab reaches everything in the order in which it stands, each time with a ring that is seen", {
  timeout: 240_000,
}, async () => {
  const found: string[] = [];
  await withPage({ browser, viewport: { width: 1280, height: 800 } }, async (page) => {
    for (const name of PAGES) {
      await page.goto(`${server.origin}/${name}`);
      const stops: string[] = await page.evaluate(STOPS);
      await fromTheTop(page);
      const reached: string[] = [];
      for (let step = 0; step < stops.length; step += 1) {
        await page.keyboard.press("Tab");
        const here: { stop: string; ring: boolean } = await page.evaluate(HERE);
        reached.push(here.ring ? here.stop : `${here.stop} (no ring)`);
      }
      if (String(reached) !== String(stops))
        found.push(`${name}: ${reached.join(", ")} instead of ${stops.join(", ")}`);
    }
  });
  expect(found).toEqual([]);
});

describe("by keys", () => {
  test("the first stop of a page with a bar leads past it", async () => {
    await withPage({ browser }, async (page) => {
      await page.goto(`${server.origin}/apps`);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("document.activeElement.getBoundingClientRect().top >= 0")).toBe(true);
      await page.keyboard.press("Enter");
      await page.keyboard.press("Tab");
      expect(await page.evaluate('document.activeElement.closest("main") !== null')).toBe(true);
    });
  });

  test.each(["Enter", "Space"])("%s unfolds what is folded, and folds it again", async (key) => {
    await withPage({ browser }, async (page) => {
      for (const name of ["apps", "consent-more", "second-step", "profile"]) {
        await page.goto(`${server.origin}/${name}`);
        const fold = page.locator("details").first();
        await fold.locator("summary").focus();
        await page.keyboard.press(key);
        expect(await fold.getAttribute("open")).not.toBeNull();
        await page.keyboard.press(key);
        expect(await fold.getAttribute("open")).toBeNull();
      }
    });
  });
});

test("the reader's own colours: every control, message and sign keeps an edge, and the focus a ring", async () => {
  await withPage({ browser, forcedColors: "active" }, async (page) => {
    for (const name of [
      "sign-in-wrong",
      "consent-unverified",
      "apps-revoked",
      "company-members-wrong",
      "device-consent",
    ]) {
      await page.goto(`${server.origin}/${name}`);
      const bare: string[] = await page.evaluate(
        `[...document.querySelectorAll(".card .button, input:not([type=hidden]), select, .notice, .tag, .avatar, .event-sign")]
          .filter((one) => one.checkVisibility() && !one.matches(".unseen"))
          .filter((one) => !(one.type === "checkbox" || one.type === "radio"))
          .filter((one) => { const { borderTopStyle: style, borderTopWidth: width } = getComputedStyle(one); return style === "none" || parseFloat(width) < 1; })
          .map((one) => one.tagName + "." + one.className)`,
      );
      expect([name, bare]).toEqual([name, []]);
      await page.keyboard.press("Tab");
      expect(await page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")).toBe(3);
    }
  });
});

test("on paper: what was decided stands there, what can be pressed doesn't", async () => {
  await withPage({ browser }, async (page) => {
    await page.emulateMedia({ media: "print" });
    for (const [name, kept] of [
      ["apps", ".can"],
      ["history", ".event"],
      ["recovery-codes", ".codes"],
      ["company-members", ".row"],
    ]) {
      await page.goto(`${server.origin}/${name}`);
      expect(await page.locator(`${kept}`).first().isVisible()).toBe(true);
      const pressed = "button, .button, nav, search, summary, .skip, .foot";
      expect([name, await page.locator(pressed).filter({ visible: true }).count()]).toEqual([name, 0]);
    }
  });
});

test("whoever wants no motion gets none", async () => {
  await withPage({ browser, reducedMotion: "reduce" }, async (page) => {
    for (const name of ["apps", "consent"]) {
      await page.goto(`${server.origin}/${name}`);
      const moving = await page.evaluate(
        `[...document.querySelectorAll("*")].filter((one) => { const style = getComputedStyle(one); return parseFloat(style.transitionDuration) > 0 || style.animationName !== "none"; }).length`,
      );
      expect(moving).toBe(0);
    }
  });
});

test("a reader in another zone → exact times are in theirs, and say so; without scripts they are UTC", async () => {
  const read = (page: Page) =>
    page.evaluate(
      `[...document.querySelectorAll("time")].map((one) => one.dataset.shown ? one.textContent : one.title)`,
    );
  for (const [javaScriptEnabled, zone] of [
    [true, /18:40 GMT\+9|18:40 JST/],
    [false, /09:40 UTC/],
  ] as const) {
    await withPage({ browser, timezoneId: "Asia/Tokyo", javaScriptEnabled }, async (page) => {
      await page.goto(`${server.origin}/apps-revoked`);
      const times = (await read(page)) as string[];
      expect(times.some((one) => zone.test(one))).toBe(true);
      expect(times.some((one) => /UTC/.test(one))).toBe(!javaScriptEnabled);
    });
  }
});

test("the choice Today, in a zone or without scripts → text and field say one end, the midnight of the zone or of UTC", async () => {
  for (const [javaScriptEnabled, shown, hours] of [
    // 09:30 UTC is 18:30 in Tokyo, so its day ends in 5.5 hours.
    [true, /^Today, until 00:00 (GMT\+9|JST)$/, 5.5],
    [false, /^Today, until 00:00 UTC$/, 14.5],
  ] as const) {
    await withPage({ browser, timezoneId: "Asia/Tokyo", javaScriptEnabled }, async (page) => {
      await page.goto(`${server.origin}/consent-today`);
      const option = page.locator('option[value="today"]');
      expect((await option.textContent())?.trim()).toMatch(shown);
      const now = Number(await option.getAttribute("data-now"));
      const until = Number(await page.locator('input[name="today_until"]').inputValue());
      expect((until - now) / 3_600_000).toBe(hours);
    });
  }
});
