/** Several processes on one database, for races that can't happen within one process. */

import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { Race } from "./race-process.ts";

export interface Racers {
  /** Sends each process its calls at once. Returns the kinds of all outcomes. */
  race(calls: readonly Race["calls"][], url: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export async function startRacers(count: number): Promise<Racers> {
  const file = fileURLToPath(new URL("./race-process.ts", import.meta.url));
  const children = await Promise.all(
    Array.from({ length: count }, async () => {
      const child = fork(file, { serialization: "advanced", execArgv: [] });
      await next(child);
      return child;
    }),
  );
  return {
    async race(calls, url) {
      if (!children.every(alive)) throw new Error("a racing process has ended in a race before");
      const answers = children.map(next);
      children.forEach((child, at) => {
        child.send({ url, calls: calls[at] ?? [] } satisfies Race);
      });
      return (await Promise.all(answers)).flat() as string[];
    },
    async close() {
      await Promise.all(
        children.map(async (child) => {
          // A failed process has already ended, and its test has failed.
          if (!alive(child)) return;
          const exit = once(child, "exit");
          child.send("close");
          await exit;
        }),
      );
    },
  };
}

function alive({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

/** The next message. Rejects if the process ends first. */
function next(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null) => reject(new Error(`a racing process ended with ${code}`));
    child.once("exit", ended);
    child.once("message", (message) => {
      child.off("exit", ended);
      resolve(message);
    });
  });
}
