/** User codes: the code that a device shows and a person types (RFC 8628 §6.1). */

/** Only consonants, so that a code is never a word. With 20 letters, 8 of them have 34.5 bits. */
export const USER_CODE_LETTERS = "BCDFGHJKLMNPQRSTVWXZ";
const USER_CODE_LENGTH = 8;

/** Characters that people or keyboards put between the letters. */
const BETWEEN = /[\s\p{P}\p{S}\p{Cf}]+/gu;

/** Makes a code from as many random bytes as it needs; `draw` returns one byte, 0–255. */
export function makeUserCode(draw: () => number): string {
  let code = "";
  while (code.length < USER_CODE_LENGTH) {
    const byte = draw();
    // 240 is the largest multiple of 20 in a byte. Larger values would make the first letters more frequent.
    if (byte < 240) code += USER_CODE_LETTERS.charAt(byte % 20);
  }
  return code;
}

/** The canonical form of a typed code, whatever its case, dashes and spaces. Undefined: no code has that form. */
export function readUserCode(typed: string): string | undefined {
  if (typed.length > 100) return undefined;
  const code = typed.normalize("NFKC").replace(BETWEEN, "").toUpperCase();
  return code.length === USER_CODE_LENGTH && [...code].every((letter) => USER_CODE_LETTERS.includes(letter))
    ? code
    : undefined;
}

/** The form in which pages and devices show it: `XXXX-XXXX`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
