/** The person and browser that change or use up a factor, in the form that use-cases and messages take. */

import { type News, type NewsContext, uncountedNewsFor } from "../owners/account-change-mail.ts";
import type { FactorChange } from "../owners/change-factors.ts";
import type { StoredMail } from "../owners/mail/storage.ts";
import type { Person, Session } from "../owners/storage.ts";
import type { PageTools } from "./endpoint-contexts.ts";
import type { HttpRequest } from "./http-message.ts";
import { browserName, userAgentOf } from "./user-agent.ts";

interface By {
  readonly person: Person;
  readonly session: Session;
  readonly http: HttpRequest;
}

export function factorChange({ person, session, http }: By, tools: PageTools): FactorChange {
  return { person, session, address: http.address, userAgent: userAgentOf(http), news: newsOf(http, tools) };
}

/**
 * A message that a recovery code was used. There are ten codes, and only a used one causes a message, so no limit is
 * needed.
 */
export function recoveryNews(
  person: Person,
  http: HttpRequest,
  tools: PageTools & { readonly sessions: NewsContext },
): (left: number) => readonly StoredMail[] {
  const news = newsOf(http, tools);
  return (left) =>
    uncountedNewsFor(person, "recoveryUsed", { ...news, values: { ...news.values, left } }, tools.sessions);
}

/** The same where the code was used in a recovery by mail: nobody signed in, and the recovery can replace all codes. */
export function recoveryNewsInRecovery(...[person, http, tools]: Parameters<typeof recoveryNews>) {
  const news = newsOf(http, tools);
  const values = { ...news.values, inRecovery: true };
  return () => uncountedNewsFor(person, "recoveryUsed", { ...news, values }, tools.sessions);
}

/** What a message says of the browser that it is about. */
export function newsOf(http: HttpRequest, tools: PageTools): News {
  const values = { browser: browserName(userAgentOf(http)), address: http.address };
  return { link: "/account/security", language: tools.chrome(http).words.language, values };
}
