/** The operator's own look: name, colours, logo and style sheet, without changes of the markup. */

import { readFileSync } from "node:fs";
import { type Config, ConfigError } from "./config.ts";
import { type Brand, brandOf } from "./pages/branding.ts";

const MAX_LOGO_BYTES = 262_144;
const MAX_CSS_BYTES = 65_536;

/** The format of a picture by its first bytes. SVG is not accepted, because it can hold scripts. */
const PICTURES: readonly (readonly [type: string, begins: (bytes: Buffer) => boolean])[] = [
  ["image/png", (bytes) => bytes.subarray(0, 8).toString("hex") === "89504e470d0a1a0a"],
  ["image/jpeg", (bytes) => bytes.subarray(0, 3).toString("hex") === "ffd8ff"],
  ["image/webp", (bytes) => /^RIFF[\s\S]{4}WEBP/.test(bytes.toString("latin1", 0, 12))],
];

/** Reads the files. Throws a `ConfigError` that names every unusable one. */
export function readBrand(config: Pick<Config, "brandName" | "brandColors" | "brandLogo" | "brandCss">): Brand {
  const problems: string[] = [];
  const read = (variable: string, path: string | null, most: number): Buffer | null => {
    if (path === null) return null;
    try {
      const bytes = readFileSync(path);
      if (bytes.length <= most) return bytes;
      problems.push(`${variable}: ${path} has ${bytes.length} bytes; at most ${most} are allowed`);
    } catch (error) {
      problems.push(`${variable}: ${path} can't be read (${(error as NodeJS.ErrnoException).code})`);
    }
    return null;
  };
  const picture = read("ASSENT_BRAND_LOGO", config.brandLogo, MAX_LOGO_BYTES);
  const css = read("ASSENT_BRAND_CSS", config.brandCss, MAX_CSS_BYTES);
  const type = picture === null ? undefined : PICTURES.find(([, begins]) => begins(picture))?.[0];
  if (picture !== null && type === undefined) {
    problems.push(`ASSENT_BRAND_LOGO: ${config.brandLogo} is not a PNG, JPEG or WebP picture`);
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return brandOf({
    name: config.brandName,
    colors: config.brandColors,
    css: css?.toString("utf8") ?? null,
    logo: picture === null || type === undefined ? null : { bytes: picture, type },
  });
}
