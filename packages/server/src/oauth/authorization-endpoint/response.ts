/** The authorization response, to the client's redirect_uri (RFC 6749 §§4.1.2, 4.1.2.1; RFC 9207). */

import { type ConditionName, errorParameters } from "../errors.ts";
import { withQuery } from "../redirect-uri.ts";
import type { RedirectTarget } from "./request.ts";

/** `location`: a 302; `form`: a page that posts these fields (OAuth 2.0 Form Post Response Mode). */
export type AuthorizationResponse =
  | { readonly kind: "location"; readonly location: string }
  | { readonly kind: "form"; readonly action: string; readonly fields: Readonly<Record<string, string>> };

/** `code`, `state` unchanged, `iss`. */
export function codeResponse(target: RedirectTarget, code: string, issuer: string): AuthorizationResponse {
  return respond(target, { code }, issuer);
}

/** `error` with its text and page, `state` unchanged, `iss`. */
export function errorResponse(target: RedirectTarget, condition: ConditionName, issuer: string): AuthorizationResponse {
  return respond(target, errorParameters(condition, issuer), issuer);
}

function respond(target: RedirectTarget, answer: Record<string, string>, issuer: string): AuthorizationResponse {
  const fields = { ...answer, ...(target.state === null ? {} : { state: target.state }), iss: issuer };
  return target.responseMode === "form_post"
    ? { kind: "form", action: target.redirectUri, fields }
    : { kind: "location", location: withQuery(target.redirectUri, fields) };
}
