/** User codes: what a device shows and a person types in (RFC 8628 §6.1). */

/** Consonants alone, so that no word comes of it: 20 of them, 34.5 bits in 8 letters. */
export const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;

/** What people put between letters, or a keyboard does. */
const BETWEEN = /[\s\p{P}\p{S}\p{Cf}]+/gu;

/** A code of random bytes, as many as it takes; `draw` gives one byte, 0–255. */
export function makeUserCode(draw: () => number): string {
  let code = "";
  while (code.length < USER_CODE_LENGTH) {
    const byte = draw();
    // 240 is the largest multiple of 20 in a byte: what is above it would favour the first letters.
    if (byte < 240) code += USER_CODE_LETTERS.charAt(byte % 20);
  }
  return code;
}

/** The canonical form of what was typed, whatever its case, dashes and spaces; undefined: no code has that form. */
export function readUserCode(typed: string): string | undefined {
  if (typed.length > 100) return undefined;
  const code = typed.normalize("NFKC").replace(BETWEEN, "").toUpperCase();
  return code.length === USER_CODE_LENGTH && [...code].every((letter) => USER_CODE_LETTERS.includes(letter))
    ? code
    : undefined;
}

/** As it is shown: `XXXX-XXXX`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
