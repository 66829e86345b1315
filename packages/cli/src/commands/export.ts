/** `assent export`: writes all data to a file, or the configuration as YAML. */

import { writeFileSync } from "node:fs";
import { type Command, Option } from "commander";
import { UsageError } from "../command-errors.ts";
import { counted } from "../confirm.ts";
import { Output } from "../print-records.ts";
import { type JsonOption, withAdmin } from "../shared-options.ts";

export function register(program: Command): void {
  program
    .command("export [file]")
    .description("write all data to a new file, for assent import into another database")
    .addOption(
      new Option(
        "--format <format>",
        "data: everything; yaml: clients, scopes and other settings for assent apply, without secrets and people",
      )
        .choices(["data", "yaml"])
        .default("data"),
    )
    .option("--name <name>", "yaml: the name of the configuration")
    .option("--json", "print one JSON document")
    .addHelpText(
      "after",
      "\nThe file has mode 0600. Secrets in it are hashed or encrypted with keys from ASSENT_SECRET, which is not in the file.\nWith --format yaml and without a file, the configuration goes to standard output.",
    )
    .action(write);
}

interface ExportOptions extends JsonOption {
  readonly format: "data" | "yaml";
  readonly name?: string;
}

async function write(name: string | undefined, options: ExportOptions): Promise<void> {
  if (options.format === "yaml") return writeConfiguration(name, options);
  if (options.name !== undefined) throw new UsageError("--name: only with --format yaml");
  if (name === undefined) throw new UsageError("name the new file: assent export FILE");
  const { exportToFile, loadConfig } = await import("@assent/server/admin");
  const { file, bytes, sha256, rows } = await exportToFile(await loadConfig(), name, Date.now());
  const count = Object.values(rows).reduce((sum, each) => sum + each, 0);
  new Output(options.json ?? false).done(
    { file, bytes, sha256, rows },
    `Exported ${counted(count, "row")} to ${file} (${bytes} bytes). The new server needs the same secret, which is not in the file.`,
  );
}

/** Throws a `UsageError` if it can't be the name of a configuration. */
export function configurationName(name: string | undefined): string | undefined {
  if (name !== undefined && !/^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/.test(name))
    throw new UsageError("--name: use 1 to 64 of a–z, 0–9 and dashes");
  return name;
}

async function writeConfiguration(file: string | undefined, options: ExportOptions): Promise<void> {
  const { exportConfiguration } = await import("@assent/server/configuration");
  const name = configurationName(options.name);
  if (file === undefined && options.json) throw new UsageError("--json: only with a file, because the output is YAML");
  await withAdmin(options, async (admin, out) => {
    const text = await exportConfiguration(admin, name);
    if (file === undefined) {
      process.stdout.write(text);
      return;
    }
    writeFileSync(file, text, { flag: "wx", mode: 0o600 });
    out.done(
      { file, bytes: Buffer.byteLength(text) },
      `Wrote the configuration to ${file}. Secrets and people are not in it.`,
    );
  });
}
