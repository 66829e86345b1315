/** A fingerprint of what owners see of a client that describes itself. */

import { hash } from "node:crypto";
import type { Client } from "../oauth/model.ts";

/**
 * It is the same only if the owner sees the same: its 132 bits are too many for a publisher who looks for two
 * appearances with one fingerprint. `logo`: whatever names the picture.
 */
export function appearanceOf({ name, names }: Pick<Client, "name" | "names">, logo: string | null): string {
  const texts = Object.entries(names ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return hash("sha256", JSON.stringify([name, texts, logo]), "base64url").slice(0, 22);
}
