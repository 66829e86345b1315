/** The choice of a language. Each button shows a language's own name. */
import type { Chrome } from "./chrome.ts";
import { locales, messages } from "./messages/index.ts";
import { hidden } from "./parts/components.ts";
import { html } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import type { LanguageView } from "./views.ts";

/** Renders `GET /language`. Its form leads back to the reader's previous page. */
export function languagePage(view: LanguageView, chrome: Chrome): string {
  const { words, base } = chrome;
  return cardPage(
    { ...chrome, here: null },
    words.languages.choose,
    html`<div class="stack">
      <div class="heading"><h1>${words.languages.choose}</h1></div>
      <form class="buttons" method="post" action=${`${base}/language`}>
        ${hidden({ back: view.back })}
        ${locales.map(messages).map(
          ({ language, direction, name }) =>
            html`<button class="button" type="submit" name="language" value=${language} lang=${language} dir=${direction}
              aria-current=${language === words.language ? "true" : null}>
              ${language === words.language && icon("check")}${name}
            </button>`,
        )}
      </form>
    </div>`,
  );
}
