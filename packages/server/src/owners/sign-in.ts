/** Sign-in by password. It is counted before the password is checked, and the answer is the same whatever was wrong. */

import type { Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import { canonicalLogin } from "./canonical-login.ts";
import { type Admission, admitGuess, type GuessingContext } from "./guessing-limits.ts";
import type { ExistingSignIn } from "./identities/existing-people.ts";
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
  /** Signs in somebody whom nobody here is called. Absent: the operator's applications know nobody. */
  signInExisting?(login: string, password: string, whose: HashRequester): Promise<ExistingSignIn>;
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

  if (person === undefined && login !== undefined && context.signInExisting !== undefined)
    return signInNewcomer(login, request, whose, admission, context);
  return checkPassword(person, request, whose, admission, context);
}

/** Somebody whom only an application of the operator's may know. */
async function signInNewcomer(
  login: string,
  request: SignInRequest,
  whose: HashRequester,
  admission: Allowed,
  context: SignInContext,
): Promise<SignInOutcome> {
  const existing = await unlessUnseen(admission, async () => context.signInExisting?.(login, request.password, whose));
  if (existing?.kind === "wrong") return existing;
  if (existing?.kind !== "known") return checkPassword(undefined, request, whose, admission, context);
  const { person, imported } = existing;
  if (!imported) return checkPassword(person, request, whose, admission, context);
  return admitted(person, await request.refusal?.(person), admission, context);
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
  const outcome = await admitted(person, refusal, admission, context);
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
async function admitted(
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
