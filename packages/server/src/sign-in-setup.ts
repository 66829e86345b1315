/**
 * Connects the parts of sign-in: its rules, the database, password hashing and sealed secrets, and the alarms about
 * guessing.
 */

import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { ExistingPeople } from "./configured-people.ts";
import { openCodeSecret } from "./crypto/one-time-code-secrets.ts";
import { stepOfCode } from "./crypto/one-time-codes.ts";
import { hashPassword, needsRehash, requireHashRoom, verifyPassword } from "./crypto/password-hashing.ts";
import { randomBytes } from "./crypto/random.ts";
import { recoveryCodeHash } from "./crypto/recovery-codes.ts";
import type { Secrets } from "./crypto/server-secret.ts";
import type { ServerMetrics } from "./metrics/server-metrics.ts";
import { type ExternalSignIn, isReplaced } from "./owners/identities/external-sign-in.ts";
import type { KeepingApplication, PasswordKeeper } from "./owners/identities/password-keeper.ts";
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

export function signInOf(parts: Parts): {
  readonly signIn: SignInContext;
  readonly secondStep: ProveContext;
  readonly keeper: PasswordKeeper | null;
} {
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
  const hashing = { requireHashRoom, verifyPassword: verifierOfAll(), needsRehash, hashPassword };
  const asking = people === null ? {} : { existing: existing(people, parts) };
  const application = people === null ? null : keepingApplication(people);
  const keeper: PasswordKeeper | null = application && {
    application,
    keeps: async (person) => {
      const { isOfApplication } = await import("./owners/identities/password-keeper.ts");
      return isOfApplication(person, storage);
    },
  };
  const closed = isReplaced(parts.externalSignIn);
  const signIn = { storage, ...hashing, attemptKey, alarm, afterwards, now, closed, ...asking };
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
  return { signIn, secondStep, keeper };
}

/** Also for imported hashes. What these need is loaded with the first one. */
function verifierOfAll(): SignInContext["verifyPassword"] {
  const load = async () => {
    const [{ ImportedPasswords }, { LikeTimes }] = await Promise.all([
      import("./imported-passwords.ts"),
      import("./owners/identities/like-times.ts"),
    ]);
    return new ImportedPasswords(new LikeTimes(CLOCK));
  };
  let all: Awaited<ReturnType<typeof load>> | undefined;
  return async (password, stored, whose) => {
    if (all === undefined && stored?.startsWith("imported:")) {
      const loaded = await load();
      all ??= loaded;
    }
    return all === undefined ? verifyPassword(password, stored, whose) : all.verify(password, stored, whose);
  };
}

const CLOCK = { clock: () => performance.now(), sleep: (time: number) => sleep(time), random };

/** The code is loaded when somebody signs in. */
function existing(people: ExistingPeople, parts: Parts): NonNullable<SignInContext["existing"]> {
  const { storage, log, newOwnerId, partitionOf, now } = parts;
  const event = (name: string, fields: Readonly<Record<string, string | number | null>>) =>
    log[name === "existing_people_failed" ? "error" : "info"]({ event: name, ...fields }, name);
  const load = async () => {
    const [{ existingPeopleSource }, { existingSignIns }, { LikeTimes }] = await Promise.all([
      import("./configured-people.ts"),
      import("./owners/identities/existing-people.ts"),
      import("./owners/identities/like-times.ts"),
    ]);
    const times = new LikeTimes(CLOCK);
    const keeper = keepingApplication(people);
    const { changes } = people;
    const source = existingPeopleSource(people);
    return existingSignIns(times, {
      ...{ source, storage, hashPassword, event, newOwnerId, partitionOf, now, changes, keeper },
    });
  };
  let loading: ReturnType<typeof load> | undefined;
  return () => {
    loading ??= load();
    // A file that is missing now may be there the next time, for example after an installation.
    loading.catch(() => {
      loading = undefined;
    });
    return loading;
  };
}

/** From 0 to below 1. */
function random(): number {
  const [high = 0, low = 0] = randomBytes(2);
  return (high * 256 + low) / 65_536;
}

function keepingApplication({ passwords, application }: ExistingPeople): KeepingApplication | null {
  return passwords === "keep" ? (application ?? null) : null;
}
