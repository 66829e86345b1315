/** When the access of an app ends after it was revoked. */
import type { Chrome } from "../chrome.ts";
import { fill, plural } from "../messages/index.ts";

/** Says when access ends, in minutes from now. Below 1: at once. */
export function accessEnds(stopsIn: number, { words }: Chrome): string {
  if (stopsIn < 1) return words.apps.stopsAtOnce;
  return fill(plural(words.language, words.apps.stopsSoon, stopsIn), { count: stopsIn });
}
