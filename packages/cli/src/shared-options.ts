/** Parts that all commands share: `--json`, options that may repeat, and the opened database. */

import type { OpenedAdmin } from "@assent/server/admin";
import { type Command, InvalidArgumentError, Option } from "commander";
import { UsageError } from "./command-errors.ts";
import { Output } from "./print-records.ts";

export interface JsonOption {
  readonly json?: true;
}

/** A command below a noun, with the flags that every command has. */
export function verb(noun: Command, usage: string, summary: string): Command {
  return noun.command(usage).description(summary).option("--json", "print one JSON document");
}

/** A noun: a group of commands. */
export function noun(program: Command, name: string, summary: string): Command {
  return program.command(name).description(summary);
}

/** An option that may be given several times. `words`: one value may hold several words, separated by spaces. */
export function listOption(flags: string, description: string, { words = false } = {}): Option {
  return new Option(flags, `${description} (may repeat)`).argParser<string[]>((value, before) => [
    // False after an option that empties the list.
    ...(Array.isArray(before) ? before : []),
    ...(words ? value.split(/\s+/).filter((word) => word !== "") : [value]),
  ]);
}

/** An option in whole seconds, or a word that means none. */
export function secondsOption(flags: string, description: string, word?: string): Option {
  return new Option(flags, description).argParser((value) => {
    if (value === word) return value;
    if (/^\d{1,10}$/.test(value)) return Number(value);
    throw new InvalidArgumentError(`Use a whole number of seconds${word === undefined ? "" : `, or ${word}`}.`);
  });
}

/** An option that limits a list. `usual`: how many there are without it. */
export function limitOption(usual: number | "all" = "all"): Option {
  return new Option("--limit <n>", `maximum number of entries; default: ${usual}`).argParser((value) => {
    if (!/^[1-9]\d{0,6}$/.test(value)) throw new InvalidArgumentError("Use a whole number, 1 or more.");
    return Number(value);
  });
}

/** The filters of a list, by name. */
export type Filters = Readonly<Record<string, string>>;

/** Filters of a list, which may repeat: `--filter status=disabled`. */
export function filterOption(fields: readonly string[]): Option {
  const known = `one of ${fields.join(", ")}`;
  return new Option(
    "--filter <field=value>",
    `only entries that fit; the field is ${known} (may repeat)`,
  ).argParser<Filters>((text, before) => {
    const at = text.indexOf("=");
    if (!fields.includes(text.slice(0, at))) throw new InvalidArgumentError(`Use field=value. The field is ${known}.`);
    return { ...(typeof before === "object" ? before : {}), [text.slice(0, at)]: text.slice(at + 1) };
  });
}

/** What to say of a list without entries: `none`, unless a filter left everything out. */
export function noneWith(filters: object | undefined, none: string): string {
  return Object.keys(filters ?? {}).length > 0 ? "Nothing fits the filter." : none;
}

/** The value of a filter that has few values. */
export function oneOf<const V extends string>(
  field: string,
  value: string | undefined,
  values: readonly V[],
): V | undefined {
  const found = values.find((one) => one === value);
  if (value !== undefined && found === undefined) throw new UsageError(`--filter: ${field} is ${values.join(" or ")}`);
  return found;
}

export const flagIn = (value: "true" | "false" | undefined) => (value === undefined ? undefined : value === "true");

/** All pages of a list, one entry after the other. */
export async function* everyPage<T, Place>(
  page: (part: { readonly after: Place | null; readonly limit: number }) => Promise<{
    readonly items: readonly T[];
    readonly next: Place | null;
  }>,
): AsyncGenerator<T> {
  for (let after: Place | null = null; ; ) {
    const { items, next }: { readonly items: readonly T[]; readonly next: Place | null } = await page({
      after,
      limit: 200,
    });
    yield* items;
    if (next === null) return;
    after = next;
  }
}

/** The entries whose value is not undefined. */
export function given<T extends object>(values: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Key in keyof T]?: Exclude<T[Key], undefined> };
}

/** Throws a `UsageError` if an update names no change. */
export function requireChanges(changes: object, noun: string): void {
  if (Object.keys(changes).length > 0) return;
  throw new UsageError(`no settings to change: name at least one (assent ${noun} update --help)`);
}

/** The first items of a list that is read page by page. */
export async function firstOf<T>(items: AsyncIterable<T>, limit = Number.POSITIVE_INFINITY): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) {
    found.push(item);
    if (found.length >= limit) break;
  }
  return found;
}

/** The command that runs, for the events that it causes. */
let running: { readonly words: string; readonly fields: readonly string[] } = { words: "", fields: [] };

export function begin(command: typeof running): void {
  running = command;
}

/** Who changes something by this command, for the events. */
export function causeOfCommand(at: number) {
  const { words: operation, fields } = running;
  return { actor: "operator", door: "command", operation, fields, address: null, at, requestId: null } as const;
}

/** Opens the database that the configuration names, runs the work, and closes the database, also after an error. */
export async function withAdmin(
  { json = false }: { readonly json?: boolean },
  work: (admin: OpenedAdmin, out: Output) => Promise<void>,
): Promise<void> {
  const { byCommand, loadConfig, openAdmin } = await import("@assent/server/admin");
  const admin = byCommand(await openAdmin(await loadConfig()), running);
  try {
    await work(admin, new Output(json));
  } finally {
    await admin.close();
  }
}
