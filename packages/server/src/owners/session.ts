/** Sessions: how long one lasts, and whether its sign-in is fresh enough for a request. */

import { ACR_VALUES, type Authentication, BY_PASSWORD } from "../oauth/authentication-context.ts";
import type { AuthorizationRequest } from "../oauth/authorization-endpoint/request.ts";
import type { Millis } from "../oauth/model.ts";
import type { Session } from "./storage.ts";

/** 12 hours without use … */
export const SESSION_IDLE: Millis = 12 * 3_600_000;
/** … and 14 days in all. */
export const SESSION_ABSOLUTE: Millis = 14 * 86_400_000;

/**
 * True where the request wants the person to sign in although a session exists (OpenID Connect Core §3.1.2.1).
 * `startedAt`: when the request began; a sign-in since then satisfies `prompt=login`.
 */
export function needsSignIn(
  request: Pick<AuthorizationRequest, "prompt" | "maxAge">,
  authTime: Millis,
  startedAt: Millis,
  now: Millis,
): boolean {
  const signedInForThis = authTime >= startedAt;
  if (signedInForThis) return false;
  if (request.prompt.includes("login") || request.prompt.includes("select_account")) return true;
  return request.maxAge !== null && now - authTime > request.maxAge * 1000;
}

/** How surely the person of a session was recognized. One from before this was noted began with a password. */
export function authenticationOf({ acr, amr }: Pick<Session, "acr" | "amr">): Authentication {
  return { acr: ACR_VALUES.find((one) => one === acr) ?? BY_PASSWORD.acr, amr };
}
