/** Limits on guessing at an account. Strangers share its limits. A known device has limits of its own, so that strangers lock nobody out. */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type { KnownDevice } from "./known-device-storage.ts";
import type { Attempt, OwnerStorage, Person } from "./storage.ts";

const MINUTE: Millis = 60_000;
const QUARTER: Millis = 15 * MINUTE;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/**
 * Limits on wrong answers for an account. `hour` and `day` are ceilings: every wrong answer counts, whatever device and
 * network it comes from. At a ceiling the server alerts, and accepts fewer: `[below both, above the hour's, above the
 * day's]`.
 */
interface Limits {
  readonly hour: number;
  readonly day: number;
  /** For strangers from one network, in 15 minutes. */
  readonly network: number;
  /**
   * For all strangers, in an hour, after the day's ceiling is reached. Before that, the hour's ceiling is their limit.
   */
  readonly strangersLater: number;
  /** For one known device, in 15 minutes: its owner never waits longer. */
  readonly device: readonly [number, number, number];
}

export const PASSWORD_LIMITS: Limits = { hour: 50, day: 200, network: 10, strangersLater: 20, device: [10, 3, 1] };
/** Three of a million codes are right at any time. Whoever can enter codes knows the password. */
export const CODE_LIMITS: Limits = { hour: 10, day: 50, network: 5, strangersLater: 4, device: [5, 2, 1] };
/**
 * Wrong passwords for any account from one network, in 15 minutes. Known devices are not counted in this and the
 * following limits.
 */
export const FROM_A_NETWORK = 50;
/** The same for an IPv4 /24 or an IPv6 /48, because the holder of a /48 has 65,536 networks. */
export const FROM_A_PROVIDER = 500;
/**
 * Passwords for one account from one network or known device in 15 minutes, right ones included: each costs a hash,
 * even if the caller knows the password.
 */
export const TRIES = 300;

export type Guessed = "password" | "code";

export interface GuessingContext {
  readonly storage: Uses<OwnerStorage, "attempts.count" | "attempts.forgive">;
  /** Hashes the keys of counters, so that the table has no name or address. */
  attemptKey(...parts: readonly string[]): string;
  /**
   * A ceiling of this person's account is reached. `behind`: the link that allowed somebody to guess codes; absent: the
   * password did. Must return at once.
   */
  alarm(person: Person, guessed: Guessed, behind?: "link"): void;
  now(): Millis;
}

export interface Guess {
  readonly guessed: Guessed;
  /** Undefined: nobody has that name. */
  readonly person: Person | undefined;
  /** The name as typed. */
  readonly login: string;
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The provider, if it counts too: for passwords. */
  readonly provider?: string;
  /** The bound device from which the guess comes, of any person. */
  readonly device: KnownDevice | undefined;
  /**
   * The recovery link behind which a code is typed. Somebody who opened it reads the mail of one of the account's
   * addresses. An intruder may have given the account that address. So links to the oldest address have tries of their
   * own, which nobody uses up who reads a younger one.
   */
  readonly link?: { readonly id: string; readonly toOldest: boolean };
}

export type Admission =
  | {
      readonly kind: "allowed";
      /** The answer was right: resets the guesser's own counter, and takes this try off the shared ones. */
      right(): Promise<void>;
      /** The answer was not checked. */
      unseen(): Promise<void>;
    }
  | { readonly kind: "throttled"; readonly until: Millis };

/** Counts a guess before it is checked, so that simultaneous guesses count, too. */
export async function admitGuess(guess: Guess, context: GuessingContext): Promise<Admission> {
  const { storage, now } = context;
  const { attempts, ceilings, alarming, tries } = countersOf(guess, context.attemptKey);
  const counted = await storage.attempts.count({ attempts, ceilings, now: now() });
  const reached =
    counted.level > 0 || (counted.kind === "throttled" && counted.full.some((key) => alarming.includes(key)));
  if (reached && guess.person !== undefined) context.alarm(guess.person, guess.guessed);
  if (counted.kind === "throttled") return { kind: "throttled", until: counted.until };
  const [own] = attempts;
  return {
    kind: "allowed",
    right: () =>
      storage.attempts.forgive({
        reset: own === undefined ? [] : [own.key],
        undo: counted.counted.filter((key) => key !== own?.key && key !== tries),
      }),
    unseen: () => storage.attempts.forgive({ reset: [], undo: counted.counted }),
  };
}

interface Counters {
  /** The guesser's own counter is first. */
  readonly attempts: readonly Attempt[];
  readonly ceilings: readonly Attempt[];
  /** Keys of the counters that raise an alarm when they reach the limit: the hour's ceiling, and those of links. */
  readonly alarming: readonly string[];
  /** The key of the counter that keeps right answers, too. Null: there is none. */
  readonly tries: string | null;
}

export function countersOf(
  { guessed, person, login, network, provider, device, link }: Guess,
  key: GuessingContext["attemptKey"],
): Counters {
  const limits = guessed === "password" ? PASSWORD_LIMITS : CODE_LIMITS;
  const account = accountKeys(guessed, person, login);
  const hour: Attempt = { key: key(...account.all), limit: limits.hour, window: HOUR };
  const day: Attempt = { key: key("day", ...account.all), limit: limits.day, window: DAY };
  const known = device !== undefined && device.personId === person?.personId;
  const from = known ? [...account.device, device.deviceId] : [...account.network, network];
  const tries: readonly Attempt[] =
    guessed === "password" ? [{ key: key("tries", ...from), limit: TRIES, window: QUARTER }] : [];
  const counters = { alarming: [hour.key], tries: tries[0]?.key ?? null };
  if (known) {
    const [limit, ...narrowed] = limits.device;
    const own: Attempt = { key: key(...from), limit, narrowed, window: QUARTER };
    return { ...counters, attempts: [own, ...tries], ceilings: [hour, day] };
  }
  if (link !== undefined) {
    const [limit, ...narrowed] = limits.device;
    const own: Attempt = { key: key("behind a link", ...account.all, link.id), limit, narrowed, window: QUARTER };
    // One counter for all links to the oldest address, and one for all others, so that several links give no more guesses.
    const which = link.toOldest ? "oldest" : "younger";
    const links: Attempt = { key: key("behind links", which, ...account.all), limit: limits.hour, window: HOUR };
    return { ...counters, alarming: [own.key, links.key], attempts: [own, links], ceilings: [hour, day] };
  }
  const own: Attempt = { key: key(...from), limit: limits.network, window: QUARTER };
  const strangers: Attempt = { ...hour, narrowed: [limits.strangersLater] };
  const anybody = guessed === "password" ? networkCounters(network, provider, key) : [];
  return { ...counters, attempts: [own, strangers, ...anybody, ...tries], ceilings: [day] };
}

function networkCounters(
  network: string,
  provider: string | undefined,
  key: GuessingContext["attemptKey"],
): readonly Attempt[] {
  const narrow = { key: key("network", network), limit: FROM_A_NETWORK, window: QUARTER };
  if (provider === undefined) return [narrow];
  return [narrow, { key: key("provider", provider), limit: FROM_A_PROVIDER, window: QUARTER }];
}

/** A person can sign in with two names, but has one ceiling. */
function accountKeys(guessed: Guessed, person: Person | undefined, login: string) {
  const personId = person?.personId ?? "";
  if (guessed === "code")
    return { all: ["second", personId], network: ["second", personId], device: ["second device", personId] };
  const all = person === undefined ? ["account", login] : ["person", personId];
  return { all, network: ["account", login], device: ["device", personId] };
}
