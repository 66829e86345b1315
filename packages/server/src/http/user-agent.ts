/** What a browser calls itself, in the words that people use for it. It is what it says, and nothing is decided by it. */

/** The first that fits: each names those before it in what it sends, too. */
const BROWSERS: readonly (readonly [string, RegExp])[] = [
  ["Edge", /\bEdg(?:e|A|iOS)?\//],
  ["Opera", /\bOPR\//],
  ["Samsung Internet", /\bSamsungBrowser\//],
  ["Firefox", /\b(?:Firefox|FxiOS)\//],
  ["Chrome", /\b(?:Chrome|Chromium|CriOS|HeadlessChrome)\//],
  ["Safari", /\bSafari\//],
];

const SYSTEMS: readonly (readonly [string, RegExp])[] = [
  ["Android", /\bAndroid\b/],
  ["iPhone", /\biPhone\b/],
  ["iPad", /\biPad\b/],
  ["Windows", /\bWindows\b/],
  ["ChromeOS", /\bCrOS\b/],
  ["macOS", /\bMac OS X\b/],
  ["Linux", /\bLinux\b/],
];

/** Null: it didn't say, or nothing that we know. */
export function deviceOf(userAgent: string | null): {
  readonly browser: string | null;
  readonly system: string | null;
} {
  const found = (list: typeof BROWSERS) => list.find(([, sign]) => sign.test(userAgent ?? ""))?.[0] ?? null;
  return { browser: found(BROWSERS), system: found(SYSTEMS) };
}

/** Such as `Firefox, Linux`; null: nothing that we know. */
export function browserName(userAgent: string | null): string | null {
  const { browser, system } = deviceOf(userAgent);
  const parts = [browser, system].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}
