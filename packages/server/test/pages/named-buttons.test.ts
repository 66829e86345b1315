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

test.each(locales)("%s: the page that deletes an account names the button that keeps it", (locale) => {
  const { deletion, profile } = messages(locale);
  expect(deletion.text).toContain(profile.keep);
  expect(pageOf("delete", locale)).toContain(profile.keep);
});

test.each(locales)(
  "%s: the only admin of a company → told why the account stays, without a day or a button for its end",
  (locale) => {
    const page = pageOf("delete-sole-admin", locale);
    expect(page).not.toContain("<time");
    expect(page).not.toContain("/account/profile/delete");
    expect(page).not.toContain("Acme, Acme");
  },
);

test("a receipt without an app → nothing about an app's access", () => {
  expect(pageOf("receipt-account", "en")).not.toContain("the app still has access");
  expect(pageOf("receipt", "en")).toContain("the app still has access");
});

test("a receipt that access ended → it doesn't prove that this is still so, instead of that the app has access", () => {
  const ended = pageOf("receipt-ended", "en");
  expect(ended).not.toContain("the app still has access");
  expect(ended).toContain("That this is still so");
});

test("recovery codes → saving them comes before the link that leaves the page", () => {
  const { recovery } = messages("en");
  const page = pageOf("recovery-codes", "en");
  expect(page).toContain(recovery.download);
  expect(page.indexOf(recovery.download)).toBeLessThan(page.indexOf(recovery.go));
});
