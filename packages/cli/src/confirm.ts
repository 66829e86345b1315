/**
 * The question before a command ends something for good: what ends, how much of it, and whether the operator wants it.
 */

import { createInterface } from "node:readline/promises";
import { Option } from "commander";
import { Failure, UsageError } from "./command-errors.ts";
import { printable } from "./print-records.ts";

export interface YesOption {
  readonly yes?: true;
}

export function yesOption(text = "don't ask for confirmation; required in scripts"): Option {
  return new Option("--yes", text);
}

/**
 * Resolves if the operator agrees. On a terminal, the command asks, and only `y` or `yes` is a yes. Elsewhere, the
 * operator must give `--yes`. `ends`: sentences that say what ends.
 */
export async function confirm(ends: string, { yes }: YesOption): Promise<void> {
  if (yes) return;
  const told = printable(ends);
  if (!canAsk()) {
    throw new UsageError(`${told} Nothing was changed. To continue, add --yes.`);
  }
  process.stderr.write(`${told}\n`);
  if (!/^y(es)?$/i.test(await answerTo("Continue? [y/N] "))) throw new Failure("cancelled: nothing was changed");
}

/**
 * Asks like `confirm` on a terminal, and goes on elsewhere: for commands that lock somebody out, which a script must be
 * able to do at once.
 */
export async function confirmOnTerminal(ends: string, options: YesOption): Promise<void> {
  if (canAsk()) await confirm(ends, options);
}

function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** Reads one line. Returns an empty text if the terminal is closed or interrupted. */
async function answerTo(question: string): Promise<string> {
  // The prompt goes to stderr, because programs read stdout. The terminal edits the line.
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

/** `1 grant`, `2 grants`. Above `most`, the text says only that there are more. */
export function counted(count: number, one: string, most = Number.POSITIVE_INFINITY, many = `${one}s`): string {
  const number = (value: number) => value.toLocaleString("en");
  return count > most ? `more than ${number(most)} ${many}` : `${number(count)} ${count === 1 ? one : many}`;
}

/** `1 session, 2 grants and 1 consent`, without kinds of which there is none. `no access`: there is nothing. */
export function countedAll(counts: Readonly<Record<string, number>>, most?: number): string {
  const parts = Object.entries(counts).flatMap(([one, count]) => (count === 0 ? [] : [counted(count, one, most)]));
  const last = parts.pop();
  if (last === undefined) return "no access";
  return parts.length === 0 ? last : `${parts.join(", ")} and ${last}`;
}

/** What the operator reads before and after access ends. The same on the machine of the database and over the network. */
export interface Told {
  readonly question: string;
  readonly done: string;
}

/** What a change of a status means. Without a question, it ends nothing. Without `done`, nothing needs to be said. */
export type ToldOfStatus = Partial<Told>;

/** What disabling something ends, and what it leaves, in the words of `countedAll`. */
export interface Disabling {
  readonly ends: string;
  readonly stays: string;
  readonly owned?: string;
  /** A sentence about what else stops. */
  readonly also?: string;
}

/** What the operator reads before they disable something. `noun`: what it is, for the time when it is enabled again. */
export function disablingText(what: string, noun: string, { ends, stays, owned = "", also }: Disabling): string {
  const gone = ends === "no access" ? "" : ` ${goneForGood(noun)}`;
  const kept = stays === "no access" ? "" : ` ${stays}${owned} will stay.`;
  return `Disabling ${what} ends ${ends}.${gone}${kept}${also === undefined ? "" : ` ${also}`} ${TOKENS}`;
}

/** The same, once it is done. Undefined: it was disabled already. */
export function disabledText(what: string, noun: string, disabling: Disabling | undefined): string {
  if (disabling === undefined) return `${what} was disabled already. Nothing was ended.`;
  const { ends, stays, owned = "", also } = disabling;
  const gone = ends === "no access" ? "No access had to end." : `Ended ${ends}. ${goneForGood(noun)}`;
  const kept = stays === "no access" ? "" : ` Kept: ${stays}${owned}.`;
  return `Disabled ${what}. ${gone}${kept}${also === undefined ? "" : ` ${also}`} ${TOKENS}`;
}

/** What is true once something is enabled again. `holds`: the consents that count again, in the words of `countedAll`. */
export function enabledText(what: string, holds: string): string {
  const again =
    holds === "no access" ? "" : ` These count again: ${holds}. With them, apps get access without asking the owner.`;
  return `Enabled ${what}. Sessions and grants that ended stay ended.${again}`;
}

/** `ended`: a sentence that ends both texts. */
export function statusTold(
  {
    what,
    noun,
    was,
    disabling,
    ended = "",
  }: {
    readonly what: string;
    readonly noun: string;
    readonly was: string;
    readonly disabling: Disabling;
    readonly ended?: string;
  },
  status: "active" | "disabled" | undefined,
): ToldOfStatus {
  if (status === undefined) return {};
  if (status === "active") return was === "active" ? {} : { done: enabledText(what, disabling.stays) };
  // All access of a disabled record has ended.
  if (was === "disabled") return { done: disabledText(what, noun, undefined) };
  return {
    question: `${disablingText(what, noun, disabling)}${ended}`,
    done: `${disabledText(what, noun, disabling)}${ended}`,
  };
}

/** What the operator reads before a limit is taken away. `opens`: sentences about what is possible then. */
export function limitText(what: string, opens: readonly string[]): string {
  return `This change of ${what} takes away a limit. ${opens.join(" ")}`;
}

export const TOKENS = "Issued access tokens work until they expire.";

function goneForGood(noun: string): string {
  return `They don't come back when you enable the ${noun} again.`;
}
