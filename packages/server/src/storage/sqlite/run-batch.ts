/** Runs a group of write verbs as one transaction, on the thread that owns the writing connection. */

import type { Cause } from "../../events/event.ts";
import type { Params, Row, Tx } from "../define-verbs.ts";
import { StorageUnavailable } from "../errors.ts";
import { verbs } from "../verb-registry.ts";
import { type Connection, told } from "./connection.ts";
import { fastPaths } from "./redeem-and-refresh-fast-paths.ts";

/**
 * One verb to run: the parameters of a statement, or the arguments of a transaction. Both survive a structured clone.
 */
export interface Job {
  readonly verb: string;
  readonly input: unknown;
  /** The operator who caused it. */
  readonly cause?: Cause;
}

/** The result of a statement. The call of the verb turns it into an outcome. */
export interface StatementResult {
  readonly row: Row | undefined;
  readonly why: Row | undefined;
}

export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly unavailable: boolean; readonly message: string; readonly stack: string | undefined };

/**
 * Runs BEGIN IMMEDIATE, each verb, COMMIT, and answers in the order of the jobs. If a verb fails, the group is rolled
 * back and each verb runs in a transaction of its own, so that only the caller at fault gets the error. If the database
 * is unavailable, all callers get the error.
 */
export async function runBatch(connection: Connection, jobs: readonly Job[]): Promise<readonly Answer[]> {
  try {
    return await inOneTransaction(connection, jobs);
  } catch (error) {
    const failure = failed(error);
    if (jobs.length === 1 || failure.unavailable) return jobs.map(() => failure);
  }
  const answers: Answer[] = [];
  for (const job of jobs) answers.push(...(await runBatch(connection, [job])));
  return answers;
}

async function inOneTransaction(connection: Connection, jobs: readonly Job[]): Promise<readonly Answer[]> {
  connection.exec("BEGIN IMMEDIATE");
  try {
    const answers: Answer[] = [];
    for (const job of jobs) {
      const value = runJob(connection, job);
      answers.push({ ok: true, value: value instanceof Promise ? await value : value });
    }
    connection.exec("COMMIT");
    return answers;
  } catch (error) {
    connection.rollback();
    throw error;
  }
}

function runJob(connection: Connection, { verb: name, input, cause }: Job): StatementResult | Promise<unknown> {
  const verb = verbs.get(name);
  if (verb?.kind === "statement") {
    const params = input as Params;
    const fastPath = fastPaths.get(verb);
    const row = (fastPath && connection.oneNow(fastPath, params)) ?? connection.oneNow(verb.sql, params);
    return { row, why: row === undefined && verb.why !== undefined ? connection.oneNow(verb.why, params) : undefined };
  }
  if (verb?.kind === "transaction") return verb.body(causedBy(connection, cause), input as never);
  throw new Error(`${name} is no verb that writes`);
}

function causedBy(connection: Connection, cause: Cause | undefined): Tx {
  if (cause === undefined) return connection;
  return {
    one: (statement, params) => connection.one(statement, params),
    all: (statement, params) => connection.all(statement, params),
    run: (statement, params) => connection.run(statement, params),
    later: (statement, params) => connection.later(statement, params),
    cause,
  };
}

function failed(error: unknown): Answer & { readonly ok: false } {
  const seen = told(error);
  const message = seen instanceof Error ? seen.message : String(seen);
  return {
    ok: false,
    unavailable: seen instanceof StorageUnavailable,
    message,
    stack: seen instanceof Error ? seen.stack : undefined,
  };
}
