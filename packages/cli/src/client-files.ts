/** Files that options of clients name. */

import { createReadStream } from "node:fs";
import { Failure } from "./command-errors.ts";
import { pictureOf } from "./picture-file.ts";

/** The JSON of a file. */
export async function jsonOf(file: string): Promise<unknown> {
  const { MAX_JWKS_BYTES } = await import("@assent/server/admin");
  const source = file === "-" ? process.stdin : createReadStream(file);
  let text = "";
  try {
    for await (const chunk of source) {
      text += String(chunk);
      if (text.length > MAX_JWKS_BYTES) break;
    }
  } catch (error) {
    throw new Failure(`${file}: the file can't be read (${(error as Error).message})`);
  }
  if (text.length > MAX_JWKS_BYTES) throw new Failure(`${file}: the file is larger than ${MAX_JWKS_BYTES} bytes`);
  try {
    return JSON.parse(text);
  } catch {
    // Text that can't be parsed may be a private key, so the error repeats none of it.
    throw new Failure(`${file}: the file is not JSON`);
  }
}

export async function logoOf(file: string): Promise<Uint8Array> {
  const { MAX_LOGO_BYTES } = await import("@assent/server/admin");
  return pictureOf(file, MAX_LOGO_BYTES);
}
