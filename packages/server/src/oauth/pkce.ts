/** Proof Key for Code Exchange (RFC 7636). */

import { refuse } from "./errors.ts";
import type { Client } from "./model.ts";
import type { Parameters } from "./parameters.ts";
import type { Hashes, Policy } from "./ports.ts";

export interface CodeChallenge {
  readonly codeChallenge: string | null;
  readonly codeChallengeMethod: "S256" | "plain" | null;
}

const S256_CHALLENGE = /^[A-Za-z0-9_-]{43}$/;
const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/**
 * The challenge of an authorization request (§4.3). Public clients must send one, and so must all clients for which the
 * server or the registration requires PKCE.
 */
export function readChallenge(parameters: Parameters, client: Client, policy: Policy): CodeChallenge {
  const codeChallenge = parameters.get("code_challenge");
  // §4.3: a challenge without a method is `plain`.
  const method = parameters.get("code_challenge_method") ?? (codeChallenge === undefined ? undefined : "plain");
  if (codeChallenge === undefined) {
    if (method !== undefined || client.type === "public" || client.requirePkce || policy.requirePkce) {
      refuse("code_challenge_missing");
    }
    return { codeChallenge: null, codeChallengeMethod: null };
  }
  if (method === "S256") {
    if (!S256_CHALLENGE.test(codeChallenge)) refuse("code_challenge_malformed");
    return { codeChallenge, codeChallengeMethod: "S256" };
  }
  if (method !== "plain" || !client.allowPlainPkce) refuse("code_challenge_method_unsupported");
  if (!VERIFIER.test(codeChallenge)) refuse("code_challenge_malformed");
  return { codeChallenge, codeChallengeMethod: "plain" };
}

/**
 * The values of a verifier that the database compares (§4.6). A malformed verifier gets a value that equals no
 * challenge, so it burns the code as any wrong verifier does.
 */
export function challengesOf(
  verifier: string | undefined,
  hashes: Hashes,
): { s256: string | null; plain: string | null } {
  if (verifier === undefined) return { s256: null, plain: null };
  if (!VERIFIER.test(verifier)) return { s256: "malformed", plain: "malformed" };
  return { s256: hashes.sha256(verifier), plain: verifier };
}
