/** What PostgreSQL's errors mean to a caller: an outage, a conflict to try again, a lost connection, or a bug. */

import { DatabaseError } from "pg";
import { StorageUnavailable } from "../errors.ts";

/** The connection is gone: what was under way may or may not have been committed. */
export class ConnectionLost extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ConnectionLost";
  }
}

/** SQLSTATE of an error that the server sent; "" for any other. */
export function stateOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? "") : "";
}

/** Two transactions stood in each other's way, and this one was undone: serialization failure, deadlock. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(stateOf(error));
}

/** A lock wasn't to be had within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === "55P03";
}

/** The server no longer takes writes here: it was made a standby, or read-only. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === "25006";
}

/** The server ends the connection with these; so does a pooler that forgets what was prepared, or a plan whose columns changed. */
export function endsConnection(error: unknown): boolean {
  return error instanceof ConnectionLost || /^(?:08|57P|XX|26000|0A000|25006)/.test(stateOf(error));
}

/** Classes that speak of the machine or of rights, not of the statement; a cancelled statement, a lock not got in time. */
const OUTAGE = /^(?:08|53|58|XX|28|57P|57014|55P03|25006|25P03|40001|40P01|42501|3D000|26000|0A000)/;

/** The error as a verb's caller gets it. `uncertain`: the commit had been sent. */
export function told(error: unknown, uncertain = false): unknown {
  if (error instanceof StorageUnavailable) return error;
  if (error instanceof ConnectionLost) {
    return new StorageUnavailable(`PostgreSQL: ${error.message}`, { cause: error, uncertain });
  }
  const state = stateOf(error);
  if (!OUTAGE.test(state)) return error;
  const message = error instanceof Error ? error.message : "";
  return new StorageUnavailable(`PostgreSQL: ${message} (${state})`, {
    cause: error,
    uncertain: uncertain && state.startsWith("57P"),
  });
}
