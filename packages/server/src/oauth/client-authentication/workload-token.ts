/** Client authentication by the token that a platform gives its workloads (RFC 7521 §4.2; draft-ietf-oauth-spiffe-client-auth-02). */

import { type ConditionName, refuse } from "../errors.ts";
import { PUBLIC_KEY_ALGS } from "../foreign-jwk-set.ts";
import type { Client, Millis, WorkloadIdentity } from "../model.ts";
import { timeClaim } from "../numeric-date.ts";
import type { ForeignJwt, OAuthContext, SignatureOutcome } from "../ports.ts";
import type { TrustedIssuer } from "../trusted-issuer.ts";
import { matchesSubject } from "./workload-subject.ts";

/** A token may be presented again until it expires, so it must not live long. */
const MAX_LIFETIME: Millis = 3_600_000;
/** Maximum difference between the platform's clock and this server's clock. */
const CLOCK_SKEW: Millis = 60_000;

const REFUSALS: Readonly<Record<Exclude<SignatureOutcome, "verified">, ConditionName>> = {
  alg_refused: "client_assertion_alg_refused",
  key_unknown: "client_assertion_key_unknown",
  keys_unavailable: "client_assertion_keys_unavailable",
  keys_busy: "temporarily_unavailable",
  wrong: "client_assertion_signature_wrong",
};

/**
 * Refuses everything except a token of the platform, the workload and the audience that the operator named for this
 * client. The signature is checked first, so that a caller without a token learns nothing from the response.
 */
export async function checkWorkloadToken(jwt: ForeignJwt, client: Client, context: OAuthContext): Promise<void> {
  const { workload } = client;
  if (workload === null || workload === undefined) {
    await context.foreignJwts.pretend(jwt);
    return refuse("client_method_not_registered", "the operator has named no workload");
  }
  const record = await trusted(jwt, workload, context);
  if (record === undefined) {
    await context.foreignJwts.pretend(jwt);
    return refuse("client_workload_issuer_wrong", told("iss", jwt.claims.iss));
  }
  const { jwks, jwksUri } = record;
  const outcome = await context.foreignJwts.verify(jwt, { algs: PUBLIC_KEY_ALGS, jwks, jwksUri });
  if (outcome !== "verified") refuse(REFUSALS[outcome]);
  const { aud, sub } = jwt.claims;
  // A token that names another service, too, could be presented here by that service.
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audiences.length !== 1 || audiences[0] !== (workload.audience ?? context.issuer))
    refuse("client_workload_audience_wrong", told("aud", aud));
  if (typeof sub !== "string" || !matchesSubject(workload.subject, sub))
    refuse("client_workload_subject_wrong", told("sub", sub));
  checkTimes(jwt, context.now());
  if (client.status !== "active") refuse("client_disabled");
}

/** For the operator, who compares it with what is registered. None of these claims is a secret. */
function told(name: string, value: unknown): string {
  return value === undefined ? `the token has no ${name}` : `${name}: ${JSON.stringify(value).slice(0, 200)}`;
}

/** The record of the token's issuer. Undefined: the client may not present its tokens, or it is not trusted any more. */
async function trusted(
  { claims }: ForeignJwt,
  { issuer }: WorkloadIdentity,
  { catalog }: OAuthContext,
): Promise<TrustedIssuer | undefined> {
  if (issuerOf(claims) !== issuer) return undefined;
  const record = (await catalog.issuers()).get(issuer);
  return record?.type === "jwt" && record.status === "active" ? record : undefined;
}

/** A JWT-SVID needs no `iss`: its subject begins with the trust domain (SPIFFE JWT-SVID §3). */
function issuerOf({ iss, sub }: ForeignJwt["claims"]): unknown {
  if (iss !== undefined || typeof sub !== "string") return iss;
  return /^spiffe:\/\/[a-z0-9._-]{1,255}(?=\/)/.exec(sub)?.[0];
}

function checkTimes({ claims }: ForeignJwt, now: Millis): void {
  const [exp, iat, nbf] = [timeClaim(claims, "exp"), timeClaim(claims, "iat"), timeClaim(claims, "nbf")];
  if (exp === undefined || exp === null || iat === undefined || nbf === undefined)
    refuse("client_workload_out_of_time", "exp, iat or nbf is not a time");
  if (exp <= now) refuse("client_workload_out_of_time", "it is over");
  if (Math.max(iat ?? now, nbf ?? now) > now + CLOCK_SKEW) refuse("client_workload_out_of_time", "it is not valid yet");
  // Otherwise a token that lives for a year would be accepted in its last hour.
  if (exp - Math.min(iat ?? now, now) > MAX_LIFETIME + CLOCK_SKEW)
    refuse("client_workload_out_of_time", "it lives for more than an hour");
}
