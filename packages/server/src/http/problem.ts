/** Refusals as people read them: a page. For programs there is `refusal.ts`. */

import type { Assent } from "../assent.ts";
import { type Condition, type ConditionName, conditions, publicCondition } from "../oauth/errors.ts";
import { type Messages, problemPage } from "../pages/index.ts";
import { type Answer, type HttpRequest, page } from "./message.ts";

/** What people read who meet a condition on a page; `other` for those that are a developer's matter. */
const words: Partial<Record<ConditionName, keyof Problems>> = {
  authorization_client_unknown: "clientUnknown",
  redirect_uri_mismatch: "redirectUri",
  not_found: "notFound",
  invitation_unknown: "invitation",
  method_not_allowed: "method",
  form_token_invalid: "form",
  interaction_unknown: "cutOff",
  interaction_expired: "expired",
  interaction_finished: "finished",
  body_too_large: "tooMuch",
  temporarily_unavailable: "unavailable",
  server_error: "fault",
};

/** These may pass by themselves: what was only looked at can be looked at again. */
const passing: readonly ConditionName[] = ["temporarily_unavailable", "server_error"];

type Problems = Omit<Messages["problems"], "apps" | "startAgain">;

/** The same refusal for a person, with a way on: `startAgain`, path of this server at which the request begins anew; else to their apps. */
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
  const said = words[shown] ?? "other";
  const { title, text } = problems[said];
  const begin = startAgain ?? (passing.includes(shown) ? sameAgain(request, assent) : null);
  const door =
    begin === null ? { href: "/account/apps", label: problems.apps } : { href: begin, label: problems.startAgain };
  const html = problemPage(
    {
      status,
      title,
      text,
      condition: shown,
      // What only a developer can mend is told to them.
      description: said === "other" ? description : null,
      requestId: request.id,
      door,
    },
    chrome,
  );
  const answer = page(status, html);
  return status === 503 || status === 429 ? { ...answer, headers: { ...answer.headers, "retry-after": "5" } } : answer;
}

/** The same address. With the origin before it, so that a path of two slashes leads nowhere else. */
function sameAgain({ method, path, query }: HttpRequest, { issuer }: Assent): string | null {
  if (method !== "GET" || path === "/") return null;
  return `${new URL(issuer).origin}${path}${query === "" ? "" : `?${query}`}`;
}
