/** The files that the demo writes into the data directory: how to sign in (demo.json), and the app's own secret. */

import { randomInt } from "node:crypto";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `<data dir>/demo.json`: for people, and for programs that drive the demo. */
export interface DemoFile {
  readonly issuer: string;
  readonly client_url: string;
  readonly api_url: string;
  readonly username: string;
  readonly password: string;
}

const DEMO_FILE = "demo.json";

/** The app's credentials. The server keeps only a hash of the secret, so the app must store it itself. */
export interface ClientFile {
  readonly client_id: string;
  readonly client_secret: string;
}

/** The client id and the addresses for `assent demo device`. It has no secret. */
export interface DeviceFile {
  readonly issuer: string;
  readonly api_url: string;
  readonly client_id: string;
}

const DEVICE_FILE = "demo-device.json";

const CLIENT_FILE = "demo-client.json";

const CONSONANTS = "bdfghjklmnprstvz";
const VOWELS = "aeiou";

/** A password that can be read aloud and typed: three words of three syllables, about 56 bits. */
export function readablePassword(): string {
  const letter = (letters: string) => letters.charAt(randomInt(letters.length));
  const word = () => Array.from({ length: 3 }, () => letter(CONSONANTS) + letter(VOWELS)).join("");
  return [word(), word(), word()].join("-");
}

/** The password of an earlier start; undefined: the file is missing or has another form. */
export function knownPassword(dataDir: string, username: string): string | undefined {
  const file = readTexts(join(dataDir, DEMO_FILE), ["username", "password"]);
  return file?.["username"] === username && (file["password"]?.length ?? 0) >= 8 ? file["password"] : undefined;
}

/** The app's id and secret of an earlier start. */
export function knownClient(dataDir: string): ClientFile | undefined {
  const file = readTexts(join(dataDir, CLIENT_FILE), ["client_id", "client_secret"]);
  return file && { client_id: file["client_id"] ?? "", client_secret: file["client_secret"] ?? "" };
}

/** The members of a file; undefined: it is missing or broken, or one of the members isn't a text. */
function readTexts(path: string, names: readonly string[]): Readonly<Record<string, string>> | undefined {
  try {
    const file: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (typeof file !== "object" || file === null) return undefined;
    const texts = new Map<string, unknown>(Object.entries(file));
    const found = names.map((name) => [name, texts.get(name)] as const);
    return found.every((one): one is readonly [string, string] => typeof one[1] === "string")
      ? Object.fromEntries(found)
      : undefined;
  } catch (error) {
    if (error instanceof SyntaxError || (error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

/** Writes demo.json so that only its owner can read it. Returns its path. */
export function writeDemoFile(dataDir: string, file: DemoFile): string {
  const path = join(dataDir, DEMO_FILE);
  writePrivately(path, `${JSON.stringify(file, null, 2)}\n`);
  return path;
}

export function writeClientFile(dataDir: string, file: ClientFile): void {
  writePrivately(join(dataDir, CLIENT_FILE), `${JSON.stringify(file, null, 2)}\n`);
}

export function writeDeviceFile(dataDir: string, file: DeviceFile): void {
  writePrivately(join(dataDir, DEVICE_FILE), `${JSON.stringify(file, null, 2)}\n`);
}

/** The file that the last start wrote for the device; undefined: there is none, or it is broken. */
export function knownDevice(dataDir: string): DeviceFile | undefined {
  const file = readTexts(join(dataDir, DEVICE_FILE), ["issuer", "api_url", "client_id"]);
  return file && { issuer: file["issuer"] ?? "", api_url: file["api_url"] ?? "", client_id: file["client_id"] ?? "" };
}

/**
 * Writes a file beside it and renames that file, so that nobody reads half a file and an older file's mode doesn't
 * stay.
 */
function writePrivately(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
