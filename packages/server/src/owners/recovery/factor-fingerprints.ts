/** An account's factors in a form that tells whether anything about them was changed since. Pure. */

import type { Millis } from "../../oauth/model.ts";
import type { AddedFrom, Passkey, SecondFactor } from "../factor-storage.ts";
import { isVouched } from "./factor-trust.ts";
import type { Removal } from "./storage.ts";

type MarkedPasskey = Pick<Passkey, "credentialId" | "createdAt" | "added">;
type MarkedFactor = Pick<SecondFactor, "createdAt" | "added" | "codesAt" | "codesAdded"> & {
  readonly earlier: object | null;
};

interface Marked {
  readonly kind: "passkey" | "authenticator" | "codes";
  /** The id of a passkey; empty for other factors. */
  readonly id: string;
  readonly added: AddedFrom;
  readonly mark: string;
}

function marked(passkeys: readonly MarkedPasskey[], factor: MarkedFactor | undefined): readonly Marked[] {
  const keys = passkeys.map(({ credentialId: id, createdAt, added }): Marked => {
    return { kind: "passkey", id, added, mark: JSON.stringify(["passkey", id, createdAt, added.vouchedFrom]) };
  });
  if (factor === undefined) return keys;
  const { createdAt, added, codesAt, codesAdded, earlier } = factor;
  const authenticator = JSON.stringify(["authenticator", createdAt, added.vouchedFrom, earlier !== null]);
  const codes = JSON.stringify(["codes", codesAt, codesAdded.vouchedFrom]);
  return [
    ...keys,
    { kind: "authenticator", id: "", added, mark: authenticator },
    { kind: "codes", id: "", added: codesAdded, mark: codes },
  ];
}

/** The same for the same factors, whatever they were used for. */
export function marksOf(passkeys: readonly MarkedPasskey[], factor: MarkedFactor | undefined): readonly string[] {
  return marked(passkeys, factor)
    .map(({ mark }) => mark)
    .sort();
}

/**
 * The unvouched factors that are not among those that were `seen`: an intruder who is signed in may add one at any
 * time. Undefined: one of those that were not seen is vouched for. It may have to be proved first.
 */
export function unvouchedSince(
  seen: readonly string[],
  passkeys: readonly MarkedPasskey[],
  factor: MarkedFactor | undefined,
  now: Millis,
): Pick<Removal, "passkeys" | "authenticator" | "codes"> | undefined {
  const fresh = marked(passkeys, factor).filter(({ mark }) => !seen.includes(mark));
  if (fresh.some(({ added }) => isVouched(added, now))) return undefined;
  const has = (kind: Marked["kind"]) => fresh.some((one) => one.kind === kind);
  return {
    passkeys: fresh.filter(({ kind }) => kind === "passkey").map(({ id }) => id),
    authenticator: has("authenticator"),
    codes: has("codes"),
  };
}
