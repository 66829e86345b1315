/** Refusals as people read them: a page. For programs there is `refusal.ts`. */

import type { Assent } from "../assent.ts";
import { type Condition, type ConditionName, conditions, publicCondition } from "../oauth/errors.ts";
import { type Messages, problemPage } from "../pages/index.ts";
import { type Answer, type HttpRequest, page } from "./message.ts";

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
  const begin = startAgain ?? (shown === "temporarily_unavailable" ? sameAgain(request, assent) : null);
  const again = begin === null ? null : { href: begin, label: problems.startAgain };
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

/** What was only looked at can be looked at again. With the origin before it, so that a path of two slashes leads nowhere else. */
function sameAgain({ method, path, query }: HttpRequest, { issuer }: Assent): string | null {
  if (method !== "GET" || path === "/") return null;
  return `${new URL(issuer).origin}${path}${query === "" ? "" : `?${query}`}`;
}
