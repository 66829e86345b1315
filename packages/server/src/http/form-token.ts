/** Tokens that bind a form to the browser in which it was shown (RFC 6749 §10.12). */

import { timingSafeEqual } from "node:crypto";
import { seal, unseal } from "../crypto/seal.ts";
import type { Secrets } from "../crypto/server-secret.ts";
import type { RedirectTarget } from "../oauth/authorization-endpoint/request.ts";
import type { ConditionName } from "../oauth/errors.ts";
import type { Millis } from "../oauth/model.ts";

/** Whom a form is bound to: a browser, or a session of a person who is signed in. */
export type FormBearer = { readonly nonce: string } | { readonly sessionId: string };

interface TokenTools {
  readonly secrets: Secrets;
}

function nameOf(bearer: FormBearer): string {
  return "sessionId" in bearer ? `session:${bearer.sessionId}` : `browser:${bearer.nonce}`;
}

/** The token of a form that is shown to that bearer: its field `csrf`. */
export function formToken(bearer: FormBearer, { secrets }: TokenTools): string {
  return secrets.mac("csrf", nameOf(bearer));
}

/** Whether a form was shown to that bearer. */
export function isFormToken(form: URLSearchParams, bearer: FormBearer, { secrets }: TokenTools): boolean {
  const given = Buffer.from(form.get("csrf") ?? "");
  return secrets.macs("csrf", nameOf(bearer)).some((one) => {
    const wanted = Buffer.from(one);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/**
 * An error for a client that nobody has reviewed. The browser carries it until the person continues, sealed and bound
 * to it (RFC 9700 §4.11.2).
 */
export interface HeldError {
  readonly clientId: string;
  readonly target: RedirectTarget;
  readonly condition: ConditionName;
  readonly heldAt: Millis;
  /** The request that was refused. Null: an earlier version of the server sealed the error. */
  readonly requestId: string | null;
}

export function sealHeldError(secrets: Secrets, browser: string, held: HeldError): string {
  const { clientId, target, condition, heldAt, requestId } = held;
  const { redirectUri, responseMode, state } = target;
  const plain = Buffer.from(JSON.stringify([clientId, redirectUri, responseMode, state, condition, heldAt, requestId]));
  return Buffer.from(seal(secrets, "authorization error", browser, plain)).toString("base64url");
}

/** Undefined: it is not from this server, was changed, or belongs to another browser. */
export function openHeldError(secrets: Secrets, browser: string, sealed: string | null): HeldError | undefined {
  if (sealed === null || sealed.length > 32_768 || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const plain = unseal(secrets, "authorization error", browser, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [clientId, redirectUri, responseMode, state, condition, heldAt, requestId = null] = JSON.parse(
    plain.toString(),
  ) as [string, string, RedirectTarget["responseMode"], string | null, ConditionName, Millis, string?];
  return { clientId, target: { redirectUri, responseMode, state }, condition, heldAt, requestId };
}
