/** Distinguished names of certificates as text (RFC 4514), by which RFC 8705 §2.1.2 names a certificate's subject. */

/** Maximum length in characters. */
const MAX_NAME = 2048;

/** One attribute, up to the separator after it: a type, and a value with escaped special characters (§§2.3, 2.4). */
const ATTRIBUTE = / *([A-Za-z][A-Za-z0-9-]*|\d+(?:\.\d+)+) *=((?:\\[0-9A-Fa-f]{2}|\\[ "#+,;<=>\\]|[^\\"+,;<>\0])*)/y;

/** Types that have a short name (§3), by their object identifier. */
const SHORT: ReadonlyMap<string, string> = new Map([
  ["2.5.4.3", "CN"],
  ["2.5.4.5", "SERIALNUMBER"],
  ["2.5.4.6", "C"],
  ["2.5.4.7", "L"],
  ["2.5.4.8", "ST"],
  ["2.5.4.9", "STREET"],
  ["2.5.4.10", "O"],
  ["2.5.4.11", "OU"],
  ["2.5.4.97", "ORGANIZATIONIDENTIFIER"],
  ["0.9.2342.19200300.100.1.1", "UID"],
  ["0.9.2342.19200300.100.1.25", "DC"],
  ["1.2.840.113549.1.9.1", "EMAILADDRESS"],
]);

/**
 * One spelling for all spellings of a name: of its types (`cn`, `CN`, `2.5.4.3`), its escapes, and its blanks at
 * separators. Values must match character by character, also in case, so names that only look similar stay different.
 * Undefined: the text is not a name, is empty, or has a value in hexadecimal BER.
 */
export function canonicalName(text: string): string | undefined {
  if (text.length > MAX_NAME) return undefined;
  const names: string[][] = [[]];
  for (let at = 0; ; at += 1) {
    ATTRIBUTE.lastIndex = at;
    const [all, type = "", raw = ""] = ATTRIBUTE.exec(text) ?? [];
    const value = all === undefined ? undefined : plainValue(raw);
    if (all === undefined || value === undefined) return undefined;
    names.at(-1)?.push(JSON.stringify([SHORT.get(type) ?? type.toUpperCase(), value]));
    at += all.length;
    if (at >= text.length) break;
    if (text[at] === ",") names.push([]);
    else if (text[at] !== "+") return undefined;
  }
  // §2.2: the attributes of one relative name have no order.
  return names.map((attributes) => `[${attributes.sort().join()}]`).join();
}

/** The value of an escaped text. Undefined: it is malformed, or its bytes are not UTF-8. */
function plainValue(raw: string): string | undefined {
  // Blanks at the end count only after a backslash that is not escaped itself.
  const bare = /^((?:\\.|[^\\ ]| +(?=[^ ]))*) *$/s.exec(raw.replace(/^ +/, ""))?.[1] ?? "";
  if (bare === "" || bare.startsWith("#")) return undefined;
  try {
    const parts = bare.matchAll(/\\([0-9A-Fa-f]{2})|\\(.)|[^\\]+/gs);
    return decodeURIComponent(
      [...parts].map(([all, hex, one]) => (hex === undefined ? encodeURIComponent(one ?? all) : `%${hex}`)).join(""),
    );
  } catch {
    return undefined;
  }
}
