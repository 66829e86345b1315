/** How messages describe a person's browser: its name and its language. */

import { type NewsContext, uncountedNewsFor } from "../owners/account-news.ts";
import type { StoredMail } from "../owners/mail/storage.ts";
import type { Person } from "../owners/storage.ts";
import type { PageTools } from "./contexts.ts";
import type { HttpRequest } from "./message.ts";
import { browserName, userAgentOf } from "./user-agent.ts";

/**
 * A message that a recovery code was used. There are ten codes, and only a used one causes a message, so no limit is
 * needed.
 */
export function recoveryNews(
  person: Person,
  http: HttpRequest,
  tools: PageTools & { readonly sessions: NewsContext },
): (left: number) => readonly StoredMail[] {
  const browser = browserName(userAgentOf(http));
  const language = languageFor(http, tools);
  return (left) => {
    const values = { left, browser, address: http.address };
    return uncountedNewsFor(person, "recoveryUsed", { link: "/account/security", language, values }, tools.sessions);
  };
}

/** The language of the present page. */
export function languageFor(http: HttpRequest, tools: PageTools): string {
  return tools.chrome(http).words.language;
}
