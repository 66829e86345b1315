/** Passkeys on pages: the data with which a form asks for one, and the person whose response came back. */

import { hashes } from "../crypto/node-hashes.ts";
import {
  credentialIdOf,
  newChallenge,
  openChallenge,
  type RelyingParty,
  relyingPartyOf,
  usedPasskey,
} from "../crypto/passkeys.ts";
import type { Authentication } from "../oauth/authentication-context.ts";
import type { FactorContext } from "../owners/change-factors.ts";
import { passkeyOf, recordUse, useChallenge } from "../owners/change-factors.ts";
import type { Passkey } from "../owners/factor-storage.ts";
import type { UsedFactor } from "../owners/recovery/trust-used-factor.ts";
import type { Person } from "../owners/storage.ts";
import type { PasskeyOffer } from "../pages/views.ts";
import type { Visitor } from "./browser-of-request.ts";
import type { EventTools, FormTools } from "./endpoint-contexts.ts";

/** Null: passkeys don't work at this issuer's address. */
export function passkeyOffer(
  { nonce }: Visitor,
  tools: Pick<FormTools, "issuer" | "secrets" | "now">,
): PasskeyOffer | null {
  const rp = relyingPartyOf(tools.issuer);
  if (rp === undefined) return null;
  return { ...newChallenge(tools.secrets, `browser:${nonce}`, tools.now()), rpId: rp.id };
}

/** The dependencies of recognizing a passkey. */
export interface PasskeyTools extends Pick<FormTools, "issuer" | "secrets" | "now">, EventTools {
  readonly factors: FactorContext;
}

/** The level of the sign-in, and the passkey that was used. */
type ByPasskey = Authentication & { readonly used: UsedFactor };

/**
 * The person whose passkey signed. Undefined: nobody's. Only the log has the reason: if a page distinguished an unknown
 * key from a wrong signature, it would tell which keys exist.
 */
export async function personOfPasskey(
  form: URLSearchParams,
  { nonce }: Visitor,
  address: string,
  tools: PasskeyTools,
): Promise<{ readonly person: Person; readonly passkey: Passkey; readonly by: ByPasskey } | undefined> {
  const rp = relyingPartyOf(tools.issuer);
  const outcome = rp === undefined ? "passkeys don't work at this address" : await verified(form, nonce, rp, tools);
  if (typeof outcome !== "string") return outcome;
  tools.event("sign_in_failed", { reason: `passkey: ${outcome}`, address });
  return undefined;
}

async function verified(form: URLSearchParams, nonce: string, rp: RelyingParty, tools: PasskeyTools) {
  const { secrets } = tools;
  const now = tools.now();
  const answer = form.get("credential") ?? "";
  const challenge = openChallenge(secrets, `browser:${nonce}`, form.get("challenge"), now);
  if (challenge === undefined) return "not a challenge of this browser's, or too old";
  const credentialId = credentialIdOf(answer);
  const found = credentialId === undefined ? undefined : await passkeyOf(credentialId, tools.factors);
  if (found === undefined) return "unknown";
  const { passkey, person } = found;
  const used = await usedPasskey(answer, passkey, challenge, rp);
  if ("refused" in used) return used.refused;
  if (person.status !== "active") return "disabled";
  const { until } = challenge;
  const key = hashes.sha256(challenge.challenge);
  if (!(await useChallenge(key, until, tools.factors))) return "the challenge was answered before";
  const outcome = await recordUse({ ...passkey, ...used }, tools.factors);
  if (outcome === "stale") {
    tools.event("passkey_copied", { owner: person.personId, credential_id: passkey.credentialId });
    return "its count didn't go up: there may be a copy of it";
  }
  if (outcome !== "used") return outcome;
  return { person, passkey, by: { ...authenticationBy(passkey), used: { kind: "passkey" as const, passkey } } };
}

/**
 * RFC 8176: a key that can leave its device counts as software. The authenticator verifies its user each time (`user`),
 * so these are two factors.
 */
function authenticationBy({ backupEligible }: Passkey): Authentication {
  return { acr: "phr", amr: [backupEligible ? "swk" : "hwk", "user", "mfa"] };
}
