/** JSON objects as a JWT's header and claims must be read: no name twice in one object (RFC 7515 §4, RFC 7519 §4). */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Nested deeper than any claim needs. */
const MAX_DEPTH = 16;

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * The object that the bytes are. Undefined: no UTF-8, no JSON, no object, too deep, or with a name that occurs twice: parsers differ in which
 * of the two they take, so that who checks and who uses it could see two values.
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

/** Of a text that is known to be JSON: true where no object has a name twice. A string before a colon is always a name. */
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
