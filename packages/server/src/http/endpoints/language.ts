/** `/language`: the form at the foot of every page. Only the browser stores the choice. */

import type { Millis } from "../../oauth/model.ts";
import { languagePage, locales, localPath } from "../../pages/index.ts";
import { writeChoice } from "../choose-language.ts";
import type { Cookies } from "../cookies.ts";
import type { PageTools } from "../endpoint-contexts.ts";
import { problemAnswer } from "../error-page.ts";
import { type Answer, formOf, type HttpRequest, page, redirect } from "../http-message.ts";

const YEAR = 31_536_000;
/** Used if the form does not say where to go back to. */
const HOME = "/account/apps";

interface LanguageTools extends PageTools {
  readonly cookies: Cookies;
  now(): Millis;
}

export async function showLanguages(http: HttpRequest, tools: PageTools): Promise<Answer> {
  const back = localPath(new URLSearchParams(http.query).get("back")) ?? HOME;
  return page(200, languagePage({ back }, tools.chrome(http)));
}

/** Redirects to the page on which the language was chosen. The form has no token: the check of its origin is enough. */
export async function chooseLanguage(http: HttpRequest, tools: LanguageTools): Promise<Answer> {
  const form = formOf(http);
  const language = locales.find((one) => one === form.get("language"));
  if (language === undefined) return problemAnswer("form_token_invalid", http, tools);
  const cookie = tools.cookies.set("language", writeChoice(language, tools.now()), YEAR);
  return redirect(303, tools.issuer + (localPath(form.get("back")) ?? HOME), [cookie]);
}
