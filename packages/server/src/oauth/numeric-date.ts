/** Times in JWTs: seconds since the epoch, and fractions of them (NumericDate, RFC 7519 §2). */

import type { Millis } from "./model.ts";

/** Past the year 9999 nothing is a time. */
const LATEST = 253_402_300_799;

/** Whole milliseconds, which is what storage holds, cut and never rounded up; null: the claim is absent; undefined: it is no time. */
export function timeClaim(claims: Readonly<Record<string, unknown>>, name: string): Millis | null | undefined {
  if (!Object.hasOwn(claims, name)) return null;
  const value = claims[name];
  const isTime = typeof value === "number" && value >= 0 && value <= LATEST;
  return isTime ? Math.floor(value * 1000) : undefined;
}
