/** Client authentication by a signed JWT: client_secret_jwt, private_key_jwt (RFC 7521 §4.2, RFC 7523 §3; OpenID Connect Core §9). */

import { type ConditionName, refuse } from "../errors.ts";
import { PUBLIC_KEY_ALGS, SECRET_ALGS } from "../foreign-jwk-set.ts";
import type { Client, Millis } from "../model.ts";
import { timeClaim } from "../numeric-date.ts";
import type { Parameters } from "../parameters.ts";
import type { ForeignJwt, OAuthContext, SignatureOutcome, VerifiedBy } from "../ports.ts";
import { compareSecret } from "./client-secret.ts";

/** Path of the token endpoint, below the issuer. */
const TOKEN_ENDPOINT = "/token";

const JWT_BEARER = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/** A JWT-SVID (draft-ietf-oauth-spiffe-client-auth-02). */
const JWT_SPIFFE = "urn:ietf:params:oauth:client-assertion-type:jwt-spiffe";

/** Maximum time from now to the end of an assertion. */
const MAX_LIFETIME: Millis = 300_000;
/** Maximum difference between the client's clock and this server's clock. */
const CLOCK_SKEW: Millis = 10_000;
const MAX_JTI = 512;

/** The condition in the log for each failed signature. */
const refusals: Readonly<Record<Exclude<SignatureOutcome, "verified">, ConditionName>> = {
  alg_refused: "client_assertion_alg_refused",
  key_unknown: "client_assertion_key_unknown",
  keys_unavailable: "client_assertion_keys_unavailable",
  keys_busy: "temporarily_unavailable",
  wrong: "client_assertion_signature_wrong",
};

/** The method for which the client is registered: with a secret, or with keys. */
export type AssertionMethod = "client_secret_jwt" | "private_key_jwt";

export interface Assertion {
  readonly clientId: string;
  readonly jti: string;
  readonly jwt: ForeignJwt;
}

/** An assertion that names another issuer than the client, for clients that authenticate with a platform's token. */
export interface WorkloadAssertion {
  readonly clientId: string;
  readonly jti: null;
  readonly jwt: ForeignJwt;
}

/**
 * The assertion in a request, well-formed but not verified. Null: there is none. Nothing here depends on which clients
 * are registered.
 */
export function presentedAssertion(
  parameters: Parameters,
  context: Pick<OAuthContext, "foreignJwts">,
): Assertion | WorkloadAssertion | null {
  const text = parameters.get("client_assertion");
  const type = parameters.get("client_assertion_type");
  if (text === undefined && type === undefined) return null;
  if (text === undefined || (type !== JWT_BEARER && type !== JWT_SPIFFE)) return refuse("client_assertion_incomplete");
  const jwt = context.foreignJwts.read(text) ?? refuse("client_assertion_malformed");
  const clientId = parameters.get("client_id");
  const { iss, sub, jti } = jwt.claims;
  // A platform's token doesn't name the client.
  if (clientId !== undefined && (type === JWT_SPIFFE || iss !== sub)) {
    if (jwt.typ !== undefined && !/^(?:jwt|jose)$/i.test(jwt.typ)) refuse("client_assertion_typ_refused");
    return { clientId, jti: null, jwt };
  }
  if (type === JWT_SPIFFE) return refuse("client_id_missing");
  // RFC 8725 §3.11: the type of a JWT names its purpose, so a JWT for another purpose is refused.
  if (jwt.typ !== undefined && !/^(?:application\/)?(?:jwt|client-authentication\+jwt)$/i.test(jwt.typ)) {
    refuse("client_assertion_typ_refused");
  }
  if (typeof sub !== "string" || sub === "") return refuse("client_assertion_subject_wrong", "no sub");
  if (iss !== sub) refuse("client_assertion_subject_wrong", "iss is not sub");
  // RFC 7521 §4.2: client_id is optional, and must name the same client.
  if (clientId !== undefined && clientId !== sub) refuse("client_assertion_subject_wrong", "client_id is not sub");
  if (typeof jti !== "string" || jti === "" || jti.length > MAX_JTI) return refuse("client_assertion_id_missing");
  return { clientId: sub, jti, jwt };
}

/**
 * Refuses everything except a fresh assertion of this client for this server. The signature is checked first, so that a
 * caller without a key learns nothing from the response time. The server remembers only signed ids.
 */
export async function checkAssertion(
  { jwt, jti }: Assertion,
  client: Client,
  method: AssertionMethod,
  context: OAuthContext,
): Promise<void> {
  const outcome = await context.foreignJwts.verify(jwt, verifiedBy(client, method, context));
  if (outcome !== "verified") refuse(refusals[outcome]);
  if (!isForUs(jwt.claims["aud"], client, context.issuer)) refuse("client_assertion_audience_wrong");
  const until = endOf(jwt, context.now(), context.restoredAt);
  // This check comes before the id is used: a disabled client leaves no trace.
  if (client.status !== "active") refuse("client_disabled");
  const key = context.hashes.sha256(JSON.stringify([client.clientId, jti]));
  const first = await context.storage.replayCache.useOnce({
    kind: "client jti",
    key,
    until: until + CLOCK_SKEW,
    now: context.now(),
  });
  if (!first) refuse("client_assertion_replayed");
}

/**
 * Only an assertion that names this server alone was meant for it. One with another audience may have been made for
 * somebody else, who saw it (draft-ietf-oauth-rfc7523bis §4). The token endpoint's URL counts only if the operator
 * allows it for an old client.
 */
function isForUs(aud: unknown, { tokenEndpointAudience }: Client, issuer: string): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!tokenEndpointAudience) return named.length === 1 && named[0] === issuer;
  return named.length > 0 && named.every((one) => one === issuer || one === issuer + TOKEN_ENDPOINT);
}

/** The end of the assertion. Refuses one that has expired, is not valid yet, or lives too long. */
function endOf({ claims }: ForeignJwt, now: Millis, forgottenBefore: Millis): Millis {
  const [exp, iat, nbf] = [timeClaim(claims, "exp"), timeClaim(claims, "iat"), timeClaim(claims, "nbf")];
  if (exp === undefined || exp === null || iat === undefined || nbf === undefined) {
    return refuse("client_assertion_out_of_time", "exp, iat or nbf is not a time");
  }
  if (exp <= now - CLOCK_SKEW) refuse("client_assertion_out_of_time", "it is over");
  if (Math.max(iat ?? now, nbf ?? now) > now + CLOCK_SKEW)
    refuse("client_assertion_out_of_time", "it is not valid yet");
  // If iat shows that the client's clock is ahead, the lifetime counts from iat.
  const lifetime = iat === null ? exp - now : Math.max(exp - iat, exp - now - CLOCK_SKEW);
  if (lifetime > MAX_LIFETIME) refuse("client_assertion_out_of_time", "it ends too far ahead");
  if ((iat ?? exp - MAX_LIFETIME) < forgottenBefore + CLOCK_SKEW && forgottenBefore > 0)
    refuse("client_assertion_out_of_time", "it is from before the database was restored, and may have been used");
  return exp;
}

/** Only the algs of the registered method: so a public key is never used as a secret, and `none` never passes. */
function verifiedBy(client: Client, method: AssertionMethod, context: OAuthContext): VerifiedBy {
  return method === "private_key_jwt"
    ? { algs: PUBLIC_KEY_ALGS, jwks: client.jwks, jwksUri: client.jwksUri }
    : { algs: SECRET_ALGS, secrets: liveSecrets(client, context) };
}

/** The secrets themselves, without expired ones; their hashes in the record show which ones these are. */
function liveSecrets({ clientId, sealedSecret, secrets }: Client, context: OAuthContext): readonly string[] {
  if (sealedSecret === null) return [];
  const opened = context.openClientSecrets(clientId, sealedSecret);
  if (opened === undefined)
    return refuse("client_secret_sealed", "ASSENT_SECRET lacks the secret that it was sealed under");
  return opened.filter((secret) => compareSecret(secret, secrets, context) === "valid");
}
