/**
 * The documentation agrees with the code: generated pages are current, and code on pages is part of a program that
 * tests run.
 */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { messages } from "../packages/server/src/pages/messages/index.ts";
import { referencePages } from "../scripts/docs.ts";
import { namedTests, waitingIds } from "../scripts/docs-security-tests.ts";
import { capacityCells } from "./support/documented-capacity-model.ts";
import { blocksOf, isExcerpt } from "./support/markdown-code-blocks.ts";

const root = join(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const integrate = readdirSync(join(root, "docs/integrate"));
/** Pages about the ways in which a client gets tokens. */
const flows = [
  ...["authorization-code.md", "refresh-tokens.md", "device.md", "client-credentials.md", "assertions.md"],
  ...["implicit.md", "password.md", "client-authentication.md"],
];

test.each([...referencePages()])("docs/reference/%s → is what `node scripts/docs.ts` makes", (name, text) => {
  expect(read(`docs/reference/${name}`)).toBe(text);
});

test("docs/README.md → leads to every page for users, operators and developers", () => {
  const folders = ["start", "integrate", "operate", "reference", "develop"];
  const pages = folders.flatMap((folder) => readdirSync(join(root, "docs", folder)).map((name) => `${folder}/${name}`));
  const index = read("docs/README.md");
  expect(pages.filter((page) => !index.includes(`(${page})`))).toEqual([]);
});

test("each link to a file and each anchor of a page → is there", () => {
  const pages = ["docs", "packages", "examples"].flatMap(markdownIn).concat(["README.md", "CONTRIBUTING.md"]);
  const dead = pages.flatMap((page) =>
    linksIn(page)
      .filter((link) => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? page : join(dirname(page), path);
        if (!existsSync(join(root, target))) return true;
        return anchor !== undefined && target.endsWith(".md") && !anchorsOf(target).has(anchor);
      })
      .map((link) => `${page}: ${link}`),
  );
  expect(dead).toEqual([]);
});

function markdownIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md") && !name.includes("node_modules"))
    .map((name) => join(folder, name));
}

function linksIn(page: string): readonly string[] {
  const text = read(page).replaceAll(/^```[\s\S]*?^```/gm, "");
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^\w+:/.test(link));
}

/** As GitHub names the headings of a page. */
function anchorsOf(page: string): ReadonlySet<string> {
  const headings = read(page).matchAll(/^#+ (.*)$/gm);
  const named = [...headings].map(([, text = ""]) =>
    text
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(/\s/g, "-"),
  );
  return new Set(named);
}

describe("an excerpt", () => {
  const source = "one();\nif (two) {\n  three();\n\n  four();\n}\nfive();\n";

  test.each([
    ["another word", "one(1);\n"],
    ["half a line", "five()\n"],
    ["a line left out unmarked", "one();\nfive();\n"],
    ["another order", "five();\n// …\none();\n"],
    ["another indentation within", "three();\n  four();\n"],
  ])("with %s → is none", (_, block) => {
    expect(isExcerpt(block, source)).toBe(false);
  });

  test.each([
    ["whole", source],
    ["one line", "one();\n"],
    ["a part, without its indentation", "three();\n\nfour();\n"],
    ["pieces in their order", "one();\n// …\nfour();\n// …\nfive();\n"],
  ])("%s → is one", (_, block) => {
    expect(isExcerpt(block, source)).toBe(true);
  });
});

/** C# is quoted from no program: docs/integrate/sign-in.md says so. */
const QUOTED = ["ts", "js", "go", "python", "java", "yaml"];

test.each(integrate)("docs/integrate/%s: code → stands in the file that the line before it names", (name) => {
  const problems = blocksOf(read(`docs/integrate/${name}`))
    .filter(({ language }) => QUOTED.includes(language))
    .flatMap(({ from, text }) => {
      if (from === undefined) return [`no <!-- from examples/… --> before: ${text}`];
      return isExcerpt(text, read(from)) ? [] : [`not in ${from}: ${text}`];
    });
  expect(problems).toEqual([]);
});

test.each(flows)("docs/integrate/%s → has a sequence, curl, TypeScript, when to use it, and what fails", (name) => {
  const page = read(`docs/integrate/${name}`);
  const blocks = blocksOf(page);
  const missing = [
    ["a sequence", blocks.some(({ language, text }) => language === "" && text.includes("▶"))],
    ["curl", blocks.some(({ language, text }) => language === "sh" && /(?:^|\| )curl /m.test(text))],
    ["TypeScript", blocks.some(({ language }) => language === "ts")],
    ["when to use it", /\buse it\b/i.test(page)],
    ["what fails", /^## When it fails$|^\| `authorization_pending` \|/m.test(page)],
  ].filter(([, there]) => !there);
  expect(missing.map(([what]) => what)).toEqual([]);
});

describe("docs/reference/security-tests.md", () => {
  test("an attack that waits for its part → stands in no test's name", () => {
    const tried = new Set(namedTests().map(({ id }) => id));
    expect(tried.size).toBeGreaterThan(350);
    expect(waitingIds().filter((id) => tried.has(id))).toEqual([]);
  });

  test("each attack that is tried → has words beside its id", () => {
    const wordless = new Set(namedTests().map(({ id }) => id));
    for (const { id, title } of namedTests()) if (title !== "") wordless.delete(id);
    expect([...wordless]).toEqual([]);
  });
});

describe("docs/operate/threat-model.md", () => {
  const page = read("docs/operate/threat-model.md");
  const threats = page
    .slice(page.indexOf("## At the network: the authorization request"), page.indexOf("## What you have to do"))
    .split("\n")
    .filter((line) => line.startsWith("| ") && !/^\| (?:threat|---) /.test(line))
    .map((line) => line.slice(2, -2).split(" | "));

  test("each answer to a threat → names tests or decisions, and nothing else", () => {
    expect(threats.length).toBeGreaterThan(40);
    const proofs = threats.map(([threat, , proof = ""]) => [
      threat,
      proof.split(", ").filter((one) => !/^\[[^\]]+\]\(\S+(?:\.test\.ts|\/decisions\/\d{4}-[a-z-]+\.md)\)$/.test(one)),
    ]);
    expect(proofs).toEqual(threats.map(([threat]) => [threat, []]));
  });

  test("README, SECURITY and ARCHITECTURE → lead to it", () => {
    const without = ["README.md", "SECURITY.md", "ARCHITECTURE.md"].filter(
      (from) => !read(from).includes("(docs/operate/threat-model.md)"),
    );
    expect(without).toEqual([]);
  });
});

describe("docs/operate/scale.md: the model of capacity", () => {
  const page = read("docs/operate/scale.md");

  test("a formula with a name that nothing has, a parameter that is no number → an error", () => {
    expect(() => capacityCells(page.replace("`server_cores * connections`", "`server_cores * lines`"))).toThrow(
      "lines",
    );
    expect(() =>
      capacityCells(page.replace("| `tokens` | a second | 100 |", "| `tokens` | a second | some |")),
    ).toThrow("some");
  });

  test("another input → another result", () => {
    const cells = capacityCells(page.replace(/^(\| `us_db_write` \|) \d+/m, "$1 10,000"));
    expect(cells.find(({ name, column }) => name === "db_cores" && column === "huge")?.computed).toBe("2,001");
  });

  test("every result → is what its formula makes of the inputs, up to 100 million owners and 100,000 tokens a second", () => {
    const cells = capacityCells(page);
    expect(cells.filter(({ written, computed }) => written !== computed)).toEqual([]);
    expect(new Set(cells.map(({ column }) => column))).toEqual(new Set(["small", "medium", "large", "huge"]));
    expect(page).toMatch(/^\| `owners` .* 100,000,000 \|$/m);
    expect(page).toMatch(/^\| `tokens` .* 100,000 \|$/m);
  });

  test.each([
    ["us_request_write", "refresh, token rotated"],
    ["us_request_read", "refresh, token kept, used within 5 min"],
  ])("%s → is the figure of the performance page", (name, row) => {
    const cells = read("docs/operate/performance.md")
      .split("\n")
      .find((line) => line.startsWith(`| ${row} |`));
    expect(page).toContain(`| \`${name}\` | ${cells?.split("|")[6]?.trim()} |`);
  });
});

describe("docs/develop/translations.md: a term in a language → is in that language's texts", () => {
  const rows = read("docs/develop/translations.md")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").map((cell) => cell.trim()));
  const header = rows.findIndex(([, first]) => first === "English");
  const locales = ["en", "de", "fr", "es", "ja", "ar"];
  const terms = rows.slice(header + 2).map((row) => row.slice(1, 1 + locales.length));

  test("the table is read whole", () => {
    expect(rows[header]?.slice(1, 7)).toEqual(["English", "German", "French", "Spanish", "Japanese", "Arabic"]);
    expect(terms.length).toBeGreaterThan(20);
    expect(new Set(terms.map(([english]) => english)).size).toBe(terms.length);
  });

  test.each(locales)("%s", (locale) => {
    const texts = JSON.stringify(messages(locale)).toLocaleLowerCase(locale);
    const forms = terms.flatMap((row) => (row[locales.indexOf(locale)] ?? "").replace(/ \(.*\)$/, "").split(" / "));
    expect(forms.filter((form) => form === "" || !texts.includes(form.toLocaleLowerCase(locale)))).toEqual([]);
  });
});
