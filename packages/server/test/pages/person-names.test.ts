import { expect, test } from "vitest";
import { html, renderDocument } from "../../src/pages/parts/html.ts";
import { bothNames, bothNamesText } from "../../src/pages/parts/person-names.ts";

const textOf = (person: Parameters<typeof bothNames>[0]) =>
  renderDocument(html`<p>${bothNames(person)}</p>`)
    .replaceAll(/<[^>]*>/g, "")
    .trim();

test.each([
  ["no display name", null, "ada"],
  ["an empty one", "", "ada"],
  ["the username itself", "ada", "ada"],
  ["a display name", "Ada Lovelace", "Ada Lovelace (ada)"],
  ["one that imitates somebody else", "Grace Hopper (grace)", "Grace Hopper (grace) (ada)"],
  ["one that is endless", "x".repeat(5000), `${"x".repeat(100)}… (ada)`],
])("%s → the username last, on pages and in messages alike", (_, name, said) => {
  expect(bothNamesText({ username: "ada", name })).toBe(said);
  expect(textOf({ username: "ada", name })).toBe(said);
});
