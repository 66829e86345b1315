/** Options that name a time. */

import { InvalidArgumentError, Option } from "commander";

/** A time, or how long ago it was. */
export type Moment = { readonly at: number } | { readonly ago: number };

const UNITS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export function timeOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((value): Moment => {
    const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(value) ?? [];
    if (count !== undefined) return { ago: Number(count) * (UNITS[unit] ?? 0) };
    const at = /^\d{4}-\d\d-\d\d(T[\d:.]+(Z|[+-]\d\d:\d\d))?$/.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isNaN(at)) throw new InvalidArgumentError("Use a time such as 2026-01-31T12:00:00Z, or 12h.");
    return { at };
  });
}

/** Milliseconds since the epoch. */
export function timeOf(moment: Moment | undefined, now: number): number | undefined {
  if (moment === undefined) return undefined;
  return "at" in moment ? moment.at : now - moment.ago;
}
