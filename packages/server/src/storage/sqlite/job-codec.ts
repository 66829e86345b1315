/**
 * The format of messages to the writer's thread and back. Values and rows of statements become one JSON text for a
 * whole group, which costs half as much as cloning them one by one. Arguments and results of transactions can be
 * anything that a structured clone can carry.
 */

import type { Cause } from "../../events/event.ts";
import type { Params, Value } from "../define-verbs.ts";
import { verbs } from "../verb-registry.ts";
import type { Answer, Job, StatementResult } from "./run-batch.ts";

export interface Parcel {
  readonly text: string;
  /** Values that are not in the text, in order. */
  readonly apart: readonly unknown[];
}

/**
 * A value is packed as it is. A byte string becomes a list with one text in base64. Anything else becomes an empty
 * list.
 */
type PackedValue = null | number | string | readonly [string] | readonly [];
/** The index of its names in the text's list of names, then the values. Rows of one statement have the same names. */
type Packed = readonly [names: number, ...PackedValue[]];

class Packing {
  readonly names: (readonly string[])[] = [];
  readonly #newest = new Map<string, number>();

  /** `of` identifies the statement of the values: if it is the same as before, the names are, too. */
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

/**
 * Properties that are not values are left out: a caller may pass more than the statement names, such as a person with
 * their lists.
 */
function packedValue(value: Params[string] | undefined): PackedValue {
  if (value instanceof Uint8Array) return [base64Of(value)];
  // Anything else, such as a bigint, is passed on and refused when it is written.
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

/** The arguments of a transaction are apart. */
type JobItem = readonly [verb: string, input?: Packed | null, cause?: Cause];

export function packJobs(jobs: readonly Job[]): Parcel {
  const packing = new Packing();
  const apart: unknown[] = [];
  const items = jobs.map(({ verb, input, cause }): JobItem => {
    if (isStatement(verb)) return [verb, packing.pack(input as Params, verb)];
    apart.push(compact(input));
    return cause === undefined ? [verb] : [verb, null, cause];
  });
  return { text: JSON.stringify([packing.names, items]), apart };
}

export function unpackJobs({ text, apart }: Parcel): readonly Job[] {
  const [names, items] = JSON.parse(text) as readonly [string[][], readonly JobItem[]];
  let at = 0;
  return items.map(([verb, input, cause]) => ({
    verb,
    input: input == null ? apart[at++] : unpacked(input, names),
    ...(cause === undefined ? {} : { cause }),
  }));
}

type AnswerItem = readonly [row: Packed | null, why: Packed | null] | null;

/** `jobs`: the jobs in the order of their answers. */
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

/** Copies byte strings out of the buffer pool: otherwise a message to the thread would carry the whole pool. */
function compact<T>(input: T): T {
  if (typeof input !== "object" || input === null) return input;
  if (input instanceof Uint8Array)
    return (input.byteLength === input.buffer.byteLength ? input : new Uint8Array(input)) as T;
  if (Array.isArray(input)) return input.map(compact) as T;
  return Object.fromEntries(Object.entries(input).map(([key, value]) => [key, compact(value)])) as T;
}
