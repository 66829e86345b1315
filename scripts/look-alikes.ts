/**
 * Writes the table of look-alike characters (UTS #39): `node scripts/look-alikes.ts`. A test compares the file with the
 * output of this script.
 */

import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

/**
 * `confusables.txt` of Unicode 13, as the package `unhomoglyph` contains it: a character, and the prototype of all
 * characters that look like it.
 */
const UNICODE_13 = createRequire(import.meta.url)("unhomoglyph/data.json") as Readonly<Record<string, string>>;

/**
 * Latin, Greek and Cyrillic letters that later versions of `confusables.txt`, up to Unicode 17, map to other letters.
 */
const SINCE: Readonly<Record<string, string>> = { þ: "p", ƿ: "p", ϸ: "p", ӏ: "l", ƒ: "f", ẞ: "ß" };

const ROW = 110;
const HEX = 16;

/** Maps each character that NFKC does not change to its prototype. */
export function lookAlikes(): ReadonlyMap<string, string> {
  const all = new Map(Object.entries({ ...UNICODE_13, ...SINCE }));
  const resolved = (text: string): string => {
    const next = [...text.normalize("NFKD")].map((one) => all.get(one) ?? one).join("");
    return next === text ? text : resolved(next);
  };
  const kept = [...all.keys()].filter(
    (one) => [...one].length === 1 && one.normalize("NFKD") === one && !/\p{Default_Ignorable_Code_Point}/u.test(one),
  );
  return new Map(kept.map((one) => [one, resolved(one)] as const).filter(([one, prototype]) => one !== prototype));
}

/** The table as a module: groups in hexadecimal, each with a prototype and all characters that look like it. */
export function lookAlikesFile(): string {
  const groups = Map.groupBy(lookAlikes(), ([, prototype]) => prototype);
  const rows = [""];
  for (const [prototype, entries] of [...groups].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const group = `${hex(prototype)}=${entries.map(([one]) => hex(one)).join(",")}`;
    const row = rows.at(-1) ?? "";
    if (row.length + group.length > ROW && row !== "") rows.push(group);
    else rows[rows.length - 1] = row === "" ? group : `${row} ${group}`;
  }
  return `/** Characters that look like others (UTS #39), for names of clients (RFC 7591 §5). Written by scripts/look-alikes.ts. */

/**
 * Groups separated by spaces: code points of the prototype (joined by dots), \`=\`, the look-alikes (joined by commas);
 * hexadecimal.
 */
export const LOOK_ALIKES = [
${rows.map((row) => `  "${row}",`).join("\n")}
].join(" ");
`;
}

function hex(text: string): string {
  return [...text].map((one) => (one.codePointAt(0) ?? 0).toString(HEX)).join(".");
}

if (import.meta.main) {
  writeFileSync(join(import.meta.dirname, "../packages/server/src/oauth/names/look-alikes-table.ts"), lookAlikesFile());
}
