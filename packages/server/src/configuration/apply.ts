/** Applies a configuration: a trial finds out what changes, and one transaction changes it, or nothing. */

import type { Remark } from "../admin/admin-error.ts";
import { ADMIN } from "../admin/api-access/admin-scopes.ts";
import { Authority } from "../admin/api-access/authority.ts";
import type { OpenedAdmin } from "../admin/context.ts";
import type { ConfiguredRecord } from "../admin/storage.ts";
import type { Cause } from "../events/event.ts";
import type { Changed, Context, Ended, Fields, Kind, Operator, Present, Remarks } from "./kind.ts";
import {
  type Create,
  changedSince,
  compare,
  type Draft,
  desired,
  differing,
  type Step,
  shownLabel,
  shownName,
} from "./plan.ts";
import { type Problem, refuseAll } from "./problems.ts";
import { type Configuration, nameInFile } from "./read-file.ts";
import { operatorOf, problemsOfRefusal } from "./run-operations.ts";

export interface FieldChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
}

export interface Change {
  readonly action: "create" | "update" | "delete";
  /** The section of the file. */
  readonly section: string;
  readonly noun: string;
  readonly key: string;
  readonly fields: readonly FieldChange[];
  /** Things that end with it, with their numbers. Absent: it takes nothing away from anybody. */
  readonly ends?: Ended;
  /** What the operator must confirm beside that: `allows the app for all members`. */
  readonly question?: string;
}

export interface Plan {
  readonly name: string;
  readonly changes: readonly Change[];
  readonly unchanged: number;
  /** Records that the file describes from now on, and that nobody's file described before. */
  readonly adopted: readonly string[];
  /** Records that the file described before. They stay, unless `prune` is chosen. */
  readonly left: readonly string[];
  readonly warnings: readonly string[];
  /** What the changes mean for access that exists. */
  readonly notes: readonly string[];
}

export interface ApplyOptions {
  /** True: deletes records that the file described before, and that it does not describe any more. */
  readonly prune?: boolean;
  /** Default: everything that an operator may do. */
  readonly authority?: Authority;
  /** Who does it, for the events. */
  readonly cause?: Cause;
}

/** In place of a secret's value. */
export const SECRET = "(secret)";

const FULL = new Authority("operator", [ADMIN]);

/** A plan with what is needed to do it. */
export interface Prepared {
  readonly plan: Plan;
  /** Throws a `ConfigurationError` if anything that the plan looked at was changed since; then nothing is changed. */
  perform(): Promise<void>;
}

/** Changes nothing. Throws a `ConfigurationError` with what is wrong. */
export async function prepare(file: Configuration, admin: OpenedAdmin, options: ApplyOptions = {}): Promise<Prepared> {
  const { prune = false, authority = FULL, cause } = options;
  // Without a difference there is no transaction, for which others would have to wait.
  const draft = await compare(file, prune, admin);
  const tried =
    draft.steps.length === 0
      ? { draft, changes: [], idle: new Set<string>(), notes: [], warnings: [], changed: [] }
      : await admin.storage.inOneTransaction({ cause, keep: false }, (ports) =>
          trial(file, prune, { ...admin, storage: ports }, authority, admin),
        );
  const warnings = [...tried.warnings, ...(await remarksOf("advice", tried.changed, admin))];
  const plan = planOf(file, { ...tried, warnings });
  return { plan, perform: () => perform(file, tried, admin, { prune, authority, cause }) };
}

interface Tried {
  readonly draft: Draft;
  readonly changes: readonly Change[];
  /** Updates that change nothing: the file has another form of the same value. */
  readonly idle: ReadonlySet<string>;
  readonly notes: readonly string[];
  readonly warnings: readonly string[];
  /** Records that were made or changed. */
  readonly changed: readonly (Changed & { readonly kind: Kind })[];
}

const nameOf = ({ section }: Kind, label: string) => `${section} ${label}`;

/** The end of a creation. */
type Settle = Omit<Create, "action"> & { readonly action: "settle" };

function labelOf(step: Step | Settle): string {
  return step.action === "delete" ? step.present.label : step.entry.label;
}

async function trial(
  file: Configuration,
  prune: boolean,
  context: Context,
  authority: Authority,
  { config }: OpenedAdmin,
): Promise<Tried> {
  const draft = await compare(file, prune, context);
  const ends = new Map<string, Ended>();
  for (const step of draft.steps) {
    const counted = await endsOf(step, context);
    if (counted !== undefined) ends.set(nameOf(step.kind, labelOf(step)), counted);
  }
  const answers = new Map<string, Told>();
  for (const step of draft.steps) {
    const notes = step.action === "update" ? await step.kind.notes?.(step.present, step.changes, context) : undefined;
    if (notes !== undefined) answers.set(nameOf(step.kind, labelOf(step)), { notes: [...notes], warnings: [] });
  }
  const made = await carryOut(file, draft.steps, operatorOf(context, authority, config), answers);
  const marks = [...draft.marks, ...made];
  const [changes, notes, idle]: [Change[], string[], Set<string>] = [[], [], new Set()];
  const [warnings, changed]: [string[], Tried["changed"][number][]] = [[], []];
  const ended = new Set(draft.steps.flatMap(ownersEnded));
  for (const step of draft.steps) {
    const name = nameOf(step.kind, labelOf(step));
    const after = step.action === "delete" ? undefined : await presentAfter(step, marks, context);
    const fields = fieldsOf(step, after);
    if (step.action === "update" && fields.length === 0) idle.add(name);
    else {
      // What stays without a rule of a company ends with the company or the client.
      const isOver = step.kind.section === "policies" && partsOf(step).some((part) => ended.has(part));
      const changedTo = changedBy(step, after);
      const question =
        step.action === "delete"
          ? await (isOver ? undefined : step.kind.deletionQuestion?.(step.present, context))
          : changedTo && step.kind.question?.(changedTo);
      changes.push({ ...changeOf(step, fields, ends.get(name)), ...(question === undefined ? {} : { question }) });
      const told = answers.get(name);
      if (step.kind.remarks === undefined) warnings.push(...linesOf(step.kind, labelOf(step), told?.warnings ?? []));
      if (changedTo !== undefined) changed.push({ kind: step.kind, ...changedTo });
      if (isOver) continue;
      const shown = `${step.kind.noun} ${shownLabel(labelOf(step))}`;
      const more = changedTo === undefined ? [] : ((await step.kind.told?.(changedTo, context)) ?? []);
      notes.push(...[...(told?.notes ?? []), ...more].map((note) => `${shown}: ${note}`));
    }
  }
  warnings.push(...(await remarksOf("remarks", changed, context)));
  return { draft, changes, idle, notes, warnings, changed };
}

function changedBy(step: Step, after: Present | undefined): Changed | undefined {
  if (step.action === "delete" || after === undefined) return undefined;
  return { before: step.action === "update" ? step.present : undefined, after, entry: step.entry };
}

/** `client web: redirect_uris: …`. An operation can answer the same several times. */
function linesOf({ noun }: Kind, label: string, remarks: readonly Remark[]): readonly string[] {
  const lines = remarks.map(({ field, problem }) => {
    const at = field === null ? "" : `${nameInFile(field)}: `;
    return `${noun} ${shownLabel(label)}: ${at}${problem}`;
  });
  return [...new Set(lines)];
}

async function remarksOf(
  sort: "remarks" | "advice",
  changed: Tried["changed"],
  context: Context,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const [kind, some] of Map.groupBy(changed, (one) => one.kind)) {
    const remarks: Remarks = (await kind[sort]?.(some, context)) ?? [];
    lines.push(...remarks.flatMap((all, index) => linesOf(kind, some[index]?.after.label ?? "", all)));
  }
  return lines;
}

/** A policy is about a company and a client: both as `ownersEnded` has them. */
function partsOf(step: Step): readonly string[] {
  const [slug = "", client = ""] = labelOf(step).split(" ");
  return [`companies ${slug}`, `clients ${client}`];
}

/** Companies and clients that a step deletes or disables, by their keys in policies. */
function ownersEnded(step: Step): readonly string[] {
  if (step.action === "create") return [];
  if (step.action === "update" && step.changes["status"] !== "disabled") return [];
  const { section } = step.kind;
  if (section === "companies") return [`companies ${step.present.label}`];
  return section === "clients" ? [`clients ${step.present.label}`, `clients ${step.present.recordId}`] : [];
}

/** Counted before the step is done. Undefined: it takes nothing away from anybody. */
async function endsOf(step: Step, context: Context): Promise<Ended | undefined> {
  const { kind, action } = step;
  if (action === "create") return kind.endsByCreation?.(step.entry, context);
  if (action === "delete") return (await kind.ends?.(step.present, action, context, {})) ?? {};
  return kind.isEnding?.(step.changes) === true
    ? kind.ends?.(step.present, "change", context, step.changes)
    : undefined;
}

function changeOf(step: Step, fields: readonly FieldChange[], ends: Change["ends"]): Change {
  const { action, kind } = step;
  const about = { action, section: kind.section, noun: kind.noun, key: shownLabel(labelOf(step)), fields };
  return ends === undefined ? about : { ...about, ends };
}

/** The record after the trial. */
async function presentAfter(
  { kind, entry }: Exclude<Step, { readonly action: "delete" }>,
  marks: readonly ConfiguredRecord[],
  context: Context,
): Promise<Present | undefined> {
  const wanted = { labels: [entry.label], entries: [entry] };
  const found = await kind.find(
    wanted,
    marks.filter((mark) => mark.kind === kind.section),
    context,
  );
  return found.find(({ label }) => label === entry.label);
}

function fieldsOf(step: Step, stored: Present | undefined): readonly FieldChange[] {
  if (step.action === "delete") return [];
  const { kind, entry } = step;
  const after = stored?.fields ?? desired(kind, entry.fields);
  const before: Fields =
    step.action === "create" ? (kind.defaultsWhenNew?.(after) ?? kind.defaults(after)) : step.present.fields;
  const secrets = step.action === "create" ? Object.keys(entry.secrets) : step.secrets;
  const told = Object.keys(differing(before, after)).map((field) => ({
    field,
    before: step.action === "create" ? null : (before[field] ?? null),
    after: after[field] ?? null,
  }));
  const hidden = secrets.map((field) => ({ field, before: step.action === "create" ? null : SECRET, after: SECRET }));
  return [...told, ...hidden];
}

/**
 * The records that a new scope needs come first; those that it needs no more go last. Returns the marks of new records. `answers`
 * gets what the operations of each step say, by the name of its record.
 */
async function carryOut(
  file: Configuration,
  steps: readonly Step[],
  operator: Operator,
  answers = new Map<string, Told>(),
): Promise<readonly ConfiguredRecord[]> {
  const built = steps.filter((step) => step.action !== "delete");
  // An API's default scopes are created after the API, and before the API names them.
  const late = ({ action, kind }: Step) => action === "update" && kind.section === "resources";
  // Clients and issuers can be for companies, which need neither.
  const isFirst = (section: string) => Number(section === "companies");
  const sections = [...new Set(built.map(({ kind }) => kind.section))];
  const inOrder = sections.toSorted((one, other) => isFirst(other) - isFirst(one));
  const ordered: (Step | Settle)[] = inOrder.flatMap((section) => {
    const own = built.filter(({ kind }) => kind.section === section);
    const creates = own.filter((step) => step.action === "create");
    const settled = creates
      .filter(({ kind }) => kind.settle !== undefined)
      .map((step) => ({ ...step, action: "settle" as const }));
    return [...creates, ...settled, ...own.filter((step) => step.action === "update" && !late(step))];
  });
  const place = ordered.findLastIndex(({ kind }) => ["resources", "scopes"].includes(kind.section)) + 1;
  ordered.splice(place, 0, ...built.filter(late));
  ordered.push(...steps.filter(({ action }) => action === "delete").reverse());
  const made: ConfiguredRecord[] = [];
  let problems: Problem[] = [];
  let section = "";
  for (const step of ordered) {
    const part = `${step.kind.section} ${step.action}`;
    // A refused record leads to more refusals in the next sections, which say nothing new.
    if (part !== section) refuseAll(problems);
    section = part;
    try {
      const name = nameOf(step.kind, labelOf(step));
      const told = answers.get(name) ?? { notes: [], warnings: [] };
      answers.set(name, told);
      const recordId = await doStep(step, noting(operator, told));
      const mark = { kind: step.kind.section, configuration: file.name, label: labelOf(step) };
      if (recordId !== undefined) made.push({ ...mark, recordId });
    } catch (error) {
      const refused = problemsOfRefusal(error);
      if (refused === undefined) throw error;
      problems = [
        ...problems,
        ...refused.map(({ field, problem }) => file.problemAt(step.kind, labelOf(step), field, problem)),
      ];
    }
  }
  refuseAll(problems);
  return made;
}

/** What operations said beside the records of their answers. */
interface Told {
  readonly notes: string[];
  readonly warnings: Remark[];
}

/** Keeps the notes and warnings of the answers. */
function noting(operator: Operator, told: Told): Operator {
  return {
    ...operator,
    async run(...asked) {
      const record = await operator.run(...asked);
      told.notes.push(...((record["notes"] ?? []) as readonly string[]));
      told.warnings.push(...((record["warnings"] ?? []) as readonly Remark[]));
      return record;
    },
  };
}

/** Returns the id of a new record. */
async function doStep(step: Step | Settle, operator: Operator): Promise<string | undefined> {
  switch (step.action) {
    case "create":
      return step.kind.create(step.entry, operator);
    case "settle":
      await step.kind.settle?.(step.entry, operator);
      return undefined;
    case "update":
      await step.kind.update(step.present, step.changes, step.entry, operator);
      return undefined;
    case "delete":
      await step.kind.remove(step.present, operator);
      return undefined;
  }
}

async function perform(
  file: Configuration,
  { draft: seen, idle }: Tried,
  admin: OpenedAdmin,
  { prune, authority, cause }: { prune: boolean; authority: Authority; cause: Cause | undefined },
): Promise<void> {
  const marks = newMarks(file, seen);
  if (seen.steps.length === 0 && marks.length === 0) return;
  await admin.storage.inOneTransaction({ cause, keep: true }, async (ports) => {
    const context = { ...admin, storage: ports };
    const draft = await compare(file, prune, context);
    refuseAll(
      changedSince(seen, draft).map((field) => {
        const problem =
          "somebody changed this meanwhile: nothing was changed; run the command again to see the new plan";
        return { field, problem };
      }),
    );
    const steps = draft.steps.filter((step) => !idle.has(nameOf(step.kind, labelOf(step))));
    const made = await carryOut(file, steps, operatorOf(context, authority, admin.config));
    await ports.configuredRecords.put({ records: await marksAfter(file, made, context) });
  });
}

/** Marks of unchanged records that are missing, or have another key. */
function newMarks(file: Configuration, { same, marks }: Draft): readonly ConfiguredRecord[] {
  return same.map(({ kind, present }) => markOf(file, kind, present)).filter((mark) => !isMarked(mark, marks));
}

function markOf({ name }: Configuration, { section }: Kind, { recordId, label }: Present): ConfiguredRecord {
  return { kind: section, recordId, configuration: name, label };
}

function isMarked(
  { kind, recordId, configuration, label }: ConfiguredRecord,
  marks: readonly ConfiguredRecord[],
): boolean {
  return marks.some(
    (one) =>
      one.kind === kind && one.recordId === recordId && one.configuration === configuration && one.label === label,
  );
}

/** Of every record that the file describes, as the transaction has left them. */
async function marksAfter(
  file: Configuration,
  made: readonly ConfiguredRecord[],
  context: Context,
): Promise<readonly ConfiguredRecord[]> {
  const { kinds } = await import("./kinds/index.ts");
  const all: ConfiguredRecord[] = [];
  const stored = await context.storage.configuredRecords.list();
  const marks = [...stored, ...made];
  for (const kind of kinds) {
    const entries = file.entriesOf(kind);
    if (entries.length === 0) continue;
    const wanted = { labels: entries.map(({ label }) => label), entries };
    const found = await kind.find(
      wanted,
      marks.filter((mark) => mark.kind === kind.section),
      context,
    );
    all.push(...found.map((present) => markOf(file, kind, present)));
  }
  return all.filter((mark) => !isMarked(mark, stored));
}

function planOf(file: Configuration, { draft, changes, idle, notes, warnings }: Tried): Plan {
  const shown = ({ kind, present }: Draft["same"][number]) => shownName(kind, present.label);
  const unmarked = draft.same.filter(
    ({ kind, present }) =>
      !draft.marks.some((mark) => mark.kind === kind.section && mark.recordId === present.recordId),
  );
  return {
    name: file.name,
    changes,
    unchanged: draft.same.length + idle.size,
    adopted: unmarked.map(shown),
    left: draft.left.map(shown),
    warnings: [...warningsOf(draft), ...warnings],
    notes: [...notes, ...draft.remarks],
  };
}

/** Secrets that nobody knows. */
function warningsOf({ steps }: Draft): readonly string[] {
  return steps.flatMap((step) => {
    if (step.action !== "create" || step.kind.section !== "clients") return [];
    const after = desired(step.kind, step.entry.fields);
    const method = String(after["token_endpoint_auth_method"]);
    if (!method.startsWith("client_secret") || Object.keys(step.entry.secrets).length > 0) return [];
    const { label } = step.entry;
    return [
      `${label} gets a secret that nobody sees: name one with client_secret, or run assent client rotate-secret ${label}`,
    ];
  });
}
