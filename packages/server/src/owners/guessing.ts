/** Limits on guessing at an account. Strangers share its limits. A known device has limits of its own, so that strangers lock nobody out. */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../uses.ts";
import type { KnownDevice } from "./known-device-storage.ts";
import type { Attempt, OwnerStorage, Person } from "./storage.ts";

const MINUTE: Millis = 60_000;
const QUARTER: Millis = 15 * MINUTE;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/**
 * Wrong answers that an account takes. `hour` and `day` are ceilings: everything counts, whatever device and network it comes from. At a ceiling the
 * server alerts, and takes fewer: `[below both, above the hour's, above the day's]`.
 */
interface Limits {
  readonly hour: number;
  readonly day: number;
  /** Of strangers, of one network, in 15 minutes. */
  readonly network: number;
  /** Of all strangers, in an hour, once the day's ceiling is reached. The hour's ceiling is their limit before that. */
  readonly strangersLater: number;
  /** Of one known device, in 15 minutes: its owner waits no longer than that. */
  readonly device: readonly [number, number, number];
}

export const PASSWORD_LIMITS: Limits = { hour: 50, day: 200, network: 10, strangersLater: 20, device: [10, 3, 1] };
/** Three codes of a million are right at any time. Who gets to them knows the password. */
export const CODE_LIMITS: Limits = { hour: 10, day: 50, network: 5, strangersLater: 4, device: [5, 2, 1] };
/** Wrong passwords for any account from one network, in 15 minutes. Known devices are not counted, here and below. */
export const FROM_A_NETWORK = 50;
/** The same from a /24 of IPv4 or a /48 of IPv6: whoever has a /48 has 65,536 networks. */
export const FROM_A_PROVIDER = 500;
/** Passwords for one account from one network or known device in 15 minutes, the right ones too: each costs a hash, whoever knows the password. */
export const TRIES = 300;

export type Guessed = "password" | "code";

export interface GuessingContext {
  readonly storage: Uses<OwnerStorage, "attempts.count" | "attempts.forgive">;
  /** Keys of counters are hashed, so that no name or address stands in the table. */
  attemptKey(...parts: readonly string[]): string;
  /** Somebody has reached a ceiling of this person's account. `behind`: what let them guess codes; absent: the password. Must return at once. */
  alarm(person: Person, guessed: Guessed, behind?: "link"): void;
  now(): Millis;
}

export interface Guess {
  readonly guessed: Guessed;
  /** Undefined: there is nobody of that name. */
  readonly person: Person | undefined;
  /** The name that was typed. */
  readonly login: string;
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The wider network that it belongs to, where that is counted: for passwords. */
  readonly provider?: string;
  /** The bound device that the guess comes from, whoever's it is. */
  readonly device: KnownDevice | undefined;
  /** Id of the link of a recovery that a code is typed behind: whoever got there reads the person's mail, so strangers can't use up their tries. */
  readonly link?: string;
}

export type Admission =
  | {
      readonly kind: "allowed";
      /** The answer was right: the own counter begins anew, the shared ones count it as none. */
      right(): Promise<void>;
      /** The answer was never looked at. */
      unseen(): Promise<void>;
    }
  | { readonly kind: "throttled"; readonly until: Millis };

/** Counts a guess before anybody looks at it, so that guesses at the same time count, too. */
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
  /** The own one first. */
  readonly attempts: readonly Attempt[];
  readonly ceilings: readonly Attempt[];
  /** Keys of the counters that alarm when they are full: the hour's ceiling, and those behind a link. */
  readonly alarming: readonly string[];
  /** The key of the counter that right answers stay in; null: there is none. */
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
    const own: Attempt = { key: key("behind a link", ...account.all, link), limit, narrowed, window: QUARTER };
    // Whoever has many links guesses no more for it.
    const links: Attempt = { key: key("behind links", ...account.all), limit: limits.hour, window: HOUR };
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

/** A person has two names to sign in with, and one ceiling. */
function accountKeys(guessed: Guessed, person: Person | undefined, login: string) {
  const personId = person?.personId ?? "";
  if (guessed === "code")
    return { all: ["second", personId], network: ["second", personId], device: ["second device", personId] };
  const all = person === undefined ? ["account", login] : ["person", personId];
  return { all, network: ["account", login], device: ["device", personId] };
}
