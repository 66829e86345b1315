/** The authorization response, to the client's redirect_uri (RFC 6749 §§4.1.2, 4.1.2.1, 4.2.2; RFC 9207). */

import { type ConditionName, errorParameters } from "../errors.ts";
import type { Client } from "../model.ts";
import { withFragment, withQuery } from "../redirect-uri.ts";
import type { RedirectTarget } from "./request.ts";

/** `location`: a 302. `form`: a page that posts these fields (OAuth 2.0 Form Post Response Mode). */
export type AuthorizationResponse =
  | { readonly kind: "location"; readonly location: string }
  | { readonly kind: "form"; readonly action: string; readonly fields: Readonly<Record<string, string>> };

/** Sends `code`, the unchanged `state`, and `iss`. */
export function codeResponse(target: RedirectTarget, code: string, issuer: string): AuthorizationResponse {
  return respond(target, { code }, issuer);
}

/** The tokens that an implicit grant sends instead of a code. */
export interface ImplicitTokens {
  readonly accessToken: string;
  /** In seconds. */
  readonly expiresIn: number;
  readonly scope: string;
}

/**
 * Sends `access_token`, `token_type`, `expires_in`, `scope`, the unchanged `state`, and `iss`; never a refresh token
 * (§4.2.2).
 */
export function implicitResponse(
  target: RedirectTarget,
  { accessToken, expiresIn, scope }: ImplicitTokens,
  issuer: string,
): AuthorizationResponse {
  const answer = { access_token: accessToken, token_type: "Bearer", expires_in: String(expiresIn), scope };
  return respond(target, answer, issuer);
}

/**
 * Whether an error may go to this client's redirect_uri before the person has seen a page (RFC 9700 §4.11.2). Otherwise
 * a link with a mistake in it, to a client that nobody reviewed, could lead people anywhere in the name of this server.
 * `silent`: with prompt=none nobody would see a page.
 */
export function travelsAtOnce({ reviewed, verified }: Pick<Client, "reviewed" | "verified">, silent: boolean): boolean {
  return silent || reviewed !== false || verified === true;
}

/** Sends `error` with its text and page, the unchanged `state`, and `iss`. `requestId`: the request that was refused. */
export function errorResponse(
  target: RedirectTarget,
  condition: ConditionName,
  issuer: string,
  requestId: string | null,
): AuthorizationResponse {
  return respond(target, errorParameters(condition, issuer, requestId), issuer);
}

function respond(target: RedirectTarget, answer: Record<string, string>, issuer: string): AuthorizationResponse {
  const fields = { ...answer, ...(target.state === null ? {} : { state: target.state }), iss: issuer };
  switch (target.responseMode) {
    case "form_post":
      return { kind: "form", action: target.redirectUri, fields };
    case "fragment":
      return { kind: "location", location: withFragment(target.redirectUri, fields) };
    case "query":
      return { kind: "location", location: withQuery(target.redirectUri, fields) };
  }
}
