/**
 * Reads JSON objects without repeated names, as needed for the header and claims of a JWT (RFC 7515 §4, RFC 7519 §4).
 */

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a JSON object from UTF-8 bytes.
 * @throws {SyntaxError} invalid UTF-8, invalid JSON, no object, or a name that occurs twice in one object. Parsers
 * differ in which of two equal names they use, and the check and the user of a value must see the same one.
 */
export function parseJsonObject(bytes: Uint8Array): JsonObject {
  const text = decode(bytes);
  const value: unknown = JSON.parse(text);
  if (!isJsonObject(value)) throw new SyntaxError("not a JSON object");
  refuseRepeatedNames(text);
  return value;
}

/** A JSON object, not an array and not null. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new SyntaxError("not UTF-8");
  }
}

/** Walks through a text that is valid JSON. In it, a string before a colon is always a name. */
function refuseRepeatedNames(text: string): void {
  const open: Set<string>[] = [];
  for (const match of text.matchAll(/"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}]/g)) {
    if (match[0] === "{") open.push(new Set());
    else if (match[0] === "}") open.pop();
    else if (match[2] !== undefined) {
      const raw = match[1] ?? "";
      // A name may be written with escapes: "\u0073ub" is "sub".
      const name: unknown = raw.includes("\\") ? JSON.parse(`"${raw}"`) : raw;
      const names = open.at(-1);
      if (names?.has(String(name))) throw new SyntaxError("a name occurs twice");
      names?.add(String(name));
    }
  }
}
