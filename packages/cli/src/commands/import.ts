/** `assent import`: fills a database from a file of `assent export`, or replaces its data. */

import type { Config } from "@assent/server/admin";
import type { Command } from "commander";
import { confirm, counted, type YesOption, yesOption } from "../confirm.ts";
import { Output } from "../print-records.ts";
import { endingText, holding, noteEnded, replacedText } from "../replaced-data-texts.ts";
import type { JsonOption } from "../shared-options.ts";

export function register(program: Command): void {
  program
    .command("import <file>")
    .description("load the data of an assent export file into the database; asks before it replaces data")
    .option("--json", "print one JSON document")
    .addOption(yesOption())
    .addHelpText(
      "after",
      "\nIf the database is empty, people stay signed in. If the import is interrupted, run it again.\nIf the database holds data, stop its servers first. All sessions, grants, consents and\ncompanies' approvals end, also those in the file.",
    )
    .action(read);
}

async function read(file: string, options: JsonOption & YesOption): Promise<void> {
  const { checkImport, importFromFile, loadConfig } = await import("@assent/server/admin");
  const config = await loadConfig();
  const before = await checkImport(config, file);
  if (before !== "ready") return replace(file, config, before, options);
  const { rows, resumed, unchanged } = await importFromFile(config, file, Date.now());
  const out = new Output(options.json ?? false);
  const text = unchanged
    ? "Nothing to import: the database already holds exactly the data of this file. Nothing was changed."
    : imported(rows);
  out.done({ rows, resumed, unchanged, replaced: null, ended: null, verified: true }, text);
  if (resumed) out.note("An interrupted import had written some of these rows. This import wrote the rest.");
}

async function replace(file: string, config: Config, before: "unfinished" | "filled", options: JsonOption & YesOption) {
  const { inventoryOf, replaceFromFile } = await import("@assent/server/admin");
  const now = await inventoryOf(config);
  const { place = "", holds = "unreadable" } = now ?? {};
  const part = before === "unfinished" ? "an unfinished import of another file: " : "";
  // PostgreSQL has no file that could be kept.
  const keepsCopy = !place.startsWith("postgres");
  const replacing = replacedText("export", { present: holds, inSource: null, keepsCopy });
  await confirm(
    `This import replaces all data in the database at ${place} (${part}${holding(holds)}). ${replacing} People, companies and clients that were deleted since the export come back. ${endingText({ keepConsents: false, of: ", also those in the file" })}`,
    options,
  );
  const out = new Output(options.json ?? false);
  const { rows, replaced, ended } = await replaceFromFile(config, file, { waits: (text) => out.note(text) });
  out.done({ rows, resumed: false, unchanged: false, replaced, ended, verified: true }, imported(rows));
  if (replaced !== null) out.note(`The previous database is in ${replaced}.`);
  noteEnded(out, ended, { source: "export", keepConsents: false, replaced: holds });
}

function imported(rows: Readonly<Record<string, number>>): string {
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  return `Imported ${counted(count, "row")}. All tables match the file.`;
}
