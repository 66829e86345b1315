/** The rules for new usernames and addresses, which are stricter than those for existing ones. */

import { digitProblem, HIDING, hiddenProblem, markProblem } from "../oauth/names/forbidden-characters.ts";
import { usernameLookAlike } from "../oauth/names/look-alikes.ts";
import { isHighlyRestrictive } from "../oauth/names/mixed-scripts.ts";
import { canonicalEmail, canonicalUsername } from "./canonical-login.ts";

/** A new username. `lookAlike`: the form that it looks like, which nobody else can have. Null: none. */
export interface NewUsername {
  readonly username: string;
  readonly lookAlike: string | null;
}

/** For a new account: a text that `canonicalUsername` accepts and that does not pass for another name (UTS #39). */
export function newUsername(text: string): NewUsername | undefined {
  const username = canonicalUsername(text);
  if (username === undefined || usernameProblem(text) !== undefined) return undefined;
  return { username, lookAlike: usernameLookAlike(username) };
}

/** Why a text can't be a new username. Undefined: it can. Older usernames that break this rule can still sign in. */
export function usernameProblem(text: string): string | undefined {
  const username = canonicalUsername(text);
  if (username === undefined)
    return "use 1 to 64 letters and digits of any script, and . _ -, with a letter or digit first and no dot last";
  if (/^[\x21-\x7e]+$/.test(username)) return undefined;
  if (!isHighlyRestrictive(username)) return "the letters must be from one script";
  if (/[^\p{L}\p{M}\p{Nd}._-]/u.test(username)) return "numbers must be digits";
  // Text can hold invisible characters that shape a word; two usernames must not differ by these alone.
  if (/\p{Default_Ignorable_Code_Point}/u.test(username)) return HIDING;
  return markProblem(username) ?? digitProblem(username);
}

/**
 * For a new address: a text that `canonicalEmail` accepts, with visible characters only. `stands`: the present address,
 * which may stay.
 */
export function newEmail(text: string, stands?: string): string | undefined {
  const email = canonicalEmail(text);
  if (email === undefined || email === stands) return email;
  return hiddenProblem(email) === undefined && markProblem(email) === undefined ? email : undefined;
}
