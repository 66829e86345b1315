/**
 * What goes to the writer's thread and comes back. Values and rows of statements go as one text of JSON for a whole group, at half of what cloning
 * them one by one costs; what transactions are given and yield may be anything that a clone can carry.
 */

import type { Params, Value } from "../sql.ts";
import { verbs } from "../verbs/index.ts";
import type { Answer, Job, StatementResult } from "./batch.ts";

export interface Parcel {
  readonly text: string;
  /** What isn't in the text, in its order. */
  readonly apart: readonly unknown[];
}

/** A byte string is a list of one text, in base64: no value is a list. */
type Packed = Readonly<Record<string, null | number | string | readonly [string]>>;

export function packJobs(jobs: readonly Job[]): Parcel {
  const apart: unknown[] = [];
  const items = jobs.map(({ verb, input }) => {
    if (isStatement(verb)) return [verb, packed(input as Params)];
    apart.push(compact(input));
    return [verb];
  });
  return { text: JSON.stringify(items), apart };
}

export function unpackJobs({ text, apart }: Parcel): readonly Job[] {
  const items = JSON.parse(text) as readonly (readonly [verb: string, input?: Packed])[];
  let at = 0;
  return items.map(([verb, input]) => ({ verb, input: input === undefined ? apart[at++] : unpacked(input) }));
}

/** `jobs`: what was asked, in the order of the answers. */
export function packAnswers(jobs: readonly Job[], answers: readonly Answer[]): Parcel {
  const apart: unknown[] = [];
  const items = answers.map((answer, at) => {
    if (answer.ok && isStatement(jobs[at]?.verb ?? "")) {
      const { row, why } = answer.value as StatementResult;
      return [row === undefined ? null : packed(row), why === undefined ? null : packed(why)];
    }
    apart.push(answer);
    return null;
  });
  return { text: JSON.stringify(items), apart };
}

export function unpackAnswers({ text, apart }: Parcel): readonly Answer[] {
  const items = JSON.parse(text) as readonly (readonly [row: Packed | null, why: Packed | null] | null)[];
  let at = 0;
  return items.map((item) => {
    if (item === null) return apart[at++] as Answer;
    const [row, why] = item;
    const value: StatementResult = { row: row ? unpacked(row) : undefined, why: why ? unpacked(why) : undefined };
    return { ok: true, value };
  });
}

function isStatement(verb: string): boolean {
  return verbs.get(verb)?.kind === "statement";
}

/** What is no value stays behind: a caller may give more than the statement names, such as a person with their lists. */
function packed(values: Params): Packed {
  const packed: Record<string, Packed[string]> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof Uint8Array) packed[name] = [base64Of(value)];
    else if (typeof value !== "object" || value === null) packed[name] = value;
  }
  return packed;
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

/** In place: the text was read for this alone. */
function unpacked(values: Packed): Params {
  const open = values as Record<string, Value>;
  for (const [name, value] of Object.entries(values))
    if (Array.isArray(value)) open[name] = new Uint8Array(Buffer.from(value[0], "base64"));
  return open;
}

/** Byte strings without the pool that they were cut from: a message to the thread would carry all of it. */
function compact<T>(input: T): T {
  if (typeof input !== "object" || input === null) return input;
  if (input instanceof Uint8Array)
    return (input.byteLength === input.buffer.byteLength ? input : new Uint8Array(input)) as T;
  if (Array.isArray(input)) return input.map(compact) as T;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, compact(value)])) as T;
}
