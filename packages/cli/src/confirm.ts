/** Before something ends for good: what it is, how much of it, and whether that is meant. */

import { createInterface } from "node:readline/promises";
import { Option } from "commander";
import { Failure, UsageError } from "./failure.ts";
import { printable } from "./output.ts";

export interface YesOption {
  readonly yes?: true;
}

export function yesOption(): Option {
  return new Option("--yes", "don't ask; needed where nobody can answer, as in a script");
}

/**
 * Resolves when the operator wants it. On a terminal they are asked, and nothing but `y` or `yes` is a yes; elsewhere `--yes` has to have said it.
 * `ends`: what it is and what ends with it, in sentences.
 */
export async function confirm(ends: string, { yes }: YesOption): Promise<void> {
  if (yes) return;
  const told = printable(ends);
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new UsageError(`${told} Nothing was changed: to do it, add --yes.`);
  }
  process.stderr.write(`${told}\n`);
  if (!/^y(es)?$/i.test(await answerTo("Go on? [y/N] "))) throw new Failure("cancelled: nothing was changed");
}

/** One line; empty where the terminal is closed or interrupted instead. */
async function answerTo(question: string): Promise<string> {
  // The terminal edits the line; what is for programs goes to stdout, and this beside it.
  const lines = createInterface({ input: process.stdin, output: process.stderr, terminal: false });
  const closed = new Promise<undefined>((resolve) => lines.once("close", () => resolve(undefined)));
  try {
    const answer = await Promise.race([lines.question(question), closed]);
    if (answer === undefined) process.stderr.write("\n");
    return answer?.trim() ?? "";
  } finally {
    lines.close();
  }
}

/** `1 grant`, `2 grants`; `most`: of more than that, only that there are more. */
export function counted(count: number, one: string, most = Number.POSITIVE_INFINITY, many = `${one}s`): string {
  const number = (value: number) => value.toLocaleString("en");
  return count > most ? `more than ${number(most)} ${many}` : `${number(count)} ${count === 1 ? one : many}`;
}
