/** Texts that name a button name one of their own page, and buttons come in the order in which people need them. */

import { expect, test } from "vitest";
import { chrome, locales } from "../../src/pages/index.ts";
import { messages } from "../../src/pages/messages/index.ts";
import { states } from "./page-states.ts";

const pageOf = (name: string, locale: string) =>
  states[name]?.(chrome({ issuer: "http://127.0.0.1", locale })) ?? `no state ${name}`;

test.each(locales)("%s: the warning about a device names the button of its page that refuses", (locale) => {
  const { consent, device } = messages(locale);
  for (const [name, label] of [
    ["device-consent", consent.deny],
    ["device-elsewhere", device.elsewhereNo],
  ] as const) {
    const [, warning = ""] = /<div class="notice warning"[^>]*>(.*?)<\/div>/s.exec(pageOf(name, locale)) ?? [];
    expect(warning).toContain(label);
  }
});

test("recovery codes → saving them comes before the link that leaves the page", () => {
  const { recovery } = messages("en");
  const page = pageOf("recovery-codes", "en");
  expect(page).toContain(recovery.download);
  expect(page.indexOf(recovery.download)).toBeLessThan(page.indexOf(recovery.go));
});
