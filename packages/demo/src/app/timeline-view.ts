/** The timeline: every step of the session with its real request and response. */

import { type Child, html, type Markup } from "./html.ts";
import type { Line } from "./recorded-exchange.ts";
import type { Session } from "./sessions.ts";
import { type Decoded, type Section, type Step, TEXTS } from "./timeline-steps.ts";

/** Shows all steps. The oldest comes first. The steps of the last click are marked, and the last of them is open. */
export function timeline({ steps, seen }: Session): Markup {
  const last = steps.at(-1)?.number ?? 0;
  const firstNew = steps[seen]?.number ?? last;
  return html`<section class="timeline" aria-labelledby="timeline">
    <div class="timeline-head">
      <h2 id="timeline">What went over the wire</h2>
      <p>Real requests and answers, the oldest first. Secrets are cut in the middle.</p>
    </div>
    <ol class="steps">
      ${steps.map((step) => stepItem(step, { fresh: step.number >= firstNew, last: step.number === last }))}
    </ol>
  </section>`;
}

function stepItem(step: Step, { fresh, last }: { fresh: boolean; last: boolean }): Markup {
  // After the first connection, the token request is open too, because it is the most important step.
  const open = last || (fresh && step.title === TEXTS.token.title);
  return html`<li class=${`step ${step.outcome}${fresh ? " fresh" : ""}`} id=${`step-${step.number}`}>
    <span class="step-number" aria-hidden="true">${step.number}</span>
    <div class="step-body">
      <h3>${step.title}</h3>
      <p class="parties">
        <span class=${`channel ${step.channel}`}>${step.channel === "browser" ? "By your browser" : "Directly"}</span>
        <span>${step.parties}</span>
      </p>
      <p>${step.what}</p>
      <p class="sections">${step.sections.map(sectionLink)}${step.errorUri !== null && errorLink(step.errorUri)}</p>
      ${(step.request.length > 0 || step.answer.length > 0) && wire(step, open)}
    </div>
  </li>`;
}

function sectionLink([rfc, section]: Section): Markup {
  const address = `https://www.rfc-editor.org/rfc/rfc${rfc}#section-${section}`;
  return html`<a class="rfc" href=${address} target="_blank" rel="noopener">RFC ${rfc} §${section}</a>`;
}

function errorLink(uri: string): Markup {
  return html`<a class="rfc" href=${uri} target="_blank" rel="noopener">What Assent says about it</a>`;
}

function wire(step: Step, open: boolean): Markup {
  const title = step.answer.length === 0 ? "The request" : "Request and answer";
  return html`<details open=${open}>
    <summary>${title}${step.status !== null && [" ", html`<span class="status">${step.status}</span>`]}</summary>
    ${message("Request", step.request)} ${step.answer.length > 0 && message("Answer", step.answer)}
    ${step.decoded.map(decoded)}
  </details>`;
}

function message(title: string, lines: readonly Line[]): Markup {
  return html`<figure class="message">
    <figcaption>${title}</figcaption>
    <pre>${lines.map((line, index) => [gap(lines[index - 1], line), lineText(line), "\n"])}</pre>
  </figure>`;
}

/** An empty line between headers and body, as in HTTP. */
function gap(before: Line | undefined, line: Line): string {
  const inBody = (one: Line) => one.kind === "field" || one.kind === "body";
  return before !== undefined && inBody(line) && !inBody(before) ? "\n" : "";
}

function lineText(line: Line): Child {
  switch (line.kind) {
    case "start":
      return html`<b>${line.text}</b>`;
    case "header":
      return [html`<span class="name">${line.name}:</span>`, " ", marked(line.value)];
    case "field":
      return [html`<span class="name">${line.name}</span>`, " = ", marked(line.value)];
    case "body":
      return marked(line.text);
  }
}

const SECRET = /(eyJ[\w…-]*\.[\w…-]*\.[\w…-]*|\b(?:ac|rt|cs)_[\w…-]+)/;

/** Highlights tokens. The three parts of a JWT have different colours. */
function marked(text: string): Child {
  return text.split(SECRET).map((piece, index) => {
    if (index % 2 === 0) return piece;
    const parts = piece.split(".");
    if (parts.length !== 3) return html`<mark>${piece}</mark>`;
    const [head, payload, signature] = parts;
    return html`<mark><span class="jwt-1">${head}</span>.<span class="jwt-2">${payload}</span>.<span class="jwt-3">${signature}</span></mark>`;
  });
}

/** Separates explanations from the token's real content. */
function decoded({ title, lines }: Decoded): Markup {
  return html`<figure class="message decoded">
    <figcaption>${title}</figcaption>
    <pre>${lines.map(({ text, remark }) => [text, remark !== null && ["   ", html`<i>← ${remark}</i>`], "\n"])}</pre>
  </figure>`;
}
