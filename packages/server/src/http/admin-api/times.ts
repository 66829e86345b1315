/** Times in requests to the admin API. */

import { refuseFields } from "./problem.ts";

const TIME = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;

/** Milliseconds since the epoch. Undefined: the request has none. */
export function timeOf(field: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const at = TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return refuseFields([{ field, problem: "must be a time, such as 2026-01-31T12:00:00Z" }]);
  return at;
}
