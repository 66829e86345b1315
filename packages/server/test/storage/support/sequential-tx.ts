/** A transaction for tests that run the body of a verb on a connection of their own. */

import type { Params, Row, Sql, Tx } from "../../../src/storage/define-verbs.ts";

type Run = (statement: Sql, params: Params) => Promise<{ readonly rows: readonly Row[]; readonly count: number }>;

/** Runs one statement after another, in the order of the calls. `settled`: all statements have run. */
export function sequentialTx(run: Run): Tx & { settled(): Promise<void> } {
  let last: Promise<unknown> = Promise.resolve();
  const next = (statement: Sql, params: Params = {}) => {
    const running = last.then(() => run(statement, params));
    last = running;
    return running;
  };
  return {
    one: async (statement, params) => (await next(statement, params)).rows[0],
    all: async (statement, params) => (await next(statement, params)).rows,
    run: async (statement, params) => (await next(statement, params)).count,
    later: (statement, params) => void next(statement, params),
    settled: async () => void (await last),
  };
}
