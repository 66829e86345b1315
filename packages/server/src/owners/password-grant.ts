/** An owner whose password came by a client, not by the sign-in page (RFC 6749 §4.3): the same look, the same counters. */

import { BY_PASSWORD, isAsSure } from "../oauth/authentication-context.ts";
import type { OwnerPasswordOutcome } from "../oauth/ports.ts";
import { grantableScopes } from "./consent.ts";
import type { FactorStorage } from "./factor-storage.ts";
import { type SignInContext, type SignInRequest, signIn } from "./sign-in.ts";

/** As much as any name has. */
const MAX_USERNAME = 254;

/** `longest`: bytes that a password may have; a longer one is refused before anything is hashed or counted. */
export async function ownerByPassword(
  { username, password, network }: Omit<SignInRequest, "device">,
  longest: number,
  context: SignInContext & { readonly storage: Pick<FactorStorage, "getSecondFactor"> },
): Promise<OwnerPasswordOutcome> {
  if (username.length > MAX_USERNAME || Buffer.byteLength(password) > longest) {
    return { kind: "wrong", reason: "too long" };
  }
  // A client's server is no device of the owner: whoever guesses through it is counted with all strangers.
  const outcome = await signIn({ username, password, network, device: undefined }, context);
  if (outcome.kind !== "signed_in") return outcome;
  const { person } = outcome;
  // A password alone is not what this owner chose; no client can ask for the rest.
  if ((await context.storage.getSecondFactor(person)) !== undefined) return { kind: "wrong", reason: "second factor" };
  return {
    kind: "owner",
    owner: {
      partition: person.partition,
      ownerId: person.personId,
      trustedFrom: person.passwordChangedAt ?? 0,
      mustChangePassword: person.mustChangePassword,
      mayGrant: (scope) =>
        grantableScopes([scope], person).length > 0 && isAsSure(BY_PASSWORD.acr, scope.acr ?? BY_PASSWORD.acr),
    },
  };
}
