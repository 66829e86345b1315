/** A plan of `assent apply` for people: `+` creates, `~` changes, `-` deletes. */

import { styleText } from "node:util";
import type { Change, Plan } from "@assent/server/configuration";
import { counted } from "./confirm.ts";
import { printable, shown } from "./print-records.ts";

const SIGNS = { create: "+", update: "~", delete: "-" } as const;
const COLOURS = { "+": "green", "~": "yellow", "-": "red" } as const;

/** Longest value on one line. */
const LONGEST = 100;

function coloured(sign: "+" | "~" | "-", text: string): string {
  return styleText(COLOURS[sign], text, { stream: process.stdout });
}

export function planText(plan: Plan): string {
  const lines = plan.changes.flatMap(changeLines);
  const left = plan.left.map(
    (one) => `  ${printable(one)} is not in the file any more, and stays: to delete it, use --prune`,
  );
  const adopted =
    plan.adopted.length === 0
      ? []
      : [
          `  ${counted(plan.adopted.length, "record")} that nobody's file described ${plan.adopted.length === 1 ? "belongs" : "belong"} to this file once it is applied`,
        ];
  return [...lines, ...left, ...adopted, summary(plan)].map((line) => `${line}\n`).join("");
}

function summary({ changes, unchanged }: Plan): string {
  const count = (action: Change["action"]) => changes.filter((one) => one.action === action).length;
  if (changes.length === 0) return `No changes. ${counted(unchanged, "record")} as the file says.`;
  return `${count("create")} to create, ${count("update")} to change, ${count("delete")} to delete, ${unchanged} unchanged.`;
}

function changeLines({ action, noun, key, fields, ends }: Change): readonly string[] {
  const sign = SIGNS[action];
  const title = coloured(sign, `${sign} ${noun} ${printable(key)}`);
  const taken = ends === undefined ? "" : ` (ends ${endsText(ends)})`;
  return [`${title}${taken}`, ...fields.flatMap((one) => fieldLines(action, one))];
}

function fieldLines(action: Change["action"], { field, before, after }: Change["fields"][number]): readonly string[] {
  const name = printable(field);
  if (action === "create") return [`    ${name}: ${valueText(after)}`];
  const [old, now] = [listOf(field, before), listOf(field, after)];
  if (old === undefined || now === undefined) return [`    ${name}: ${valueText(before)} → ${valueText(after)}`];
  const lost = old.filter((one) => !now.includes(one)).map((one) => `      ${coloured("-", `- ${valueText(one)}`)}`);
  const won = now.filter((one) => !old.includes(one)).map((one) => `      ${coloured("+", `+ ${valueText(one)}`)}`);
  const order = lost.length + won.length === 0 ? ["      another order"] : [];
  return [`    ${name}:`, ...lost, ...won, ...order];
}

/** Lists and scopes are shown value by value. */
function listOf(field: string, value: unknown): readonly unknown[] | undefined {
  if (Array.isArray(value)) return value as readonly unknown[];
  if (!/scope$/.test(field) || !(typeof value === "string" || value === null)) return undefined;
  return (value ?? "").split(" ").filter((word) => word !== "");
}

function valueText(value: unknown): string {
  const text =
    typeof value === "object" && value !== null && !Array.isArray(value) ? JSON.stringify(value) : shown(value);
  const line = printable(text);
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** `3 grants and 1 consent`. */
export function endsText(ends: Readonly<Record<string, number>>): string {
  const parts = Object.entries(ends)
    .filter(([, count]) => count > 0)
    .map(([one, count]) => counted(count, one, undefined, pluralOf(one)));
  const last = parts.pop();
  if (last === undefined) return "no access";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

function pluralOf(noun: string): string {
  const [first = "", ...rest] = noun.split(" ");
  const plural = first === "person" ? "people" : `${first}s`;
  return [plural, ...rest]
    .join(" ")
    .replace("s that names", "s that name")
    .replace("s who uses", "s who use")
    .replace("people who has", "people who have");
}

/** What the operator reads before they say yes. Undefined: nothing ends. */
export function destructiveText({ changes }: Plan): string | undefined {
  const ending = changes.filter(({ ends }) => ends !== undefined);
  if (ending.length === 0) return undefined;
  const parts = ending.map(({ action, noun, key, ends = {} }) => {
    const doing = action === "delete" ? "Deleting" : "This change of";
    return `${doing} ${noun} ${key} ends ${endsText(ends)}.`;
  });
  return `${parts.join(" ")} Issued access tokens work until they expire. You can't undo this.`;
}
