/** Connecting a device: how many may wait, how often codes may be guessed, and the request that a code leads to (RFC 8628 §5.1). */

import type { Millis } from "../oauth/model.ts";
import type { DeviceAsker, Policy, UserCodes } from "../oauth/ports.ts";
import type { DeviceRequest, UserCodePlace } from "../oauth/storage.ts";
import { readUserCode } from "../oauth/user-code.ts";
import type { Uses } from "../uses.ts";
import { isYoung } from "./known-device.ts";
import type { KnownDevice } from "./known-device-storage.ts";
import type { SignInContext } from "./sign-in.ts";
import type { Attempt, OwnerStorage } from "./storage.ts";

const MINUTE: Millis = 60_000;
const QUARTER: Millis = 15 * MINUTE;

/**
 * How many count together. Nobody is refused because of `ceilings`: where one is reached, a network and a provider may have fewer. So those who have
 * none, or few, go on, whatever others do.
 */
interface Shares {
  readonly ceilings: readonly number[];
  /** Of an IPv4 address or an IPv6 /64: below the ceilings, above the first, above the second. */
  readonly network: readonly [number, ...number[]];
  /** Of a /24 of IPv4 or a /48 of IPv6: whoever has a /48 has 65,536 networks. */
  readonly provider: readonly [number, ...number[]];
}

/** Devices of one client that wait. A table of 40,000 is no burden; more come from as many providers as no single attacker has. */
const WAITING: Shares = { ceilings: [20_000, 40_000], network: [1_000, 20, 2], provider: [2_000, 200, 20] };

/** Counts a device that begins to wait; false: enough of this client's are waiting already. */
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

/** Who enters a code: a session, the person in it, and where they are. */
export interface CodeReader {
  readonly personId: string;
  readonly sessionId: string;
  /** A session of the same browser that had entered this code before. */
  readonly before: string | null;
  readonly network: string;
  readonly provider: string;
  /** The bound device, whoever's it is. */
  readonly device: KnownDevice | undefined;
}

/** What looking for a code is given from outside. */
export interface ClaimContext {
  readonly storage: Uses<
    OwnerStorage,
    "attempts.count" | "attempts.forgive" | "deviceRequests.claim" | "deviceRequests.standing"
  >;
  readonly userCodes: UserCodes;
  now(): Millis;
}

/** `throttled`: too many wrong codes, whatever this one is. */
export type CodeOutcome =
  | { readonly kind: "found"; readonly request: DeviceRequest; readonly place: UserCodePlace }
  | { readonly kind: "unknown" }
  | { readonly kind: "throttled"; readonly until: Millis };

/**
 * A code has 34.5 bits: with a thousand devices waiting, a hundred guesses a minute hit one in 25,000 times ten minutes. Beyond a hundred, a network has
 * five in a quarter of an hour and a provider ten, so that as many guesses again take 150 providers.
 */
const GUESSES: Shares = { ceilings: [100], network: [20, 5], provider: [100, 10] };
/** Of one person, below the ceiling and above it: nobody is kept from reading a code by what others guess. */
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
  // An older device of theirs counts for its person alone, whatever else its network does.
  const settled = device?.personId === personId && !isYoung(device, now());
  return { attempts: settled ? [own] : [own, ...attempts], ceilings };
}

/**
 * The live request of a code as it was typed, claimed for the reader's session. Counted before it is looked for, so that guesses at the same time
 * count, too; a code that is right takes nothing of the allowance. Unknown, expired, answered and another session's codes are one outcome.
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
  for (const place of placesOf(typed, userCodes)) {
    const request = await storage.deviceRequests.claim({ ...place, sessionId, before, now: now() });
    if (request !== undefined) return { kind: "found", request, place };
  }
  return { kind: "unknown" };
}

/** What this session has answered to the request of that code; undefined: nothing. */
export async function answerOf(
  typed: string,
  sessionId: string,
  { storage, userCodes, now }: ClaimContext,
): Promise<"allowed" | "denied" | undefined> {
  for (const place of placesOf(typed, userCodes)) {
    const standing = await storage.deviceRequests.standing({ ...place, sessionId, now: now() });
    if (standing === "allowed" || standing === "denied") return standing;
  }
  return undefined;
}

function placesOf(typed: string, userCodes: UserCodes): readonly UserCodePlace[] {
  const userCode = readUserCode(typed);
  return userCode === undefined ? [] : userCodes.places(userCode);
}
