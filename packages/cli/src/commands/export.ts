/** `assent export`: writes all data to a file. */

import type { Command } from "commander";
import { Output } from "../print-records.ts";
import type { JsonOption } from "../shared-options.ts";

export function register(program: Command): void {
  program
    .command("export <file>")
    .description("write all data at one moment to a new file, for `assent import` into another database")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nSecrets are in the file as in the database: hashed, or sealed under ASSENT_SECRET, which isn't in it. It has mode 0600.",
    )
    .action(write);
}

async function write(name: string, options: JsonOption): Promise<void> {
  const { exportToFile, loadConfig } = await import("@assent/server/admin");
  const { file, bytes, sha256, rows } = await exportToFile(await loadConfig(), name, Date.now());
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  new Output(options.json ?? false).done(
    { file, bytes, sha256, rows },
    `Exported ${count} row(s) to ${file} (${bytes} bytes). The secret isn't in it: the new server needs the same.`,
  );
}
