/** Sign-in by password. It is counted before the password is checked, and the answer is the same whatever was wrong. */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import { canonicalLogin } from "./canonical-login.ts";
import { type Admission, admitGuess, type GuessingContext } from "./guessing-limits.ts";
import type { ExistingFound, ExistingSignIns } from "./identities/existing-people.ts";
import type { CheckedBy } from "./identities/like-times.ts";
import type { KnownDeviceStorage } from "./known-device-storage.ts";
import type { HashRequester } from "./password-hash-requester.ts";
import { boundDevice, type PresentedDevice } from "./recognize-known-device.ts";
import type { OwnerStorage, Person } from "./storage.ts";

/** The dependencies of sign-in. */
export interface SignInContext extends GuessingContext {
  readonly storage: Uses<
    OwnerStorage,
    "people.findByName" | "attempts.count" | "attempts.forgive" | "people.rehashPassword"
  > &
    Uses<KnownDeviceStorage, "knownDevices.get">;
  /** Throws if more hashes wait already than can be answered in time, and this one has no higher priority. */
  requireHashRoom(whose: HashRequester): void;
  /** False for a wrong password. Takes the same time if there is no hash. */
  verifyPassword(password: string, stored: string | null, whose: HashRequester): Promise<boolean>;
  needsRehash(stored: string): boolean;
  hashPassword(password: string, whose: HashRequester): Promise<string>;
  /** True: nobody signs in with a password, because the operator's own page has replaced that. Absent: false. */
  readonly closed?: boolean;
  /** People of an application of the operator's. Absent: there is none. */
  existing?(): Promise<ExistingSignIns>;
  /** Does some work after the answer was sent, so that the answer's time tells nothing about it. */
  afterwards(work: () => Promise<void>): void;
}

export interface SignInRequest {
  readonly username: string;
  readonly password: string;
  /** The source of the request: an IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The provider of the source. */
  readonly provider: string;
  /** The largest block of addresses that the source belongs to. */
  readonly allocation: string;
  /** The browser's device cookie, of any person. */
  readonly device: PresentedDevice | undefined;
  /**
   * Why the person must not sign in although the password is right. Undefined: they may. It is read for every name,
   * also for an unknown one, while the password is checked.
   */
  refusal?(person: Person | undefined): Promise<string | undefined>;
}

export type SignInOutcome =
  | { readonly kind: "signed_in"; readonly person: Person }
  /** `reason`: `closed`, `unknown`, `password`, `disabled`, `no_password`, or the text of `refusal`. For the log only. */
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "throttled"; readonly until: Millis };

/** No username and no e-mail address has a space. */
const NO_NAME = "no name";

export async function signIn(request: SignInRequest, context: SignInContext): Promise<SignInOutcome> {
  const { storage, closed = false } = context;
  if (closed) return { kind: "wrong", reason: "closed" };
  const login = canonicalLogin(request.username);
  const [person, device] = await Promise.all([
    // A text that can't be a name is looked up as well, under a name that nobody has.
    storage.people.findByName({ name: login ?? NO_NAME }),
    boundDevice(request.device, storage),
  ]);
  const { network, provider, allocation } = request;
  const account = login ?? request.username;
  const known = device !== undefined && device.personId === person?.personId;
  // One person, whether they type their username or an address.
  const whose: HashRequester = { allocation, provider, network, account: known ? device.personId : account, known };
  // Before the try is counted: a try that is not checked does not count, and must cost as little as possible.
  context.requireHashRoom(whose);
  const guess = { guessed: "password", person, login: account, network, provider, device } as const;
  const admission = await admitGuess(guess, context);
  if (admission.kind === "throttled") return admission;

  const existing = await context.existing?.();
  if (existing === undefined) return checkPassword(person, request, whose, admission, context);
  const began = existing.times.now();
  const asked =
    login !== undefined && (await existing.asks(person))
      ? await signInExisting({ login, person, existing, admission }, request, whose, context)
      : ({
          by: "ours",
          outcome: await checkPassword(person, request, whose, admission, timed(context, existing)),
        } as const);
  if (asked.outcome.kind === "wrong") await existing.times.wait(asked.by, began);
  return asked.outcome;
}

interface AskedExisting {
  readonly login: string;
  /** The person here with that name. */
  readonly person: Person | undefined;
  readonly existing: ExistingSignIns;
  readonly admission: Allowed;
}

/** The application checks the password, if it knows the name. `by`: who has checked it. */
async function signInExisting(
  { login, person, existing, admission }: AskedExisting,
  request: SignInRequest,
  whose: HashRequester,
  context: SignInContext,
): Promise<{ readonly by: CheckedBy; readonly outcome: SignInOutcome }> {
  const { times } = existing;
  const began = times.now();
  const found = await unlessUnseen(admission, () => existing.find(login, person));
  if (found.kind === "nobody" || found.kind === "refused") {
    // Until the usual times are known, this takes at least as long as a check here.
    if (!times.known) await checkPassword(undefined, request, whose, admission, timed(context, existing));
    const reason = found.kind === "refused" ? found.reason : "unknown";
    return { by: "nobody", outcome: { kind: "wrong", reason } };
  }
  // One person has one limit, whatever name of theirs is typed.
  const named = person !== undefined && found.person?.personId === person.personId;
  const counted = named ? admission : await admitAlso(found, request, admission, context);
  if (counted.kind === "throttled") return { by: "nobody", outcome: counted };
  if (found.kind === "ours") {
    const outcome = await checkPassword(found.person, request, whose, counted, timed(context, existing));
    return { by: "ours", outcome };
  }
  const [checked, refusal] = await Promise.all([
    unlessUnseen(counted, () => found.signIn(request.password, whose)),
    request.refusal?.(found.person),
  ]);
  if (checked.kind === "right")
    return { by: "theirs", outcome: await letIn(checked.person, refusal, counted, context) };
  times.note("theirs", began);
  return { by: "theirs", outcome: checked };
}

/** Counts a guess at a person of the application, who was found by another name than the names here. */
async function admitAlso(
  found: Extract<ExistingFound, { readonly kind: "ours" | "theirs" }>,
  { network, device: presented }: SignInRequest,
  first: Allowed,
  context: SignInContext,
): Promise<Admission> {
  const login = found.kind === "theirs" ? found.account : found.person.username;
  const device = await boundDevice(presented, context.storage);
  const guess = { guessed: "password", person: found.person, login, network, device } as const;
  const second = await admitGuess(guess, context);
  if (second.kind === "throttled") return second;
  return {
    kind: "allowed",
    right: async () => {
      await Promise.all([first.right(), second.right()]);
    },
    unseen: async () => {
      await Promise.all([first.unseen(), second.unseen()]);
    },
  };
}

/** Keeps the times of checks here. */
function timed(context: SignInContext, { times }: ExistingSignIns): SignInContext {
  return { ...context, verifyPassword: (...asked) => times.of("ours", () => context.verifyPassword(...asked)) };
}

async function checkPassword(
  person: Person | undefined,
  request: SignInRequest,
  whose: HashRequester,
  admission: Allowed,
  context: SignInContext,
): Promise<SignInOutcome> {
  const { storage } = context;
  const [right, refusal] = await Promise.all([
    verified(request.password, person, whose, admission, context),
    request.refusal?.(person),
  ]);
  if (person === undefined) return { kind: "wrong", reason: "unknown" };
  if (person.passwordHash === null) return { kind: "wrong", reason: "no_password" };
  if (!right) return { kind: "wrong", reason: "password" };
  const outcome = await letIn(person, refusal, admission, context);
  if (outcome.kind === "signed_in" && context.needsRehash(person.passwordHash)) {
    const to = await context.hashPassword(request.password, whose);
    await storage.people.rehashPassword({
      partition: person.partition,
      personId: person.personId,
      from: person.passwordHash,
      to,
    });
  }
  return outcome;
}

/** Somebody whose password is right. `refusal`: why they must not sign in all the same. */
async function letIn(
  person: Person,
  refusal: string | undefined,
  admission: Allowed,
  context: SignInContext,
): Promise<SignInOutcome> {
  if (person.status !== "active") return { kind: "wrong", reason: "disabled" };
  if (refusal !== undefined) {
    context.afterwards(() => admission.right());
    return { kind: "wrong", reason: refusal };
  }
  await admission.right();
  return { kind: "signed_in", person };
}

type Allowed = Extract<Admission, { kind: "allowed" }>;

function verified(
  password: string,
  person: Person | undefined,
  whose: HashRequester,
  admission: Allowed,
  { verifyPassword }: SignInContext,
): Promise<boolean> {
  return unlessUnseen(admission, () => verifyPassword(password, person?.passwordHash ?? null, whose));
}

/** A try that could not be checked does not count: so sign-ins that overload the server use up nobody's tries. */
async function unlessUnseen<T>(admission: Allowed, check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    await admission.unseen();
    throw error;
  }
}
