/** Before a sensitive change, the person proves again who they are: with the password, or by a recent sign-in. */

import type { Config } from "../config.ts";
import type { Millis } from "../oauth/model.ts";
import { isReplaced } from "../owners/identities/external-sign-in.ts";
import { MAX_PASSWORD_BYTES } from "../owners/new-password.ts";
import { knowsPassword } from "../owners/person.ts";
import type { SessionContext } from "../owners/sessions.ts";
import { hasAllSteps, isRecent } from "../owners/sessions.ts";
import type { SignInContext } from "../owners/sign-in.ts";
import { signIn } from "../owners/sign-in.ts";
import type { Person, Session } from "../owners/storage.ts";
import { originOf } from "./connections/client-address.ts";
import type { DeviceReading } from "./device-cookie.ts";
import { deviceCookie } from "./device-cookie.ts";
import type { EventTools } from "./endpoint-contexts.ts";
import { type HttpRequest, waitUntil } from "./http-message.ts";

/** The dependencies of this proof. */
export interface ProofTools extends DeviceReading, EventTools {
  readonly sessions: SessionContext;
  readonly signIn: SignInContext;
  readonly config: PasswordUse;
  now(): Millis;
}

/** Whether passwords count here. */
export type PasswordUse = Pick<Config, "externalSignIn">;

/** False: they have no password, or the operator's own page has replaced the sign-in with passwords. */
export function hasPassword({ passwordHash }: Pick<Person, "passwordHash">, config: PasswordUse): boolean {
  return passwordHash !== null && !isReplaced(config.externalSignIn);
}

export type ProofFault =
  /** The field `current_password` has a wrong password. `noCurrent`: it is empty. */
  | { readonly kind: "current" | "noCurrent" }
  /** Nobody knows their password. */
  | { readonly kind: "unknown" }
  | { readonly kind: "throttled"; readonly minutes: number }
  /** There is no password to ask for, and the sign-in is too old, or was before the second step was set up. */
  | { readonly kind: "stale" };

/**
 * Whether the person sends this form. Wrong passwords count like those of a sign-in, so that a stolen session can't
 * avoid those limits. Undefined: it is the person.
 */
export async function proofFault(
  { person, session, http }: { readonly person: Person; readonly session: Session; readonly http: HttpRequest },
  given: string,
  tools: ProofTools,
): Promise<ProofFault | undefined> {
  if (!(await hasAllSteps(person, session, tools.sessions))) return { kind: "stale" };
  if (!hasPassword(person, tools.config)) {
    return isRecent(session, tools.sessions) ? undefined : { kind: "stale" };
  }
  // A recent sign-in is no proof here: it can be by a factor that the undo of a removal brought back to an intruder.
  if (!knowsPassword(person)) return { kind: "unknown" };
  if (given === "") return { kind: "noCurrent" };
  if (Buffer.byteLength(given) > MAX_PASSWORD_BYTES) return { kind: "current" };
  const from = { ...originOf(http.address), device: deviceCookie(http, tools) };
  const attempt = { username: person.username, password: given, ...from };
  const outcome = await signIn(attempt, tools.signIn);
  switch (outcome.kind) {
    case "signed_in":
      return undefined;
    case "wrong":
      tools.event("reauthentication_failed", {
        owner: person.personId,
        reason: outcome.reason,
        address: http.address,
      });
      return { kind: "current" };
    case "throttled":
      return { kind: "throttled", minutes: waitUntil(outcome.until, tools.now()).minutes };
  }
}

/** True: they signed in recently, with all steps that they have. */
export async function isFresh(
  { person, session }: { readonly person: Person; readonly session: Session },
  { sessions }: Pick<ProofTools, "sessions">,
): Promise<boolean> {
  return isRecent(session, sessions) && (await hasAllSteps(person, session, sessions));
}
