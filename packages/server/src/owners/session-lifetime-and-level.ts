/** How long a session lasts, and whether its sign-in is strong and recent enough for a request. */

import {
  ACR_VALUES,
  type Authentication,
  BY_PASSWORD,
  isAsSure,
  signInPolicy,
  withCode,
} from "../oauth/authentication-context.ts";
import type { AuthorizationRequest } from "../oauth/authorization-endpoint/request.ts";
import type { Acr, Millis, Scope } from "../oauth/model.ts";
import type { Person } from "./person.ts";
import type { UsedFactor } from "./recovery/trust-used-factor.ts";
import type { Session } from "./storage.ts";
import type { UpstreamSignIn } from "./subject-link-storage.ts";

/** A session ends after 12 hours without use. */
export const SESSION_IDLE: Millis = 12 * 3_600_000;
/** A session ends 14 days after its sign-in. */
export const SESSION_ABSOLUTE: Millis = 14 * 86_400_000;

/** The parts of a request that demand something of the sign-in. */
export type SignInAsked = Pick<AuthorizationRequest, "prompt" | "maxAge" | "acr">;

export type SignInNeeded =
  | { readonly kind: "none" }
  | { readonly kind: "sign_in" }
  | { readonly kind: "step"; readonly acr: Exclude<Acr, "1fa"> };

/**
 * The step that must come before the owner's answer although there is a session (OpenID Connect Core §3.1.2.1, RFC 9470
 * §5). `sign_in`: sign in again. `step`: a stronger factor in addition. `scopes`: the requested ones, with the
 * operator's demands. `startedAt`: when the request began; a sign-in since then is recent enough.
 */
export function signInNeeded(
  asked: SignInAsked,
  scopes: readonly Scope[],
  session: Pick<Session, "authTime" | "acr" | "amr"> & Partial<Pick<Session, "createdAt">>,
  startedAt: Millis,
  now: Millis,
): SignInNeeded {
  const policy = signInPolicy([...scopes, asked]);
  // Somebody who has chosen their account since then may have proved earlier, at a provider, who they are.
  const begunAt = Math.max(session.authTime, session.createdAt ?? 0);
  if (asked.prompt.includes("select_account") && begunAt < startedAt) return { kind: "sign_in" };
  if (session.authTime < startedAt) {
    if (asked.prompt.includes("login")) return { kind: "sign_in" };
    if (policy.maxAge !== null && now - session.authTime > policy.maxAge * 1000) return { kind: "sign_in" };
  }
  const { acr } = policy;
  if (acr === null || acr === "1fa" || isAsSure(authenticationOf(session).acr, acr)) return { kind: "none" };
  return { kind: "step", acr };
}

/**
 * How strongly the person of a session was recognized. Sessions from before this was recorded began with a password.
 */
export function authenticationOf({ acr, amr }: Pick<Session, "acr" | "amr">): Authentication {
  return { acr: ACR_VALUES.find((one) => one === acr) ?? BY_PASSWORD.acr, amr };
}

/** How and when a person signed in: the data of a session. */
export interface SignedInBy extends Authentication {
  /**
   * The time of the oldest proof that `acr` and `amr` name (OpenID Connect Core §2): a later proof does not make the
   * others more recent.
   */
  readonly authTime: Millis;
  /** The factor that was used. Absent: none, or a password alone. */
  readonly used?: UsedFactor;
  /** Where the person signed in. Absent: here, or the present session knows. */
  readonly upstream?: UpstreamSignIn;
}

/** The session that replaces the present one after its person has chosen a new password. */
export function afterNewPassword(
  session: Pick<Session, "authTime" | "acr" | "amr">,
  { passwordHash }: Pick<Person, "passwordHash">,
  now: Millis,
): SignedInBy {
  const before = authenticationOf(session);
  // If the old password was the only proof, the new one proves everything again. It does not prove a code or a passkey
  // again.
  if (isPassword(before) && passwordHash !== null) return { ...BY_PASSWORD, authTime: now };
  return { ...before, authTime: session.authTime };
}

/**
 * The session that replaces the present one after its person has set up an authenticator app, which includes typing a
 * code.
 */
export function afterNewAuthenticator(session: Pick<Session, "authTime" | "acr" | "amr">): SignedInBy {
  const before = authenticationOf(session);
  const both = before.acr === BY_PASSWORD.acr ? withCode(before.amr) : before;
  return { ...both, authTime: session.authTime };
}

function isPassword({ acr, amr }: Authentication): boolean {
  return acr === BY_PASSWORD.acr && amr.every((one) => BY_PASSWORD.amr.includes(one));
}
