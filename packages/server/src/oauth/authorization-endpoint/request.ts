/** The authorization request, checked in one fixed order (RFC 6749 §§3.1, 4.1.1, 4.1.2.1, 4.2.1). */

import { wantedAcr } from "../authentication-context.ts";
import { OAuthError, refuse } from "../errors.ts";
import { RESPONSE_TYPES, type ResponseType } from "../grants/registry.ts";
import type { Acr, Client, Scope } from "../model.ts";
import type { ParsedParameters } from "../parameters.ts";
import { type CodeChallenge, readChallenge } from "../pkce.ts";
import type { OAuthContext } from "../ports.ts";
import { matchesRedirectUri } from "../redirect-uri.ts";
import { audienceOf } from "../resource-indicator.ts";
import { scopesForClient } from "../scope.ts";

export type Prompt = "none" | "login" | "consent" | "select_account";
export type ResponseMode = "query" | "fragment" | "form_post";

/** An authorization request that passed every check. */
export interface AuthorizationRequest extends CodeChallenge {
  readonly client: Client;
  readonly redirectUri: string;
  readonly responseMode: ResponseMode;
  /** Returned unchanged, on success and on error. */
  readonly state: string | null;
  readonly responseType: ResponseType;
  /** The requested scopes. */
  readonly scopes: readonly Scope[];
  readonly resources: readonly string[];
  /** The one API of its tokens. Null: several, and each token request names one. Never null for `token`. */
  readonly audience: string | null;
  readonly prompt: readonly Prompt[];
  /** Maximum age of the sign-in in seconds. Null: any age. */
  readonly maxAge: number | null;
  /** The level that the sign-in must reach. Null: any. */
  readonly acr: Acr | null;
  readonly loginHint: string | null;
  /**
   * Languages of the owner, BCP 47, best first, as they were sent. Null: absent. They are a hint, so unknown languages
   * are no error.
   */
  readonly uiLocales: string | null;
}

/** What must be known before an error may go to the client by redirect. */
export type RedirectTarget = Pick<AuthorizationRequest, "redirectUri" | "responseMode" | "state">;

type Draft = Partial<AuthorizationRequest>;
type Check = (asked: ParsedParameters, draft: Draft, context: OAuthContext) => Draft | Promise<Draft>;

/**
 * All checks in order. Before `redirect_uri` has matched, a refusal is a page of this server with HTTP 400, never a
 * redirect (RFC 6749 §4.1.2.4). After that, a refusal goes to the client. Each check returns the values that it has
 * verified.
 */
export const checks: readonly (readonly [
  name: string,
  section: string,
  refusedBy: "page" | "redirect",
  check: Check,
])[] = [
  ["client_id", "RFC 6749 §2.2", "page", clientIsKnown],
  ["redirect_uri", "RFC 6749 §3.1.2.3", "page", redirectUriIsRegistered],
  ["state", "RFC 6749 §4.1.1", "redirect", stateIsKept],
  ["all parameters", "RFC 6749 §3.1", "redirect", nothingIsRepeatedOrMalformed],
  ["response_mode", "OAuth 2.0 Multiple Response Types §2.1", "redirect", responseModeIsSupported],
  ["request, request_uri, registration", "OpenID Connect Core §§6, 7.2.1", "redirect", noRequestObject],
  ["response_type", "RFC 6749 §3.1.1", "redirect", responseTypeIsAllowed],
  ["code_challenge", "RFC 7636 §4.4", "redirect", challengeIsFine],
  ["scope", "RFC 6749 §3.3", "redirect", scopesAreAllowed],
  ["resource", "RFC 8707 §2", "redirect", resourcesAreAllowed],
  ["prompt, max_age, acr_values, login_hint, ui_locales", "OpenID Connect Core §3.1.2.1", "redirect", promptIsFine],
];

/** The known part of a request that is refused after its redirect_uri has matched. */
export interface ErrorTarget extends RedirectTarget {
  readonly client: Client;
  /** True: it allows no page, because `prompt` is `none` alone. */
  readonly silent: boolean;
}

/** A refusal and its destination. `target` undefined: a page of this server. */
export interface RefusedRequest {
  readonly error: OAuthError;
  readonly target: ErrorTarget | undefined;
  /** The request, for the log. */
  readonly asked: ParsedParameters;
  /** Undefined: no active client has the `client_id`. */
  readonly client: Client | undefined;
}

export type RequestOutcome =
  | { readonly kind: "accepted"; readonly request: AuthorizationRequest }
  | ({ readonly kind: "refused" } & RefusedRequest);

/** Runs the checks. Rethrows errors that are not refusals. */
export async function checkAuthorizationRequest(
  asked: ParsedParameters,
  context: OAuthContext,
): Promise<RequestOutcome> {
  let draft: Draft = {};
  try {
    for (const [, , , check] of checks) draft = { ...draft, ...(await check(asked, draft, context)) };
    // The check of each field's name has set it: the table is complete.
    return { kind: "accepted", request: draft as AuthorizationRequest };
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error;
    return { kind: "refused", error, target: targetOf(draft, asked), asked, client: draft.client };
  }
}

function targetOf(draft: Draft, asked: ParsedParameters): ErrorTarget | undefined {
  if (draft.redirectUri === undefined || draft.client === undefined) return undefined;
  return {
    client: draft.client,
    silent: asked.single.get("prompt") === "none",
    redirectUri: draft.redirectUri,
    // If the request is refused before this check, the error still goes the way that was asked for (Multiple Response
    // Types §2.1).
    responseMode:
      draft.responseMode ?? (asked.single.get("response_mode") === "form_post" ? "form_post" : usualMode(asked)),
    state: draft.state ?? asked.single.get("state") ?? null,
  };
}

async function clientIsKnown({ single }: ParsedParameters, _draft: Draft, { catalog }: OAuthContext): Promise<Draft> {
  const client = await catalog.client(single.get("client_id") ?? "");
  if (client === undefined || client.status !== "active") return refuse("authorization_client_unknown");
  return { client };
}

function redirectUriIsRegistered({ single }: ParsedParameters, { client }: Draft): Draft {
  const redirectUri = single.get("redirect_uri");
  if (redirectUri === undefined || !matchesRedirectUri(client?.redirectUris ?? [], redirectUri)) {
    return refuse("redirect_uri_mismatch");
  }
  return { redirectUri };
}

function stateIsKept({ single }: ParsedParameters): Draft {
  return { state: single.get("state") ?? null };
}

function nothingIsRepeatedOrMalformed({ problem }: ParsedParameters): Draft {
  if (problem !== null) refuse(problem.condition);
  return {};
}

/**
 * Where the response goes if the request doesn't say. A token never goes into a query, because servers, proxies and
 * histories keep queries (RFC 9700 §4.3.2).
 */
function usualMode({ single }: ParsedParameters): "query" | "fragment" {
  return single.get("response_type") === "token" ? "fragment" : "query";
}

function responseModeIsSupported(asked: ParsedParameters): Draft {
  const usual = usualMode(asked);
  const responseMode = asked.single.get("response_mode") ?? usual;
  if (responseMode !== usual && responseMode !== "form_post") return refuse("response_mode_unsupported");
  return { responseMode };
}

function noRequestObject({ single }: ParsedParameters): Draft {
  if (single.has("request")) refuse("request_unsupported");
  if (single.has("request_uri")) refuse("request_uri_unsupported");
  if (single.has("registration")) refuse("registration_unsupported");
  return {};
}

/** Unknown and switched-off types get the same refusal: only what the metadata lists exists. */
function responseTypeIsAllowed({ single }: ParsedParameters, { client }: Draft, { grants }: OAuthContext): Draft {
  const responseType = single.get("response_type");
  if (responseType === undefined) refuse("response_type_missing");
  if (responseType !== "code" && responseType !== "token") return refuse("unsupported_response_type");
  const grantType = RESPONSE_TYPES[responseType];
  if (!grants.offers(grantType)) refuse("unsupported_response_type", `${grantType} is switched off`);
  if (!client?.responseTypes.includes(responseType) || !client.grantTypes.includes(grantType)) {
    refuse("response_type_not_registered");
  }
  return { responseType };
}

function challengeIsFine(
  { single }: ParsedParameters,
  { client, responseType }: Draft,
  { policy }: OAuthContext,
): Draft {
  // Without a code, there is nothing for a verifier to redeem.
  if (responseType === "token") return { codeChallenge: null, codeChallengeMethod: null };
  return client === undefined ? {} : readChallenge(single, client, policy);
}

async function scopesAreAllowed(
  { single }: ParsedParameters,
  { client }: Draft,
  { catalog }: OAuthContext,
): Promise<Draft> {
  const scope = single.get("scope");
  if (scope === undefined || client === undefined) return refuse("scope_missing");
  return { scopes: scopesForClient(scope, client, await catalog.scopes()) };
}

async function resourcesAreAllowed(
  asked: ParsedParameters,
  { scopes, responseType }: Draft,
  context: OAuthContext,
): Promise<Draft> {
  const audience = audienceOf(scopes ?? [], asked.resource, await context.catalog.resources(), context.issuer);
  // No token request follows that could name one of the APIs.
  if (responseType === "token" && audience === null) refuse("scopes_of_several_apis");
  return { audience, resources: asked.resource };
}

const PROMPTS: ReadonlySet<string> = new Set<Prompt>(["none", "login", "consent", "select_account"]);

function promptIsFine({ single }: ParsedParameters): Draft {
  const prompt = single.get("prompt")?.split(" ") ?? [];
  if (prompt.some((one) => !PROMPTS.has(one)) || (prompt.includes("none") && prompt.length > 1))
    refuse("prompt_invalid");
  const maxAge = single.get("max_age");
  if (maxAge !== undefined && !/^\d{1,10}$/.test(maxAge)) refuse("max_age_invalid");
  return {
    prompt: prompt as Prompt[],
    maxAge: maxAge === undefined ? null : Number(maxAge),
    acr: wantedAcr(single.get("acr_values")),
    loginHint: single.get("login_hint") ?? null,
    uiLocales: single.get("ui_locales") ?? null,
  };
}
