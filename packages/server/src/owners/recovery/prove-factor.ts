/** Proves a factor before an account is recovered: a code, a recovery code, or (in `http/`) a passkey. */

import type { Millis } from "../../oauth/model.ts";
import type { Uses } from "../../storage-subset.ts";
import type { FactorStorage } from "../factor-storage.ts";
import type { MailLink } from "../mail/storage.ts";
import { seenDevice } from "../recognize-known-device.ts";
import { type Look, type SecondStepContext, type SecondStepRequest, secondStep } from "../second-step.ts";
import type { Proof, Ways } from "./review-factors-and-apps.ts";
import { isOldest, type RecoveryStorage } from "./storage.ts";

export interface ProveContext extends SecondStepContext {
  readonly storage: SecondStepContext["storage"] &
    Uses<FactorStorage, "secondFactors.useEarlier" | "secondFactors.hasRecoveryCode"> &
    Uses<RecoveryStorage, "people.addresses">;
}

/** `untrusted`: an unused recovery code of the present set, which proves nothing. It is not used up. */
type Reason = "none" | "code" | "spent" | "untrusted";

export type ProofOutcome =
  | { readonly kind: "proved"; readonly proof: Proof; readonly codesLeft: number }
  | { readonly kind: "wrong"; readonly reason: Reason }
  | { readonly kind: "throttled"; readonly until: Millis };

/**
 * Guesses count like those of a sign-in, because the same codes are guessed. Those behind one link have limits of their
 * own. A device has its own limits even if it is not bound: an intruder who changed the password has unbound the
 * owner's device, and could otherwise keep the owner waiting with wrong codes.
 */
export async function proveFactor(
  { link, ...asked }: Omit<SecondStepRequest, "link"> & { readonly link: MailLink },
  ways: Ways,
  context: ProveContext,
): Promise<ProofOutcome> {
  const { partition, personId } = asked.person;
  const addresses = await context.storage.people.addresses({ partition, personId, now: context.now() });
  const request = { ...asked, link: { id: link.linkId, toOldest: isOldest(addresses, link.address) } };
  let proof: Proof | undefined;
  let untrusted = false;
  const look: Look = async (asked) => {
    const found = asked.by === "code" ? await byCode(asked, ways, context) : await byRecoveryCode(asked, ways, context);
    untrusted = found === "untrusted";
    if (typeof found === "string") return { kind: "wrong", reason: found === "untrusted" ? "code" : found };
    proof = found.proof;
    return { kind: "passed", codesLeft: found.codesLeft, used: null };
  };
  const alarm: ProveContext["alarm"] = (person, guessed) => context.alarm(person, guessed, "link");
  const outcome = await secondStep(request, { ...context, alarm }, look, seenDevice);
  if (outcome.kind === "wrong" && untrusted) return { kind: "wrong", reason: "untrusted" };
  if (outcome.kind !== "passed") return outcome;
  if (proof === undefined) throw new Error("a step was passed without a proof");
  return { kind: "proved", proof, codesLeft: outcome.codesLeft };
}

type Found = { readonly proof: Proof; readonly codesLeft: number } | Reason;

/** The present authenticator or the previous one, if one of the two is demanded. */
async function byCode({ person, typed }: SecondStepRequest, ways: Ways, context: ProveContext): Promise<Found> {
  const { storage, stepOfCode, now } = context;
  const key = { partition: person.partition, personId: person.personId };
  const factor = ways.authenticator ? await storage.secondFactors.get(key) : undefined;
  if (factor === undefined) return "none";
  const { codesLeft, createdAt, earlier } = factor;
  const step = stepOfCode(person.personId, factor.sealedSecret, typed);
  if (step !== undefined) {
    const used = await storage.secondFactors.use({ ...key, step, now: now() });
    return used ? { proof: { kind: "authenticator", since: createdAt }, codesLeft } : "spent";
  }
  if (!ways.earlier || earlier === null) return "code";
  const before = stepOfCode(person.personId, earlier.sealedSecret, typed);
  if (before === undefined) return "code";
  return (await storage.secondFactors.useEarlier({ ...key, step: before }))
    ? { proof: { kind: "earlier", since: earlier.createdAt }, codesLeft }
    : "spent";
}

async function byRecoveryCode(
  { person, typed, recoveryNews }: SecondStepRequest,
  ways: Ways,
  { storage, recoveryCodeHash, now }: ProveContext,
): Promise<Found> {
  const key = { partition: person.partition, personId: person.personId };
  const code = recoveryCodeHash(person.personId, typed);
  const factor = await storage.secondFactors.get(key);
  if (factor === undefined) return "none";
  if (code === undefined) return "code";
  const sets = [
    ...(ways.codes ? [{ earlier: false, left: factor.codesLeft, kind: "codes" } as const] : []),
    ...(ways.earlierCodes ? [{ earlier: true, left: factor.earlierCodesLeft, kind: "earlierCodes" } as const] : []),
  ];
  for (const { earlier, left, kind } of sets) {
    const codesLeft = Math.max(0, left - 1);
    const mails = recoveryNews?.(codesLeft) ?? [];
    if (await storage.secondFactors.useRecoveryCode({ ...key, code, earlier, mails, now: now() })) {
      return { proof: { kind, since: factor.codesAt }, codesLeft };
    }
  }
  const untrusted = !ways.codes && (await storage.secondFactors.hasRecoveryCode({ ...key, code }));
  return untrusted ? "untrusted" : "code";
}
