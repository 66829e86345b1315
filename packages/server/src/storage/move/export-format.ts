/**
 * The file of an export: JSON lines.
 *
 * The first line has the format and the schema. For each table, the following lines have: its name and columns; each
 * row (an array in the order of the columns, byte strings as `{"b": base64}`); the number of rows and their digest. The
 * last line has the SHA-256 of all lines before it. So a file that is cut off or changed does not count as an export.
 */

import { createHash } from "node:crypto";
import type { Millis } from "../../oauth/model.ts";
import type { StoredEpoch } from "../database-state.ts";
import type { Row, Value } from "../define-verbs.ts";

export const VERSION = 1;

export interface Header {
  readonly assent_export: number;
  readonly made_at: Millis;
  /** Names of all migrations of the schema, in order. */
  readonly migrations: readonly string[];
  readonly tables: readonly string[];
  readonly epoch: StoredEpoch | null;
}

export interface TableBegin {
  readonly table: string;
  readonly columns: readonly string[];
}

export interface TableEnd {
  readonly end: string;
  readonly rows: number;
  /** The sum of the SHA-256 of all rows' lines, modulo 2²⁵⁶, in hex. It does not depend on how a database sorts. */
  readonly digest: string;
}

export interface Done {
  readonly done: true;
  /** The SHA-256 of all bytes before this line. */
  readonly sha256: string;
}

export type Line = Header | TableBegin | TableEnd | Done | readonly unknown[];

export function rowLine(row: Row, columns: readonly string[]): string {
  return JSON.stringify(columns.map((column) => encoded(row[column] ?? null)));
}

function encoded(value: Value): unknown {
  return value instanceof Uint8Array ? { b: Buffer.from(value).toString("base64") } : value;
}

/** The values of a row's line. */
export function valuesOf(line: readonly unknown[]): readonly Value[] {
  return line.map((value) => {
    if (value === null || typeof value === "string" || typeof value === "number") return value;
    const { b } = value as { readonly b?: unknown };
    if (typeof b !== "string") throw new TypeError("a row of the export holds what no column can");
    return new Uint8Array(Buffer.from(b, "base64"));
  });
}

const MODULUS = 1n << 256n;

/** Adds up the digests of rows. */
export class Digest {
  #sum = 0n;
  rows = 0;

  add(line: string): void {
    this.rows += 1;
    this.#sum = (this.#sum + BigInt(`0x${createHash("sha256").update(line).digest("hex")}`)) % MODULUS;
  }

  get hex(): string {
    return this.#sum.toString(16).padStart(64, "0");
  }
}
