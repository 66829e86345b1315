import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { compile, named, sql, words } from "../../src/storage/define-verbs.ts";
import { type Dialect, postgres, sqlite } from "../../src/storage/dialect.ts";
import { migrations } from "../../src/storage/migrations/index.ts";
import { textOf } from "../../src/storage/migrations/migration.ts";
import { grantColumns } from "../../src/storage/row-conversion.ts";
import { verbs } from "../../src/storage/verb-registry.ts";

const source = fileURLToPath(new URL("../../src/storage/", import.meta.url));
const files = readdirSync(source, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));

/** Every text of the `sql` tag in the storage folder, with its fragments as they are written. */
const texts = files.flatMap((file) =>
  [...readFileSync(`${source}${file}`, "utf8").matchAll(/\bsql`([^`]*)`/g)].map(([, text]) => ({
    file,
    text: text ?? "",
  })),
);

const PARTITIONED = /\b(FROM|INTO|UPDATE|JOIN)\s+(grants|consents|people|names|sessions|attempts)\b/;
const numbered: Dialect = {
  ...sqlite,
  name: "postgres",
  words: { ...sqlite.words, forUpdate: "FOR UPDATE" },
  parameter: (n) => `$${n}`,
};

test("SQL is written in the sql tag alone: no text of it is joined or filled in elsewhere", () => {
  for (const file of files) {
    // Words of a single database must be fragments of the dialect.
    if (file === "dialect.ts") continue;
    const outside = readFileSync(`${source}${file}`, "utf8")
      .replace(/\bsql`[^`]*`/g, "")
      .replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
    expect(
      outside.match(/["'`][^"'`\n]*\b(SELECT|INSERT INTO|UPDATE \w+ SET|DELETE FROM)\b/)?.[0],
      file,
    ).toBeUndefined();
  }
  expect(texts.length).toBeGreaterThan(60);
});

test("fragments are constants: nothing computed, no property of an argument, goes into a text", () => {
  for (const { file, text } of texts) {
    for (const [, piece] of text.matchAll(/\$\{([^}]*)\}/g)) {
      expect(piece, file).toMatch(
        /^(words\.(forUpdate|forUpdateAcross|forShare|sharedGate|exclusiveGate|bytes|whole|empty|key|bytewise|spread|spreadRoomy)|[a-z][A-Za-z]*)$/,
      );
    }
  }
});

test("every statement on an owner's table names the partition", () => {
  const naming = new Set([
    "thisPerson",
    "thisName",
    "thisKey",
    "ofThisMember",
    "theirs",
    "oneConsent",
    "live",
    "refreshed",
    "presented",
    "which",
    "lockedConsent",
    "activeConsent",
    "firstUse",
    "newestUsed",
    "membersGrants",
  ]);
  for (const { file, text } of texts) {
    // A migration runs once, over all partitions. Counts of the whole database are for restores.
    if (!PARTITIONED.test(text) || file.startsWith("migrations/") || file === "record-counts.ts") continue;
    const partitioned =
      /\bpartition\b/.test(text) ||
      [...text.matchAll(/\$\{(\w+)\}/g)].some(([, piece]) => naming.has(piece ?? "")) ||
      /INSERT INTO \w+ \(\$\{/.test(text);
    expect(partitioned, `${file}: ${text}`).toBe(true);
  }
  for (const piece of naming) {
    // These begin with another one of these fragments.
    if (["lockedConsent", "activeConsent", "which", "firstUse", "newestUsed"].includes(piece)) continue;
    expect(
      texts.some(({ file, text }) => text.trim().startsWith("partition = :partition") && fragmentIn(file, piece)),
      piece,
    ).toBe(true);
  }
});

test("no CASE compares an expression with values: Citus sends a wrong statement to its workers for it", () => {
  for (const { file, text } of texts) expect(text.match(/\bCASE\b(?!\s+WHEN\b)[^\n]*/)?.[0], file).toBeUndefined();
});

function fragmentIn(file: string, name: string): boolean {
  return new RegExp(`const ${name} = sql\``).test(readFileSync(`${source}${file}`, "utf8"));
}

test("a condition by which grants end names the partition", () => {
  const given = files.flatMap((file) => [
    ...readFileSync(`${source}${file}`, "utf8").matchAll(/= endingOf\((?:sql`([^`]*)`|(\w+))\)/g),
  ]);
  expect(given.length).toBeGreaterThan(2);
  for (const [call, text, name] of given)
    expect(text?.includes("partition = :partition") ?? name === "oneConsent", call).toBe(true);
});

test("no AUTOINCREMENT, no foreign key; an owner's table begins its primary key with the partition", () => {
  for (const { statements } of migrations) {
    for (const statement of statements) {
      const text = textOf(statement, sqlite);
      expect(text).not.toMatch(/AUTOINCREMENT|REFERENCES|\bSERIAL PRIMARY/i);
      if (/CREATE TABLE (grants|consents|people|names|sessions|attempts) /.test(text))
        expect(text).toMatch(/PRIMARY KEY \(partition, /);
    }
  }
});

test("every table whose rows have a partition is spread where the database spreads, and says so", () => {
  const spreading = { ...postgres, words: { ...postgres.words, spread: " SPREAD", spreadRoomy: " SPREAD" } };
  const texts = migrations.flatMap(({ statements }) => statements.map((step) => textOf(step, spreading)));
  const owned = texts.filter((text) => /^CREATE TABLE \w+ \(\s*partition INTEGER/.test(text));
  expect(owned.length).toBeGreaterThan(20);
  for (const text of owned) expect(text).toMatch(/\) SPREAD$/);
});

/** The parts of a statement: itself without what stands in parentheses, and each such subquery with all of its own. */
function levelsOf(text: string): readonly { readonly direct: string; readonly all: string }[] {
  const nested: string[] = [];
  let direct = "";
  let depth = 0;
  for (const letter of text) {
    if (letter === ")") depth -= 1;
    if (depth > 0) nested[nested.length - 1] += letter;
    else direct += letter;
    if (letter === "(" && depth++ === 0) nested.push("");
  }
  return [{ direct, all: text }, ...nested.flatMap(levelsOf)];
}

test("no statement joins a table with a partition and one without: Citus has the first on workers alone", () => {
  const made = migrations.flatMap(({ statements }) => statements.map((step) => textOf(step, sqlite)));
  const tables = made.flatMap((text) => [...text.matchAll(/^CREATE TABLE (\w+) \(\s*(\w+)/g)]);
  const spread = new Set(tables.filter(([, , column]) => column === "partition").map(([, name]) => name));
  const whole = new Set(tables.filter(([, , column]) => column !== "partition").map(([, name]) => name));
  expect([spread.size > 20, whole.size > 10]).toEqual([true, true]);
  const reads = (text: string, names: Set<string | undefined>) =>
    [...text.matchAll(/\b(?:FROM|INTO|UPDATE|JOIN)\s+(\w+)/g)].some(([, name]) => names.has(name));
  for (const { file, text } of texts.filter(({ file }) => !file.startsWith("migrations/"))) {
    for (const { direct, all } of levelsOf(text)) {
      const joined = (reads(direct, spread) && reads(all, whole)) || (reads(direct, whole) && reads(all, spread));
      expect(joined, `${file}: ${text}`).toBe(false);
    }
  }
});

test("no index of grants holds what a refresh changes", () => {
  const refreshed = ["idle_until", "last_used_at", "rotated_at", "generation", "retries", "uses"];
  const indexes = migrations
    .flatMap(({ statements }) => statements.map((each) => textOf(each, sqlite)))
    .filter((text) => / ON grants /.test(text));
  expect(indexes.length).toBeGreaterThan(0);
  for (const text of indexes) for (const column of refreshed) expect(text).not.toContain(column);
});

test.each(["grants; --", "a b", "", "Grants", 'a"b', "x".repeat(64)])(
  "%j as a name in a statement → refused",
  (name) => {
    expect(() => named(name)).toThrow(TypeError);
  },
);

test("parameters become numbered places, each name one; literals are left alone", () => {
  const statement = sql`SELECT ':no' FROM t WHERE a = :a AND b = :b AND c = :a ${words.forUpdate}`;
  expect(compile(statement, sqlite)).toEqual({
    text: "SELECT ':no' FROM t WHERE a = ?1 AND b = ?2 AND c = ?1 ",
    names: ["a", "b"],
  });
  expect(compile(statement, numbered).text).toBe("SELECT ':no' FROM t WHERE a = $1 AND b = $2 AND c = $1 FOR UPDATE");
});

test("the same place in the program yields the same statement; other fragments, another", () => {
  const make = (piece: typeof grantColumns) => sql`SELECT ${piece} FROM t`;
  expect(make(grantColumns)).toBe(make(grantColumns));
  expect(make(sql`a`).text(sqlite)).toBe("SELECT a FROM t");
  expect(make(sql`b`).text(sqlite)).toBe("SELECT b FROM t");
});

test("each statement names the row that it locks, by parameters that it has", () => {
  for (const [name, verb] of verbs) {
    if (verb.kind !== "statement" || verb.lock === null) continue;
    const { names } = compile(verb.sql, postgres);
    expect([name, names.includes("partition"), names.includes(verb.lock)]).toEqual([name, true, true]);
  }
});
