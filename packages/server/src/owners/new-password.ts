/**
 * The rules for a password that somebody chooses (NIST SP 800-63B-4 §3.1.1.2): long enough, and not one that attackers
 * try first.
 */

export const MIN_PASSWORD = 8;
export const MAX_PASSWORD_BYTES = 1024;

/** What is wrong with a chosen password: the first rule that it breaks. */
export type PasswordProblem = "malformed" | "short" | "long" | "name" | "common";

export interface PasswordContext {
  /** The username and the e-mail address. */
  readonly names: readonly string[];
  /** True for a password that many people use, or that is one of `words` with a short ending. */
  isCommon(password: string, words: readonly string[]): boolean;
}

/** Undefined: the password is acceptable. Its length makes it strong, so there is no rule about its characters. */
export function passwordProblem(password: string, { names, isCommon }: PasswordContext): PasswordProblem | undefined {
  if (!password.isWellFormed() || password.includes("\0")) return "malformed";
  if ([...password].length < MIN_PASSWORD) return "short";
  if (new TextEncoder().encode(password).length > MAX_PASSWORD_BYTES) return "long";
  const folded = password.toLowerCase();
  if (names.some((name) => name.toLowerCase() === folded)) return "name";
  const words = names.flatMap((name) => [name, ...name.split(/[@._-]/)]);
  return isCommon(password, words) ? "common" : undefined;
}
