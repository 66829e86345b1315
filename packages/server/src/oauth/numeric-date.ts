/** Times in JWTs: seconds since the epoch, possibly with fractions (NumericDate, RFC 7519 §2). */

import type { Millis } from "./model.ts";

/** The end of the year 9999. A larger number is not accepted as a time. */
const LATEST = 253_402_300_799;

/**
 * The time in whole milliseconds, as storage holds it, always rounded down. Null: the claim is absent. Undefined: it is
 * not a time.
 */
export function timeClaim(claims: Readonly<Record<string, unknown>>, name: string): Millis | null | undefined {
  if (!Object.hasOwn(claims, name)) return null;
  const value = claims[name];
  const isTime = typeof value === "number" && value >= 0 && value <= LATEST;
  return isTime ? Math.floor(value * 1000) : undefined;
}
