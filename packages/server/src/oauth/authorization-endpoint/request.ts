/** The authorization request, checked in one fixed order (RFC 6749 §§3.1, 4.1.1, 4.1.2.1, 4.2.1). */

import { signInPolicy, wantedAcr } from "../authentication-context.ts";
import { defaultScopeOf } from "../default-scopes.ts";
import { OAuthError, refuse } from "../errors.ts";
import { mayUse, RESPONSE_TYPES, type ResponseType } from "../grants/registry.ts";
import type { Acr, Client, Scope } from "../model.ts";
import { isOpenIdRequest, isOpenIdScope } from "../openid/scopes.ts";
import type { ParsedParameters } from "../parameters.ts";
import { type CodeChallenge, readChallenge } from "../pkce.ts";
import type { Hashes, OAuthContext, RequestedClaims } from "../ports.ts";
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
  /** The default scopes, as the parameter `scope` would name them. Null: the request names its scopes. */
  readonly defaultScope: string | null;
  readonly resources: readonly string[];
  /** The one API of its tokens. Null: several, and each token request names one. Never null for `token`. */
  readonly audience: string | null;
  readonly prompt: readonly Prompt[];
  /** Maximum age of the sign-in in seconds. Null: any age. */
  readonly maxAge: number | null;
  /** The level that the sign-in must reach. Null: any. */
  readonly acr: Acr | null;
  readonly loginHint: string | null;
  /** What the ID token repeats, so that the client recognizes it (OpenID Connect Core §3.1.2.1). Null: absent. */
  readonly nonce: string | null;
  /** The people whom the client expects, by `id_token_hint` or `claims`. Null: anybody. */
  readonly expectedPeople: readonly string[] | null;
  /** What the parameter `claims` asks for. Null: nothing. */
  readonly claims: RequestedClaims | null;
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
  ["claims", "OpenID Connect Core §5.5", "redirect", claimsAreRead],
  ["resource", "RFC 8707 §2", "redirect", resourcesAreAllowed],
  ["nonce", "OpenID Connect Core §3.1.2.1", "redirect", nonceIsKept],
  ["id_token_hint", "OpenID Connect Core §3.1.2.1", "redirect", hintIsRead],
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

async function clientIsKnown(
  { single }: ParsedParameters,
  _draft: Draft,
  { catalog, documents }: OAuthContext,
): Promise<Draft> {
  const clientId = single.get("client_id") ?? "";
  const client = await (documents?.client(clientId, "client_document_unusable") ?? catalog.client(clientId));
  if (client === undefined || client.status !== "active") return refuse("authorization_client_unknown");
  if (client.document !== undefined && documents === null) refuse("authorization_client_unknown", DOCUMENTS_OFF);
  return { client };
}

const DOCUMENTS_OFF = "client ID metadata documents are switched off";

function redirectUriIsRegistered({ single }: ParsedParameters, { client }: Draft): Draft {
  const redirectUri = single.get("redirect_uri");
  const anyPort = client?.document !== undefined;
  if (redirectUri === undefined || !matchesRedirectUri(client?.redirectUris ?? [], redirectUri, { anyPort })) {
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

function responseModeIsSupported(asked: ParsedParameters, _draft: Draft, { hashes }: OAuthContext): Draft {
  const usual = usualMode(asked);
  const object = asked.single.get("request");
  const responseMode =
    asked.single.get("response_mode") ?? (object !== undefined && asksFormPost(object, hashes) ? "form_post" : usual);
  if (responseMode !== usual && responseMode !== "form_post") return refuse("response_mode_unsupported");
  return { responseMode };
}

/**
 * True: a request object names form_post. The server refuses every object, but a client that names the mode there alone
 * (OpenID Connect Core §6.1) waits for the refusal as a form.
 */
function asksFormPost(object: string, hashes: Hashes): boolean {
  const payload = (object.split(".")[1] ?? "").replaceAll("-", "+").replaceAll("_", "/");
  try {
    const claims: unknown = JSON.parse(hashes.base64Text(payload + "=".repeat(-payload.length & 3)) ?? "");
    return (claims as { response_mode?: unknown } | null)?.response_mode === "form_post";
  } catch {
    return false;
  }
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
  { single, resource }: ParsedParameters,
  { client, responseType }: Draft,
  context: OAuthContext,
): Promise<Draft> {
  if (client === undefined) return refuse("scope_missing");
  const defaultScope = single.has("scope") ? null : await defaultScopeOf(client, resource, context);
  const scope = single.get("scope") ?? defaultScope ?? refuse("scope_missing");
  const refreshes = responseType === "code" && mayUse(client, "refresh_token", context);
  return { scopes: scopesForClient(scope, client, await context.catalog.scopes(), refreshes), defaultScope };
}

/**
 * A claim of a scope that isn't asked for makes the scope an optional permission, so that the owner decides about it. A
 * claim has no effect if its scope isn't allowed to the client.
 */
async function claimsAreRead(
  { single }: ParsedParameters,
  { client, scopes = [] }: Draft,
  { openId, catalog }: OAuthContext,
): Promise<Draft> {
  const text = single.get("claims");
  if (text === undefined || client === undefined || !isOpenIdRequest(scopes)) return { claims: null };
  const claims = await openId.readClaims(text);
  const known = await catalog.scopes();
  const more = claims.scopes.flatMap((name) => {
    const scope = known.get(name);
    if (scope === undefined || !client.scopes.includes(name) || scopes.some((one) => one.name === name)) return [];
    return isOpenIdScope(scope) ? [{ ...scope, optional: true }] : [];
  });
  return { claims, scopes: [...scopes, ...more] };
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

/** Every grant stores its nonce, so it is bounded. */
const LONGEST_NONCE = 2048;

function nonceIsKept({ single }: ParsedParameters, { client, scopes }: Draft, { openId }: OAuthContext): Draft {
  if (client === undefined || scopes === undefined || !isOpenIdRequest(scopes)) return { nonce: null };
  // The key is there when the code is redeemed: an RSA key takes up to a second.
  void openId.prepare(client);
  const nonce = single.get("nonce") ?? null;
  if (nonce !== null && nonce.length > LONGEST_NONCE) refuse("nonce_too_long");
  return { nonce };
}

/** A text that is no ID token of this server for this client names nobody, so it has no effect. */
async function hintIsRead(
  { single }: ParsedParameters,
  { client, scopes, claims }: Draft,
  { openId }: OAuthContext,
): Promise<Draft> {
  const hint = single.get("id_token_hint");
  const named = claims?.people ?? null;
  if (hint === undefined || client === undefined || !isOpenIdRequest(scopes ?? [])) return { expectedPeople: named };
  const hinted = await openId.personOf(hint, client);
  if (hinted === undefined) return { expectedPeople: named };
  return { expectedPeople: named === null || named.includes(hinted) ? [hinted] : [] };
}

const PROMPTS: ReadonlySet<string> = new Set<Prompt>(["none", "login", "consent", "select_account"]);

function promptIsFine({ single }: ParsedParameters, { claims, client }: Draft): Draft {
  const prompt = single.get("prompt")?.split(" ") ?? [];
  if (prompt.some((one) => !PROMPTS.has(one)) || (prompt.includes("none") && prompt.length > 1))
    refuse("prompt_invalid");
  const maxAge = single.get("max_age");
  if (maxAge !== undefined && !/^\d{1,10}$/.test(maxAge)) refuse("max_age_invalid");
  if (claims?.acrUnknown === true) refuse(prompt.includes("none") ? "sign_in_too_weak" : "acr_unreachable");
  return {
    prompt: prompt as Prompt[],
    maxAge: maxAge === undefined ? (client?.defaultMaxAge ?? null) : Number(maxAge),
    acr: signInPolicy([{ acr: wantedAcr(single.get("acr_values")) }, { acr: claims?.acr ?? null }]).acr,
    loginHint: single.get("login_hint") ?? null,
    uiLocales: single.get("ui_locales") ?? null,
  };
}
