/** What every page is given besides its view: where things lie on this server, and which language to speak. */
import { assetPaths } from "./assets.ts";
import { type Messages, messages } from "./messages/index.ts";

export interface Chrome {
  /** Path of the issuer, put before every path, those in views included: empty, or like `/auth`; no slash at its end. */
  readonly base: string;
  readonly words: Messages;
  readonly stylesheet: string;
  readonly favicon: string;
  readonly formPostScript: string;
}

/**
 * @param options.issuer the issuer URL: its path goes before every path of a page.
 * @param options.locale what the reader prefers (BCP 47); English where it isn't spoken.
 */
export function chrome(options: { readonly issuer: string; readonly locale?: string }): Chrome {
  const base = new URL(options.issuer).pathname.replace(/\/+$/, "");
  return {
    base,
    words: messages(options.locale ?? "en"),
    stylesheet: base + assetPaths.stylesheet,
    favicon: base + assetPaths.favicon,
    formPostScript: base + assetPaths.formPostScript,
  };
}
