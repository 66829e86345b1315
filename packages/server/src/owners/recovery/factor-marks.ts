/** An account's factors in a form that tells whether anything about them was changed since. Pure. */

import type { Passkey, SecondFactor } from "../factor-storage.ts";

type MarkedFactor = Pick<SecondFactor, "createdAt" | "added" | "codesAt" | "codesAdded"> & {
  readonly earlier: object | null;
};

/** The same for the same factors, whatever they were used for. */
export function marksOf(
  passkeys: readonly Pick<Passkey, "credentialId" | "createdAt" | "added">[],
  factor: MarkedFactor | undefined,
): readonly string[] {
  const codes = factor && ["codes", factor.codesAt, factor.codesAdded.vouchedFrom];
  const authenticator = factor && [
    ...["authenticator", factor.createdAt, factor.added.vouchedFrom],
    factor.earlier !== null,
  ];
  const all = passkeys.map(({ credentialId, createdAt, added }) => [
    ...["passkey", credentialId, createdAt],
    added.vouchedFrom,
  ]);
  return [...all, authenticator, codes]
    .filter((mark) => mark !== undefined)
    .map((mark) => JSON.stringify(mark))
    .sort();
}

export function sameMarks(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((mark, at) => mark === other[at]);
}
