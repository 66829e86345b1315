/** The lines of a plan for the fields of a record. A difference is always visible, also at the end of a long value. */

import { styleText } from "node:util";
import type { Change } from "@assent/server/configuration";
import { printable, shown } from "./print-records.ts";

export type Sign = "+" | "~" | "-";
const COLOURS = { "+": "green", "~": "yellow", "-": "red" } as const;
/** Longest value on one line, in characters. */
const LONGEST = 100;
/** The characters before a difference that are shown with it. */
const CONTEXT = 20;

export function coloured(sign: Sign, text: string): string {
  return styleText(COLOURS[sign], text, { stream: process.stdout });
}

type FieldChange = Change["fields"][number];
type Fields = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function fieldLines(action: "create" | "update" | "delete", change: FieldChange): readonly string[] {
  const lines = action === "create" ? valueLines(change.field, change.after) : changeLines(change);
  return lines.map((line) => `    ${line}`);
}

const indented = (lines: readonly string[]) => lines.map((line) => `  ${line}`);

/** Of a new record. */
function valueLines(field: string, value: unknown): readonly string[] {
  const name = printable(field);
  if (isObject(value) && JSON.stringify(value).length > LONGEST)
    return [`${name}:`, ...indented(Object.entries(value).flatMap(([of, one]) => valueLines(of, one)))];
  if (Array.isArray(value) && value.some(isObject))
    return [`${name}:`, ...indented(value.map((one) => printable(whole(one))))];
  return [`${name}: ${valueText(value)}`];
}

function changeLines({ field, before, after }: FieldChange): readonly string[] {
  const name = printable(field);
  const [old, now] = [listOf(field, before, after), listOf(field, after, before)];
  if (old !== undefined && now !== undefined) return [`${name}:`, ...indented(listLines(old, now))];
  if ((isObject(before) || before == null) && (isObject(after) || after == null))
    return [`${name}:`, ...indented(objectLines(before ?? {}, after ?? {}))];
  return [`${name}: ${differing(before, after).join(" → ")}`];
}

function objectLines(before: Fields, after: Fields): readonly string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names
    .map((field) => ({ field, before: before[field] ?? null, after: after[field] ?? null }))
    .filter((one) => whole(one.before) !== whole(one.after))
    .flatMap(changeLines);
}

function listLines(before: readonly unknown[], after: readonly unknown[]): readonly string[] {
  const has = (list: readonly unknown[], one: unknown) => list.some((other) => whole(other) === whole(one));
  const gone = before.filter((one) => !has(after, one));
  const fresh = after.filter((one) => !has(before, one));
  if (gone.length + fresh.length === 0) return ["another order"];
  const partner = (one: unknown, list: readonly unknown[]) => {
    const name = identity(one);
    return name === undefined ? undefined : list.find((other) => identity(other) === name);
  };
  const changed = gone.filter((one) => partner(one, fresh) !== undefined);
  const lost = gone.filter((one) => partner(one, fresh) === undefined);
  const won = fresh.filter((one) => partner(one, gone) === undefined);
  const texts = lineTexts([...lost, ...won]);
  return [
    ...changed.flatMap((one) => [
      coloured("~", `~ ${printable(identity(one) ?? "")}`),
      ...indented(objectLines(one as Fields, partner(one, fresh) as Fields)),
    ]),
    ...lost.map((_, at) => coloured("-", `- ${texts[at]}`)),
    ...won.map((_, at) => coloured("+", `+ ${texts[lost.length + at]}`)),
  ];
}

/** What makes an entry of a list the same one after a change: a connection, or a key. Undefined: only its whole value. */
function identity(value: unknown): string | undefined {
  if (!isObject(value)) return undefined;
  const { audience, company, kid } = value;
  if (typeof audience === "string") return typeof company === "string" ? `${audience} for ${company}` : audience;
  return typeof kid === "string" ? kid : undefined;
}

/** Lists and scopes are shown value by value. */
function listOf(field: string, value: unknown, other: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (value == null && Array.isArray(other)) return [];
  if (!/scope$/.test(field) || !(typeof value === "string" || value === null)) return undefined;
  return (value ?? "").split(" ").filter((word) => word !== "");
}

function whole(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : shown(value);
}

function valueText(value: unknown): string {
  const text = isObject(value) ? JSON.stringify(value) : shown(value);
  const [first = "", ...rest] = text.trimEnd().split("\n");
  const line = printable(first) + (rest.length === 0 ? "" : ` … (${rest.length + 1} lines)`);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Of different values: short, if that leaves them different. */
function lineTexts(values: readonly unknown[]): readonly string[] {
  const short = values.map(valueText);
  const isClear = new Set(short).size === values.length && !values.some(isObject);
  return isClear ? short : values.map((one) => printable(whole(one)));
}

/** Two different values as texts that differ. */
function differing(before: unknown, after: unknown): readonly [string, string] {
  const [old, now] = [valueText(before), valueText(after)];
  if (old !== now) return [old, now];
  const [one, other] = [printable(whole(before)), printable(whole(after))];
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return [around(one, at), around(other, at)];
}

function around(text: string, at: number): string {
  const from = Math.max(0, at - CONTEXT);
  const part = text.slice(from, from + LONGEST);
  return `${from > 0 ? "…" : ""}${part}${from + LONGEST < text.length ? "…" : ""}`;
}
