/** `assent apply`: makes the server's records like a file says. */

import type { Plan, Problem } from "@assent/server/configuration";
import { type Command, Option } from "commander";
import { Failure, UsageError } from "../command-errors.ts";
import { configurationText, referencesOf } from "../configuration-input.ts";
import { confirm, type YesOption, yesOption } from "../confirm.ts";
import { destructiveText, planText, summary } from "../plan-text.ts";
import { jsonText, type Output, printable } from "../print-records.ts";
import { causeOfCommand, type JsonOption, withAdmin } from "../shared-options.ts";

/** A plan has changes. */
export const HAS_CHANGES = 3;

export function register(program: Command): void {
  program
    .command("apply")
    .description("create and change records as a YAML file says; shows first what it does")
    .option("-f, --file <file>", "the configuration; -: standard input")
    .option("--plan", "show the changes and change nothing; exit code 3 if there are any")
    .option("--prune", "delete records that the file described before and does not describe any more")
    .addOption(yesOption("don't ask before access ends or a limit is taken away; required in scripts"))
    .addOption(
      new Option("--schema", "print the JSON Schema of the file, for editors").conflicts(["file", "plan", "prune"]),
    )
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nAll changes are made in one transaction, or none. Exit codes: 0 nothing to do or done, 1 failed, 2 wrong usage, 3 a plan\nhas changes.",
    )
    .action(apply);
}

interface ApplyOptions extends JsonOption, YesOption {
  readonly file?: string;
  readonly plan?: true;
  readonly prune?: true;
  readonly schema?: true;
}

async function apply(options: ApplyOptions): Promise<void> {
  const { configurationSchema, MAX_FILE, readConfiguration } = await import("@assent/server/configuration");
  if (options.schema) {
    process.stdout.write(`${jsonText(configurationSchema())}\n`);
    return;
  }
  const { file } = options;
  if (file === undefined) throw new UsageError("name the file: assent apply -f assent.yaml");
  const text = await configurationText(file, MAX_FILE);
  const read = await located(file, () => readConfiguration(text, referencesOf(file, process.env)));
  await withAdmin(options, async (admin, out) => {
    const { prepare } = await import("@assent/server/configuration");
    const { prune = false } = options;
    const prepared = await located(file, () => prepare(read, admin, { prune, cause: causeOfCommand(admin.now()) }));
    const { plan } = prepared;
    if (options.plan) {
      tell(plan, "plan", out);
      if (plan.changes.length > 0) process.exitCode = HAS_CHANGES;
      return;
    }
    const ends = destructiveText(plan);
    if (ends !== undefined && !options.yes) {
      process.stderr.write(planText(plan));
      tellMore(plan, out);
      await confirm(ends, options);
    }
    await located(file, () => prepared.perform());
    tell(plan, ends !== undefined && !options.yes ? "confirmed" : "done", out);
  });
}

/** `confirmed`: it is done, and the operator has read the plan. */
export function tell(plan: Plan, state: "plan" | "done" | "confirmed", out: Output): void {
  out.report({ ...plan, applied: state !== "plan" && plan.changes.length > 0 }, () => {
    process.stdout.write(state === "confirmed" ? `${summary(plan, true)}\n` : planText(plan, state === "done"));
  });
  if (state !== "confirmed") tellMore(plan, out);
}

export function tellMore({ warnings, notes }: Plan, out: Output): void {
  for (const warning of warnings) out.warn(warning);
  for (const note of notes) out.note(note);
}

/** Says of each problem where in the file it is. */
export async function located<T>(file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || error.name !== "ConfigurationError") throw error;
    const { problems } = error as Error & { readonly problems: readonly Problem[] };
    throw new Problems(problems.map((one) => lineOf(file, one)));
  }
}

export class Problems extends Failure {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.problems = problems;
  }
}

export function lineOf(file: string, { field, problem, place }: Problem): string {
  const at = place === undefined ? file : `${file}:${place.line}:${place.column}`;
  return printable(`${at}: ${field === null ? "" : `${field}: `}${problem}`);
}
