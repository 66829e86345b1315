/**
 * Connects the parts of sign-in: its rules, the database, password hashing and sealed secrets, and the alarms about
 * guessing.
 */

import type { Logger } from "pino";
import { openCodeSecret } from "./crypto/one-time-code-secrets.ts";
import { stepOfCode } from "./crypto/one-time-codes.ts";
import { hashPassword, needsRehash, requireHashRoom, verifyPassword } from "./crypto/password-hashing.ts";
import { recoveryCodeHash } from "./crypto/recovery-codes.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import { GuessAlarm, type GuessAlarmParts } from "./owners/mail/guess-alarm.ts";
import type { ProveContext } from "./owners/recovery/prove-factor.ts";
import type { SignInContext } from "./owners/sign-in.ts";
import type { Storage } from "./storage/open.ts";

interface Parts extends Pick<GuessAlarmParts, "issuer" | "mail" | "attemptKey" | "now"> {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly metrics: ServerMetrics;
  readonly log: Logger;
}

export function signInOf(parts: Parts): { readonly signIn: SignInContext; readonly secondStep: ProveContext } {
  const { storage, secrets, metrics, log, attemptKey, now } = parts;
  const guessing = new GuessAlarm({
    ...parts,
    count: (guessed) => metrics.guessing(guessed),
    event: (name, fields) => log.info({ event: name, ...fields }, name),
    failed: (err) => log.warn({ event: "guessing_untold", err }, "a person could not be told of guessing"),
  });
  const alarm: SignInContext["alarm"] = (...alarmed) => guessing.raise(...alarmed);
  const afterwards: SignInContext["afterwards"] = (work) =>
    void setImmediate(() => {
      work().catch((err: unknown) => log.warn({ event: "sign_in_uncounted", err }, "an attempt stays counted"));
    });
  const hashing = { requireHashRoom, verifyPassword, needsRehash, hashPassword };
  const signIn = { storage, ...hashing, attemptKey, alarm, afterwards, now };
  const secondStep: ProveContext = {
    ...{ storage, attemptKey, alarm, now, recoveryCodeHash },
    stepOfCode(personId, sealed, typed) {
      const secret = openCodeSecret(secrets, personId, sealed);
      if (secret === undefined) {
        throw new Error("a second factor is sealed under a secret that isn't in ASSENT_SECRET any more");
      }
      return stepOfCode(secret, typed, now());
    },
  };
  return { signIn, secondStep };
}
