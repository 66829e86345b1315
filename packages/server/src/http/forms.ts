/** Tokens that bind a form to the browser it was shown in (RFC 6749 §10.12). */

import { timingSafeEqual } from "node:crypto";
import { randomText } from "../crypto/random.ts";
import { seal, unseal } from "../crypto/seal.ts";
import type { Secrets } from "../crypto/secrets.ts";
import type { RedirectTarget } from "../oauth/authorization-endpoint/request.ts";
import type { ConditionName } from "../oauth/errors.ts";
import type { Millis } from "../oauth/model.ts";

/** The token of a form: for a browser (`browser:nonce`) or a session (`session:id`). */
export function formToken(secrets: Secrets, bearer: string): string {
  return secrets.mac("csrf", bearer);
}

export function isFormToken(secrets: Secrets, bearer: string, token: string | null): boolean {
  const given = Buffer.from(token ?? "");
  return secrets.macs("csrf", bearer).some((one) => {
    const wanted = Buffer.from(one);
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  });
}

/** An authorization request under way: carried by the browser, sealed, bound to it. Nothing is stored for an anonymous visitor. */
export interface Interaction {
  /** The request's parameters; they are checked again each time. */
  readonly query: string;
  readonly startedAt: Millis;
  /** The grant's id comes of this and the owner: a double click makes one grant. */
  readonly nonce: string;
  /** Salt of the code, so that the second click of a double click gets the same code. */
  readonly codeSalt: string;
}

/** How long a page of a request may stay open. */
export const INTERACTION_TTL: Millis = 3_600_000;

export function newInteraction(query: string, now: Millis): Interaction {
  return { query, startedAt: now, nonce: randomText(16), codeSalt: randomText(32) };
}

export function sealInteraction(secrets: Secrets, browser: string, interaction: Interaction): string {
  const { query, startedAt, nonce, codeSalt } = interaction;
  const plain = Buffer.from(JSON.stringify([query, startedAt, nonce, codeSalt]));
  return Buffer.from(seal(secrets, "authorization request", browser, plain)).toString("base64url");
}

/** Undefined: not ours, changed, or another browser's. */
export function openInteraction(secrets: Secrets, browser: string, sealed: string): Interaction | undefined {
  if (sealed.length > 32_768 || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const plain = unseal(secrets, "authorization request", browser, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [query, startedAt, nonce, codeSalt] = JSON.parse(plain.toString()) as [string, Millis, string, string];
  return { query, startedAt, nonce, codeSalt };
}

/** An error on its way to a client that nobody has looked at: carried by the browser until the person goes on, sealed, bound to it (RFC 9700 §4.11.2). */
export interface HeldError {
  readonly clientId: string;
  readonly target: RedirectTarget;
  readonly condition: ConditionName;
  readonly heldAt: Millis;
}

export function sealHeldError(secrets: Secrets, browser: string, held: HeldError): string {
  const { clientId, target, condition, heldAt } = held;
  const { redirectUri, responseMode, state } = target;
  const plain = Buffer.from(JSON.stringify([clientId, redirectUri, responseMode, state, condition, heldAt]));
  return Buffer.from(seal(secrets, "authorization error", browser, plain)).toString("base64url");
}

/** Undefined: not ours, changed, or another browser's. */
export function openHeldError(secrets: Secrets, browser: string, sealed: string | null): HeldError | undefined {
  if (sealed === null || sealed.length > 32_768 || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const plain = unseal(secrets, "authorization error", browser, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [clientId, redirectUri, responseMode, state, condition, heldAt] = JSON.parse(plain.toString()) as [
    string,
    string,
    RedirectTarget["responseMode"],
    string | null,
    ConditionName,
    Millis,
  ];
  return { clientId, target: { redirectUri, responseMode, state }, condition, heldAt };
}

/** A device's code that somebody typed in: carried by the browser through sign-in to their answer, sealed, bound to it (RFC 8628 §3.3). */
export interface DeviceEntry {
  /** As it was typed. */
  readonly userCode: string;
  /** The session of this browser that has the request; null: the code hasn't been looked for yet. */
  readonly claimedBy: string | null;
  /** Who asks, once that is known: after the answer, too, the page says whom it was about. */
  readonly clientId: string | null;
  /** The reader said that the device is theirs, although it asked from another network. */
  readonly confirmed: boolean;
}

/** Longer than any code, however it is spaced. */
const MAX_TYPED = 100;

export function newDeviceEntry(typed: string): DeviceEntry {
  return { userCode: typed.slice(0, MAX_TYPED), claimedBy: null, clientId: null, confirmed: false };
}

export function sealDeviceEntry(secrets: Secrets, browser: string, entry: DeviceEntry): string {
  const plain = Buffer.from(JSON.stringify([entry.userCode, entry.claimedBy, entry.clientId, entry.confirmed]));
  return Buffer.from(seal(secrets, "device request", browser, plain)).toString("base64url");
}

/** Undefined: not ours, changed, or another browser's. How long it is good is the request's own matter. */
export function openDeviceEntry(secrets: Secrets, browser: string, sealed: string | null): DeviceEntry | undefined {
  if (sealed === null || sealed.length > 2048 || !/^[A-Za-z0-9_-]+$/.test(sealed)) return undefined;
  const plain = unseal(secrets, "device request", browser, Buffer.from(sealed, "base64url"));
  if (plain === undefined) return undefined;
  const [userCode, claimedBy, clientId, confirmed] = JSON.parse(plain.toString()) as [
    string,
    string | null,
    string | null,
    boolean,
  ];
  return { userCode, claimedBy, clientId, confirmed };
}
