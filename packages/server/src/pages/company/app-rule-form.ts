/** The form with an admin's rule about one app: what holds, for whom, for which permissions, and until when. */
import type { Chrome } from "../chrome.ts";
import { hostWords } from "../client-host.ts";
import { fill, rich, sentences } from "../messages/index.ts";
import { hidden } from "../parts/components.ts";
import { fieldError } from "../parts/fields.ts";
import { type Attributes, type Child, html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { bothNames } from "../parts/person-names.ts";
import { day, durationLabel } from "../shown-time.ts";
import { name, visible } from "../untrusted-text.ts";
import { appPath, choice } from "./company-apps.ts";
import { select } from "./company-layout.ts";
import type { CompanyAppPageView, CompanyHost, CompanyRuleForm } from "./views.ts";

const RULES = ["allow", "ask", "block", "default"] as const;
type Problem = NonNullable<CompanyRuleForm["problem"]>;

export function ruleForm(view: CompanyAppPageView, form: CompanyRuleForm, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const app = name(view.name);
  const hints = { ...company.decisionHints, default: company.defaultRuleHints[view.defaultRule] };
  return html`<form class="card panel fields rule-form" method="post" action=${appPath(view, view, chrome)} novalidate>
    ${hidden({ csrf: view.csrf, seen: form.seen === null ? "" : String(form.seen) })}
    ${group(
      ["rule"],
      form,
      company.ruleLegend,
      RULES.map((rule) =>
        choice(
          "rule",
          rule,
          rule === form.rule,
          company.decisions[rule],
          rich(hints[rule], { app, company: name(view.company.name) }),
        ),
      ),
      chrome,
    )}
    <div class="fields when-allowed">
      ${audience(view, form, chrome)} ${permissions(form, chrome)} ${addresses(form.hosts, chrome)}
      ${group(["duration"], form, null, [durationSelect(form, chrome), html`<p class="soft small">${endHint(view, chrome)}</p>`, form.durations.some(({ value }) => value === "same") && html`<p class="soft small">${company.laterEnd}</p>`], chrome)}
    </div>
    <button class="button primary" type="submit">${company.saveRule}</button>
  </form>`;
}

/** What holds after the end that the admin chooses. */
function endHint({ defaultRule }: CompanyAppPageView, { words }: Chrome): Child {
  const { afterEnd } = words.company;
  return sentences(words.language, afterEnd[defaultRule], defaultRule === "members" && afterEnd.selected);
}

/** A part of the form, with what is wrong with it. */
function group(
  kinds: readonly Problem["kind"][],
  { problem }: CompanyRuleForm,
  legend: string | null,
  content: Child,
  { words }: Chrome,
): Markup {
  const wrong = problem !== null && kinds.includes(problem.kind) ? problem : null;
  const id = `${kinds[0]}-error`;
  const described: Attributes = wrong === null ? {} : { "aria-describedby": id, tabindex: -1, autofocus: true };
  return html`<fieldset class="group choices" ...${described}>
    ${legend !== null && html`<legend>${legend}</legend>`} ${content}
    ${wrong !== null && fieldError(id, rich(words.company.ruleProblems[wrong.kind], { person: name(wrong.about) }))}
  </fieldset>`;
}

function audience(view: CompanyAppPageView, form: CompanyRuleForm, chrome: Chrome): Markup {
  const { company } = chrome.words;
  const names = { company: name(view.company.name) };
  return group(
    ["audience", "members", "unknownMember", "tooMany"],
    form,
    company.who,
    [
      choice(
        "audience",
        "everybody",
        form.audience === "everybody",
        company.everybody,
        rich(company.everybodyHint, names),
      ),
      choice("audience", "selected", form.audience === "selected", company.selected, company.selectedHint),
      html`<fieldset class="members when-selected">
        <legend class="unseen">${company.selected}</legend>
        <div class="ticks">
          ${form.members.map(
            ({ personId, username, personName, checked }) =>
              html`<label class="choice">
                <input type="checkbox" name="member" value=${personId} checked=${checked} />
                <span class="choice-text"><span>${bothNames({ name: personName, username })}</span></span>
              </label>`,
          )}
        </div>
        ${
          (form.more || form.others !== "") &&
          html`<div class="field">
            <label for="others">${company.otherMembers}</label>
            <p class="soft small" id="others-hint">${company.otherMembersHint}</p>
            <input id="others" name="others" type="text" value=${form.others} maxlength="2000" autocomplete="off" autocapitalize="none"
              spellcheck="false" aria-describedby="others-hint" />
          </div>`
        }
      </fieldset>`,
    ],
    chrome,
  );
}

function permissions(form: CompanyRuleForm, chrome: Chrome): Markup {
  const { company, consent } = chrome.words;
  return group(
    ["scopes"],
    form,
    company.ceiling,
    [
      form.scopes.map(
        (scope) =>
          html`<label class="choice">
          <input type="checkbox" name="scope" value=${scope.name} checked=${scope.checked} />
          <span class="choice-text">
            <span><bdi>${visible(scope.description || scope.name)}</bdi></span>
            ${scope.sensitive && html`<span class="tag warn">${icon("alert")}${consent.sensitive}</span>`}
            ${scope.required && html`<span class="tag">${consent.required}</span>`}
            ${scope.asked && html`<span class="tag">${company.asked}</span>`}
          </span>
        </label>`,
      ),
      form.scopes.some(({ required }) => required) && html`<p class="soft small">${company.ceilingHint}</p>`,
    ],
    chrome,
  );
}

/** The hosts that an approval covers: those that the app has now. Later hosts are not covered. */
function addresses(hosts: readonly CompanyHost[], { words }: Chrome): Child {
  if (hosts.length === 0) return null;
  return html`<div class="small">
    <p class="soft">${words.company.hosts}</p>
    <ul class="plain">
      ${hosts.map(({ value, text }) => html`<li><input type="hidden" name="host" value=${value} />${hostWords(text, words)}</li>`)}
    </ul>
  </div>`;
}

function durationSelect(form: CompanyRuleForm, { words }: Chrome): Markup {
  const { company } = words;
  const same = form.endsNow === null ? company.sameForever : fill(company.sameEnd, { when: day(words, form.endsNow) });
  const options = form.durations.map(({ value, selected }) => ({
    ...{ value, selected },
    label: value === "same" ? same : value === "forever" ? company.untilEnded : durationLabel(words, value),
  }));
  return select({ id: "duration", name: "duration", label: company.untilWhen }, options);
}
