/** The layout of a company's pages: the company's name, its navigation, and the notice about the last action. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages, plural, rich, sentences } from "../messages/index.ts";
import { hidden, notice, titled } from "../parts/components.ts";
import { type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { accountPage } from "../parts/layout.ts";
import { shownTime } from "../shown-time.ts";
import { NAME_LENGTH, name, visible } from "../untrusted-text.ts";
import type { CompanyFrame, CompanyNotice } from "./views.ts";

type Place = "apps" | "agents" | "connections" | "members" | "signIn" | "history";

const REFUSALS: readonly CompanyNotice[] = ["lastAdmin", "changed", "requestChanged", "nothing", "gone"];

/** Renders a page of a company. Members who are not admins have only the first page, without navigation. `wrong`: the page shows an error. */
export function companyPage(
  frame: CompanyFrame,
  here: Place,
  title: string,
  content: Child,
  chrome: Chrome,
  wrong = false,
): string {
  const { words } = chrome;
  const { company } = frame;
  const places: readonly (readonly [Place, string])[] = [
    ["apps", ""],
    ["agents", "/agents"],
    ...(frame.connections === true || here === "connections" ? [["connections", "/connections"] as const] : []),
    ["members", "/members"],
    ...(frame.ownSignIn === true || here === "signIn" ? [["signIn", "/provider"] as const] : []),
    ["history", "/history"],
  ];
  return accountPage(
    chrome,
    titled(fill(title, { company: visible(company.name, NAME_LENGTH) }), wrong || refused(frame.notice), words),
    { ...frame, here: "companies" },
    html`<div class="stack">
      <div class="heading">
        <h1>${name(company.name)}</h1>
        ${
          frame.admin &&
          html`<nav class="places company-places" aria-label=${words.company.pages}>
            ${places.map(
              ([place, path]) =>
                html`<a class="place" href=${companyPath(frame, chrome) + path} aria-current=${place === here ? "page" : null}>${placeName(place, words)}</a>`,
            )}
          </nav>`
        }
      </div>
      ${frame.notice !== null && said(frame.notice, frame, words)} ${content}
    </div>`,
  );
}

function placeName(place: Place, words: Messages): string {
  if (place === "agents") return words.agents.title;
  if (place === "connections") return words.companyConnections.place;
  return place === "signIn" ? words.companySignIn.place : words.company.places[place];
}

function refused(what: CompanyNotice | null): boolean {
  return what !== null && REFUSALS.includes(what);
}

function said(what: CompanyNotice, { held, now }: CompanyFrame, words: Messages): Markup {
  const text = what === "appPaused" || what === "appResumed" ? words.agents[what] : words.company.notices[what];
  if (refused(what)) return notice("danger", text, { focus: true });
  const count = held === undefined ? 0 : Math.ceil((held.until - now) / 60_000);
  if (held === undefined || count < 1) return notice("done", text);
  const time = shownTime(words, held.until, "clock");
  const forms =
    what === "stopped"
      ? words.company.stoppedSoon
      : what === "appPaused"
        ? words.agents.pausedSoon
        : words.company.endsSoon;
  const soon = rich(plural(words.language, forms, count), { app: name(held.app), count, time });
  return notice("done", sentences(words.language, text, soon));
}

/** Says until when a rule holds, and then what holds after it. `selected`: it allows the app for selected members. */
export function ruleEnd(
  { endsAt, selected, defaultRule }: Falling & { readonly endsAt: number | null },
  words: Messages,
): Child {
  const { company } = words;
  if (endsAt === null) return company.ruleStays;
  const until = rich(company.ruleUntil, { when: shownTime(words, endsAt, "exact") });
  return sentences(words.language, until, afterEnd({ selected, defaultRule }, words));
}

/** An approval that ends, and the rule for other apps. */
interface Falling {
  readonly selected: boolean;
  readonly defaultRule: "members" | "ask" | "block";
}

/** What holds after the end of an approval. The end of one for selected members opens the app to nobody. */
export function afterEnd({ selected, defaultRule }: Falling, { company }: Messages): string {
  return selected && defaultRule === "members" ? company.afterSelected : company.afterEnd[defaultRule];
}

/** Path of a company's first page. */
export function companyPath({ company }: Pick<CompanyFrame, "company">, { base }: Chrome): string {
  return `${base}/company/${encodeURIComponent(company.slug)}`;
}

/** A button that opens a page with an explanation and a question. */
export function askButton(
  action: string,
  fields: Readonly<Record<string, string>>,
  button: { readonly text: Child; readonly about?: Child },
): Markup {
  return html`<form method="get" action=${action}>
    ${hidden(fields)}
    <button class="button danger" type="submit">
      <span>${button.text}</span>${button.about !== undefined && html`<span class="unseen"> (${button.about})</span>`}
    </button>
  </form>`;
}

/** A form with one button. Hidden fields say what it acts on. */
export function oneButton(
  action: string,
  fields: Readonly<Record<string, string>>,
  button: { readonly text: Child; readonly kind?: "danger"; readonly about?: Child },
): Markup {
  return html`<form method="post" action=${action}>
    ${hidden(fields)}
    <button class=${button.kind === "danger" ? "button danger" : "button"} type="submit">
      <span>${button.text}</span>${button.about !== undefined && html`<span class="unseen"> (${button.about})</span>`}
    </button>
  </form>`;
}

/** A select with its label. */
export function select(
  field: { readonly id: string; readonly name: string; readonly label: string },
  options: readonly { readonly value: string; readonly label: string; readonly selected: boolean }[],
): Markup {
  return html`<div class="field">
    <label for=${field.id}>${field.label}</label>
    <div class="select">
      <select id=${field.id} name=${field.name}>
        ${options.map(({ value, label, selected }) => html`<option value=${value} selected=${selected}>${label}</option>`)}
      </select>
      ${icon("chevronDown")}
    </div>
  </div>`;
}
