/** Classifies PostgreSQL's errors: an outage, a conflict to retry, a lost connection, or a bug. */

import { DatabaseError } from "pg";
import { StorageUnavailable } from "../errors.ts";

/** The connection was lost. The work under way may have been committed or not. */
export class ConnectionLost extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "ConnectionLost";
  }
}

/** The SQLSTATE of an error from the server; "" for any other error. */
export function stateOf(error: unknown): string {
  return error instanceof DatabaseError ? (error.code ?? "") : "";
}

/** The transaction conflicted with another one and was rolled back: serialization failure or deadlock. */
export function isConflict(error: unknown): boolean {
  return ["40001", "40P01"].includes(stateOf(error));
}

/** A lock was not available within `lock_timeout`. */
export function isLockTimeout(error: unknown): boolean {
  return stateOf(error) === "55P03";
}

/** The server takes no writes any more: it became a standby or read-only. */
export function isReadOnly(error: unknown): boolean {
  return stateOf(error) === "25006";
}

/**
 * Another server that this one uses is lost, as with Citus. The connection to this one still works. The statement may
 * have been committed or not.
 */
export function isPartLost(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === "ERROR" && stateOf(error).startsWith("08");
}

/**
 * The server ends the connection after these errors. A pooler that forgets prepared statements, or a plan whose columns
 * changed, also needs a new connection.
 */
export function endsConnection(error: unknown): boolean {
  if (isPartLost(error)) return false;
  return error instanceof ConnectionLost || /^(?:08|57P|XX|26000|0A000|25006)/.test(stateOf(error));
}

/**
 * Classes of errors about the machine or about rights, not about the statement; also a cancelled statement and a lock
 * timeout.
 */
const OUTAGE = /^(?:08|53|58|XX|28|57P|57014|55P03|25006|25P03|40001|40P01|42501|3D000|26000|0A000)/;

/** The error for the caller of a verb. `uncertain`: the commit had been sent. */
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
    uncertain: uncertain && /^(?:08|57P)/.test(state),
  });
}
