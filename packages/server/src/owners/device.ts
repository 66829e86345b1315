/** Connecting a device: how many may wait, how often codes may be guessed, and the request that a code leads to (RFC 8628 §5.1). */

import type { Millis } from "../oauth/model.ts";
import type { DeviceAsker, Policy, UserCodes } from "../oauth/ports.ts";
import type { DeviceRequest, UserCodePlace } from "../oauth/storage.ts";
import { readUserCode } from "../oauth/user-code.ts";
import type { Uses } from "../uses.ts";
import type { SignInContext } from "./sign-in.ts";
import type { Attempt, OwnerStorage } from "./storage.ts";

const MINUTE: Millis = 60_000;

/** So many devices of one client may wait at one network, and in all. */
const WAITING_FROM_NETWORK = 1000;
const WAITING = 20_000;

/** Counts a device that begins to wait; false: enough of this client's are waiting already. */
export async function admitDevice(
  { clientId, network }: DeviceAsker,
  context: Pick<SignInContext, "attemptKey" | "now"> & {
    readonly storage: Uses<OwnerStorage, "attempts.count">;
    readonly policy: Pick<Policy, "deviceTtl">;
  },
): Promise<boolean> {
  const window = context.policy.deviceTtl;
  const attempts: readonly Attempt[] = [
    { key: context.attemptKey("device request", clientId, network), limit: WAITING_FROM_NETWORK, window },
    { key: context.attemptKey("device request", clientId), limit: WAITING, window },
  ];
  return (await context.storage.attempts.count({ attempts, now: context.now() })).kind === "allowed";
}

/** Who enters a code: a session, the person in it, and where they are. */
export interface CodeReader {
  readonly personId: string;
  readonly sessionId: string;
  /** A session of the same browser that had entered this code before. */
  readonly before: string | null;
  readonly network: string;
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
 * The counters of a guess. A code has 34.5 bits: with a thousand devices waiting, a hundred guesses a minute hit one in 25,000 times ten minutes.
 */
export function guessesFor({ personId, network }: CodeReader, key: SignInContext["attemptKey"]): readonly Attempt[] {
  return [
    { key: key("user code", "person", personId), limit: 5, window: 15 * MINUTE },
    { key: key("user code", "network", network), limit: 20, window: 15 * MINUTE },
    { key: key("user code"), limit: 100, window: MINUTE },
  ];
}

/**
 * The live request of a code as it was typed, claimed for the reader's session. Counted before it is looked for, so that guesses at the same time
 * count, too; a code that is right takes nothing of the allowance. Unknown, expired, answered and another session's codes are one outcome.
 */
export async function enterUserCode(
  typed: string,
  reader: CodeReader,
  context: ClaimContext & Pick<SignInContext, "attemptKey">,
): Promise<CodeOutcome> {
  const { storage, now } = context;
  const attempts = guessesFor(reader, context.attemptKey);
  const counted = await storage.attempts.count({ attempts, now: now() });
  if (counted.kind === "throttled") return counted;
  const found = await claimUserCode(typed, reader, context);
  if (found.kind === "found") await storage.attempts.forgive({ reset: [], undo: attempts.map(({ key }) => key) });
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
