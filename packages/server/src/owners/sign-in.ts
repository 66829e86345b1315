/** Sign-in by password: throttled before the password is looked at, the same answer whatever was wrong. */

import type { Millis } from "../oauth/model.ts";
import { boundDevice, type PresentedDevice } from "./known-device.ts";
import type { KnownDevice, KnownDeviceStorage } from "./known-device-storage.ts";
import { canonicalLogin } from "./names.ts";
import type { Attempt, OwnerStorage, Person } from "./storage.ts";

const MINUTE: Millis = 60_000;

/** What sign-in is given from outside. */
export interface SignInContext {
  readonly storage: Pick<OwnerStorage, "findPersonByName" | "countAttempt" | "forgiveAttempt" | "rehashPassword"> &
    Pick<KnownDeviceStorage, "getKnownDevice">;
  /** False for a wrong password; takes the same time where there is no hash. */
  verifyPassword(password: string, stored: string | null): Promise<boolean>;
  needsRehash(stored: string): boolean;
  hashPassword(password: string): Promise<string>;
  /** Keys of counters are hashed, so that no name or address stands in the table. */
  attemptKey(...parts: readonly string[]): string;
  now(): Millis;
}

export interface SignInRequest {
  readonly username: string;
  readonly password: string;
  /** Who asks: an IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The browser's device cookie, whoever's it is. */
  readonly device: PresentedDevice | undefined;
}

export type SignInOutcome =
  | { readonly kind: "signed_in"; readonly person: Person }
  | { readonly kind: "wrong"; readonly reason: "unknown" | "password" | "disabled" | "no_password" }
  | { readonly kind: "throttled"; readonly until: Millis };

/**
 * The counters of an attempt. From a browser that the person has used before only that browser's own counter is asked: who guesses from
 * elsewhere can't lock the person out. Others share counters of the account: from this network, and from everywhere.
 */
export function attemptsFor(
  login: string,
  network: string,
  device: KnownDevice | undefined,
  personId: string | undefined,
  key: SignInContext["attemptKey"],
): readonly Attempt[] {
  const quarter = 15 * MINUTE;
  const fromNetwork = { key: key("network", network), limit: 50, window: quarter };
  if (device !== undefined && device.personId === personId) {
    return [{ key: key("device", personId, device.deviceId), limit: 10, window: quarter }];
  }
  return [
    { key: key("account", login, network), limit: 10, window: quarter },
    // A person has two names to sign in with, and one bound.
    { key: personId === undefined ? key("account", login) : key("person", personId), limit: 50, window: 60 * MINUTE },
    fromNetwork,
  ];
}

export async function signIn(request: SignInRequest, context: SignInContext): Promise<SignInOutcome> {
  const { storage, now } = context;
  const login = canonicalLogin(request.username);
  const [person, device] = await Promise.all([
    login === undefined ? undefined : storage.findPersonByName({ name: login }),
    boundDevice(request.device, storage),
  ]);
  const attempts = attemptsFor(
    login ?? request.username,
    request.network,
    device,
    person?.personId,
    context.attemptKey,
  );
  const counted = await storage.countAttempt({ attempts, now: now() });
  if (counted.kind === "throttled") return counted;

  const right = await verified(request.password, person, attempts, context);
  if (person === undefined) return { kind: "wrong", reason: "unknown" };
  if (person.passwordHash === null) return { kind: "wrong", reason: "no_password" };
  if (!right) return { kind: "wrong", reason: "password" };
  if (person.status !== "active") return { kind: "wrong", reason: "disabled" };

  const [own, ...shared] = attempts;
  await storage.forgiveAttempt({ reset: own === undefined ? [] : [own.key], undo: shared.map(({ key }) => key) });
  if (context.needsRehash(person.passwordHash)) {
    const to = await context.hashPassword(request.password);
    await storage.rehashPassword({
      partition: person.partition,
      personId: person.personId,
      from: person.passwordHash,
      to,
    });
  }
  return { kind: "signed_in", person };
}

/** An attempt that nobody could look at is none: sign-ins that crowd each other out use up nobody's tries. */
async function verified(
  password: string,
  person: Person | undefined,
  attempts: readonly Attempt[],
  { storage, verifyPassword }: SignInContext,
): Promise<boolean> {
  try {
    return await verifyPassword(password, person?.passwordHash ?? null);
  } catch (error) {
    await storage.forgiveAttempt({ reset: [], undo: attempts.map(({ key }) => key) });
    throw error;
  }
}
