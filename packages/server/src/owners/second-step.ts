/** The second step of a sign-in: a one-time code or a recovery code. It is counted before it is checked. */

import type { Acr, Millis } from "../oauth/model.ts";
import type { Uses } from "../storage-subset.ts";
import type { FactorStorage, SecondFactor } from "./factor-storage.ts";
import { admitGuess, type Guess, type GuessingContext } from "./guessing-limits.ts";
import type { KnownDeviceStorage } from "./known-device-storage.ts";
import type { StoredMail } from "./mail/storage.ts";
import { boundDevice, type PresentedDevice } from "./recognize-known-device.ts";
import type { UsedFactor } from "./recovery/trust-used-factor.ts";
import type { OwnerStorage, Person } from "./storage.ts";

/** The dependencies of the second step. */
export interface SecondStepContext extends GuessingContext {
  readonly storage: Uses<OwnerStorage, "attempts.count" | "attempts.forgive"> &
    Uses<KnownDeviceStorage, "knownDevices.get"> &
    Uses<FactorStorage, "secondFactors.get" | "passkeys.list" | "secondFactors.use" | "secondFactors.useRecoveryCode">;
  /** The time step of a code. Undefined: the code is wrong. Throws if the secret can't be opened any more. */
  stepOfCode(personId: string, sealedSecret: Uint8Array, typed: string): number | undefined;
  /** Undefined: the text does not have the form of a code. */
  recoveryCodeHash(personId: string, typed: string): string | undefined;
}

export interface SecondStepRequest {
  /** Messages to the person that a recovery code was used; `left` are unused. */
  recoveryNews?(left: number): readonly StoredMail[];
  readonly person: Person;
  readonly by: "code" | "recovery";
  readonly typed: string;
  /** An IPv4 address, or the /64 of an IPv6 one. */
  readonly network: string;
  /** The browser's device cookie, of any person. */
  readonly device: PresentedDevice | undefined;
  readonly link?: Guess["link"];
}

export type SecondStepOutcome =
  /** `codesLeft`: unused recovery codes. `used`: the factor that was proved. Null: it vouches for nothing. */
  | { readonly kind: "passed"; readonly codesLeft: number; readonly used: UsedFactor | null }
  | { readonly kind: "wrong"; readonly reason: "none" | "code" | "spent" }
  | { readonly kind: "throttled"; readonly until: Millis };

/** Checks the typed text after it was counted. */
export type Look = (
  request: SecondStepRequest,
  context: SecondStepContext,
) => Promise<Exclude<SecondStepOutcome, { readonly kind: "throttled" }>>;

/**
 * `look`: what to check a code against; default: the present authenticator and recovery codes. `deviceOf`: which
 * devices have limits of their own; default: bound ones.
 */
export async function secondStep(
  request: SecondStepRequest,
  context: SecondStepContext,
  look: Look = looked,
  deviceOf: typeof boundDevice = boundDevice,
): Promise<SecondStepOutcome> {
  const { person, network, link } = request;
  const device = await deviceOf(request.device, context.storage);
  const guess = { guessed: "code", person, login: person.username, network, device } as const;
  const behind = link === undefined ? {} : { link };
  const admission = await admitGuess({ ...guess, ...behind }, context);
  if (admission.kind === "throttled") return admission;
  const outcome = await look(request, context);
  if (outcome.kind === "passed") await admission.right();
  return outcome;
}

async function looked(
  { person, by, typed, recoveryNews }: SecondStepRequest,
  { storage, stepOfCode, recoveryCodeHash, now }: SecondStepContext,
): ReturnType<Look> {
  const key = { partition: person.partition, personId: person.personId };
  const factor = await storage.secondFactors.get(key);
  if (factor === undefined) return { kind: "wrong", reason: "none" };
  if (by === "recovery") {
    const code = recoveryCodeHash(person.personId, typed);
    const codesLeft = Math.max(0, factor.codesLeft - 1);
    const mails = recoveryNews?.(codesLeft) ?? [];
    if (code === undefined || !(await storage.secondFactors.useRecoveryCode({ ...key, code, mails, now: now() })))
      return { kind: "wrong", reason: "code" };
    return { kind: "passed", codesLeft, used: usedCodes(factor) };
  }
  const step = stepOfCode(person.personId, factor.sealedSecret, typed);
  if (step === undefined) return { kind: "wrong", reason: "code" };
  // If two requests have the same code, the statement decides which one succeeds.
  if (!(await storage.secondFactors.use({ ...key, step, now: now() }))) return { kind: "wrong", reason: "spent" };
  return { kind: "passed", codesLeft: factor.codesLeft, used: { kind: "authenticator", factor } };
}

function usedCodes({ codesAt, codesAdded }: SecondFactor): UsedFactor {
  return { kind: "codes", factor: { createdAt: codesAt, added: codesAdded } };
}

/** The person's ways to do the second step. */
export interface Ways {
  readonly codes: boolean;
  readonly passkeys: boolean;
}

/** The ways that reach `wanted`. `passkeysWork`: passkeys work at this server's address. */
export async function waysOf(
  { partition, personId }: Pick<Person, "partition" | "personId">,
  wanted: Acr,
  passkeysWork: boolean,
  { storage }: Pick<SecondStepContext, "storage">,
): Promise<Ways> {
  const key = { partition, personId };
  const [factor, passkeys] = await Promise.all([
    wanted === "phr" ? undefined : storage.secondFactors.get(key),
    passkeysWork ? storage.passkeys.list(key) : [],
  ]);
  return { codes: factor !== undefined, passkeys: passkeys.length > 0 };
}
