/** The configuration: one typed, frozen object. Environment first, then assent.config.*, then defaults. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { defaultsOf, type Setting, settings } from "./config-settings.ts";
import type { SmtpServer } from "./mail/transport.ts";
import { type CustomGrant, customGrantProblems } from "./oauth/grants/custom-shape.ts";
import { grantTypeNames } from "./oauth/grants/registry.ts";
import type { ConsentDuration } from "./owners/storage.ts";
import { isPostgresUrl } from "./storage/postgres/address.ts";

/** Everything that can be set. Times are milliseconds. */
export interface Config {
  readonly issuer: string;
  readonly listen: { readonly host: string; readonly port: number };
  /** `sqlite:<path>` or `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string;
  /** Decoded; null: generated into the data directory. */
  readonly secret: readonly Buffer[] | null;
  readonly workers: number;
  readonly dataDir: string;
  readonly demoPorts: readonly [client: number, api: number];
  readonly codeTtl: number;
  readonly accessTtl: number;
  /** Null: 14 days for public clients, 90 for confidential ones. */
  readonly refreshIdle: number | null;
  /** Null: 10 s for public clients, 30 s for confidential ones. */
  readonly retryWindow: number | null;
  readonly deviceTtl: number;
  readonly deviceInterval: number;
  readonly consentDurations: readonly ConsentDuration[];
  /** What this service calls itself; null: Assent. */
  readonly brandName: string | null;
  readonly brandColors: BrandColors | null;
  /** Paths; null: none. */
  readonly brandLogo: string | null;
  readonly brandCss: string | null;
  /** Names of the grant types that are offered; null: all. */
  readonly grantTypes: readonly string[] | null;
  /** Grant types of your own, beside ours; from `customGrants` in assent.config.ts or .js. */
  readonly customGrants: readonly CustomGrant[];
  readonly requirePkce: boolean;
  readonly passwordRefresh: boolean;
  /** This process looks after signing keys and garbage. */
  readonly housekeeping: boolean;
  /** CIDRs whose forwarded headers are believed. */
  readonly trustProxy: readonly string[];
  /** PEM files of the certificate and key that TLS is ended with; null: TLS ends before this server. */
  readonly tlsCert: string | null;
  readonly tlsKey: string | null;
  /** PEM file of the authorities that issue clients' certificates; null: none are named. */
  readonly tlsClientCa: string | null;
  /** Milliseconds from "not ready" to the end of listening. */
  readonly drainDelay: number;
  /** The server that takes messages to people; null: none are sent. */
  readonly smtpUrl: SmtpServer | null;
  /** Null: `no-reply@` the issuer's host. */
  readonly mailFrom: string | null;
  /** Anybody may create an account. */
  readonly signUp: boolean;
  /** Null: nobody is told figures. */
  readonly metricsListen: { readonly host: string; readonly port: number } | null;
  readonly logLevel: "trace" | "debug" | "info" | "warn" | "error" | "fatal" | "silent";
  readonly sqliteWriter: "thread" | "main";
  /** What is set but does nothing, or is risky: said at the start. */
  readonly warnings: readonly string[];
}

/** Which clients' certificates can arrive: over TLS that ends here, or from a proxy that is believed. */
export function certificatesKnown({ tlsCert, tlsClientCa, trustProxy }: Config): { any: boolean; issued: boolean } {
  const proxied = trustProxy.length > 0;
  return { any: proxied || tlsCert !== null, issued: proxied || (tlsCert !== null && tlsClientCa !== null) };
}

/** What is wrong with the grant types of a configuration, one line each. */
export function grantProblems({
  grantTypes: offered,
  customGrants,
}: Pick<Config, "grantTypes" | "customGrants">): readonly string[] {
  const custom = customGrantProblems(customGrants, grantTypeNames);
  if (custom.length > 0) return custom.map((problem) => `customGrants${problem}`);
  const known = [...grantTypeNames, ...customGrants.map(({ grantType }) => grantType)];
  const unknown = (offered ?? []).filter((name) => !known.includes(name)).map((name) => JSON.stringify(name));
  const empty = offered?.length === 0 ? ["nothing"] : [];
  return [...empty, ...unknown].map(
    (found) => `ASSENT_GRANT_TYPES: found ${found}, wanted names of ${known.join(", ")}`,
  );
}

/** All that is wrong with a configuration, one line each: the key, what was found, what was wanted. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** A key of the file that is code, and so has no variable. */
const CUSTOM_GRANTS = "customGrants";

import type { BrandColors } from "./pages/index.ts";

export const SECRET_MISSING =
  "ASSENT_SECRET: found nothing, wanted 32 or more random bytes in base64 (openssl rand -base64 32): all servers of one PostgreSQL share it";
export const TLS_HALF = "ASSENT_TLS_CERT, ASSENT_TLS_KEY: found one without the other, wanted both or neither";

/** Variables that start with ASSENT_ and are for others: the tests' own. */
const FOREIGN = /^ASSENT_(TEST|BENCH)_/;

/** Reads environment and file. Throws a `ConfigError` that names every problem at once. */
export async function loadConfig(environment: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): Promise<Config> {
  const problems: string[] = [];
  const file = await readFile(environment["ASSENT_CONFIG"], cwd, problems);
  return build({ environment, file, cwd, problems });
}

/** The configuration for those who embed the server: only what differs from the defaults. */
export function configOf(values: Partial<Config>, cwd = process.cwd()): Config {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
  const config = { ...build({ environment: {}, file: {}, cwd, problems: [] }), ...given };
  const issuer = settings.find(({ key }) => key === "issuer");
  if (issuer !== undefined && issuer.parse(config.issuer) === undefined) {
    throw new ConfigError([`issuer: found ${JSON.stringify(config.issuer)}, wanted ${issuer.wanted}`]);
  }
  const problems = grantProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
  if (isPostgresUrl(config.databaseUrl) && config.secret === null) throw new ConfigError([SECRET_MISSING]);
  return Object.freeze({
    ...config,
    databaseUrl: values.databaseUrl ?? `sqlite:${resolve(cwd, config.dataDir, "assent.db")}`,
  });
}

interface Sources {
  readonly environment: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly problems: string[];
}

function build({ environment, file, cwd, problems }: Sources): Config {
  const values: Record<string, unknown> = defaultsOf(cwd);
  const warnings: string[] = [];
  const byVariable = new Map<string, Setting>(settings.map((setting) => [setting.variable, setting]));
  const byKey = new Map<string, Setting>(settings.map((setting) => [setting.key, setting]));
  for (const [key, value] of Object.entries(file)) {
    const setting = byKey.get(key);
    if (key === CUSTOM_GRANTS) values[key] = value;
    else if (setting === undefined)
      problems.push(`${key} in assent.config: unknown key; known are ${[...byKey.keys(), CUSTOM_GRANTS].join(", ")}`);
    else if (environment[setting.variable] === undefined)
      read(setting, String(value), `${key} in assent.config`, values, problems);
  }
  for (const [name, value] of Object.entries(environment)) {
    if (!name.startsWith("ASSENT_") || name === "ASSENT_CONFIG" || FOREIGN.test(name) || value === undefined) continue;
    const setting = byVariable.get(name);
    if (setting === undefined)
      problems.push(`${name}: unknown variable; docs/reference/configuration.md has those there are`);
    else if (value !== "") read(setting, value, name, values, problems);
  }
  values["dataDir"] = resolve(cwd, String(values["dataDir"]));
  values["databaseUrl"] ??= `sqlite:${resolve(String(values["dataDir"]), "assent.db")}`;
  for (const key of ["tlsCert", "tlsKey", "tlsClientCa"]) {
    if (typeof values[key] === "string") values[key] = resolve(cwd, values[key]);
  }
  if ((values["tlsCert"] === null) !== (values["tlsKey"] === null)) problems.push(TLS_HALF);
  if (values["tlsCert"] !== null && String(values["issuer"]).startsWith("http:")) {
    problems.push("ASSENT_TLS_CERT: TLS ends here, but ASSENT_ISSUER is http; wanted https");
  }
  if (values["signUp"] === true && values["smtpUrl"] === null) {
    warnings.push("ASSENT_SIGN_UP is true, but nobody can sign up: without ASSENT_SMTP_URL no link is sent");
  }
  problems.push(...grantProblems(values as unknown as Config));
  if (isPostgresUrl(String(values["databaseUrl"])) && values["secret"] === null) problems.push(SECRET_MISSING);
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...(values as unknown as Config), warnings });
}

function read(setting: Setting, text: string, name: string, values: Record<string, unknown>, problems: string[]): void {
  const parsed = setting.parse(text.trim());
  if (parsed === undefined) {
    // A secret's value is never repeated, not even a wrong one's.
    const found = setting.secret === true ? `a value of ${text.length} characters` : JSON.stringify(text.slice(0, 100));
    const problem = setting.problem?.(text.trim());
    problems.push(`${name}: found ${found}${problem === undefined ? "" : ` (${problem})`}, wanted ${setting.wanted}`);
  } else {
    values[setting.key] = parsed;
  }
}

async function readFile(
  named: string | undefined,
  cwd: string,
  problems: string[],
): Promise<Readonly<Record<string, unknown>>> {
  const candidates = named ? [named] : ["assent.config.ts", "assent.config.js", "assent.config.json"];
  const path = candidates.map((name) => resolve(cwd, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) {
    if (named) problems.push(`ASSENT_CONFIG: found ${JSON.stringify(named)}, wanted the path of a file that exists`);
    return {};
  }
  try {
    const options = path.endsWith(".json") ? { with: { type: "json" } } : {};
    const module = (await import(pathToFileURL(path).href, options)) as { default?: unknown };
    if (typeof module.default === "object" && module.default !== null) return module.default as Record<string, unknown>;
    problems.push(`${path}: found no object, wanted a default export with settings`);
  } catch (error) {
    problems.push(`${path}: cannot be read (${withoutText(error)})`);
  }
  return {};
}

/** What is wrong with a file, without the piece of it that JSON's errors quote: a secret may stand there. */
function withoutText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/,? (?:\.{3})?".*"(?:\.{3})? is not valid JSON/s, " in what is not valid JSON");
}
