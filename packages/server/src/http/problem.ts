/** Refusals as answers: JSON for programs (RFC 6749 §5.2), a page for people. */

import type { Assent } from "../assent.ts";
import { PasswordQueueFull } from "../crypto/password.ts";
import {
  type Condition,
  type ConditionName,
  conditions,
  errorParameters,
  OAuthError,
  publicCondition,
} from "../oauth/errors.ts";
import { type Messages, problemPage } from "../pages/index.ts";
import { StorageUnavailable } from "../storage/errors.ts";
import { type Answer, type HttpRequest, json, page } from "./message.ts";

/** What every thrown thing is: a named refusal, an outage, or a fault of ours. */
export function refusalOf(error: unknown): { condition: ConditionName; detail: string | undefined; fault: boolean } {
  if (error instanceof OAuthError) return { condition: error.condition, detail: error.detail, fault: false };
  if (error instanceof StorageUnavailable || error instanceof PasswordQueueFull) {
    return { condition: "temporarily_unavailable", detail: error.message, fault: false };
  }
  return { condition: "server_error", detail: undefined, fault: true };
}

/** When another try makes sense, where the refusal knows. */
export function retryAfterOf(error: unknown): Readonly<Record<string, string>> {
  const seconds = error instanceof OAuthError ? error.retryAfter : undefined;
  return seconds === undefined ? {} : { "retry-after": String(Math.max(1, seconds)) };
}

/** The error as RFC 6749 §5.2 has it; 401 names the scheme of the Authorization header. */
export function problemJson(
  condition: ConditionName,
  issuer: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  const { status } = conditions[condition];
  const extra: Record<string, string> = { ...headers };
  // The challenge is constant: nothing that the caller sent stands in it.
  if (status === 401) extra["www-authenticate"] = 'Basic realm="assent", charset="UTF-8"';
  if (status === 503 || status === 429) extra["retry-after"] ??= status === 503 ? "2" : "60";
  return json(status, errorParameters(condition, issuer), extra);
}

/** What people read who meet a condition on a page; `other` for those that are a developer's matter. Most go on at their apps. */
const words: Partial<Record<ConditionName, { readonly said: keyof Problems; readonly door?: "apps" }>> = {
  authorization_client_unknown: { said: "clientUnknown" },
  redirect_uri_mismatch: { said: "redirectUri" },
  not_found: { said: "notFound", door: "apps" },
  invitation_unknown: { said: "invitation", door: "apps" },
  method_not_allowed: { said: "method", door: "apps" },
  form_token_invalid: { said: "form", door: "apps" },
  interaction_unknown: { said: "cutOff", door: "apps" },
  interaction_expired: { said: "expired" },
  interaction_finished: { said: "finished", door: "apps" },
  body_too_large: { said: "tooMuch", door: "apps" },
  temporarily_unavailable: { said: "unavailable" },
  server_error: { said: "fault" },
};

type Problems = Omit<Messages["problems"], "apps" | "startAgain">;

/** The same refusal for a person. `startAgain`: path of this server at which the request begins anew. */
export function problemAnswer(
  condition: ConditionName,
  request: HttpRequest,
  assent: Assent,
  startAgain: string | null = null,
): Answer {
  const shown = publicCondition(condition);
  const { status, description }: Condition = conditions[shown];
  const chrome = { ...assent.chrome(request), here: null };
  const { problems } = chrome.words;
  const { said, door } = words[shown] ?? { said: "other" };
  const { title, text } = problems[said];
  const apps = door === "apps" ? { href: "/account/apps", label: problems.apps } : null;
  const again = startAgain === null ? null : { href: startAgain, label: problems.startAgain };
  const html = problemPage(
    {
      status,
      title,
      text,
      condition: shown,
      // What only a developer can mend is told to them.
      description: said === "other" ? description : null,
      requestId: request.id,
      door: again ?? apps,
    },
    chrome,
  );
  const answer = page(status, html);
  return status === 503 || status === 429 ? { ...answer, headers: { ...answer.headers, "retry-after": "5" } } : answer;
}

/** People's browsers ask for HTML; everything else gets JSON. */
export function wantsPage(request: HttpRequest): boolean {
  return request.header("accept")?.includes("text/html") ?? false;
}
