/** Files with pictures that options name. */

import { readFile, stat } from "node:fs/promises";
import { Failure } from "./command-errors.ts";

/** Reads a picture. Throws if it has more than `most` bytes. */
export async function pictureOf(file: string, most: number): Promise<Uint8Array> {
  try {
    const { size } = await stat(file);
    if (size <= most) return await readFile(file);
  } catch (error) {
    throw new Failure(`${file}: the file can't be read (${(error as Error).message})`);
  }
  throw new Failure(`${file}: the file is larger than ${most} bytes (${most / 1_048_576} MiB)`);
}
