/** The authorization response, to the client's redirect_uri (RFC 6749 §§4.1.2, 4.1.2.1, 4.2.2; RFC 9207). */

import { type ConditionName, errorParameters } from "../errors.ts";
import { withFragment, withQuery } from "../redirect-uri.ts";
import type { RedirectTarget } from "./request.ts";

/** `location`: a 302; `form`: a page that posts these fields (OAuth 2.0 Form Post Response Mode). */
export type AuthorizationResponse =
  | { readonly kind: "location"; readonly location: string }
  | { readonly kind: "form"; readonly action: string; readonly fields: Readonly<Record<string, string>> };

/** `code`, `state` unchanged, `iss`. */
export function codeResponse(target: RedirectTarget, code: string, issuer: string): AuthorizationResponse {
  return respond(target, { code }, issuer);
}

/** What an implicit grant gives in place of a code. */
export interface ImplicitTokens {
  readonly accessToken: string;
  /** Seconds. */
  readonly expiresIn: number;
  readonly scope: string;
}

/** `access_token`, `token_type`, `expires_in`, `scope`, `state` unchanged, `iss`; never a refresh token (§4.2.2). */
export function implicitResponse(
  target: RedirectTarget,
  { accessToken, expiresIn, scope }: ImplicitTokens,
  issuer: string,
): AuthorizationResponse {
  const answer = { access_token: accessToken, token_type: "Bearer", expires_in: String(expiresIn), scope };
  return respond(target, answer, issuer);
}

/** `error` with its text and page, `state` unchanged, `iss`. */
export function errorResponse(target: RedirectTarget, condition: ConditionName, issuer: string): AuthorizationResponse {
  return respond(target, errorParameters(condition, issuer), issuer);
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
