/**
 * Preloaded into a process (`node --import`): kills it, as a loss of power would, right before the n-th statement that
 * it gives to SQLite, or the n-th time that it sends something to PostgreSQL. ASSENT_TEST_KILL_AT is n. With 0, the
 * process isn't killed, and the last line on stderr gives the number of statements.
 */

import { Socket } from "node:net";
import { DatabaseSync, StatementSync } from "node:sqlite";

const at = Number(process.env["ASSENT_TEST_KILL_AT"] ?? 0);
let count = 0;

function before(prototype: object, name: string): void {
  const inner = Reflect.get(prototype, name) as (...args: unknown[]) => unknown;
  Reflect.set(prototype, name, function counted(this: unknown, ...args: unknown[]) {
    count += 1;
    if (count === at) process.kill(process.pid, "SIGKILL");
    return inner.apply(this, args);
  });
}

before(DatabaseSync.prototype, "exec");
for (const name of ["run", "get", "all"]) before(StatementSync.prototype, name);
before(Socket.prototype, "write");
process.on("exit", () => process.stderr.write(`statements: ${count}\n`));
