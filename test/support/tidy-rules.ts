/** The rules for the project's own files, as functions of a file. Each returns one line for each violation. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { builtinModules } from "node:module";
import { dirname, join, posix, relative } from "node:path";

export interface SourceFile {
  /** Relative to the project's root, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** Folder → allowed imports of its files: npm packages, `node:` modules (`node:*` is all), other folders or files. */
export type ImportTable = Readonly<Record<string, readonly string[]>>;

const NOT_OURS = new Set(["node_modules", "dist", "coverage", ".git", "data", "images", "results"]);

/** All files of the checkout with matching names, except installed, built or measured ones. */
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

/** The text without comments (`code`), or also without literals (`bare`). Line numbers don't change. */
function stripped(text: string, keep: "code" | "bare"): string {
  return text.replace(TOKENS, (token, literal: string | undefined) =>
    literal !== undefined && keep === "code" ? token : token.replace(/[^\n]/g, " "),
  );
}

/** `path:line: why` for each match of the pattern. */
function places({ path, text }: SourceFile, pattern: RegExp, why: string): string[] {
  return [...text.matchAll(new RegExp(pattern, `${pattern.flags.replace("g", "")}g`))].map(
    ({ index, 0: found }) => `${path}:${text.slice(0, index).split("\n").length}: ${why}: ${found.trim().slice(0, 80)}`,
  );
}

/** The imports of a file, including types. */
export function importsOf({ text }: SourceFile): string[] {
  const pattern = /(?:\bfrom\s*|(?<!")\bimport(?:\s*\(\s*|\s+)|\bgetBuiltinModule\(\s*)"([^"]+)"/g;
  return [...stripped(text, "code").matchAll(pattern)].map(([, name]) => name ?? "");
}

/** The npm package of an import. Undefined for a file of ours or a module of Node. */
export function packageOf(specifier: string): string | undefined {
  if (/^[./#]/.test(specifier) || specifier.startsWith("node:") || builtinModules.includes(specifier)) return undefined;
  return specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");
}

/** Imports that the row of the file's folder (the longest match) does not allow. */
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
 * Groups of files that import each other in a circle, including type imports and dynamic imports; one line for each
 * group. A file of a circle can be read, tested and moved only together with the whole group.
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

/** All direct and indirect imports of a file. */
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

/** Each use of a storage verb in code. An endpoint must call a use-case, which calls the verbs. */
export function storageMentions(file: SourceFile): string[] {
  return places({ ...file, text: stripped(file.text, "bare") }, /\bstorage\b/, "names storage");
}

/** True: the file imports the type of the whole server, with or without its pages. */
export function takesWholeServer(file: SourceFile): boolean {
  const whole = /(?:^|\/)(?:assent|server-parts)\.ts$/;
  return importsOf(file).some((specifier) => whole.test(specifier)) || /^import [^;]*\bServed\b[^;]*;/m.test(file.text);
}

export function tooLong(file: SourceFile, limit: number): string[] {
  const lines = file.text.split("\n").length - 1;
  return lines > limit ? [`${file.path}: ${lines} lines, ${limit} are the limit`] : [];
}

/** The first line must be a comment that describes the file, and must match the pattern if one is given. */
export function untitled({ path, text }: SourceFile, wanted = /^\/\*\* ?\S?/): string[] {
  const first = text.split("\n")[0] ?? "";
  const title = first === "/**" ? `/** ${text.split("\n")[1]?.replace(/^ \* /, "")}` : first;
  return wanted.test(title) ? [] : [`${path}:1: wants a title like ${wanted}, has: ${title.slice(0, 80)}`];
}

/** Ways around the type checker and the linter. Disabling a linter rule needs a reason. */
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

/** Names of secrets, or of hashes of secrets, by the end of the name. */
const SECRET_NAME = /(?:hash|mac|digest|secret|password|verifier|challenge|csrf|salt|proof|thumbprint)$/i;
const OPERAND = String.raw`([\w#.?]*[\w#])(?:\([^()]*\))?`;

/**
 * Comparisons of secrets or their hashes that stop at the first difference. A comparison with a literal is allowed, for
 * example with an empty text.
 */
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

/** Clocks, timers and randomness in places where both are passed in. */
export function impurities(file: SourceFile): string[] {
  const bare = { ...file, text: stripped(file.text, "bare") };
  const pattern =
    /\bDate\.now\b|\bnew Date\(\)|\bperformance\b|\bset(?:Timeout|Interval|Immediate)\b|\bcrypto\.|\brandomUUID\b/;
  return places(bare, pattern, "is passed in");
}

/** SQL outside the tag that accepts no values. */
export function looseSql(file: SourceFile): string[] {
  const start = /^\s*(?:SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+\s+SET\s|DELETE\s+FROM\s|WITH\s+\w+\s+AS\s*\()/;
  return [...file.text.matchAll(TOKENS)].flatMap(({ index, 0: token, 1: literal }) => {
    if (literal === undefined || !start.test(literal.slice(1, -1))) return [];
    if (token.startsWith("`") && /\bsql$/.test(file.text.slice(0, index))) return [];
    const line = file.text.slice(0, index).split("\n").length;
    return [`${file.path}:${line}: SQL without the sql tag: ${literal.slice(0, 60)}`];
  });
}

/** Paths and hosts of one machine, which work only there. */
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

/** Tests that are skipped without a reason. A reason is a text given to `skip`. */
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

/** Retired names: of files (without extension) and of identifiers. */
export interface RetiredNames {
  readonly files: readonly string[];
  readonly identifiers: readonly string[];
}

/** A file or an identifier with a retired name. Comments and texts may use the word. */
export function retiredNames(file: SourceFile, retired: RetiredNames): string[] {
  const name = posix.basename(file.path).replace(/\.\w+$/, "");
  const bare = { ...file, text: stripped(file.text, "bare") };
  return [
    ...(retired.files.includes(name) ? [`${file.path}: this file name is retired`] : []),
    ...places(bare, new RegExp(`\\b(?:${retired.identifiers.join("|")})\\b`), "this identifier is retired"),
  ];
}

/** Broken relative links and pictures of a Markdown file. */
export function deadLinks(root: string, { path, text }: SourceFile): string[] {
  const prose = text.replace(/^(`{3,})[\s\S]*?^\1/gm, "").replace(/`[^`\n]*`/g, "");
  const targets = [...prose.matchAll(/\]\(<?([^)\s>]+)|^\[[^\]]+\]:\s*(\S+)|(?:src|href)="([^"]+)"/gm)];
  return targets
    .map(([, inline, reference, html]) => inline ?? reference ?? html ?? "")
    .filter((target) => !/^[a-z][a-z+.-]*:|^#/i.test(target))
    .filter((target) => !existsSync(join(root, dirname(path), decodeURIComponent(target.replace(/[?#].*$/, "")))))
    .map((target) => `${path}: leads nowhere: ${target}`);
}

/** A browser test whose name doesn't say so, and which would therefore run in parallel with others. */
export function misnamedBrowserTests(root: string, file: SourceFile): string[] {
  const browser = join(root, "test", "support", "chromium.ts");
  const imports = importsOf(file).filter((specifier) => specifier.startsWith("."));
  const hasBrowser = imports.some((specifier) => relative(browser, join(root, dirname(file.path), specifier)) === "");
  return hasBrowser && !file.path.endsWith(".browser.test.ts")
    ? [`${file.path}: a test with a browser is named *.browser.test.ts`]
    : [];
}
