/** The scripts that a name mixes (UTS #39 §5.2), for RFC 7591 §5: a name must not pass for another one. */

/** ISO 15924 codes, as `\p{scx=…}` takes them. Scripts that Unicode recommends for names (UAX #31, table 5). */
const RECOMMENDED = [
  ...["Latn", "Cyrl", "Grek", "Armn", "Geor", "Hebr", "Arab", "Thaa", "Ethi"],
  ...["Hani", "Hira", "Kana", "Bopo", "Hang"],
  ...["Deva", "Beng", "Guru", "Gujr", "Orya", "Taml", "Telu", "Knda", "Mlym", "Sinh"],
  ...["Thai", "Laoo", "Tibt", "Mymr", "Khmr"],
] as const;

/** Scripts in use today that few people read (UAX #31, table 7), and Mongolian. */
const LIMITED = [
  ...["Adlm", "Bali", "Bamu", "Batk", "Cakm", "Cans", "Cham", "Cher", "Hmnp", "Java", "Kali", "Lana", "Lepc", "Limb"],
  ...["Lisu", "Mand", "Mong", "Mtei", "Newa", "Nkoo", "Olck", "Osge", "Plrd", "Rohg", "Saur", "Sund", "Sylo", "Syrc"],
  ...["Tale", "Talu", "Tavt", "Tfng", "Vaii", "Wcho", "Yiii"],
] as const;

export type Script = (typeof RECOMMENDED)[number] | (typeof LIMITED)[number];

const MEMBERS = new Map<Script, RegExp>(
  [...RECOMMENDED, ...LIMITED].map((code) => [code, new RegExp(`\\p{scx=${code}}`, "u")]),
);

const SHARED = /[\p{Script=Common}\p{Script=Inherited}]/u;
const ASCII_LETTER = /[A-Za-z]/;
/** Signs and spaces belong to no script. */
const WRITING = /[\p{L}\p{M}\p{N}\p{Cn}]/u;

/** East Asian scripts and Latin letters, which can be mixed in one word (UTS #39, table 1). */
const TOGETHER: readonly (readonly Script[])[] = [
  ["Latn", "Hani", "Hira", "Kana"],
  ["Latn", "Hani", "Bopo"],
  ["Latn", "Hani", "Hang"],
];

/** Scripts with so many look-alike letters that a word in them must not have a letter of another script. */
const APART: ReadonlySet<Script> = new Set<Script>(["Cyrl", "Grek", "Armn", ...LIMITED]);

/** The scripts of a letter, mark or digit. `any`: all of them, as for ASCII digits. Empty: none that a name may use. */
function scriptsOf(character: string): ReadonlySet<Script> | "any" {
  if (ASCII_LETTER.test(character)) return LATIN;
  if (!WRITING.test(character)) return "any";
  const held = known.get(character);
  if (held !== undefined) return held;
  const scripts = new Set<Script>();
  for (const [code, members] of MEMBERS) if (members.test(character)) scripts.add(code);
  const found = scripts.size === 0 && SHARED.test(character) ? "any" : scripts;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(character, found);
  return found;
}

const LATIN: ReadonlySet<Script> = new Set<Script>(["Latn"]);

/** A cache, because one lookup takes 60 comparisons. */
const known = new Map<string, ReadonlySet<Script> | "any">();
const MOST_KNOWN = 2000;

/** UTS #39 §5.2, "highly restrictive": one recommended script, or East Asian writing with Latin letters. */
export function isHighlyRestrictive(text: string): boolean {
  const all = characters(text);
  return LEVELS.some((level) => all.every((scripts) => level.some((script) => scripts.has(script))));
}

const LEVELS: readonly (readonly Script[])[] = [...RECOMMENDED.map((script) => [script]), ...TOGETHER];

/**
 * UTS #39 §5.2, "moderately restrictive" (Latin letters and one more recommended script), for text of several words.
 * There are two differences, so that real names pass and look-alikes don't. First, a script with letters like Latin
 * ones may be used beside Latin words if no word mixes them and at least one word is clearly of that script (`Яндекс
 * Go`, but not `ООО Roga`). Second, letters of any script inside a Latin word must not all look Latin. `looksLatin`:
 * each character looks like ASCII.
 */
export function scriptProblem(text: string, looksLatin: (run: string) => boolean): string | undefined {
  const all = characters(text);
  if (all.some((scripts) => scripts.size === 0)) return "it has letters of a script that nobody writes names in today";
  const cover = coverOf(all);
  if (cover === undefined) return "it mixes more scripts than names do: use one, or one beside Latin letters";
  if (!cover.includes("Latn")) return undefined;
  for (const word of text.match(WORD) ?? []) {
    const runs = runsOf(word, cover);
    if (runs.length < 2 || !runs.some(({ script }) => script === "Latn")) continue;
    const foreign = runs.filter(({ script }) => script !== "Latn");
    if (foreign.some(({ script, run }) => APART.has(script) || looksLatin(run)))
      return `the word ${JSON.stringify(word)} mixes letters that look alike: write it in one alphabet`;
  }
  const words = runsOf(text, cover);
  if (!words.some(({ script }) => script === "Latn")) return undefined;
  const apart = words.filter(({ script }) => APART.has(script));
  const clear = apart.some(({ run }) => !looksLatin(run));
  if (apart.length === 0 || clear) return undefined;
  return `${JSON.stringify(apart[0]?.run)} looks like Latin letters and is not, beside others that are: write all of it in one alphabet`;
}

/** The sets of scripts of all characters that have scripts. */
function characters(text: string): readonly ReadonlySet<Script>[] {
  return [...text].map(scriptsOf).filter((scripts) => scripts !== "any");
}

/** A few scripts, one of which every character has. Undefined: the text needs more than a name may use. */
function coverOf(all: readonly ReadonlySet<Script>[]): readonly Script[] | undefined {
  const covers = (scripts: readonly Script[]) => all.every((own) => scripts.some((script) => own.has(script)));
  const present = [...MEMBERS.keys()].filter((script) => all.some((own) => own.has(script)));
  const alone = present.find((script) => covers([script]));
  if (alone !== undefined) return [alone];
  const east = TOGETHER.find(covers);
  if (east !== undefined) return east;
  const beside = present.find((script) => covers(["Latn", script]));
  if (beside !== undefined) return ["Latn", beside];
  // A Greek letter in Japanese (β版) is an example.
  for (const scripts of TOGETHER) {
    const other = present.find((script) => APART.has(script) && covers([...scripts, script]));
    if (other !== undefined) return [...scripts, other];
  }
  return undefined;
}

/** Letters, marks and digits without anything between them. */
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** Runs of adjacent characters of one script. Characters of all scripts are left out. */
function runsOf(text: string, cover: readonly Script[]): { readonly script: Script; readonly run: string }[] {
  const runs: { script: Script; run: string }[] = [];
  let open = false;
  for (const character of text) {
    const scripts = scriptsOf(character);
    if (scripts === "any") {
      // A sign or a space ends a run; a mark or a digit belongs to none.
      if (!/[\p{M}\p{N}]/u.test(character)) open = false;
      continue;
    }
    const last = runs.at(-1);
    const script = last !== undefined && scripts.has(last.script) ? last.script : cover.find((one) => scripts.has(one));
    if (script === undefined) continue;
    if (open && last?.script === script) last.run += character;
    else runs.push({ script, run: character });
    open = true;
  }
  return runs;
}
