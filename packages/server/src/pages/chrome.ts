/** The data that every page gets besides its view: paths on this server, branding, and the language. */

import { assetPaths } from "./assets.ts";
import { type Brand, type BrandColors, OURS } from "./branding.ts";
import { type Messages, messages } from "./messages/index.ts";

export interface Chrome {
  /** Path of the issuer. It precedes every path, also those in views. Empty, or like `/auth`; it has no slash at the end. */
  readonly base: string;
  /** The name of this service. */
  readonly product: string;
  readonly words: Messages;
  /** The accent colours, for messages, which load no style sheet. */
  readonly accent: BrandColors;
  /** Paths of the style sheets. Ours come first. */
  readonly stylesheets: readonly string[];
  /** Path of the operator's logo. Null: the page shows our mark. */
  readonly logo: string | null;
  readonly favicon: string;
  readonly formPostScript: string;
  readonly passkeyScript: string;
  readonly timesScript: string;
  readonly passwordScript: string;
  /** Path and query of this page, below the issuer's path, for the choice of a language. Null if the page can't be loaded again. */
  readonly here: string | null;
}

/**
 * @param options.issuer the issuer URL: its path precedes every path of a page.
 * @param options.locale the language (BCP 47). English is used if the language is not supported.
 * @param options.brand the operator's branding. Absent: ours.
 * @param options.here the address of the page, for the choice of a language.
 */
export function chrome(options: {
  readonly issuer: string;
  readonly locale?: string;
  readonly here?: string | null;
  readonly brand?: Brand;
}): Chrome {
  const brand = options.brand ?? OURS;
  const base = new URL(options.issuer).pathname.replace(/\/+$/, "");
  return {
    base,
    product: brand.name,
    words: messages(options.locale ?? "en"),
    accent: brand.colors,
    stylesheets: [assetPaths.stylesheet, ...(brand.stylesheet === null ? [] : [brand.stylesheet.path])].map(
      (path) => base + path,
    ),
    logo: brand.logo === null ? null : base + brand.logo.path,
    favicon: base + assetPaths.favicon,
    formPostScript: base + assetPaths.formPostScript,
    passkeyScript: base + assetPaths.passkeyScript,
    timesScript: base + assetPaths.timesScript,
    passwordScript: base + assetPaths.passwordScript,
    here: options.here ?? null,
  };
}
