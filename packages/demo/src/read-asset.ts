/** Files that the demo shows, beside its sources and beside what is built of them. */

import { readFileSync } from "node:fs";

const FOLDER = new URL("../assets/", import.meta.url);

export function assetUrl(name: string): URL {
  return new URL(name, FOLDER);
}

export function readAsset(name: string): Buffer {
  return readFileSync(assetUrl(name));
}
