/** The row of a redemption's statements without a server: what PostgreSQL itself gives. */

import { sorted } from "../load/load.ts";
import type { ServerProcess } from "../processes.ts";
import type { AskStatements, StatementsRun } from "../statements.ts";
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
