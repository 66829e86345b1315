/** The proof before a recovery. The browser carries it, sealed and bound to the browser and to the link. */

import { seal, unseal } from "../crypto/seal.ts";
import type { Millis } from "../oauth/model.ts";
import type { FollowedLink } from "../owners/mail/open-mail-link.ts";
import type { Proof } from "../owners/recovery/review-factors-and-apps.ts";
import type { Visitor } from "./browser-of-request.ts";
import type { FormTools } from "./endpoint-contexts.ts";

type ProofTools = Pick<FormTools, "secrets" | "now">;

/** How long the page with the decision may stay open. */
const PROOF_TTL: Millis = 15 * 60_000;
const PURPOSE = "recovery proof";

export function sealProof(proof: Proof, { key }: FollowedLink, { nonce }: Visitor, tools: ProofTools): string {
  const plain = Buffer.from(JSON.stringify([tools.now(), proof]));
  return Buffer.from(seal(tools.secrets, PURPOSE, `${nonce} ${key.linkId}`, plain)).toString("base64url");
}

/** Undefined: there is none, it belongs to another browser or another link, or it is too old. */
export function openProof(
  sealed: string | null,
  { key }: FollowedLink,
  { nonce }: Visitor,
  tools: ProofTools,
): Proof | undefined {
  if (sealed === null || !/^[A-Za-z0-9_-]{1,3000}$/.test(sealed)) return undefined;
  const plain = unseal(tools.secrets, PURPOSE, `${nonce} ${key.linkId}`, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [at, proof] = JSON.parse(plain.toString()) as [Millis, Proof];
  return tools.now() - at > PROOF_TTL ? undefined : proof;
}
