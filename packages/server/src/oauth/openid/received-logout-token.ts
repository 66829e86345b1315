/** A logout token of another provider says that a sign-in there is over (OpenID Connect Back-Channel Logout §2.6). */

import { refuse } from "../errors.ts";
import { PUBLIC_KEY_ALGS } from "../foreign-jwk-set.ts";
import type { Millis } from "../model.ts";
import { timeClaim } from "../numeric-date.ts";
import type { ForeignJwt, OAuthContext } from "../ports.ts";

/** How much the clocks of two servers may differ. */
const CLOCK_SKEW: Millis = 60_000;
/** The greatest age of a logout token. The specification recommends a lifetime of at most two minutes. */
const MAX_AGE: Millis = 600_000;
/** Characters of `sub`, `sid` and `jti`. */
const MAX_ID = 255;

const LOGOUT_EVENT = "http://schemas.openid.net/event/backchannel-logout";

/** The issuer that must have made the token, and the client for which it must be. */
export interface LogoutIssuer {
  readonly issuer: string;
  readonly clientId: string;
}

/** At least one of `sub` and `sid` is there. */
export interface LogoutToken {
  readonly sub: string | null;
  readonly sid: string | null;
  readonly jti: string;
  /** No token with this `jti` is accepted after this time. */
  readonly until: Millis;
}

/**
 * Everything that the text alone can show is checked before the keys are asked for, because anybody can send a text.
 * Throws `logout_token_invalid`.
 */
export async function readLogoutToken(
  text: string,
  from: LogoutIssuer,
  keysAt: () => Promise<string>,
  { foreignJwts, now }: Pick<OAuthContext, "foreignJwts" | "now">,
): Promise<LogoutToken> {
  const jwt = foreignJwts.read(text) ?? invalid("it is not a signed JWT");
  // §2.4: `logout+jwt` is recommended. A JWT of another type has another purpose (RFC 8725 §3.11).
  if (jwt.typ !== undefined && !/^(?:application\/)?(?:jwt|logout\+jwt)$/i.test(jwt.typ)) invalid("typ");
  // §2.6 step 3: never `none`, and never a shared secret, which the provider's other clients don't have, but we would.
  if (!PUBLIC_KEY_ALGS.some((alg) => alg === jwt.alg)) invalid("alg");
  const token = checkedClaims(jwt, from, now());
  const outcome = await foreignJwts.verify(jwt, { algs: PUBLIC_KEY_ALGS, jwks: null, jwksUri: await keysAt() });
  if (outcome !== "verified") invalid(`signature: ${outcome}`);
  return token;
}

/** §2.6, steps 4 to 6. */
function checkedClaims({ claims }: ForeignJwt, { issuer, clientId }: LogoutIssuer, now: Millis): LogoutToken {
  const { iss, aud, events, nonce, sub, sid, jti } = claims;
  if (iss !== issuer) invalid("iss");
  // Another audience could have made use of it before us.
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audiences.length !== 1 || audiences[0] !== clientId) invalid("aud");
  const [iat, exp] = [timeClaim(claims, "iat"), timeClaim(claims, "exp")];
  if (iat == null || exp == null) return invalid("iat or exp is not a time");
  if (exp <= now - CLOCK_SKEW) invalid("it has expired");
  if (iat > now + CLOCK_SKEW) invalid("iat is in the future");
  if (iat < now - MAX_AGE) invalid("it is too old");
  if (!isObject(events) || !isObject(events[LOGOUT_EVENT])) invalid("events");
  // Otherwise it could be an ID token.
  if (nonce !== undefined) invalid("nonce");
  if (sub === undefined && sid === undefined) invalid("neither sub nor sid");
  if (!isId(jti)) return invalid("jti");
  return { sub: idOrNull(sub, "sub"), sid: idOrNull(sid, "sid"), jti, until: iat + MAX_AGE + CLOCK_SKEW };
}

function idOrNull(value: unknown, name: string): string | null {
  if (value === undefined) return null;
  return isId(value) ? value : invalid(name);
}

function isId(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_ID;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(detail: string): never {
  return refuse("logout_token_invalid", detail);
}
