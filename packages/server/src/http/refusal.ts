/** Refusals: what each error is, what the log may say of it, and the JSON for programs (RFC 6749 §5.2). For people there is `error-page.ts`. */

import { PasswordQueueFull } from "../crypto/password-hash-queue.ts";
import { type ConditionName, conditions, errorParameters, OAuthError } from "../oauth/errors.ts";
import type { Client } from "../oauth/model.ts";
import type { ParsedParameters } from "../oauth/parameters.ts";
import { StorageUnavailable } from "../storage/errors.ts";
import { type Answer, type HttpRequest, json } from "./http-message.ts";

/** Facts with which an operator can find and fix the cause of a refusal. For the log only. */
export interface RefusalFacts {
  /** As the request named it. Nothing proves that this client sent the request. */
  readonly client_id?: string;
  /** The parameter that was refused. */
  readonly parameter?: string;
  /** Its value, cut, without what could be a secret. */
  readonly received?: string;
  /** The values that the client is registered for. */
  readonly registered?: readonly string[];
}

export interface Refusal {
  readonly condition: ConditionName;
  readonly detail: string | undefined;
  readonly fault: boolean;
  readonly facts?: RefusalFacts;
}

type Registered = (client: Client, asked: ParsedParameters) => readonly string[];

const ownOrAsked: Registered = ({ scopes, ownScopes }, { single }) =>
  single.get("grant_type") === "client_credentials" ? ownScopes : scopes;

/** The parameter that each condition refuses. No other parameter is ever logged: it could hold a secret. */
const REFUSED: Partial<Readonly<Record<ConditionName, readonly [parameter: string, registered?: Registered]>>> = {
  redirect_uri_mismatch: ["redirect_uri", ({ redirectUris }) => redirectUris],
  code_redirect_uri_differs: ["redirect_uri", ({ redirectUris }) => redirectUris],
  unsupported_response_type: ["response_type"],
  response_type_not_registered: ["response_type", ({ responseTypes }) => responseTypes],
  response_mode_unsupported: ["response_mode"],
  code_challenge_method_unsupported: ["code_challenge_method"],
  prompt_invalid: ["prompt"],
  max_age_invalid: ["max_age"],
  scope_malformed: ["scope"],
  scope_not_allowed: ["scope", ownOrAsked],
  scope_exceeds_grant: ["scope"],
  resource_not_allowed: ["resource"],
  resource_exceeds_grant: ["resource"],
  unsupported_grant_type: ["grant_type"],
  grant_type_not_registered: ["grant_type", ({ grantTypes }) => grantTypes],
};

/** True: this condition refuses a parameter that the log may name. */
export function namesParameter(condition: ConditionName): boolean {
  return REFUSED[condition] !== undefined;
}

/** Characters of a value in the log, and values of a list. */
const LONGEST = 300;
const MOST_VALUES = 10;

export function factsOf(
  condition: ConditionName,
  clientId: string | undefined,
  asked: ParsedParameters | undefined,
  client: Client | undefined,
): RefusalFacts {
  const named = clientId === undefined || clientId === "" ? {} : { client_id: logged(clientId) };
  const [parameter, registered] = REFUSED[condition] ?? [];
  if (parameter === undefined || asked === undefined) return named;
  // A token exchange can name the API by `audience` (RFC 8693 §2.1).
  const value =
    parameter === "resource" ? asked.resource.join(" ") || asked.single.get("audience") : asked.single.get(parameter);
  const isUri = parameter === "redirect_uri" || parameter === "resource";
  const received = value === undefined || value === "" ? {} : { received: logged(isUri ? withoutQuery(value) : value) };
  const known = client === undefined ? undefined : registered?.(client, asked);
  return { ...named, parameter, ...received, ...(known === undefined ? {} : { registered: listed(known) }) };
}

/** The query, the fragment and the user of a URI can hold a secret, also where somebody has encoded them once too often. */
function withoutQuery(uri: string): string {
  const end = uri.search(/[?#&;]|%(?:25)*(?:3f|23|26|3b)/i);
  const base = end === -1 ? uri : `${uri.slice(0, end)}${/[?#]/.exec(uri[end] ?? "")?.[0] ?? "?"}…`;
  return base.replace(/^([^:/]*:(?:\/\/)?)?.*(?:@|%(?:25)*40)/is, "$1…@");
}

/** Our own credentials by their prefixes, and JWTs, wherever somebody put one by mistake. */
const CREDENTIAL =
  /(?:(?<![A-Za-z0-9])|(?<=%(?:25)*[0-9a-f]{2}))(?:(ac|at|rt|dc|cs|rat|iat|aat|ml|iv)(?:_|%(?:25)*5f)[\w%-]{8,}|eyJ[\w.%-]{5,})/gi;

export function withoutCredentials(text: string): string {
  return text
    .replace(CREDENTIAL, (_, prefix: string | undefined) => (prefix === undefined ? "eyJ…" : `${prefix}_…`))
    .replace(/whsec_[\w+/=-]{8,}/g, "whsec_…");
}

function logged(text: string): string {
  const safe = withoutCredentials(text.slice(0, LONGEST)).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "�");
  return text.length > LONGEST ? `${safe}…` : safe;
}

function listed(values: readonly string[]): readonly string[] {
  const more = values.length > MOST_VALUES ? [`… and ${values.length - MOST_VALUES} more`] : [];
  return [...values.slice(0, MOST_VALUES).map(logged), ...more];
}

/** What another try may meet no more. */
const OUTAGES = [StorageUnavailable, PasswordQueueFull] as const;

/** Classifies a thrown error: a named refusal, an outage, or a fault of the server. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof OAuthError) return { condition: error.condition, detail: error.detail, fault: false };
  const isOutage = OUTAGES.some((kind) => error instanceof kind);
  if (error instanceof Error && isOutage) {
    return { condition: "temporarily_unavailable", detail: error.message, fault: false };
  }
  return { condition: "server_error", detail: undefined, fault: true };
}

/** When another try makes sense, if the refusal says so. */
export function retryAfterOf(error: unknown): Readonly<Record<string, string>> {
  const seconds = error instanceof OAuthError ? error.retryAfter : undefined;
  return seconds === undefined ? {} : { "retry-after": String(Math.max(1, seconds)) };
}

/**
 * The error in the form of RFC 6749 §5.2. A 401 names the scheme of the Authorization header. `requestId`: null for a
 * response that many requests share.
 */
export function problemJson(
  condition: ConditionName,
  issuer: string,
  requestId: string | null,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status } = conditions[condition];
  const extra: Record<string, string> = { ...headers };
  // The challenge is constant: it has nothing from the request.
  if (status === 401) extra["www-authenticate"] ??= 'Basic realm="assent", charset="UTF-8"';
  if (status === 503 || status === 429) extra["retry-after"] ??= status === 503 ? "2" : "60";
  return json(status, errorParameters(condition, issuer, requestId), extra);
}

/** What problem details (RFC 9457) say of every refusal with this name. */
export function problemDetails(condition: ConditionName, issuer: string) {
  const { status, description, error } = conditions[condition];
  return { type: `${issuer}/errors/${condition}`, title: description, status, code: condition, error };
}

/** Browsers of people ask for HTML; everything else gets JSON. */
export function wantsPage(request: HttpRequest): boolean {
  return request.header("accept")?.includes("text/html") ?? false;
}
