/** Sessions: how long one lasts, and whether its sign-in is fresh enough for a request. */

import {
  ACR_VALUES,
  type Authentication,
  BY_CODE,
  BY_PASSWORD,
  isAsSure,
  signInPolicy,
} from "../oauth/authentication-context.ts";
import type { AuthorizationRequest } from "../oauth/authorization-endpoint/request.ts";
import type { Acr, Millis, Scope } from "../oauth/model.ts";
import type { Person } from "./person.ts";
import type { UsedFactor } from "./recovery/trust-used-factor.ts";
import type { Session } from "./storage.ts";

/** 12 hours without use … */
export const SESSION_IDLE: Millis = 12 * 3_600_000;
/** … and 14 days in all. */
export const SESSION_ABSOLUTE: Millis = 14 * 86_400_000;

/** What a request asks of the sign-in before it. */
export type SignInAsked = Pick<AuthorizationRequest, "prompt" | "maxAge" | "acr">;

export type SignInNeeded =
  | { readonly kind: "none" }
  | { readonly kind: "sign_in" }
  | { readonly kind: "step"; readonly acr: Exclude<Acr, "1fa"> };

/**
 * What has to come before the owner's answer, although there is a session (OpenID Connect Core §3.1.2.1, RFC 9470 §5): `sign_in` once more; `step`,
 * something stronger beside it. `scopes`: what is asked for, with what the operator wants for it. `startedAt`: when the request began; a sign-in since then is
 * fresh enough for all of it.
 */
export function signInNeeded(
  asked: SignInAsked,
  scopes: readonly Scope[],
  session: Pick<Session, "authTime" | "acr" | "amr">,
  startedAt: Millis,
  now: Millis,
): SignInNeeded {
  const policy = signInPolicy([...scopes, asked]);
  if (session.authTime < startedAt) {
    if (asked.prompt.includes("login") || asked.prompt.includes("select_account")) return { kind: "sign_in" };
    if (policy.maxAge !== null && now - session.authTime > policy.maxAge * 1000) return { kind: "sign_in" };
  }
  const { acr } = policy;
  if (acr === null || acr === "1fa" || isAsSure(authenticationOf(session).acr, acr)) return { kind: "none" };
  return { kind: "step", acr };
}

/** How surely the person of a session was recognized. One from before this was noted began with a password. */
export function authenticationOf({ acr, amr }: Pick<Session, "acr" | "amr">): Authentication {
  return { acr: ACR_VALUES.find((one) => one === acr) ?? BY_PASSWORD.acr, amr };
}

/** How and when a person signed in: what a session says of them. */
export interface SignedInBy extends Authentication {
  /** When the oldest of the proofs was given that `acr` and `amr` name (OpenID Connect Core §2): a later one makes the others no younger. */
  readonly authTime: Millis;
  /** The factor that was used; absent: a password alone, or none. */
  readonly used?: UsedFactor;
}

/** The session that takes the place of another one when its person has chosen a new password. */
export function afterNewPassword(
  session: Pick<Session, "authTime" | "acr" | "amr">,
  { passwordHash }: Pick<Person, "passwordHash">,
  now: Millis,
): SignedInBy {
  const before = authenticationOf(session);
  // Where the old password was all that had been proved, all of it has been proved again. A code or a passkey has not.
  if (before.acr === BY_PASSWORD.acr && passwordHash !== null) return { ...BY_PASSWORD, authTime: now };
  return { ...before, authTime: session.authTime };
}

/** The session that takes the place of another one when its person has set up an authenticator app, and so given a code of it. */
export function afterNewAuthenticator(session: Pick<Session, "authTime" | "acr" | "amr">): SignedInBy {
  const before = authenticationOf(session);
  const both = before.acr === BY_PASSWORD.acr ? BY_CODE : before;
  return { ...both, authTime: session.authTime };
}
