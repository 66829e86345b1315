/** The second step of a sign-in put together: its rules, the database, and what opens secrets. */

import { openCodeSecret } from "./crypto/code-secrets.ts";
import { stepOfCode } from "./crypto/one-time-codes.ts";
import { recoveryCodeHash } from "./crypto/recovery-codes.ts";
import type { Secrets } from "./crypto/secrets.ts";
import type { SecondStepContext } from "./owners/second-step.ts";

export function secondStepOf({
  secrets,
  ...rest
}: Pick<SecondStepContext, "storage" | "attemptKey" | "now"> & { readonly secrets: Secrets }): SecondStepContext {
  return {
    ...rest,
    recoveryCodeHash,
    stepOfCode(personId, sealed, typed) {
      const secret = openCodeSecret(secrets, personId, sealed);
      if (secret === undefined) {
        throw new Error("a second factor is sealed under a secret that isn't in ASSENT_SECRET any more");
      }
      return stepOfCode(secret, typed, rest.now());
    },
  };
}
