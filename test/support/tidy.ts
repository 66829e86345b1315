/** The rules that the project's own files keep, as functions of a file: each gives what is wrong, one line for each place. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix, relative } from "node:path";

export interface SourceFile {
  /** From the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Folder → what its files may import: npm packages, `node:` modules (`node:*` is all), other folders or files beside it. */
export type ImportTable = Readonly<Record<string, readonly string[]>>;

const NOT_OURS = new Set(["node_modules", "dist", "coverage", ".git", "data", "images", "results"]);

/** All files of the checkout whose names match, but what is installed, built or measured. */
export function filesOf(root: string, pattern: RegExp): SourceFile[] {
  return readdirSync(root, { withFileTypes: true }).flatMap((entry) => {
    const path = join(root, entry.name);
    // In a worktree of git, .git is a file.
    if (NOT_OURS.has(entry.name)) return [];
    if (entry.isDirectory()) {
      return filesOf(path, pattern).map((file) => ({ ...file, path: `${entry.name}/${file.path}` }));
    }
    return entry.isFile() && pattern.test(entry.name) ? [{ path: entry.name, text: readFileSync(path, "utf8") }] : [];
  });
}

const TOKENS = /("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`)|\/\*[\s\S]*?\*\/|\/\/[^\n]*/g;

/** The text without its comments (`code`), or without its literals, too (`bare`); lines stay where they are. */
function stripped(text: string, keep: "code" | "bare"): string {
  return text.replace(TOKENS, (token, literal: string | undefined) =>
    literal !== undefined && keep === "code" ? token : token.replace(/[^\n]/g, " "),
  );
}

/** `path:line: why` for each place where the pattern matches. */
function places({ path, text }: SourceFile, pattern: RegExp, why: string): string[] {
  return [...text.matchAll(new RegExp(pattern, `${pattern.flags.replace("g", "")}g`))].map(
    ({ index, 0: found }) => `${path}:${text.slice(0, index).split("\n").length}: ${why}: ${found.trim().slice(0, 80)}`,
  );
}

/** What a file imports, types included. */
export function importsOf({ text }: SourceFile): string[] {
  const pattern = /(?:\bfrom\s*|\bimport\s*\(?\s*|\bgetBuiltinModule\(\s*)"([^"]+)"/g;
  return [...stripped(text, "code").matchAll(pattern)].map(([, name]) => name ?? "");
}

/** The npm package that an import names; undefined for a file of ours or a part of Node. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./#]/.test(specifier) || specifier.startsWith("node:") || builtinModules.includes(specifier)) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Imports that the row of the file's folder (the longest that fits) does not allow. */
export function strayImports(file: SourceFile, table: ImportTable): string[] {
  const fitting = Object.keys(table).filter((folder) => file.path.startsWith(`${folder}/`));
  const row = fitting.sort((one, other) => other.length - one.length)[0];
  if (row === undefined) return [`${file.path}: its folder has no row in the import table`];
  const allowed = table[row] ?? [];
  return importsOf(file)
    .filter((specifier) => {
      if (specifier.startsWith("node:") && allowed.includes("node:*")) return false;
      if (!specifier.startsWith(".")) return !allowed.includes(packageOf(specifier) ?? specifier);
      const target = posix.join(posix.dirname(file.path), specifier);
      const within = (place: string) => target === place || target.startsWith(`${place}/`);
      return !within(row) && !allowed.some((place) => within(posix.join(posix.dirname(row), place)));
    })
    .map((specifier) => `${file.path}: may not import ${specifier}`);
}

/**
 * Groups of files that import each other in a circle, type imports and late imports included: each group in one line. A file of a circle can be read,
 * tested and moved only together with the whole group.
 */
export function importCycles(files: readonly SourceFile[]): string[] {
  const known = new Set(files.map(({ path }) => path));
  const imports = new Map(
    files.map((file) => {
      const targets = importsOf(file).map((specifier) => posix.join(posix.dirname(file.path), specifier));
      return [file.path, targets.filter((target) => known.has(target))] as const;
    }),
  );
  const reached = new Map([...known].map((path) => [path, reachable(path, imports)]));
  const groups = [...known].flatMap((path) => {
    if (!reached.get(path)?.has(path)) return [];
    const group = [...known].filter((other) => reached.get(path)?.has(other) && reached.get(other)?.has(path));
    return group[0] === path ? [group.join(" ↔ ")] : [];
  });
  return groups;
}

/** All files that a file imports, directly or through others. */
function reachable(path: string, imports: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
  const found = new Set<string>();
  const open = [...(imports.get(path) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (found.has(next)) continue;
    found.add(next);
    open.push(...(imports.get(next) ?? []));
  }
  return found;
}

/** Each mention of the database's verbs in code: an endpoint calls a use-case, which calls them. */
export function storageMentions(file: SourceFile): string[] {
  return places({ ...file, text: stripped(file.text, "bare") }, /\bstorage\b/, "names storage");
}

/** True: the file imports the type of the whole server, with its pages or without. */
export function takesWholeServer(file: SourceFile): boolean {
  const whole = /(?:^|\/)(?:assent|server-parts)\.ts$/;
  return importsOf(file).some((specifier) => whole.test(specifier)) || /^import [^;]*\bServed\b[^;]*;/m.test(file.text);
}

export function tooLong(file: SourceFile, limit: number): string[] {
  const lines = file.text.split("\n").length - 1;
  return lines > limit ? [`${file.path}: ${lines} lines, ${limit} are the limit`] : [];
}

/** The first line must be a comment for readers of the listing, and match the pattern where one is given. */
export function untitled({ path, text }: SourceFile, wanted = /^\/\*\* ?\S?/): string[] {
  const first = text.split("\n")[0] ?? "";
  const title = first === "/**" ? `/** ${text.split("\n")[1]?.replace(/^ \* /, "")}` : first;
  return wanted.test(title) ? [] : [`${path}:1: wants a title like ${wanted}, has: ${title.slice(0, 80)}`];
}

/** Ways around the type checker and the linter; a linter's rule may be put aside with a reason. */
export function evasions(file: SourceFile): string[] {
  const bare = { ...file, text: stripped(file.text, "bare") };
  return [
    ...places(bare, /\bas any\b|: any\b|<any\b|\bany\[\]|, any>/, "any"),
    ...places(file, /(?:\/\/|\*) *@ts-(?:ignore|nocheck|expect-error)\b/, "type error hidden"),
    ...places(file, /biome-ignore(?!-all|-start|-end)(?! [\w/]+: \S+ \S+).*/, "no reason"),
    ...places(file, /biome-ignore-(?:all|start|end).*/, "one line at a time"),
  ];
}

export function unfitRandomness(file: SourceFile): string[] {
  return places({ ...file, text: stripped(file.text, "bare") }, /\bMath\.random\b/, "guessable");
}

/** What a secret, or a hash of one, is called: the end of its name. */
const SECRET_NAME = /(?:hash|mac|digest|secret|password|verifier|challenge|csrf|salt|proof|thumbprint)$/i;
const OPERAND = String.raw`([\w#.?]*[\w#])(?:\([^()]*\))?`;

/** Secrets, or hashes of them, compared with a value by what stops at the first difference. Literals tell nothing: an empty one is absent. */
export function hastyComparisons(file: SourceFile): string[] {
  const bare = { ...file, text: stripped(file.text, "bare") };
  const pattern = new RegExp(`${OPERAND}(?:\\s*[!=]==\\s*|\\.(?:equals|compare|localeCompare)\\(\\s*)${OPERAND}`, "g");
  return [...bare.text.matchAll(pattern)].flatMap(({ index, 0: found, 1: left = "", 2: right = "" }) => {
    const operands = [left, right].map((one) => one.split(/[.?]+/).at(-1) ?? "");
    if (!operands.some((one) => SECRET_NAME.test(one))) return [];
    if (operands.some((one) => /^(?:undefined|null|true|false|typeof|\d.*)$/.test(one))) return [];
    return [
      `${file.path}:${bare.text.slice(0, index).split("\n").length}: compared hastily: ${found.trim().slice(0, 80)}`,
    ];
  });
}

/** Clocks, timers and randomness, where both are passed in. */
export function impurities(file: SourceFile): string[] {
  const bare = { ...file, text: stripped(file.text, "bare") };
  const pattern =
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bset(?:Timeout|Interval|Immediate)\b|\bcrypto\.|\brandomUUID\b/;
  return places(bare, pattern, "is passed in");
}

/** SQL in anything but the tag that takes no values. */
export function looseSql(file: SourceFile): string[] {
  const start = /^\s*(?:SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\s*\()/;
  return [...file.text.matchAll(TOKENS)].flatMap(({ index, 0: token, 1: literal }) => {
    if (literal === undefined || !start.test(literal.slice(1, -1))) return [];
    if (token.startsWith("`") && /\bsql$/.test(file.text.slice(0, index))) return [];
    const line = file.text.slice(0, index).split("\n").length;
    return [`${file.path}:${line}: SQL without the sql tag: ${literal.slice(0, 60)}`];
  });
}

/** Paths and hosts of one machine: what only works where it was written. */
export function machineTraces(file: SourceFile): string[] {
  return [
    ...places(file, /(?<![\w.}/-])\/(?:home|Users|root|work|workspace|builds|mnt)\/[\w.-]+/, "path of a machine"),
    ...places(
      file,
      /\bregistry\.(?!(?:d\.)?ts\b)[a-z]+[a-z.]*|"resolved": "http[^"]*|^\s*registry\s*=.*/m,
      "host of a registry",
    ),
  ];
}

/** Tests that do not run and don't say why. A reason is a text given to `skip`. */
export function silentSkips(file: SourceFile): string[] {
  const code = { ...file, text: stripped(file.text, "code") };
  return [
    ...places(code, /\b(?:test|it|describe|suite)\.(?:skip|skipIf|runIf|only|todo|fails)\b.*/, "does not run"),
    ...places(
      code,
      /(?<!\b(?:test|it|describe|suite)\.)\bskip\((?!\s*(?:[^()"'`]+,\s*)?["'`][^"'`]{8,})[^)]*\)/,
      "skipped without a reason",
    ),
  ];
}

/** Names that the project gave up: of files (without their ending), and of identifiers. */
export interface RetiredNames {
  readonly files: readonly string[];
  readonly identifiers: readonly string[];
}

/** A file or an identifier in it that has a retired name. Comments and texts may use the word. */
export function retiredNames(file: SourceFile, retired: RetiredNames): string[] {
  const name = posix.basename(file.path).replace(/\.\w+$/, "");
  const bare = { ...file, text: stripped(file.text, "bare") };
  return [
    ...(retired.files.includes(name) ? [`${file.path}: this file name is retired`] : []),
    ...places(bare, new RegExp(`\\b(?:${retired.identifiers.join("|")})\\b`), "this identifier is retired"),
  ];
}

/** Relative links and pictures of a Markdown file that lead nowhere. */
export function deadLinks(root: string, { path, text }: SourceFile): string[] {
  const prose = text.replace(/^(`{3,})[\s\S]*?^\1/gm, "").replace(/`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(<?([^)\s>]+)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)="([^"]+)"/gm)];
  return targets
    .map(([, inline, reference, html]) => inline ?? reference ?? html ?? "")
    .filter((target) => !/^[a-z][a-z+.-]*:|^#/i.test(target))
    .filter((target) => !existsSync(join(root, dirname(path), decodeURIComponent(target.replace(/[?#].*$/, "")))))
    .map((target) => `${path}: leads nowhere: ${target}`);
}

/** A test with a browser that does not say so in its name, and so would run beside all others. */
export function misnamedBrowserTests(root: string, file: SourceFile): string[] {
  const browser = join(root, "test", "support", "browser.ts");
  const imports = importsOf(file).filter((specifier) => specifier.startsWith("."));
  const hasBrowser = imports.some((specifier) => relative(browser, join(root, dirname(file.path), specifier)) === "");
  return hasBrowser && !file.path.endsWith(".browser.test.ts")
    ? [`${file.path}: a test with a browser is named *.browser.test.ts`]
    : [];
}
