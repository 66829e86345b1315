/** The person and browser that change a factor, in the form that use-cases take. */

import type { FactorChange } from "../owners/factors.ts";
import type { Person, Session } from "../owners/storage.ts";
import type { PageTools } from "./contexts.ts";
import type { HttpRequest } from "./message.ts";
import { browserName, userAgentOf } from "./user-agent.ts";

interface By {
  readonly person: Person;
  readonly session: Session;
  readonly http: HttpRequest;
}

export function factorChange({ person, session, http }: By, tools: PageTools): FactorChange {
  const { address } = http;
  const userAgent = userAgentOf(http);
  const values = { browser: browserName(userAgent), address };
  const news = { link: "/account/security", language: tools.chrome(http).words.language, values };
  return { person, session, address, userAgent, news };
}
