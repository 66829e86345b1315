/** `assent refusal …`: why requests were refused. */

import type { ExplainedRefusal } from "@assent/server/admin";
import type { Command } from "commander";
import { type Output, printable } from "../print-records.ts";
import { given, type JsonOption, limitOption, noun, verb, withAdmin } from "../shared-options.ts";

/** Number of listed refusals if `--limit` is not given. */
const LISTED = 50;

interface ListOptions extends JsonOption {
  readonly client?: string;
  readonly condition?: string;
  readonly limit?: number;
}

export function register(program: Command): void {
  const refusal = noun(program, "refusal", "why requests were refused");
  verb(refusal, "list", "list the last refusals, newest first; the server keeps them for 7 days")
    .option("--client <client-id>", "only requests that named this client")
    .option("--condition <name>", "only this condition, such as redirect_uri_mismatch")
    .addOption(limitOption(LISTED))
    .action(list);
  verb(
    refusal,
    "show <request-id>",
    "explain one refusal: its cause, and how to mend it; the number is on the error page, in error_uri (id), in the header x-request-id and in the log",
  ).action(show);
}

async function list(options: ListOptions) {
  await withAdmin(options, async (admin, out) => {
    const { listRefusals, refusalRecord } = await import("@assent/server/admin");
    const filter = given({ clientId: options.client, condition: options.condition });
    const found = await listRefusals({ ...filter, limit: options.limit ?? LISTED }, admin);
    out.list(
      found.map(refusalRecord),
      [
        { field: "at" },
        { field: "request_id" },
        { field: "condition" },
        { field: "client_id" },
        { field: "received", show: (value) => String(value ?? "-").slice(0, 60) },
      ],
      "There are no refusals.",
    );
  });
}

async function show(requestId: string, options: JsonOption) {
  await withAdmin(options, async (admin, out) => {
    const { explained, explainedRecord, refusalOf } = await import("@assent/server/admin");
    const refusal = explained(await refusalOf(requestId, admin));
    if (options.json) out.record(explainedRecord(refusal));
    else tell(refusal, out);
  });
}

function tell(refusal: ExplainedRefusal, out: Output): void {
  const { at, condition, told, error, status, section, clientId, method, path, address, detail, registered } = refusal;
  const facts = {
    at: new Date(at).toISOString(),
    condition,
    ...(told === condition ? {} : { the_client_was_told: told }),
    answer: `${error}, HTTP ${status}`,
    rule: section,
    client_id: clientId === "" ? null : clientId,
    request: `${method} ${path}`,
    address,
    ...(refusal.parameter === undefined ? {} : { [refusal.parameter]: refusal.received ?? null }),
    ...(registered === undefined ? {} : { registered }),
    ...(detail === undefined ? {} : { detail }),
  };
  out.record(facts);
  const lines = ["", refusal.explanation, ...(refusal.commands.length === 0 ? [] : ["", ...refusal.commands])];
  for (const line of lines) process.stdout.write(`${printable(line)}\n`);
}
