/**
 * Connects the parts of sign-in: its rules, the database, password hashing and sealed secrets, and the alarms about
 * guessing.
 */

import type { Logger } from "pino";
import type { ExistingPeople } from "./configured-people.ts";
import { openCodeSecret } from "./crypto/one-time-code-secrets.ts";
import { stepOfCode } from "./crypto/one-time-codes.ts";
import { hashPassword, needsRehash, requireHashRoom, verifyPassword } from "./crypto/password-hashing.ts";
import { recoveryCodeHash } from "./crypto/recovery-codes.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import { type ExternalSignIn, isReplaced } from "./owners/identities/external-sign-in.ts";
import { GuessAlarm, type GuessAlarmParts } from "./owners/mail/guess-alarm.ts";
import type { ProveContext } from "./owners/recovery/prove-factor.ts";
import type { SignInContext } from "./owners/sign-in.ts";
import type { Storage } from "./storage/open.ts";

interface Parts extends Pick<GuessAlarmParts, "issuer" | "mail" | "attemptKey" | "now"> {
  readonly storage: Storage;
  readonly secrets: Secrets;
  readonly metrics: ServerMetrics;
  readonly log: Logger;
  readonly people: ExistingPeople | null;
  readonly externalSignIn: ExternalSignIn | null;
  newOwnerId(): string;
  partitionOf(id: string): number;
}

export function signInOf(parts: Parts): { readonly signIn: SignInContext; readonly secondStep: ProveContext } {
  const { storage, secrets, metrics, log, people, attemptKey, now } = parts;
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
  const signInExisting = people === null ? {} : { signInExisting: existing(people, parts) };
  const closed = isReplaced(parts.externalSignIn);
  const signIn = { storage, ...hashing, attemptKey, alarm, afterwards, now, closed, ...signInExisting };
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

/** The code is loaded when somebody signs in whom this server does not know. */
function existing(people: ExistingPeople, parts: Parts): NonNullable<SignInContext["signInExisting"]> {
  const { storage, log, newOwnerId, partitionOf, now } = parts;
  const event = (name: string, fields: Readonly<Record<string, string | number | null>>) =>
    log[name === "existing_people_failed" ? "error" : "info"]({ event: name, ...fields }, name);
  return async (login, password, whose) => {
    const [{ existingPeopleSource }, { signInExisting }] = await Promise.all([
      import("./configured-people.ts"),
      import("./owners/identities/existing-people.ts"),
    ]);
    const source = existingPeopleSource(people);
    const { changes } = people;
    const context = { source, storage, hashPassword, event, newOwnerId, partitionOf, now, changes };
    return signInExisting(login, password, whose, context);
  };
}
