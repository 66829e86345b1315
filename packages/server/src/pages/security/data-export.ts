/** `/account/profile/export`: one file with all data that the server stores about a person. */
import type { Chrome } from "../chrome.ts";
import { hidden } from "../parts/components.ts";
import { html } from "../parts/html.ts";
import { cardPage } from "../parts/layout.ts";
import type { ExportView } from "./views.ts";

export function exportPage({ csrf }: ExportView, chrome: Chrome): string {
  const { words, base } = chrome;
  const said = words.dataExport;
  return cardPage(
    chrome,
    said.title,
    html`<div class="stack">
      <div class="heading">
        <h1>${said.title}</h1>
        <p>${said.text}</p>
        <p class="soft">${said.care}</p>
      </div>
      <form class="buttons" method="post" action=${`${base}/account/profile/export`}>
        ${hidden({ csrf })}
        <button class="button primary" type="submit">${words.profile.download}</button>
        <a class="button" href=${`${base}/account/profile`}>${said.back}</a>
      </form>
    </div>`,
    { signOut: csrf },
  );
}
