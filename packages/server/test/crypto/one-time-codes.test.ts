import { describe, expect, test } from "vitest";
import { base32, codeOf, newCodeSecret, otpauthUri, stepOfCode } from "../../src/crypto/one-time-codes.ts";
import { newRecoveryCodes, recoveryCodeHash } from "../../src/crypto/recovery-codes.ts";

/** RFC 6238 Appendix B. Our codes are the last six of its eight digits. */
const SECRET = Buffer.from("12345678901234567890");

describe("a one-time code", () => {
  test.each([
    [59, "287082"],
    [1_111_111_109, "081804"],
    [1_111_111_111, "050471"],
    [1_234_567_890, "005924"],
    [2_000_000_000, "279037"],
    [20_000_000_000, "353130"],
  ])("at %i s → %s, as the RFC has it", (seconds, code) => {
    const step = Math.floor(seconds / 30);
    expect(codeOf(SECRET, step)).toBe(code);
    expect(stepOfCode(SECRET, code, seconds * 1000)).toBe(step);
  });

  test.each(["", "12345", "1234567", "abcdef", "２８７０８２", "287082; --", "-287082"])("%j → none", (typed) => {
    expect(stepOfCode(SECRET, typed, 59_000)).toBeUndefined();
  });

  test("two steps off → none; one step off, with spaces → its own step", () => {
    const now = 59_000 + 60_000;
    expect(stepOfCode(SECRET, "287082", now)).toBeUndefined();
    expect(stepOfCode(SECRET, " 287 082", now - 30_000)).toBe(1);
    expect(stepOfCode(SECRET, codeOf(SECRET, 9), 8 * 30_000)).toBe(9);
  });

  test("a secret → 160 bits, no two the same, in base32 and in the app's own form", () => {
    expect(base32(SECRET)).toBe("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    expect(newCodeSecret()).toHaveLength(20);
    expect(base32(newCodeSecret())).not.toBe(base32(newCodeSecret()));
    expect(otpauthUri(SECRET, { issuer: "id.example:8443", account: "ada & co?" })).toBe(
      "otpauth://totp/id.example%3A8443:ada%20%26%20co%3F?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=id.example%3A8443",
    );
  });
});

describe("recovery codes", () => {
  test("ten, of 16 letters that can't be misread", () => {
    const codes = newRecoveryCodes();
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  });

  test.each(["", "0000", "0000-0000-0000-000u", "0000-0000-0000-00000", "🂡".repeat(16)])(
    "%j → can't be one",
    (typed) => {
      expect(recoveryCodeHash("p", typed)).toBeUndefined();
    },
  );

  test("typed in another way → the same hash; another person's → another", () => {
    const hash = recoveryCodeHash("p", "abc0-def1-ghj0-kmn1");
    expect(recoveryCodeHash("p", " ABCO DEFL ghjo-kmni ")).toBe(hash);
    expect(recoveryCodeHash("q", "abc0-def1-ghj0-kmn1")).not.toBe(hash);
  });
});
