/** The data directory: the embedded database and the secret, readable by their owner only. */

import { randomBytes } from "node:crypto";
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { userInfo } from "node:os";
import { dirname, join, relative } from "node:path";
import { type Config, ConfigError } from "./config.ts";

/** The path of the database file. Undefined: the database is no file. */
export function databaseFile({ databaseUrl }: Pick<Config, "databaseUrl">): string | undefined {
  return /^sqlite:(.+)$/.exec(databaseUrl)?.[1];
}

/** The path of the file with the secret. Undefined: the configuration itself has the secret. */
export function secretFile({ secret, dataDir }: Pick<Config, "secret" | "dataDir">): string | undefined {
  return secret === null ? join(dataDir, "secret") : undefined;
}

/** The server's files and directories, whether they exist or not, with the widest mode that each may have. */
export function ownFiles(config: Config): readonly { readonly path: string; readonly mode: number }[] {
  const database = databaseFile(config);
  const files = database === undefined ? [] : [database, `${database}-wal`, `${database}-shm`];
  const secret = secretFile(config);
  if (secret !== undefined) files.push(secret);
  const inside = files.some((file) => !relative(config.dataDir, file).startsWith(".."));
  return [...(inside ? [{ path: config.dataDir, mode: 0o700 }] : []), ...files.map((path) => ({ path, mode: 0o600 }))];
}

/** The files that other users of this machine can read or write, one line each with the fix. Empty: none. */
export function looseFiles(config: Config): readonly string[] {
  return ownFiles(config).flatMap(({ path, mode }) => {
    const found = statSync(path, { throwIfNoEntry: false })?.mode;
    if (found === undefined || (found & 0o077) === 0) return [];
    return [
      `${path}: found mode ${octal(found & 0o777)}, wanted ${octal(mode)} (others on this machine can reach it): chmod ${mode.toString(8)} ${path}`,
    ];
  });
}

/** Written by the demo, with the password of its user. */
const DEMO_FILE = "demo.json";

/** Warns that the data of a public server has the demo's user and apps. */
export function demoRemarks({ dataDir, issuer }: Pick<Config, "dataDir" | "issuer">): readonly string[] {
  const path = join(dataDir, DEMO_FILE);
  if (issuer.startsWith("http:") || !existsSync(path)) return [];
  return [
    `${path}: the demo used this database, so it contains the demo user, apps and API: use an empty ASSENT_DATA_DIR, or delete them (assent user delete demo) and this file`,
  ];
}

/**
 * Creates the directories of the database and the secret. Throws a `ConfigError` if other users may read or write
 * existing ones.
 */
export function prepareDataDir(config: Config): void {
  const database = databaseFile(config);
  const folders = [config.secret === null ? config.dataDir : undefined, database && dirname(database)];
  const used = [...new Set(folders.filter((folder) => folder !== undefined))];
  for (const folder of used) if (existsSync(folder)) use(folder, config);
  tightenIfNew(config);
  const problems = looseFiles(config);
  if (problems.length > 0) throw new ConfigError(problems);
  for (const folder of used) if (!existsSync(folder)) use(folder, config);
}

/** Makes the directory if it isn't there. Throws a `ConfigError` if this user can't make it, or can't write to it. */
function use(folder: string, { dataDir }: Config): void {
  try {
    // Node's recursive mkdir tries for ever where the parent is there but refuses with ENOENT, as /proc does.
    if (!existsSync(folder)) mkdirSync(folder, { recursive: !existsSync(dirname(folder)), mode: 0o700 });
    else if (!statSync(folder).isDirectory()) throw Object.assign(new Error("a file"), { code: "ENOTDIR" });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new ConfigError([unusable(folder === dataDir ? "ASSENT_DATA_DIR" : "ASSENT_DATABASE_URL", folder, error)]);
  }
}

/** The setting, the path, who can't use it, why, and what to do. */
function unusable(setting: string, folder: string, error: unknown): string {
  const { code = "unknown fault" } = error as NodeJS.ErrnoException;
  const user = `${userName()} (uid ${process.getuid?.() ?? "unknown"})`;
  if (code === "ENOTDIR" && existsSync(folder)) {
    return `${setting}: ${folder} is a file, and the data needs a directory: set ${setting} to another place`;
  }
  if (existsSync(folder)) {
    return `${setting}: the user ${user} can't write to ${folder} (${code}): give it to this user (chown ${process.getuid?.() ?? "USER"} ${folder}; chmod 700 ${folder}), or set ${setting} to another place`;
  }
  return `${setting}: the user ${user} can't create the directory ${folder} (${code}): create it and give it to this user, or set ${setting} to another place`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return "without a name";
  }
}

/**
 * An empty directory of this user, new from mkdir or a volume, gets the narrow mode. The mode of a directory with files
 * is somebody's decision.
 */
function tightenIfNew({ dataDir, secret }: Config): void {
  const found = statSync(dataDir, { throwIfNoEntry: false });
  if (secret !== null || found?.isDirectory() !== true || found.uid !== process.getuid?.()) return;
  if (readdirSync(dataDir).length === 0) chmodSync(dataDir, 0o700);
}

/** The secrets of the configuration, or those in the data directory. */
export function secretsOf(config: Config): readonly Buffer[] {
  return config.secret ?? secretOf(config.dataDir);
}

/** The secret in `<data dir>/secret`, which is created if it does not exist. */
export function secretOf(dataDir: string): readonly Buffer[] {
  const path = join(dataDir, "secret");
  if (!existsSync(path)) makeSecret(dataDir, path);
  const mode = statSync(path).mode & 0o777;
  if ((mode & 0o077) !== 0) {
    throw new ConfigError([
      `${path}: found mode ${octal(mode)}, wanted 0600 (others on this machine can read the secret): chmod 600 ${path}`,
    ]);
  }
  const secrets = readFileSync(path, "utf8")
    .trim()
    .split(",")
    .map((one) => Buffer.from(one, "base64"));
  if (secrets.some((one) => one.length < 32)) {
    throw new ConfigError([`${path}: wanted 32 or more random bytes in base64, or a comma-separated list of such`]);
  }
  return secrets;
}

/**
 * Written under another name and then linked, so that a process that starts at the same time finds the whole file or
 * none.
 */
function makeSecret(dataDir: string, path: string): void {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.${randomBytes(6).toString("hex")}`;
  writeFileSync(draft, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600, flag: "wx", flush: true });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    unlinkSync(draft);
  }
}

function octal(mode: number): string {
  return `0${mode.toString(8).padStart(3, "0")}`;
}
