/** Options that change lists of a record: `--scope` replaces one, `--add-scope` and `--remove-scope` change single values. */

import type { ListChange } from "@assent/server/admin";
import type { Command } from "commander";
import { Failure, UsageError } from "./command-errors.ts";
import { listOption } from "./shared-options.ts";

export interface ListFlag<Field extends string = string> {
  readonly field: Field;
  /** Without the dashes. */
  readonly flag: string;
  readonly value: string;
  /** The name of one value. */
  readonly one: string;
  /** One option may hold several values, separated by spaces. */
  readonly words: boolean;
  /** True: the list limits something, so an empty list means no limit. */
  readonly isLimit?: true;
}

export type Changes<Field extends string> = Partial<Readonly<Record<Field, ListChange>>>;
type Lists<Field extends string> = Partial<Readonly<Record<Field, readonly string[]>>>;

/** `--add-scope`, `--remove-scope` and similar options. */
export function addChangeOptions(command: Command, flags: readonly ListFlag[]): Command {
  for (const { flag, value, one, words } of flags) {
    command
      .addOption(listOption(`--add-${flag} ${value}`, `add ${one}; the others stay`, { words }))
      .addOption(listOption(`--remove-${flag} ${value}`, `remove ${one}; the others stay`, { words }));
  }
  return command;
}

/** The values of an option, under the name that the parser makes from its flag. */
export function valuesOf(options: object, flag: string): readonly string[] | undefined {
  const name = flag.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return (options as Readonly<Record<string, unknown>>)[name] as readonly string[] | undefined;
}

/** The changes of single values. Throws if the same command replaces the list, or adds and removes the same value. */
export function changesOf<Field extends string>(
  options: object,
  flags: readonly ListFlag<Field>[],
  read: (field: Field, values: readonly string[]) => readonly string[] = (_, values) => values,
): Changes<Field> {
  const changes: Partial<Record<Field, ListChange>> = {};
  for (const { field, flag } of flags) {
    const [add, remove] = [`add-${flag}`, `remove-${flag}`].map((name) => {
      const values = valuesOf(options, name);
      return values && read(field, values);
    });
    if (add === undefined && remove === undefined) continue;
    if (valuesOf(options, flag) !== undefined) {
      throw new UsageError(`--${flag} replaces the whole list: use it without --add-${flag} and --remove-${flag}`);
    }
    const both = add?.find((value) => remove?.includes(value));
    if (both !== undefined) throw new UsageError(`--add-${flag} and --remove-${flag} both name ${both}`);
    changes[field] = { ...(add === undefined ? {} : { add }), ...(remove === undefined ? {} : { remove }) };
  }
  return changes;
}

/** A list after values were added and removed. */
export function listAfter(present: readonly string[], { add = [], remove = [] }: ListChange): readonly string[] {
  return [...new Set([...present.filter((value) => !remove.includes(value)), ...add])];
}

/** The lists that change, as they are afterwards. Throws if a value that should go is not there, or a limit would be gone. */
export function listsAfter<Field extends string>(
  before: Lists<Field>,
  changes: Changes<Field>,
  flags: readonly ListFlag<Field>[],
): Partial<Record<Field, readonly string[]>> {
  const changed: Partial<Record<Field, readonly string[]>> = {};
  for (const { field, flag, isLimit } of flags) {
    const { add = [], remove = [] } = changes[field] ?? {};
    if (add.length + remove.length === 0) continue;
    const present = before[field] ?? [];
    const strange = remove.find((value) => !present.includes(value));
    if (strange !== undefined) {
      const has = present.length === 0 ? "is empty" : `has ${present.join(", ")}`;
      throw new Failure(`--remove-${flag}: ${JSON.stringify(strange)} is not in the list: it ${has}`);
    }
    const after = listAfter(present, { add, remove });
    if (isLimit === true && after.length === 0)
      throw new Failure(
        `--remove-${flag}: the list would be empty, which means no limit. If you want that, use --${flag} ""`,
      );
    changed[field] = after;
  }
  return changed;
}

/** One sentence for each list that lost values because it was replaced, and for each limit that is new. */
export function listRemarks<Field extends string>(
  options: object,
  { before, after }: { readonly before: Lists<Field>; readonly after: Lists<Field> },
  flags: readonly ListFlag<Field>[],
): readonly string[] {
  return flags.flatMap(({ field, flag, isLimit }) => {
    const [old, now] = [before[field] ?? [], after[field] ?? []];
    const limit = isLimit === true && now.length === 0 ? ". An empty list means no limit" : "";
    const replaced =
      valuesOf(options, flag) === undefined
        ? []
        : dropped(
            flag,
            old.filter((one) => !now.includes(one)),
            limit,
          );
    const added = valuesOf(options, `add-${flag}`);
    const isNew = isLimit === true && added !== undefined && old.length === 0 && now.length > 0;
    const narrowed = isNew
      ? [`--add-${flag}: the list was empty, which meant no limit. Now it allows only ${now.join(", ")}`]
      : [];
    return [...replaced, ...narrowed];
  });
}

function dropped(flag: string, lost: readonly string[], limit: string): readonly string[] {
  if (lost.length === 0) return [];
  const how = limit === "" ? `; to add to the list instead, use --add-${flag}` : limit;
  return [`--${flag}: the new list no longer has ${lost.join(", ")}${how}`];
}

/** One sentence for each replaced list: which values it lost. */
export function dropRemarks<Field extends string>(
  options: object,
  lost: Lists<Field>,
  flags: readonly ListFlag<Field>[],
): readonly string[] {
  return listRemarks(options, { before: lost, after: {} }, flags);
}
