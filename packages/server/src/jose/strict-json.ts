/**
 * Reads JSON objects strictly, as needed for the header and claims of a JWT: no object has a name twice (RFC 7515 §4,
 * RFC 7519 §4).
 */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The greatest allowed depth. No claim needs more. */
const MAX_DEPTH = 16;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The object in these bytes. Undefined: not UTF-8, not JSON, no object, too deep, or a name occurs twice. Parsers
 * differ in which of two equal names they use. So the program that checks the value and the program that uses it could
 * see different values.
 */
export function readJsonObject(bytes: Uint8Array): JsonObject | undefined {
  try {
    const text = utf8.decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    return namesAreUnique(text) ? (value as JsonObject) : undefined;
  } catch {
    return undefined;
  }
}

/** For a text that is valid JSON: true if no object has a name twice. A string before a colon is always a name. */
function namesAreUnique(text: string): boolean {
  const open: Set<string>[] = [];
  for (const [token, string, colon] of text.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}[\]]/g)) {
    if (token === "{" || token === "[") {
      open.push(new Set());
      if (open.length > MAX_DEPTH) return false;
    } else if (token === "}" || token === "]") {
      open.pop();
    } else if (colon !== undefined && string !== undefined) {
      // A name may be written with escapes: "\u0073ub" is "sub".
      const name = string.includes("\\") ? String(JSON.parse(`"${string}"`)) : string;
      const names = open.at(-1);
      if (names?.has(name)) return false;
      names?.add(name);
    }
  }
  return true;
}
