/** An operator's branding: a style sheet that overrides our design tokens, and a logo that replaces our mark. */
import { createHash } from "node:crypto";
import type { Asset } from "./assets.ts";
import { contrast, mixed, type Rgb } from "./contrast.ts";

/** Accent colours as `#rrggbb`: one for the light theme and one for the dark theme. */
export interface BrandColors {
  readonly light: string;
  readonly dark: string;
}

export interface Brand {
  readonly name: string;
  readonly colors: BrandColors;
  /** Null: the pages use our style sheet only. */
  readonly stylesheet: Asset | null;
  /** Null: the pages show our mark. */
  readonly logo: Asset | null;
}

export const OURS: Brand = {
  name: "Assent",
  colors: { light: "#0d6b56", dark: "#64d0b3" },
  stylesheet: null,
  logo: null,
};

const WHITE: Rgb = [255, 255, 255];
/** For each theme: the style sheet's `--surface` and `--on-accent`, and the background of soft buttons. */
const GROUNDS = {
  light: { surface: WHITE, onAccent: WHITE, wash: (accent: Rgb) => mixed(accent, WHITE, 0.08) },
  dark: {
    surface: [23, 29, 26] as Rgb,
    onAccent: [6, 18, 14] as Rgb,
    wash: (accent: Rgb) => mixed(accent, [23, 29, 26], 0.14),
  },
} as const;
/** The minimum contrast ratio of WCAG 2.2, 1.4.3 (AA). */
const READABLE = 4.5;

/** Reads `#0d6b56`, or one colour for each theme: `#0d6b56,#64d0b3`. Returns undefined if the text is malformed or the contrast is too low. */
export function readBrandColors(text: string): BrandColors | undefined {
  const [light, dark, ...rest] = text.split(",").map((one) => one.trim().toLowerCase());
  if (light === undefined || rest.length > 0) return undefined;
  const colors = { light, dark: dark ?? lightened(light) };
  return isReadable(colors.light, "light") && isReadable(colors.dark, "dark") ? colors : undefined;
}

function rgbOf(hex: string): Rgb | undefined {
  if (!/^#[0-9a-f]{6}$/.test(hex)) return undefined;
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
}

function hexOf(color: Rgb): string {
  return `#${color.map((part) => Math.round(part).toString(16).padStart(2, "0")).join("")}`;
}

/** Checks the contrast as links and buttons need it: on the surface, on the colour's own tint, and under the label of a filled button. */
function isReadable(hex: string, theme: keyof typeof GROUNDS): boolean {
  const accent = rgbOf(hex);
  if (accent === undefined) return false;
  const { surface, onAccent, wash } = GROUNDS[theme];
  return [surface, onAccent, wash(accent)].every((other) => contrast(accent, other) >= READABLE);
}

/** Mixes the colour with white in steps, and returns the first result with enough contrast on a dark background. */
function lightened(hex: string): string {
  const color = rgbOf(hex);
  if (color === undefined) return hex;
  for (let share = 1; share > 0; share -= 0.05) {
    const lighter = hexOf(mixed(color, WHITE, share));
    if (isReadable(lighter, "dark")) return lighter;
  }
  return "#ffffff";
}

function tokens(hex: string, theme: keyof typeof GROUNDS): string {
  const accent = rgbOf(hex) ?? WHITE;
  const { onAccent, wash } = GROUNDS[theme];
  const hover = mixed(accent, theme === "light" ? [0, 0, 0] : WHITE, 0.82);
  return `:root{--accent:${hex};--accent-hover:${hexOf(hover)};--accent-wash:${hexOf(wash(accent))};--on-accent:${hexOf(onAccent)};--ring:${hex}}`;
}

function sheetOf({ light, dark }: BrandColors): readonly string[] {
  return [tokens(light, "light"), `@media (prefers-color-scheme: dark){${tokens(dark, "dark")}}`];
}

/** Both colours of an accent as one text: `#rrggbb,#rrggbb`. Returns undefined if the text is malformed or the contrast is too low. */
export function accentText(text: string): string | undefined {
  const colors = readBrandColors(text);
  return colors === undefined ? undefined : `${colors.light},${colors.dark}`;
}

/** Path of the style sheet that applies a client's accent colour. */
export function accentPath(accent: string): string {
  return `/assets/accent/${accent.replaceAll("#", "").replace(",", "-")}.css`;
}

/** The style sheet at such a path. Undefined if the path is another one, or its colours are malformed or lack contrast. */
export function accentSheet(path: string): Asset | undefined {
  const [, light, dark] = /^\/assets\/accent\/([0-9a-f]{6})-([0-9a-f]{6})\.css$/.exec(path) ?? [];
  const colors = readBrandColors(`#${light},#${dark}`);
  if (colors === undefined) return undefined;
  const bytes = Buffer.from(sheetOf(colors).join("\n"));
  const { etag } = asset("accent.css", "text/css", bytes);
  return { path, type: "text/css; charset=utf-8", bytes, immutable: false, etag };
}

/** Builds the branding from its parts. Each path contains a hash of the content. */
export function brandOf(parts: {
  readonly name: string | null;
  readonly colors: BrandColors | null;
  readonly css: string | null;
  readonly logo: { readonly bytes: Buffer; readonly type: string } | null;
}): Brand {
  const { colors, css, logo } = parts;
  const sheet = [...(colors === null ? [] : sheetOf(colors)), ...(css === null ? [] : [css])].join("\n");
  return {
    name: parts.name ?? OURS.name,
    colors: colors ?? OURS.colors,
    stylesheet: sheet === "" ? null : asset("brand.css", "text/css; charset=utf-8", Buffer.from(sheet)),
    logo: logo === null ? null : asset("brand-logo", logo.type, logo.bytes),
  };
}

function asset(file: string, type: string, bytes: Buffer): Asset {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  return { path: `/assets/${hash}/${file}`, type, bytes, immutable: true, etag: `"${hash}"` };
}
