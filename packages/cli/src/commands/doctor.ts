/** `assent doctor`: checks everything that a server needs. */

import type { Command } from "commander";
import { Output } from "../print-records.ts";
import type { JsonOption } from "../shared-options.ts";
import { settingText } from "./setting.ts";

export function register(program: Command): void {
  program
    .command("doctor")
    .description("check the configuration, files, database and keys; changes nothing")
    .option("--json", "print one JSON document")
    .addHelpText("after", "\nThe exit code is 1 if something is broken.")
    .action(doctor);
}

async function doctor(options: JsonOption): Promise<void> {
  const { diagnose, loadConfig } = await import("@assent/server/admin");
  const diagnosis = await diagnose(loadConfig, process.versions.node, Date.now());
  const { ok, configuration, findings } = diagnosis;
  new Output(options.json ?? false).report({ ok, node: process.versions.node, findings, configuration }, (out) => {
    if (configuration !== null) {
      out.record(
        Object.fromEntries(Object.entries(configuration).map(([variable, value]) => [variable, settingText(value)])),
      );
      process.stdout.write("\n");
    }
    out.list(
      findings.map((finding) => ({ ...finding })),
      [{ field: "status" }, { field: "check" }, { field: "detail" }],
      "",
    );
  });
  if (!ok) process.exitCode = 1;
}
