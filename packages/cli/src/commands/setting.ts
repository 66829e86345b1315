/** `assent setting …`: the settings that a server with this configuration uses. */

import type { Command } from "commander";
import { Output } from "../print-records.ts";
import { noun, verb } from "../shared-options.ts";

export function register(program: Command): void {
  const setting = noun(program, "setting", "the settings that this configuration gives");
  verb(setting, "list", "list the settings with their values; secrets are masked")
    .option("--changed", "only settings that differ from their default")
    .action(list);
}

/** A value as the variable has it: `false`, and a list with commas alone. */
export function settingText(value: unknown): string {
  if (value === null) return "-";
  return Array.isArray(value) ? value.join(",") || "-" : String(value);
}

async function list({ json = false, changed = false }: { readonly json?: boolean; readonly changed?: boolean }) {
  const { effectiveSettings, loadConfig } = await import("@assent/server/admin");
  const all = effectiveSettings(await loadConfig());
  new Output(json).list(
    changed ? all.filter((one) => one["is_default"] === false) : all,
    [{ field: "variable" }, { field: "value", show: settingText }, { field: "is_default" }],
    "Every setting has its default.",
  );
}
