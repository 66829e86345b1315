/** What every page is given besides its view: where things lie on this server, and which language to speak. */

import { assetPaths } from "./assets.ts";
import { type Brand, OURS } from "./brand.ts";
import { type Messages, messages } from "./messages/index.ts";

export interface Chrome {
  /** Path of the issuer, put before every path, those in views included: empty, or like `/auth`; no slash at its end. */
  readonly base: string;
  /** What this service calls itself. */
  readonly product: string;
  readonly words: Messages;
  /** Paths of the style sheets, ours first. */
  readonly stylesheets: readonly string[];
  /** Path of the operator's logo; null: our mark. */
  readonly logo: string | null;
  readonly favicon: string;
  readonly formPostScript: string;
  readonly passkeyScript: string;
  readonly timesScript: string;
  /** Path and query, below the issuer's, at which this page can be had in another language; null: nowhere. */
  readonly here: string | null;
}

/**
 * @param options.issuer the issuer URL: its path goes before every path of a page.
 * @param options.locale the language (BCP 47); English where it isn't spoken.
 * @param options.brand the operator's look; absent: ours.
 * @param options.here where the page is had again, for the choice of a language.
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
    stylesheets: [assetPaths.stylesheet, ...(brand.stylesheet === null ? [] : [brand.stylesheet.path])].map(
      (path) => base + path,
    ),
    logo: brand.logo === null ? null : base + brand.logo.path,
    favicon: base + assetPaths.favicon,
    formPostScript: base + assetPaths.formPostScript,
    passkeyScript: base + assetPaths.passkeyScript,
    timesScript: base + assetPaths.timesScript,
    here: options.here ?? null,
  };
}
