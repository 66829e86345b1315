/** Usernames and addresses that are new here, judged more strictly than those that sign in already. */

import { digitProblem, HIDING, hiddenProblem, markProblem } from "../oauth/names/characters.ts";
import { usernameLookAlike } from "../oauth/names/look-alikes.ts";
import { isHighlyRestrictive } from "../oauth/names/scripts.ts";
import { canonicalEmail, canonicalUsername } from "./names.ts";

/** A username that is new here. `lookAlike`: another one that it looks like, and that nobody else may have beside it; null: none. */
export interface NewUsername {
  readonly username: string;
  readonly lookAlike: string | null;
}

/** For a new account: what `canonicalUsername` takes, if it can't pass for another name (UTS #39). */
export function newUsername(text: string): NewUsername | undefined {
  const username = canonicalUsername(text);
  if (username === undefined || usernameProblem(text) !== undefined) return undefined;
  return { username, lookAlike: usernameLookAlike(username) };
}

/** Why a text may not be a new username; undefined: it may. Older ones may be, and go on to sign in. */
export function usernameProblem(text: string): string | undefined {
  const username = canonicalUsername(text);
  if (username === undefined)
    return "it is 1 to 64 letters, digits and . _ - of any script, a letter or digit first, no dot last";
  if (/^[\x21-\x7e]+$/.test(username)) return undefined;
  if (!isHighlyRestrictive(username)) return "it mixes letters of several scripts";
  if (/[^\p{L}\p{M}\p{Nd}._-]/u.test(username)) return "it has a number that is no digit";
  // Text may have what shapes a word without being seen; two usernames must not differ by that alone.
  if (/\p{Default_Ignorable_Code_Point}/u.test(username)) return HIDING;
  return markProblem(username) ?? digitProblem(username);
}

/** For an address that is new here: what `canonicalEmail` takes, if each character can be seen. `stands`: the one before, which may stay. */
export function newEmail(text: string, stands?: string): string | undefined {
  const email = canonicalEmail(text);
  if (email === undefined || email === stands) return email;
  return hiddenProblem(email) === undefined && markProblem(email) === undefined ? email : undefined;
}
