/** The settings that a server or a command uses, for operators. Nothing changes them while it runs. */

import type { Config } from "../config.ts";
import { type SettingKey, settingKeys, settingOf } from "../config-settings.ts";
import type { Endpoint } from "../setting-kinds.ts";
import { isPostgresUrl, maskedUrl } from "../storage/postgres/database-url.ts";
import { counted } from "./counted.ts";
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
    value: secret ? maskedValue(key, value) : writtenSetting(key, config),
    is_default: JSON.stringify(value) === JSON.stringify(initial),
    is_secret: secret,
    meaning,
  };
}

/** The place of the database without its password; of other secrets, whether there is one. */
function maskedValue(key: SettingKey, value: unknown): string | null {
  if (value === null) return null;
  return key === "databaseUrl" && typeof value === "string" ? shownUrl(value) : MASKED;
}

/** Settings that the configuration has in milliseconds, and their variables in seconds. */
const TIMES = new Set([
  ...[
    "codeTtl",
    "accessTtl",
    "refreshIdle",
    "retryWindow",
    "deviceTtl",
    "deviceInterval",
    "consentCeiling",
    "eventsKept",
    "drainDelay",
  ],
]);

/**
 * By variable, as the setting accepts it. Text in parentheses is no value: it says what holds by default, or that a
 * secret is set.
 */
export function settingsInForce(config: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(settingKeys.map((key) => [settingOf[key].variable, shownSetting(key, config)]));
}

function shownSetting(key: SettingKey, config: Config): unknown {
  const { smtpUrl, secret } = config;
  const value: unknown = config[key];
  if (value === null || (Array.isArray(value) && value.length === 0)) return `(default: ${settingOf[key].shown})`;
  if (key === "secret") return `(set: ${counted(secret?.length ?? 0, "secret")})`;
  if (key === "databaseUrl") return shownUrl(config.databaseUrl);
  if (key === "smtpUrl" && smtpUrl !== null) return `(set: ${addressOf(smtpUrl)}${smtpUrl.secure ? ", TLS" : ""})`;
  return writtenSetting(key, config);
}

/** A value that is no secret, as its variable has it. */
function writtenSetting(key: SettingKey, config: Config): unknown {
  const { listen, metricsListen, brandColors } = config;
  const value: unknown = config[key];
  if (key === "listen") return addressOf(listen);
  if (key === "metricsListen" && metricsListen !== null) return addressOf(metricsListen);
  if (key === "brandColors" && brandColors !== null) return `${brandColors.light},${brandColors.dark}`;
  return TIMES.has(key) && typeof value === "number" ? value / 1000 : value;
}

function addressOf({ host, port }: Endpoint): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}

function shownUrl(url: string): string {
  return isPostgresUrl(url) ? maskedUrl(url) : url;
}
