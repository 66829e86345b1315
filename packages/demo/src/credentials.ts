/** What the demo writes into the data directory: how to sign in (demo.json), and the app's own secret. */

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

/** What the app signs in with. The server keeps a hash of the secret alone, so that the app needs a place of its own. */
export interface ClientFile {
  readonly client_id: string;
  readonly client_secret: string;
}

/** What `assent demo device` needs: who it is, and where. It has no secret. */
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

/** The password of an earlier start; undefined: there is no such file, or not in a form that we write. */
export function knownPassword(dataDir: string, username: string): string | undefined {
  const file = readTexts(join(dataDir, DEMO_FILE), ["username", "password"]);
  return file?.["username"] === username && (file["password"]?.length ?? 0) >= 8 ? file["password"] : undefined;
}

/** The app's id and secret of an earlier start. */
export function knownClient(dataDir: string): ClientFile | undefined {
  const file = readTexts(join(dataDir, CLIENT_FILE), ["client_id", "client_secret"]);
  return file && { client_id: file["client_id"] ?? "", client_secret: file["client_secret"] ?? "" };
}

/** A file's members; undefined: it is gone, broken, or one of the members isn't a text. */
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

/** Writes demo.json for its owner's eyes alone; gives its path. */
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

/** What the demo that was started last has left for its device; undefined: none was, or its file is broken. */
export function knownDevice(dataDir: string): DeviceFile | undefined {
  const file = readTexts(join(dataDir, DEVICE_FILE), ["issuer", "api_url", "client_id"]);
  return file && { issuer: file["issuer"] ?? "", api_url: file["api_url"] ?? "", client_id: file["client_id"] ?? "" };
}

/** Made beside its place and moved there: nobody reads half a file, and an old one's wider mode is gone. */
function writePrivately(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
