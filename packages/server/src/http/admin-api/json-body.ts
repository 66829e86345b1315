/** Reads the body of a request as one strict JSON object (RFC 8259; RFC 7493 §2). */

import { readJsonObject } from "../../jose/strict-json.ts";
import { refuse } from "../../oauth/errors.ts";
import { isEncoded } from "../form-body.ts";
import type { HttpRequest } from "../http-message.ts";

/** `application/json`, or the type of a merge patch (RFC 7396). A charset, if named, must be UTF-8. */
function isJsonType(contentType: string | undefined): boolean {
  const [type = "", ...parameters] = (contentType ?? "").toLowerCase().split(";");
  const named = type.trim();
  const charsets = parameters.map((one) => one.trim()).filter((one) => one.startsWith("charset="));
  const isJson = named === "application/json" || named === "application/merge-patch+json";
  return isJson && charsets.every((charset) => /^charset="?utf-8"?$/.test(charset));
}

export function jsonBody(http: HttpRequest, bytes: Uint8Array): Readonly<Record<string, unknown>> {
  if (isEncoded(http.header("content-encoding"))) refuse("content_encoding_refused");
  if (!isJsonType(http.header("content-type"))) refuse("content_type_not_json");
  return strictObject(bytes) ?? refuse("json_malformed");
}

/** Undefined: no JSON object, a name that occurs twice, too deep, or a text that no database can store. */
export function strictObject(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const value = readJsonObject(bytes);
  return value !== undefined && isStorable(value) ? value : undefined;
}

/** The reader has bounded the depth. */
function isStorable(value: unknown): boolean {
  if (typeof value === "string") return isStorableText(value);
  if (Array.isArray(value)) return value.every(isStorable);
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, one]) => name !== "__proto__" && isStorableText(name) && isStorable(one));
}

/** PostgreSQL stores no U+0000, and an unpaired surrogate has no UTF-8. */
export function isStorableText(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
