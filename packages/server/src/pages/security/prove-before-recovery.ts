/** The page on which a person proves a factor before they recover an account. */
import type { Chrome } from "../chrome.ts";
import { fill, type Messages, plural, rich } from "../messages/index.ts";
import { hidden, notice, titled } from "../parts/components.ts";
import { field, fieldError } from "../parts/fields.ts";
import { html, type Markup } from "../parts/html.ts";
import { icon } from "../parts/icons.ts";
import { cardPage } from "../parts/layout.ts";
import { passkeyButton } from "../passkey-form.ts";
import { name } from "../untrusted-text.ts";
import type { ProveView } from "./recover-account-views.ts";

/** Renders the step, and every response to it that isn't a redirect. */
export function provePage(view: ProveView, chrome: Chrome): string {
  const { words, base, product } = chrome;
  const { takeBack } = words;
  const { problem } = view;
  const path = `${base}${view.what === "undo" ? "/undo" : "/recover"}/proof`;
  const intro = view.codes ? takeBack.proveCode : takeBack.provePasskey;
  const general = problem !== null && !isAboutField(problem) ? problemText(problem, words) : null;
  const fields = { csrf: view.csrf, link: view.link };
  return cardPage(
    chrome,
    titled(takeBack.proveTitle, problem !== null, words),
    html`<div class="stack">
      <div class="heading">
        <span class="sign plain">${icon("shield")}</span>
        <h1>${takeBack.proveTitle}</h1>
        <p class="soft">${rich(intro, { person: name(view.person) })}</p>
      </div>
      ${general !== null && notice("danger", general, { focus: true })}
      ${view.codes && codeForm(view, path, words)}
      ${
        view.passkey !== null &&
        passkeyButton(
          view.passkey,
          {
            action: path,
            fields,
            label: takeBack.proveWith,
            without: words.passkey.noScriptSecond,
            primary: !view.codes,
          },
          chrome,
        )
      }
      ${problem?.kind === "untrustedPasskey" && html`<a class="button" href=${`${base}/login`}>${words.signIn.submit}</a>`}
      ${view.codes && recoveryForm(view, path, words)}
      <p class="soft small">${fill(takeBack.proveNone, { product })}</p>
    </div>`,
  );
}

function codeForm({ csrf, link, problem }: ProveView, path: string, words: Messages): Markup {
  const wrong = problem?.kind === "wrong" || problem?.kind === "missing" ? problem : null;
  return html`<form class="fields" method="post" action=${path} novalidate>
    ${hidden({ csrf, link })}
    ${field({
      ...{
        name: "code",
        label: words.secondStep.code,
        type: "text",
        autocomplete: "one-time-code",
        inputmode: "numeric",
      },
      ...{ error: wrong && problemText(wrong, words), autofocus: problem === null || !isAboutRecovery(problem) },
    })}
    <button class="button primary" type="submit">${words.secondStep.submit}</button>
  </form>`;
}

function recoveryForm({ csrf, link, problem }: ProveView, path: string, words: Messages): Markup {
  const { secondStep } = words;
  const wrong = problem !== null && isAboutRecovery(problem) ? problem : null;
  const described = wrong === null ? "recovery-hint" : "recovery-hint recovery-error";
  return html`<details class="fold" open=${wrong !== null}>
    <summary>${icon("chevronDown")}<span>${secondStep.lost}</span></summary>
    <form class="fields" method="post" action=${path} novalidate>
      ${hidden({ csrf, link })}
      <div class="field">
        <label for="recovery">${secondStep.recovery}</label>
        <p class="soft small" id="recovery-hint">${secondStep.recoveryHint}</p>
        <input id="recovery" name="recovery" type="text" maxlength="60" autocomplete="off" autocapitalize="none" autocorrect="off" spellcheck="false"
          required aria-describedby=${described} aria-invalid=${wrong === null ? null : "true"} autofocus=${wrong !== null} />
        ${wrong !== null && fieldError("recovery-error", problemText(wrong, words))}
      </div>
      <button class="button" type="submit">${secondStep.submit}</button>
    </form>
  </details>`;
}

type Problem = NonNullable<ProveView["problem"]>;

function isAboutRecovery({ kind }: Problem): boolean {
  return kind === "wrongRecovery" || kind === "untrustedRecovery";
}

function isAboutField(problem: Problem): boolean {
  return isAboutRecovery(problem) || problem.kind === "wrong" || problem.kind === "missing";
}

function problemText(problem: Problem, words: Messages): string {
  switch (problem.kind) {
    case "throttled": {
      const count = Math.max(1, Math.ceil(problem.minutes));
      return fill(plural(words.language, (problem.expires ? words.takeBack : words.signIn).throttled, count), {
        count,
      });
    }
    case "stale":
      return words.recover.stale;
    case "passkey":
      return words.passkey.failed;
    default:
      return words.secondStep[problem.kind];
  }
}
