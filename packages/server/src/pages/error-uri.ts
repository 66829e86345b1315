/** `/errors/{condition}`: the page that an `error_uri` links to, for developers and operators (RFC 6749 §5.2). */
import type { Chrome } from "./chrome.ts";
import { fill, messages, rich } from "./messages/index.ts";
import { outsideLink } from "./parts/components.ts";
import { html } from "./parts/html.ts";
import { cardPage } from "./parts/layout.ts";
import type { ConditionView } from "./views.ts";

const said = {
  error: "Error code",
  status: "HTTP status",
  section: "Defined in",
  help: "What to do",
  others: "More with the code {code}",
  documentTitle: "{name} (error)",
} as const;

/** Renders the page of one condition. It is in English, like the RFCs and the protocol's messages. */
export function conditionPage(view: ConditionView, chrome: Chrome): string {
  const { base } = chrome;
  const words = messages("en");
  return cardPage(
    { ...chrome, words, here: null },
    fill(said.documentTitle, { name: view.name }),
    html`<div class="stack">
      <div class="heading">
        <h1 class="code"><code>${breakable(view.name)}</code></h1>
        <p>${view.description}</p>
      </div>
      <dl class="table">
        <div><dt>${said.error}</dt><dd><code>${view.error}</code></dd></div>
        <div><dt>${said.status}</dt><dd>${view.status}</dd></div>
        <div><dt>${said.section}</dt><dd>${outsideLink(words, sectionAddress(view.section), view.section)}</dd></div>
      </dl>
      <section class="help">
        <h2>${said.help}</h2>
        ${view.help.map((paragraph) => html`<p>${paragraph}</p>`)}
      </section>
      ${
        view.others.length > 0 &&
        html`<section class="help">
          <h2>${rich(said.others, { code: html`<code>${view.error}</code>` })}</h2>
          <ul class="others">
            ${view.others.map(
              (other) =>
                html`<li><a class="alone" href=${`${base}/errors/${encodeURIComponent(other)}`}>${breakable(other)}</a></li>`,
            )}
          </ul>
        </section>`
      }
    </div>`,
    { wide: true },
  );
}

/** Allows a line break after each underscore of a name. */
function breakable(name: string) {
  return name.split(/(?<=_)/).map((part) => [part, html`<wbr />`]);
}

/** The published address of a section, e.g. of `RFC 6749 §4.1.2`. Null if the section is not from an RFC. */
function sectionAddress(section: string): string | null {
  const found = /^RFC (\d+)(?: §([\d.]+)| Appendix ([A-Z]))?/.exec(section);
  if (!found) return null;
  const [, number, part, appendix] = found;
  const fragment = part !== undefined ? `#section-${part}` : appendix !== undefined ? `#appendix-${appendix}` : "";
  return `https://www.rfc-editor.org/rfc/rfc${number}${fragment}`;
}
