/**
 * The order in which groups of statements lock rows. It is the same in every process, so that two groups never wait for
 * each other.
 */

import type { Params, StatementVerb } from "./define-verbs.ts";

/** The row that a statement locks. */
export interface LockKey {
  readonly partition: number;
  readonly id: string;
}

/** The row that a statement with these parameters locks. Undefined: the row's table is not spread by partition. */
export function lockKeyOf<A, O>({ lock }: Pick<StatementVerb<A, O>, "lock">, params: Params): LockKey | undefined {
  if (lock === null) return undefined;
  const { partition, [lock]: id } = params;
  return typeof partition === "number" && typeof id === "string" ? { partition, id } : undefined;
}

/** Sorts by partition, then by row. Statements that lock no such row come first. */
export function inLockOrder(
  { lockKey: a }: { readonly lockKey: LockKey | undefined },
  { lockKey: b }: { readonly lockKey: LockKey | undefined },
): number {
  if (a === undefined || b === undefined) return (a === undefined ? 0 : 1) - (b === undefined ? 0 : 1);
  return a.partition - b.partition || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0);
}
