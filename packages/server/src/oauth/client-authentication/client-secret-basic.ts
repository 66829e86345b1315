/** HTTP Basic: id and secret, each form-url-encoded, then base64 (RFC 6749 §2.3.1, RFC 7617). */

import { refuse } from "../errors.ts";
import type { Hashes } from "../ports.ts";

/** Reads an Authorization header: strict base64 and UTF-8, with an id and a secret that are not empty. */
export function readBasic(header: string, hashes: Hashes): { clientId: string; secret: string } {
  const match = /^([A-Za-z-]+) +(\S{1,8192})$/.exec(header);
  if (!/^basic(?![^ ])/i.test(header)) refuse("authorization_scheme_unknown");
  const text = match?.[2] === undefined ? undefined : hashes.base64Text(match[2]);
  if (text === undefined || text.includes("\0")) return refuse("basic_malformed", "not canonical base64 of UTF-8");
  const colon = text.indexOf(":");
  if (colon < 1 || colon === text.length - 1) refuse("basic_malformed", "no id or no secret");
  return { clientId: formDecode(text.slice(0, colon)), secret: formDecode(text.slice(colon + 1)) };
}

/** The id or the secret of a Basic header, without its form-url-encoding. */
export function formDecode(text: string): string {
  if (!text.includes("%") && !text.includes("+")) return text;
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    // Many clients don't encode: a value that can't be decoded is used as it is.
    return text;
  }
}
