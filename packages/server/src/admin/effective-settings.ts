/** The settings that a server or a command uses, for operators. Nothing changes them while it runs. */

import type { Config } from "../config.ts";
import { type SettingKey, settingKeys, settingOf } from "../config-settings.ts";
import { maskedUrl } from "../storage/postgres/database-url.ts";
import type { WireRecord } from "./output-records.ts";

/** In place of a secret that is set. */
export const MASKED = "(secret)";

/** One record for each setting, in the order of the reference. A secret is never in it. */
export function effectiveSettings(config: Config): readonly WireRecord[] {
  return settingKeys.map((key) => recordOf(key, config));
}

function recordOf(key: SettingKey, config: Config): WireRecord {
  const { variable, meaning, initial, secret = false } = settingOf[key];
  const value: unknown = config[key];
  return {
    key,
    variable,
    value: secret ? maskedValue(key, value) : value,
    is_default: JSON.stringify(value) === JSON.stringify(initial),
    is_secret: secret,
    meaning,
  };
}

/** The place of the database without its password; of other secrets, whether there is one. */
function maskedValue(key: SettingKey, value: unknown): string | null {
  if (value === null) return null;
  if (key !== "databaseUrl" || typeof value !== "string") return MASKED;
  return value.startsWith("sqlite:") ? value : maskedUrl(value);
}
