/** An operator's look over ours: a style sheet that sets our tokens anew, and a logo in place of the mark. */
import { createHash } from "node:crypto";
import type { Asset } from "./assets.ts";
import { contrast, mixed, type Rgb } from "./contrast.ts";

/** Accent colours, `#rrggbb`: on light ground and on dark. */
export interface BrandColors {
  readonly light: string;
  readonly dark: string;
}

export interface Brand {
  readonly name: string;
  /** Null: ours alone. */
  readonly stylesheet: Asset | null;
  /** Null: our mark. */
  readonly logo: Asset | null;
}

export const OURS: Brand = { name: "Assent", stylesheet: null, logo: null };

const WHITE: Rgb = [255, 255, 255];
/** The style sheet's `--surface` and `--on-accent` of each theme, and the ground of soft buttons. */
const GROUNDS = {
  light: { surface: WHITE, onAccent: WHITE, wash: (accent: Rgb) => mixed(accent, WHITE, 0.08) },
  dark: {
    surface: [23, 29, 26] as Rgb,
    onAccent: [6, 18, 14] as Rgb,
    wash: (accent: Rgb) => mixed(accent, [23, 29, 26], 0.14),
  },
} as const;
/** WCAG 2.2, 1.4.3 (AA). */
const READABLE = 4.5;

/** `#0d6b56`, or one for each theme `#0d6b56,#64d0b3`; undefined: no such colours, or text in them couldn't be read. */
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

/** As links and buttons use it: on the surface, on its own wash, and under the text of a full button. */
function isReadable(hex: string, theme: keyof typeof GROUNDS): boolean {
  const accent = rgbOf(hex);
  if (accent === undefined) return false;
  const { surface, onAccent, wash } = GROUNDS[theme];
  return [surface, onAccent, wash(accent)].every((other) => contrast(accent, other) >= READABLE);
}

/** The first step towards white that can be read on dark ground. */
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

/** Both colours of an accent as one text, `#rrggbb,#rrggbb`; undefined: no colours, or text in them couldn't be read. */
export function accentText(text: string): string | undefined {
  const colors = readBrandColors(text);
  return colors === undefined ? undefined : `${colors.light},${colors.dark}`;
}

/** Path of the style sheet that lays a client's accent over the rest. */
export function accentPath(accent: string): string {
  return `/assets/accent/${accent.replaceAll("#", "").replace(",", "-")}.css`;
}

/** The style sheet at such a path; undefined: it is none, or its colours can't be read. */
export function accentSheet(path: string): Asset | undefined {
  const [, light, dark] = /^\/assets\/accent\/([0-9a-f]{6})-([0-9a-f]{6})\.css$/.exec(path) ?? [];
  const colors = readBrandColors(`#${light},#${dark}`);
  if (colors === undefined) return undefined;
  const bytes = Buffer.from(sheetOf(colors).join("\n"));
  const { etag } = asset("accent.css", "text/css", bytes);
  return { path, type: "text/css; charset=utf-8", bytes, immutable: false, etag };
}

/** The parts put together; their paths name their content. */
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
    stylesheet: sheet === "" ? null : asset("brand.css", "text/css; charset=utf-8", Buffer.from(sheet)),
    logo: logo === null ? null : asset("brand-logo", logo.type, logo.bytes),
  };
}

function asset(file: string, type: string, bytes: Buffer): Asset {
  const hash = createHash("sha256").update(bytes).digest("base64url").slice(0, 16);
  return { path: `/assets/${hash}/${file}`, type, bytes, immutable: true, etag: `"${hash}"` };
}
