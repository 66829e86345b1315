/** The second step of a sign-in: an authenticator code, a recovery code, or a passkey. */
import type { Chrome } from "./chrome.ts";
import type { SecondStepView } from "./factor-views.ts";
import { fill, type Messages, plural, rich } from "./messages/index.ts";
import { hidden, notice, secrets, tile, titled } from "./parts/components.ts";
import { fieldError } from "./parts/fields.ts";
import { type Attributes, type Child, html, type Markup } from "./parts/html.ts";
import { icon } from "./parts/icons.ts";
import { cardPage } from "./parts/layout.ts";
import { bothNames } from "./parts/person-names.ts";
import { passkeyForm } from "./passkey-form.ts";
import { providerButtons, secondStepProblem } from "./provider-buttons.ts";
import { name } from "./untrusted-text.ts";

const ERROR_ID = "second-step-error";

/** Renders the step, and every response to it that isn't a redirect. */
export function secondStepPage(view: SecondStepView, chrome: Chrome): string {
  const { words } = chrome;
  const { client, person, problem, passkey, providers = [] } = view;
  return cardPage(
    chrome,
    titled(words.secondStep.title, problem !== null, words),
    html`<div class="stack">
      <div class="heading">
        ${client === null ? html`<span class="sign plain">${icon("shield")}</span>` : tile(client, "large", chrome.base)}
        <h1>${words.secondStep.title}</h1>
        <p class="soft">${view.codes ? words.secondStep.intro : words.secondStep.introPasskey}</p>
        <p class="soft small">${rich(words.secondStep.as, { person: bothNames(person) })}</p>
        ${client !== null && html`<p class="soft small">${rich(words.waiting.next.app, { app: name(client.name) })}</p>`}
      </div>
      ${problem !== null && !isAboutField(problem) && notice("danger", problemText(problem, words), view.codes ? { id: ERROR_ID } : { focus: true })}
      ${view.codes && codeForm(view, chrome)}
      ${passkey !== null && passkeyForm(passkey, view.form, view.partial, chrome, !view.codes)}
      ${providers.length > 0 && providerButtons({ providers, form: view.form, only: "second-factor" }, chrome)}
      ${view.codes && recoveryForm(view, chrome)}
      ${view.over !== null && html`<p class="small"><a class="alone" href=${chrome.base + view.over}>${words.secondStep.over}</a></p>`}
    </div>`,
  );
}

function codeForm(view: SecondStepView, { words, base }: Chrome): Markup {
  const wrong = view.problem?.kind === "wrong" || view.problem?.kind === "missing";
  const about = view.problem !== null && view.problem.kind !== "wrongRecovery";
  const described: Attributes = {
    "aria-describedby": about ? ERROR_ID : null,
    "aria-invalid": wrong ? "true" : null,
  };
  return html`<form class="fields" method="post" action=${`${base}/login/second`} novalidate>
    ${secrets(view.form)} ${hidden({ partial: view.partial })}
    <div class="field">
      <label for="code">${words.secondStep.code}</label>
      <input id="code" name="code" class="user-code" type="text" inputmode="numeric" maxlength="20" autocomplete="one-time-code" autocorrect="off"
        spellcheck="false" required autofocus=${view.problem?.kind !== "wrongRecovery"} ...${described} />
      ${wrong && view.problem !== null && fieldError(ERROR_ID, problemText(view.problem, words))}
    </div>
    <button class="button primary" type="submit">${words.secondStep.submit}</button>
  </form>`;
}

function recoveryForm(view: SecondStepView, { words, base }: Chrome): Markup {
  const wrong = view.problem?.kind === "wrongRecovery";
  const described = wrong ? `recovery-hint ${ERROR_ID}` : "recovery-hint";
  return html`<details class="fold" open=${wrong}>
    <summary>${icon("chevronDown")}<span>${words.secondStep.lost}</span></summary>
    <form class="fields" method="post" action=${`${base}/login/second`} novalidate>
      ${secrets(view.form)} ${hidden({ partial: view.partial })}
      <div class="field">
        <label for="recovery">${words.secondStep.recovery}</label>
        <p class="soft small" id="recovery-hint">${words.secondStep.recoveryHint}</p>
        <input id="recovery" name="recovery" type="text" maxlength="60" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"
          required aria-describedby=${described} aria-invalid=${wrong ? "true" : null} autofocus=${wrong} />
        ${wrong && view.problem !== null && fieldError(ERROR_ID, problemText(view.problem, words))}
      </div>
      <button class="button" type="submit">${words.secondStep.submit}</button>
    </form>
  </details>`;
}

type Problem = NonNullable<SecondStepView["problem"]>;

function isAboutField({ kind }: Problem): boolean {
  return kind === "wrong" || kind === "wrongRecovery" || kind === "missing";
}

function problemText(problem: Problem, words: Messages): Child {
  switch (problem.kind) {
    case "throttled": {
      const count = Math.max(1, Math.ceil(problem.minutes));
      return fill(plural(words.language, words.signIn.throttled, count), { count });
    }
    case "stale":
      return words.recover.stale;
    case "passkey":
      return words.passkey.failed;
    case "elsewhere":
      return secondStepProblem(problem, words);
    default:
      return words.secondStep[problem.kind];
  }
}
