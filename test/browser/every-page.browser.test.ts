/** CN-13: every page in a real browser, with markup in every stored field: it is shown as text, and nothing runs. */

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { MARKUP } from "../attacks/payloads/markup.ts";
import { launchBrowser, withPage } from "../support/chromium.ts";
import { everyPage, type Service, startService } from "../support/crawl-every-page.ts";
import { inReliability } from "../support/reliability-cycles-and-figures.ts";

let browser: Browser;
let service: Service;
beforeAll(async () => {
  [browser, service] = await Promise.all([launchBrowser(), startService()]);
});
afterAll(async () => {
  await browser?.close();
  await service?.stop();
});

/** Everything in the page that could run or load from elsewhere, as the browser parsed it. */
const RUNNABLE = `[...document.querySelectorAll("*")].flatMap((one) => {
  const ours = (url) => new URL(url, location.href).origin === location.origin;
  const found = [...one.attributes].filter(({ name }) => name.startsWith("on") || name === "style").map(({ name }) => name);
  if (["IFRAME", "OBJECT", "EMBED", "BASE", "STYLE"].includes(one.tagName)) found.push("element");
  if (one.tagName === "SCRIPT" && (one.text !== "" || !ours(one.src))) found.push("script");
  if (one.tagName === "IMG" && !ours(one.src)) found.push("image");
  if (one.tagName === "META" && one.httpEquiv !== "") found.push("meta");
  if (one.tagName === "FORM" && !ours(one.getAttribute("action") ?? "")) found.push("action");
  if (one.tagName === "A" && !/^(https?|otpauth):$/.test(one.protocol)) found.push("link");
  return found.map((what) => what + ": " + one.outerHTML.slice(0, 200));
})`;

// In `npm test`, hostile-text.test.ts shows every payload on the main pages, without a browser.
const FIELDS = [
  ["an end of everything", "an attribute"],
  ["an attribute", "an end of everything"],
] as const;

test.each(inReliability ? FIELDS : FIELDS.slice(0, 1))(
  "CN-13 %s in every field of an owner, %s in every field of an app → text on every page, no script, no foreign link, nothing against the policy",
  { timeout: 120_000 },
  async (owners, apps) => {
    const text = MARKUP[owners] ?? "";
    const { pages } = await everyPage(service, { text, appText: MARKUP[apps] ?? "" });
    let seen = 0;
    await withPage({ browser }, async (page) => {
      const ran: string[] = [];
      page.on("dialog", (dialog) => {
        ran.push(dialog.message());
        void dialog.dismiss();
      });
      const shown = new URL("/shown", service.server.issuer).href;
      for (const { who, path, page: kept } of pages) {
        // Shows the same page with its headers, whatever form led to it.
        await page.unroute(shown);
        const headers = Object.fromEntries(
          [...kept.headers].filter(
            ([name]) => !/^(content-length|set-cookie|transfer-encoding|connection)$/.test(name),
          ),
        );
        await page.route(shown, (route) => route.fulfill({ status: 200, headers, body: kept.text }));
        await page.goto(shown);
        expect(await page.evaluate(RUNNABLE), `${who} at ${path}`).toEqual([]);
        if ((await page.locator("body").innerText()).includes(text.slice(0, 20))) seen += 1;
      }
      expect(ran).toEqual([]);
    });
    expect(pages.length).toBeGreaterThan(50);
    expect(seen).toBeGreaterThan(25);
  },
);
