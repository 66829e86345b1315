/** `assent export`: writes all data to a file. */

import type { Command } from "commander";
import { counted } from "../confirm.ts";
import { Output } from "../print-records.ts";
import type { JsonOption } from "../shared-options.ts";

export function register(program: Command): void {
  program
    .command("export <file>")
    .description("write all data to a new file, for assent import into another database")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nThe file has mode 0600. Secrets in it are hashed or encrypted with keys from ASSENT_SECRET, which is not in the file.",
    )
    .action(write);
}

async function write(name: string, options: JsonOption): Promise<void> {
  const { exportToFile, loadConfig } = await import("@assent/server/admin");
  const { file, bytes, sha256, rows } = await exportToFile(await loadConfig(), name, Date.now());
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  new Output(options.json ?? false).done(
    { file, bytes, sha256, rows },
    `Exported ${counted(count, "row")} to ${file} (${bytes} bytes). The new server needs the same secret, which is not in the file.`,
  );
}
