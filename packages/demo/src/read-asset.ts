/** Reads files of `assets/`, which is beside the sources, and beside the built files in the published package. */

import { readFileSync } from "node:fs";

const FOLDER = new URL("../assets/", import.meta.url);

export function assetUrl(name: string): URL {
  return new URL(name, FOLDER);
}

export function readAsset(name: string): Buffer {
  return readFileSync(assetUrl(name));
}
