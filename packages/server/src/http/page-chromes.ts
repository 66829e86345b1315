/** The frames of pages, one for each language. Each is made once. */

import type { Millis } from "../oauth/model.ts";
import { accentPath, type Brand, type Chrome, chrome, locales } from "../pages/index.ts";
import { languageOf } from "./choose-language.ts";
import type { HttpRequest } from "./http-message.ts";

/** The context of a page that its own request does not have. Parts may be absent. */
export interface PageContext {
  /** `ui_locales` of the authorization request. */
  readonly uiLocales?: string | null;
  /** When the authorization request began. */
  readonly startedAt?: Millis;
  /** The client's own accent colours. Null: the server's. */
  readonly accent?: string | null;
  /** Path and query, below the issuer's, at which the same page is available. */
  readonly here?: string;
}

export class PageChromes {
  readonly #byLanguage: ReadonlyMap<string, Chrome>;

  constructor(issuer: string, brand: Brand) {
    this.#byLanguage = new Map(locales.map((locale) => [locale, chrome({ issuer, locale, brand })]));
  }

  /** `chosen`: the value of the cookie with the chosen language. */
  of(
    request: HttpRequest,
    chosen: string | undefined,
    { uiLocales, startedAt, accent, here }: PageContext = {},
  ): Chrome {
    const language = languageOf({
      uiLocales: uiLocales ?? null,
      startedAt: startedAt ?? 0,
      chosen,
      acceptLanguage: request.header("accept-language"),
    });
    const found = this.#byLanguage.get(language);
    if (found === undefined) throw new TypeError("a language without pages");
    const stylesheets = accent == null ? found.stylesheets : [...found.stylesheets, found.base + accentPath(accent)];
    return { ...found, stylesheets, here: here ?? shownAt(request, found.base) };
  }
}

/** A page from a GET can be shown again without its query; the response to a POST can't. */
function shownAt({ method, path }: HttpRequest, base: string): string | null {
  return method === "GET" ? path.slice(base.length) : null;
}
