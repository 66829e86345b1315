import { expect, test } from "vitest";
import { brandOf } from "../../src/pages/branding.ts";
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

const mail = (kind: (typeof KINDS)[number], locale = "en", changes = {}) =>
  mailOf(
    { kind, link: `${issuer}/x`, values: { ...values, ...changes } },
    { issuer, chrome: chrome({ issuer, locale }) },
  );

test.each(locales)("%s: an approval of an app that is paused → every hole of its own sentences is filled", (locale) => {
  const answer = { allowed: ["Read"], until: null, refused: [], waiting: [], paused: true as const };
  const { subject, text } = mail("companyApproved", locale, { answer });
  expect(`${subject}\n${text}`).not.toMatch(/\{\w+\}/);
  expect(subject).not.toBe(mail("companyApproved", locale).subject);
});

test.each(locales)(
  "%s: an answer to somebody who is an admin by now → another hint, whose holes are filled",
  (locale) => {
    const answer = { allowed: [], until: null, refused: ["Read"], waiting: [] };
    for (const [kind, more] of [
      ["companyRefused", {}],
      ["companyBlocked", {}],
      ["companyPartlyApproved", {}],
      ["companyPartlyApproved", { paused: true as const }],
    ] as const) {
      const toMember = mail(kind, locale, { answer: { ...answer, ...more } }).text;
      const { text } = mail(kind, locale, { answer: { ...answer, ...more, admin: true } });
      expect(text).not.toMatch(/\{\w+\}/);
      expect(text).not.toBe(toMember);
    }
  },
);

test("a refused request → a member is sent to an admin; an admin reads that they can allow the app themselves", () => {
  const answer = { allowed: [], until: null, refused: ["Read"], waiting: [] };
  expect(mail("companyRefused", "en", { answer }).text).toContain("talk to an admin of Acme Corp");
  const { text } = mail("companyRefused", "en", { answer: { ...answer, admin: true } });
  expect(text).toContain("You are an admin of Acme Corp now, so you can allow Photo Printer yourself.");
  expect(text).not.toContain("talk to an admin");
  const blocked = mail("companyBlocked", "en", { answer: { ...answer, admin: true } }).text;
  expect(blocked).toContain("You are an admin of Acme Corp now, so you can change the rule for the app yourself.");
  expect(blocked).not.toContain("talk to an admin");
});

test("facts about a sign-in → one row each, and one line each in the plain text", () => {
  const { html, text } = mail("signIn");
  expect(html.match(/<tr><td class="fact label/g)).toHaveLength(3);
  expect(text).toContain("Browser: Firefox\n");
});

test("names with letters of the other direction → apart from the sentence and from each other", () => {
  const ended = { names: ["Photo Printer", "Calendar"], more: 3 };
  const recovery = { ...{ removed: [], kept: [] }, ended, keptApps: { names: [], more: 0 } };
  const { html, text } = mail("recovered", "ar", { recovery });
  expect(html).toContain("<bdi>Photo Printer</bdi>");
  expect(html).toContain("<bdi>Calendar</bdi>");
  expect(mail("recovered", "en", { recovery }).text).toContain("Access revoked: Photo Printer, Calendar and 3 more.\n");
  expect(mail("recovered", "de", { recovery }).text).toContain(": Photo Printer, Calendar und 3 weitere.\n");
  expect(mail("recovered", "ja", { recovery }).text).toContain("：Photo Printer、Calendar、ほか 3\u00a0件。\n");
  expect(text).not.toContain("+3");
  expect(mail("companyRequest", "ar").html).toContain("<bdi>bob</bdi>");
});

test("the operator's colours → on the button, one for each theme; without them, ours", () => {
  const colors = { light: "#1a4fd0", dark: "#9db8ff" };
  const brand = brandOf({ name: "Acme", colors, css: null, logo: null });
  const { html } = mailOf(
    { kind: "signIn", link: `${issuer}/x`, values },
    { issuer, chrome: chrome({ issuer, brand }) },
  );
  expect(html).toContain("background:#1a4fd0");
  expect(html).toMatch(/prefers-color-scheme: dark[\s\S]*\.fill\{background:#9db8ff/);
  expect(mail("signIn").html).toContain("background:#0d6b56");
});
