/** Compares a configuration with what is there. */

import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { ConfiguredRecord } from "../admin/storage.ts";
import type { Context, Entry, Fields, Kind, Present } from "./kind.ts";
import { kinds } from "./kinds/index.ts";
import { type Problem, refuseAll } from "./problems.ts";
import type { Configuration } from "./read-file.ts";

export interface Create {
  readonly action: "create";
  readonly kind: Kind;
  readonly entry: Entry;
}

export interface Update {
  readonly action: "update";
  readonly kind: Kind;
  readonly entry: Entry;
  readonly present: Present;
  /** The new values of the fields that differ. */
  readonly changes: Fields;
  /** Fields with another secret. */
  readonly secrets: readonly string[];
}

export interface Delete {
  readonly action: "delete";
  readonly kind: Kind;
  readonly present: Present;
}

export type Step = Create | Update | Delete;

/** What may have to be done. Only a trial shows which updates change anything. */
export interface Draft {
  readonly steps: readonly Step[];
  /** Records that are as the file says. */
  readonly same: readonly { readonly kind: Kind; readonly present: Present }[];
  /** Records that the file described before, and that stay without `prune`. */
  readonly left: readonly { readonly kind: Kind; readonly present: Present }[];
  readonly marks: readonly ConfiguredRecord[];
  /** A hash of each record that was compared, by section and key. Another one: somebody changed it since. */
  readonly seen: ReadonlyMap<string, string>;
  /** What entries of `same` say that doesn't count now. */
  readonly remarks: readonly string[];
}

export async function compare(file: Configuration, prune: boolean, context: Context): Promise<Draft> {
  const marks = await context.storage.configuredRecords.list();
  const problems: Problem[] = [];
  const [steps, same, left]: [Step[], Draft["same"][number][], Draft["left"][number][]] = [[], [], []];
  const seen = new Map<string, string>();
  const remarks: string[] = [];
  for (const kind of kinds) {
    const entries = file.entriesOf(kind);
    const ofKind = marks.filter((mark) => mark.kind === kind.section);
    const mine = ofKind.filter(({ configuration }) => configuration === file.name);
    const labels = [...new Set([...entries, ...mine].map(({ label }) => label))];
    const found = labels.length === 0 ? [] : await kind.find({ labels, entries }, ofKind, context);
    const byLabel = new Map(found.map((one) => [one.label, one]));
    for (const present of found) seen.set(shownName(kind, present.label), hashOf(present));
    for (const entry of entries) {
      const present = byLabel.get(entry.label);
      if (present === undefined) {
        steps.push({ action: "create", kind, entry });
        continue;
      }
      problems.push(...problemsOf(file, kind, entry, present, ofKind));
      const update = differenceOf(kind, entry, present, context);
      if (update !== undefined) {
        steps.push(update);
        continue;
      }
      same.push({ kind, present });
      const remark = await kind.remark?.(entry, present, context);
      if (remark !== undefined) remarks.push(`${kind.noun} ${shownLabel(entry.label)}: ${remark}`);
    }
    const wanted = new Set(entries.map(({ label }) => label));
    const gone = found.filter(
      ({ label, recordId }) => !wanted.has(label) && mine.some((one) => one.recordId === recordId),
    );
    if (prune) steps.push(...gone.map((present) => ({ action: "delete" as const, kind, present })));
    else left.push(...gone.map((present) => ({ kind, present })));
  }
  refuseAll(problems);
  return { steps, same, left, marks, seen, remarks };
}

/** `policies/acme/web`. */
export function shownName({ section }: Kind, label: string): string {
  return `${section}/${shownLabel(label)}`;
}

/** `acme/web`. */
export const shownLabel = (label: string) => label.replaceAll(" ", "/");

function hashOf({ recordId, record }: Present): string {
  return createHash("sha256")
    .update(`${recordId} ${JSON.stringify(record)}`)
    .digest("base64url");
}

/** The names of records that one of the two drafts has otherwise. */
export function changedSince(before: Draft, now: Draft): readonly string[] {
  const names = new Set([...before.seen.keys(), ...now.seen.keys()]);
  return [...names].filter((name) => before.seen.get(name) !== now.seen.get(name));
}

function problemsOf(
  file: Configuration,
  kind: Kind,
  { label, fields }: Entry,
  { recordId, fields: before }: Present,
  marks: readonly ConfiguredRecord[],
): readonly Problem[] {
  const owner = marks.find((mark) => mark.recordId === recordId)?.configuration ?? file.name;
  if (owner !== file.name) {
    const problem = `the configuration ${owner} describes this ${kind.noun}: take it out of one of the two files`;
    return [file.problemAt(kind, label, null, problem)];
  }
  const after = desired(kind, fields);
  return kind.fixed
    .filter((name) => (after[name] ?? null) !== (before[name] ?? null))
    .map((name) => {
      const problem = `can't be changed from ${String(before[name])} to ${String(after[name])}: delete the ${kind.noun} first, or use another ${kind.keyed}`;
      return file.problemAt(kind, label, name, problem);
    });
}

/** The whole record that an entry describes. */
export function desired(kind: Kind, fields: Fields): Fields {
  const own = kind.canonical?.(fields) ?? fields;
  return { ...kind.defaults(own), ...own };
}

function differenceOf(kind: Kind, entry: Entry, present: Present, context: Context): Update | undefined {
  const after = desired(kind, entry.fields);
  const changes = differing(present.fields, after);
  const secrets = Object.entries(entry.secrets)
    .filter(([field, secret]) => kind.hasSecret?.(present, field, secret, context) !== true)
    .map(([field]) => field);
  if (Object.keys(changes).length === 0 && secrets.length === 0) return undefined;
  return { action: "update", kind, entry, present, changes, secrets };
}

/** The values of `after` that are other ones than before. Null: it has none any more. */
export function differing(before: Fields, after: Fields): Fields {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  const changed = [...names].filter((name) => !isSame(name, before[name] ?? null, after[name] ?? null));
  return Object.fromEntries(changed.map((name) => [name, after[name] ?? null]));
}

/** The order of domains has no meaning. */
function isSame(name: string, before: unknown, after: unknown): boolean {
  if (name !== "email_domains" || !Array.isArray(before) || !Array.isArray(after))
    return isDeepStrictEqual(before, after);
  return new Set(before).symmetricDifference(new Set(after)).size === 0;
}
