/** Where a posted form comes from, as the browser says (Fetch Metadata Request Headers; RFC 6454 §7; RFC 6749 §10.12). */

import { refuse } from "../oauth/errors.ts";
import type { HttpRequest } from "./message.ts";

/**
 * Refuses a form that a page of another origin sent. It holds beside the form's token, and where the token has got out. Browsers that send
 * `Sec-Fetch-Site` name the origin of the page by it, also on a reload; older ones send `Origin`, which is `null` for our own pages, since they have
 * `Referrer-Policy: no-referrer`. Requests without either are no browser's, or a very old one's: for them the token alone decides.
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

/** Characters of a header that the log gets. */
const MAX_SHOWN = 200;
