/** `assent policy try`: what the policies of a file would decide differently. */

import type { Command } from "commander";
import { Failure, UsageError } from "../command-errors.ts";
import { given, type JsonOption, noun, verb, withAdmin } from "../shared-options.ts";
import { type Moment, timeOf, timeOption } from "../time-option.ts";

/** There are differences. */
const HAS_CHANGES = 3;
const USUAL = 7 * 86_400_000;

interface TryOptions extends JsonOption {
  readonly file?: string;
  readonly since?: Moment;
  readonly client?: string;
}

export function register(program: Command): void {
  const policy = noun(program, "policy", "your rules about tokens, sign-ins and claims");
  verb(policy, "try", "ask the policies of a file about recorded sign-ins and consents, and show what changes")
    .option("-f, --file <file>", "a configuration file (.ts, .js) with policies or customClaims")
    .addOption(timeOption("--since <time>", "events from then on: 2026-01-31T12:00:00Z, or 12h, 7d ago; default: 7d"))
    .option("--client <client-id>", "only events about this client")
    .addHelpText(
      "after",
      "\nIt compares the file with the present configuration, and changes nothing here. The code of both runs: what it calls, it\ncalls. Exit codes: 0 nothing changes, 1 failed, 2 wrong usage, 3 something changes.",
    )
    .action(tryFile);
}

async function tryFile({ file, since, client, ...options }: TryOptions): Promise<void> {
  if (file === undefined) throw new UsageError("name the file: assent policy try -f policies.ts");
  await withAdmin(options, async (admin, out) => {
    const [{ loadConfig }, { changeRecord, tryPolicies }] = await Promise.all([
      import("@assent/server/admin"),
      import("@assent/server/policy-trial"),
    ]);
    const next = await loadConfig({ ...process.env, ASSENT_CONFIG: file });
    const now = admin.now();
    const query = { since: timeOf(since, now) ?? now - USUAL, ...given({ clientId: client }) };
    const { changes, ...trial } = await tryPolicies(admin.config, next, query, admin);
    const found = changes.map(changeRecord);
    if (found.length > 0) process.exitCode = HAS_CHANGES;
    out.report({ ...trial, changes: found, not_recorded: NOT_RECORDED }, () => {
      const columns = ["about", "at", "sub", "client_id", "before", "after"].map((field) => ({ field }));
      out.list(found, columns, "Nothing changes.");
    });
    const { sign_ins: signIns, tokens, claims, own_tokens: own } = trial.asked;
    const events = `${signIns} sign-ins, ${tokens} tokens and ${claims} times claims`;
    const registrations = own === 0 ? "" : `, and about ${own} tokens of clients in their own name`;
    out.note(`asked about ${events}${registrations}; ${trial.failures} failed`);
    for (const [why, count] of Object.entries(trial.skipped)) out.note(`${count} left out: ${why}`);
    for (const one of NOT_RECORDED) out.note(one);
    if (signIns + tokens + claims > 0 || Object.keys(trial.skipped).length === 0) return;
    const why = "every recorded question was left out, for the reasons above";
    if (own === 0) throw new Failure(`nothing was tried: ${why}`);
    const half = `nothing was tried about people: ${why}`;
    if (found.length === 0) throw new Failure(half);
    out.note(half);
  });
}

/** Said at each run: no difference is no proof. */
const NOT_RECORDED = [
  "not recorded: refreshes, sessions that were used for an app, passwords through clients, and tokens that the present policy refused",
  "tokens of clients in their own name are not recorded either: the file was asked about all scopes that each is registered for",
  "people's companies and names are those of today; the browser of a refused sign-in counts as unknown",
];
