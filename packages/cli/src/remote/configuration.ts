/** Configuration as code on a server: the file and its references are read here, and the server does the rest. */

import { writeFileSync } from "node:fs";
import type { Plan, Reference, Resolve } from "@assent/server/configuration";
import { UsageError } from "../command-errors.ts";
import { HAS_CHANGES, lineOf, located, Problems, tell, tellMore } from "../commands/apply.ts";
import { configurationName } from "../commands/export.ts";
import { configurationText, referencesOf } from "../configuration-input.ts";
import { confirm } from "../confirm.ts";
import { destructiveText, planText } from "../plan-text.ts";
import { type RemoteCommands, textOption } from "./call.ts";

interface RemotePlan extends Plan {
  readonly problems: readonly {
    readonly field: string | null;
    readonly problem: string;
    readonly line: number | null;
    readonly column: number | null;
  }[];
  readonly fingerprint: string;
}

export const configuration: RemoteCommands = {
  async apply(call) {
    const { api, out, options } = call;
    const file = textOption(call, "file");
    if (file === undefined) throw new UsageError("name the file: assent apply -f assent.yaml");
    const { MAX_FILE, readConfiguration } = await import("@assent/server/configuration");
    const text = await configurationText(file, MAX_FILE);
    const values = new Map<string, string>();
    await located(file, () => readConfiguration(text, noting(values, referencesOf(file, process.env))));
    const body = { text, values: Object.fromEntries(values), prune: options["prune"] === true };
    // An older server gives no notes.
    const plan = { notes: [], ...(await api.call("configurations.plan", { body })) } as unknown as RemotePlan;
    if (plan.problems.length > 0) {
      const lines = plan.problems.map(({ line, column, ...one }) =>
        lineOf(file, { ...one, place: line === null || column === null ? undefined : { line, column } }),
      );
      throw new Problems(lines);
    }
    const { problems: _, fingerprint, ...shown } = plan;
    if (options["plan"] === true) {
      tell(shown, "plan", out);
      if (plan.changes.length > 0) process.exitCode = HAS_CHANGES;
      return;
    }
    const ends = destructiveText(shown);
    const asks = ends !== undefined && options["yes"] !== true;
    if (asks) {
      process.stderr.write(planText(shown));
      tellMore(shown, out);
      await confirm(`${api.server}: ${ends}`, options);
    }
    await api.call("configurations.apply", { body: { ...body, fingerprint } });
    tell(shown, asks ? "confirmed" : "done", out);
  },
  async export(call) {
    const { api, args, options, out } = call;
    const [file] = args;
    const name = configurationName(textOption(call, "name"));
    if (file === undefined && options["json"] === true)
      throw new UsageError("--json: only with a file, because the output is YAML");
    const text = String((await api.call("configurations.export", { query: { name } }))["text"]);
    if (file === undefined) {
      process.stdout.write(text);
      return;
    }
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    out.done(
      { file, bytes: Buffer.byteLength(text) },
      `Wrote the configuration of ${api.server} to ${file}. Secrets and people are not in it.`,
    );
  },
};

/** The same, and the values are kept for the request: the server can't read what is on this machine. */
function noting(values: Map<string, string>, resolve: Resolve): Resolve {
  return async (reference: Reference) => {
    const resolved = await resolve(reference);
    if ("value" in resolved) values.set(JSON.stringify(reference), resolved.value);
    return resolved;
  };
}
