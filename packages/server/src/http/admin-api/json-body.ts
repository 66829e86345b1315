/** Reads the body of a request as one strict JSON object (RFC 8259; RFC 7493 §2). */

import { readJsonObject } from "../../jose/strict-json.ts";
import { refuse } from "../../oauth/errors.ts";
import { isEncoded } from "../form-body.ts";
import type { HttpRequest } from "../http-message.ts";
import { ApiRefusal } from "./problem.ts";

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
  const value = strictObject(bytes);
  if (value === undefined) throw new ApiRefusal("json_malformed", [{ field: null, problem: whatIsWrong(bytes) }]);
  return value;
}

/** In words for a person. It repeats nothing of the body, which may have secrets. */
function whatIsWrong(bytes: Uint8Array): string {
  if (bytes.length === 0) return "the body is empty";
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof value !== "object" || value === null || Array.isArray(value)) return "the body is JSON, but no object";
  } catch (error) {
    if (!(error instanceof SyntaxError)) return "the body is not UTF-8";
    if (error.message.includes("end of JSON input")) return "the body is not JSON: it ends too early";
    const place = /at position \d+/.exec(error.message)?.[0];
    return place === undefined ? "the body is not JSON" : `the body is not JSON: look ${place}`;
  }
  return "a name occurs twice, an object is nested too deeply, or a text has a character that can't be stored";
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
