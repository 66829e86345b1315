/** Refusals as JSON for programs (RFC 6749 §5.2). For people there is `problem.ts`. */

import { PasswordQueueFull } from "../crypto/hash-line.ts";
import { type ConditionName, conditions, errorParameters, OAuthError } from "../oauth/errors.ts";
import { StorageUnavailable } from "../storage/errors.ts";
import { type Answer, type HttpRequest, json } from "./message.ts";

/** Classifies a thrown error: a named refusal, an outage, or a fault of the server. */
export function refusalOf(error: unknown): { condition: ConditionName; detail: string | undefined; fault: boolean } {
  if (error instanceof OAuthError) return { condition: error.condition, detail: error.detail, fault: false };
  if (error instanceof StorageUnavailable || error instanceof PasswordQueueFull) {
    return { condition: "temporarily_unavailable", detail: error.message, fault: false };
  }
  return { condition: "server_error", detail: undefined, fault: true };
}

/** When another try makes sense, if the refusal says so. */
export function retryAfterOf(error: unknown): Readonly<Record<string, string>> {
  const seconds = error instanceof OAuthError ? error.retryAfter : undefined;
  return seconds === undefined ? {} : { "retry-after": String(Math.max(1, seconds)) };
}

/** The error in the form of RFC 6749 §5.2. A 401 names the scheme of the Authorization header. */
export function problemJson(
  condition: ConditionName,
  issuer: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status } = conditions[condition];
  const extra: Record<string, string> = { ...headers };
  // The challenge is constant: it has nothing from the request.
  if (status === 401) extra["www-authenticate"] = 'Basic realm="assent", charset="UTF-8"';
  if (status === 503 || status === 429) extra["retry-after"] ??= status === 503 ? "2" : "60";
  return json(status, errorParameters(condition, issuer), extra);
}

/** Browsers of people ask for HTML; everything else gets JSON. */
export function wantsPage(request: HttpRequest): boolean {
  return request.header("accept")?.includes("text/html") ?? false;
}
