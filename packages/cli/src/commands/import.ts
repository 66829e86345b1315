/** `assent import`: fills an empty database from a file of `assent export`. */

import type { Command } from "commander";
import { Output } from "../print-records.ts";
import type { JsonOption } from "../shared-options.ts";

export function register(program: Command): void {
  program
    .command("import <file>")
    .description(
      "fill an empty database from a file of `assent export`, and compare both; after an interruption, run it again",
    )
    .option("--json", "print one JSON document")
    .action(read);
}

async function read(file: string, options: JsonOption): Promise<void> {
  const { importFromFile, loadConfig } = await import("@assent/server/admin");
  const { rows, resumed } = await importFromFile(await loadConfig(), file, Date.now());
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  const out = new Output(options.json ?? false);
  out.done({ rows, resumed, verified: true }, `Imported ${count} row(s); every table equals the file.`);
  if (resumed)
    out.note("An earlier import of this file ended or was interrupted. The rows that it wrote are unchanged.");
}
