/**
 * What goes to the writer's thread and comes back. Values and rows of statements go as one text of JSON for a whole group, at half of what cloning
 * them one by one costs; what transactions are given and yield may be anything that a clone can carry.
 */

import { verbs } from "../aggregates.ts";
import type { Params, Value } from "../sql.ts";
import type { Answer, Job, StatementResult } from "./batch.ts";

export interface Parcel {
  readonly text: string;
  /** What isn't in the text, in its order. */
  readonly apart: readonly unknown[];
}

/** A value as it is; a byte string as a list of one text, in base64; what is no value, as an empty list. */
type PackedValue = null | number | string | readonly [string] | readonly [];
/** The number of its names in the text's list of them, and the values: rows of one statement have the same names. */
type Packed = readonly [names: number, ...PackedValue[]];

class Packing {
  readonly names: (readonly string[])[] = [];
  readonly #newest = new Map<string, number>();

  /** `of`: what such values belong to. They have the names of those before, or else new ones. */
  pack(values: Params, of: string): Packed {
    const names = Object.keys(values);
    let at = this.#newest.get(of);
    if (at === undefined || !areSame(this.names[at] ?? [], names)) {
      at = this.names.push(names) - 1;
      this.#newest.set(of, at);
    }
    const packed: [number, ...PackedValue[]] = [at];
    for (const name of names) packed.push(packedValue(values[name]));
    return packed;
  }
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name, at) => name === other[at]);
}

/** What is no value stays behind: a caller may give more than the statement names, such as a person with their lists. */
function packedValue(value: Params[string] | undefined): PackedValue {
  if (value instanceof Uint8Array) return [base64Of(value)];
  // What is neither, such as a bigint, goes on to be refused where it is written.
  return value === undefined || (typeof value === "object" && value !== null) ? [] : value;
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
}

function unpacked(packed: Packed, allNames: readonly (readonly string[])[]): Params {
  const names = allNames[packed[0]] ?? [];
  const values: Record<string, Value> = {};
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at] ?? "";
    const value = packed[at + 1] ?? null;
    if (value === null || typeof value !== "object") values[name] = value;
    else if (value[0] !== undefined) values[name] = new Uint8Array(Buffer.from(value[0], "base64"));
  }
  return values;
}

type JobItem = readonly [verb: string, input?: Packed];

export function packJobs(jobs: readonly Job[]): Parcel {
  const packing = new Packing();
  const apart: unknown[] = [];
  const items = jobs.map(({ verb, input }): JobItem => {
    if (isStatement(verb)) return [verb, packing.pack(input as Params, verb)];
    apart.push(compact(input));
    return [verb];
  });
  return { text: JSON.stringify([packing.names, items]), apart };
}

export function unpackJobs({ text, apart }: Parcel): readonly Job[] {
  const [names, items] = JSON.parse(text) as readonly [string[][], readonly JobItem[]];
  let at = 0;
  return items.map(([verb, input]) => ({
    verb,
    input: input === undefined ? apart[at++] : unpacked(input, names),
  }));
}

type AnswerItem = readonly [row: Packed | null, why: Packed | null] | null;

/** `jobs`: what was asked, in the order of the answers. */
export function packAnswers(jobs: readonly Job[], answers: readonly Answer[]): Parcel {
  const packing = new Packing();
  const apart: unknown[] = [];
  const items = answers.map((answer, at): AnswerItem => {
    const verb = jobs[at]?.verb ?? "";
    if (answer.ok && isStatement(verb)) {
      const { row, why } = answer.value as StatementResult;
      return [row ? packing.pack(row, verb) : null, why ? packing.pack(why, `why ${verb}`) : null];
    }
    apart.push(answer);
    return null;
  });
  return { text: JSON.stringify([packing.names, items]), apart };
}

export function unpackAnswers({ text, apart }: Parcel): readonly Answer[] {
  const [names, items] = JSON.parse(text) as readonly [string[][], readonly AnswerItem[]];
  let at = 0;
  return items.map((item) => {
    if (item === null) return apart[at++] as Answer;
    const [row, why] = item;
    const value: StatementResult = {
      row: row ? unpacked(row, names) : undefined,
      why: why ? unpacked(why, names) : undefined,
    };
    return { ok: true, value };
  });
}

function isStatement(verb: string): boolean {
  return verbs.get(verb)?.kind === "statement";
}

/** Byte strings without the pool that they were cut from: a message to the thread would carry all of it. */
function compact<T>(input: T): T {
  if (typeof input !== "object" || input === null) return input;
  if (input instanceof Uint8Array)
    return (input.byteLength === input.buffer.byteLength ? input : new Uint8Array(input)) as T;
  if (Array.isArray(input)) return input.map(compact) as T;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, compact(value)])) as T;
}
