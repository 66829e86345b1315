/**
 * Checks where a posted form comes from, as the browser says (Fetch Metadata Request Headers; RFC 6454 §7; RFC 6749
 * §10.12).
 */

import { refuse } from "../oauth/errors.ts";
import type { HttpRequest } from "./http-message.ts";

/**
 * Refuses a form from a page of another origin. This check adds to the form's token, and protects even if the token
 * leaked. Browsers that send `Sec-Fetch-Site` name the origin of the page with it, also on a reload. Older ones send
 * `Origin`, which is `null` for this server's own pages, because they have `Referrer-Policy: no-referrer`. A request
 * without either is not from a browser, or from a very old one: then only the token decides.
 */
export function checkFormOrigin(http: HttpRequest, issuer: string): void {
  const site = http.header("sec-fetch-site");
  if (site !== undefined) {
    if (site !== "same-origin") refuse("form_cross_site", `Sec-Fetch-Site: ${site.slice(0, MAX_SHOWN)}`);
    return;
  }
  const origin = http.header("origin");
  if (origin !== undefined && origin !== "null" && origin !== new URL(issuer).origin)
    refuse("form_cross_site", `Origin: ${origin.slice(0, MAX_SHOWN)}`);
}

/** Maximum number of characters of a header in the log. */
const MAX_SHOWN = 200;
