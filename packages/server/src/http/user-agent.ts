/** The name of a browser in the words that people use. The browser can send anything, so nothing is decided by it. */

import type { HttpRequest } from "./http-message.ts";

const MAX_LENGTH = 300;

/** What the browser of a request calls itself, cut; null: nothing. */
export function userAgentOf(http: HttpRequest): string | null {
  return http.header("user-agent")?.slice(0, MAX_LENGTH) ?? null;
}

/** The first match counts, because each browser also names earlier ones in what it sends. */
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

/** Null: the browser didn't say, or is unknown. */
export function deviceOf(userAgent: string | null): {
  readonly browser: string | null;
  readonly system: string | null;
} {
  const found = (list: typeof BROWSERS) => list.find(([, sign]) => sign.test(userAgent ?? ""))?.[0] ?? null;
  return { browser: found(BROWSERS), system: found(SYSTEMS) };
}

/** For example `Firefox, Linux`. Null: unknown. */
export function browserName(userAgent: string | null): string | null {
  const { browser, system } = deviceOf(userAgent);
  const parts = [browser, system].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(", ");
}
