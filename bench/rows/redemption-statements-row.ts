/** The row of a redemption's statements without a server: the limit of PostgreSQL. */

import { sorted } from "../load/closed-loop.ts";
import type { AskStatements, StatementsRun } from "../redemption-statements-process.ts";
import type { ServerProcess } from "../server-processes.ts";
import type { Row } from "./row.ts";

export const STATEMENTS = "postgres-statements";

export function statementsRow(server: ServerProcess): Row {
  const ask = <T>(statements: AskStatements["statements"], seconds: number) =>
    server.ask<{ readonly answer: T }>({ statements, seconds });
  return {
    name: STATEMENTS,
    label: "a redemption's statements alone, 2 connections, 16 in a batch",
    server: STATEMENTS,
    operation: "nothing",
    prepare: async (seconds) => void (await ask("prepare", seconds)),
    next: () => undefined,
    measure: async (seconds) => {
      const { answer } = await ask<StatementsRun>("run", seconds);
      return { count: answer.count, seconds: answer.seconds, took: sorted(answer.took), ownCpu: 0 };
    },
  };
}
