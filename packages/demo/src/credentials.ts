/** What the demo writes into the data directory: how to sign in (demo.json), and the app's own secret. */

import { randomBytes, randomInt } from "node:crypto";
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

export const DEMO_FILE = "demo.json";

/** The app's secret. The server keeps a hash of it alone, so that the app needs a place of its own. */
const SECRET_FILE = "demo-client-secret";

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
  try {
    const file: unknown = JSON.parse(readFileSync(join(dataDir, DEMO_FILE), "utf8"));
    if (typeof file !== "object" || file === null) return undefined;
    const { username: name, password } = file as Partial<Record<string, unknown>>;
    return name === username && typeof password === "string" && password.length >= 8 ? password : undefined;
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

/** The app's client secret: that of the first start, or a new one where its file is gone. */
export function clientSecret(dataDir: string): string {
  const path = join(dataDir, SECRET_FILE);
  try {
    const secret = readFileSync(path, "utf8").trim();
    if (/^cs_[A-Za-z0-9_-]{43}$/.test(secret)) return secret;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const secret = `cs_${randomBytes(32).toString("base64url")}`;
  writePrivately(path, `${secret}\n`);
  return secret;
}

/** Made beside its place and moved there: nobody reads half a file, and an old one's wider mode is gone. */
function writePrivately(path: string, text: string): void {
  mkdirSync(join(path, ".."), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: "wx" });
  renameSync(draft, path);
}
