/**
 * Connecting a device: how many requests may be pending, how often codes may be guessed, and which request a code leads
 * to (RFC 8628 §5.1).
 */

import type { Millis } from "../oauth/model.ts";
import type { DeviceAsker, Policy, UserCodes } from "../oauth/ports.ts";
import type { DeviceRequest, UserCodeKey } from "../oauth/storage.ts";
import { readUserCode } from "../oauth/user-code.ts";
import type { Uses } from "../storage-subset.ts";
import type { KnownDevice } from "./known-device-storage.ts";
import { isYoung } from "./recognize-known-device.ts";
import type { SignInContext } from "./sign-in.ts";
import type { Attempt, OwnerStorage } from "./storage.ts";

const MINUTE: Millis = 60_000;
const QUARTER: Millis = 15 * MINUTE;

/**
 * Limits that depend on the total. A ceiling itself refuses nobody. When the total reaches one, the limits for a
 * network and a provider become lower. So a network with few requests can go on, whatever others do.
 */
interface Shares {
  readonly ceilings: readonly number[];
  /** For an IPv4 address or an IPv6 /64: below the ceilings, above the first, above the second. */
  readonly network: readonly [number, ...number[]];
  /** For an IPv4 /24 or an IPv6 /48, because the holder of a /48 has 65,536 networks. */
  readonly provider: readonly [number, ...number[]];
}

/**
 * Pending devices of one client. A table of 40,000 rows is small; more than that come from more providers than one
 * attacker has.
 */
const WAITING: Shares = { ceilings: [20_000, 40_000], network: [1_000, 20, 2], provider: [2_000, 200, 20] };

/** Counts a device that begins to wait. False: too many devices of this client are pending. */
export async function admitDevice(
  { clientId, network, provider }: DeviceAsker,
  context: Pick<SignInContext, "attemptKey" | "now"> & {
    readonly storage: Uses<OwnerStorage, "attempts.count">;
    readonly policy: Pick<Policy, "deviceTtl">;
  },
  shares: Shares = WAITING,
): Promise<boolean> {
  const key = (...parts: readonly string[]) => context.attemptKey("device request", clientId, ...parts);
  const counters = countersOf(shares, { network, provider }, key, context.policy.deviceTtl, context.policy.deviceTtl);
  return (await context.storage.attempts.count({ ...counters, now: context.now() })).kind === "allowed";
}

function countersOf(
  { ceilings, network, provider }: Shares,
  from: { readonly network: string; readonly provider: string },
  key: (...parts: readonly string[]) => string,
  window: Millis,
  ceilingWindow: Millis,
): { readonly attempts: readonly Attempt[]; readonly ceilings: readonly Attempt[] } {
  const counter = (name: string, [limit, ...narrowed]: Shares["network"]) => ({
    key: key(name),
    limit,
    narrowed,
    window,
  });
  return {
    attempts: [counter(from.network, network), counter(`provider ${from.provider}`, provider)],
    ceilings: ceilings.map((limit, at) => ({
      key: key(...(at === 0 ? [] : [`ceiling ${at}`])),
      limit,
      window: ceilingWindow,
    })),
  };
}

/** The session, person and place from which a code is entered. */
export interface CodeReader {
  readonly personId: string;
  readonly sessionId: string;
  /** A session of the same browser that entered this code before. */
  readonly before: string | null;
  readonly network: string;
  readonly provider: string;
  /** The bound device of any person. */
  readonly device: KnownDevice | undefined;
}

/** The dependencies of the search for a code. */
export interface ClaimContext {
  readonly storage: Uses<
    OwnerStorage,
    "attempts.count" | "attempts.forgive" | "deviceRequests.claim" | "deviceRequests.previewAnswer"
  >;
  readonly userCodes: UserCodes;
  now(): Millis;
}

/** `throttled`: too many wrong codes, so this one was not checked. */
export type CodeOutcome =
  | { readonly kind: "found"; readonly request: DeviceRequest; readonly key: UserCodeKey }
  | { readonly kind: "unknown" }
  | { readonly kind: "throttled"; readonly until: Millis };

/**
 * A code has 34.5 bits. If a thousand devices are pending, a hundred guesses a minute for ten minutes hit one with a
 * probability of 1 in 25,000. Above a hundred a minute, a network has five guesses in a quarter of an hour and a
 * provider ten. So another hundred guesses need 150 providers.
 */
const GUESSES: Shares = { ceilings: [100], network: [20, 5], provider: [100, 10] };
/** For one person, below the ceiling and above it: guesses of others never keep a person from entering a code. */
const OF_A_PERSON = [5, 2] as const;

function guessesFor(
  reader: CodeReader,
  { attemptKey, now }: Pick<SignInContext, "attemptKey" | "now">,
  shares: Shares,
) {
  const { personId, device } = reader;
  const key = (...parts: readonly string[]) => attemptKey("user code", ...parts);
  const { attempts, ceilings } = countersOf(shares, reader, key, QUARTER, MINUTE);
  const [limit, ...narrowed] = OF_A_PERSON;
  const own = { key: key("person", personId), limit, narrowed, window: QUARTER };
  // For an older device of the person, only the person's limit counts, whatever else its network does.
  const settled = device?.personId === personId && !isYoung(device, now());
  return { attempts: settled ? [own] : [own, ...attempts], ceilings };
}

/**
 * Finds the live request of a code and claims it for the reader's session. The try is counted before the search, so
 * that simultaneous guesses count, too; a right code is not counted in the end. Unknown, expired and answered codes,
 * and those of another session, have the same outcome.
 */
export async function enterUserCode(
  typed: string,
  reader: CodeReader,
  context: ClaimContext & Pick<SignInContext, "attemptKey">,
  shares: Shares = GUESSES,
): Promise<CodeOutcome> {
  const { storage, now } = context;
  const counted = await storage.attempts.count({ ...guessesFor(reader, context, shares), now: now() });
  if (counted.kind === "throttled") return counted;
  const found = await claimUserCode(typed, reader, context);
  if (found.kind === "found") await storage.attempts.forgive({ reset: [], undo: counted.counted });
  return found;
}

/** The same without counting: for a code that this browser has entered before, and that led to a request. */
export async function claimUserCode(
  typed: string,
  { sessionId, before }: Pick<CodeReader, "sessionId" | "before">,
  { storage, userCodes, now }: ClaimContext,
): Promise<Exclude<CodeOutcome, { kind: "throttled" }>> {
  for (const key of userCodeKeysOf(typed, userCodes)) {
    const request = await storage.deviceRequests.claim({ ...key, sessionId, before, now: now() });
    if (request !== undefined) return { kind: "found", request, key };
  }
  return { kind: "unknown" };
}

/** The answer of this session to the request of that code. Undefined: none. */
export async function answerOf(
  typed: string,
  sessionId: string,
  { storage, userCodes, now }: ClaimContext,
): Promise<"allowed" | "denied" | undefined> {
  for (const key of userCodeKeysOf(typed, userCodes)) {
    const answer = await storage.deviceRequests.previewAnswer({ ...key, sessionId, now: now() });
    if (answer === "allowed" || answer === "denied") return answer;
  }
  return undefined;
}

function userCodeKeysOf(typed: string, userCodes: UserCodes): readonly UserCodeKey[] {
  const userCode = readUserCode(typed);
  return userCode === undefined ? [] : userCodes.keysOf(userCode);
}
