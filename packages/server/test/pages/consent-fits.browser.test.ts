/** The question of an app fits a screen: whoever decides sees what is asked and both answers at once. In a real browser. */
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowser, withPage } from "../../../../test/support/chromium.ts";
import { locales } from "../../src/pages/index.ts";
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

const SCREENS = [
  { width: 1366, height: 768 },
  { width: 360, height: 740 },
];

/** The lower edge of the lowest element of each kind, in pixels from the top of the screen. */
const EDGES = `Object.fromEntries([["permission", ".permission"], ["length", ".field:has(#duration)"], ["answers", ".decision"]]
  .map(([name, selector]) => [name, Math.max(...[...document.querySelectorAll(selector)].map((one) => one.getBoundingClientRect().bottom))]))`;

test.each(SCREENS)(
  "four permissions at $width × $height → all of them, how long, and both answers are in sight",
  async (viewport) => {
    await withPage({ browser, viewport }, async (page) => {
      for (const locale of locales) {
        await page.goto(`${server.origin}/consent?locale=${locale}`);
        const edges = (await page.evaluate(EDGES)) as Record<"permission" | "length" | "answers", number>;
        expect([locale, edges.answers <= viewport.height]).toEqual([locale, true]);
        const top = await page.locator(".decision").evaluate((one) => one.getBoundingClientRect().top);
        expect([locale, edges.permission <= top, edges.length <= top]).toEqual([locale, true, true]);
      }
    });
  },
);

test.each(SCREENS)(
  "more than fits at $width × $height → the answers stay in sight, side by side and of one size",
  async (viewport) => {
    await withPage({ browser, viewport }, async (page) => {
      for (const name of [
        "consent-40-scopes",
        "consent-unverified",
        "consent-own-times",
        "device-consent",
        "device-elsewhere",
        "device-elsewhere-unknown",
        "consent-more",
        "consent-keeps-long",
        "consent-paused",
        "consent-paused-more",
        "consent-leaving",
        "consent-later",
        "ask-admin-more",
        "ask-admin-wrong",
      ]) {
        await page.goto(`${server.origin}/${name}`);
        const boxes = await Promise.all(
          (await page.locator(".decision .button").all()).map(async (one) => {
            const { y, width, height } = (await one.boundingBox()) ?? {
              y: Number.POSITIVE_INFINITY,
              width: 0,
              height: 0,
            };
            return {
              y,
              width,
              height,
              ground: await one.evaluate((button) => getComputedStyle(button).backgroundColor),
            };
          }),
        );
        expect(boxes).toHaveLength(2);
        expect(boxes[0]).toEqual(boxes[1]);
        expect([name, (boxes[0]?.y ?? 0) + (boxes[0]?.height ?? 0) <= viewport.height]).toEqual([name, true]);
      }
    });
  },
);

test("on a phone, no end chosen for a row yet → its menu says what it is for, in words", async () => {
  await withPage({ browser, viewport: { width: 360, height: 740 } }, async (page) => {
    await page.goto(`${server.origin}/consent`);
    const row = page.locator(".permission").filter({ has: page.locator("select:visible") });
    await row.first().getByText("End", { exact: true }).waitFor();
    await row.first().locator("select").selectOption("3600");
    await row.first().getByText("End", { exact: true }).waitFor({ state: "hidden" });
  });
});

test("what a recovery takes away → each row says it in words, and follows its tick; without JavaScript, too", async () => {
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.origin}/recover-new-intruded`);
    for (const [list, ticked, open] of [
      ["ways", "Will be removed", "Stays"],
      ["apps", "Will lose access", "Keeps access"],
    ]) {
      const rows = page.locator(`[aria-labelledby="${list}-title"] .choice`);
      const row = rows.filter({ has: page.locator("input:checked") }).first();
      const box = await row.locator("input").getAttribute("value");
      const same = rows.filter({ has: page.locator(`input[value="${box}"]`) });
      const said = () => same.locator(".tag").filter({ visible: true }).allTextContents();
      expect(await said()).toEqual([ticked]);
      await same.locator("input").uncheck();
      expect(await said()).toEqual([open]);
    }
  });
});

test.each(locales)("%s, on a phone, a device of another network → the whole warning is in sight", async (locale) => {
  const viewport = { width: 360, height: 740 };
  await withPage({ browser, viewport }, async (page) => {
    await page.goto(`${server.origin}/device-elsewhere?locale=${locale}`);
    const [warning, bar] = [
      await page.locator(".notice.warning").boundingBox(),
      await page.locator(".decision").boundingBox(),
    ];
    if (warning === null || bar === null) throw new Error("no warning");
    expect(warning.y + warning.height).toBeLessThanOrEqual(bar.y);
    expect(bar.y + bar.height).toBeLessThanOrEqual(viewport.height);
  });
});

test("for whom the answer is → the page shows only what differs for that owner; without JavaScript, too", async () => {
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.origin}/consent-owners`);
    const shown = async () =>
      (await page.locator("[data-option]").all()).reduce(
        async (texts, one) => ((await one.isVisible()) ? [...(await texts), await one.innerText()] : texts),
        Promise.resolve<string[]>([]),
      );
    expect(await shown()).toEqual([]);
    const owner = page.locator("select#owner");
    for (const company of ["Acme Corp", "Initech"]) {
      const value = await owner.locator("option", { hasText: company }).first().getAttribute("value");
      await owner.selectOption(value);
      const texts = await shown();
      expect(texts.length).toBeGreaterThan(0);
      expect(texts.filter((text) => !text.includes(company))).toEqual([]);
    }
  });
});

test("how an app's access ends → what the chosen owner can do; without JavaScript, too", async () => {
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.origin}/consent-away-owners`);
    const [revokes, ends] = [
      page.getByText("until you pause or revoke it"),
      page.getByText("until you end its access"),
    ];
    const said = async () => [await revokes.isVisible(), await ends.isVisible()];
    expect(await said()).toEqual([true, false]);
    for (const [owner, expected] of [
      ["company-1", [false, true]],
      ["company-2", [false, true]],
      ["company-4", [true, false]],
    ] as const) {
      await page.locator("select#owner").selectOption(owner);
      expect([owner, await said()]).toEqual([owner, expected]);
    }
  });
});

test("what a choice means → said where it is chosen, and only there; without JavaScript, too", async () => {
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    const allows = page.locator('button[value="allow"]');
    await page.goto(`${server.origin}/consent-owners`);
    expect(await allows.innerText()).toBe("Allow");
    await page.locator("select#owner").selectOption("company-2");
    expect(await allows.innerText()).toBe("Ask an admin");
    await page.locator("select#owner").selectOption("company-1");
    expect(await allows.innerText()).toBe("Allow");
    await page.goto(`${server.origin}/consent-paused-unseen`);
    expect(await allows.innerText()).toBe("Allow and resume");
    await page.locator("select#owner").selectOption("person-id");
    expect(await allows.innerText()).toBe("Allow");
    await page.goto(`${server.origin}/consent`);
    const hint = page.locator("#once-hint");
    expect(await hint.isVisible()).toBe(false);
    await page.locator('select[name="duration:photos:write"]').selectOption("once");
    expect(await hint.isVisible()).toBe(true);
    await page.goto(`${server.origin}/consent-more`);
    const note = page.locator(".nothing-new");
    expect(await note.isVisible()).toBe(true);
    await page.locator('input[value="photos:delete"]').check();
    expect(await note.isVisible()).toBe(false);
  });
});
test.each(SCREENS)(
  "an approval covers more than the request at $width × $height → it is said above the answers; the names on a press",
  async (viewport) => {
    await withPage({ browser, viewport, javaScriptEnabled: false }, async (page) => {
      for (const locale of locales) {
        await page.goto(`${server.origin}/consent-later?locale=${locale}`);
        const note = page.locator("#owner-notes details");
        const [said, bar] = [
          await note.locator("summary").boundingBox(),
          await page.locator(".decision").boundingBox(),
        ];
        if (said === null || bar === null) throw new Error("no note");
        expect([locale, said.y + said.height <= bar.y, bar.y + bar.height <= viewport.height]).toEqual([
          ...[locale, true, true],
        ]);
        expect(await note.getByText("Order prints").isVisible()).toBe(false);
        await note.locator("summary").click();
        expect(await note.getByText("Order prints").isVisible()).toBe(true);
        expect(await note.locator("li").filter({ hasText: "were taken" }).locator(".tag.warn").count()).toBe(1);
      }
    });
  },
);

test.each([
  ["consent-later", "Now, the app gets only what is ticked."],
  ["consent", "The app gets only what is ticked."],
])("%s: what the ticks mean → with a company that allows more, for now", async (state, expected) => {
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.origin}/${state}`);
    expect(await page.locator(".next").innerText()).toContain(expected);
  });
});

test("by keys through a long question → what has the focus is never behind the answers", async () => {
  await withPage({ browser, viewport: { width: 360, height: 740 } }, async (page) => {
    await page.goto(`${server.origin}/consent-40-scopes`);
    for (let at = 0; at < 60; at += 1) {
      await page.keyboard.press("Tab");
      const hidden = await page.evaluate(`(() => {
        const one = document.activeElement;
        if (one === null || one.closest(".decision") !== null || one.closest("form") === null) return null;
        const bar = document.querySelector(".decision").getBoundingClientRect();
        return one.getBoundingClientRect().bottom > bar.top ? one.name : null;
      })()`);
      expect(hidden).toBeNull();
    }
  });
});

test("a permission that isn't selected → no end to choose; selected → its end; without JavaScript, too", async () => {
  await withPage({ browser, javaScriptEnabled: false }, async (page) => {
    await page.goto(`${server.origin}/consent`);
    const menu = page.locator('select[name="duration:photos:delete"]');
    const box = page.locator('input[value="photos:delete"]');
    expect([await box.isChecked(), await menu.isVisible()]).toEqual([false, false]);
    await box.check();
    expect(await menu.isVisible()).toBe(true);
    await box.uncheck();
    expect(await menu.isVisible()).toBe(false);
  });
});

test("another end chosen in a row → its text is shown, also on a phone", async () => {
  await withPage({ browser, viewport: { width: 360, height: 740 } }, async (page) => {
    await page.goto(`${server.origin}/consent`);
    const menu = page.locator('select[name="duration:photos:write"]');
    const colour = () => menu.evaluate((one) => getComputedStyle(one).color);
    expect(await colour()).toBe("rgba(0, 0, 0, 0)");
    await menu.selectOption("once");
    expect(await colour()).not.toBe("rgba(0, 0, 0, 0)");
    expect((await menu.boundingBox())?.width).toBeGreaterThan(100);
  });
});

test.each(SCREENS)(
  "an end is chosen for one permission at $width × $height → its chevron stands in the menu",
  async (viewport) => {
    await withPage({ browser, viewport }, async (page) => {
      for (const locale of ["en", "ar"]) {
        await page.goto(`${server.origin}/consent?locale=${locale}`);
        const menu = page.locator(".row-end").first();
        await menu.locator("select").selectOption({ index: 1 });
        const [outer, inner] = [
          await menu.locator("select").boundingBox(),
          await menu.locator(".icon").last().boundingBox(),
        ];
        if (outer === null || inner === null) throw new Error("no menu");
        expect([locale, inner.x > outer.x && inner.x + inner.width < outer.x + outer.width]).toEqual([locale, true]);
        const room = await menu.locator("select").evaluate((one) => getComputedStyle(one).paddingInlineEnd);
        expect([locale, room]).toEqual([locale, "28px"]);
      }
    });
  },
);

test.each(locales)("%s, on a phone: for whom the answer is can be read whole", async (locale) => {
  await withPage({ browser, viewport: { width: 360, height: 740 } }, async (page) => {
    await page.goto(`${server.origin}/consent-owners?locale=${locale}`);
    const cut = await page.evaluate(`(() => {
      const one = document.querySelector("select#owner");
      const { font, paddingInlineStart, paddingInlineEnd } = getComputedStyle(one);
      const context = document.createElement("canvas").getContext("2d");
      context.font = font;
      const room = one.clientWidth - parseFloat(paddingInlineStart) - parseFloat(paddingInlineEnd);
      return context.measureText(one.selectedOptions[0].textContent).width > room;
    })()`);
    expect(cut).toBe(false);
  });
});

test("a form with a sentence above it, on a low desktop → its button is in sight", async () => {
  const viewport = { width: 1366, height: 768 };
  await withPage({ browser, viewport }, async (page) => {
    const below: string[] = [];
    for (const name of ["sign-up-account-app", "sign-up-taken", "change-password-common", "delete-wrong"]) {
      // The languages whose texts need the most lines.
      for (const locale of ["de", "ja"]) {
        await page.goto(`${server.origin}/${name}?locale=${locale}`);
        const button = await page.locator("form .button[type=submit]").first().boundingBox();
        const edge = button === null ? Number.POSITIVE_INFINITY : button.y + button.height;
        if (edge > viewport.height) below.push(`${name}, ${locale}: ${edge}`);
      }
    }
    expect(below).toEqual([]);
  });
});

test("a short hint of a tick, on a desktop → below its label, not beside it", async () => {
  await withPage({ browser, viewport: { width: 1280, height: 720 } }, async (page) => {
    await page.goto(`${server.origin}/company-provider-none?locale=ar`);
    const [label, hint] = await Promise.all(
      [":first-child", ".small"].map((one) => page.locator(`.ticks .choice-text > ${one}`).boundingBox()),
    );
    expect(hint?.y ?? 0).toBeGreaterThanOrEqual((label?.y ?? 0) + (label?.height ?? Number.POSITIVE_INFINITY));
  });
});
