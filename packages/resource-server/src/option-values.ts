/** Values that the options of an API and of an operation have in common: scopes, sign-ins, addresses. */

import type { SignInRequirement } from "./bearer-errors.ts";

/** In characters. A challenge is one header, and clients accept 8 KiB of headers or more. */
const LONGEST = 2_000;

/**
 * The scope names of a requirement (RFC 6749 §3.3), each once. Undefined: none.
 * @throws {TypeError} a name has characters that no scope may have, or the requirement is empty: an unset variable must
 * not turn the check off.
 */
export function scopeNames(scope: string | readonly string[] | undefined): readonly string[] {
  if (scope === undefined) return [];
  const names = typeof scope === "string" ? scope.split(" ") : scope;
  if (!Array.isArray(names) || names.length === 0 || !names.every((name) => isScopeName(name))) {
    throw new TypeError("scope must be one or more scope names, separated by single spaces or in an array");
  }
  if (names.join(" ").length > LONGEST) throw new TypeError(`scope has more than ${LONGEST} characters`);
  return [...new Set(names)];
}

/**
 * The sign-in that a requirement asks for (RFC 9470 §3).
 * @throws {TypeError} as `scopeNames`, or `maxAge` is no whole number of seconds.
 */
export function signInRequirement({
  acr,
  maxAge,
}: {
  readonly acr?: string | readonly string[] | undefined;
  readonly maxAge?: number | undefined;
}): SignInRequirement {
  const values = acr === undefined ? [] : typeof acr === "string" ? acr.split(" ") : acr;
  const named = acr === undefined || (Array.isArray(values) && values.length > 0);
  // The characters of a scope's name are also allowed in a challenge.
  if (!named || !values.every(isScopeName)) {
    throw new TypeError("acr must be one or more values, separated by single spaces or in an array");
  }
  if (values.join(" ").length > LONGEST) throw new TypeError(`acr has more than ${LONGEST} characters`);
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= 0)) {
    throw new TypeError("maxAge must be a whole number of seconds");
  }
  return { acr: [...new Set(values)], maxAge: maxAge ?? null };
}

function isScopeName(name: unknown): boolean {
  return typeof name === "string" && /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(name);
}

/**
 * Null: a URL from which keys may be fetched. Plain http is allowed only on this machine, where nobody else can read
 * it.
 */
export function urlProblem(text: unknown): string | null {
  const url = typeof text === "string" ? URL.parse(text) : null;
  if (url === null) return "must be an absolute URL";
  if (url.username !== "" || url.password !== "") return "must not hold a password";
  if (url.protocol === "https:" || (url.protocol === "http:" && isLoopback(url))) return null;
  return "must be https (http only on localhost)";
}

/** True for localhost, 127.0.0.0/8 and ::1. The WHATWG parser has already normalized the address. */
export function isLoopback(url: URL): boolean {
  return url.hostname === "localhost" || url.hostname === "[::1]" || /^127(\.\d+){3}$/.test(url.hostname);
}
