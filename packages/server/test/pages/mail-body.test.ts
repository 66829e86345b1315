import { expect, test } from "vitest";
import { chrome } from "../../src/pages/chrome.ts";
import { mailOf } from "../../src/pages/mail-body.ts";
import { locales, messages } from "../../src/pages/messages/index.ts";
import { NOW } from "./page-states.ts";

const issuer = "https://login.example.com";
const KINDS = Object.keys(messages("en").mail.kinds) as (keyof ReturnType<typeof messages>["mail"]["kinds"])[];
const values = {
  ...{ person: "ada", email: "ada@example.com", at: NOW, browser: "Firefox", address: "203.0.113.9" },
  ...{
    company: "Acme Corp",
    app: "Photo Printer",
    by: "bob",
    role: "admin" as const,
    reason: "for the fair",
    key: "Laptop",
    left: 3,
  },
};

test.each(locales.flatMap((locale) => KINDS.map((kind) => [locale, kind] as const)))(
  "%s, %s: every hole of subject, text, button and hint is filled",
  (locale, kind) => {
    const { subject, text, html } = mailOf(
      { kind, link: `${issuer}/x`, values },
      { issuer, chrome: chrome({ issuer, locale }) },
    );
    expect(`${subject}\n${text}\n${html}`).not.toMatch(/\{\w+\}/);
  },
);
