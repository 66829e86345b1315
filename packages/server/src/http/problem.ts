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
import { problemPage } from "../pages/index.ts";
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

/** Titles and words for people who meet a condition on a page; others get the condition's own description. */
const words: Partial<Record<ConditionName, { title: string; text: string; door?: "apps" }>> = {
  authorization_client_unknown: {
    title: "This app is not known here",
    text: "The link that brought you here names an app that isn't registered. Nothing was shared. Go back to the app, and tell its makers if it happens again.",
  },
  redirect_uri_mismatch: {
    title: "This app's link is not safe to follow",
    text: "The app asked to send you to an address that it has not registered, so we stopped here. Nothing was shared. Tell the app's makers.",
  },
  not_found: {
    title: "There is nothing here",
    text: "The address may be mistyped, or the page has moved.",
    door: "apps",
  },
  method_not_allowed: {
    title: "That doesn't work this way",
    text: "This address doesn't take that kind of request.",
    door: "apps",
  },
  form_token_invalid: {
    title: "That form is out of date",
    text: "It was open for too long, or came from another browser. Nothing was changed. Load the page again and repeat.",
    door: "apps",
  },
  interaction_unknown: {
    title: "Start again from the app",
    text: "This page belongs to a sign-in that was started in another browser, or the link was cut off. Nothing was shared.",
    door: "apps",
  },
  interaction_finished: {
    title: "You have answered this already",
    text: "Go back to the app: it has your answer. You can change what it may do on the page of your apps.",
    door: "apps",
  },
  temporarily_unavailable: {
    title: "We can't answer just now",
    text: "Something behind this page isn't answering. It should pass: wait a moment and load the page again.",
  },
  server_error: {
    title: "Something went wrong here",
    text: "It is our fault, not yours. Try again; if it happens again, tell whoever runs this service, with the number below.",
  },
};

/** The same refusal for a person. `door`: where to go on, if the condition has no door of its own. */
export function problemAnswer(
  condition: ConditionName,
  request: HttpRequest,
  assent: Assent,
  door: { href: string; label: string } | null = null,
): Answer {
  const shown = publicCondition(condition);
  const { status, description }: Condition = conditions[shown];
  const said = words[shown];
  const apps = said?.door === "apps" ? { href: "/account/apps", label: "Go to your apps" } : null;
  const html = problemPage(
    {
      status,
      title: said?.title ?? "This request can't be followed",
      text: said?.text ?? description,
      condition: shown,
      requestId: request.id,
      door: door ?? apps,
    },
    assent.chrome(request),
  );
  const answer = page(status, html);
  return status === 503 || status === 429 ? { ...answer, headers: { ...answer.headers, "retry-after": "5" } } : answer;
}

/** People's browsers ask for HTML; everything else gets JSON. */
export function wantsPage(request: HttpRequest): boolean {
  return request.header("accept")?.includes("text/html") ?? false;
}
