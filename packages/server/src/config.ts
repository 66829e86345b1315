/**
 * The configuration: one typed, frozen object. The environment has precedence over assent.config.*, and that over
 * defaults.
 */

import { existsSync, type Stats, statSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type SettingKey, type SettingValues, settingKeys, settingOf } from "./config-settings.ts";
import type { CustomClaims } from "./configured-claims.ts";
import type { ExistingPeople } from "./configured-people.ts";
import type { Policies } from "./configured-policies.ts";
import { type CustomGrant, customGrantProblems } from "./oauth/grants/custom-grant-interface.ts";
import { grantTypeNames } from "./oauth/grants/registry.ts";
import type { ExternalSignIn } from "./owners/identities/external-sign-in.ts";
import { isPostgresUrl } from "./storage/postgres/database-url.ts";

export { nodeFaults, nodeOrigin } from "./node-runtime.ts";

/** Every setting. Times are in milliseconds; paths are absolute. */
export interface Config extends SettingValues {
  /** `sqlite:<path>` or `postgres://user:password@host:port/database`. */
  readonly databaseUrl: string;
  /** Your own grant types, in addition to the built-in ones, from `customGrants` in assent.config.ts or .js. */
  readonly customGrants: readonly CustomGrant[];
  /** Your own claims, in addition to those of people's data, from `customClaims` in assent.config.ts or .js. */
  readonly customClaims: readonly CustomClaims[];
  /** People whom your application knows already, from `people` in assent.config.ts or .js. Null: none. */
  readonly people: ExistingPeople | null;
  /** Your own sign-in page, from `externalSignIn` in assent.config.ts, .js or .json. Null: none. */
  readonly externalSignIn: ExternalSignIn | null;
  /** Your rules about tokens and sign-ins, from `policies` in assent.config.ts or .js. Null: none. */
  readonly policies: Policies | null;
  /** Settings that have no effect, or are risky. The server logs them at the start. */
  readonly warnings: readonly string[];
}

/**
 * Which client certificates can arrive: over TLS that ends here, or in the header of a trusted proxy. `issued`: the
 * server can verify their issuer.
 */
export function certificatesKnown(config: Config): { any: boolean; issued: boolean } {
  const proxied = config.trustProxy.length > 0 && config.clientCertHeader !== null;
  const arrive = proxied || config.tlsCert !== null;
  return { any: arrive, issued: arrive && config.tlsClientCa !== null };
}

/** Problems with the grant types of a configuration, one line each. */
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

/** All problems of a configuration, one line each: the key, the found value, the required form. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join("\n"));
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** The keys of the file that are code or objects, so they have no variable. */
const CUSTOM_GRANTS = "customGrants";
const CUSTOM_CLAIMS = "customClaims";
const PEOPLE = "people";
const EXTERNAL_SIGN_IN = "externalSignIn";
const POLICIES = "policies";

/** Problems with the claims of a configuration, one line each. */
async function claimsProblems({ customClaims }: { readonly customClaims?: unknown }): Promise<readonly string[]> {
  if (customClaims === undefined || (Array.isArray(customClaims) && customClaims.length === 0)) return [];
  return (await import("./configured-claims.ts")).customClaimsProblems(customClaims);
}

/** Problems with the people of a configuration, one line each. */
async function peopleProblems({ people }: { readonly people?: unknown }): Promise<readonly string[]> {
  if (people == null) return [];
  return (await import("./configured-people.ts")).existingPeopleProblems(people);
}

/** Problems with the sign-in page of a configuration, one line each. */
async function externalSignInProblems({
  externalSignIn,
}: {
  readonly externalSignIn?: unknown;
}): Promise<readonly string[]> {
  if (externalSignIn == null) return [];
  return (await import("./configured-external-sign-in.ts")).externalSignInProblems(externalSignIn);
}

/** Problems with the policies of a configuration, one line each. */
async function policyProblems({ policies }: { readonly policies?: unknown }): Promise<readonly string[]> {
  if (policies == null) return [];
  return (await import("./configured-policies.ts")).policiesProblems(policies);
}

export const SECRET_MISSING =
  "ASSENT_SECRET: found nothing, wanted 32 or more random bytes in base64 (openssl rand -base64 32); all servers on one PostgreSQL need the same secret";
export const TLS_HALF = "ASSENT_TLS_CERT, ASSENT_TLS_KEY: found one without the other, wanted both or neither";

/** Variables that start with ASSENT_ and belong to others, for example tests. */
const FOREIGN = /^ASSENT_(TEST|BENCH)_/;

/** Problems with what has no variable, except grant types. */
async function codeProblems(values: {
  readonly customClaims?: unknown;
  readonly people?: unknown;
  readonly externalSignIn?: unknown;
  readonly policies?: unknown;
}): Promise<readonly string[]> {
  return [
    ...(await claimsProblems(values)),
    ...(await peopleProblems(values)),
    ...(await externalSignInProblems(values)),
    ...(await policyProblems(values)),
  ];
}

/** Throws a `ConfigError` with all problems of code in it: an embedder may have set it in another way. */
export async function checkCode(
  config: Pick<Config, "customClaims" | "people" | "externalSignIn" | "policies">,
): Promise<void> {
  const problems = await codeProblems(config);
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Reads environment and file. Throws a `ConfigError` that names every problem at once. */
export async function loadConfig(environment: NodeJS.ProcessEnv = process.env, cwd = process.cwd()): Promise<Config> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const file = await readFile(environment["ASSENT_CONFIG"], cwd, problems, warnings);
  problems.push(...(await codeProblems(file)));
  return build({ environment, file, cwd, problems, warnings });
}

/**
 * The configuration for programs that embed the server: give only the values that differ from the defaults. Throws a
 * `ConfigError` that names every value outside its limits.
 */
export function configOf(values: Partial<Config>, cwd = process.cwd()): Config {
  const config = withDefaults(values, cwd);
  const problems = [
    ...settingKeys.flatMap((key) => valueProblems(key, config)),
    ...grantProblems(config),
    ...secretProblems(config),
  ];
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze(config);
}

function valueProblems<Key extends SettingKey>(key: Key, config: SettingValues): readonly string[] {
  const setting = settingOf[key];
  if (accepts(setting, config[key])) return [];
  const found = setting.secret === true ? "a value out of bounds" : JSON.stringify(config[key]);
  return [`${key}: found ${found}, wanted ${setting.wanted}`];
}

/** An embedder may write JavaScript, so a value of another type is refused, too. */
function accepts<T>({ accepts: judge }: { accepts(value: T): boolean }, value: T): boolean {
  try {
    return judge(value);
  } catch {
    return false;
  }
}

/** Sets missing values, and makes paths absolute. */
function withDefaults(values: Partial<Config>, cwd: string): Config {
  const set = {
    ...defaults(),
    customGrants: [],
    customClaims: [],
    people: null,
    externalSignIn: null,
    policies: null,
    warnings: [],
    ...withoutUndefined(values),
  };
  const dataDir = resolve(cwd, set.dataDir);
  const absolute = (path: string | null) => (path === null ? null : resolve(cwd, path));
  return {
    ...set,
    dataDir,
    databaseUrl: set.databaseUrl ?? `sqlite:${resolve(dataDir, "assent.db")}`,
    tlsCert: absolute(set.tlsCert),
    tlsKey: absolute(set.tlsKey),
    tlsClientCa: absolute(set.tlsClientCa),
  };
}

function defaults(): SettingValues {
  return Object.fromEntries(settingKeys.map((key) => [key, settingOf[key].initial])) as SettingValues;
}

function withoutUndefined<T extends object>(values: T): T {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as T;
}

interface Sources {
  readonly environment: NodeJS.ProcessEnv;
  readonly file: Readonly<Record<string, unknown>>;
  readonly cwd: string;
  readonly problems: string[];
  /** Warnings about the file itself. */
  readonly warnings: readonly string[];
}

/** The values that environment and file set. */
type Read = { -readonly [Key in keyof Config]?: Config[Key] };

function build({ environment, file, cwd, problems, warnings }: Sources): Config {
  const values: Read = {};
  for (const [key, value] of Object.entries(file)) {
    if (key === CUSTOM_GRANTS) values.customGrants = value as readonly CustomGrant[];
    else if (key === CUSTOM_CLAIMS) values.customClaims = value as readonly CustomClaims[];
    else if (key === PEOPLE) values.people = value as ExistingPeople;
    else if (key === EXTERNAL_SIGN_IN) values.externalSignIn = value as ExternalSignIn;
    else if (key === POLICIES) values.policies = value as Policies;
    else if (!isSettingKey(key))
      problems.push(
        `${key} in assent.config: unknown key; the known keys are ${[...settingKeys, CUSTOM_GRANTS, CUSTOM_CLAIMS, PEOPLE, EXTERNAL_SIGN_IN, POLICIES].join(", ")}`,
      );
    else if (environment[settingOf[key].variable] === undefined)
      read(key, String(value), `${key} in assent.config`, values, problems);
  }
  for (const [name, text] of Object.entries(environment)) {
    if (!name.startsWith("ASSENT_") || name === "ASSENT_CONFIG" || FOREIGN.test(name) || text === undefined) continue;
    const key = settingKeys.find((one) => settingOf[one].variable === name);
    if (key === undefined)
      problems.push(`${name}: unknown variable; docs/reference/configuration.md lists the known ones`);
    else if (text !== "") read(key, text, name, values, problems);
  }
  const config = withDefaults(values, cwd);
  problems.push(...tlsProblems(config), ...grantProblems(config), ...secretProblems(config));
  if (problems.length > 0) throw new ConfigError(problems);
  return Object.freeze({ ...config, warnings: [...warnings, ...warningsOf(config)] });
}

function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(settingOf, key);
}

function tlsProblems({ tlsCert, tlsKey, issuer }: Config): readonly string[] {
  const half = (tlsCert === null) !== (tlsKey === null) ? [TLS_HALF] : [];
  const plain = tlsCert !== null && issuer.startsWith("http:");
  return plain ? [...half, "ASSENT_TLS_CERT: TLS ends here, but ASSENT_ISSUER is http; wanted https"] : half;
}

function secretProblems({ databaseUrl, secret }: Config): readonly string[] {
  return isPostgresUrl(databaseUrl) && secret === null ? [SECRET_MISSING] : [];
}

/** The warnings for a server's log. If messages to people go to the log, people can sign up without a mail server. */
export function warningsAtStart(
  { warnings }: Pick<Config, "warnings">,
  { dangerouslyLogMail: logsMail = false }: { readonly dangerouslyLogMail?: boolean },
): readonly string[] {
  return warnings.filter((one) => one !== NO_SIGN_UP || !logsMail);
}

const NO_SIGN_UP =
  "ASSENT_SIGN_UP is true, but nobody can sign up, because the server sends no mail without ASSENT_SMTP_URL";

function warningsOf(config: Config): readonly string[] {
  const { signUp, smtpUrl, trustProxy, clientCertHeader, tlsClientCa, consentCeiling, outboundAllow } = config;
  const warnings: string[] = [];
  if (outboundAllow.length > 0)
    warnings.push(
      `ASSENT_OUTBOUND_ALLOW is ${outboundAllow.join(",")}: the server may send requests to these addresses although they are not public`,
    );
  if (signUp && smtpUrl === null) warnings.push(NO_SIGN_UP);
  if (clientCertHeader !== null && trustProxy.length === 0)
    warnings.push(
      "ASSENT_CLIENT_CERT_HEADER has no effect without ASSENT_TRUST_PROXY, the proxies whose header the server reads",
    );
  if (tlsClientCa !== null && !certificatesKnown(config).any)
    warnings.push(
      "ASSENT_TLS_CLIENT_CA has no effect without ASSENT_TLS_CERT, or ASSENT_TRUST_PROXY and ASSENT_CLIENT_CERT_HEADER",
    );
  if (config.registration === "open")
    warnings.push(
      "ASSENT_REGISTRATION is open: anybody can register a client and show owners its consent page, within limits",
    );
  if (consentCeiling === "none")
    warnings.push(
      "ASSENT_CONSENT_CEILING is none: if an owner chooses no end, refresh tokens of public clients never expire (RFC 9700 §4.14.2)",
    );
  return warnings;
}

function read<Key extends SettingKey>(key: Key, text: string, name: string, values: Read, problems: string[]): void {
  const { parse, problem, secret, wanted } = settingOf[key];
  const parsed = parse(text.trim());
  if (parsed === undefined) {
    // A message never repeats a secret's value, not even a wrong one.
    const found = secret === true ? `a value of ${text.length} characters` : JSON.stringify(text.slice(0, 100));
    const why = problem?.(text.trim());
    problems.push(`${name}: found ${found}${why === undefined ? "" : ` (${why})`}, wanted ${wanted}`);
  } else {
    Object.assign(values, { [key]: parsed });
  }
}

async function readFile(
  named: string | undefined,
  cwd: string,
  problems: string[],
  warnings: string[],
): Promise<Readonly<Record<string, unknown>>> {
  const candidates = named ? [named] : ["assent.config.ts", "assent.config.js", "assent.config.json"];
  const path = candidates.map((name) => resolve(cwd, name)).find((candidate) => existsSync(candidate));
  if (path === undefined) {
    if (named)
      problems.push(`ASSENT_CONFIG or --config: found ${JSON.stringify(named)}, wanted the path of a file that exists`);
    return {};
  }
  const file = statSync(path);
  const uid = process.getuid?.();
  const unsafe = unsafeFile(file, uid, named !== undefined && named !== "");
  if (unsafe !== undefined) {
    problems.push(`${path}: not read, because ${unsafe}`);
    return {};
  }
  if (uid !== undefined && isForGroup(file))
    warnings.push(`${path}: its group (gid ${file.gid}) can change it, and with it the code of this server: chmod g-w`);
  try {
    const options = path.endsWith(".json") ? { with: { type: "json" } } : {};
    const module = (await import(pathToFileURL(path).href, options)) as { default?: unknown };
    if (typeof module.default === "object" && module.default !== null) return module.default as Record<string, unknown>;
    problems.push(`${path}: found no object, wanted a default export with the settings`);
  } catch (error) {
    problems.push(`${path}: cannot be read (${withoutText(error)})`);
  }
  return {};
}

/**
 * Why a configuration file is not read: somebody else could have written it, and it may be code. `uid`: the user of
 * this process; undefined if the system has none. `named`: ASSENT_CONFIG names the file, so the operator has chosen it.
 */
export function unsafeFile(
  file: Pick<Stats, "uid" | "mode">,
  uid: number | undefined,
  named: boolean,
): string | undefined {
  if (uid === undefined) return undefined;
  if ((file.mode & 0o002) !== 0) return "everybody on this machine can change it: chmod o-w";
  if (named || file.uid === uid || file.uid === 0) return undefined;
  return `it belongs to another user (uid ${file.uid}): if you trust it, set ASSENT_CONFIG to its path; otherwise change its owner`;
}

/**
 * True: a group may write the file. The server reads it all the same, because orchestrators give mounted files a group
 * and its rights. A group with the owner's number counts as the owner's own, as on most systems.
 */
export function isForGroup(file: Pick<Stats, "uid" | "gid" | "mode">): boolean {
  return (file.mode & 0o020) !== 0 && file.gid !== file.uid;
}

/** The error about a file, without the text that JSON's errors quote, because it may be a secret. */
function withoutText(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/,? (?:\.{3})?".*"(?:\.{3})? is not valid JSON/s, " in what is not valid JSON");
}

/** In milliseconds. */
const YEAR = 31_536_000_000;

/** A public client proves nothing when it refreshes, so its refresh tokens have an absolute end (RFC 9700 §4.14.2). */
export function consentCeilings({ consentCeiling: set }: Pick<Config, "consentCeiling">) {
  if (set === null) return { consentCeilingPublic: YEAR, consentCeilingConfidential: null };
  const ceiling = set === "none" ? null : set;
  return { consentCeilingPublic: ceiling, consentCeilingConfidential: ceiling };
}
