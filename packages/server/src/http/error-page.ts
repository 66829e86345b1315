/** Refusals as pages for people. For programs there is `refusal.ts`. */

import { type ConditionName, type ConditionPage, conditions, OAuthError, publicCondition } from "../oauth/errors.ts";
import { type Messages, problemPage } from "../pages/index.ts";
import type { PageTools } from "./endpoint-contexts.ts";
import { type Answer, type HttpRequest, later, page } from "./http-message.ts";

/**
 * The texts in the reader's language. The condition names one of them; `other` is for conditions that only a developer
 * can fix.
 */
type Problems = Pick<Messages["problems"], ConditionPage | "other">;

export interface CloserProblem {
  readonly title: string;
  readonly text: string;
  /** Absent: the person's apps. */
  readonly door?: { readonly href: string; readonly label: string };
}

/**
 * The same refusal for a person, with a link to go on. `startAgain`: the path of this server at which the request
 * begins again; otherwise the link leads to their apps. `closer`: texts that say more than those of the condition.
 */
export function problemAnswer(
  condition: ConditionName,
  request: HttpRequest,
  tools: PageTools,
  startAgain: string | null = null,
  closer?: (words: Messages) => CloserProblem,
): Answer {
  tools.refusalShown(condition, request);
  const shown = publicCondition(condition);
  const { status, description, page: said = "other", passes } = conditions[shown];
  const chrome = { ...tools.chrome(request), here: null };
  const { problems } = chrome.words;
  const told = closer?.(chrome.words);
  const { title, text } = told ?? (problems satisfies Problems)[said];
  const begin = startAgain ?? (passes ? sameAgain(request, tools) : null);
  const otherwise = told?.door ?? { href: "/account/apps", label: problems.apps };
  const door = begin === null ? otherwise : { href: begin, label: problems.startAgain };
  const html = problemPage(
    {
      status,
      title,
      text,
      condition: usesNoApp(said, request, tools) ? null : shown,
      // The developer's text is shown only if only a developer can fix the problem.
      description: said === "other" ? description : null,
      requestId: request.id,
      door,
    },
    chrome,
  );
  const answer = page(status, html);
  return status === 503 || status === 429 ? later(answer, 5) : answer;
}

/** True: the person has no developer to tell, because an invitation or a missing page of theirs belongs to no app. */
function usesNoApp(said: ConditionPage | "other", { path }: HttpRequest, { issuer }: PageTools): boolean {
  const below = (first: string) => `${path}/`.startsWith(`${new URL(`${issuer}${first}`).pathname}/`);
  return said === "invitation" || (said === "notFound" && (below("/account") || below("/company")));
}

/** The page about a refusal that was thrown. What the operator's policy says to the person replaces the server's text. */
export function refusedAnswer(
  condition: ConditionName,
  error: unknown,
  request: HttpRequest,
  tools: PageTools,
): Answer {
  const told = error instanceof OAuthError ? error.told : undefined;
  if (told === undefined) return problemAnswer(condition, request, tools);
  return problemAnswer(condition, request, tools, null, ({ problems }) => ({
    title: problems.signInRefused.title,
    text: told,
  }));
}

/** The same address. The origin comes first, so that a path with two slashes can't lead to another host. */
function sameAgain({ method, path, query }: HttpRequest, { issuer }: PageTools): string | null {
  if (method !== "GET" || path === "/") return null;
  return `${new URL(issuer).origin}${path}${query === "" ? "" : `?${query}`}`;
}
