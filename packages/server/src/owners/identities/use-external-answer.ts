/** The browser comes back from the operator's own sign-in page: the answer takes effect once, in the browser that began. */

import type { Hashes } from "../../oauth/ports.ts";
import type { ExternalAnswer, ExternalChallenge } from "./external-sign-in.ts";
import type { ElsewhereContext } from "./sign-in-elsewhere.ts";

export interface UseAnswerContext {
  readonly people: ElsewhereContext;
  readonly hashes: Hashes;
  unseal(sealed: Uint8Array, challengeId: string): ExternalAnswer;
}

/**
 * `unknown`: nobody answered, or with another verifier. `over`: it was used before, or is too old. The verifier came to
 * the browser by the page. So a challenge that somebody else answered, in another browser, signs in nobody.
 */
export async function useExternalAnswer(
  { id: challengeId }: ExternalChallenge,
  verifier: string,
  { people, hashes, unseal }: UseAnswerContext,
): Promise<{ readonly kind: "used"; readonly answer: ExternalAnswer } | { readonly kind: "unknown" | "over" }> {
  const key = { partition: people.partitionOf(challengeId), challengeId, verifierHash: hashes.sha256(verifier) };
  const used = await people.storage.externalAnswers.use({ ...key, now: people.now() });
  return used.kind === "used" ? { kind: "used", answer: unseal(used.sealed, challengeId) } : used;
}
