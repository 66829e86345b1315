/** A real Chromium for tests: finds or unpacks one, opens pages in it, and checks them with axe-core. */

import { execFileSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type axeCore from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const require = createRequire(import.meta.url);

/** An executable, the environment variables that it needs, and where it came from. */
export interface FoundChromium {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
  readonly from: "named" | "system" | "bundled" | "installed";
}

const SYSTEM_PATHS = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** Runs without windows and without requests of its own. Only the pages under test send requests. */
const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/**
 * The Chromium to use: the value of `ASSENT_TEST_CHROMIUM` (a path, or `bundled` for the one from npm), else the
 * system's, else the one from npm (unpacked once), else Debian's, installed if we are root. Throws if there is none.
 */
export function findChromium(): FoundChromium {
  const named = process.env.ASSENT_TEST_CHROMIUM;
  if (named === "bundled") return bundledChromium();
  if (named) return { path: named, env: {}, from: "named" };
  const system = SYSTEM_PATHS.find((path) => existsSync(path));
  if (system !== undefined) return { path: system, env: {}, from: "system" };
  // The package from npm has a binary for x64 only.
  if (process.platform === "linux" && process.arch === "x64") return bundledChromium();
  return installedChromium();
}

/** Starts a new Chromium. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  const { path, env } = findChromium();
  return chromium.launch({ executablePath: path, args: FLAGS, env: { ...definedEnvironment(), ...env } });
}

/**
 * `browser`: a browser that is already open, for a test file with many pages. `tolerate`: page errors that are
 * expected.
 */
export interface PageOptions extends BrowserContextOptions {
  readonly browser?: Browser;
  readonly tolerate?: readonly RegExp[];
}

/**
 * Runs `work` on a new page with its own cookies, and returns its result. Fails if a script of the page threw or its
 * content security policy was violated, even if `work` passed.
 */
export async function withPage<Result>(options: PageOptions, work: (page: Page) => Promise<Result>): Promise<Result> {
  const { browser: open, tolerate = [], ...contextOptions } = options;
  const browser = open ?? (await launchBrowser());
  try {
    const context = await browser.newContext(contextOptions);
    try {
      const page = await context.newPage();
      const problems: string[] = [];
      page.on("pageerror", (error) => problems.push(`script: ${error.message}`));
      page.on("console", (message) => {
        if (/Content Security Policy/i.test(message.text())) problems.push(`policy: ${message.text()}`);
      });
      const result = await work(page);
      const unexpected = problems.filter((problem) => !tolerate.some((pattern) => pattern.test(problem)));
      if (unexpected.length > 0) throw new Error(`The page reported:\n${unexpected.join("\n")}`);
      return result;
    } finally {
      await context.close();
    }
  } finally {
    if (open === undefined) await browser.close();
  }
}

const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** The script of axe-core, for a test server that lets its pages load it (`AxeOptions.script`). */
export const axeScript = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export interface AxeOptions {
  /** The rules to check. Default: all of WCAG 2.2 AA and axe's best practices. */
  readonly rules?: readonly string[];
  /** Where the page can load `axeScript` from: then the browser compiles it once, not once on each page. */
  readonly script?: string;
}

/**
 * The problems that axe-core finds on the current page, one line for each element: rule, impact, problem, place, and
 * figures. An empty list means no problems. Throws on a page opened with `javaScriptEnabled: false`, where axe's timers
 * never fire.
 */
export async function axe(page: Page, { rules, script }: AxeOptions = {}): Promise<string[]> {
  await timersRun(page);
  if (!(await page.evaluate("'axe' in globalThis"))) {
    if (script !== undefined) await page.addScriptTag({ url: script });
    // Uses the debugger, because the page's content security policy would block an injected script.
    else await page.evaluate(`${axeScript};undefined`);
  }
  const runOnly = rules ? { type: "rule" as const, values: [...rules] } : { type: "tag" as const, values: TAGS };
  const violations = await page.evaluate(async (only) => {
    const global = globalThis as unknown as { axe: typeof axeCore; document: axeCore.ElementContext };
    const results = await global.axe.run(global.document, { runOnly: only, resultTypes: ["violations"] });
    return results.violations;
  }, runOnly);
  return violations.flatMap(({ id, impact, help, nodes }) =>
    nodes.map(({ target, failureSummary = "" }) => {
      const summary = failureSummary.split("\n").slice(1).join(";").replace(/\s+/g, " ").trim();
      return `${id} (${impact ?? "unrated"}): ${help}: ${target.join(" ")}: ${summary}`;
    }),
  );
}

/** Axe waits by timers. Where timers don't fire, it would wait silently until the test's time limit. */
async function timersRun(page: Page): Promise<void> {
  const fired = page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0, true)));
  // The page may close during a call whose result is no longer needed.
  fired.catch(() => undefined);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const patience = setTimeout(resolve, 3_000, false);
  const ran = await Promise.race([fired, promise]);
  clearTimeout(patience);
  if (ran !== true)
    throw new Error("axe-core needs a page with JavaScript: open this one without javaScriptEnabled: false.");
}

/**
 * Unpacks the npm package's Chromium with the libraries and fonts that a minimal Debian lacks. Runs once, and keeps the
 * result beside node_modules.
 */
function bundledChromium(): FoundChromium {
  const manifest = require.resolve("@sparticuz/chromium").replace(/build[\\/].*$/, "package.json");
  const version: unknown = require(manifest).version;
  const home = join(cacheFolder(), `chromium-${version}`);
  if (!existsSync(home)) unpack(join(dirname(manifest), "bin"), home);
  return {
    path: join(home, "chromium"),
    env: { LD_LIBRARY_PATH: join(home, "al2023", "lib"), FONTCONFIG_FILE: join(home, "fonts.conf") },
    from: "bundled",
  };
}

/** Unpacks beside the final folder and renames, so that two concurrent processes never see an incomplete browser. */
function unpack(archives: string, home: string): void {
  const parts = mkdtempSync(`${home}-`);
  const script = `
    const { inflate } = await import("@sparticuz/chromium");
    const names = ["chromium.br", "fonts.tar.br", "swiftshader.tar.br", "al2023.tar.br"];
    await Promise.all(names.map((name) => inflate(process.argv[1] + "/" + name)));`;
  try {
    // The package unpacks into the temporary folder and reuses files that it finds there, so it gets an empty one.
    execFileSync(process.execPath, ["--input-type=module", "--eval", script, archives], {
      env: { ...process.env, TMPDIR: parts },
      cwd: import.meta.dirname,
    });
    writeFileSync(join(parts, "fonts.conf"), fontConfiguration(home));
    renameSync(parts, home);
  } catch (error) {
    rmSync(parts, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

function fontConfiguration(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${join(home, "fonts")}</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${join(home, "fonts-cache")}</cachedir>
</fontconfig>
`;
}

/** node_modules/.cache of this checkout, or a new temporary folder if that isn't writable. */
function cacheFolder(): string {
  const folder = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "assent-test");
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.W_OK);
    return folder;
  } catch {
    return mkdtempSync(join(tmpdir(), "assent-chromium-"));
  }
}

/** Installs Debian's Chromium with apt-get, if permitted. */
function installedChromium(): FoundChromium {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) {
    throw new Error("No Chromium here: install one, or name it in ASSENT_TEST_CHROMIUM.");
  }
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync("apt-get", ["update"], { stdio: "inherit", env });
  execFileSync("apt-get", ["install", "--yes", "--no-install-recommends", "chromium"], { stdio: "inherit", env });
  return { path: "/usr/bin/chromium", env: {}, from: "installed" };
}

function definedEnvironment(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
}
